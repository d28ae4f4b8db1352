//! What the cells of a column are, by most of them.

use crate::cell_values::CellValues;
use crate::column::Cells;
use mapo_text as text;
use std::collections::HashSet;

/// Forgets the numbers of a column, or its dates, where most of its cells are none.
pub(crate) fn keep_what_most_are(cells: &Cells, readings: &mut [CellValues]) {
    let is_empty: Vec<bool> = cells
        .texts
        .iter()
        .map(|text| text::trim(text).is_empty())
        .collect();
    let filled = cells
        .rows
        .iter()
        .filter(|text| !is_empty[**text as usize])
        .count();
    let are_most = |is: &dyn Fn(&CellValues) -> bool| {
        let rows = cells.rows.iter().filter(|text| is(&readings[**text as usize]));
        2 * rows.count() >= filled
    };
    let is_number = |reading: &CellValues| reading.number.is_some();
    let are_numbers = are_most(&is_number) && !are_names(cells, readings);
    let are_dates = are_most(&|reading| reading.date.is_some());
    for reading in readings.iter_mut() {
        if !are_numbers {
            (reading.number, reading.second) = (None, None);
        }
        if !are_dates {
            reading.date = None;
        }
    }
}

/// Whether the numbers of a column are parts of names: what is left of its texts without their digits differs
/// from text to text, where units and remarks would repeat.
fn are_names(cells: &Cells, readings: &[CellValues]) -> bool {
    let mut without_digits: HashSet<String> = HashSet::new();
    let (mut texts, mut left) = (0, String::new());
    for (text, reading) in cells.texts.iter().zip(readings) {
        mapo_stopping::glance();
        // The letters of `0xfa` are digits.
        if reading.number.is_none() || reading.date.is_some() || text.starts_with("0x") {
            continue;
        }
        texts += 1;
        // What stands in brackets is a remark.
        let own = text.split(['(', '[']).next().unwrap_or_default();
        let letters = own.chars().filter(|c| c.is_alphabetic());
        left.clear();
        left.extend(letters.flat_map(char::to_lowercase));
        // A million texts often leave the same.
        if !without_digits.contains(&left) {
            without_digits.insert(left.clone());
        }
    }
    // Neither are the endings of `1st` and `2nd` names.
    for nothing in ["", "st", "nd", "rd", "th"] {
        without_digits.remove(nothing);
    }
    without_digits.len() > 3 && 2 * without_digits.len() > texts
}

#[cfg(test)]
mod tests {
    use crate::TableBuilder;

    /// The names of the columns that are made of some cells.
    fn columns(cells: &[&str]) -> Vec<String> {
        let mut builder = TableBuilder::new("t", ["c"]);
        cells.iter().for_each(|cell| builder.push_row([*cell]));
        let table = builder.finish();
        table
            .columns()
            .iter()
            .map(|column| column.name().to_owned())
            .collect()
    }

    #[test]
    fn columns_of_numbers_are_those_whose_cells_mostly_are() {
        let numbers = ["r.c-str", "r.c-num"];
        assert_eq!(columns(&["12", "", "n/a", "5", "7"]), numbers);
        assert_eq!(columns(&["1st", "2nd", "3rd", "4th"]), numbers);
        assert_eq!(columns(&["12 km", "5 km", "7 miles", "8 km", "9 m"]), numbers);
        assert_eq!(
            columns(&["12 (first)", "5 (left)", "7 (retired)", "8 (hurt)"]),
            numbers
        );
        assert_eq!(
            columns(&["Base", "4.0 Sport", "Lux", "Coupe", "Plus", "2.0 Sport"]),
            ["r.c-str"]
        );
    }

    #[test]
    fn numbers_in_names_make_no_column() {
        let clubs = [
            "Hannover 96",
            "Schalke 04",
            "Mainz 05",
            "Bayer 04",
            "1860 Rosenheim",
            "Berlin 92",
        ];
        assert_eq!(columns(&clubs), ["r.c-str"]);
    }

    #[test]
    fn numbers_of_which_some_could_be_years_are_no_dates() {
        assert_eq!(
            columns(&["1850", "40210", "350", "77120", "2010", "91"]),
            ["r.c-str", "r.c-num"]
        );
        let years = columns(&["1850", "1910", "unknown", "2010"]);
        assert_eq!(years, ["r.c-str", "r.c-num", "r.c-date"]);
    }
}
