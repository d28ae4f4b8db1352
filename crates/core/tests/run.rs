//! Runs: actors and learner through the doors, on one thread and on several.

mod common;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use common::{Tree, TreeEnv};
use mapo_core::{
    Action, Ascent, Course, DoorError, Env, Group, Learner, LearnerLife, Learnt, Ledger, Memory, MemoryStore,
    Move, NewPrograms, Policy, Queue, Run, RunError, SharedPolicies, Tabular, Taken, Task, TrainingBatch,
    Trajectory,
};

const EXAMPLES: u64 = 24;

/// Four choices of three: 81 programs, of which one is rewarded.
fn tree(rewarded: u16) -> Tree {
    fn below(depth: u32, number: u16, rewarded: u16) -> Tree {
        if depth == 4 {
            return Tree::Program(f32::from(u8::from(number == rewarded)));
        }
        let branches = (0..3).map(|action| (Action(action), below(depth + 1, 3 * number + action, rewarded)));
        Tree::Fork(branches.collect())
    }
    below(0, 0, rewarded)
}

fn trees() -> Vec<Tree> {
    (0..EXAMPLES as u16).map(|example| tree(example * 3)).collect()
}

fn tasks(trees: &[Tree]) -> Vec<Task<TreeEnv<'_>, u64>> {
    let task = |(example, tree)| Task::new(example, example, TreeEnv::new(tree), Memory::default(), 1e-8);
    (0..)
        .zip(trees)
        .map(|task_| task(task_).expect("an empty memory"))
        .collect()
}

fn course(steps: u64) -> Course {
    Course {
        steps,
        batch: 6,
        divisor: 6.0,
        refresh: 5,
        seed: 3,
        new_programs: NewPrograms {
            per_visit: 1,
            when_empty: 4,
            ..NewPrograms::default()
        },
        ..Course::default()
    }
}

fn learner() -> Tabular {
    Tabular::new(Ascent::Plain { rate: 8.0 })
}

/// How likely each example's rewarded program is.
fn successes(learner: &Tabular, trees: &[Tree]) -> Vec<f64> {
    let success = |(context, tree): (u64, &Tree)| {
        let programs = tree.programs();
        let (program, _) = programs
            .iter()
            .find(|(_, reward)| *reward > 0.0)
            .expect("one is rewarded");
        let steps = TreeEnv::new(tree).steps_of(program).expect("a program");
        learner.log_probability(context, &steps).exp()
    };
    (0..).zip(trees).map(success).collect()
}

