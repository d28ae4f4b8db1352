//! What training runs, against the reference.

use super::sample;
use super::*;
use crate::batch::WeightedProgram;
use crate::random::Stream;
use crate::run::Runner;

fn terms(dropout: Option<Dropout>, entropy: f32) -> LossTerms {
    LossTerms {
        divisor: 3.0,
        entropy,
        dropout,
    }
}

fn batch_data(
    config: &crate::Config,
    seed: u64,
    programs: usize,
) -> (Vec<Example>, Vec<(usize, f32, Program)>) {
    let mut random = Stream::new(seed, 1);
    let examples: Vec<Example> = (0..4).map(|_| sample::example(config, &mut random)).collect();
    let programs = (0..programs)
        .map(|i| {
            let e = i % 3; // the last example has no program
            (
                e,
                random.uniform() * 2.0 - 0.5,
                sample::program(config, &examples[e], &mut random),
            )
        })
        .collect();
    (examples, programs)
}

/// Every parameter's gradient against central differences of the f64 reference.
fn check_gradient(layers: usize, dropout: Option<Dropout>, entropy: f32, threads: usize, seed: u64) {
    let config = crate::Config {
        layers,
        ..sample::config()
    };
    check_gradient_of(config, dropout, entropy, threads, seed);
}

fn check_gradient_of(
    config: crate::Config,
    dropout: Option<Dropout>,
    entropy: f32,
    threads: usize,
    seed: u64,
) {
    let network = sample::network(config.clone(), seed);
    let (examples, programs) = batch_data(&config, seed, 8);
    let examples: Vec<&Example> = examples.iter().collect();
    let weighted: Vec<WeightedProgram<'_>> = programs
        .iter()
        .map(|(example, weight, steps)| WeightedProgram {
            example: *example,
            weight: *weight,
            steps,
        })
        .collect();
    let batch = Batch {
        examples: &examples,
        weighted: &weighted,
    };
    let terms = terms(dropout, entropy);
    let mut gradient = vec![7.0; network.values().len()];
    let mut runner = Runner::new(threads).unwrap();
    let outcome = runner.train(&network, &batch, &terms, &mut gradient).unwrap();
    let mut reference = Reference::new(&network);
    let (loss, scores) = reference.loss(&batch, &terms);
    assert!(
        (loss - outcome.loss).abs() < 1e-5 * loss.abs().max(1.0),
        "{loss} {}",
        outcome.loss
    );
    for (score, ours) in scores.iter().zip(&outcome.log_probabilities) {
        assert!((score - f64::from(*ours)).abs() < 1e-4);
    }
    let h = 1e-5;
    for entry in &network.layout().entries {
        let mut largest: f64 = 0.0;
        let mut numeric = Vec::new();
        for p in entry.range() {
            reference.nudge(p, h);
            let up = reference.loss(&batch, &terms).0;
            reference.nudge(p, -2.0 * h);
            let down = reference.loss(&batch, &terms).0;
            reference.nudge(p, h);
            numeric.push((up - down) / (2.0 * h));
            largest = largest.max((up - down).abs() / (2.0 * h));
        }
        for (p, n) in entry.range().zip(numeric) {
            let ours = f64::from(gradient[p]);
            // Relative to the number itself; near-zero ones to a hundredth of the entry's largest.
            let scale = n.abs().max(0.01 * largest).max(1e-6);
            assert!(
                (ours - n).abs() < 1e-3 * scale,
                "{} [{}]: {ours} instead of {n}",
                entry.name,
                p - entry.offset
            );
        }
    }
}

#[test]
fn gradients_equal_central_differences() {
    check_gradient(2, None, 0.0, 1, 11);
}

#[test]
fn gradients_equal_central_differences_with_dropout_and_entropy() {
    check_gradient(
        2,
        Some(Dropout {
            rate: 0.3,
            seed: 4,
            after_skip: false,
        }),
        0.3,
        2,
        12,
    );
    check_gradient(
        2,
        Some(Dropout {
            rate: 0.5,
            seed: 5,
            after_skip: false,
        }),
        -0.3,
        3,
        13,
    );
}

#[test]
fn gradients_equal_central_differences_with_dropout_after_the_residual_connections() {
    for (layers, seed) in [(2, 4), (3, 5)] {
        let dropout = Dropout {
            rate: 0.4,
            seed,
            after_skip: true,
        };
        check_gradient(layers, Some(dropout), 0.2, 2, 16 + seed);
    }
}

#[test]
fn gradients_equal_central_differences_for_other_depths() {
    check_gradient(1, None, 0.1, 1, 14);
    check_gradient(
        3,
        Some(Dropout {
            rate: 0.2,
            seed: 6,
            after_skip: false,
        }),
        0.0,
        2,
        15,
    );
}

