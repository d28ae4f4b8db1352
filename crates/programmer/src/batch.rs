//! What the network is given: examples and weighted programs, packed.
//!
//! A *slot* is a token that a program can contain, numbered for each example: first the built-ins, then the
//! columns, then the constants, then the variables in the order in which the program's steps defined them.

use crate::config::{Config, EncoderConfig};
use crate::error::{Error, Result};
use half::f16;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;

/// A stretch of question tokens, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first token.
    pub first: u32,
    /// The last token, not before the first.
    pub last: u32,
}

/// The columns of an example, packed. Use [`push`](Columns::push) to fill it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    words: Vec<u32>,
    ends: Vec<u32>,
    kinds: Vec<u32>,
    features: Vec<f32>,
    #[serde(default)]
    cells: Vec<u32>,
    #[serde(default)]
    cell_ends: Vec<u32>,
}

impl Columns {
    /// Adds a column: the word ids of its name (at least one), the word id of its type's name, its features,
    /// and the word ids of some of its cells, which may be none.
    pub fn push(&mut self, words: &[u32], kind: u32, features: &[f32], cells: &[u32]) {
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len() as u32);
        self.kinds.push(kind);
        self.features.extend_from_slice(features);
        self.cells.extend_from_slice(cells);
        self.cell_ends.push(self.cells.len() as u32);
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The words of a column's name.
    pub fn words(&self, column: usize) -> &[u32] {
        let start = if column == 0 {
            0
        } else {
            self.ends[column - 1] as usize
        };
        &self.words[start..self.ends[column] as usize]
    }

    /// The words of a column's cells.
    pub fn cells(&self, column: usize) -> &[u32] {
        // A file of an earlier version has none.
        let end = |column: usize| self.cell_ends.get(column).map_or(0, |&end| end as usize);
        &self.cells[if column == 0 { 0 } else { end(column - 1) }..end(column)]
    }

    /// The word that names a column's type.
    pub fn kind(&self, column: usize) -> u32 {
        self.kinds[column]
    }

    /// The features of all columns, column after column.
    pub fn features(&self) -> &[f32] {
        &self.features
    }
}

/// A question with the slots that its programs can use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// Word ids of the question, at least one.
    pub tokens: Vec<u32>,
    /// [`Config::token_features`] numbers a token, token after token.
    pub token_features: Vec<f32>,
    /// The columns.
    pub columns: Columns,
    /// The constants: stretches of the question.
    pub constants: Vec<Span>,
    /// The kind of each constant, below [`Config::constant_kinds`]; not read if that is 0.
    #[serde(default)]
    pub constant_kinds: Vec<u32>,
    /// [`Config::pair_features`] numbers for each pair of a token and a column: token after token, and for
    /// each the columns in their order. The weights of pair features start at 1, so a feature should be the
    /// larger the more it speaks for a link.
    #[serde(default)]
    pub pair_features: Vec<f32>,
    /// Question and columns as a published encoder reads them; not read by a network without one.
    #[serde(default, skip_serializing_if = "Reading::is_empty")]
    pub reading: Reading,
}

/// Question and columns as one sequence of word pieces, and where tokens and columns are in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The sequence.
    pub pieces: Vec<u32>,
    /// For each token of the question its pieces, which may be none.
    pub tokens: Vec<Range<u32>>,
    /// For each column the pieces of its name; none if it was left out.
    pub columns: Vec<Range<u32>>,
    #[serde(skip)]
    pub(crate) kept: Kept,
}

