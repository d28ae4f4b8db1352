//! What an actor does with a batch: exploration first, one snapshot, and what is found joins the memory
//! after.

mod common;

use common::world::{CONTEXT, World, distance, look};
use common::{Tree, TreeEnv};
use mapo_core::{
    Action, Actor, Ascent, Env, Estimator, HardEm, Iml, Inside, Learner, Mapo, Memory, Mml, NewPrograms,
    Objective, Outside, Reinforce, Statistics, Tabular, Task, TrainingBatch, WeightsFrom, settle,
};

/// Three choices of four; the programs of these numbers are rewarded.
fn tree(rewarded: &[u16]) -> Tree {
    fn below(depth: u32, number: u16, rewarded: &[u16]) -> Tree {
        if depth == 3 {
            return Tree::Program(f32::from(u8::from(rewarded.contains(&number))));
        }
        let branches = (0..4).map(|action| (Action(action), below(depth + 1, 4 * number + action, rewarded)));
        Tree::Fork(branches.collect())
    }
    below(0, 0, rewarded)
}

fn program(number: u16) -> [Action; 3] {
    [number / 16, number / 4 % 4, number % 4].map(Action)
}

fn task<'a>(example: u64, tree: &'a Tree, memory: &[u16]) -> Task<TreeEnv<'a>, u64> {
    let mut b = Memory::default();
    memory.iter().for_each(|&number| {
        b.insert(&program(number), 1.0);
    });
    Task::new(example, example, TreeEnv::new(tree), b, 1e-8).expect("programs of the tree")
}

fn uniform() -> Tabular {
    Tabular::new(Ascent::Adam { rate: 0.1 })
}

fn mapo() -> Objective {
    Objective::default()
}

#[test]
fn exploration_tries_every_program_once() {
    let tree = tree(&[7, 21, 44]);
    let mut task = task(5, &tree, &[]);
    let mut actor = Actor::new(mapo(), NewPrograms::default(), 1).unwrap();
    let mut policy = uniform();
    let mut total = Statistics::default();
    for number in 0..100 {
        let batch = actor.act(number, number, &mut [&mut task], &mut policy).unwrap();
        assert_eq!(batch.examples, [5]);
        assert_eq!(
            batch.statistics.programs,
            task.memory.len() as u64 - batch.statistics.found_drawing
        );
        total += batch.statistics;
    }
    // Those that were drawn and rewarded before exploration came to them need not be explored.
    assert!(task.explored.is_complete());
    assert_eq!(total.explored + total.found_drawing, 64);
    assert_eq!(total.found_exploring + total.found_drawing, 3);
    assert_eq!(task.memory.len(), 3);
    assert_eq!(total.examples, 100);
}

#[test]
fn more_is_explored_while_the_memory_is_empty() {
    let (hopeless, easy) = (tree(&[]), tree(&(0..64).collect::<Vec<_>>()));
    let exploring = NewPrograms {
        per_visit: 1,
        when_empty: 9,
        ..NewPrograms::default()
    };
    let mut actor = Actor::new(mapo(), exploring, 1).unwrap();
    let (mut one, mut other, mut known) =
        (task(0, &hopeless, &[]), task(1, &easy, &[]), task(2, &easy, &[3]));
    let mut count = |task: &mut Task<TreeEnv<'_>, u64>| {
        let batch = actor.act(0, 0, &mut [task], &mut uniform()).unwrap();
        (batch.statistics.explored, batch.statistics.found_exploring)
    };
    assert_eq!(count(&mut one), (10, 0));
    assert_eq!(
        count(&mut other),
        (1, 1),
        "after the first success it is not empty any more"
    );
    assert_eq!(count(&mut known), (1, 1));
    // Ten walks a visit, and then there is nothing left.
    let explored: Vec<u64> = (0..7).map(|_| count(&mut one).0).collect();
    assert_eq!(explored, [10, 10, 10, 10, 10, 4, 0]);
}

