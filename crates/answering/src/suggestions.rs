//! Questions that one may ask about a table.

use mapo_questions::{Linking, column_words};
use mapo_tables::{Column, ColumnKind, Table, Value};

/// At most this many.
const MOST: usize = 3;

/// A few questions about a table, made of its own columns and cells.
///
/// ```
/// use mapo_answering::suggestions;
/// use mapo_tables::TableBuilder;
/// let mut builder = TableBuilder::new("people.csv", ["name", "town", "avg_pay"]);
/// builder.push_row(["Ada", "Oslo", "12"]);
/// builder.push_row(["Ben", "Oslo", "15"]);
/// builder.push_row(["Eva", "Rome", "11"]);
/// assert_eq!(
///     suggestions(&builder.finish()),
///     ["which name has the highest average pay?", "how many have Oslo as town?", "what is the average pay of Ada?"]
/// );
/// ```
pub fn suggestions(table: &Table) -> Vec<String> {
    let called = |column: &Column| {
        let words: Vec<&str> = column_words(table, column, Linking::Everyday).collect();
        words.join(" ")
    };
    let of_kind = |kind: ColumnKind| table.columns().iter().filter(move |column| column.kind() == kind);
    let is_number =
        |column: &&Column| of_kind(ColumnKind::Number).any(|number| number.source() == column.source());
    // What is counted or measured, not a number that is a name.
    let number = of_kind(ColumnKind::Number)
        .filter(|column| !called(column).contains("identifier"))
        .max_by_key(|column| column.values_len().min(table.rows() / 2));
    let mut texts = of_kind(ColumnKind::Text).filter(|column| !is_number(column));
    let name = texts
        .clone()
        .find(|column| column.values_len() * 2 > table.rows());
    let group = texts.find(|column| {
        let distinct = column.values_len();
        distinct > 1 && distinct * 3 <= table.rows() * 2
    });
    let cell = |column: &Column| {
        let is_short = |row: &usize| {
            let text = table.cell(*row, column.source()).trim();
            !text.is_empty()
                && text.chars().count() <= 30
                && matches!(column.value(*row), Some(Value::Text(_)))
        };
        let row = (0..table.rows().min(100)).find(is_short)?;
        Some(table.cell(row, column.source()).trim().to_owned())
    };
    let highest = |number: &Column| format!("highest {}", called(number));
    let mut all = Vec::new();
    match (name, number) {
        (Some(name), Some(number)) => {
            all.push(format!("which {} has the {}?", called(name), highest(number)))
        }
        (None, Some(number)) => all.push(format!("what is the {}?", highest(number))),
        _ => {}
    }
    if let Some(group) = group
        && let Some(cell) = cell(group)
    {
        all.push(format!("how many have {cell} as {}?", called(group)));
    }
    let asked = number.or(group);
    if let (Some(name), Some(asked)) = (name, asked)
        && let Some(cell) = cell(name)
    {
        all.push(format!("what is the {} of {cell}?", called(asked)));
    }
    if all.is_empty() {
        all.push("how many rows are there?".to_owned());
    }
    all.truncate(MOST);
    all
}
