//! Large memories that are scored in part, on an environment small enough to enumerate.

mod common;

use common::Tree;
use common::world::{Estimates, World, look};
use mapo_core::{
    Action, Actor, HardEm, Inside, LastScores, Mapo, MemoryScoring, Mml, NewPrograms, Objective, Outside,
};

/// Standard errors that a mean may be off.
const ERRORS: f64 = 5.0;

/// Four of the sixteen programs in memory at each visit, two of them for certain.
const PART: MemoryScoring = MemoryScoring {
    whole: 5,
    best: 2,
    sample: 2,
};

/// Thirty programs, of which a memory holds sixteen.
fn world() -> (World, Vec<usize>) {
    let branch = |first: u16| {
        let programs = (0..6).map(|action| {
            let reward =
                f32::from(u8::from((first + action).is_multiple_of(2))) * (1.0 - 0.1 * f32::from(action));
            (Action(action), Tree::Program(reward))
        });
        Tree::Fork(programs.collect())
    };
    let tree = Tree::Fork((0..5).map(|first| (Action(first), branch(first))).collect());
    let world = World::new(tree, 0.5, 4);
    let memory = (0..30).filter(|place| place % 2 == 0 || *place == 7).collect();
    (world, memory)
}

struct Seen {
    gradient: Estimates,
    weight: Estimates,
    earned: Estimates,
    most_scored: u64,
    largest_weight: f64,
}

/// Many visits, each after as many others as there are scores to remember.
fn see(world: &World, objective: &Objective, memory: &[usize], scoring: MemoryScoring, count: u64) -> Seen {
    let actor = Actor::new(objective.clone(), NewPrograms::OFF, 23).expect("usable settings");
    let mut actor = actor.with_scoring(scoring).expect("usable settings");
    let mut policy = world.policy.clone();
    let mut task = world.task(memory);
    let mut seen = Seen {
        gradient: Estimates::default(),
        weight: Estimates::default(),
        earned: Estimates::default(),
        most_scored: 0,
        largest_weight: 0.0,
    };
    for number in 0..count {
        if number % 5 == 0 {
            task.last_scores = LastScores::default();
        }
        let batch = look(&mut actor, objective, number, &mut task, &mut policy);
        seen.gradient.add(&world.estimate(&batch));
        let statistics = batch.statistics;
        let weight = statistics.memory_weight.get().expect("a scored memory");
        seen.weight.add(&[weight]);
        seen.earned
            .add(&[statistics.expected_return.get().unwrap_or_default()]);
        seen.most_scored = seen.most_scored.max(statistics.scored);
        seen.largest_weight = seen.largest_weight.max(weight);
    }
    seen
}

fn mapo(inside: Inside, outside: Outside, alpha: f64) -> Objective {
    Objective::Mapo(Mapo {
        inside,
        outside,
        alpha,
        ..Mapo::default()
    })
}

#[test]
fn a_part_of_the_memory_gives_its_weight_and_the_gradient_without_bias() {
    let (world, memory) = world();
    let (exact, p) = (world.gradient(), world.weight(&memory));
    let expected: f64 = world
        .programs
        .iter()
        .map(|program| program.probability * program.reward)
        .sum();
    for inside in [Inside::Sampled(1), Inside::Sampled(3), Inside::Top(2)] {
        for outside in [Outside::Rejection, Outside::Exact] {
            let objective = mapo(inside, outside, 0.0);
            let seen = see(&world, &objective, &memory, PART, 40_000);
            // Draws from π⁻ must avoid all of the memory, so it is scored whole.
            let is_whole = outside == Outside::Exact && inside != Inside::Top(2);
            assert_eq!(seen.most_scored, if is_whole { 16 } else { 4 }, "{objective:?}");
            let off = [
                seen.weight.deviation(&[p]),
                seen.earned.deviation(&[expected]),
                seen.gradient.deviation(&exact),
            ];
            println!(
                "{inside:?} {outside:?}: π(B) = {p:.3}, at most {:.3}; standard errors off {off:.1?}",
                seen.largest_weight
            );
            assert!(off[0] < ERRORS && off[1] < ERRORS, "{off:?}: {objective:?}");
            // No estimate was above 1, where it would have been cut.
            assert!(
                seen.largest_weight <= 1.0 && off[2] < ERRORS,
                "{off:?}: {objective:?}"
            );
        }
    }
}

