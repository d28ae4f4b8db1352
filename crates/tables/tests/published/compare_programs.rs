//! Programs: results, rewards, extra work, and the tokens offered before each token.

use super::compare_columns::wikisql_tables;
use super::data::{self, PublishedProgram, PublishedQuestion, TaggedTable};
use super::programs::{self, Held, World};
use super::questions::{self, Constant, Source};
use super::quirk::{Quirk, Quirks};
use super::tables::{self, Kind, Table, Value};
use super::tally::Tally;
use mapo_tables::datasets::wikisql as wikisql_files;
use mapo_tables::language::{Atom, Symbol};
use mapo_tables::scoring::wikisql::{Purpose, Target};
use mapo_tables::scoring::{Item, wtq};
use mapo_tables::{Assistance, ConstantId, Context, Denotation, Example, Interpreter, Program, Token};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// What is compared of programs.
#[derive(Default)]
struct Tallies {
    results: Tally,
    rewards: Tally,
    extra_work: Tally,
    offered: Tally,
}

/// What comes of a program; nothing where a column is missing.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    result: Option<Answer>,
    reward: Option<u8>,
    extra_work: bool,
    /// Before each token.
    offered: Vec<Option<Vec<String>>>,
}

/// A result that compares as results do: numbers within a billionth, and where order has no meaning without it.
#[derive(Clone, Debug)]
struct Answer {
    kind: &'static str,
    items: Vec<Value>,
}

impl PartialEq for Answer {
    fn eq(&self, other: &Answer) -> bool {
        let same = |(a, b): (&Value, &Value)| match (a, b) {
            (Value::Number(a), Value::Number(b)) => {
                (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) || a.is_nan() && b.is_nan()
            }
            _ => a == b,
        };
        self.kind == other.kind
            && self.items.len() == other.items.len()
            && self.items.iter().zip(&other.items).all(same)
    }
}

impl Answer {
    fn new(kind: &'static str, mut items: Vec<Value>, ordered: bool) -> Answer {
        if !ordered {
            items.sort_by(|a, b| match (a, b) {
                (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
                (Value::Text(a), Value::Text(b)) | (Value::Date(a), Value::Date(b)) => a.cmp(b),
                _ => panic!("{a:?} beside {b:?}"),
            });
        }
        Answer { kind, items }
    }

    fn of(held: &Held, ordered: bool) -> Answer {
        match held {
            Held::Rows(rows) => Answer::new(
                "rows",
                rows.iter().map(|row| Value::Number(*row as f64)).collect(),
                ordered,
            ),
            Held::Values(kind, values) => Answer::new(kind_name(*kind), values.clone(), ordered),
            Held::Scalar(number) => Answer::new("numbers", vec![Value::Number(*number)], ordered),
        }
    }

    fn ours(denotation: &Denotation, ordered: bool) -> Answer {
        let items = match denotation {
            Denotation::Rows(rows) => rows.iter().map(|row| Value::Number(row as f64)).collect(),
            Denotation::Strings(strings) => strings.iter().cloned().map(Value::Text).collect(),
            Denotation::Numbers(numbers) => numbers.iter().copied().map(Value::Number).collect(),
            Denotation::Dates(dates) => dates.iter().map(|date| Value::Date(date.to_string())).collect(),
        };
        Answer::new(denotation.kind(), items, ordered)
    }

    /// The vectors call the one value of max and min `ordered`, whichever it is.
    fn published(program: &PublishedProgram, ordered: bool) -> Answer {
        let text = program.result.first().is_some_and(serde_json::Value::is_string);
        let kind = match program.kind.as_str() {
            "rows" => "rows",
            "strings" => "strings",
            "dates" => "dates",
            "numbers" => "numbers",
            "ordered" if text => "dates",
            "ordered" => "numbers",
            other => panic!("a result of {other}"),
        };
        let item = |item: &serde_json::Value| match (item.as_f64(), item.as_str()) {
            (Some(number), _) => Value::Number(number),
            (_, Some(text)) if kind == "dates" => Value::Date(text.to_owned()),
            (_, Some(text)) => Value::Text(text.to_owned()),
            _ => panic!("{item} in a result"),
        };
        Answer::new(kind, program.result.iter().map(item).collect(), ordered)
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "strings",
        Kind::Number => "numbers",
        Kind::Date => "dates",
    }
}

/// The right answer. The published code prints numbers with twelve digits before it compares them; it makes no
/// difference to any reward of the vectors, so it is no quirk here.
enum Right {
    Wtq(Vec<wtq::Value>),
    WikiSql(Target),
}

impl Right {
    fn is_right(&self, held: &Held, quirks: Quirks) -> bool {
        let items: Vec<Value> = match held {
            Held::Rows(rows) => rows.iter().map(|row| Value::Text(format!("row_{row}"))).collect(),
            Held::Values(_, values) => values.clone(),
            Held::Scalar(number) => vec![Value::Number(*number)],
        };
        match self {
            Right::Wtq(target) => {
                let text = |item: &Value| match item {
                    Value::Text(text) | Value::Date(text) => text.clone(),
                    Value::Number(number) => Item::Number(*number).to_string(),
                };
                let texts: Vec<String> = items.iter().map(text).collect();
                wtq::check(target, &wtq::to_values(&texts, &[""; 0]))
            }
            Right::WikiSql(target) => {
                let purpose = if quirks.has(Quirk::NullIsRewarded) {
                    Purpose::Evaluation
                } else {
                    Purpose::Training
                };
                target.matches(items.iter().map(item), purpose)
            }
        }
    }
}

fn item(value: &Value) -> Item<'_> {
    match value {
        Value::Text(text) | Value::Date(text) => Item::Text(text),
        Value::Number(number) => Item::Number(*number),
    }
}