/// What the encoder's frozen layers gave for a sequence, in half precision. It follows from the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(pub OnceLock<Vec<f16>>);

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Reading {
    /// A sequence, and where tokens and columns are in it.
    pub fn new(pieces: Vec<u32>, tokens: Vec<Range<u32>>, columns: Vec<Range<u32>>) -> Self {
        Self {
            pieces,
            tokens,
            columns,
            kept: Kept::default(),
        }
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// What is wrong with it for a question of so many tokens and columns.
    fn problem(&self, tokens: usize, columns: usize, encoder: &EncoderConfig) -> Option<String> {
        let shape = &encoder.shape;
        let n = self.pieces.len();
        if n == 0 || n > shape.positions {
            return Some(format!("{n} word pieces: 1 to {} can be read", shape.positions));
        }
        if let Some(piece) = self.pieces.iter().find(|&&piece| piece as usize >= shape.pieces) {
            return Some(format!("word piece {piece} of {}", shape.pieces));
        }
        if (self.tokens.len(), self.columns.len()) != (tokens, columns) {
            return Some(format!(
                "word pieces of {} tokens and {} columns for {tokens} and {columns}",
                self.tokens.len(),
                self.columns.len()
            ));
        }
        let bad = |range: &&Range<u32>| range.start > range.end || range.end as usize > n;
        let range = self.tokens.iter().chain(&self.columns).find(bad)?;
        Some(format!("word pieces {}..{} of {n}", range.start, range.end))
    }
}

impl Example {
    /// The number of slots before the first variable.
    pub fn fixed_slots(&self, config: &Config) -> usize {
        config.builtins + self.columns.len() + self.constants.len()
    }

    /// Checks the invariants; `words` is the size of the vocabulary, `position` the example's place for
    /// messages.
    ///
    /// # Errors
    /// [`Error::Example`] says what is wrong.
    pub fn check(&self, config: &Config, words: usize, position: usize) -> Result<()> {
        let fail = |reason: String| {
            Err(Error::Example {
                example: position,
                reason,
            })
        };
        let n = self.tokens.len();
        if n == 0 {
            return fail("the question has no token".into());
        }
        if self.token_features.len() != n * config.token_features {
            return fail(format!(
                "{} token features for {n} tokens of {} features",
                self.token_features.len(),
                config.token_features
            ));
        }
        let columns = &self.columns;
        if columns.features.len() != columns.len() * config.column_features {
            return fail(format!(
                "{} column features for {} columns of {} features",
                columns.features.len(),
                columns.len(),
                config.column_features
            ));
        }
        if self.pair_features.len() != n * columns.len() * config.pair_features {
            return fail(format!(
                "{} pair features for {n} tokens and {} columns of {} features",
                self.pair_features.len(),
                columns.len(),
                config.pair_features
            ));
        }
        if config.constant_kinds > 0 {
            if self.constant_kinds.len() != self.constants.len() {
                return fail(format!(
                    "{} kinds of {} constants",
                    self.constant_kinds.len(),
                    self.constants.len()
                ));
            }
            let kinds = config.constant_kinds;
            if let Some(kind) = self.constant_kinds.iter().find(|&&kind| kind as usize >= kinds) {
                return fail(format!("a constant of kind {kind} when there are {kinds}"));
            }
        }
        let problem = config
            .encoder
            .and_then(|encoder| self.reading.problem(n, columns.len(), &encoder));
        if let Some(problem) = problem {
            return fail(problem);
        }
        if let Some(column) = (0..columns.len()).find(|&c| columns.words(c).is_empty()) {
            return fail(format!("the name of column {column} has no word"));
        }
        let ids = self.tokens.iter().chain(&columns.words).chain(&columns.kinds);
        let ids = ids.chain(&columns.cells);
        if let Some(id) = ids.copied().find(|&id| id as usize >= words) {
            return fail(format!("word {id} of a vocabulary of {words}"));
        }
        let bad = self
            .constants
            .iter()
            .find(|span| span.first > span.last || span.last as usize >= n);
        if let Some(span) = bad {
            return fail(format!(
                "constant {}..={} of a question of {n} tokens",
                span.first, span.last
            ));
        }
        if self
            .token_features
            .iter()
            .chain(&columns.features)
            .chain(&self.pair_features)
            .any(|x| !x.is_finite())
        {
            return fail("a feature is not a finite number".into());
        }
        Ok(())
    }
}

/// The steps of a program, packed: at each step the slots that were valid, the one that was chosen, and
/// whether the decoder's output at this step becomes the next variable. Use [`push`](Program::push) to fill
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    chosen: Vec<u32>,
    defines: Vec<bool>,
    valid: Vec<u32>,
    ends: Vec<u32>,
}

impl Program {
    /// Adds a step. `chosen` must be one of `valid`, which holds no slot twice. With `defines` (the step
    /// finished an expression) the decoder's output at this step is the next variable, which later steps may
    /// use.
    pub fn push(&mut self, chosen: u32, valid: &[u32], defines: bool) {
        self.chosen.push(chosen);
        self.defines.push(defines);
        self.valid.extend_from_slice(valid);
        self.ends.push(self.valid.len() as u32);
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The slot chosen at a step.
    pub fn chosen(&self, step: usize) -> u32 {
        self.chosen[step]
    }

    /// Whether the output of a step becomes a variable.
    pub fn defines(&self, step: usize) -> bool {
        self.defines[step]
    }

    /// The slots valid at a step.
    pub fn valid(&self, step: usize) -> &[u32] {
        let start = if step == 0 {
            0
        } else {
            self.ends[step - 1] as usize
        };
        &self.valid[start..self.ends[step] as usize]
    }
}

/// A program of an example, with the weight of its log-likelihood in the loss.
#[derive(Clone, Copy, Debug)]
pub struct WeightedProgram<'a> {
    /// Position of the example in the batch.
    pub example: usize,
    /// Weight of the log-likelihood; ignored when scoring.
    pub weight: f32,
    /// The program.
    pub steps: &'a Program,
}

/// Examples and programs that are run together.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The examples.
    pub examples: &'a [&'a Example],
    /// Programs of these examples, in any order.
    pub weighted: &'a [WeightedProgram<'a>],
}

