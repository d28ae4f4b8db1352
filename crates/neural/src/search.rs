//! Beam search: the most probable programs of tasks.

use mapo_core::{Action, Env, Move, Policy};

/// A whole program with its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The program.
    pub actions: Vec<Action>,
    /// log π of it.
    pub log_probability: f64,
    /// What it earns.
    pub reward: f32,
}

/// A program that is not finished.
struct Partial {
    task: usize,
    actions: Vec<Action>,
    log_probability: f64,
}

/// For each task its most probable programs, the best first: at each length `width` partial programs go on,
/// and those that end are kept. A task of which every way was a dead end has none.
///
/// # Errors
/// Those of the policy.
pub fn best_programs<X, P, E>(
    policy: &mut P,
    contexts: &[&X],
    envs: &mut [E],
    width: usize,
) -> Result<Vec<Vec<Candidate>>, P::Error>
where
    X: ?Sized,
    P: Policy<X> + ?Sized,
    E: Env,
{
    let width = width.max(1);
    let mut done: Vec<Vec<Candidate>> = vec![Vec::new(); envs.len()];
    // Where each environment stands.
    let mut here: Vec<Vec<Action>> = vec![Vec::new(); envs.len()];
    envs.iter_mut().for_each(|env| env.rewind(0));
    let mut rows: Vec<Partial> = (0..envs.len())
        .map(|task| Partial {
            task,
            actions: Vec::new(),
            log_probability: 0.0,
        })
        .collect();
    let (mut valid, mut logs) = (Vec::new(), Vec::new());
    if !rows.is_empty() {
        policy.read(contexts)?;
        policy.start(&(0..envs.len()).collect::<Vec<_>>())?;
    }
    while !rows.is_empty() {
        let mut next: Vec<(Move, Partial)> = Vec::new();
        let mut row = 0;
        // The rows of a task stand together.
        for beam in rows.chunk_by(|one, other| one.task == other.task) {
            let task = beam[0].task;
            let (env, here) = (&mut envs[task], &mut here[task]);
            let mut all: Vec<(Move, &Partial, f64)> = Vec::new();
            for partial in beam {
                env.go_to(here, &partial.actions);
                valid.clear();
                env.actions(&mut valid);
                if !valid.is_empty() {
                    logs.clear();
                    policy.log_probabilities(row, &valid, &mut logs)?;
                    all.extend(valid.iter().zip(&logs).map(|(&action, &log)| {
                        let log_probability = partial.log_probability + f64::from(log);
                        (Move { row, action }, partial, log_probability)
                    }));
                }
                row += 1;
            }
            all.sort_by(|one, other| other.2.total_cmp(&one.2));
            all.truncate(width);
            for (step, parent, log_probability) in all {
                let mut actions = parent.actions.clone();
                actions.push(step.action);
                env.go_to(here, &actions);
                // Longer programs are less probable, so one that is behind `width` finished ones stays behind.
                let ahead = |candidate: &&Candidate| candidate.log_probability >= log_probability;
                if env.is_finished() {
                    done[task].push(Candidate {
                        actions,
                        log_probability,
                        reward: env.reward(),
                    });
                } else if done[task].iter().filter(ahead).count() < width {
                    let partial = Partial {
                        task,
                        actions,
                        log_probability,
                    };
                    next.push((step, partial));
                }
            }
        }
        let moves: Vec<Move> = next.iter().map(|(step, _)| *step).collect();
        if !moves.is_empty() {
            policy.advance(&moves)?;
        }
        rows = next.into_iter().map(|(_, partial)| partial).collect();
    }
    for candidates in &mut done {
        candidates.sort_by(|one, other| other.log_probability.total_cmp(&one.log_probability));
        candidates.truncate(width);
    }
    Ok(done)
}
