//! Programs in plain English.

use crate::language::Program;
use crate::table::Table;

/// What a program says, in plain English: `rows where Hometown contains 'tulsa' → Name`.
pub fn english(program: &Program, table: &Table) -> String {
    let steps = (0..program.expressions.len()).map(|index| describe(program, index, table));
    steps.collect::<Vec<_>>().join(" → ")
}

/// What one expression of a program says.
pub fn describe(program: &Program, index: usize, _table: &Table) -> String {
    program.expressions[index].to_string()
}