#[test]
fn one_thread_does_the_same_again_also_when_it_was_cut_off() {
    let trees = trees();
    let (mut run, mut whole) = (Run::new(course(60), 1, tasks(&trees)).unwrap(), learner());
    run.go(&mut whole, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((run.step(), run.rounds()), (60, vec![60]));

    for cut in [5, 25, 50] {
        let (mut first, mut learner) = (Run::new(course(60), 1, tasks(&trees)).unwrap(), learner());
        let stop = |made: &mapo_core::Step<'_, Tabular>| match made.step == cut {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        first.go(&mut learner, stop).unwrap();
        let kept: Vec<_> = first.tasks().cloned().collect();
        let second = Run::new(course(60), 1, kept).unwrap();
        let mut second = second.resumed(first.step(), &first.rounds(), first.queued().to_vec());
        second.go(&mut learner, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(
            successes(&learner, &trees),
            successes(&whole, &trees),
            "cut at {cut}"
        );
        assert!(
            second
                .tasks()
                .zip(run.tasks())
                .all(|(one, other)| one.memory == other.memory)
        );
    }
}

#[test]
fn groups_share_the_visits_by_their_weights_and_go_on_where_they_were() {
    let trees = trees();
    let course = || Course {
        // Three quarters of the visits are of a quarter of the examples.
        groups: vec![
            Group {
                examples: 18,
                weight: 1.0,
            },
            Group {
                examples: 6,
                weight: 3.0,
            },
        ],
        ..course(80)
    };
    let visits = |threads: usize, cuts: &[u64]| {
        let mut learner = learner();
        let mut run = Run::new(course(), threads, tasks(&trees)).unwrap();
        let mut visits = vec![0_u64; EXAMPLES as usize];
        for cut in cuts.iter().copied().chain([80]) {
            run.go(&mut learner, |made| {
                made.batch
                    .examples
                    .iter()
                    .for_each(|&example| visits[example as usize] += 1);
                match made.step == cut {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })
            .unwrap();
            let kept: Vec<_> = run.tasks().cloned().collect();
            let (step, rounds, queued) = (run.step(), run.rounds(), run.queued().to_vec());
            run = Run::new(course(), threads, kept)
                .unwrap()
                .resumed(step, &rounds, queued);
        }
        (visits, successes(&learner, &trees))
    };
    let (whole, learnt) = visits(1, &[]);
    let of_first: u64 = whole[..18].iter().sum();
    let of_second: u64 = whole[18..].iter().sum();
    assert_eq!(of_first, 120);
    // An example that ends one pass and begins the next within a batch is in it once.
    assert!((300..=360).contains(&of_second), "{of_second}");
    let most = whole[..18].iter().max();
    assert!(
        most <= whole[..18].iter().min().map(|least| least + 1).as_ref(),
        "{whole:?}"
    );
    assert_eq!(visits(1, &[20, 45]), (whole, learnt));
    let (together, _) = visits(2, &[30]);
    let of_first = together[..18].iter().sum::<u64>() as f64 / together.iter().sum::<u64>() as f64;
    assert!((0.2..0.35).contains(&of_first), "{together:?}");
}

#[test]
fn groups_that_make_no_sense_are_named() {
    let group = |weight| Group { examples: 12, weight };
    for (groups, batch, said) in [
        (vec![group(1.0), group(0.0)], 6, "`weight` must be above 0"),
        (vec![group(1.0), group(f64::NAN)], 6, "`weight` must be above 0"),
        (
            vec![group(1.0); 3],
            5,
            "`batch` must be at least 6 for 3 datasets",
        ),
    ] {
        let wrong = Course {
            groups,
            batch,
            ..course(1)
        };
        assert_eq!(wrong.check().unwrap_err().to_string(), said);
    }
}

#[test]
fn pausing_on_one_thread_changes_nothing_even_between_two_policies() {
    let trees = trees();
    let (mut run, mut whole) = (Run::new(course(40), 1, tasks(&trees)).unwrap(), learner());
    run.go(&mut whole, |_| ControlFlow::Continue(())).unwrap();
    let (mut paused, mut learner) = (Run::new(course(40), 1, tasks(&trees)).unwrap(), learner());
    while paused.step() < 40 {
        paused.go(&mut learner, |_| ControlFlow::Break(())).unwrap();
    }
    assert_eq!(successes(&learner, &trees), successes(&whole, &trees));
}

#[test]
fn several_threads_learn_and_lose_nothing() {
    let trees = trees();
    for threads in [2, 3, 8] {
        let (mut run, mut learner) = (Run::new(course(400), threads, tasks(&trees)).unwrap(), learner());
        let mut taken = Vec::new();
        while run.step() < 400 {
            let went = run.go(&mut learner, |made| {
                taken.push((made.batch.shard, made.batch.round));
                assert!(made.batch.version < made.step && made.threads <= threads);
                if made.step % 100 == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            went.unwrap();
        }
        // The shards are those of the data, whatever the number of threads.
        let rounds = run.rounds();
        assert_eq!(rounds.len(), 4);
        // How evenly they advance depends on how the machine treats the threads, but none is left behind for good.
        assert!(rounds.iter().all(|&made| made > 10), "{rounds:?}");
        let made: u64 = rounds.iter().sum();
        assert_eq!(made, 400 + run.queued().len() as u64);
        taken.extend(run.queued().iter().map(|batch| (batch.shard, batch.round)));
        taken.sort_unstable();
        let all = (0..)
            .zip(&rounds)
            .flat_map(|(shard, &made)| (0..made).map(move |round| (shard, round)));
        assert_eq!(taken, all.collect::<Vec<_>>());
        let mean = successes(&learner, &trees).iter().sum::<f64>() / EXAMPLES as f64;
        assert!(mean > 0.9, "{mean} on {threads} threads");
    }
}

#[test]
fn the_store_of_memories_holds_what_was_found_in_its_order() {
    let trees = trees();
    for threads in [1, 2] {
        let (mut run, mut learner) = (Run::new(course(60), threads, tasks(&trees)).unwrap(), learner());
        run.go(&mut learner, |_| ControlFlow::Continue(())).unwrap();
        let mut stored: BTreeMap<u64, Memory> = BTreeMap::new();
        for shard in 0..run.rounds().len() as u32 {
            for found in run.memories().read(shard, 0).unwrap() {
                assert_eq!(found.example % run.rounds().len() as u64, u64::from(shard));
                let is_new = stored
                    .entry(found.example)
                    .or_default()
                    .insert(&found.program, found.reward);
                assert!(is_new, "nothing travels twice");
            }
        }
        assert!(!stored.is_empty());
        for (example, task) in (0..).zip(run.tasks()) {
            assert_eq!(task.example, example);
            assert_eq!(stored.remove(&example).unwrap_or_default(), task.memory);
        }
    }
}

/// A queue over which somebody else has a hand.
struct Forged(Vec<TrainingBatch>);

impl Queue for Forged {
    fn take(&mut self) -> Result<Option<Taken>, DoorError> {
        Ok(self.0.pop().map(|batch| Taken {
            batch,
            depth: 1,
            threads: 1,
        }))
    }

    fn learnt(&mut self) -> Result<(), DoorError> {
        Ok(())
    }
}

#[test]
fn a_wrong_batch_ends_the_run_with_a_sentence() {
    let (course, contexts) = (course(60), [0_u64, 1, 2]);
    let right = TrainingBatch {
        examples: vec![2],
        ..TrainingBatch::default()
    };
    let wrong = TrainingBatch {
        examples: vec![3],
        round: 1,
        ..TrainingBatch::default()
    };
    let live = |batches: Vec<TrainingBatch>| {
        let (mut learner, mut step) = (learner(), 0);
        let mut ledger = Ledger::new(3, &[0], &[]);
        let life = LearnerLife::new(&course, &contexts, &mut learner, &mut step, &mut ledger);
        let policies = SharedPolicies::new(0, Tabular::new(Ascent::Plain { rate: 1.0 }));
        let lived = life.live(&mut Forged(batches), &policies, |_| ControlFlow::Continue(()));
        (lived.expect_err("it cannot be learnt from").to_string(), step)
    };
    assert_eq!(
        live(vec![wrong, right.clone()]),
        (
            "the batch of round 1 of shard 0 is wrong: it names example 3 of 3".to_owned(),
            1
        )
    );
    assert_eq!(
        live(vec![right.clone(), right]),
        (
            "the batch of round 0 of shard 0 is wrong: it has come in before".to_owned(),
            1
        )
    );
    assert_eq!(live(vec![]).0, "there is nobody to act, or nothing to act on");
}

/// A policy that fails, or worse, after some batches.
#[derive(Clone)]
struct Fragile {
    left: u32,
    panics: bool,
}

impl Policy<u64> for Fragile {
    type Error = String;

    fn read(&mut self, _: &[&u64]) -> Result<(), String> {
        assert!(self.left > 0 || !self.panics, "meant to");
        self.left = self.left.checked_sub(1).ok_or("the policy broke")?;
        Ok(())
    }

    fn start(&mut self, _: &[usize]) -> Result<(), String> {
        Ok(())
    }

    fn advance(&mut self, _: &[Move]) -> Result<(), String> {
        Ok(())
    }

    fn log_probabilities(&mut self, _: usize, valid: &[Action], out: &mut Vec<f32>) -> Result<(), String> {
        out.extend(valid.iter().map(|_| -(valid.len() as f32).ln()));
        Ok(())
    }
}

impl Learner<u64> for Fragile {
    type Published = Self;

    fn learn(&mut self, _: &[&u64], _: &[Trajectory], _: f64) -> Result<Learnt, String> {
        Ok(Learnt::default())
    }

    fn publish(&self) -> Result<Self, String> {
        Ok(self.clone())
    }
}

#[test]
fn what_ends_an_actor_ends_the_run_and_is_told() {
    let trees = trees();
    // Nobody gets another policy.
    let course = || Course {
        refresh: 10_000,
        ..course(1000)
    };
    for threads in [1, 2] {
        let mut run = Run::new(course(), threads, tasks(&trees)).unwrap();
        let mut fragile = Fragile {
            left: 7,
            panics: false,
        };
        let ended = run.go(&mut fragile, |_| ControlFlow::Continue(())).unwrap_err();
        assert!(
            matches!(&ended, RunError::Policy(problem) if problem == "the policy broke"),
            "{ended}"
        );
        assert_eq!(run.tasks().count(), trees.len(), "nothing is lost");
    }
    let mut run = Run::new(course(), 2, tasks(&trees)).unwrap();
    let mut fragile = Fragile {
        left: 7,
        panics: true,
    };
    let ended = run.go(&mut fragile, |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(ended, RunError::Thread), "{ended}");
}
