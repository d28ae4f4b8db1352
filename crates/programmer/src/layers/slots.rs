//! What the encoder leaves for the decoder.

use crate::batch::Example;
use crate::matrix::Matrix;
use std::ops::Range;

/// What the decoder reads: a slot for each token that a program may contain, and the attention's keys and
/// contents. Slots are rows in the order: built-ins, the input of the first step, columns of all examples,
/// constants of all examples, variables.
#[derive(Clone, Debug, Default)]
pub struct SlotMemory {
    /// The slots.
    pub slots: Matrix,
    /// What a slot's features add to its logit.
    pub slot_bias: Vec<f32>,
    /// What the attention to each token adds to the logits of columns: for each column as many numbers as
    /// its example has tokens; nothing in a network without links.
    pub links: Vec<f32>,
    /// Where the links of each column start, and the end of the last.
    pub link_starts: Vec<usize>,
    /// Keys of all tokens.
    pub keys: Matrix,
    /// Contents of all tokens, already multiplied by the output layer's weights: it is linear, so this gives
    /// the same sum with one product for each token instead of one for each decoder step.
    pub contents: Matrix,
    /// Where the tokens of each example start, and the end of the last.
    pub tokens: Vec<usize>,
    /// The first column slot of each example, and the end of the last.
    pub columns: Vec<usize>,
    /// The first constant slot of each example, and the end of the last.
    pub constants: Vec<usize>,
    /// Number of built-ins.
    pub builtins: usize,
    /// Initial outputs of the decoder, a matrix for each layer with a row for each example.
    pub hidden: Vec<Matrix>,
    /// Initial cells of the decoder.
    pub cell: Vec<Matrix>,
}

/// What a slot number of an example stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotRow {
    /// A row of the memory.
    Fixed(u32),
    /// A variable, by its number.
    Variable(usize),
}

impl SlotMemory {
    /// Number of examples.
    pub fn examples(&self) -> usize {
        self.tokens.len().saturating_sub(1)
    }

    /// The row of the first step's input.
    pub fn start_row(&self) -> u32 {
        self.builtins as u32
    }

    /// Number of rows before the variables.
    pub fn fixed_rows(&self) -> usize {
        self.constants.last().copied().unwrap_or(self.builtins + 1)
    }

    /// Finds a slot of an example.
    pub fn slot(&self, example: usize, slot: u32) -> SlotRow {
        let slot = slot as usize;
        let columns = self.columns[example + 1] - self.columns[example];
        let constants = self.constants[example + 1] - self.constants[example];
        if slot < self.builtins {
            SlotRow::Fixed(slot as u32)
        } else if slot < self.builtins + columns {
            SlotRow::Fixed((self.columns[example] + slot - self.builtins) as u32)
        } else if slot < self.builtins + columns + constants {
            SlotRow::Fixed((self.constants[example] + slot - self.builtins - columns) as u32)
        } else {
            SlotRow::Variable(slot - self.builtins - columns - constants)
        }
    }

    /// Where the links of a slot are, if it is a column's and there are any.
    pub fn link(&self, slot: u32) -> Option<Range<usize>> {
        let column = (slot as usize).checked_sub(self.builtins + 1)?;
        let end = *self.link_starts.get(column + 1)?;
        Some(self.link_starts[column]..end)
    }

    /// Lays out the slots of some examples.
    pub fn prepare(&mut self, builtins: usize, examples: &[&Example], hidden: usize) {
        fn starts(out: &mut Vec<usize>, first: usize, counts: impl Iterator<Item = usize>) -> usize {
            out.clear();
            out.push(first);
            let mut sum = first;
            out.extend(counts.map(|n| {
                sum += n;
                sum
            }));
            sum
        }
        self.builtins = builtins;
        starts(&mut self.tokens, 0, examples.iter().map(|e| e.tokens.len()));
        let next = starts(
            &mut self.columns,
            builtins + 1,
            examples.iter().map(|e| e.columns.len()),
        );
        let rows = starts(
            &mut self.constants,
            next,
            examples.iter().map(|e| e.constants.len()),
        );
        self.slots.shape(rows, hidden);
    }
}

/// Gradients of a [`SlotMemory`].
#[derive(Clone, Debug, Default)]
pub struct SlotGradient {
    /// Of the slots, variables included.
    pub slots: Matrix,
    /// Of the slots' biases.
    pub slot_bias: Vec<f32>,
    /// Of the links.
    pub links: Vec<f32>,
    /// Of the keys.
    pub keys: Matrix,
    /// Of the contents.
    pub contents: Matrix,
}
