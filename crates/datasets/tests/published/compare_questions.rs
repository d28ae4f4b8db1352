//! Questions: tokens, constants with their spans, and features.

use super::compare_columns::wikisql_tables;
use super::data::{self, PublishedQuestion, TaggedTable};
use super::questions::{self, Constant, Question, Source};
use super::quirk::{Quirk, Quirks};
use super::tables::{self, Kind, Table, Value};
use super::tally::Tally;
use mapo_datasets::Example;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What is compared of a question, thing by thing.
#[derive(Default)]
struct Tallies {
    tokens: Tally,
    constants: Tally,
    features: Tally,
    column_features: Tally,
}

/// A question in a form that can be looked up by thing.
#[derive(Clone)]
struct Things {
    tokens: Vec<String>,
    /// The spans of each constant.
    constants: BTreeMap<String, Vec<(usize, usize)>>,
    features: Vec<u8>,
    column_features: BTreeMap<String, u32>,
}

fn spans(constants: &[Constant]) -> BTreeMap<String, Vec<(usize, usize)>> {
    let mut spans: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for constant in constants {
        spans
            .entry(constant.text())
            .or_default()
            .push((constant.span.start, constant.span.end));
    }
    spans
}

impl Things {
    fn of(question: Question, table: &Table) -> Things {
        let names = table.columns.iter().map(|column| column.name.clone());
        Things {
            tokens: question.tokens,
            constants: spans(&question.constants),
            features: question.features,
            column_features: names.zip(question.column_features).collect(),
        }
    }

    fn published(question: &PublishedQuestion) -> Things {
        Things {
            tokens: question.tokens.clone(),
            constants: spans(
                &question
                    .entities
                    .iter()
                    .map(published_constant)
                    .collect::<Vec<_>>(),
            ),
            features: question.features.clone(),
            column_features: question.column_features.clone(),
        }
    }

    fn ours(example: &Example) -> Things {
        let question = &example.question;
        let mut constants: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for mention in &question.mentions {
            let spans = constants.entry(mention.constant.to_string()).or_default();
            spans.push((mention.span.start, mention.span.end));
        }
        let names = example
            .table
            .columns()
            .iter()
            .map(|column| column.name().to_owned());
        Things {
            tokens: question.tokens.clone(),
            constants,
            features: question.features.clone(),
            column_features: names.zip(question.column_features.iter().copied()).collect(),
        }
    }
}

/// A constant of the vectors.
fn published_constant(entity: &data::Entity) -> Constant {
    let kind = match entity.kind.as_str() {
        "string_list" => Kind::Text,
        "num_list" => Kind::Number,
        _ => Kind::Date,
    };
    let value = |value: &serde_json::Value| match (kind, value.as_str(), value.as_f64()) {
        (Kind::Text, Some(text), _) => Value::Text(text.to_owned()),
        (Kind::Date, Some(text), _) => Value::Date(text.to_owned()),
        (Kind::Number, _, Some(number)) => Value::Number(number),
        // JSON has no other way to write it.
        (Kind::Number, Some("NaN"), _) => Value::Number(f64::NAN),
        _ => panic!("{value} among the {}", entity.kind),
    };
    Constant {
        kind,
        values: entity.value.iter().map(value).collect(),
        span: entity.span.0..entity.span.1,
    }
}

impl Tallies {
    fn of(
        id: &str,
        published: &Things,
        ours: &Things,
        source: &Source<'_>,
        table: impl Fn(Quirks) -> Table,
    ) -> Tallies {
        let mut tallies = Tallies::default();
        let mut tables: HashMap<Quirks, Table> = HashMap::new();
        let mut known: HashMap<Quirks, Rc<Things>> = HashMap::new();
        let mut plain = |quirks: Quirks| -> Rc<Things> {
            let quirks = quirks.within(tables::QUIRKS | questions::QUIRKS);
            let of_table = quirks.within(tables::QUIRKS);
            let table = tables.entry(of_table).or_insert_with(|| table(of_table));
            let read = || Rc::new(Things::of(questions::read(source, table, quirks), table));
            Rc::clone(known.entry(quirks).or_insert_with(read))
        };
        tallies.tokens.compare(
            || id.to_owned(),
            &published.tokens,
            &ours.tokens,
            |quirks| plain(quirks).tokens.clone(),
        );

        let constants = published.constants.keys().chain(ours.constants.keys());
        for constant in constants.collect::<BTreeSet<_>>() {
            let of = |things: &Things| things.constants.get(constant).cloned();
            let what = || format!("{id} {constant}");
            tallies
                .constants
                .compare(what, &of(published), &of(ours), |quirks| of(&plain(quirks)));
        }
        let features = published.features.len().max(ours.features.len());
        for token in 0..features {
            let of = |things: &Things| things.features.get(token).copied();
            let what = || format!("{id} token {token} {:?}", published.tokens.get(token));
            tallies
                .features
                .compare(what, &of(published), &of(ours), |quirks| of(&plain(quirks)));
        }
        let columns = published
            .column_features
            .keys()
            .chain(ours.column_features.keys());
        for column in columns.collect::<BTreeSet<_>>() {
            let of = |things: &Things| things.column_features.get(column).copied();
            let what = || format!("{id} {column}");
            tallies
                .column_features
                .compare(what, &of(published), &of(ours), |quirks| of(&plain(quirks)));
        }
        tallies
    }

