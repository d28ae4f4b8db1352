//! Estimates of gradients against the gradients themselves, on an environment small enough to enumerate.
//!
//! All seeds are fixed, so nothing here fails by chance: the margins are only there to say what is meant. The
//! figures are shown by `cargo test -p mapo-core --test estimators -- --nocapture`.

mod common;

use common::Tree;
use common::world::{Program, World, distance, dot};
use mapo_core::{
    Action, Allocation, AlphaDecay, Augmented, Baseline, Estimator, HardEm, Iml, Inside, Mapo, Mml,
    Objective, Outside, Reinforce, Sample, Visit,
};

/// Standard errors that a mean may be off. With some thousand coordinates in all the largest is about 4.
const ERRORS: f64 = 5.0;

fn fork(subtrees: Vec<Tree>) -> Tree {
    Tree::Fork((0..).map(Action).zip(subtrees).collect())
}

fn leaves(rewards: &[f32]) -> Tree {
    fork(rewards.iter().map(|&reward| Tree::Program(reward)).collect())
}

/// Twelve programs of one to three actions.
fn tree(rewards: [f32; 12]) -> Tree {
    fork(vec![
        leaves(&rewards[0..3]),
        fork(vec![leaves(&rewards[3..5]), leaves(&rewards[5..8])]),
        leaves(&rewards[8..11]),
        Tree::Program(rewards[11]),
    ])
}

/// Rewards of all kinds, and a memory that does not know them all.
fn incomplete() -> (World, Vec<usize>) {
    let rewards = [1.0, 0.0, 0.5, 0.0, 1.0, 0.25, 0.0, 0.0, 1.0, 0.0, 0.0, 0.75];
    (World::new(tree(rewards), 1.5, 11), vec![4, 0, 8, 5])
}

/// Rewards of 0 and 1, and a memory with all that are rewarded: the conditions of the paper's appendix.
fn complete() -> (World, Vec<usize>, Vec<usize>) {
    let rewards = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let inside = vec![0, 4, 6, 8];
    let outside = (0..12).filter(|place| !inside.contains(place)).collect();
    (World::new(tree(rewards), 1.5, 2), inside, outside)
}

fn unclipped() -> Mapo {
    Mapo {
        alpha: 0.0,
        ..Mapo::default()
    }
}

#[test]
fn mapo_without_clipping_has_no_bias() {
    let (mut world, memory) = incomplete();
    let exact = world.gradient();
    let p = world.weight(&memory);
    assert!((0.2..0.8).contains(&p), "both strata count: {p}");
    let (mut largest, mut combinations) = (0.0_f64, 0);
    for inside in [
        Inside::Sampled(1),
        Inside::Sampled(3),
        Inside::Enumerated,
        Inside::Top(2),
    ] {
        for outside in [Outside::Rejection, Outside::Exact] {
            for baseline in [Baseline::None, Baseline::MemoryWeight, Baseline::Constant(0.4)] {
                for outside_draws in [1, 2] {
                    let mapo = Mapo {
                        inside,
                        outside,
                        baseline,
                        outside_draws,
                        ..unclipped()
                    };
                    let estimates = world.estimates(&Objective::Mapo(mapo.clone()), &memory, 15_000);
                    let deviation = estimates.deviation(&exact);
                    assert!(deviation < ERRORS, "{deviation} standard errors: {mapo:?}");
                    largest = largest.max(deviation);
                    combinations += 1;
                }
            }
        }
    }
    println!(
        "without bias: {combinations} estimators, π(B) = {p:.3}; the largest deviation of any coordinate is \
         {largest:.1} standard errors"
    );
}

#[test]
fn with_an_empty_memory_mapo_is_reinforce() {
    let (mut world, _) = incomplete();
    let exact = world.gradient();
    for outside in [Outside::Rejection, Outside::Exact, Outside::Paper] {
        let mapo = Objective::Mapo(Mapo {
            outside,
            ..Mapo::default()
        });
        let deviation = world.estimates(&mapo, &[], 20_000).deviation(&exact);
        assert!(deviation < ERRORS, "{deviation} standard errors, {outside:?}");
    }
    for baseline in [0.0, 0.4] {
        let reinforce = Objective::Reinforce(Reinforce { draws: 2, baseline });
        let deviation = world.estimates(&reinforce, &[], 20_000).deviation(&exact);
        assert!(deviation < ERRORS, "{deviation} standard errors");
    }
}

/// π(B)ᶜ·E₊ + x·E₋.
fn strata(world: &World, memory: &[usize], w: f64, x: f64) -> Vec<f64> {
    let p = world.weight(memory);
    world.sum(|place, program| {
        let share = if memory.contains(&place) {
            w / p
        } else {
            x / (1.0 - p)
        };
        share * program.probability * program.reward
    })
}