#[test]
fn without_exploration_only_rewarded_draws_join_the_memory() {
    let tree = tree(&[9, 33, 50]);
    let mut actor = Actor::new(mapo(), NewPrograms::OFF, 3).unwrap();
    let mut task = task(0, &tree, &[]);
    let mut policy = uniform();
    for number in 0..300 {
        let before = task.memory.clone();
        let batch = actor.act(number, 0, &mut [&mut task], &mut policy).unwrap();
        assert_eq!(batch.statistics.explored, 0);
        let rewarded: Vec<_> = batch
            .trajectories
            .iter()
            .filter(|trajectory| trajectory.reward > 0.0 && !before.contains(trajectory.steps.actions()))
            .collect();
        assert_eq!(task.memory.len(), before.len() + rewarded.len());
        assert_eq!(batch.statistics.found_drawing, rewarded.len() as u64);
        // It joins after the snapshot: its own weight is that of a draw outside.
        assert!(rewarded.iter().all(|trajectory| trajectory.weight > 0.0));
        assert_eq!(batch.statistics.solved, u64::from(!before.is_empty()));
    }
    assert_eq!(task.memory.len(), 3);
}

#[test]
fn clip_fraction_is_about_memories_that_are_not_empty() {
    let tree = tree(&[0, 1, 2, 3]);
    let (mut empty, mut light, mut heavy) = (
        task(0, &tree, &[]),
        task(1, &tree, &[0]),
        task(2, &tree, &[0, 1, 2, 3]),
    );
    // A memory of one program weighs 1/64, one of four 1/16.
    let objective = Objective::Mapo(Mapo {
        alpha: 0.05,
        ..Mapo::default()
    });
    let mut actor = Actor::new(objective, NewPrograms::OFF, 3).unwrap();
    let mut tasks = [&mut empty, &mut light, &mut heavy];
    let batch = actor.act(0, 0, &mut tasks, &mut uniform()).unwrap();
    let statistics = batch.statistics;
    assert_eq!(statistics.clip_fraction.get(), Some(0.5));
    assert!((statistics.memory_weight.get().unwrap() - (1.0 + 4.0) / 64.0 / 2.0).abs() < 1e-6);
    assert_eq!(
        (statistics.examples, statistics.solved, statistics.programs),
        (3, 2, 5)
    );
    let weights = |example| {
        let own = batch
            .trajectories
            .iter()
            .filter(move |trajectory| trajectory.example == example);
        own.map(|trajectory| trajectory.weight).collect::<Vec<_>>()
    };
    assert_eq!(weights(1)[0], 0.05, "clipped");
    assert!((weights(2)[0] - 1.0 / 16.0).abs() < 1e-6, "not clipped");
}

#[test]
fn the_same_number_gives_the_same_draws_whatever_else_is_in_the_batch() {
    let tree = tree(&[4, 20, 50, 60]);
    let batches = |examples: &[u64]| -> Vec<TrainingBatch> {
        let mut tasks: Vec<_> = examples
            .iter()
            .map(|&example| task(example, &tree, &[4, 50]))
            .collect();
        let mut actor = Actor::new(mapo(), NewPrograms::default(), 9).unwrap();
        let mut policy = uniform();
        (0..20)
            .map(|number| {
                let mut tasks: Vec<_> = tasks.iter_mut().collect();
                actor.act(number, number, &mut tasks, &mut policy).unwrap()
            })
            .collect()
    };
    let of = |batches: &[TrainingBatch], place: usize| -> Vec<_> {
        batches
            .iter()
            .flat_map(|batch| batch.trajectories.iter())
            .filter(|trajectory| trajectory.example == place)
            .map(|trajectory| (trajectory.steps.clone(), trajectory.weight))
            .collect()
    };
    let (alone, together) = (batches(&[7]), batches(&[1, 7, 2]));
    assert_eq!(alone, batches(&[7]));
    assert_eq!(of(&alone, 0), of(&together, 1));
    assert_ne!(of(&together, 0), of(&together, 1));
}

