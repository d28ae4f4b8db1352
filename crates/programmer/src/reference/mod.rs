//! The network in plain f64, one program at a time, written to be read: the reference of the tests.

pub mod sample;
mod tests;

use crate::batch::{Batch, Example, Program, WeightedProgram};
use crate::dropout::{Dropout, Site};
use crate::network::Network;
use crate::run::LossTerms;
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
        after_skip: bool,
        mask: impl Fn(usize) -> Option<Vec<f32>>,
    ) -> Vector {
        let mut x = x.to_vec();
        for (layer, (h, c)) in state.iter_mut().enumerate() {
            (*h, *c) = self.cell(&format!("{name}.{layer}"), &x, h, c);
            let mut y = h.clone();
            let masked = |y: &mut Vector| {
                if let Some(mask) = mask(layer) {
                    y.iter_mut().zip(mask).for_each(|(y, m)| *y *= f64::from(m));
                }
            };
            if after_skip && layer > 0 {
                y = add(&y, &x);
                masked(&mut y);
                x = y;
                continue;
            }
            masked(&mut y);
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

    /// Scores of all pairs for one use of the links, token after token; without vectors, those of the
    /// features alone.
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
        let after_skip = dropout.is_some_and(|dropout| dropout.after_skip);
        let run = |direction: usize, name: &str| {
            let mut state = zero.clone();
            let mut outputs = vec![Vec::new(); n];
            for step in 0..n {
                let t = if direction == 0 { step } else { n - 1 - step };
                outputs[t] = self.stack(name, &inputs[t], &mut state, after_skip, |layer| {
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
    /// `maker` says which program's masks a step has.
    fn program(
        &self,
        encoded: &Encoded,
        steps: &Program,
        maker: impl Fn(usize) -> usize,
        dropout: Option<Dropout>,
    ) -> (f64, f64) {
        let mut state = encoded.last.clone();
        let mut slots = encoded.slots.clone();
        let mut bias = encoded.bias.clone();
        let mut input = self.get("slots.start").to_vec();
        let (mut sum, mut entropy) = (0.0, 0.0);
        let after_skip = dropout.is_some_and(|dropout| dropout.after_skip);
        for step in 0..steps.len() {
            let top = self.stack("decoder", &input, &mut state, after_skip, |layer| {
                self.mask(dropout, Site::Decoder { layer }, maker(step), step)
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
    pub fn loss(&self, batch: &Batch<'_>, terms: &LossTerms) -> (f64, Vector) {
        let encoded: Vec<Encoded> = batch
            .examples
            .iter()
            .enumerate()
            .map(|(id, e)| self.encode(e, id, terms.dropout))
            .collect();
        let mut loss = 0.0;
        let mut scores = Vec::new();
        for t in batch.weighted {
            // Programs share the masks of the prefixes that they share: those of the first that has them.
            let maker = |step: usize| {
                let has_prefix = |other: &WeightedProgram<'_>| {
                    other.example == t.example
                        && other.steps.len() > step
                        && (0..step).all(|s| other.steps.chosen(s) == t.steps.chosen(s))
                };
                batch.weighted.iter().position(has_prefix).expect("itself")
            };
            let (score, entropy) = self.program(&encoded[t.example], t.steps, maker, terms.dropout);
            loss += -f64::from(t.weight) * score + f64::from(terms.entropy) * entropy;
            scores.push(score);
        }
        (loss / f64::from(terms.divisor), scores)
    }
}
