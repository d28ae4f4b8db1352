//! What our own reader finds in a cell.

use mapo_text::{Date, read};

/// The numbers and the date found in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellValues {
    /// The first number.
    pub number: Option<f64>,
    /// The second number, the 4 of `3-4`.
    pub second: Option<f64>,
    /// The date.
    pub date: Option<Date>,
}

impl CellValues {
    /// Cells of this many tokens and more are prose: the numbers in them are not the cell's value.
    pub const PROSE: usize = 10;

    /// What our own reader finds in a cell.
    pub fn of(cell: &str) -> CellValues {
        mapo_stopping::glance();
        if read::says_nothing(cell) {
            return CellValues::default();
        }
        CellValues::from(read::read_cell(cell))
    }
}

impl From<read::CellReading> for CellValues {
    fn from(cell: read::CellReading) -> Self {
        let prose = cell.tokens >= CellValues::PROSE;
        CellValues {
            number: cell.number.filter(|_| !prose),
            second: cell.number2.filter(|_| !prose),
            date: cell.date,
        }
    }
}
