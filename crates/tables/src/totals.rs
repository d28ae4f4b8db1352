//! Rows of totals: a last row that adds up the others and is none of them.

use mapo_text::normalize;

/// A row that was left out of a table because it adds up the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Which row of the file it was, from 0.
    pub row: usize,
    /// What it is called there.
    pub label: String,
}

impl LeftOut {
    /// One sentence for people, who count rows from 1.
    pub fn note(&self) -> String {
        format!(
            "row {}, '{}', adds up the others and was left out",
            self.row + 1,
            self.label
        )
    }
}

/// The words that a row of totals is called by; nothing else stands in its label.
const WORDS: [&str; 8] = [
    "total",
    "totals",
    "sum",
    "all",
    "overall",
    "grand",
    "combined",
    "altogether",
];

/// How far a printed total may be from the sum: others were rounded before they were added up.
const ROUNDING: f64 = 0.005;

/// What the last of some rows is called if it adds up the others. The word is not enough: a column of numbers must
/// add up, and of those that have a number in the last row at least half. `cell` gives the text of a row and
/// a column, and `number` the number that is read there.
pub(crate) fn label_of_totals<'t>(
    rows: usize,
    columns: usize,
    cell: impl Fn(usize, usize) -> &'t str,
    number: impl Fn(usize, usize) -> Option<f64>,
) -> Option<&'t str> {
    let last = rows.checked_sub(1).filter(|last| *last >= 2)?;
    let is_label = |text: &str| {
        let normal = normalize(text);
        let mut words = normal
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .peekable();
        words.peek().is_some() && words.all(|word| WORDS.contains(&word))
    };
    let label = (0..columns)
        .map(|column| cell(last, column))
        .find(|text| is_label(text))?;
    let (mut numbers, mut sums) = (0, 0);
    for column in 0..columns {
        let Some(total) = number(last, column) else {
            continue;
        };
        let others = || (0..last).filter_map(|row| number(row, column));
        if others().count() * 2 < last {
            continue;
        }
        numbers += 1;
        let sum: f64 = others().sum();
        // Sums of nothing, or of one value, say nothing.
        let several = others().filter(|number| *number != 0.0).count() > 1;
        if several && (sum - total).abs() <= ROUNDING * total.abs() {
            sums += 1;
        }
    }
    (sums > 0 && sums * 2 >= numbers).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_text::read::read_cell;
    use proptest::prelude::*;

    fn label(rows: &[&[&str]]) -> Option<String> {
        let cell = |row: usize, column: usize| rows[row][column];
        let number = |row: usize, column: usize| read_cell(cell(row, column)).number;
        label_of_totals(rows.len(), rows[0].len(), cell, number).map(str::to_owned)
    }

    #[test]
    fn the_word_and_the_sums_make_a_row_of_totals() {
        let rows: [&[&str]; 3] = [
            &["North", "3", "10 %"],
            &["South", "4", "30 %"],
            &["TOTAL:", "7", "20 %"],
        ];
        assert_eq!(label(&rows).as_deref(), Some("TOTAL:"));
        let thousands: [&[&str]; 4] = [
            &["", "1,200.5"],
            &["", "800.25"],
            &["x", ""],
            &["Grand total", "2,000.75"],
        ];
        assert_eq!(label(&thousands).as_deref(), Some("Grand total"));
    }

    #[test]
    fn neither_is_enough() {
        for rows in [
            // Another number.
            [&["North", "3"][..], &["South", "4"], &["Total", "8"]],
            // Another name.
            [&["North", "3"], &["South", "4"], &["East", "7"]],
            // A brand.
            [&["Shell", "3"], &["BP", "4"], &["Total Energies", "7"]],
            // Nothing to add up.
            [&["North", "x"], &["South", "y"], &["Total", "z"]],
            [&["North", "0"], &["South", "7"], &["Total", "7"]],
        ] {
            assert_eq!(label(&rows), None, "{rows:?}");
        }
        assert_eq!(label(&[&["North", "7"], &["Total", "7"]]), None);
    }

    #[test]
    fn a_table_without_its_totals_knows_nothing_of_them() {
        let rows = "Region,Sales\nNorth,10\nSouth,20\nTotal,30\n";
        let open = |drop_totals| {
            let options = crate::LoadOptions {
                drop_totals,
                ..crate::LoadOptions::default()
            };
            crate::Table::from_reader("sales.csv", rows.as_bytes(), &options).unwrap()
        };
        let (table, whole) = (open(true), open(false));
        assert_eq!((table.rows(), whole.rows()), (2, 3));
        assert_eq!(table.left_out().map(|left| left.row), Some(2));
        assert_eq!(whole.left_out(), None);
        let total = crate::Constant::string("total");
        assert_eq!(table.columns()[0].holds(&total), crate::Held::No);
        assert_eq!(whole.columns()[0].holds(&total), crate::Held::Whole);
    }

    proptest! {
        #[test]
        fn sums_are_recognised(numbers in prop::collection::vec(1..10_000i64, 2..30)) {
            let mut rows: Vec<[String; 2]> = numbers.iter().map(|n| ["x".to_owned(), n.to_string()]).collect();
            let total: i64 = numbers.iter().sum();
            rows.push(["Total".to_owned(), total.to_string()]);
            let cell = |row: usize, column: usize| rows[row][column].as_str();
            let number = |row: usize, column: usize| read_cell(cell(row, column)).number;
            prop_assert_eq!(label_of_totals(rows.len(), 2, cell, number), Some("Total"));
            let without = label_of_totals(rows.len() - 1, 2, cell, number);
            prop_assert_eq!(without, None);
        }
    }
}
