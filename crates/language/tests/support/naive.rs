//! The language once more, as plainly as it can be written: lists and loops over names and texts, no codes,
//! no bit sets, nothing remembered. The interpreter is compared with it.

use mapo_language::{Dialect, Fit, Language};
use mapo_tables::{CellValues, Constant};
use mapo_text::Date;
use std::cmp::Ordering;

/// A value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Text(String),
    Number(f64),
    Date(Date),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Date,
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    pub cells: Vec<Option<Item>>,
}

/// A table as lists of cells.
#[derive(Clone, Debug)]
pub struct Table {
    pub rows: usize,
    pub columns: Vec<Column>,
}

impl Table {
    /// `texts[column][row]` in normal form, with what was read in each.
    pub fn new(names: &[String], texts: &[Vec<String>], readings: &[Vec<CellValues>]) -> Table {
        let rows = texts[0].len();
        let mut columns = Vec::new();
        for ((name, texts), readings) in names.iter().zip(texts).zip(readings) {
            let mut add = |suffix: &str, kind: Kind, cells: Vec<Option<Item>>| {
                let present = cells.iter().filter(|cell| cell.is_some()).count();
                if kind == Kind::Text || (present > 0 && present as f64 / rows as f64 >= 0.2) {
                    let name = format!("r.{name}{suffix}");
                    columns.push(Column { name, kind, cells });
                }
            };
            let of =
                |pick: &dyn Fn(&CellValues) -> Option<Item>| readings.iter().map(pick).collect::<Vec<_>>();
            add(
                "-str",
                Kind::Text,
                texts.iter().map(|text| Some(Item::Text(text.clone()))).collect(),
            );
            add("-num", Kind::Number, of(&|r| r.number.map(Item::Number)));
            add("-num2", Kind::Number, of(&|r| r.second.map(Item::Number)));
            add("-date", Kind::Date, of(&|r| r.date.map(Item::Date)));
        }
        Table { rows, columns }
    }
}

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Rows(Vec<usize>),
    Items(Kind, Vec<Item>),
    /// A number, if there is one.
    Scalar(Option<f64>),
    /// Labels with their numbers.
    Groups(Kind, Vec<(Item, f64)>),
    /// Yes or no, if it can be told.
    Truth(Option<bool>),
}

/// An argument as it is written, and what it stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    AllRows,
    Column(usize),
    Constant(usize),
    Variable(usize),
}

pub struct Evaluator<'a> {
    pub table: &'a Table,
    pub constants: &'a [Constant],
    pub language: Language,
    pub variables: Vec<Value>,
    /// For each expression the variables that it used.
    pub used: Vec<Vec<usize>>,
    /// The expressions themselves.
    pub done: Vec<(String, Vec<Argument>)>,
}

/// The argument types of each function: `r`ows, `q`uantity, `s`trings, any `c`olumn, `o`rdered column,
/// `n`umber column, `t`ext column, a number `k` of a variable, the same or a constant `K`, a constant number `1`,
/// `g`roups.
const SIGNATURES: &[(&str, &str)] = &[
    ("hop", "rc"),
    ("argmax", "ro"),
    ("argmin", "ro"),
    ("filter>", "rqo"),
    ("filter>=", "rqo"),
    ("filter<", "rqo"),
    ("filter<=", "rqo"),
    ("filter=", "rqo"),
    ("filter!=", "rqo"),
    ("filter_in", "rst"),
    ("filter_!in", "rst"),
    ("first", "r"),
    ("last", "r"),
    ("previous", "r"),
    ("next", "r"),
    ("count", "r"),
    ("max", "ro"),
    ("min", "ro"),
    ("average", "rn"),
    ("sum", "rn"),
    ("mode", "rc"),
    ("same_as", "rc"),
    ("diff", "rrn"),
    ("count_distinct", "rc"),
    ("filter_is", "rst"),
    ("filter_!is", "rst"),
    ("filter_missing", "rc"),
    ("filter_given", "rc"),
    ("largest", "r1o"),
    ("smallest", "r1o"),
    ("nth_largest", "r1o"),
    ("nth_smallest", "r1o"),
    ("count_per", "rc"),
    ("sum_per", "rcn"),
    ("average_per", "rcn"),
    ("max_per", "rcn"),
    ("min_per", "rcn"),
    ("highest", "g"),
    ("lowest", "g"),
    ("any", "r"),
    ("greater", "KK"),
    ("less", "KK"),
    ("difference", "kk"),
    ("plus", "kk"),
    ("ratio", "kk"),
    ("share", "kk"),
];

