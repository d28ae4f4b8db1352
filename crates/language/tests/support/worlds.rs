//! Random tables with constants that have something to do with them, and random choices to walk through
//! programs.

use super::naive;
use mapo_language::{Context, Fit, Function, Language};
use mapo_tables::{CellValues, Constant, Table, TableBuilder};
use mapo_text::Date;
use proptest::prelude::*;
use std::sync::Arc;

/// A table and the constants of a question, for the interpreter and for the plain evaluator.
#[derive(Clone, Debug)]
pub struct World {
    pub names: Vec<String>,
    /// By column and row.
    pub texts: Vec<Vec<String>>,
    pub readings: Vec<Vec<CellValues>>,
    pub constants: Vec<Constant>,
}

impl World {
    pub fn naive(&self) -> naive::Table {
        naive::Table::new(&self.names, &self.texts, &self.readings)
    }

    pub fn table(&self) -> Table {
        let mut builder = TableBuilder::with_names("random", self.names.clone(), self.names.clone());
        for row in 0..self.texts[0].len() {
            builder.push_row(self.texts.iter().map(|column| column[row].as_str()));
        }
        builder.finish_with(&self.readings)
    }

    pub fn context(&self, language: Language) -> Arc<Context> {
        Arc::new(Context::new(
            Arc::new(self.table()),
            self.constants.clone(),
            language,
        ))
    }
}

/// Few distinct values, so that there are ties, duplicates and hits.
pub fn text() -> impl Strategy<Value = String> {
    proptest::sample::select(&["", "a", "b", "ab", "ba", "abc", "c a", "d'e", "[f]"][..])
        .prop_map(str::to_owned)
}

pub fn number() -> impl Strategy<Value = f64> {
    proptest::sample::select(&[-2.5, -1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 1e6][..])
}

pub fn date() -> impl Strategy<Value = Date> {
    let year = proptest::option::weighted(0.8, 2003i32..2006);
    let month = proptest::option::weighted(0.6, 1u8..4);
    let day = proptest::option::weighted(0.5, 1u8..4);
    (year, month, day)
        .prop_map(|(year, month, day)| Date { year, month, day })
        .prop_filter("something is known", |date| date.known() != 0)
}

/// Some columns have no numbers or dates, some few, some many.
fn column(rows: usize) -> impl Strategy<Value = (Vec<String>, Vec<CellValues>)> {
    let share = || proptest::sample::select(&[0.01, 0.15, 0.5, 0.95][..]);
    (share(), share(), share(), any::<bool>()).prop_flat_map(move |(numbers, seconds, dates, whole)| {
        let dates_of = date().prop_map(move |date| {
            // In some columns every date knows the same parts.
            if whole {
                Date {
                    year: Some(date.year.unwrap_or(2004)),
                    month: None,
                    day: None,
                }
            } else {
                date
            }
        });
        let reading = (
            proptest::option::weighted(numbers, number()),
            proptest::option::weighted(seconds, number()),
            proptest::option::weighted(dates, dates_of),
        )
            .prop_map(|(number, second, date)| CellValues { number, second, date });
        (
            proptest::collection::vec(text(), rows),
            proptest::collection::vec(reading, rows),
        )
    })
}

fn constant() -> impl Strategy<Value = Constant> {
    prop_oneof![
        proptest::collection::vec(text(), 1..3).prop_map(Constant::Strings),
        number().prop_map(Constant::number),
        proptest::collection::vec(number(), 1..3).prop_map(Constant::Numbers),
        date().prop_map(Constant::date),
        proptest::collection::vec(date(), 1..3).prop_map(Constant::Dates),
    ]
}

/// Tables of up to `columns` columns with a number of rows that `rows` draws.
pub fn world(
    rows: impl Strategy<Value = usize>,
    columns: usize,
    constants: usize,
) -> impl Strategy<Value = World> {
    (rows, 1..=columns).prop_flat_map(move |(rows, columns)| {
        let columns = proptest::collection::vec(column(rows), columns);
        let constants = proptest::collection::vec(constant(), 0..=constants);
        (columns, constants).prop_map(|(columns, mut constants)| {
            let names = (0..columns.len()).map(|index| format!("c{index}")).collect();
            let (texts, readings) = columns.into_iter().unzip();
            let mut distinct: Vec<Constant> = Vec::new();
            constants.retain(|constant| {
                let new = !distinct.contains(constant);
                distinct.push(constant.clone());
                new
            });
            World {
                names,
                texts,
                readings,
                constants,
            }
        })
    })
}

/// Small numbers of rows, and some around the boundaries of words of 64 bits.
pub fn any_rows() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 1usize..10, 1 => 63usize..67, 1 => 126usize..131]
}

/// All functions and both benchmarks' languages; with fewer functions, as exploration with pruning has; with
/// tokens in another order, as a model may have; with values that fit in either way.
pub fn language() -> impl Strategy<Value = Language> {
    let fit = prop_oneof![2 => Just(Fit::Rows), 1 => Just(Fit::Table)];
    (functions(), fit).prop_map(|(language, fit)| Language { fit, ..language })
}

fn functions() -> impl Strategy<Value = Language> {
    let all: Vec<Function> = Function::all().collect();
    let most = all.len();
    let pruned = proptest::sample::subsequence(all.clone(), 1..most);
    let known = proptest::sample::subsequence(all, 1..most).prop_shuffle();
    prop_oneof![
        3 => Just(Language::PEOPLE),
        1 => Just(Language::PEOPLE.explored()),
        1 => Just(Language::wikisql().for_people()),
        1 => Just(Language::before_people()),
        2 => Just(Language::WIKITABLEQUESTIONS),
        2 => Just(Language::wikisql()),
        2 => pruned.prop_map(|functions| Language {
            functions: functions.into_iter().collect(),
            ..Language::PEOPLE
        }),
        1 => known.prop_map(|functions| Language::PEOPLE.known_as(functions.into_iter().collect())),
    ]
}

/// Where to turn at each step.
pub fn choices(length: usize) -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any::<u32>(), length)
}