#[test]
fn reinforce_neither_explores_nor_scores() {
    let tree = tree(&[4]);
    let mut task = task(0, &tree, &[4]);
    let objective = Objective::Reinforce(Reinforce::default());
    let mut actor = Actor::new(objective, NewPrograms::default(), 9).unwrap();
    let batch = actor.act(0, 0, &mut [&mut task], &mut uniform()).unwrap();
    assert_eq!(batch.statistics.explored, 0);
    assert_eq!(batch.statistics.memory_weight.get(), None);
    assert_eq!(batch.statistics.clip_fraction.get(), None);
    assert_eq!(batch.trajectories.len(), 1);
}

/// The five most probable programs for the actor's policy, weighted by the learner's.
#[test]
fn the_learner_can_be_asked_for_the_weights() {
    let tree = tree(&[0, 5, 10, 15]);
    let memory = [5, 0, 10, 15];
    let objective = Objective::Mapo(Mapo {
        inside: Inside::Top(2),
        outside: Outside::Paper,
        weights_from: WeightsFrom::Learner,
        alpha: 0.01,
        ..Mapo::default()
    });
    let mut actor = Actor::new(objective.clone(), NewPrograms::OFF, 4).unwrap();
    let (mut old, mut new) = (uniform(), uniform());
    // The actor prefers 10 and 15, which begin alike; the learner has changed its mind about the latter.
    for policy in [&mut old, &mut new] {
        policy.set(1, &[Action(0)], Action(2), 1.0);
        policy.set(1, &[Action(0)], Action(3), 2.0);
    }
    new.set(1, &[Action(0), Action(3)], Action(3), -3.0);
    let mut task = task(1, &tree, &memory);
    let mut batch = actor.act(0, 0, &mut [&mut task], &mut old).unwrap();
    assert!(batch.trajectories.is_empty());
    assert_eq!(batch.unweighted.len(), 1);
    let copy: TrainingBatch = serde_json::from_str(&serde_json::to_string(&batch).unwrap()).unwrap();
    assert_eq!(copy, batch, "it can travel");

    settle(&mut batch, &objective, 0, &[&1], &mut new).unwrap();
    assert!(batch.unweighted.is_empty());
    let inside: Vec<_> = batch.trajectories.iter().take(2).collect();
    assert_eq!(inside[0].steps.actions(), program(15));
    assert_eq!(inside[1].steps.actions(), program(10));
    // w·p(a)/P is p(a), where nothing is clipped.
    for trajectory in inside {
        let p = new.log_probability(1, &trajectory.steps).exp();
        assert!(
            (trajectory.weight - p).abs() < 1e-6,
            "{} instead of {p}",
            trajectory.weight
        );
    }
    assert_eq!(batch.statistics.clip_fraction.get(), Some(0.0));
    // Settling twice changes nothing.
    let settled = batch.clone();
    settle(&mut batch, &objective, 0, &[&1], &mut old).unwrap();
    assert_eq!(batch, settled);
}

#[test]
fn ties_go_to_what_was_found_first() {
    let tree = tree(&[0, 5, 10, 15]);
    let mut task = task(0, &tree, &[10, 0, 15, 5]);
    let mut actor = Actor::new(Objective::HardEm(HardEm::default()), NewPrograms::OFF, 0).unwrap();
    let batch = actor.act(0, 0, &mut [&mut task], &mut uniform()).unwrap();
    assert_eq!(batch.trajectories.len(), 1);
    assert_eq!(batch.trajectories[0].steps.actions(), program(10));
}

