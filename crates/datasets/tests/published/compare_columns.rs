//! Typed columns: names and every value.

use super::data::{self, PublishedTable, TaggedTable};
use super::quirk::{Quirk, Quirks};
use super::tables::{self, Table, Value};
use super::tally::Tally;
use mapo_datasets::Example;
use mapo_datasets::wikisql::files;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What is in a column, if there is one of the name.
type Values = Option<Arc<Vec<Option<Value>>>>;

/// What is compared of tables.
#[derive(Default)]
struct Tallies {
    columns: Tally,
    texts: Tally,
    quantities: Tally,
}

impl Tallies {
    fn report(&self, dataset: &str, of_columns: &[Quirk], of_texts: &[Quirk]) {
        self.columns
            .report(&format!("{dataset}, typed columns"), of_columns);
        self.texts
            .report(&format!("{dataset}, values of text columns"), of_texts);
        self.quantities
            .report(&format!("{dataset}, values of number and date columns"), &[]);
    }
}

/// Compares one table, column by column and value by value.
fn compare(published: &PublishedTable, ours: &Table, plain: impl Fn(Quirks) -> Table, tallies: &mut Tallies) {
    let published_column = |name: &str| -> Values {
        let values = published.columns.get(name)?;
        let value = |values: &Vec<serde_json::Value>| {
            assert!(values.len() <= 1, "{}: a cell with two values", published.table);
            values.first().map(|value| match value {
                serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap()),
                serde_json::Value::String(text) if name.ends_with("-date") => Value::Date(text.clone()),
                serde_json::Value::String(text) => Value::Text(text.clone()),
                other => panic!("{}: {other} in a cell", published.table),
            })
        };
        Some(Arc::new(values.iter().map(value).collect()))
    };
    let column = |table: &Table, name: &str| table.column(name).map(|column| Arc::clone(&column.values));
    let mut known: HashMap<Quirks, Table> = HashMap::new();
    let mut plain_column = |quirks: Quirks, name: &str| {
        let quirks = quirks.within(tables::QUIRKS);
        column(known.entry(quirks).or_insert_with(|| plain(quirks)), name)
    };
    let names: BTreeSet<&str> = published
        .columns
        .keys()
        .map(String::as_str)
        .chain(ours.columns.iter().map(|column| column.name.as_str()))
        .collect();
    for name in names {
        let what = || format!("{} {name}", published.table);
        let (theirs, ours) = (published_column(name), column(ours, name));
        tallies
            .columns
            .compare(what, &theirs, &ours, |quirks| plain_column(quirks, name));
        let values = if name.ends_with("-str") {
            &mut tallies.texts
        } else {
            &mut tallies.quantities
        };
        for row in 0..theirs.as_ref().or(ours.as_ref()).map_or(0, |values| values.len()) {
            let at = |values: &Values| values.as_ref().and_then(|values| values[row].clone());
            let what = || format!("{} {name} row {row}", published.table);
            values.compare(what, &at(&theirs), &at(&ours), |quirks| {
                at(&plain_column(quirks, name))
            });
        }
    }
}

#[test]
fn wtq_columns() {
    let Some(data) = data::folder() else { return };
    let ours = by_table(data::wtq_examples(&data));
    let mut tallies = Tallies::default();
    let published: Vec<PublishedTable> = data::vectors(&data, "wtq_columns.jsonl");
    assert_eq!(published.len(), 1508);
    for table in &published {
        let source = TaggedTable::open(&data, &table.table);
        let ours = tables::ours(&ours[table.table.as_str()].table);
        compare(table, &ours, |quirks| tables::wtq(&source, quirks), &mut tallies);
    }
    let of_columns = [Quirk::EmptyColumns, Quirk::EscapedCells];
    tallies.report("WikiTableQuestions", &of_columns, &[Quirk::EscapedCells]);
}

#[test]
fn wikisql_columns() {
    let Some(data) = data::folder() else { return };
    let questions: Vec<data::PublishedQuestion> = data::vectors(&data, "wikisql_questions.jsonl");
    let examples = data::wikisql_examples(&data, questions.iter().map(|question| question.id.clone()));
    let ours = by_table(&examples);
    let sources = wikisql_tables(&data);
    let mut tallies = Tallies::default();
    let published: Vec<PublishedTable> = data::vectors(&data, "wikisql_columns.jsonl");
    assert_eq!(published.len(), 282);
    for table in &published {
        let source = &sources[&table.table];
        let ours = tables::ours(&ours[table.table.as_str()].table);
        compare(table, &ours, |_| tables::wikisql(source), &mut tallies);
    }
    tallies.report("WikiSQL", &[], &[]);
}

fn by_table(examples: &HashMap<String, Example>) -> HashMap<&str, &Example> {
    examples
        .values()
        .map(|example| (example.table.name(), example))
        .collect()
}

/// WikiSQL's tables as they are in its files.
pub fn wikisql_tables(data: &std::path::Path) -> HashMap<String, files::Table> {
    let mut tables = HashMap::new();
    for split in ["train", "dev"] {
        let file = data.join(format!("wikisql/{split}.tables.jsonl"));
        for table in files::tables(&file).unwrap() {
            let table = table.unwrap();
            tables.insert(table.id.clone(), table);
        }
    }
    tables
}