#[test]
fn algorithm_2_counts_the_outside_too_little() {
    let (mut world, memory) = incomplete();
    let p = world.weight(&memory);
    for alpha in [0.0, 0.9] {
        let w = p.max(alpha);
        let mapo = |outside| {
            Objective::Mapo(Mapo {
                alpha,
                outside,
                ..Mapo::default()
            })
        };
        let biased = world.estimates(&mapo(Outside::Paper), &memory, 60_000);
        let expected = strata(&world, &memory, w, (1.0 - p) * (1.0 - w));
        let deviation = biased.deviation(&expected);
        assert!(deviation < ERRORS, "{deviation} standard errors");
        let right = strata(&world, &memory, w, 1.0 - w);
        let apart = biased.deviation(&right);
        assert!(apart > 2.0 * ERRORS, "the difference can be seen");
        println!(
            "Algorithm 2, α = {alpha}: {deviation:.1} standard errors from (1 − P)(1 − w)·E₋, {apart:.1} from \
             (1 − w)·E₋"
        );
        for outside in [Outside::Rejection, Outside::Exact] {
            let deviation = world.estimates(&mapo(outside), &memory, 20_000).deviation(&right);
            assert!(deviation < ERRORS, "{deviation} standard errors, {outside:?}");
        }
    }
}

/// What an estimator gives on average, without drawing anything: the inside is enumerated, and the one draw
/// outside goes through all programs.
fn expectation(world: &World, mapo: &Mapo, memory: &[usize]) -> Vec<f64> {
    let sample = |place: usize| {
        let program = &world.programs[place];
        Sample {
            steps: program.steps.clone(),
            reward: program.reward as f32,
            log_probability: Some(program.probability.ln()),
            is_in_memory: memory.contains(&place),
            prior: None,
        }
    };
    let mut sum = Vec::new();
    for (place, program) in world.programs.iter().enumerate() {
        let visit = Visit {
            memory: memory.len(),
            memory_weight: Some(world.weight(memory)),
            inside: memory.iter().map(|&place| sample(place)).collect(),
            outside: vec![sample(place)],
            ..Visit::default()
        };
        mapo.weigh(0, &visit, &mut |sample, weight| {
            common::world::add(&mut sum, program.probability * weight, world.slope(&sample.steps));
        });
    }
    sum
}

#[test]
fn the_bias_of_clipping_is_gone_once_the_memory_weighs_enough() {
    let alpha = 0.3;
    let mapo = Mapo {
        alpha,
        inside: Inside::Enumerated,
        ..Mapo::default()
    };
    let (world, memory) = incomplete();
    let mut biases = Vec::new();
    // The more its logits are raised along the programs in memory, the more the memory weighs.
    for raised in -16..=8 {
        let mut policy = world.policy.clone();
        for &place in &memory {
            let actions = world.programs[place].steps.actions();
            let (&last, before) = actions.split_last().unwrap();
            policy.set(common::world::CONTEXT, before, last, 0.5 * f64::from(raised));
        }
        let world = World::with_policy(world.tree.clone(), policy);
        let p = world.weight(&memory);
        let bias = distance(&expectation(&world, &mapo, &memory), &world.gradient());
        // Clipping moves weight of α − π(B) from outside to inside.
        let moved = (alpha - p).max(0.0);
        let expected = strata(&world, &memory, moved, -moved);
        assert!((bias - dot(&expected, &expected).sqrt()).abs() < 1e-9);
        assert_eq!(bias < 1e-12, p >= alpha, "{bias} with π(B) = {p}");
        println!("clipping at {alpha}: π(B) = {p:.4}, bias {bias:.6}");
        biases.push((p, bias));
    }
    assert!(
        biases[0].0 < 0.01 && biases[biases.len() - 1].0 > 0.6,
        "{biases:?}"
    );
    let clipped: Vec<f64> = biases
        .iter()
        .filter_map(|&(p, bias)| (p < alpha).then_some(bias))
        .collect();
    assert!(clipped.is_sorted_by(|one, other| one > other), "{clipped:?}");
}