/// However it is put together, the expected return is what the policy earns on average.
#[test]
fn expected_returns_have_no_bias() {
    let world = World::new(tree(&[0, 5, 10, 15, 33, 50, 51]), 1.0, 8);
    let exact: f64 = world
        .programs
        .iter()
        .map(|program| program.probability * program.reward)
        .sum();
    let mapo = |inside, outside| {
        Objective::Mapo(Mapo {
            inside,
            outside,
            ..Mapo::default()
        })
    };
    for objective in [
        mapo(Inside::Sampled(1), Outside::Rejection),
        mapo(Inside::Sampled(1), Outside::Exact),
        mapo(Inside::Top(1), Outside::Rejection),
        mapo(Inside::Top(1), Outside::Exact),
        Objective::Reinforce(Reinforce::default()),
    ] {
        let mut actor = Actor::new(objective.clone(), NewPrograms::OFF, 2).unwrap();
        let mut task = world.task(&[5, 50, 15]);
        let (mut sum, count) = (0.0, 20_000);
        let mut policy = world.policy.clone();
        for number in 0..count {
            let batch = look(&mut actor, &objective, number, &mut task, &mut policy);
            sum += batch.statistics.expected_return.get().unwrap();
        }
        let mean = sum / count as f64;
        let error = (exact * (1.0 - exact) / count as f64).sqrt();
        assert!(
            (mean - exact).abs() < 5.0 * error,
            "{mean} instead of {exact}: {objective:?}"
        );
    }
    assert!(Objective::Iml(Iml::default()).needs(3).policy == mapo_core::FromPolicy::Nothing);
}

/// The trajectories of a batch give the gradient that is learnt.
#[test]
fn a_batch_teaches_what_its_trajectories_say() {
    let world = World::new(tree(&[0, 5, 10, 15]), 1.0, 8);
    let objective = mapo();
    let mut actor = Actor::new(objective.clone(), NewPrograms::OFF, 2).unwrap();
    let mut policy = world.policy.clone();
    let mut task = world.task(&[0, 5, 15]);
    let mut batch = look(&mut actor, &objective, 3, &mut task, &mut policy);
    let gradient = policy.gradient(&[&CONTEXT], &batch.trajectories);
    assert!(distance(&gradient, &world.estimate(&batch)) < 1e-12);
    let learnt = policy.teach(&mut batch, &objective, 0, &[&CONTEXT], 2.0).unwrap();
    assert!((learnt.gradient_norm - distance(&gradient, &[0.0; 500]) / 2.0).abs() < 1e-12);
    assert!(learnt.loss > 0.0 && learnt.entropy > 0.0);
}

/// A policy that must not be asked.
struct Mute;

impl mapo_core::Policy<u64> for Mute {
    type Error = &'static str;

    fn read(&mut self, _: &[&u64]) -> Result<(), Self::Error> {
        Err("asked to read")
    }

    fn start(&mut self, _: &[usize]) -> Result<(), Self::Error> {
        Err("asked to start")
    }

    fn advance(&mut self, _: &[mapo_core::Move]) -> Result<(), Self::Error> {
        Err("asked to advance")
    }

    fn log_probabilities(&mut self, _: usize, _: &[Action], _: &mut Vec<f32>) -> Result<(), Self::Error> {
        Err("asked for probabilities")
    }
}

/// All objectives, and those whose weights come from the learner.
fn all_objectives() -> Vec<Objective> {
    let learner = Mapo {
        inside: Inside::Top(5),
        weights_from: WeightsFrom::Learner,
        ..Mapo::default()
    };
    let all = Objective::all().into_iter();
    all.chain([Objective::Mapo(learner)]).collect()
}

#[test]
fn a_known_program_is_learnt_by_its_likelihood_and_the_policy_is_not_asked() {
    let tree = tree(&(0..64).collect::<Vec<_>>());
    let exploring = NewPrograms {
        per_visit: 3,
        when_empty: 3,
        ..NewPrograms::default()
    };
    for objective in all_objectives() {
        let mut known = task(4, &tree, &[21]).known();
        let mut actor = Actor::new(objective.clone(), exploring, 1).unwrap();
        for number in 0..5 {
            let batch = actor.act(number, number, &mut [&mut known], &mut Mute).unwrap();
            let [trajectory] = &batch.trajectories[..] else {
                panic!("{objective:?}: {batch:?}")
            };
            assert_eq!(trajectory.steps.actions(), program(21));
            assert_eq!(trajectory.weight, 1.0, "{objective:?}");
            assert!(batch.unweighted.is_empty());
            let seen = batch.statistics;
            assert_eq!((seen.examples, seen.solved, seen.programs), (1, 1, 1));
            assert_eq!((seen.explored, seen.draws_in_memory.count()), (0, 0));
        }
        assert_eq!(known.memory.len(), 1, "nothing joins it");
    }
}

