//! A network over a published encoder, here a small random one: its gradients, what is kept of frozen layers, and
//! its files.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_programmer::transformer::{Shape, Weights};
use mapo_programmer::{
    Adam, AdamOptions, Average, Batch, Checkpoint, Config, Dropout, EncoderConfig, Example, Group, LossTerms,
    Network, Pieces, Precision, Program, Published, Reading, Runner, Span, Stepper, Summary, Vectors,
    WeightedProgram, Words,
};
use std::sync::Arc;

const SHAPE: Shape = Shape {
    pieces: 12,
    positions: 24,
    segments: 2,
    width: 32,
    heads: 2,
    inner: 48,
    layers: 3,
};

fn published() -> Published {
    let names = (0..12).map(|i| match i {
        0 => "[UNK]".to_owned(),
        1 => "[CLS]".to_owned(),
        2 => "[SEP]".to_owned(),
        _ => format!("piece{i}"),
    });
    // Larger than usual, so that something depends on them.
    let weights = Weights::random(SHAPE, 4).unwrap();
    let mut values = weights.values().to_vec();
    for entry in weights.entries().iter().filter(|e| !e.name.ends_with("gain")) {
        values[entry.range()].iter_mut().for_each(|x| *x *= 10.0);
    }
    Published {
        pieces: Pieces::new(names.collect()).unwrap(),
        weights: Arc::new(Weights::new(SHAPE, values).unwrap().in_bytes()),
    }
}

fn words() -> Arc<Words> {
    let none = Vectors {
        dimensions: 4,
        ..Vectors::default()
    };
    let names = ["which", "city", "year", "seoul"].map(String::from);
    let words = Words::new(&names, &none, Precision::Half).unwrap();
    Arc::new(words.with_published(published()))
}

fn config(trained: usize) -> Config {
    Config {
        vector: 4,
        hidden: 8,
        attention: 8,
        encoder: Some(EncoderConfig {
            shape: SHAPE,
            trained,
        }),
        ..Config::paper(2)
    }
}

/// Two questions of different lengths; the second has a column that its reading leaves out.
fn examples() -> [Example; 2] {
    let mut one = Example {
        tokens: vec![0, 1, 3],
        token_features: vec![0.0, 1.0, 1.0],
        constants: vec![Span { first: 2, last: 2 }],
        reading: Reading::new(
            vec![1, 3, 4, 5, 6, 2, 7, 8, 2, 9, 2],
            vec![1..2, 2..4, 4..5],
            vec![6..8, 9..10],
        ),
        ..Example::default()
    };
    one.columns.push(&[1], 1, &[1.0], &[]);
    one.columns.push(&[2], 2, &[0.0], &[]);
    let mut two = Example {
        tokens: vec![0, 2],
        token_features: vec![0.0, 1.0],
        reading: Reading::new(vec![1, 10, 11, 2, 7, 2], vec![1..2, 2..3], vec![4..5, 0..0]),
        ..Example::default()
    };
    two.columns.push(&[2], 1, &[0.0], &[]);
    two.columns.push(&[1], 2, &[1.0], &[]);
    [one, two]
}

fn program(column: u32) -> Program {
    let mut program = Program::default();
    program.push(0, &[0, 1], false);
    program.push(column, &[2, 3], false);
    program
}

/// The loss of a batch and its gradient.
fn train(
    network: &Network,
    examples: &[Example; 2],
    threads: usize,
    dropout: Option<Dropout>,
) -> (f64, Vec<f32>) {
    let (one, two) = (program(2), program(3));
    let batch = Batch {
        examples: &[&examples[0], &examples[1]],
        weighted: &[
            WeightedProgram {
                example: 0,
                weight: 1.0,
                steps: &one,
            },
            WeightedProgram {
                example: 1,
                weight: 0.7,
                steps: &two,
            },
        ],
    };
    let terms = LossTerms {
        divisor: 1.0,
        entropy: 0.0,
        dropout,
    };
    let mut gradient = vec![f32::NAN; network.values().len()];
    let outcome = Runner::new(threads)
        .unwrap()
        .train(network, &batch, &terms, &mut gradient)
        .unwrap();
    (outcome.loss, gradient)
}

