//! A small random transformer: gradients by finite differences, and how sequences are packed.

use super::*;
use crate::dropout::Dropout;
use crate::random::Stream;

fn shape() -> Shape {
    Shape {
        pieces: 23,
        positions: 20,
        segments: 2,
        width: 32,
        heads: 2,
        inner: 48,
        layers: 3,
    }
}

/// Weights that are larger than usual, so that attention is far from uniform.
fn weights() -> Arc<Weights> {
    let weights = Weights::random(shape(), 5).unwrap();
    let mut values = weights.values().to_vec();
    for entry in weights.entries().iter().filter(|e| !e.name.ends_with("gain")) {
        values[entry.range()].iter_mut().for_each(|x| *x *= 12.0);
    }
    Arc::new(Weights::new(shape(), values).unwrap())
}

fn sequences() -> Vec<Vec<u32>> {
    let lengths = [5, 1, 17, 8];
    lengths
        .iter()
        .map(|&n| (0..n).map(|i| (i * 7 + n) % 23).collect())
        .collect()
}

/// What the loss multiplies each output by.
fn direction(sequence: usize, at: usize) -> f32 {
    Stream::new(9, (sequence * 10_000 + at) as u64).uniform() - 0.5
}

struct Run {
    transformer: Transformer,
    reader: Reader,
    dropout: Option<Dropout>,
}

impl Run {
    fn new(trained: Trained, threads: usize, dropout: Option<Dropout>) -> Self {
        Self {
            transformer: Transformer::new(weights(), trained).unwrap(),
            reader: Reader::new(threads).unwrap(),
            dropout,
        }
    }

    fn outputs(&mut self, values: &[f32], sequences: &[Vec<u32>]) -> Vec<Vec<f32>> {
        self.transformer.refresh(values);
        let packed: Vec<&[u32]> = sequences.iter().map(Vec::as_slice).collect();
        self.reader
            .read(&self.transformer, values, &packed, self.dropout)
            .unwrap();
        let output = |s| {
            let rows = self.reader.output(s);
            (0..rows.count()).flat_map(|r| rows.row(r)).copied().collect()
        };
        (0..sequences.len()).map(output).collect()
    }

    fn loss(&mut self, values: &[f32]) -> f64 {
        let outputs = self.outputs(values, &sequences());
        let sum = |(s, output): (usize, &Vec<f32>)| {
            let terms = output.iter().enumerate();
            terms
                .map(|(i, &x)| f64::from(x) * f64::from(direction(s, i)))
                .sum::<f64>()
        };
        outputs.iter().enumerate().map(sum).sum()
    }

    fn gradient(&mut self, values: &[f32]) -> Vec<f32> {
        self.loss(values);
        let mut gradient = vec![f32::NAN; values.len()];
        let fill = |s: usize, d: &mut [f32]| {
            d.iter_mut().enumerate().for_each(|(i, d)| *d = direction(s, i));
        };
        self.reader
            .learn(&self.transformer, values, fill, &mut gradient)
            .unwrap();
        gradient
    }
}

/// Compares the gradient of a few numbers of every matrix with central differences.
fn check_gradient(trained: Trained, dropout: Option<Dropout>) {
    let mut run = Run::new(trained, 2, dropout);
    let mut values = run.transformer.initial();
    let gradient = run.gradient(&values);
    assert!(gradient.iter().all(|x| x.is_finite()));
    let entries = run.transformer.entries().to_vec();
    for entry in entries {
        let range = entry.range();
        let size = |i: &usize| gradient[*i].abs();
        let largest = range.clone().max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
        let spread = [0, 1, 2].map(|part| range.start + part * (range.len() - 1) / 3 + part);
        for i in spread.into_iter().chain([largest]) {
            let (step, before) = (4e-3, values[i]);
            values[i] = before + step;
            let above = run.loss(&values);
            values[i] = before - step;
            let below = run.loss(&values);
            values[i] = before;
            let numeric = (above - below) / (2.0 * f64::from(step));
            let ours = f64::from(gradient[i]);
            assert!(
                (ours - numeric).abs() < 2e-3 + 0.01 * numeric.abs(),
                "{} at {}: {ours}, by differences {numeric}",
                entry.name,
                i - range.start
            );
        }
    }
}