#[test]
fn of_several_known_programs_each_has_its_share() {
    let tree = tree(&(0..64).collect::<Vec<_>>());
    for objective in all_objectives() {
        // The policy prefers one of the two.
        let mut policy = uniform();
        let mut lone = task(4, &tree, &[21]).known();
        let mut actor = Actor::new(objective.clone(), NewPrograms::default(), 1).unwrap();
        for step in 0..10 {
            let mut batch = actor.act(step, step, &mut [&mut lone], &mut policy).unwrap();
            policy
                .teach(&mut batch, &objective, step, &[&lone.context], 1.0)
                .unwrap();
        }
        let mut known = task(4, &tree, &[21, 50]).known();
        let batch = actor.act(11, 11, &mut [&mut known], &mut policy).unwrap();
        let weights: Vec<f64> = batch.trajectories.iter().map(|one| one.weight).collect();
        let steps = |number| TreeEnv::new(&tree).steps_of(&program(number)).unwrap();
        let chances = [21, 50].map(|number| policy.log_probability(4, &steps(number)).exp());
        assert_eq!(weights.len(), 2, "{objective:?}");
        for (weight, chance) in weights.iter().zip(chances) {
            assert!(
                (weight - chance / (chances[0] + chances[1])).abs() < 1e-6,
                "{weights:?}"
            );
        }
        assert!(weights[0] > 2.0 * weights[1]);
        assert_eq!((known.memory.len(), batch.statistics.explored), (2, 0));
    }
}

#[test]
fn known_examples_change_nothing_for_the_others_of_a_batch() {
    let tree = tree(&[9, 33, 50]);
    for objective in all_objectives() {
        let visit = |with_known: bool| {
            let (mut one, mut known, mut other) = (
                task(0, &tree, &[9]),
                task(1, &tree, &[33]).known(),
                task(2, &tree, &[]),
            );
            let mut actor = Actor::new(objective.clone(), NewPrograms::default(), 1).unwrap();
            let mut tasks = vec![&mut one, &mut known, &mut other];
            if !with_known {
                tasks.remove(1);
            }
            let batch = actor.act(7, 7, &mut tasks, &mut uniform()).unwrap();
            let numbers = batch.examples.clone();
            let mut seen: Vec<_> = batch
                .trajectories
                .iter()
                .map(|one| (numbers[one.example], one.steps.actions().to_vec(), one.weight))
                .collect();
            let waiting = batch.unweighted.iter();
            seen.extend(waiting.map(|visit| (numbers[visit.example], Vec::new(), visit.memory as f64)));
            (seen, one.memory.len(), other.memory.len())
        };
        let (without, with) = (visit(false), visit(true));
        let others: Vec<_> = with
            .0
            .iter()
            .filter(|(example, ..)| *example != 1)
            .cloned()
            .collect();
        assert_eq!(others, without.0, "{objective:?}");
        assert_eq!((with.1, with.2), (without.1, without.2));
        assert_eq!(with.0.len(), without.0.len() + 1);
    }
}

/// The same task, whose programs are believed so far.
fn believed<'a>(mut task: Task<TreeEnv<'a>, u64>, priors: &[f32]) -> Task<TreeEnv<'a>, u64> {
    task.memory.believe(priors.to_vec());
    task
}

#[test]
fn who_believes_all_alike_does_as_who_believes_nothing() {
    let tree = tree(&[9, 33, 50]);
    for objective in all_objectives() {
        let visit = |priors: Option<f32>| {
            let mut one = task(0, &tree, &[9, 33, 50]);
            if let Some(prior) = priors {
                one = believed(one, &[prior; 3]);
            }
            let mut actor = Actor::new(objective.clone(), NewPrograms::OFF, 1).unwrap();
            let mut policy = uniform();
            for step in 0..4 {
                let mut batch = actor.act(step, step, &mut [&mut one], &mut policy).unwrap();
                policy
                    .teach(&mut batch, &objective, step, &[&one.context], 1.0)
                    .unwrap();
            }
            let steps = [9, 33, 50].map(|number| TreeEnv::new(&tree).steps_of(&program(number)).unwrap());
            steps.map(|steps| policy.log_probability(0, &steps))
        };
        assert_eq!(visit(Some(1.0)), visit(None), "{objective:?}");
        // All as little is all alike, too.
        let pairs = visit(Some(0.25)).into_iter().zip(visit(None));
        assert!(
            pairs.into_iter().all(|(one, other)| (one - other).abs() < 1e-9),
            "{objective:?}"
        );
    }
}

