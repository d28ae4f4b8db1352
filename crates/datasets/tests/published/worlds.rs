//! The plain evaluator under many sets of quirks, with what has been found kept.

use super::answers::Right;
use super::data::PublishedProgram;
use super::programs::{self, Held, World};
use super::questions::{self, Constant, Source};
use super::quirk::Quirks;
use super::tables::{self, Table};
use mapo_datasets::Example;
use mapo_language::Program;
use std::collections::HashMap;

/// One question with its programs.
pub struct Asked<'a> {
    pub example: &'a Example,
    pub source: Source<'a>,
    pub table: Box<dyn Fn(Quirks) -> Table + Sync + 'a>,
    pub target: Right,
    pub programs: Vec<&'a PublishedProgram>,
}

/// Tables and constants under different quirks, each kept once, and what was offered in them.
pub struct Worlds<'a> {
    asked: &'a Asked<'a>,
    tables: Vec<Table>,
    table_of: HashMap<Quirks, usize>,
    constants: Vec<Vec<Constant>>,
    constants_of: HashMap<Quirks, usize>,
    held: HashMap<(usize, Quirks, String), Option<Held>>,
    offered: HashMap<(usize, usize, Quirks, String), Option<Vec<String>>>,
}

/// The number of an item in a list of distinct ones.
fn number_of<T>(list: &mut Vec<T>, item: T, same: impl Fn(&T, &T) -> bool) -> usize {
    list.iter()
        .position(|known| same(known, &item))
        .unwrap_or_else(|| {
            list.push(item);
            list.len() - 1
        })
}

impl<'a> Worlds<'a> {
    pub fn new(asked: &'a Asked<'a>) -> Self {
        Worlds {
            asked,
            tables: Vec::new(),
            table_of: HashMap::new(),
            constants: Vec::new(),
            constants_of: HashMap::new(),
            held: HashMap::new(),
            offered: HashMap::new(),
        }
    }

    fn table(&mut self, quirks: Quirks) -> usize {
        let quirks = quirks.within(tables::QUIRKS);
        if let Some(number) = self.table_of.get(&quirks) {
            return *number;
        }
        let number = number_of(&mut self.tables, (self.asked.table)(quirks), |a, b| a == b);
        self.table_of.insert(quirks, number);
        number
    }

    fn constants(&mut self, quirks: Quirks) -> usize {
        let quirks = quirks.within(tables::QUIRKS | questions::OF_CONSTANTS);
        if let Some(number) = self.constants_of.get(&quirks) {
            return *number;
        }
        let table = self.table(quirks);
        let constants = questions::read(&self.asked.source, &self.tables[table], quirks).constants;
        // By their text, since NaN equals nothing.
        let texts = |list: &Vec<Constant>| list.iter().map(Constant::text).collect::<Vec<_>>();
        let number = number_of(&mut self.constants, constants, |a, b| texts(a) == texts(b));
        self.constants_of.insert(quirks, number);
        number
    }

    fn world(&self, table: usize, constants: usize, quirks: Quirks) -> World<'_> {
        World {
            table: &self.tables[table],
            constants: &self.constants[constants],
            language: self.asked.example.language,
            quirks,
        }
    }

    /// The values of the expressions of a program, up to the first that cannot be had.
    pub fn run(&mut self, program: &Program, quirks: Quirks) -> Vec<Held> {
        let table = self.table(quirks);
        let constants = self.constants(quirks);
        let quirks = quirks.within(programs::QUIRKS);
        let mut before: Vec<Held> = Vec::new();
        let mut text = String::new();
        for expression in &program.expressions {
            text = format!("{text}{expression}");
            let key = (table, quirks, text.clone());
            let held = match self.held.get(&key) {
                Some(held) => held.clone(),
                None => {
                    let held = self.world(table, constants, quirks).run(expression, &before);
                    self.held.insert(key, held.clone());
                    held
                }
            };
            match held {
                Some(held) => before.push(held),
                None => break,
            }
        }
        before
    }

    /// What is offered before a token: after whole expressions, and a parenthesis, a function and arguments.
    pub fn offered(&mut self, program: &Program, place: Place, quirks: Quirks) -> Option<Vec<String>> {
        let before = self.run(program, quirks);
        if before.len() < place.whole {
            return None;
        }
        let before = &before[..place.whole];
        let Some(within) = place.within else {
            let language = self.asked.example.language;
            let end = (place.whole > 0).then_some("<END>");
            let open = (place.whole < language.expressions).then_some("(");
            return Some(open.into_iter().chain(end).map(str::to_owned).collect());
        };
        let expression = &program.expressions[place.whole];
        let begun = within.map(|arguments| (expression.function, &expression.arguments[..arguments]));
        let (table, constants) = (self.table(quirks), self.constants(quirks));
        let quirks = quirks.within(programs::QUIRKS);
        let done: Vec<String> = program.expressions[..place.whole]
            .iter()
            .map(ToString::to_string)
            .collect();
        let key = (table, constants, quirks, format!("{} {begun:?}", done.concat()));
        if let Some(offered) = self.offered.get(&key) {
            return offered.clone();
        }
        let offered = self
            .world(table, constants, quirks)
            .offered(before, begun)
            .map(sorted);
        self.offered.insert(key, offered.clone());
        offered
    }
}

pub fn sorted(mut tokens: Vec<String>) -> Vec<String> {
    tokens.sort();
    tokens
}

/// Where a token stands: after how many whole expressions, and within one after how many arguments, if after
/// a function at all.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    whole: usize,
    within: Option<Option<usize>>,
}

/// The places of all tokens of a program.
pub fn places(program: &Program) -> Vec<Place> {
    let mut places = Vec::new();
    for (whole, expression) in program.expressions.iter().enumerate() {
        let within = [None, Some(None)].into_iter();
        let arguments = (0..=expression.arguments.len()).map(|argument| Some(Some(argument)));
        places.extend(within.chain(arguments).map(|within| Place { whole, within }));
    }
    places.push(Place {
        whole: program.expressions.len(),
        within: None,
    });
    places
}
