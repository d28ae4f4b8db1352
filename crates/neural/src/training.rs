//! From tasks to a policy.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use mapo_core::{Env, Exploration, Explorer, Learnt, Memory, Plan, Run, Statistics, Task, Uniform};
use mapo_programmer::Network;
use rayon::prelude::*;

use crate::contexts::{encode, words};
use crate::error::{Error, Result};
use crate::learner::NeuralLearner;
use crate::observed::Observed;
use crate::policy::{Input, Plain};
use crate::settings::Settings;
use crate::trained::{Report, Trained};

/// Error rate of the explored sets.
const ERROR_RATE: f64 = 1e-8;

/// How far a training is.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Tasks are explored at random.
    Exploring {
        /// Tasks explored so far.
        tasks: usize,
        /// Those of them for which something was found.
        solved: usize,
    },
    /// A step was made.
    Learning {
        /// Steps so far.
        step: u64,
        /// What the actor saw of its batch.
        statistics: &'a Statistics,
        /// What the step came to.
        learnt: Learnt,
    },
}

/// Explores the tasks and trains a policy on them: neural MAPO, or whatever objective the settings have. `watch`
/// hears of the progress and may break it off; then what was learnt so far is returned.
///
/// Actors and a learner meet as in any run of [`mapo_core::Run`]; on one thread the settings and the tasks
/// decide everything.
///
/// ```
/// use mapo_core::Action;
/// use mapo_neural::{ByPrefix, Look, Observing, Settings, train};
/// use std::ops::ControlFlow;
///
/// // Six coins to be laid as the task says: eight tasks to learn from, of which no two are alike.
/// let task = |number: u16| {
///     let wanted: Vec<u16> = (0..6).map(|coin| number * 7 >> coin & 1).collect();
///     let names: Vec<&str> = wanted.iter().map(|&coin| ["tails", "heads"][usize::from(coin)]).collect();
///     Observing::new(names, ByPrefix::new(move |laid: &[Action]| match laid.len() {
///         6 => Look::Finished(laid.iter().map(|coin| coin.0).eq(wanted.iter().copied()).into()),
///         _ => Look::Open(vec![Action(0), Action(1)]),
///     }))
/// };
/// let settings = Settings { actions: 2, steps: 300, width: 16, explore_first: 20, ..Settings::default() };
/// let trained = train((0..8).map(task).collect(), &settings, |_| ControlFlow::Continue(()))?;
///
/// // Every task is solved by the program that the policy likes best.
/// let solved = trained.evaluate(&mut (0..8).map(task).collect::<Vec<_>>(), 1)?;
/// assert_eq!(solved.solved, 1.0);
/// # Ok::<(), mapo_neural::Error>(())
/// ```
///
/// # Errors
/// If there is no task, settings make no sense, or a task offers what the policy cannot know.
pub fn train<E>(
    mut tasks: Vec<E>,
    settings: &Settings,
    mut watch: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Trained>
where
    E: Observed + Send,
{
    settings.check()?;
    if tasks.is_empty() {
        return Err(Error::NoTasks);
    }
    let began = Instant::now();
    let words = Arc::new(words(&tasks, settings.width)?);
    let inputs = tasks.iter_mut().enumerate();
    let inputs = inputs.map(|(place, task)| encode(&words, settings.actions, place, task));
    let inputs = inputs.collect::<Result<Vec<Input>>>()?;
    let network = Network::new(settings.network(), words, settings.seed)?;
    let threads = settings.threads.max(1);
    let mut learner: NeuralLearner<Plain> = NeuralLearner::new(
        network,
        settings.learning(),
        settings.steps,
        settings.seed,
        threads,
    )?;

    let memories = explore(&mut tasks, settings, &learner, &mut watch)?;
    let mut report = Report {
        tasks: tasks.len(),
        solved_first: memories.iter().filter(|memory| !memory.is_empty()).count(),
        ..Report::default()
    };
    let tasks = tasks.into_iter().zip(inputs).zip(memories).enumerate();
    let tasks = tasks
        .map(|(number, ((env, input), memory))| Task::new(number as u64, input, env, memory, ERROR_RATE))
        .collect::<Result<Vec<_>, _>>()?;

    let mut run = Run::new(settings.course(), threads, tasks)?;
    run.go(&mut learner, |made| {
        watch(Progress::Learning {
            step: made.step,
            statistics: &made.batch.statistics,
            learnt: made.learnt,
        })
    })?;
    report.steps = run.step();
    report.solved = run.tasks().filter(|task| !task.memory.is_empty()).count();
    report.programs = run.tasks().map(|task| task.memory.len()).sum();
    report.seconds = began.elapsed().as_secs_f64();
    Ok(Trained::new(learner.model()?, report))
}

/// Fills memories with what is found at random, some tasks at a time.
fn explore<E: Env + Send>(
    tasks: &mut [E],
    settings: &Settings,
    learner: &NeuralLearner<Plain>,
    watch: &mut impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Vec<Memory>> {
    let plan = Plan {
        programs: settings.explore_first,
        seed: settings.seed,
        error_rate: ERROR_RATE,
        ..Plan::default()
    };
    let is_used = mapo_core::Estimator::uses_memory(&settings.objective);
    if settings.explore_first == 0 || !is_used {
        return Ok(vec![Memory::default(); tasks.len()]);
    }
    let mut memories: Vec<Memory> = Vec::with_capacity(tasks.len());
    for some in tasks.chunks_mut(16 * settings.threads.max(1)) {
        let first = memories.len() as u64;
        let some = some.par_iter_mut().enumerate();
        let found = some.map_init(
            || Explorer::new(plan),
            |explorer, (place, env)| {
                let found = explorer.explore(first + place as u64, env, &mut Uniform, |_| true);
                found.unwrap_or_default()
            },
        );
        let found: Vec<Exploration> = learner.runner().pool().install(|| found.collect());
        memories.extend(found.into_iter().map(|found| found.memory));
        let progress = Progress::Exploring {
            tasks: memories.len(),
            solved: memories.iter().filter(|memory| !memory.is_empty()).count(),
        };
        if watch(progress).is_break() {
            return Err(Error::Stopped);
        }
    }
    Ok(memories)
}