/// Whether a text is the string, or has it where no word goes on beyond its ends.
fn has_words(text: &str, string: &str) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut places = text.match_indices(string);
    !string.is_empty()
        && places.any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + string.len()..]);
            let goes_on_before = in_word(before.chars().next_back()) && in_word(string.chars().next());
            let goes_on_after = in_word(string.chars().next_back()) && in_word(after.chars().next());
            !goes_on_before && !goes_on_after
        })
}

fn signature(function: &str) -> &'static str {
    SIGNATURES.iter().find(|(name, _)| *name == function).unwrap().1
}

/// By the parts both know, year first; nothing in common, no order.
fn compare_dates(a: &Date, b: &Date) -> Option<Ordering> {
    let mut common = false;
    if let (Some(a), Some(b)) = (a.year, b.year) {
        common = true;
        if a != b {
            return Some(if a < b { Ordering::Less } else { Ordering::Greater });
        }
    }
    for (a, b) in [(a.month, b.month), (a.day, b.day)] {
        if let (Some(a), Some(b)) = (a, b) {
            common = true;
            if a != b {
                return Some(if a < b { Ordering::Less } else { Ordering::Greater });
            }
        }
    }
    common.then_some(Ordering::Equal)
}

fn compare(a: &Item, b: &Item) -> Option<Ordering> {
    match (a, b) {
        (Item::Number(a), Item::Number(b)) => a.partial_cmp(b),
        (Item::Date(a), Item::Date(b)) => compare_dates(a, b),
        _ => None,
    }
}

fn kind_of(items: &Constant) -> Kind {
    match items {
        Constant::Strings(_) => Kind::Text,
        Constant::Numbers(_) => Kind::Number,
        Constant::Dates(_) => Kind::Date,
    }
}

impl<'a> Evaluator<'a> {
    pub fn new(table: &'a Table, constants: &'a [Constant], language: Language) -> Self {
        Evaluator {
            table,
            constants,
            language,
            variables: Vec::new(),
            used: Vec::new(),
            done: Vec::new(),
        }
    }

    pub fn write(&self, argument: &Argument) -> String {
        match argument {
            Argument::AllRows => "all_rows".to_owned(),
            Argument::Column(column) => self.table.columns[*column].name.clone(),
            Argument::Constant(constant) => self.constants[*constant].to_string(),
            Argument::Variable(variable) => format!("v{variable}"),
        }
    }

    fn rows(&self, argument: &Argument) -> Vec<usize> {
        match argument {
            Argument::AllRows => (0..self.table.rows).collect(),
            Argument::Variable(variable) => match &self.variables[*variable] {
                Value::Rows(rows) => rows.clone(),
                other => panic!("{other:?} is no rows"),
            },
            other => panic!("{other:?} is no rows"),
        }
    }

    fn items(&self, argument: &Argument) -> (Kind, Vec<Item>) {
        match argument {
            Argument::Constant(constant) => {
                let constant = &self.constants[*constant];
                let items = match constant {
                    Constant::Strings(all) => all.iter().cloned().map(Item::Text).collect(),
                    Constant::Numbers(all) => all.iter().copied().map(Item::Number).collect(),
                    Constant::Dates(all) => all.iter().copied().map(Item::Date).collect(),
                };
                (kind_of(constant), items)
            }
            Argument::Variable(variable) => match &self.variables[*variable] {
                Value::Items(kind, items) => (*kind, items.clone()),
                other => panic!("{other:?} is no values"),
            },
            other => panic!("{other:?} is no values"),
        }
    }