/// One question with its programs.
struct Asked<'a> {
    example: &'a Example,
    source: Source<'a>,
    table: Box<dyn Fn(Quirks) -> Table + Sync + 'a>,
    target: Right,
    programs: Vec<&'a PublishedProgram>,
}

/// Tables and constants under different quirks, each kept once, and what was offered in them.
struct Worlds<'a> {
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
    fn new(asked: &'a Asked<'a>) -> Self {
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
    fn run(&mut self, program: &Program, quirks: Quirks) -> Vec<Held> {
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
    fn offered(&mut self, program: &Program, place: Place, quirks: Quirks) -> Option<Vec<String>> {
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

fn sorted(mut tokens: Vec<String>) -> Vec<String> {
    tokens.sort();
    tokens
}

/// Where a token stands: after how many whole expressions, and within one after how many arguments, if after a
/// function at all.
#[derive(Clone, Copy, Debug)]
struct Place {
    whole: usize,
    within: Option<Option<usize>>,
}

/// The places of all tokens of a program.
fn places(program: &Program) -> Vec<Place> {
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

/// Whether some result but the last is mentioned nowhere.
fn extra_work(program: &Program) -> bool {
    let mentioned = |variable: usize| {
        let mut expressions = program.expressions.iter();
        expressions.any(|expression| expression.arguments.contains(&Atom::Variable(variable)))
    };
    (0..program.expressions.len() - 1).any(|variable| !mentioned(variable))
}

/// What our interpreter makes of a program. Constants that our question does not have can be used but are not offered.
fn ours(example: &Example, program: &Program, ordered: bool) -> Outcome {
    let own = example
        .question
        .mentions
        .iter()
        .map(|mention| mention.constant.clone());
    let context = Arc::new(Context::with_foreign(
        Arc::clone(&example.table),
        own,
        program.constants().cloned(),
        example.language,
    ));
    let mut interpreter = Interpreter::with_assistance(Arc::clone(&context), Assistance::All);
    let mut offered = Vec::new();
    let mut fits = true;
    for token in tokens_of(&context, program) {
        if !fits {
            offered.push(None);
            continue;
        }
        let tokens = interpreter.offered().into_iter();
        offered.push(Some(sorted(tokens.map(|token| context.write(token)).collect())));
        fits = token.is_some_and(|token| interpreter.step(token).is_ok());
    }
    let mut scratch = wtq::Scratch::default();
    Outcome {
        result: interpreter
            .answer()
            .filter(|_| fits)
            .map(|answer| Answer::ours(&answer, ordered)),
        reward: fits.then(|| example.answer.reward(&interpreter, &mut scratch) as u8),
        extra_work: if fits {
            interpreter.extra_work()
        } else {
            extra_work(program)
        },
        offered,
    }
}

/// The tokens of a program, `None` for a column that the table does not have.
fn tokens_of(context: &Context, program: &Program) -> Vec<Option<Token>> {
    let mut tokens = Vec::new();
    for expression in &program.expressions {
        tokens.push(Some(context.token(Symbol::Open)));
        tokens.push(Some(context.token(Symbol::Function(expression.function))));
        for atom in &expression.arguments {
            let symbol = match atom {
                Atom::AllRows => Some(Symbol::AllRows),
                Atom::Variable(variable) => Some(Symbol::Variable(*variable as u8)),
                Atom::Column(name) => context.table().find(name).map(Symbol::Column),
                Atom::Constant(constant) => {
                    let id = context.constants().iter().position(|known| known == constant);
                    Some(Symbol::Constant(ConstantId(id.unwrap() as u16)))
                }
            };
            tokens.push(symbol.map(|symbol| context.token(symbol)));
        }
        tokens.push(Some(context.token(Symbol::Close)));
    }
    tokens.push(Some(context.token(Symbol::End)));
    tokens
}

/// Compares all programs of a question.
fn compare(asked: &Asked<'_>) -> Tallies {
    let mut tallies = Tallies::default();
    let mut worlds = Worlds::new(asked);
    let ordered = asked.example.language.keep_duplicates;
    for published in &asked.programs {
        let what = || format!("{} {}", published.id, published.program);
        let program: Program = published.program.parse().unwrap();
        let ours = ours(asked.example, &program, ordered);
        let count = program.expressions.len();

        let result = Some(Answer::published(published, ordered));
        tallies.results.compare(what, &result, &ours.result, |quirks| {
            worlds
                .run(&program, quirks)
                .get(count - 1)
                .map(|held| Answer::of(held, ordered))
        });
        tallies
            .extra_work
            .compare(what, &published.extra_work, &ours.extra_work, |_| {
                extra_work(&program)
            });
        tallies
            .rewards
            .compare(what, &Some(published.reward), &ours.reward, |quirks| {
                let right = |held: &Held| asked.target.is_right(held, quirks) && !extra_work(&program);
                worlds
                    .run(&program, quirks)
                    .get(count - 1)
                    .map(|held| u8::from(right(held)))
            });
        let Some(valid) = &published.valid else { continue };
        let places = places(&program);
        assert_eq!(places.len(), valid.len(), "{}", what());
        for (index, (place, valid)) in places.into_iter().zip(valid).enumerate() {
            let what = || format!("{} token {index}", what());
            let valid = Some(sorted(valid.clone()));
            tallies
                .offered
                .compare(what, &valid, &ours.offered[index], |quirks| {
                    worlds.offered(&program, place, quirks).map(sorted)
                });
        }
    }
    tallies
}

fn compare_all(asked: &[Asked<'_>]) -> Tallies {
    let add = |mut all: Tallies, tallies: Tallies| {
        all.results.add(tallies.results);
        all.rewards.add(tallies.rewards);
        all.extra_work.add(tallies.extra_work);
        all.offered.add(tallies.offered);
        all
    };
    asked.par_iter().map(compare).reduce(Tallies::default, add)
}

impl Tallies {
    fn report(&self, dataset: &str, of_results: &[Quirk], of_rewards: &[Quirk], of_offers: &[Quirk]) {
        let title = |what: &str| format!("{dataset}, {what}");
        self.results.report(&title("results of programs"), of_results);
        self.rewards.report(&title("rewards of programs"), of_rewards);
        self.extra_work.report(&title("extra work of programs"), &[]);
        self.offered
            .report(&title("tokens offered, step by step"), of_offers);
    }
}

/// The programs of each question.
fn by_question(programs: &[PublishedProgram]) -> HashMap<&str, Vec<&PublishedProgram>> {
    let mut by_question: HashMap<&str, Vec<&PublishedProgram>> = HashMap::new();
    for program in programs {
        by_question.entry(&program.id).or_default().push(program);
    }
    by_question
}

#[test]
fn wtq_programs() {
    let Some(data) = data::folder() else { return };
    let programs: Vec<PublishedProgram> = data::vectors(&data, "wtq_programs.jsonl");
    let examples = data::wtq_examples(&data);
    let tagged = data::tagged_questions(&data);
    let asked: Vec<Asked<'_>> = by_question(&programs)
        .into_iter()
        .map(|(id, programs)| {
            let (example, question) = (&examples[id], &tagged[id]);
            let table = TaggedTable::open(&data, example.table.name());
            Asked {
                example,
                source: Source::Wtq(question),
                table: Box::new(move |quirks| tables::wtq(&table, quirks)),
                target: Right::Wtq(wtq::to_values(&question.answer, &question.canon)),
                programs,
            }
        })
        .collect();
    let tallies = compare_all(&asked);
    assert_eq!(tallies.results.compared, 24_416);
    let of_results = [
        Quirk::EmptyColumns,
        Quirk::EscapedCells,
        Quirk::NumbersMeetDates,
        Quirk::DatesOrderAsText,
        Quirk::DatesEqualAsText,
        Quirk::DatesAsDays,
    ];
    let of_rewards = [
        Quirk::EmptyColumns,
        Quirk::NumbersMeetDates,
        Quirk::DatesOrderAsText,
        Quirk::DatesAsDays,
    ];
    let of_offers = [
        Quirk::EmptyColumns,
        Quirk::EscapedCells,
        Quirk::PublishedTokens,
        Quirk::InsideWords,
        Quirk::Duplicates,
        Quirk::YearsAreNoValues,
        Quirk::YearRangesAreNoValues,
        Quirk::OnlyPlainNumbers,
        Quirk::FirstDigits,
        Quirk::NumbersMeetDates,
        Quirk::DatesEqualAsText,
        Quirk::DatesAsDays,
        Quirk::ArgumentsUnchecked,
        Quirk::FunctionsUnchecked,
    ];
    tallies.report("WikiTableQuestions", &of_results, &of_rewards, &of_offers);
}

#[test]
fn wikisql_programs() {
    let Some(data) = data::folder() else { return };
    let programs: Vec<PublishedProgram> = data::vectors(&data, "wikisql_programs.jsonl");
    let questions: Vec<PublishedQuestion> = data::vectors(&data, "wikisql_questions.jsonl");
    let examples = data::wikisql_examples(&data, questions.iter().map(|question| question.id.clone()));
    let sources = wikisql_tables(&data);
    let mut answers = HashMap::new();
    for split in ["train", "dev"] {
        for asked in wikisql_files::questions(&data.join("wikisql"), split).unwrap() {
            answers.insert(asked.id, asked.answer);
        }
    }
    let published: HashMap<&str, &PublishedQuestion> = questions.iter().map(|q| (q.id.as_str(), q)).collect();
    let asked: Vec<Asked<'_>> = by_question(&programs)
        .into_iter()
        .map(|(id, programs)| {
            let (example, question) = (&examples[id], published[id]);
            let table = &sources[&question.table];
            Asked {
                example,
                source: Source::WikiSql {
                    text: &example.question.text,
                    tokens: &question.tokens,
                },
                table: Box::new(|_| tables::wikisql(table)),
                target: Right::WikiSql(Target::new(&answers[id])),
                programs,
            }
        })
        .collect();
    let tallies = compare_all(&asked);
    assert_eq!(tallies.results.compared, 13_860);
    let of_offers = [
        Quirk::PublishedTokens,
        Quirk::InsideWords,
        Quirk::NormalFormOnly,
        Quirk::Duplicates,
        Quirk::NumbersByToken,
        Quirk::ArgumentsUnchecked,
        Quirk::FunctionsUnchecked,
    ];
    tallies.report("WikiSQL", &[], &[Quirk::NullIsRewarded], &of_offers);
}