#[test]
fn a_memory_is_shared_by_what_is_believed_and_weighs_as_much() {
    let tree = tree(&[9, 33, 50]);
    let enumerated = Objective::Mapo(Mapo {
        inside: Inside::Enumerated,
        outside_draws: 0,
        ..Mapo::default()
    });
    let sampled = Objective::Mapo(Mapo {
        inside: Inside::Sampled(8000),
        outside_draws: 0,
        ..Mapo::default()
    });
    let top = Objective::Mapo(Mapo {
        inside: Inside::Top(1),
        outside_draws: 0,
        ..Mapo::default()
    });
    let shares = |objective: &Objective| {
        let mut one = believed(task(0, &tree, &[9, 33, 50]), &[0.1, 1.0, 0.4]);
        let mut actor = Actor::new(objective.clone(), NewPrograms::OFF, 1).unwrap();
        let batch = actor.act(0, 0, &mut [&mut one], &mut uniform()).unwrap();
        let shares = [9, 33, 50].map(|number| {
            let same = batch.trajectories.iter();
            let same = same.filter(|one| one.steps.actions() == program(number));
            same.map(|one| one.weight).sum::<f64>()
        });
        let all: f64 = shares.iter().sum();
        (
            shares.map(|share| share / all),
            all,
            batch.statistics.memory_weight.get(),
        )
    };
    let due = [0.1 / 1.5, 1.0 / 1.5, 0.4 / 1.5];
    let near = |shares: [f64; 3], within: f64| {
        let mut pairs = shares.into_iter().zip(due);
        pairs.all(|(share, due)| (share - due).abs() < within)
    };
    let likelihoods = [Objective::Iml(Iml::default()), Objective::Mml(Mml::default())];
    for objective in likelihoods.iter().chain([&enumerated]) {
        let (shares, _, _) = shares(objective);
        assert!(near(shares, 1e-6), "{objective:?}: {shares:?}");
    }
    let drawn = Objective::Iml(Iml { draws: Some(8000) });
    for objective in [&sampled, &drawn] {
        let (shares, ..) = shares(objective);
        assert!(near(shares, 0.03), "{objective:?}: {shares:?}");
    }
    for objective in [&top, &Objective::HardEm(HardEm::default())] {
        assert_eq!(shares(objective).0, [0.0, 1.0, 0.0], "{objective:?}");
    }
    // Three of 64 programs, clipped at 0.1, whatever is believed.
    for objective in [&enumerated, &sampled] {
        let (_, all, weight) = shares(objective);
        assert!((all - 0.1).abs() < 1e-6 && (weight.unwrap() - 3.0 / 64.0).abs() < 1e-6);
    }
}

#[test]
fn what_joins_later_is_believed_least() {
    let mut one = Memory::default();
    one.insert(&program(3), 1.0);
    one.insert(&program(4), 1.0);
    assert_eq!(one.priors(), None);
    one.believe(vec![1.0, 0.25]);
    one.insert(&program(5), 1.0);
    assert_eq!(one.priors(), Some(&[1.0, 0.25, 0.25][..]));
}

#[test]
fn a_memory_of_other_rules_is_refused() {
    let tree = tree(&[0]);
    let mut memory = Memory::default();
    memory.insert(&program(3), 1.0);
    memory.insert(&[Action(0), Action(9), Action(0)], 1.0);
    let refused = Task::new(12, 0_u64, TreeEnv::new(&tree), memory, 1e-8).unwrap_err();
    assert_eq!((refused.example, refused.program), (12, 1));
    assert!(
        refused
            .to_string()
            .contains("program 1 in the memory of example 12"),
        "{refused}"
    );
}