#[test]
fn what_is_not_linear_in_the_weight_keeps_a_bias_that_a_larger_sample_lessens() {
    let (world, memory) = world();
    let p = world.weight(&memory);
    let share = |place: usize| f64::from(u8::from(memory.contains(&place)));
    // Rewards are graded here, so it is R(a)·π(a) that is made likely.
    let earned = |place: usize| world.programs[place].probability * world.programs[place].reward;
    let all: f64 = memory.iter().map(|&place| earned(place)).sum();
    let mml = world.sum(|place, _| share(place) * earned(place) / all);
    let mut biases = Vec::new();
    for (best, sample) in [(0, 2), (2, 4), (6, 8)] {
        let scoring = MemoryScoring {
            whole: 5,
            best,
            sample,
        };
        let seen = see(
            &world,
            &Objective::Mml(Mml {
                draws: Some(1),
                ..Mml::default()
            }),
            &memory,
            scoring,
            60_000,
        );
        assert!(seen.weight.deviation(&[p]) < ERRORS, "the weight itself has none");
        biases.push(common::world::distance(&seen.gradient.mean(), &mml));
    }
    println!("bias of MML: {biases:.4?}");
    assert!(biases[0] > 2.0 * biases[2], "{biases:?}");

    // max(π(B), α) with α = π(B) leaves the exact weight as it is, but an estimate below counts as α, one
    // above as it is.
    let alpha = p;
    let seen = see(
        &world,
        &mapo(Inside::Sampled(1), Outside::Rejection, alpha),
        &memory,
        PART,
        60_000,
    );
    let exact = world.gradient();
    let bias = common::world::distance(&seen.gradient.mean(), &exact);
    let size = common::world::dot(&exact, &exact).sqrt();
    let off = seen.gradient.deviation(&exact);
    println!("bias of clipping at α: {bias:.4}, {off:.1} standard errors, the gradient being {size:.4}");
    assert!(
        off > 1.5 * ERRORS && bias < 0.5 * size,
        "{bias}, {off} standard errors"
    );
}

#[test]
fn the_most_probable_program_is_found_and_kept() {
    let (world, memory) = world();
    let best = memory
        .iter()
        .copied()
        .max_by(|&one, &other| {
            // Rewards are graded here.
            let earned = |place: usize| world.programs[place].probability * world.programs[place].reward;
            earned(one).total_cmp(&earned(other))
        })
        .expect("a memory");
    let objective = Objective::HardEm(HardEm::default());
    let actor = Actor::new(objective.clone(), NewPrograms::OFF, 2).expect("usable settings");
    let mut actor = actor.with_scoring(PART).expect("usable settings");
    let (mut policy, mut task) = (world.policy.clone(), world.task(&memory));
    let mut finds = |numbers: std::ops::Range<u64>| {
        let found = numbers.map(|number| {
            let batch = look(&mut actor, &objective, number, &mut task, &mut policy);
            batch.trajectories[0].steps.actions() == world.programs[best].steps.actions()
        });
        found.collect::<Vec<bool>>()
    };
    let early = finds(0..40);
    assert!(early.contains(&false), "nothing is known at first");
    assert!(finds(40..80).iter().all(|&is_found| is_found));
}

#[test]
fn nothing_to_sample_is_no_setting() {
    let actor = Actor::new(Objective::default(), NewPrograms::OFF, 1).expect("usable settings");
    let scoring = MemoryScoring { sample: 0, ..PART };
    let wrong = actor.with_scoring(scoring).expect_err("nothing would be drawn");
    assert_eq!(wrong.to_string(), "`sample` must be at least 1");
}
