//! The crate as its users see it: a small network learns a small language, survives a checkpoint, and is then
//! sampled step by step.

use mapo_programmer::{
    Adam, AdamOptions, Average, Batch, Checkpoint, Config, Dropout, Example, LossTerms, Network, NextToken,
    Precision, Program, Runner, Stepper, Vectors, WeightedProgram, Words,
};
use std::sync::Arc;

const OPEN: u32 = 0;
const END: u32 = 1;
const COLUMNS: u32 = 2;
const WORDS: usize = 6;

/// Word vectors that differ in one place each.
fn words() -> Arc<Words> {
    let numbers = (0..WORDS * WORDS)
        .map(|i| if i % (WORDS + 1) == 0 { 1.0 } else { 0.0 })
        .collect();
    let vectors = Vectors {
        dimensions: WORDS,
        words: (0..WORDS).map(|i| format!("w{i}")).collect(),
        numbers,
        source: None,
    };
    Arc::new(Words::new(&["<unk>".into()], &vectors, Precision::Byte).expect("distinct words"))
}

/// A question that mentions one of three columns, and the program that names it: `open column v0 end`, where
/// v0 stands for the opening.
fn example(i: usize) -> (Example, Program) {
    let names = [
        1 + (i % WORDS) as u32,
        1 + ((i + 1 + i / 7) % WORDS) as u32,
        1 + ((i + 3) % WORDS) as u32,
    ];
    let wanted = i / 2 % 3;
    let mut example = Example {
        tokens: vec![0, names[wanted], 0],
        token_features: vec![0.0, 1.0, 0.0],
        ..Example::default()
    };
    for name in names {
        example.columns.push(&[name], 0, &[0.0], &[]);
    }
    let columns: Vec<u32> = (0..3).map(|c| COLUMNS + c).collect();
    let mut steps = Program::default();
    steps.push(OPEN, &[OPEN, END], true);
    steps.push(COLUMNS + wanted as u32, &columns, false);
    steps.push(COLUMNS + 3, &[COLUMNS + 3, END], false);
    steps.push(END, &[OPEN, END], false);
    (example, steps)
}

#[test]
fn a_small_language_is_learnt() {
    let config = Config {
        hidden: 24,
        attention: 16,
        vector: WORDS,
        ..Config::paper(2)
    };
    let mut network = Network::new(config, words(), 3).unwrap();
    let mut runner = Runner::new(2).unwrap();
    let mut adam = Adam::new(
        &network,
        AdamOptions {
            learning_rate: 5e-3,
            ..AdamOptions::default()
        },
    );
    let mut average = Average::new(&network, 0.95);
    let data: Vec<(Example, Program)> = (0..42)
        .map(example)
        .filter(|(e, _)| (0..3).all(|c| (0..c).all(|d| e.columns.words(c) != e.columns.words(d))))
        .collect();
    let examples: Vec<&Example> = data.iter().map(|(e, _)| e).collect();
    let weighted: Vec<WeightedProgram<'_>> = data
        .iter()
        .enumerate()
        .map(|(example, (_, steps))| WeightedProgram {
            example,
            weight: 1.0,
            steps,
        })
        .collect();
    let batch = Batch {
        examples: &examples,
        weighted: &weighted,
    };
    let mut gradient = vec![0.0; network.values().len()];
    let mut losses = Vec::new();
    for seed in 0..150 {
        let terms = LossTerms {
            divisor: examples.len() as f32,
            entropy: 0.0,
            dropout: Some(Dropout {
                rate: 0.1,
                seed,
                after_skip: false,
            }),
        };
        losses.push(
            runner
                .train(&network, &batch, &terms, &mut gradient)
                .unwrap()
                .loss,
        );
        adam.step(&runner, &mut network, &gradient).unwrap();
        average.update(&network);
    }
    assert!(losses[149] < 0.1 * losses[0], "{} {}", losses[0], losses[149]);
    network.update(|values| values.copy_from_slice(average.values()));

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.safetensors");
    let before = network.values().to_vec();
    Checkpoint::model(network, serde_json::json!({ "builtins": ["(", "<END>"] }))
        .save(&path)
        .unwrap();
    let network = Checkpoint::load(&path, false).unwrap().network;
    assert_eq!(network.values(), before);

    // Greedy decoding, all examples together.
    let mut stepper = Stepper::new();
    let all: Vec<u32> = (0..examples.len() as u32).collect();
    stepper.read(&network, &examples).unwrap();
    stepper.start(&network, &all).unwrap();
    let mut right = vec![true; examples.len()];
    let mut out = Vec::new();
    for step in 0..4 {
        let mut moves = Vec::new();
        for (row, (_, steps)) in data.iter().enumerate() {
            let valid = steps.valid(step);
            stepper.log_probabilities(row, valid, &mut out).unwrap();
            let best = (0..out.len()).max_by(|&a, &b| out[a].total_cmp(&out[b])).unwrap();
            right[row] &= valid[best] == steps.chosen(step);
            moves.push(NextToken {
                row: row as u32,
                slot: steps.chosen(step),
                defines: steps.defines(step),
            });
        }
        stepper.advance(&network, &moves).unwrap();
    }
    assert!(right.iter().all(|&r| r), "{right:?}");
}

#[test]
fn an_inference_network_is_not_trained() {
    let config = Config {
        hidden: 8,
        attention: 8,
        vector: WORDS,
        ..Config::paper(2)
    };
    let trained = Network::new(config.clone(), words(), 3).unwrap();
    let network = Network::with_values(config, words(), trained.values().to_vec(), false).unwrap();
    let (example, steps) = example(0);
    let examples = [&example];
    let weighted = [WeightedProgram {
        example: 0,
        weight: 1.0,
        steps: &steps,
    }];
    let batch = Batch {
        examples: &examples,
        weighted: &weighted,
    };
    let terms = LossTerms {
        divisor: 1.0,
        entropy: 0.0,
        dropout: None,
    };
    let mut gradient = vec![0.0; network.values().len()];
    let refused = Runner::new(1)
        .unwrap()
        .train(&network, &batch, &terms, &mut gradient);
    assert!(refused.unwrap_err().to_string().contains("inference only"));
}