fn check_gradient(trained: usize, dropout: Option<Dropout>) {
    let mut network = Network::new(config(trained), words(), 3).unwrap();
    let (_, gradient) = train(&network, &examples(), 1, dropout);
    assert!(gradient.iter().all(|x| x.is_finite()));
    let entries = network.layout().entries.clone();
    let ours = entries.iter().filter(|entry| entry.name.starts_with("reading."));
    let mut moved = 0;
    for entry in ours {
        let largest = entry
            .range()
            .max_by(|&a, &b| gradient[a].abs().total_cmp(&gradient[b].abs()))
            .unwrap();
        let step = 1e-2;
        let mut loss_at = |by: f32| {
            network.update(|values| values[largest] += by);
            // Examples are new each time: what is kept of frozen layers is for one set of weights.
            let loss = train(&network, &examples(), 1, dropout).0;
            network.update(|values| values[largest] -= by);
            loss
        };
        let numeric = (loss_at(step) - loss_at(-step)) / (2.0 * f64::from(step));
        let exact = f64::from(gradient[largest]);
        assert!(
            (exact - numeric).abs() < 2e-4 + 0.03 * numeric.abs(),
            "{}: {exact}, by differences {numeric}",
            entry.name
        );
        moved += usize::from(exact.abs() > 1e-3);
    }
    assert!(moved > 1, "almost nothing has a gradient");
}

#[test]
fn gradients_equal_central_differences_however_much_is_trained() {
    for trained in 0..=SHAPE.layers + 1 {
        check_gradient(trained, None);
    }
    check_gradient(
        2,
        Some(Dropout {
            rate: 0.2,
            seed: 3,
            after_skip: false,
        }),
    );
}

#[test]
fn frozen_layers_have_no_parameters() {
    let numbers = |trained| {
        Network::new(config(trained), words(), 3)
            .unwrap()
            .layout()
            .encoder()
            .len()
    };
    assert_eq!(numbers(0), 0);
    assert_eq!(numbers(SHAPE.layers + 1), published().weights.values().len());
    assert_eq!(numbers(2), 2 * numbers(1));
}

#[test]
fn more_of_an_encoder_can_be_trained_later_on() {
    let network = |trained| Network::new(config(trained), words(), 3).unwrap();
    let mut before = network(1);
    let place = before.layout().encoder();
    before.update(|values| values[place].iter_mut().for_each(|value| *value *= 1.01));
    for layers in 1..=SHAPE.layers + 1 {
        let after = before.clone().with_trained_encoder(layers).unwrap();
        assert_eq!(after.values().len(), network(layers).values().len());
        // What lies below the trained layers is kept in half precision, so there are other roundings.
        let far = |other: &Network| (scores(&after)[0] - scores(other)[0]).abs();
        assert!(
            far(&before) < 2e-4,
            "{layers}: it does what it did, but for {}",
            far(&before)
        );
        assert!(far(&network(layers)) > 2e-3, "{layers}: and has not forgotten");
    }
    let fewer = network(2).with_trained_encoder(1).unwrap_err().to_string();
    assert!(
        fewer.contains("2 layers") && fewer.contains("cannot be 1"),
        "{fewer}"
    );
}

#[test]
fn the_encoder_matters_and_a_left_out_column_has_nothing_of_it() {
    let network = Network::new(config(1), words(), 3).unwrap();
    let loss = |examples: &[Example; 2]| train(&network, examples, 1, None).0;
    let mut other = examples();
    other[0].reading.pieces[7] = 5;
    assert!((loss(&examples()) - loss(&other)).abs() > 1e-6);
}

#[test]
fn what_is_kept_of_frozen_layers_is_what_they_give() {
    for trained in [0, 1, 2] {
        let network = Network::new(config(trained), words(), 3).unwrap();
        let examples = examples();
        let first = train(&network, &examples, 1, None);
        // The second time nothing is read below the trained layers.
        assert_eq!(train(&network, &examples, 1, None), first);
        let fresh = train(&network, &self::examples(), 2, None);
        assert!((first.0 - fresh.0).abs() < 1e-5);
    }
}

#[test]
fn steps_and_whole_programs_agree() {
    let network = Network::new(config(2), words(), 3).unwrap();
    let examples = examples();
    let (mut stepper, mut logs) = (Stepper::new(), Vec::new());
    stepper.read(&network, &[&examples[0], &examples[1]]).unwrap();
    stepper.start(&network, &[0, 1]).unwrap();
    let mut sum = 0.0;
    let mut next = Vec::new();
    for (row, weight) in [(0, 1.0), (1, 0.7)] {
        stepper.log_probabilities(row, &[0, 1], &mut logs).unwrap();
        sum -= weight * logs[0];
        next.push(mapo_programmer::NextToken {
            row: row as u32,
            slot: 0,
            defines: false,
        });
    }
    stepper.advance(&network, &next).unwrap();
    for (row, weight, column) in [(0, 1.0, 0), (1, 0.7, 1)] {
        stepper.log_probabilities(row, &[2, 3], &mut logs).unwrap();
        sum -= weight * logs[column];
    }
    let (loss, _) = train(&network, &examples, 1, None);
    assert!((loss - f64::from(sum)).abs() < 1e-5, "{loss} {sum}");
}

