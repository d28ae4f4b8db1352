//! Invented tables: what people keep in spreadsheets, filled by chance.

use crate::choices::Choices;
use crate::conditions::with_commas;
use crate::headers::{Style, shortened};
use crate::meanings::{self, DOMAINS, Domain, Measure, Sort, Topic, measure, topic};
use crate::names::Names;
use mapo_tables::{Table, TableBuilder, column_name};
use std::collections::HashSet;
use std::sync::Arc;

/// An invented table, and what its rows are: several, and one.
#[derive(Clone, Debug)]
pub struct Invented {
    /// The table; its name is that of a file.
    pub table: Arc<Table>,
    /// "cars", "car".
    pub rows: (&'static str, &'static str),
}

/// Invents a table.
///
/// ```
/// use mapo_composing::{Choices, invent};
/// let invented = invent(&mut Choices::new(1, 0));
/// assert!(invented.table.rows() >= 8);
/// ```
pub fn invent(choices: &mut Choices) -> Invented {
    let domain = &DOMAINS[choices.below(DOMAINS.len())];
    let rows = 8 + choices.below(18) + if choices.one_in(4) { choices.below(60) } else { 0 };
    let style = Style::pick(choices);
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    if let Some(names) = domain.names {
        let header = choices
            .pick(domain.keys)
            .copied()
            .unwrap_or("name")
            .replace('_', " ");
        let header: Vec<String> = header.split(' ').map(str::to_owned).collect();
        let mut cells = names.draw(rows, &mut |_| true, choices);
        cells.resize_with(rows, || "Unnamed".to_owned());
        columns.push((style.write(&header), cells));
    } else if choices.one_in(2) {
        let header = choices
            .pick(domain.keys)
            .copied()
            .unwrap_or("id")
            .replace('_', " ");
        let header: Vec<String> = header.split(' ').map(str::to_owned).collect();
        let start = 1 + choices.below(5000);
        columns.push((
            style.write(&header),
            (start..start + rows).map(|number| number.to_string()).collect(),
        ));
    }
    let mut wanted: Vec<&str> = domain.columns.to_vec();
    choices.shuffle(&mut wanted);
    wanted.truncate(4 + choices.below(8));
    for header in wanted {
        columns.extend(column(domain, header, rows, style, choices));
    }
    for _ in 0..choices.below(5) {
        columns.extend(beside(domain, rows, style, choices));
    }
    // Tables of people do not begin with what is asked about.
    let first = usize::from(domain.names.is_some());
    choices.shuffle(&mut columns[first..]);
    let name = format!("{}.csv", domain.rows.0);
    // Two that came to the same header are of one kind; one is enough.
    let mut known = HashSet::new();
    columns.retain(|(header, _)| known.insert(column_name(header)));
    let mut builder = TableBuilder::new(name, columns.iter().map(|(header, _)| header.clone()));
    for row in 0..rows {
        builder.push_row(columns.iter().map(|(_, cells)| cells[row].as_str()));
    }
    Invented {
        table: Arc::new(builder.finish()),
        rows: domain.rows,
    }
}

/// A column that is not among the domain's own: one that tables of its kin have, a mark, remarks, a number.
fn beside(
    domain: &Domain,
    rows: usize,
    style: Style,
    choices: &mut Choices,
) -> Option<(String, Vec<String>)> {
    let write = |header: &str| style.write(&header.split(' ').map(str::to_owned).collect::<Vec<_>>());
    Some(match choices.below(6) {
        0..=2 => {
            let alike: Vec<(&Domain, &str)> = DOMAINS
                .iter()
                .filter(|other| domain.is_kin(other))
                .flat_map(|other| other.columns.iter().map(move |header| (other, *header)))
                .filter(|(_, header)| !domain.columns.contains(header) && !domain.keys.contains(header))
                .collect();
            let (other, header) = *choices.pick(&alike)?;
            return column(other, header, rows, style, choices);
        }
        3 => {
            let marks: &[&str] = match domain.sort {
                Sort::Person => &["active", "verified", "member", "insured"],
                Sort::Animal => &["vaccinated", "new"],
                Sort::Work | Sort::Thing | Sort::Food => &["new", "available", "on sale"],
                Sort::Place | Sort::Building => &["renovated", "open", "new"],
                Sort::Organisation => &["active", "certified"],
                Sort::Event => &["verified", "confirmed"],
                Sort::Record => &["paid", "verified", "online"],
            };
            const WORDS: &[(&str, &str)] = &[("yes", "no"), ("Y", "N"), ("1", "0"), ("TRUE", "FALSE")];
            let mark = choices.pick(marks).copied().unwrap_or("active");
            let (yes, no) = WORDS[choices.below(WORDS.len())];
            let cells = (0..rows).map(|_| if choices.one_in(2) { yes } else { no });
            (write(mark), cells.map(str::to_owned).collect())
        }
        4 => {
            const REMARKS: &[&str] = &["notes", "comments", "remarks", "other info", "description"];
            let header = choices.pick(REMARKS).copied().unwrap_or("notes");
            (write(header), (0..rows).map(|_| remark(choices)).collect())
        }
        _ => {
            let start = 1 + choices.below(90_000);
            let header = choices
                .pick(&["id", "no", "code", "row"])
                .copied()
                .unwrap_or("id");
            let cells = (start..start + rows).map(|number| number.to_string());
            (write(header), cells.collect())
        }
    })
}