#[test]
fn variances_are_those_of_the_appendix() {
    let (mut world, inside, outside) = complete();
    let p = world.weight(&inside);
    let (plus, minus) = (world.variance(&inside), world.variance(&outside));
    let count = 60_000;
    println!("π(B) = {p:.3}, σ₊² = {plus:.4}, σ₋² = {minus:.4}");
    let near = |measured: f64, formula: f64| {
        println!("variance {measured:.5} measured, {formula:.5} by the formula");
        assert!(
            (measured / formula - 1.0).abs() < 0.04,
            "{measured} instead of {formula}"
        );
    };
    let mut measure = |mapo: Mapo| world.estimates(&Objective::Mapo(mapo), &inside, count).variance();

    // Without a baseline: π(B)²σ₊².
    let without = measure(unclipped());
    near(without, p * p * plus);
    near(
        measure(Mapo {
            inside: Inside::Sampled(4),
            ..unclipped()
        }),
        p * p * plus / 4.0,
    );
    // With b = π(B) and conditional draws: π(B)²(1 − π(B))²(σ₊² + σ₋²).
    let with_baseline = Mapo {
        outside: Outside::Exact,
        baseline: Baseline::MemoryWeight,
        ..unclipped()
    };
    let with = measure(with_baseline.clone());
    let factor = (p * (1.0 - p)).powi(2);
    near(with, factor * (plus + minus));
    // Rejection wastes draws, so it varies more.
    let rejecting = measure(Mapo {
        outside: Outside::Rejection,
        ..with_baseline.clone()
    });
    println!("variance {rejecting:.5} measured, with the baseline by rejection");
    assert!(rejecting > with, "{rejecting} against {with}");
    // Enumeration leaves nothing to vary, as nothing outside is rewarded.
    let enumerated = measure(Mapo {
        inside: Inside::Enumerated,
        ..unclipped()
    });
    assert!(enumerated < 1e-12, "{enumerated}");

    // One draw from the policy varies more than any of them, with the same baseline or without.
    let gradient = world.gradient();
    for (baseline, mapo) in [(0.0, without), (p, with)] {
        let square: f64 = world
            .programs
            .iter()
            .map(|program| {
                program.probability
                    * (program.reward - baseline).powi(2)
                    * dot(&program.slope, &program.slope)
            })
            .sum();
        let formula = square - dot(&gradient, &gradient);
        let reinforce = Objective::Reinforce(Reinforce { draws: 1, baseline });
        let measured = world.estimates(&reinforce, &inside, count).variance();
        near(measured, formula);
        assert!(mapo < measured, "{mapo} against {measured}");
    }
}

#[test]
fn a_baseline_pays_once_the_memory_weighs_enough() {
    let (world, inside, outside) = complete();
    for (raised, pays) in [(-1.0, false), (5.0, true)] {
        let mut policy = world.policy.clone();
        for action in 0..3 {
            // All of the first branches but the last, which is never rewarded.
            policy.set(common::world::CONTEXT, &[], Action(action), raised);
        }
        for &place in &inside {
            let (&last, before) = world.programs[place].steps.actions().split_last().unwrap();
            policy.set(common::world::CONTEXT, before, last, raised);
        }
        policy.set(common::world::CONTEXT, &[], Action(3), 0.0);
        let mut world = World::with_policy(world.tree.clone(), policy);
        let p = world.weight(&inside);
        let (plus, minus) = (world.variance(&inside), world.variance(&outside));
        let mut measure = |outside, baseline| {
            let mapo = Mapo {
                outside,
                baseline,
                ..unclipped()
            };
            world
                .estimates(&Objective::Mapo(mapo), &inside, 60_000)
                .variance()
        };
        let without = measure(Outside::Rejection, Baseline::None);
        let with = measure(Outside::Exact, Baseline::MemoryWeight);
        let formula = (1.0 + minus / plus) * (1.0 - p).powi(2);
        println!(
            "π(B) = {p:.3}: the variance with a baseline is {:.4} of that without, {formula:.4} by the formula",
            with / without
        );
        assert!((with / without / formula - 1.0).abs() < 0.05);
        assert_eq!(with < without, pays);
    }
}

#[test]
fn draws_are_allocated_as_the_appendix_says() {
    let (mut world, inside, outside) = complete();
    let p = world.weight(&inside);
    let (plus, minus) = (world.variance(&inside), world.variance(&outside));
    assert!(
        (0.6..1.6).contains(&(plus / minus)),
        "σ₊ ≈ σ₋: {plus} and {minus}"
    );
    let total = 6;
    let mut variances = Vec::new();
    for n_b in 1..total {
        let n_o = total - n_b;
        let mapo = Mapo {
            inside: Inside::Sampled(n_b),
            outside: Outside::Exact,
            outside_draws: n_o,
            baseline: Baseline::MemoryWeight,
            ..unclipped()
        };
        let measured = world
            .estimates(&Objective::Mapo(mapo), &inside, 40_000)
            .variance();
        let formula = (p * (1.0 - p)).powi(2) * (plus / n_b as f64 + minus / n_o as f64);
        assert!(
            (measured / formula - 1.0).abs() < 0.04,
            "{measured} instead of {formula}"
        );
        println!(
            "{n_b} draws inside, {n_o} outside: variance {measured:.6} measured, {formula:.6} by the formula"
        );
        variances.push(measured);
    }
    let least = variances.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(least, variances[2], "half inside and half outside: {variances:?}");

    // The setting does it, whatever the split that it is given.
    let allocated = |baseline, memory: usize| {
        let mapo = Mapo {
            inside: Inside::Sampled(5),
            outside_draws: 1,
            allocation: Allocation::Appendix,
            baseline,
            ..unclipped()
        };
        let needs = mapo.needs(memory);
        format!("{:?} {:?}", needs.memory, needs.policy)
    };
    assert_eq!(allocated(Baseline::None, 4), "Draws(6) Draws(0)");
    assert_eq!(allocated(Baseline::MemoryWeight, 4), "Draws(3) Draws(3)");
    assert_eq!(allocated(Baseline::MemoryWeight, 0), "Draws(0) Draws(6)");
    let without = Mapo {
        inside: Inside::Sampled(3),
        outside_draws: 3,
        allocation: Allocation::Appendix,
        ..unclipped()
    };
    let measured = world
        .estimates(&Objective::Mapo(without), &inside, 40_000)
        .variance();
    let formula = p * p * plus / total as f64;
    assert!(
        (measured / formula - 1.0).abs() < 0.04,
        "{measured} instead of {formula}"
    );
}