#[test]
fn gradients_equal_central_differences_whatever_is_switched_on() {
    for (seed, config) in (40..).zip(sample::switched()) {
        check_gradient_of(config, None, 0.1, 2, seed);
    }
    let dropout = Some(Dropout {
        rate: 0.3,
        seed: 7,
        after_skip: false,
    });
    check_gradient_of(sample::linked(), dropout, -0.2, 3, 51);
}

/// The paper's network and the one with everything switched on must both do.
fn with_batch(seed: u64, run: impl Fn(&crate::Network, &Batch<'_>)) {
    with_batch_of(sample::config(), seed, &run);
    with_batch_of(sample::linked(), seed, &run);
}

/// Runs a test on a batch of random programs, some of them prefixes of each other.
fn with_batch_of(config: crate::Config, seed: u64, run: &impl Fn(&crate::Network, &Batch<'_>)) {
    let network = sample::network(config.clone(), seed);
    let (examples, mut programs) = batch_data(&config, seed, 12);
    programs.extend_from_within(..3);
    let examples: Vec<&Example> = examples.iter().collect();
    let weighted: Vec<WeightedProgram<'_>> = programs
        .iter()
        .map(|(example, weight, steps)| WeightedProgram {
            example: *example,
            weight: *weight,
            steps,
        })
        .collect();
    run(
        &network,
        &Batch {
            examples: &examples,
            weighted: &weighted,
        },
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
    #[test]
    fn programs_are_as_likely_together_as_alone(seed in 0u64..1_000_000) {
        check_scores(seed);
    }
}

fn check_scores(seed: u64) {
    with_batch(seed, |network, batch| {
        let terms = terms(None, 0.0);
        let mut gradient = vec![0.0; network.values().len()];
        let mut runner = Runner::new(2).unwrap();
        let mut score = |batch: &Batch<'_>| {
            let outcome = runner.train(network, batch, &terms, &mut gradient).unwrap();
            outcome.log_probabilities
        };
        let together = score(batch);
        let (_, reference) = Reference::new(network).loss(batch, &terms);
        for (i, &together) in together.iter().enumerate() {
            assert!((f64::from(together) - reference[i]).abs() < 1e-4);
            let weighted = batch.weighted[i];
            let alone = score(&Batch {
                examples: &[batch.examples[weighted.example]],
                weighted: &[WeightedProgram {
                    example: 0,
                    ..weighted
                }],
            });
            assert!((alone[0] - together).abs() < 1e-5);
        }
    });
}

#[test]
fn packed_batches_have_the_gradient_of_their_parts() {
    with_batch(22, |network, batch| {
        let terms = terms(None, 0.2);
        let mut together = vec![0.0; network.values().len()];
        let mut runner = Runner::new(2).unwrap();
        let outcome = runner.train(network, batch, &terms, &mut together).unwrap();
        let mut sum = vec![0.0f64; together.len()];
        let mut loss = 0.0;
        let mut part = vec![0.0; together.len()];
        for weighted in batch.weighted {
            let alone = Batch {
                examples: &[batch.examples[weighted.example]],
                weighted: &[WeightedProgram {
                    example: 0,
                    ..*weighted
                }],
            };
            loss += runner.train(network, &alone, &terms, &mut part).unwrap().loss;
            sum.iter_mut().zip(&part).for_each(|(s, &g)| *s += f64::from(g));
        }
        assert!((loss - outcome.loss).abs() < 1e-5);
        for (s, &g) in sum.iter().zip(&together) {
            assert!((s - f64::from(g)).abs() < 1e-5 * s.abs().max(1.0));
        }
    });
}

#[test]
fn runs_are_bit_identical_and_masks_do_not_depend_on_threads() {
    with_batch(24, |network, batch| {
        let terms = terms(
            Some(Dropout {
                rate: 0.3,
                seed: 9,
                after_skip: false,
            }),
            0.1,
        );
        let run = |threads: usize| {
            let mut gradient = vec![0.0; network.values().len()];
            let mut runner = Runner::new(threads).unwrap();
            runner.train(network, batch, &terms, &mut gradient).unwrap();
            let again = runner.train(network, batch, &terms, &mut gradient).unwrap();
            (again.loss, gradient)
        };
        assert_eq!(run(2), run(2));
        let (one, three) = (run(1), run(3));
        assert!((one.0 - three.0).abs() < 1e-6);
        assert!(
            one.1
                .iter()
                .zip(&three.1)
                .all(|(a, b)| (a - b).abs() < 1e-5 * a.abs().max(1.0))
        );
    });
}