/// Words as they stand in anyone's remarks, questions' words among them; often nothing.
fn remark(choices: &mut Choices) -> String {
    const WORDS: &[&str] = &[
        "the", "a", "was", "not", "with", "best", "average", "paid", "last", "year", "more", "than", "first",
        "give", "number", "of", "people", "high", "low", "in", "for", "new", "old", "see", "total", "born",
        "lives", "worked", "long", "top", "large", "small", "women", "men", "most", "needs", "check",
        "again", "price", "changed", "from", "before", "after", "cost", "raise", "come", "team", "won",
        "score", "home",
    ];
    if choices.one_in(2) {
        return String::new();
    }
    let length = 4 + choices.below(14);
    let words = (0..length).filter_map(|_| choices.pick(WORDS).copied());
    words.collect::<Vec<_>>().join(" ")
}

/// Headers of which there are more mean things that are alike, but not the same.
const MOST_ALIKE: usize = 14;

/// A column of a domain under one of the headers that mean it.
fn column(
    domain: &Domain,
    header: &str,
    rows: usize,
    style: Style,
    choices: &mut Choices,
) -> Option<(String, Vec<String>)> {
    let words: Vec<String> = header.split(' ').map(str::to_owned).collect();
    let as_topic = topic(&words);
    let as_measure =
        measure(&words).filter(|_| as_topic.is_none_or(|topic| !topic.headers.contains(&header)));
    let (headers, cells) = match (as_measure, as_topic) {
        (Some(measure), _) => {
            let range = meanings::range(domain.rows.0, header).unwrap_or(measure.range);
            (measure.headers, numbers(measure, range, rows, choices))
        }
        (None, Some(topic)) => {
            let values = meanings::values(domain.rows.0, header).unwrap_or(topic.values);
            (topic.headers, groups(topic, values, rows, choices))
        }
        (None, None) => (
            &[][..],
            groups_of(&Names::Person.draw(5, &mut |_| true, choices), rows, choices),
        ),
    };
    // Mostly the domain's own header; else another that means the same.
    let header = match choices.pick(headers) {
        Some(other) if headers.len() <= MOST_ALIKE && choices.one_in(4) && !domain.keys.contains(other) => {
            *other
        }
        _ => header,
    };
    let words: Vec<String> = header.split(' ').map(str::to_owned).collect();
    Some((style.write(&shortened(&words, choices)), cells))
}

fn numbers(
    measure: &Measure,
    (low, high, decimals): (f64, f64, u8),
    rows: usize,
    choices: &mut Choices,
) -> Vec<String> {
    let scale = 10f64.powi(i32::from(decimals));
    // Wide ranges are drawn by their order of magnitude, as populations and revenues are.
    let is_wide = low > 0.0 && high / low > 300.0;
    let is_date = measure.is_time && choices.one_in(3);
    let is_sparse = choices.one_in(8);
    let in_threes = high >= 10_000.0 && !measure.is_time && choices.one_in(4);
    let cell = |choices: &mut Choices| {
        if is_sparse && choices.one_in(9) {
            return String::new();
        }
        let part = choices.below(100_001) as f64 / 100_000.0;
        let number = match is_wide {
            true => (low.ln() + part * (high.ln() - low.ln())).exp(),
            false => low + part * (high - low),
        };
        let number = (number * scale).round() / scale;
        if is_date {
            return format!(
                "{number}-{:02}-{:02}",
                1 + choices.below(12),
                1 + choices.below(28)
            );
        }
        let text = number.to_string();
        match in_threes && number >= 1000.0 && number.fract() == 0.0 {
            true => with_commas(&text),
            false => text,
        }
    };
    (0..rows).map(|_| cell(choices)).collect()
}

fn groups(topic: &Topic, values: &[&str], rows: usize, choices: &mut Choices) -> Vec<String> {
    let values: Vec<String> = match values.is_empty() {
        true => topic
            .names
            .unwrap_or(Names::Person)
            .draw(6, &mut |_| true, choices),
        false => values.iter().map(|value| (*value).to_owned()).collect(),
    };
    groups_of(&values, rows, choices)
}

/// Some of the values, some more often than others.
fn groups_of(values: &[String], rows: usize, choices: &mut Choices) -> Vec<String> {
    let mut values: Vec<String> = values.to_vec();
    choices.shuffle(&mut values);
    values.truncate(2 + choices.below(7.min(rows / 3).max(1)));
    let cell = |choices: &mut Choices| {
        let place = choices.below(values.len()).min(choices.below(values.len() + 1));
        values.get(place).cloned().unwrap_or_default()
    };
    (0..rows).map(|_| cell(choices)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::{words, written_out};

    #[test]
    fn a_table_has_what_its_rows_can_have() {
        // Nothing of which people speak in other tables only.
        let apart = [
            ("players", "fuel"),
            ("mountains", "salary"),
            ("cities", "sodium"),
            ("songs", "fuel"),
        ];
        for seed in 0..300 {
            let invented = invent(&mut Choices::new(seed, 0));
            for (rows, header) in apart {
                let has = |own: &String| written_out(&words(own)).join(" ") == header;
                assert!(invented.rows.0 != rows || !invented.table.headers().iter().any(has));
            }
        }
    }
}
