//! The network in plain f64, one program at a time, written to be read: the reference of the tests.

use crate::batch::{Batch, Example, Steps};
use crate::layers::encoder::{Dropout, Site};
use crate::network::Network;
use crate::run::Objective;
use std::collections::HashMap;
use std::ops::Range;

type Vector = Vec<f64>;

/// A network with its parameters in f64.
pub struct Reference<'a> {
    network: &'a Network,
    values: Vector,
    places: HashMap<&'a str, Range<usize>>,
}

struct Encoded {
    keys: Vec<Vector>,
    contents: Vec<Vector>,
    /// Final (output, cell) of each layer of the forward stack.
    last: Vec<(Vector, Vector)>,
    slots: Vec<Vector>,
    bias: Vector,
    /// What the attention to each token adds to the logit of each column.
    links: Vec<Vector>,
}

/// Probabilities of some scores and of one for nothing, which is left out.
fn look(scores: &[f64], none: f64) -> Vector {
    let total = scores.iter().map(|s| s.exp()).sum::<f64>() + none.exp();
    scores.iter().map(|s| s.exp() / total).collect()
}

fn mixture(weights: &[f64], rows: &[Vector], width: usize) -> Vector {
    weights.iter().zip(rows).fold(vec![0.0; width], |sum, (w, row)| {
        sum.iter().zip(row).map(|(s, x)| s + w * x).collect()
    })
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn add(a: &[f64], b: &[f64]) -> Vector {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl<'a> Reference<'a> {
    pub fn new(network: &'a Network) -> Self {
        let places = network
            .layout()
            .entries
            .iter()
            .map(|e| (e.name.as_str(), e.range()))
            .collect();
        Self {
            network,
            values: network.values().iter().map(|&x| f64::from(x)).collect(),
            places,
        }
    }

    /// The same network with one parameter moved.
    pub fn nudge(&mut self, parameter: usize, by: f64) {
        self.values[parameter] += by;
    }

    fn get(&self, name: &str) -> &[f64] {
        &self.values[self.places[name].clone()]
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vector {
        let weight = self.get(&format!("{name}.weight"));
        let y: Vector = weight.chunks(x.len()).map(|row| dot(row, x)).collect();
        match self.places.get(format!("{name}.bias").as_str()) {
            Some(place) => add(&y, &self.values[place.clone()]),
            None => y,
        }
    }

    fn cell(&self, name: &str, x: &[f64], h: &[f64], c: &[f64]) -> (Vector, Vector) {
        let n = h.len();
        let (wx, wh) = (
            self.get(&format!("{name}.input")),
            self.get(&format!("{name}.recurrent")),
        );
        let bias = self.get(&format!("{name}.bias"));
        let gate = |g: usize, j: usize| {
            let row = g * n + j;
            dot(&wx[row * x.len()..][..x.len()], x) + dot(&wh[row * n..][..n], h) + bias[row]
        };
        let c: Vector = (0..n)
            .map(|j| sigmoid(gate(1, j)) * c[j] + sigmoid(gate(0, j)) * gate(2, j).tanh())
            .collect();
        let h = (0..n).map(|j| sigmoid(gate(3, j)) * c[j].tanh()).collect();
        (h, c)
    }

    /// One step of a stack: new states, and the output of the last layer.
    fn stack(
        &self,
        name: &str,
        x: &[f64],
        state: &mut [(Vector, Vector)],
        mask: impl Fn(usize) -> Option<Vec<f32>>,
    ) -> Vector {
        let mut x = x.to_vec();
        for (layer, (h, c)) in state.iter_mut().enumerate() {
            (*h, *c) = self.cell(&format!("{name}.{layer}"), &x, h, c);
            let mut y = h.clone();
            if let Some(mask) = mask(layer) {
                y.iter_mut().zip(mask).for_each(|(y, m)| *y *= f64::from(m));
            }
            x = if layer > 0 { add(&y, &x) } else { y };
        }
        x
    }

    fn word(&self, id: u32) -> Vector {
        let words = self.network.words();
        let d = words.dimensions();
        if (id as usize) < words.trained() {
            return self.get("words.rows")[id as usize * d..][..d].to_vec();
        }
        let mut out = vec![0.0f32; d];
        words.add_vector(id, &[], 1.0, &mut out);
        out.into_iter().map(f64::from).collect()
    }

    fn mask(&self, dropout: Option<Dropout>, site: Site, id: usize, step: usize) -> Option<Vec<f32>> {
        dropout.map(|dropout| {
            let mut mask = vec![0.0; self.network.config().hidden];
            dropout.fill(site, id, step, &mut mask);
            mask
        })
    }

    /// The vector of a column: its name, its type and its cells.
    fn column(&self, example: &Example, c: usize) -> Vector {
        let config = self.network.config();
        let mean = |words: &[u32]| {
            let sum = words
                .iter()
                .fold(vec![0.0; config.vector], |sum, &w| add(&sum, &self.word(w)));
            sum.into_iter()
                .map(|x| x / words.len().max(1) as f64)
                .collect::<Vector>()
        };
        let name = mean(example.columns.words(c));
        let kind = self.word(example.columns.kind(c));
        let both: Vector = name.iter().zip(kind).map(|(m, k)| 0.5 * (m + k)).collect();
        let column = self.linear("columns.projection", &both);
        if !config.cells {
            return column;
        }
        add(
            &column,
            &self.linear("columns.cells", &mean(example.columns.cells(c))),
        )
    }

    /// Scores of all pairs for one use of the links, token after token; without vectors, those of the features alone.
    fn links(&self, example: &Example, part: &str, vectors: Option<(&[Vector], &[Vector])>) -> Vec<Vector> {
        let (p, m) = (self.network.config().pair_features, example.columns.len());
        let weights = self.get(&format!("links.features.{part}"));
        let score = |t: usize, c: usize| {
            let features = &example.pair_features[(t * m + c) * p..][..p];
            let sum: f64 = features.iter().zip(weights).map(|(&f, w)| f64::from(f) * w).sum();
            let Some((tokens, columns)) = vectors else {
                return sum;
            };
            let (one, two) = (
                self.linear("links.token", &tokens[t]),
                self.linear("links.column", &columns[c]),
            );
            sum + dot(&one, &two) / (one.len() as f64).sqrt()
        };
        (0..example.tokens.len())
            .map(|t| (0..m).map(|c| score(t, c)).collect())
            .collect()
    }

    fn encode(&self, example: &Example, id: usize, dropout: Option<Dropout>) -> Encoded {
        let config = self.network.config();
        let (h, f, n) = (config.hidden, config.token_features, example.tokens.len());
        let columns: Vec<Vector> = (0..example.columns.len())
            .map(|c| self.column(example, c))
            .collect();
        let words: Vec<Vector> = (0..n)
            .map(|t| self.linear("words.projection", &self.word(example.tokens[t])))
            .collect();
        let linked = config.pair_features > 0;
        let seen = linked.then(|| self.links(example, "token", Some((&words, &columns))));
        let inputs: Vec<Vector> = (0..n)
            .map(|t| {
                let mut x = words[t].clone();
                if let Some(seen) = &seen {
                    let p = look(&seen[t], self.get("links.none.token")[0]);
                    x = add(&x, &self.linear("links.to_token", &mixture(&p, &columns, h)));
                }
                x.extend(
                    example.token_features[t * f..(t + 1) * f]
                        .iter()
                        .map(|&x| f64::from(x)),
                );
                x
            })
            .collect();
        let zero = vec![(vec![0.0; h], vec![0.0; h]); config.layers];
        let run = |direction: usize, name: &str| {
            let mut state = zero.clone();
            let mut outputs = vec![Vec::new(); n];
            for step in 0..n {
                let t = if direction == 0 { step } else { n - 1 - step };
                outputs[t] = self.stack(name, &inputs[t], &mut state, |layer| {
                    self.mask(dropout, Site::Encoder { direction, layer }, id, step)
                });
            }
            (outputs, state)
        };
        let (forth, last) = run(0, "encoder.forward");
        let (back, _) = run(1, "encoder.backward");
        let outputs: Vec<Vector> = (0..n)
            .map(|t| {
                add(
                    &self.linear("encoder.output.forward", &forth[t]),
                    &self.linear("encoder.output.backward", &back[t]),
                )
            })
            .collect();
        let mut slots: Vec<Vector> = self.get("slots.builtin").chunks(h).map(<[f64]>::to_vec).collect();
        let mut bias = vec![0.0; slots.len()];
        let weights = self.get("columns.feature");
        let asked = linked.then(|| self.links(example, "column", Some((&words, &columns))));
        for (c, column) in columns.iter().enumerate() {
            let mut slot = column.clone();
            if let Some(asked) = &asked {
                let scores: Vector = asked.iter().map(|row| row[c]).collect();
                let p = look(&scores, self.get("links.none.column")[0]);
                slot = add(&slot, &self.linear("links.to_column", &mixture(&p, &outputs, h)));
            }
            slots.push(slot);
            let features =
                &example.columns.features()[c * config.column_features..][..config.column_features];
            bias.push(features.iter().zip(weights).map(|(&x, w)| f64::from(x) * w).sum());
        }
        for (constant, span) in example.constants.iter().enumerate() {
            let sum = add(&outputs[span.first as usize], &outputs[span.last as usize]);
            let mut slot: Vector = sum.into_iter().map(|x| 0.5 * x).collect();
            if config.constant_kinds > 0 {
                let kind = example.constant_kinds[constant] as usize;
                slot = add(&slot, &self.get("constants.kind")[kind * h..][..h]);
            }
            slots.push(slot);
            bias.push(0.0);
        }
        let keys = outputs.iter().map(|e| self.linear("attention.key", e)).collect();
        let contents = outputs
            .iter()
            .map(|e| self.linear("attention.content", e))
            .collect();
        Encoded {
            keys,
            contents,
            last,
            slots,
            bias,
            links: if linked {
                self.links(example, "attention", None)
            } else {
                Vec::new()
            },
        }
    }

    /// The decoder's output, and its attention to the tokens.
    fn output(&self, encoded: &Encoded, state: &[f64]) -> (Vector, Vector) {
        let query = self.linear("attention.query", state);
        let v = self.get("attention.score");
        let score = |key: &Vector| (0..v.len()).map(|j| v[j] * (query[j] + key[j]).tanh()).sum();
        let scores: Vector = encoded.keys.iter().map(score).collect();
        let total: f64 = scores.iter().map(|s| s.exp()).sum();
        let mut context = vec![0.0; state.len()];
        for (score, content) in scores.iter().zip(&encoded.contents) {
            context
                .iter_mut()
                .zip(content)
                .for_each(|(c, x)| *c += score.exp() / total * x);
        }
        let output = add(
            &self.linear("output.state", state),
            &self.linear("output.context", &context),
        );
        (output, scores.iter().map(|s| s.exp() / total).collect())
    }

    /// log π of a program, and the summed entropy of its steps.
    fn program(&self, encoded: &Encoded, steps: &Steps, id: usize, dropout: Option<Dropout>) -> (f64, f64) {
        let mut state = encoded.last.clone();
        let mut slots = encoded.slots.clone();
        let mut bias = encoded.bias.clone();
        let mut input = self.get("slots.start").to_vec();
        let (mut sum, mut entropy) = (0.0, 0.0);
        for step in 0..steps.len() {
            let top = self.stack("decoder", &input, &mut state, |layer| {
                self.mask(dropout, Site::Decoder { layer }, id, step)
            });
            let (output, attention) = self.output(encoded, &top);
            let first = self.network.config().builtins;
            let link = |s: usize| -> f64 {
                let links = encoded.links.iter().zip(&attention);
                let column = s.checked_sub(first);
                links.filter_map(|(row, a)| Some(row.get(column?)? * a)).sum()
            };
            let logits: Vector = steps
                .valid(step)
                .iter()
                .map(|&s| dot(&output, &slots[s as usize]) + bias[s as usize] + link(s as usize))
                .collect();
            let total = logits.iter().map(|l| l.exp()).sum::<f64>().ln();
            let chosen = steps
                .valid(step)
                .iter()
                .position(|&s| s == steps.chosen(step))
                .expect("valid");
            sum += logits[chosen] - total;
            entropy -= logits
                .iter()
                .map(|l| (l - total).exp() * (l - total))
                .sum::<f64>();
            input = slots[steps.chosen(step) as usize].clone();
            if steps.defines(step) {
                slots.push(output);
                bias.push(0.0);
            }
        }
        (sum, entropy)
    }

    /// The loss and log π of each program.
    pub fn loss(&self, batch: &Batch<'_>, objective: &Objective) -> (f64, Vector) {
        let encoded: Vec<Encoded> = batch
            .examples
            .iter()
            .enumerate()
            .map(|(id, e)| self.encode(e, id, objective.dropout))
            .collect();
        let mut loss = 0.0;
        let mut scores = Vec::new();
        for (id, t) in batch.trajectories.iter().enumerate() {
            let (score, entropy) = self.program(&encoded[t.example], t.steps, id, objective.dropout);
            loss += -f64::from(t.weight) * score + f64::from(objective.entropy) * entropy;
            scores.push(score);
        }
        (loss / f64::from(objective.divisor), scores)
    }
}

/// Small random batches for tests.
pub mod sample {
    use crate::batch::{Example, Span, Steps};
    use crate::config::Config;
    use crate::network::Network;
    use crate::random::{Stream, mix};
    use crate::vectors::Vectors;
    use crate::words::{Precision, Words};
    use std::sync::Arc;

    pub fn config() -> Config {
        Config {
            vector: 3,
            hidden: 4,
            attention: 5,
            layers: 2,
            builtins: 4,
            token_features: 2,
            column_features: 2,
            pair_features: 0,
            cells: false,
            constant_kinds: 0,
        }
    }

    /// The same with everything that the paper's network does not have.
    pub fn linked() -> Config {
        Config {
            pair_features: 3,
            cells: true,
            constant_kinds: 2,
            ..config()
        }
    }

    /// All combinations of what can be switched on.
    pub fn switched() -> Vec<Config> {
        (0..8)
            .map(|switches| Config {
                pair_features: 3 * (switches & 1),
                cells: switches & 2 > 0,
                constant_kinds: switches & 4,
                ..config()
            })
            .collect()
    }

    pub fn words(dimensions: usize) -> Words {
        let mut random = Stream::new(5, 5);
        let vectors = Vectors {
            dimensions,
            words: (0..8).map(|i| format!("w{i}")).collect(),
            numbers: (0..8 * dimensions)
                .map(|_| 2.0 * random.uniform() - 1.0)
                .collect(),
            source: None,
        };
        Words::new(
            &["<unk>".into(), "t1".into(), "t2".into()],
            &vectors,
            Precision::Half,
        )
        .unwrap()
    }

    /// A network whose biases are not zero either.
    pub fn network(config: Config, seed: u64) -> Network {
        let words = Arc::new(words(config.vector));
        let mut network = Network::new(config, words, seed).unwrap();
        let mut random = Stream::new(seed, 77);
        network.update(|values| values.iter_mut().for_each(|x| *x += 0.4 * random.uniform() - 0.2));
        network
    }

    pub fn example(config: &Config, random: &mut Stream) -> Example {
        let mut pick = |n: usize| (random.uniform() * n as f32) as usize;
        let n = 1 + pick(6);
        let mut e = Example {
            tokens: (0..n).map(|_| pick(11) as u32).collect(),
            ..Example::default()
        };
        for _ in 0..pick(4) {
            let name: Vec<u32> = (0..1 + pick(3)).map(|_| pick(11) as u32).collect();
            let features: Vec<f32> = (0..config.column_features).map(|_| pick(3) as f32).collect();
            let cells: Vec<u32> = match config.cells {
                true => (0..pick(4)).map(|_| pick(11) as u32).collect(),
                false => Vec::new(),
            };
            e.columns.push(&name, pick(11) as u32, &features, &cells);
        }
        for _ in 0..pick(3) {
            let first = pick(n);
            e.constants.push(Span {
                first: first as u32,
                last: (first + pick(n - first)) as u32,
            });
        }
        e.token_features = (0..n * config.token_features).map(|_| pick(2) as f32).collect();
        if config.constant_kinds > 0 {
            let kinds = e.constants.iter().map(|_| pick(config.constant_kinds) as u32);
            e.constant_kinds = kinds.collect();
        }
        let pairs = n * e.columns.len() * config.pair_features;
        e.pair_features = (0..pairs).map(|_| pick(3) as f32 * 0.5).collect();
        e
    }

    /// A random program; variables are defined and used often. What is valid follows from the prefix, as in a
    /// real language.
    pub fn program(config: &Config, example: &Example, random: &mut Stream) -> Steps {
        let mut slots = example.fixed_slots(config);
        let fixed = slots;
        let mut steps = Steps::default();
        let mut prefix = 1;
        for _ in 0..1 + (random.uniform() * 7.0) as usize {
            let mut rule = Stream::new(prefix, 3);
            let mut valid: Vec<u32> = (0..slots as u32)
                .filter(|&s| s as usize >= fixed || rule.uniform() < 0.6)
                .collect();
            if valid.is_empty() {
                valid.push(0);
            }
            let prefer = slots > fixed && random.uniform() < 0.5;
            let at = if prefer {
                valid.len() - 1
            } else {
                (random.uniform() * valid.len() as f32) as usize
            };
            prefix = mix(prefix + u64::from(valid[at]));
            let defines = prefix % 5 < 2;
            steps.push(valid[at], &valid, defines);
            slots += usize::from(defines);
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::sample;
    use super::*;
    use crate::batch::Trajectory;
    use crate::random::Stream;
    use crate::run::Runner;

    fn objective(dropout: Option<Dropout>, entropy: f32) -> Objective {
        Objective {
            divisor: 3.0,
            entropy,
            dropout,
            share_prefixes: false,
        }
    }

    fn batch_data(
        config: &crate::Config,
        seed: u64,
        programs: usize,
    ) -> (Vec<Example>, Vec<(usize, f32, Steps)>) {
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
        let trajectories: Vec<Trajectory<'_>> = programs
            .iter()
            .map(|(example, weight, steps)| Trajectory {
                example: *example,
                weight: *weight,
                steps,
            })
            .collect();
        let batch = Batch {
            examples: &examples,
            trajectories: &trajectories,
        };
        let objective = objective(dropout, entropy);
        let mut gradient = vec![7.0; network.values().len()];
        let mut runner = Runner::new(threads).unwrap();
        let outcome = runner.train(&network, &batch, &objective, &mut gradient).unwrap();
        let mut reference = Reference::new(&network);
        let (loss, scores) = reference.loss(&batch, &objective);
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
                let up = reference.loss(&batch, &objective).0;
                reference.nudge(p, -2.0 * h);
                let down = reference.loss(&batch, &objective).0;
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
        check_gradient(2, Some(Dropout { rate: 0.3, seed: 4 }), 0.3, 2, 12);
        check_gradient(2, Some(Dropout { rate: 0.5, seed: 5 }), -0.3, 3, 13);
    }

    #[test]
    fn gradients_equal_central_differences_for_other_depths() {
        check_gradient(1, None, 0.1, 1, 14);
        check_gradient(3, Some(Dropout { rate: 0.2, seed: 6 }), 0.0, 2, 15);
    }

    #[test]
    fn gradients_equal_central_differences_whatever_is_switched_on() {
        for (seed, config) in (40..).zip(sample::switched()) {
            check_gradient_of(config, None, 0.1, 2, seed);
        }
        let dropout = Some(Dropout { rate: 0.3, seed: 7 });
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
        let trajectories: Vec<Trajectory<'_>> = programs
            .iter()
            .map(|(example, weight, steps)| Trajectory {
                example: *example,
                weight: *weight,
                steps,
            })
            .collect();
        run(
            &network,
            &Batch {
                examples: &examples,
                trajectories: &trajectories,
            },
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
        #[test]
        fn scores_are_the_same_flat_as_trees_and_alone(seed in 0u64..1_000_000) {
            check_scores(seed);
        }
    }

    fn check_scores(seed: u64) {
        with_batch(seed, |network, batch| {
            let mut runner = Runner::new(2).unwrap();
            let (flat, all) = runner.score(network, batch, false).unwrap();
            let (tree, shared) = runner.score(network, batch, true).unwrap();
            assert_eq!(all.decoded, all.steps);
            assert_eq!(shared.steps, all.steps);
            assert!(shared.decoded < all.decoded);
            let (_, reference) = Reference::new(network).loss(batch, &objective(None, 0.0));
            for (i, (flat, tree)) in flat.iter().zip(&tree).enumerate() {
                assert!((flat - tree).abs() < 1e-5, "{flat} {tree}");
                assert!((f64::from(*flat) - reference[i]).abs() < 1e-4);
                let trajectory = batch.trajectories[i];
                let alone = Batch {
                    examples: &[batch.examples[trajectory.example]],
                    trajectories: &[Trajectory {
                        example: 0,
                        ..trajectory
                    }],
                };
                let (alone, _) = runner.score(network, &alone, true).unwrap();
                assert!((alone[0] - flat).abs() < 1e-5);
            }
        });
    }

    #[test]
    fn packed_batches_have_the_gradient_of_their_parts() {
        with_batch(22, |network, batch| {
            let objective = objective(None, 0.2);
            let mut together = vec![0.0; network.values().len()];
            let mut runner = Runner::new(2).unwrap();
            let outcome = runner.train(network, batch, &objective, &mut together).unwrap();
            let mut sum = vec![0.0f64; together.len()];
            let mut loss = 0.0;
            let mut part = vec![0.0; together.len()];
            for trajectory in batch.trajectories {
                let alone = Batch {
                    examples: &[batch.examples[trajectory.example]],
                    trajectories: &[Trajectory {
                        example: 0,
                        ..*trajectory
                    }],
                };
                loss += runner.train(network, &alone, &objective, &mut part).unwrap().loss;
                sum.iter_mut().zip(&part).for_each(|(s, &g)| *s += f64::from(g));
            }
            assert!((loss - outcome.loss).abs() < 1e-5);
            for (s, &g) in sum.iter().zip(&together) {
                assert!((s - f64::from(g)).abs() < 1e-5 * s.abs().max(1.0));
            }
        });
    }

    #[test]
    fn shared_prefixes_have_the_gradient_of_flat_programs() {
        with_batch(23, |network, batch| {
            let mut runner = Runner::new(2).unwrap();
            let (mut flat, mut tree) = (
                vec![0.0; network.values().len()],
                vec![0.0; network.values().len()],
            );
            let objective = objective(None, -0.2);
            let one = runner.train(network, batch, &objective, &mut flat).unwrap();
            let shared = Objective {
                share_prefixes: true,
                ..objective
            };
            let two = runner.train(network, batch, &shared, &mut tree).unwrap();
            assert!((one.loss - two.loss).abs() < 1e-5);
            assert!((one.entropy - two.entropy).abs() < 1e-4);
            assert_eq!(one.steps, two.steps);
            for (a, b) in flat.iter().zip(&tree) {
                assert!((a - b).abs() < 1e-5 * a.abs().max(1.0), "{a} {b}");
            }
        });
    }

    #[test]
    fn runs_are_bit_identical_and_masks_do_not_depend_on_threads() {
        with_batch(24, |network, batch| {
            let objective = objective(Some(Dropout { rate: 0.3, seed: 9 }), 0.1);
            let run = |threads: usize| {
                let mut gradient = vec![0.0; network.values().len()];
                let mut runner = Runner::new(threads).unwrap();
                runner.train(network, batch, &objective, &mut gradient).unwrap();
                let again = runner.train(network, batch, &objective, &mut gradient).unwrap();
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
}