impl Batch<'_> {
    /// Checks examples and programs.
    ///
    /// # Errors
    /// [`Error::Example`] or [`Error::Program`] names the first that breaks an invariant.
    pub fn check(&self, config: &Config, words: usize) -> Result<()> {
        for (position, example) in self.examples.iter().enumerate() {
            example.check(config, words, position)?;
        }
        for (index, weighted) in self.weighted.iter().enumerate() {
            self.check_program(config, index, weighted)?;
        }
        Ok(())
    }

    fn check_program(&self, config: &Config, index: usize, weighted: &WeightedProgram<'_>) -> Result<()> {
        let fail = |step: usize, reason: String| {
            Err(Error::Program {
                program: index,
                step,
                reason,
            })
        };
        let Some(example) = self.examples.get(weighted.example) else {
            return fail(
                0,
                format!(
                    "example {} of a batch of {}",
                    weighted.example,
                    self.examples.len()
                ),
            );
        };
        if weighted.steps.is_empty() {
            return fail(0, "the program has no step".into());
        }
        if !weighted.weight.is_finite() {
            return fail(0, format!("weight {}", weighted.weight));
        }
        let mut slots = example.fixed_slots(config);
        for step in 0..weighted.steps.len() {
            let valid = weighted.steps.valid(step);
            if let Some(slot) = valid.iter().find(|&&slot| slot as usize >= slots) {
                return fail(step, format!("slot {slot} when there are {slots}"));
            }
            let chosen = weighted.steps.chosen(step);
            if valid.iter().filter(|&&slot| slot == chosen).count() != 1 {
                return fail(
                    step,
                    format!("the chosen slot {chosen} must be valid once, in {valid:?}"),
                );
            }
            slots += usize::from(weighted.steps.defines(step));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config {
            vector: 4,
            hidden: 5,
            attention: 3,
            column_features: 2,
            pair_features: 2,
            cells: true,
            constant_kinds: 2,
            ..Config::paper(3)
        }
    }

    fn example() -> Example {
        let mut example = Example {
            tokens: vec![0, 1, 2],
            token_features: vec![0.0, 1.0, 0.0],
            constants: vec![Span { first: 1, last: 2 }],
            constant_kinds: vec![1],
            pair_features: vec![0.0, 1.0, 2.0, 0.0, 0.0, 0.0],
            ..Example::default()
        };
        example.columns.push(&[3, 1], 2, &[1.0, 0.0], &[2]);
        example
    }

    #[test]
    fn mistakes_are_named() {
        let message = |change: &dyn Fn(&mut Example)| {
            let mut e = example();
            change(&mut e);
            e.check(&config(), 4, 7).unwrap_err().to_string()
        };
        assert!(example().check(&config(), 4, 0).is_ok());
        assert_eq!(
            message(&|e| e.tokens[1] = 9),
            "example 7: word 9 of a vocabulary of 4"
        );
        assert_eq!(
            message(&|e| e.constants[0].last = 3),
            "example 7: constant 1..=3 of a question of 3 tokens"
        );
        assert!(message(&|e| e.tokens.clear()).contains("no token"));
        assert!(message(&|e| e.token_features.clear()).contains("0 token features"));
        assert!(
            message(&|e| {
                e.columns.push(&[], 0, &[0.0, 0.0], &[]);
                e.pair_features.resize(12, 0.0);
            })
            .contains("has no word")
        );
        assert!(message(&|e| e.columns.push(&[1], 0, &[0.0], &[])).contains("column features"));
        assert_eq!(
            message(&|e| e.pair_features.push(0.0)),
            "example 7: 7 pair features for 3 tokens and 1 columns of 2 features"
        );
        assert!(message(&|e| e.pair_features[0] = f32::NAN).contains("not a finite number"));
        assert_eq!(
            message(&|e| e.constant_kinds.clear()),
            "example 7: 0 kinds of 1 constants"
        );
        assert_eq!(
            message(&|e| e.constant_kinds[0] = 2),
            "example 7: a constant of kind 2 when there are 2"
        );
        assert_eq!(
            message(&|e| {
                e.columns = Columns::default();
                e.columns.push(&[3], 2, &[1.0, 0.0], &[5]);
            }),
            "example 7: word 5 of a vocabulary of 4"
        );
    }

    #[test]
    fn a_variable_is_valid_only_after_it_was_defined() {
        let example = example();
        let examples = [&example];
        let mut steps = Program::default();
        steps.push(0, &[0, 1], false);
        steps.push(2, &[2], true);
        steps.push(5, &[5, 0], false);
        let run = |steps: &Program| {
            let weighted = [WeightedProgram {
                example: 0,
                weight: 1.0,
                steps,
            }];
            Batch {
                examples: &examples,
                weighted: &weighted,
            }
            .check(&config(), 4)
        };
        assert!(run(&steps).is_ok());
        let mut early = Program::default();
        early.push(5, &[5], true);
        assert_eq!(
            run(&early).unwrap_err().to_string(),
            "program 0, step 0: slot 5 when there are 5"
        );
        let mut absent = Program::default();
        absent.push(1, &[0, 2], false);
        assert!(
            run(&absent)
                .unwrap_err()
                .to_string()
                .contains("must be valid once")
        );
        assert!(
            run(&Program::default())
                .unwrap_err()
                .to_string()
                .contains("no step")
        );
    }
}
