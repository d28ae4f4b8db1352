//! How the cells of a column look beside what programs read in them. Each is found from the distinct texts,
//! when first asked for, and kept: a table of two million rows is looked through once.

use mapo_tables::rows::words_for;
use mapo_tables::{Column, ColumnKind, Table, Value};

/// How the normal form of a column's texts, by which programs compare, follows from the texts themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// It is the text.
    Same,
    /// It is the text in lower case, which every SQL engine makes in the same way: there is nothing but
    /// ASCII.
    Lower,
    /// It is something else.
    Apart,
}

/// How a text column looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextLook {
    pub form: Form,
    /// Whether cells with one normal form always have one text.
    pub one_text_each: bool,
}

/// Calls `look` with a row for each distinct text of the column's cells, until it says to stop.
fn each_text(column: &Column, mut look: impl FnMut(usize) -> bool) {
    let mut seen: Vec<u64> = Vec::new();
    for row in 0..column.rows() {
        let text = column.text(row) as usize;
        if seen.len() <= text / 64 {
            seen.resize(words_for(text + 1).max(seen.len() * 2), 0);
        }
        let (word, bit) = (&mut seen[text / 64], 1 << (text % 64));
        if *word & bit == 0 {
            *word |= bit;
            if !look(row) {
                return;
            }
        }
    }
}

impl TextLook {
    pub fn of(table: &Table, column: &Column) -> TextLook {
        let texts = table.answers(column.source());
        let (mut same, mut lower) = (true, true);
        // Without the interning of equal texts that have different readings, a text would be seen once only.
        let mut first_text: Vec<u32> = vec![u32::MAX; column.code_space()];
        let mut one_text_each = true;
        each_text(column, |row| {
            let number = column.text(row);
            let text = texts.get(number);
            let first = &mut first_text[column.code(row) as usize];
            if *first == u32::MAX {
                *first = number;
            }
            one_text_each &= texts.get(*first) == text;
            if let (Some(Value::Text(normal)), true) = (column.value(row), same || lower) {
                same &= text == normal;
                lower &= text.is_ascii() && text.eq_ignore_ascii_case(normal) && !has_upper(normal);
            }
            same || lower || one_text_each
        });
        let form = match (same, lower) {
            (true, _) => Form::Same,
            (_, true) => Form::Lower,
            _ => Form::Apart,
        };
        TextLook { form, one_text_each }
    }
}

fn has_upper(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether what a number or date column reads is what anyone would read in its cells, so that the header
/// alone says what is meant: cells that are numbers, or years, and nothing else.
pub(super) fn is_plain(table: &Table, column: &Column) -> bool {
    let mut readings = table.columns().iter();
    let alone = !readings.any(|other| {
        let ordered = other.kind().is_ordered() && other.kind() != column.kind();
        other.source() == column.source() && ordered
    });
    if column.kind() == ColumnKind::Date && alone {
        return true;
    }
    let texts = table.answers(column.source());
    let mut plain = column.kind() != ColumnKind::SecondNumber;
    each_text(column, |row| {
        let written = || number_written(texts.get(column.text(row)));
        plain &= match column.value(row) {
            None => true,
            Some(Value::Number(number)) => written() == Some(number),
            Some(Value::Date(date)) => date.known() == 0b100 && date.year.map(f64::from) == written(),
            Some(Value::Text(_)) => false,
        };
        plain
    });
    plain
}

/// The number that a text is as a whole, thousands set off by commas or not.
fn number_written(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.contains(',') {
        true => text.replace(',', "").parse().ok(),
        false => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    fn table(cells: &[&str]) -> Table {
        let mut builder = TableBuilder::new("t", ["A"]);
        cells.iter().for_each(|cell| builder.push_row([*cell]));
        builder.finish()
    }

    #[test]
    fn lower_case_is_used_only_where_it_is_the_normal_form() {
        let cases: [(&[&str], Form, bool); 7] = [
            (&["abc", "12"], Form::Same, true),
            (&["Abc", "12", ""], Form::Lower, true),
            (&["Abc", "ABC"], Form::Lower, false),
            (&["Abc", "Zoë"], Form::Apart, true),
            (&["Abc (film)"], Form::Apart, true),
            (&["two  blanks"], Form::Apart, true),
            // Not ASCII, though the same in lower case: engines differ in what they make of it.
            (&["Łódź"], Form::Apart, true),
        ];
        for (cells, form, one_text_each) in cases {
            let table = table(cells);
            let look = TextLook::of(&table, &table.columns()[0]);
            assert_eq!(look, TextLook { form, one_text_each }, "{cells:?}");
        }
    }

    #[test]
    fn years_and_numbers_are_plain_and_units_are_not() {
        let plain = |cells: &[&str], name: &str| {
            let table = table(cells);
            let column = table.find(name).unwrap();
            is_plain(&table, table.column(column))
        };
        assert!(plain(&["1836", "1,200", ""], "r.a-num"));
        assert!(plain(&["1836", "1854"], "r.a-date"));
        assert!(!plain(&["5 km", "6 km"], "r.a-num"));
        assert!(!plain(&["3-4", "5-6"], "r.a-num2"));
        assert!(!plain(&["3-4", "5-6"], "r.a-num"));
        assert!(!plain(&["July 8, 2004"], "r.a-date"));
    }
}