    fn column(&self, argument: &Argument) -> &Column {
        match argument {
            Argument::Column(column) => &self.table.columns[*column],
            other => panic!("{other:?} is no column"),
        }
    }

    /// Everything that has the type of an argument's place.
    fn candidates(&self, wanted: char) -> Vec<Argument> {
        let mut found = Vec::new();
        if wanted == 'r' {
            found.push(Argument::AllRows);
        }
        for (index, column) in self.table.columns.iter().enumerate() {
            let fits = match wanted {
                'c' => true,
                'o' => column.kind != Kind::Text,
                'n' => column.kind == Kind::Number,
                't' => column.kind == Kind::Text,
                _ => false,
            };
            if fits {
                found.push(Argument::Column(index));
            }
        }
        let fits = |kind: Kind| (wanted == 's') == (kind == Kind::Text);
        for (index, constant) in self.constants.iter().enumerate() {
            let one = matches!(constant, Constant::Numbers(numbers) if numbers.len() == 1);
            if "qs".contains(wanted) && fits(kind_of(constant)) || "K1".contains(wanted) && one {
                found.push(Argument::Constant(index));
            }
        }
        for (index, value) in self.variables.iter().enumerate() {
            let fits = match value {
                Value::Rows(_) => wanted == 'r',
                Value::Items(kind, _) => {
                    "qs".contains(wanted) && fits(*kind) || "kK".contains(wanted) && *kind == Kind::Number
                }
                Value::Scalar(_) => "kK".contains(wanted),
                Value::Groups(..) => wanted == 'g',
                Value::Truth(_) => false,
            };
            if fits {
                found.push(Argument::Variable(index));
            }
        }
        found
    }

    /// All argument lists of the right types.
    fn applications(&self, function: &str) -> Vec<Vec<Argument>> {
        let mut all: Vec<Vec<Argument>> = vec![Vec::new()];
        for wanted in signature(function).chars() {
            let candidates = self.candidates(wanted);
            all = all
                .iter()
                .flat_map(|args| {
                    candidates.iter().map(move |arg| {
                        let mut args = args.clone();
                        args.push(arg.clone());
                        args
                    })
                })
                .collect();
        }
        all
    }

    fn has_some(&self, rows: &[usize], column: &Column) -> bool {
        rows.iter().any(|row| column.cells[*row].is_some())
    }

    /// The third column of the language's table: whether the function is offered with these arguments, in its
    /// rows or wherever in the table the language looks.
    fn is_offered(&self, function: &str, args: &[Argument]) -> bool {
        let changes = self.language.dialect == Dialect::Paper || self.changes_something(function, args);
        let about_rows = signature(function).starts_with('r');
        let about_these = ["previous", "next", "same_as", "diff", "any"].contains(&function);
        if self.language.fit == Fit::Table && about_rows && !about_these {
            let mut anywhere = args.to_vec();
            anywhere[0] = Argument::AllRows;
            return changes && self.is_offered_in_rows(function, &anywhere);
        }
        changes && self.is_offered_in_rows(function, args)
    }

    /// What the language for people leaves out.
    fn changes_something(&self, function: &str, args: &[Argument]) -> bool {
        if function == "any" {
            return matches!(&args[0], Argument::Variable(v) if self.done[*v].0.starts_with("filter"));
        }
        if !function.starts_with("filter") {
            return true;
        }
        let (rows, kept) = (self.rows(&args[0]), self.filter(function, args));
        let of_values = !["filter_missing", "filter_given"].contains(&function);
        if self.language.fit == Fit::Rows && of_values && rows == kept {
            return false;
        }
        let plainer = match function {
            "filter_in" => Some("filter_is"),
            "filter_!in" => Some("filter_!is"),
            _ => None,
        };
        if plainer.is_some_and(|plainer| self.filter(plainer, args) == kept) {
            return false;
        }
        let mut rows = args[0].clone();
        while let Argument::Variable(variable) = rows {
            let (before, given) = &self.done[variable];
            if before == function && given[1..] == args[1..] {
                return false;
            }
            if ["previous", "next", "same_as"].contains(&before.as_str()) {
                return true;
            }
            rows = given[0].clone();
        }
        true
    }