#[test]
fn trained_layers_learn_at_their_own_pace() {
    let mut network = Network::new(config(1), words(), 3).unwrap();
    let runner = Runner::new(1).unwrap();
    let mut adam = Adam::new(&network, AdamOptions::default());
    let place = network.layout().encoder();
    adam.groups.push(Group {
        parameters: place.clone(),
        rate: 0.05,
        frozen: 1,
        warm_up: 0,
    });
    let mut losses = Vec::new();
    for step in 0..40 {
        let (loss, gradient) = train(&network, &examples(), 1, None);
        losses.push(loss);
        let before = network.values()[place.clone()].to_vec();
        adam.step(&runner, &mut network, &gradient).unwrap();
        assert_eq!(before == network.values()[place.clone()], step == 0);
    }
    assert!(losses[39] < 0.5 * losses[0], "{losses:?}");
}

fn scores(network: &Network) -> Vec<f32> {
    let (mut stepper, mut logs) = (Stepper::new(), Vec::new());
    let examples = examples();
    stepper.read(network, &[&examples[0]]).unwrap();
    stepper.start(network, &[0]).unwrap();
    stepper.log_probabilities(0, &[0, 1], &mut logs).unwrap();
    logs
}

#[test]
fn a_file_has_all_that_it_takes_and_packing_again_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    for trained in [0, 2, SHAPE.layers + 1] {
        let network = Network::new(config(trained), words(), 3).unwrap();
        let before = Checkpoint {
            adam: Some(Adam::new(&network, AdamOptions::default())),
            average: Some(Average::new(&network, 0.9)),
            ..Checkpoint::model(network, serde_json::Value::Null)
        };
        before.save(&path("one")).unwrap();
        let after = Checkpoint::load(&path("one"), true).unwrap();
        after.save(&path("two")).unwrap();
        assert_eq!(
            std::fs::read(path("one")).unwrap(),
            std::fs::read(path("two")).unwrap()
        );
        assert_eq!(scores(&before.network), scores(&after.network));
        assert_eq!(
            after.network.words().published().unwrap().pieces.names(),
            published().pieces.names()
        );

        let small = before.pack(&path("small"), None, |_| true).unwrap();
        let packed = Checkpoint::load(&path("small"), false).unwrap();
        packed.pack(&path("again"), None, |_| true).unwrap();
        assert_eq!(
            std::fs::read(path("small")).unwrap(),
            std::fs::read(path("again")).unwrap()
        );
        for (a, b) in scores(&before.network).iter().zip(scores(&packed.network)) {
            assert!((a - b).abs() < 0.01, "{a} {b}");
        }
        assert_eq!(Summary::read(&path("small")).unwrap().bytes, small.bytes as u64);
        assert!(small.bytes < std::fs::read(path("one")).unwrap().len());
    }
}

#[test]
fn a_network_without_its_encoder_is_refused_when_it_should_run() {
    let whole = Network::new(config(1), words(), 3).unwrap();
    let none = Vectors {
        dimensions: 4,
        ..Vectors::default()
    };
    let bare = Words::new(
        &["which", "city", "year", "seoul"].map(String::from),
        &none,
        Precision::Half,
    )
    .unwrap();
    // It can be kept, as checkpoints do.
    let network = Network::with_values(config(1), bare.into(), whole.values().to_vec(), true).unwrap();
    let said = Stepper::new()
        .read(&network, &[&examples()[0]])
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("published encoder, which did not come with it"),
        "{said}"
    );
}

#[test]
fn a_reading_that_does_not_fit_is_named() {
    let network = Network::new(config(1), words(), 3).unwrap();
    let said = |change: &dyn Fn(&mut Reading)| {
        let [mut example, _] = examples();
        change(&mut example.reading);
        Stepper::new()
            .read(&network, &[&example])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(said(&|r| r.pieces[2] = 12), "example 0: word piece 12 of 12");
    assert_eq!(
        said(&|r| r.pieces.clear()),
        "example 0: 0 word pieces: 1 to 24 can be read"
    );
    assert_eq!(
        said(&|r| r.columns[1] = 9..12),
        "example 0: word pieces 9..12 of 11"
    );
    assert!(said(&|r| r.tokens.truncate(2)).contains("word pieces of 2 tokens and 2 columns for 3 and 2"));
}