    fn total(tallies: impl ParallelIterator<Item = Tallies>) -> Tallies {
        tallies.reduce(Tallies::default, |mut all, tallies| {
            all.tokens.add(tallies.tokens);
            all.constants.add(tallies.constants);
            all.features.add(tallies.features);
            all.column_features.add(tallies.column_features);
            all
        })
    }

    fn report(&self, dataset: &str, of_constants: &[Quirk], of_features: &[Quirk], of_columns: &[Quirk]) {
        let title = |what: &str| format!("{dataset}, {what}");
        self.tokens
            .report(&title("tokens of questions"), &[Quirk::PublishedTokens]);
        self.constants
            .report(&title("constants with their spans"), of_constants);
        self.features.report(&title("features of tokens"), of_features);
        self.column_features
            .report(&title("features of columns"), of_columns);
    }
}

#[test]
fn wtq_questions() {
    let Some(data) = data::folder() else { return };
    let published: Vec<PublishedQuestion> = data::vectors(&data, "wtq_questions.jsonl");
    assert_eq!(published.len(), 6368);
    let examples = data::wtq_examples(&data);
    let tagged = data::tagged_questions(&data);
    let tables: BTreeSet<&str> = published.iter().map(|question| question.table.as_str()).collect();
    let open = |name| (name, TaggedTable::open(&data, name));
    let tables: HashMap<&str, TaggedTable> = tables.into_iter().map(open).collect();
    let compare = |question: &PublishedQuestion| {
        let source = Source::Wtq(&tagged[&question.id]);
        let ours = Things::ours(&examples[&question.id]);
        let table = |quirks| tables::wtq(&tables[question.table.as_str()], quirks);
        Tallies::of(&question.id, &Things::published(question), &ours, &source, table)
    };
    Tallies::total(published.par_iter().map(compare)).report(
        "WikiTableQuestions",
        &[
            Quirk::EscapedCells,
            Quirk::PublishedTokens,
            Quirk::InsideWords,
            Quirk::DatesAreText,
            Quirk::NothingIsEverywhere,
            Quirk::NormalFormOnly,
            Quirk::OneOr,
            Quirk::Duplicates,
            Quirk::YearsAreNoValues,
            Quirk::YearRangesAreNoValues,
            Quirk::OnlyPlainNumbers,
            Quirk::FirstDigits,
        ],
        &[
            Quirk::EscapedCells,
            Quirk::PublishedTokens,
            Quirk::InsideWords,
            Quirk::DatesAreText,
            Quirk::NothingIsEverywhere,
            Quirk::NormalFormOnly,
            Quirk::FeaturesBeforeGrowth,
            Quirk::FeaturesOfStringsOnly,
        ],
        &[Quirk::EmptyColumns],
    );
}

#[test]
fn wikisql_questions() {
    let Some(data) = data::folder() else { return };
    let published: Vec<PublishedQuestion> = data::vectors(&data, "wikisql_questions.jsonl");
    assert_eq!(published.len(), 300);
    let examples = data::wikisql_examples(&data, published.iter().map(|question| question.id.clone()));
    let sources = wikisql_tables(&data);
    let compare = |question: &PublishedQuestion| {
        let example = &examples[&question.id];
        let source = Source::WikiSql {
            text: &example.question.text,
            tokens: &question.tokens,
        };
        let table = |_| tables::wikisql(&sources[&question.table]);
        let (published, ours) = (Things::published(question), Things::ours(example));
        Tallies::of(&question.id, &published, &ours, &source, table)
    };
    Tallies::total(published.par_iter().map(compare)).report(
        "WikiSQL",
        &[
            Quirk::PublishedTokens,
            Quirk::InsideWords,
            Quirk::NothingIsEverywhere,
            Quirk::NormalFormOnly,
            Quirk::Duplicates,
            Quirk::NumbersByToken,
        ],
        &[
            Quirk::PublishedTokens,
            Quirk::InsideWords,
            Quirk::NothingIsEverywhere,
            Quirk::NormalFormOnly,
            Quirk::FeaturesBeforeGrowth,
            Quirk::FeaturesOfStringsOnly,
        ],
        &[Quirk::CaseOfQuestion],
    );
}