    /// The one number that an argument is.
    fn number(&self, argument: &Argument) -> Option<f64> {
        if let Argument::Variable(variable) = argument
            && let Value::Scalar(number) = &self.variables[*variable]
        {
            return *number;
        }
        match &self.items(argument).1[..] {
            [Item::Number(first), rest @ ..] => rest
                .iter()
                .all(|item| *item == Item::Number(*first))
                .then_some(*first),
            _ => None,
        }
    }

    /// Whether a cell has something in it.
    fn is_filled(cell: &Option<Item>) -> bool {
        match cell {
            Some(Item::Text(text)) => !text.is_empty(),
            other => other.is_some(),
        }
    }

    /// The number as a rank.
    fn rank(&self, argument: &Argument) -> Option<usize> {
        let number = self.number(argument)?;
        (number.fract() == 0.0 && number >= 1.0).then_some(number as usize)
    }

    /// The values of a column in the rows, best first, dates by the calendar.
    fn ranked(&self, rows: &[usize], column: &Column, largest: bool) -> Vec<Item> {
        let mut items: Vec<Item> = rows.iter().filter_map(|row| column.cells[*row].clone()).collect();
        items.sort_by(|a, b| match (a, b) {
            (Item::Number(a), Item::Number(b)) => a.partial_cmp(b).unwrap(),
            (Item::Date(a), Item::Date(b)) => (a.year, a.month, a.day).cmp(&(b.year, b.month, b.day)),
            _ => panic!("{a:?} {b:?}"),
        });
        if largest {
            items.reverse();
        }
        items
    }

    fn is_offered_in_rows(&self, function: &str, args: &[Argument]) -> bool {
        let are_two =
            || args[0] != args[1] && self.number(&args[0]).is_some() && self.number(&args[1]).is_some();
        match function {
            "highest" | "lowest" => {
                return matches!(&args[0], Argument::Variable(v)
                    if matches!(&self.variables[*v], Value::Groups(_, groups) if groups.len() > 1));
            }
            "greater" | "less" => return are_two() && matches!(args[0], Argument::Variable(_)),
            "difference" | "plus" => {
                return are_two()
                    && matches!((&args[0], &args[1]), (Argument::Variable(a), Argument::Variable(b)) if a < b);
            }
            "ratio" | "share" => return are_two() && self.number(&args[1]) != Some(0.0),
            _ => {}
        }
        let rows = self.rows(&args[0]);
        let present = |column: &Argument| self.has_some(&rows, self.column(column));
        let filled = |rows: &[usize], column: &Argument| {
            let column = self.column(column);
            rows.iter()
                .filter(|row| Self::is_filled(&column.cells[**row]))
                .count()
        };
        match function {
            "any" => true,
            "filter_is" | "filter_!is" => rows.len() > 1 && !self.filter("filter_is", args).is_empty(),
            "filter_missing" | "filter_given" => {
                let all: Vec<usize> = (0..self.table.rows).collect();
                let looked = if rows.len() == 1 { &all } else { &rows };
                let filled = filled(looked, &args[1]);
                !rows.is_empty() && filled > 0 && filled < looked.len()
            }
            "largest" | "smallest" => {
                let filled = filled(&rows, &args[2]);
                self.rank(&args[1]).is_some_and(|rank| rank >= 2 && rank < filled)
            }
            "nth_largest" | "nth_smallest" => {
                let mut items = self.ranked(&rows, self.column(&args[2]), true);
                items.dedup();
                self.rank(&args[1])
                    .is_some_and(|rank| rank >= 2 && rank <= items.len())
            }
            "count_per" => filled(&rows, &args[1]) > 1,
            "sum_per" | "average_per" | "max_per" | "min_per" => {
                filled(&rows, &args[1]) > 1 && filled(&rows, &args[2]) > 1
            }
            "count" => true,
            "hop" => present(&args[1]),
            "first" | "last" => rows.len() > 1,
            "previous" | "next" => {
                !matches!(args[0], Argument::AllRows)
                    && !rows.is_empty()
                    && !matches!(self.evaluate(function, args), Value::Rows(rows) if rows.is_empty())
            }
            "argmax" | "argmin" | "max" | "min" | "average" | "sum" | "mode" | "count_distinct" => {
                rows.len() > 1 && present(&args[1])
            }
            "same_as" => rows.len() == 1 && present(&args[1]),
            "diff" => {
                let others = self.rows(&args[1]);
                rows.len() == 1
                    && others.len() == 1
                    && rows != others
                    && present(&args[2])
                    && self.has_some(&others, self.column(&args[2]))
            }
            "filter>" | "filter>=" | "filter<" | "filter<=" => {
                self.items(&args[1]).0 == self.column(&args[2]).kind
            }
            "filter=" | "filter!=" => rows.len() > 1 && !self.filter("filter=", args).is_empty(),
            "filter_in" | "filter_!in" => rows.len() > 1 && !self.filter("filter_in", args).is_empty(),
            other => panic!("{other}"),
        }
    }

