//! What was done once need not be done again: results to be held again later.

use super::{Held, LARGE, Machine, RowsRef};

/// What an expression gave.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    held: Held,
    /// The words that have rows.
    rows: Box<[u64]>,
    /// Codes, and the cells' texts from which they come.
    values: Box<[(u32, u32)]>,
    /// The numbers of groups.
    numbers: Box<[f64]>,
}

impl Outcome {
    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.rows)
            + size_of_val(&*self.values)
            + size_of_val(&*self.numbers)
    }
}

impl Machine {
    /// The newest variable, to be [held again](Self::hold_again) later.
    pub fn newest(&self) -> Option<Outcome> {
        let variable = self.held.len().checked_sub(1)?;
        let held = self.held[variable];
        let (mut rows, mut values) = (Box::default(), Box::default());
        match held {
            Held::Rows { from, to, .. } => {
                rows = self.words(RowsRef::variable(variable as u8))[from as usize..to as usize].into();
            }
            Held::Values { start, end, .. } | Held::Groups { start, end, .. } => {
                let range = start as usize..end as usize;
                let pairs = self.codes[range.clone()].iter().zip(&self.cells[range]);
                values = pairs.map(|(code, cell)| (*code, *cell)).collect();
            }
            Held::Number(_) | Held::Truth(_) => {}
        }
        Some(Outcome {
            held,
            rows,
            values,
            numbers: self.group_numbers(variable).into(),
        })
    }

    /// Holds an earlier result as the newest variable.
    pub fn hold_again(&mut self, outcome: &Outcome) {
        let start = self.words * (self.held.len() + 1);
        self.rows.resize(start + self.words, 0);
        let held = match outcome.held {
            Held::Rows { from, to, .. } => {
                self.rows[start + from as usize..start + to as usize].copy_from_slice(&outcome.rows);
                outcome.held
            }
            Held::Values { column, .. } | Held::Groups { column, .. } => {
                let start = self.codes.len() as u32;
                self.codes.extend(outcome.values.iter().map(|(code, _)| code));
                self.cells.extend(outcome.values.iter().map(|(_, cell)| cell));
                let end = self.codes.len() as u32;
                match outcome.held {
                    Held::Groups { .. } => {
                        let first = self.numbers.len() as u32;
                        self.numbers.extend_from_slice(&outcome.numbers);
                        Held::Groups {
                            column,
                            start,
                            end,
                            first,
                        }
                    }
                    _ => Held::Values { column, start, end },
                }
            }
            Held::Number(_) | Held::Truth(_) => outcome.held,
        };
        self.held.push(held);
    }

    /// Whether the table is so large that results are worth keeping.
    pub fn is_worth_keeping(&self) -> bool {
        self.words >= LARGE / 4
    }
}