#[test]
fn baselines_of_the_paper_give_their_own_gradients() {
    let (mut world, memory) = incomplete();
    let inside = |place: usize| f64::from(u8::from(memory.contains(&place)));
    let rewards: Vec<f64> = memory.iter().map(|&place| world.programs[place].reward).collect();
    let highest = rewards.iter().copied().fold(0.0, f64::max);
    assert!(
        rewards.iter().any(|&reward| reward < highest),
        "rewards are graded"
    );

    // ∇ log Σ R(a)·π(a) = Σ R(a)·π(a)/(Σ R·π)·∇log π(a)
    let earned = |program: &Program| program.probability * program.reward;
    let all: f64 = memory.iter().map(|&place| earned(&world.programs[place])).sum();
    let mml = world.sum(|place, program| inside(place) * earned(program) / all);
    // Σ ∇log π(a) / how many, over those with the highest reward
    let highest_only = |program: &Program| f64::from(u8::from(program.reward == highest));
    let size: f64 = memory
        .iter()
        .map(|&place| highest_only(&world.programs[place]))
        .sum();
    let iml = world.sum(|place, program| inside(place) * highest_only(program) / size);
    let best = *memory
        .iter()
        .max_by(|&&one, &&other| earned(&world.programs[one]).total_cmp(&earned(&world.programs[other])))
        .unwrap();
    let lambda = 0.3;
    let total: f64 = rewards.iter().sum();
    let augmented = world.sum(|place, program| {
        lambda * earned(program) + (1.0 - lambda) * inside(place) * program.reward / total
    });
    let hard_em = world.programs[best].slope.clone();
    for (objective, expected) in [
        (
            Objective::Mml(Mml {
                draws: None,
                ..Mml::default()
            }),
            &mml,
        ),
        (
            Objective::Mml(Mml {
                draws: Some(2),
                ..Mml::default()
            }),
            &mml,
        ),
        // What is added to the shares is far below what can be measured.
        (
            Objective::Mml(Mml {
                draws: Some(2),
                smoothed: true,
            }),
            &mml,
        ),
        (Objective::Iml(Iml { draws: None }), &iml),
        (Objective::Iml(Iml { draws: Some(2) }), &iml),
        (Objective::HardEm(HardEm::default()), &hard_em),
        (Objective::Augmented(Augmented { lambda, draws: 2 }), &augmented),
    ] {
        let deviation = world.estimates(&objective, &memory, 20_000).deviation(expected);
        assert!(deviation < ERRORS, "{deviation} standard errors: {objective:?}");
        // Without a memory there is nothing to be likely.
        let empty = world.estimates(&objective, &[], 10_000);
        let expected = world.sum(|_, program| match objective {
            Objective::Augmented(_) => lambda * program.probability * program.reward,
            _ => 0.0,
        });
        let deviation = empty.deviation(&expected);
        assert!(
            deviation < ERRORS,
            "{deviation} standard errors, empty: {objective:?}"
        );
    }
}

#[test]
fn alpha_goes_down_in_a_straight_line() {
    let mapo = Mapo {
        alpha: 0.5,
        alpha_decay: Some(AlphaDecay { to: 0.1, steps: 4 }),
        ..Mapo::default()
    };
    let alphas: Vec<f64> = (0..7).map(|step| mapo.alpha_at(step)).collect();
    for (alpha, expected) in alphas.iter().zip([0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1]) {
        assert!((alpha - expected).abs() < 1e-12, "{alphas:?}");
    }
    assert_eq!(Mapo::default().alpha_at(1_000_000), 0.1);
}