    /// The arguments with which the function is offered.
    pub fn offered_applications(&self, function: &str) -> Vec<Vec<Argument>> {
        let mut all = self.applications(function);
        all.retain(|args| self.is_offered(function, args));
        all
    }

    /// The functions that can be finished.
    pub fn offered_functions(&self) -> Vec<&'static str> {
        let functions = SIGNATURES.iter().map(|(name, _)| *name);
        let allowed = functions.filter(|name| self.language.functions.iter().any(|f| f.name() == *name));
        allowed
            .filter(|name| !self.offered_applications(name).is_empty())
            .collect()
    }

    fn filter(&self, function: &str, args: &[Argument]) -> Vec<usize> {
        if ["filter_missing", "filter_given"].contains(&function) {
            let (column, wanted) = (self.column(&args[1]), function == "filter_given");
            let rows = self.rows(&args[0]).into_iter();
            return rows
                .filter(|row| Self::is_filled(&column.cells[*row]) == wanted)
                .collect();
        }
        let (_, given) = self.items(&args[1]);
        let column = self.column(&args[2]);
        let keeps = |row: &usize| {
            let cell = &column.cells[*row];
            let Some(cell) = cell else {
                return function == "filter!=";
            };
            let all = |accepts: &dyn Fn(Ordering) -> bool| {
                !given.is_empty()
                    && given
                        .iter()
                        .all(|other| compare(cell, other).is_some_and(accepts))
            };
            let one_value = given.iter().all(|item| *item == given[0]);
            let is = |text: &str| {
                given.iter().any(|item| {
                    let Item::Text(string) = item else { return false };
                    let whole = column.cells.contains(&Some(item.clone()));
                    text == string || (!whole && has_words(text, string))
                })
            };
            match (function, cell) {
                ("filter_is", Item::Text(text)) => is(text),
                ("filter_!is", Item::Text(text)) => !is(text),
                ("filter_in", Item::Text(text)) => given
                    .iter()
                    .any(|item| matches!(item, Item::Text(needle) if text.contains(needle.as_str()))),
                ("filter_!in", Item::Text(text)) => !given
                    .iter()
                    .any(|item| matches!(item, Item::Text(needle) if text.contains(needle.as_str()))),
                ("filter>", _) => all(&|order| order == Ordering::Greater),
                ("filter>=", _) => all(&|order| order != Ordering::Less),
                ("filter<", _) => all(&|order| order == Ordering::Less),
                ("filter<=", _) => all(&|order| order != Ordering::Greater),
                ("filter=", _) => one_value && all(&|order| order == Ordering::Equal),
                // A row has one value, so it is never several.
                ("filter!=", _) => !one_value || given.is_empty() || all(&|order| order != Ordering::Equal),
                _ => panic!("{function} {cell:?}"),
            }
        };
        self.rows(&args[0]).into_iter().filter(keeps).collect()
    }

    /// The rows of the largest or smallest value: those that no other row's value beats.
    fn extreme(&self, rows: &[usize], column: &Column, better: Ordering) -> Vec<usize> {
        let valued: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|row| column.cells[*row].is_some())
            .collect();
        let beaten = |row: &usize| {
            let value = column.cells[*row].as_ref().unwrap();
            valued
                .iter()
                .any(|other| compare(column.cells[*other].as_ref().unwrap(), value) == Some(better))
        };
        let best: Vec<usize> = valued.iter().copied().filter(|row| !beaten(row)).collect();
        if best.is_empty() && !valued.is_empty() {
            // Dates that know different parts can beat each other in a circle; then the calendar decides.
            let value = self.calendar_extreme(&valued, column, better);
            return valued
                .into_iter()
                .filter(|row| column.cells[*row] == value)
                .collect();
        }
        best
    }

    /// The value that comes first or last in the calendar, an unknown part before every known one.
    fn calendar_extreme(&self, rows: &[usize], column: &Column, better: Ordering) -> Option<Item> {
        let order = |a: &Item, b: &Item| match (a, b) {
            (Item::Number(a), Item::Number(b)) => a.partial_cmp(b).unwrap(),
            (Item::Date(a), Item::Date(b)) => (a.year, a.month, a.day).cmp(&(b.year, b.month, b.day)),
            _ => panic!("{a:?} {b:?}"),
        };
        let mut best: Option<Item> = None;
        for row in rows {
            let Some(value) = &column.cells[*row] else {
                continue;
            };
            if best.as_ref().is_none_or(|best| order(value, best) == better) {
                best = Some(value.clone());
            }
        }
        best
    }

    /// Of values that tie the one that knows most parts; of several, the first or last in the calendar.
    fn most_precise(&self, rows: &[usize], column: &Column, better: Ordering) -> Option<Item> {
        let parts = |row: &usize| match &column.cells[*row] {
            Some(Item::Date(date)) => [date.year.is_some(), date.month.is_some(), date.day.is_some()]
                .iter()
                .filter(|known| **known)
                .count(),
            _ => 0,
        };
        let most = rows.iter().map(parts).max();
        let precise: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|row| Some(parts(row)) == most)
            .collect();
        self.calendar_extreme(&precise, column, better)
    }

    /// The value of a function applied to arguments of the right types, offered or not.
    pub fn evaluate(&self, function: &str, args: &[Argument]) -> Value {
        if function.starts_with("filter") {
            return Value::Rows(self.filter(function, args));
        }
        let pair = || self.number(&args[0]).zip(self.number(&args[1]));
        let best = |largest: bool| match &args[0] {
            Argument::Variable(variable) => match &self.variables[*variable] {
                Value::Groups(kind, groups) => {
                    let beats = |a: f64, b: f64| if largest { a > b } else { a < b };
                    let unbeaten = groups.iter().filter(|(_, number)| {
                        let near = |other: f64| (other - number).abs() <= 1e-13 * other.abs();
                        !groups
                            .iter()
                            .any(|(_, other)| beats(*other, *number) && !near(*other))
                    });
                    Value::Items(*kind, unbeaten.map(|(label, _)| label.clone()).collect())
                }
                other => panic!("{other:?} is no groups"),
            },
            other => panic!("{other:?} is no groups"),
        };
        match function {
            "highest" => return best(true),
            "lowest" => return best(false),
            "greater" => return Value::Truth(pair().map(|(a, b)| a - b > 1e-13 * a.abs())),
            "less" => return Value::Truth(pair().map(|(a, b)| b - a > 1e-13 * a.abs())),
            "difference" => return Value::Scalar(pair().map(|(a, b)| (a - b).abs())),
            "plus" => return Value::Scalar(pair().map(|(a, b)| a + b)),
            "ratio" => return Value::Scalar(pair().filter(|(_, b)| *b != 0.0).map(|(a, b)| a / b)),
            "share" => return Value::Scalar(pair().filter(|(_, b)| *b != 0.0).map(|(a, b)| a * 100.0 / b)),
            _ => {}
        }
        let rows = self.rows(&args[0]);
        let numbers = |rows: &[usize], column: &Column| -> Vec<f64> {
            let cells = rows.iter().filter_map(|row| column.cells[*row].clone());
            cells
                .map(|cell| if let Item::Number(n) = cell { n } else { panic!() })
                .collect()
        };
        let of_ranks = |largest: bool, nth: bool| {
            let column = self.column(&args[2]);
            let mut items = self.ranked(&rows, column, largest);
            if nth {
                items.dedup();
            }
            let wanted: Vec<Item> = match self.rank(&args[1]) {
                Some(rank) if nth => items.into_iter().skip(rank - 1).take(1).collect(),
                Some(rank) => items.into_iter().take(rank).collect(),
                None => Vec::new(),
            };
            let is_wanted = |row: &usize| {
                column.cells[*row]
                    .as_ref()
                    .is_some_and(|item| wanted.contains(item))
            };
            Value::Rows(rows.iter().copied().filter(is_wanted).collect())
        };
        match function {
            "any" => Value::Truth(Some(!rows.is_empty())),
            "largest" => of_ranks(true, false),
            "smallest" => of_ranks(false, false),
            "nth_largest" => of_ranks(true, true),
            "nth_smallest" => of_ranks(false, true),
            "count_per" | "sum_per" | "average_per" | "max_per" | "min_per" => {
                let labels = self.column(&args[1]);
                let mut groups: Vec<(Item, Vec<f64>)> = Vec::new();
                for row in &rows {
                    let number = match args.get(2) {
                        None => Some(Item::Number(1.0)),
                        Some(of) => self.column(of).cells[*row].clone(),
                    };
                    let (Some(label), Some(Item::Number(number))) = (&labels.cells[*row], number) else {
                        continue;
                    };
                    if !Self::is_filled(&labels.cells[*row]) {
                        continue;
                    }
                    match groups.iter_mut().find(|(known, _)| known == label) {
                        Some((_, numbers)) => numbers.push(number),
                        None => groups.push((label.clone(), vec![number])),
                    }
                }
                let number = |numbers: &Vec<f64>| match function {
                    "average_per" => numbers.iter().sum::<f64>() / numbers.len() as f64,
                    "max_per" => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    "min_per" => numbers.iter().copied().fold(f64::INFINITY, f64::min),
                    _ => numbers.iter().sum(),
                };
                let groups = groups
                    .iter()
                    .map(|(label, numbers)| (label.clone(), number(numbers)));
                Value::Groups(labels.kind, groups.collect())
            }
            "count" => Value::Scalar(Some(rows.len() as f64)),
            "first" => Value::Rows(rows.iter().min().copied().into_iter().collect()),
            "last" => Value::Rows(rows.iter().max().copied().into_iter().collect()),
            "previous" => Value::Rows(rows.iter().filter(|row| **row > 0).map(|row| row - 1).collect()),
            "next" => Value::Rows(
                rows.iter()
                    .map(|row| row + 1)
                    .filter(|row| *row < self.table.rows)
                    .collect(),
            ),
            "hop" => {
                let column = self.column(&args[1]);
                let mut items: Vec<Item> = Vec::new();
                for item in rows.iter().filter_map(|row| column.cells[*row].clone()) {
                    if self.language.like_sql || !items.contains(&item) {
                        items.push(item);
                    }
                }
                Value::Items(column.kind, items)
            }
            "argmax" => Value::Rows(self.extreme(&rows, self.column(&args[1]), Ordering::Greater)),
            "argmin" => Value::Rows(self.extreme(&rows, self.column(&args[1]), Ordering::Less)),
            "max" | "min" => {
                let column = self.column(&args[1]);
                let better = if function == "max" {
                    Ordering::Greater
                } else {
                    Ordering::Less
                };
                let best = self.extreme(&rows, column, better);
                Value::Items(
                    column.kind,
                    self.most_precise(&best, column, better).into_iter().collect(),
                )
            }
            "sum" => {
                let numbers = numbers(&rows, self.column(&args[1]));
                let is_nothing = numbers.is_empty() && self.language.like_sql;
                Value::Scalar((!is_nothing).then(|| numbers.iter().sum::<f64>() + 0.0))
            }
            "average" => {
                let numbers = numbers(&rows, self.column(&args[1]));
                let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                Value::Scalar((!numbers.is_empty()).then_some(mean))
            }
            "count_distinct" => {
                let mut items: Vec<Item> = Vec::new();
                let column = self.column(&args[1]);
                for item in rows.iter().filter_map(|row| column.cells[*row].clone()) {
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
                Value::Scalar(Some(items.len() as f64))
            }
            "mode" => {
                let column = self.column(&args[1]);
                let items: Vec<Item> = rows.iter().filter_map(|row| column.cells[*row].clone()).collect();
                let count = |item: &Item| items.iter().filter(|other| *other == item).count();
                let most = items.iter().map(count).max();
                let mut modes: Vec<Item> = Vec::new();
                for item in &items {
                    if Some(count(item)) == most && !modes.contains(item) {
                        modes.push(item.clone());
                    }
                }
                Value::Items(column.kind, modes)
            }
            "same_as" => {
                let column = self.column(&args[1]);
                let same = |other: &usize| {
                    rows.iter().any(|row| {
                        other != row
                            && column.cells[*row].is_some()
                            && column.cells[*row] == column.cells[*other]
                    })
                };
                Value::Rows((0..self.table.rows).filter(same).collect())
            }
            "diff" => {
                let column = self.column(&args[2]);
                let (a, b) = (numbers(&rows, column), numbers(&self.rows(&args[1]), column));
                Value::Scalar(match (&a[..], &b[..]) {
                    ([a], [b]) => Some((a - b).abs()),
                    _ => None,
                })
            }
            other => panic!("{other}"),
        }
    }

    /// Executes an expression; its value becomes the newest variable.
    pub fn run(&mut self, function: &str, args: &[Argument]) {
        self.variables.push(self.evaluate(function, args));
        self.done.push((function.to_owned(), args.to_vec()));
        let used = args.iter().filter_map(|arg| match arg {
            Argument::Variable(variable) => Some(*variable),
            _ => None,
        });
        self.used.push(used.collect());
    }

    /// Takes back the newest expression.
    pub fn undo(&mut self) {
        self.variables.pop();
        self.done.pop();
        self.used.pop();
    }

    /// Whether some result but the last is used by nothing.
    pub fn extra_work(&self) -> bool {
        let last = self.variables.len().saturating_sub(1);
        (0..last).any(|variable| !self.used.iter().any(|used| used.contains(&variable)))
    }

    /// An expression of the right types, wherever `choose` (given how many there are) points; it may not be
    /// offered.
    pub fn typed_application(
        &self,
        mut choose: impl FnMut(usize) -> usize,
    ) -> Option<(&'static str, Vec<Argument>)> {
        let functions: Vec<_> = self
            .language
            .functions
            .iter()
            .map(|function| function.name())
            .collect();
        let function = functions[choose(functions.len())];
        let mut args = Vec::new();
        for wanted in signature(function).chars() {
            let candidates = self.candidates(wanted);
            if candidates.is_empty() {
                return None;
            }
            args.push(candidates[choose(candidates.len())].clone());
        }
        Some((function, args))
    }
}