#[test]
fn gradients_of_every_matrix_equal_central_differences() {
    check_gradient(Trained::all(&shape()), None);
}

#[test]
fn gradients_are_those_of_what_dropout_leaves() {
    check_gradient(
        Trained::all(&shape()),
        Some(Dropout {
            rate: 0.3,
            seed: 4,
            after_skip: false,
        }),
    );
}

#[test]
fn any_mix_of_layers_is_trained_and_nothing_else_has_a_gradient() {
    let all = Run::new(Trained::all(&shape()), 1, None).gradient(weights().values());
    for (layers, embeddings) in [
        (vec![1], false),
        (vec![0, 2], false),
        (vec![], true),
        (vec![2], true),
    ] {
        let trained = Trained::layers(&shape(), &layers, embeddings);
        let mut run = Run::new(trained, 1, None);
        let values = run.transformer.initial();
        let gradient = run.gradient(&values);
        let entries = run.transformer.entries();
        let part = |name: &str| match name
            .strip_prefix("layer.")
            .and_then(|rest| rest.split('.').next())
        {
            Some(layer) => layers.contains(&layer.parse().unwrap()),
            None => embeddings,
        };
        assert!(entries.iter().all(|entry| part(&entry.name)));
        let whole = weights();
        let theirs = whole.entries().iter().filter(|entry| part(&entry.name));
        assert_eq!(theirs.clone().count(), entries.len());
        for (ours, theirs) in entries.iter().zip(theirs) {
            assert_eq!(ours.name, theirs.name);
            assert_eq!(gradient[ours.range()], all[theirs.range()], "{}", ours.name);
        }
    }
    assert_eq!(
        Run::new(Trained::none(&shape()), 1, None)
            .transformer
            .trained_numbers(),
        0
    );
}

#[test]
fn nothing_is_learnt_where_nothing_is_trained() {
    let mut run = Run::new(Trained::none(&shape()), 1, None);
    run.loss(&[]);
    let said = run.reader.learn(&run.transformer, &[], |_, _| {}, &mut []);
    assert!(said.unwrap_err().to_string().contains("trained layers"));
}

#[test]
fn packed_sequences_are_read_as_if_alone() {
    crate::kernels::on_every_arch(|| {
        for trained in [Trained::none(&shape()), Trained::all(&shape())] {
            let mut run = Run::new(trained, 1, None);
            let values = run.transformer.initial();
            let together = run.outputs(&values, &sequences());
            for (sequence, packed) in sequences().into_iter().zip(together) {
                let alone = run.outputs(&values, &[sequence]);
                for (a, b) in alone[0].iter().zip(&packed) {
                    assert!((a - b).abs() < 1e-5, "{a} {b}");
                }
            }
        }
    });
}

#[test]
fn threads_change_the_gradient_by_rounding_only() {
    let values = weights().values().to_vec();
    let dropout = Some(Dropout {
        rate: 0.2,
        seed: 8,
        after_skip: false,
    });
    let [one, three] = [1, 3].map(|n| Run::new(Trained::all(&shape()), n, dropout).gradient(&values));
    for (a, b) in one.iter().zip(&three) {
        assert!((a - b).abs() < 1e-4 * a.abs().max(1.0), "{a} {b}");
    }
}

#[test]
fn dropout_follows_its_seed() {
    let values = weights().values().to_vec();
    let loss = |dropout| Run::new(Trained::all(&shape()), 2, dropout).loss(&values);
    let with = |seed| {
        loss(Some(Dropout {
            rate: 0.2,
            seed,
            after_skip: false,
        }))
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
    assert_ne!(with(1), loss(None));
}

#[test]
fn what_cannot_be_read_is_named() {
    let mut run = Run::new(Trained::none(&shape()), 1, None);
    let mut said = |sequence: &[u32]| {
        let sequences: [&[u32]; 2] = [&[1], sequence];
        run.reader
            .read(&run.transformer, &[], &sequences, None)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(said(&[1, 23]), "example 1: piece 23 of a vocabulary of 23");
    assert_eq!(
        said(&[]),
        "example 1: a sequence of 0 pieces: 1 to 20 can be read"
    );
    assert!(said(&[0; 21]).contains("1 to 20"));
}
