//! Words and columns as vectors: fixed vectors, trained rows, means.

use crate::batch::Example;
use crate::matrix::Matrix;
use crate::words::Words;

/// Vectors looked up for a shard, with the record of which trained rows went where.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// One row for each token or column.
    pub vectors: Matrix,
    /// (trained word, row, factor) for every use of a trained row.
    pub uses: Vec<(u32, u32, f32)>,
}

impl Lookup {
    fn clear(&mut self, rows: usize, width: usize) {
        self.vectors.reset(rows, width);
        self.uses.clear();
    }

    fn add(&mut self, words: &Words, trained: &[f32], word: u32, row: usize, factor: f32) {
        words.add_vector(word, trained, factor, self.vectors.row_mut(row));
        if (word as usize) < words.trained() {
            self.uses.push((word, row as u32, factor));
        }
    }

    /// The vectors of all question tokens.
    pub fn tokens(&mut self, words: &Words, trained: &[f32], examples: &[&Example]) {
        self.clear(examples.iter().map(|e| e.tokens.len()).sum(), words.dimensions());
        for (row, &word) in examples.iter().flat_map(|e| &e.tokens).enumerate() {
            self.add(words, trained, word, row, 1.0);
        }
    }

    /// The vectors of all columns: the mean of the vector of the type's name and the mean of those of the
    /// name's words.
    pub fn columns(&mut self, words: &Words, trained: &[f32], examples: &[&Example]) {
        self.clear(examples.iter().map(|e| e.columns.len()).sum(), words.dimensions());
        let mut row = 0;
        for columns in examples.iter().map(|e| &e.columns) {
            for column in 0..columns.len() {
                let name = columns.words(column);
                for &word in name {
                    self.add(words, trained, word, row, 0.5 / name.len() as f32);
                }
                self.add(words, trained, columns.kind(column), row, 0.5);
                row += 1;
            }
        }
    }

    /// The vectors of the cells of all columns: the mean of those of their words, zero where there is none.
    pub fn cells(&mut self, words: &Words, trained: &[f32], examples: &[&Example]) {
        self.clear(examples.iter().map(|e| e.columns.len()).sum(), words.dimensions());
        let mut row = 0;
        for columns in examples.iter().map(|e| &e.columns) {
            for column in 0..columns.len() {
                let cells = columns.cells(column);
                for &word in cells {
                    self.add(words, trained, word, row, 1.0 / cells.len() as f32);
                }
                row += 1;
            }
        }
    }
}
