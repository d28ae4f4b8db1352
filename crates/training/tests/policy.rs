//! The network as core's policy.

use mapo_core::{Action, Env, Memory, Move, Policy, PrefixTree, score_by_level};
use mapo_datasets::toy::{SEED, Split, generate};
use mapo_datasets::{Example, Pruning, TableEnv};
use mapo_language::Assistance;
use mapo_model::inputs::encode::encode_all;
use mapo_model::inputs::vocabulary;
use mapo_model::{Input, NeuralPolicy, program};
use mapo_programmer::{Batch, LossTerms, Network, Program, Runner, WeightedProgram};
use mapo_training::{Settings, memories};
use std::sync::Arc;

fn setting() -> (Vec<Example>, Vec<Input>, Vec<Memory>, Arc<Network>) {
    let examples: Vec<Example> = generate(Split::Train, SEED, 6)
        .into_iter()
        .map(Example::from)
        .collect();
    let mut settings = Settings::toy();
    settings.network.hidden = 16;
    settings.network.attention = 16;
    settings.network.pairs = true;
    settings.network.cells = true;
    let words = vocabulary::trained(&examples, 1, 8).expect("a small setting");
    let config = settings.config(8, 27);
    let inputs = encode_all(&config, &words, &examples);
    let network = Arc::new(Network::new(config, words, 5).expect("a small setting"));
    let memories =
        memories::explore(&examples, 400, Pruning::Wide, 1, &Default::default()).expect("a small setting");
    (examples, inputs, memories, network)
}

#[test]
fn steps_agree_with_scores_and_probabilities_sum_to_one() {
    let (examples, inputs, memories, network) = setting();
    let mut policy = NeuralPolicy::new(Arc::clone(&network));
    let inputs: Vec<&Input> = inputs.iter().collect();
    policy.read(&inputs).unwrap();
    let mut envs: Vec<TableEnv> = examples
        .iter()
        .map(|example| TableEnv::new(example, Pruning::None, Assistance::All))
        .collect();
    let trees: Vec<(usize, PrefixTree)> = envs
        .iter_mut()
        .zip(&memories)
        .map(|(env, memory)| env.tree_of(memory.iter().map(|(program, _)| program)).unwrap())
        .enumerate()
        .collect();
    let references: Vec<(usize, &PrefixTree)> = trees.iter().map(|(place, tree)| (*place, tree)).collect();
    let scored: Vec<f64> = score_by_level(&mut policy, &references)
        .unwrap()
        .iter()
        .zip(&trees)
        .flat_map(|(scores, (_, tree))| scores.programs(tree))
        .collect();

    let programs: Vec<(usize, Program)> = envs
        .iter_mut()
        .zip(&memories)
        .enumerate()
        .flat_map(|(place, (env, memory))| {
            let programs = memory.iter().map(|(program, _)| env.steps_of(program).unwrap());
            programs.map(|steps| (place, program(&steps))).collect::<Vec<_>>()
        })
        .collect();
    assert!(programs.len() > 6, "{}", programs.len());
    let weighted: Vec<WeightedProgram<'_>> = programs
        .iter()
        .map(|(example, steps)| WeightedProgram {
            example: *example,
            weight: 0.0,
            steps,
        })
        .collect();
    let encoded: Vec<_> = inputs.iter().map(|input| &***input).collect();
    let batch = Batch {
        examples: &encoded,
        weighted: &weighted,
    };
    let terms = LossTerms {
        divisor: 1.0,
        entropy: 0.0,
        dropout: None,
    };
    let mut gradient = vec![0.0; network.values().len()];
    let mut runner = Runner::new(1).unwrap();
    let whole = runner.train(&network, &batch, &terms, &mut gradient).unwrap();
    for (one, other) in scored.iter().zip(&whole.log_probabilities) {
        assert!((one - f64::from(*other)).abs() < 1e-4, "{one} {other}");
    }

    // All first actions together, then all second ones after `(`, have probability one.
    let places: Vec<usize> = (0..examples.len()).rev().collect();
    policy.start(&places).unwrap();
    let mut moves = Vec::new();
    for (row, &place) in places.iter().enumerate() {
        envs[place].rewind(0);
        moves.push(Move {
            row,
            action: Action(1),
        });
        envs[place].step(Action(1));
    }
    policy.advance(&moves).unwrap();
    for (row, &place) in places.iter().enumerate() {
        let (mut valid, mut logs) = (Vec::new(), Vec::new());
        envs[place].actions(&mut valid);
        policy.log_probabilities(row, &valid, &mut logs).unwrap();
        let sum: f32 = logs.iter().map(|log| log.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }
}
