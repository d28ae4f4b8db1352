//! The same table under other headers, as another file would have it.

use crate::choices::Choices;
use crate::headers::{Style, shortened, told_apart, words};
use crate::meanings;
use mapo_tables::{Table, TableBuilder};

/// The table with its headers in another style, some cut short, some exchanged for others that mean the same.
pub fn restyle(table: &Table, choices: &mut Choices) -> Table {
    let style = Style::pick(choices);
    let header = |header: &String, choices: &mut Choices| {
        let own = words(header);
        if own.is_empty() {
            return header.clone();
        }
        let meant = match (own.len(), meanings::measure(&own), meanings::topic(&own)) {
            (1..=2, Some(measure), _) if measure.headers.len() <= 15 => measure.headers,
            (1, _, Some(topic)) => topic.headers,
            _ => &[],
        };
        let own: Vec<String> = match choices.pick(meant) {
            Some(other) if choices.one_in(3) => other.split(' ').map(str::to_owned).collect(),
            _ => own,
        };
        style.write(&shortened(&own, choices))
    };
    let headers: Vec<String> = table.headers().iter().map(|own| header(own, choices)).collect();
    under(table, headers)
}

/// The table as a file must have it: no two headers are the same.
pub fn plain(table: &Table) -> Table {
    under(table, table.headers().to_vec())
}

fn under(table: &Table, headers: Vec<String>) -> Table {
    let mut builder = TableBuilder::new(table.name(), told_apart(headers));
    for row in 0..table.rows() {
        builder.push_row((0..table.headers().len()).map(|column| table.cell(row, column)));
    }
    builder.finish()
}
