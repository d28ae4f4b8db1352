//! A plain evaluator of the language: values as lists, rows as numbers, every question asked anew.

use super::questions::{self, Constant, compare_known_parts};
use super::quirk::{Quirk, Quirks};
use super::tables::{Column, Kind, Table, Value};
use mapo_language::{Atom, Expression};
use mapo_language::{Function, Language, Program};
use std::cmp::Ordering;

/// The quirks that running a program depends on, beside those of its table and constants.
pub const QUIRKS: Quirks = Quirks::of(&[
    Quirk::FunctionsUnchecked,
    Quirk::ArgumentsUnchecked,
    Quirk::NumbersMeetDates,
    Quirk::DatesOrderAsText,
    Quirk::DatesEqualAsText,
    Quirk::DatesAsDays,
]);

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    /// In ascending order.
    Rows(Vec<usize>),
    Values(Kind, Vec<Value>),
    /// A number that is no argument; none where there is nothing to compute it from.
    Scalar(Option<f64>),
}

/// What programs run on.
pub struct World<'a> {
    pub table: &'a Table,
    pub constants: &'a [Constant],
    pub language: Language,
    pub quirks: Quirks,
}

/// An argument.
#[derive(Clone, Debug)]
enum Arg<'a> {
    AllRows(Vec<usize>),
    Rows(Vec<usize>),
    Values(Kind, Vec<Value>),
    Column(&'a Column),
}

impl<'a> Arg<'a> {
    fn rows(&self) -> &[usize] {
        match self {
            Arg::AllRows(rows) | Arg::Rows(rows) => rows,
            _ => panic!("{self:?} is no rows"),
        }
    }

    fn values(&self) -> (Kind, &[Value]) {
        match self {
            Arg::Values(kind, values) => (*kind, values),
            _ => panic!("{self:?} is no values"),
        }
    }

    fn column(&self) -> &'a Column {
        match self {
            Arg::Column(column) => column,
            _ => panic!("{self:?} is no column"),
        }
    }
}

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    Rows,
    Quantity,
    Strings,
    Column,
    Ordered,
    Number,
    Text,
}

fn wanted(function: Function) -> &'static [Wanted] {
    use Function::*;
    use Wanted::*;
    match function {
        Hop | Mode | SameAs => &[Rows, Column],
        ArgMax | ArgMin | Max | Min => &[Rows, Ordered],
        FilterGreater | FilterAtLeast | FilterLess | FilterAtMost | FilterEqual | FilterNotEqual => {
            &[Rows, Quantity, Ordered]
        }
        FilterIn | FilterNotIn => &[Rows, Strings, Text],
        First | Last | Previous | Next | Count => &[Rows],
        Average | Sum => &[Rows, Number],
        Diff => &[Rows, Rows, Number],
        other => panic!("the published language has no {other}"),
    }
}

impl<'a> World<'a> {
    /// Runs one expression after others. `None` if a column is missing.
    pub fn run(&self, expression: &Expression, before: &[Held]) -> Option<Held> {
        let args = expression.arguments.iter().map(|atom| self.arg(atom, before));
        let args = args.collect::<Option<Vec<Arg<'_>>>>()?;
        Some(self.apply(expression.function, &args))
    }

    fn all_rows(&self) -> Vec<usize> {
        (0..self.table.rows).collect()
    }

    fn arg(&self, atom: &Atom, before: &[Held]) -> Option<Arg<'a>> {
        use mapo_tables::Constant::{Dates, Numbers, Strings};
        Some(match atom {
            Atom::AllRows => Arg::AllRows(self.all_rows()),
            Atom::Variable(variable) => match &before[*variable] {
                Held::Rows(rows) => Arg::Rows(rows.clone()),
                Held::Values(kind, values) => Arg::Values(*kind, values.clone()),
                Held::Scalar(_) => return None,
            },
            Atom::Column(name) => Arg::Column(self.table.column(name)?),
            Atom::Constant(Strings(strings)) => {
                Arg::Values(Kind::Text, strings.iter().cloned().map(Value::Text).collect())
            }
            Atom::Constant(Numbers(numbers)) => {
                Arg::Values(Kind::Number, numbers.iter().copied().map(Value::Number).collect())
            }
            Atom::Constant(Dates(dates)) => {
                let dates = dates.iter().map(|date| Value::Date(date.to_string()));
                Arg::Values(Kind::Date, dates.collect())
            }
        })
    }

    fn apply(&self, function: Function, args: &[Arg<'_>]) -> Held {
        use Function::*;
        let rows = args[0].rows();
        let keep = |test: &dyn Fn(usize) -> bool| {
            Held::Rows(rows.iter().copied().filter(|row| test(*row)).collect())
        };
        match function {
            Hop => {
                let column = args[1].column();
                let mut values = here(rows, column);
                if !self.language.like_sql {
                    values = distinct(&values);
                }
                Held::Values(column.kind, values)
            }
            Mode => {
                let column = args[1].column();
                let values = here(rows, column);
                let count = |value: &Value| values.iter().filter(|other| *other == value).count();
                let most = values.iter().map(count).max().unwrap_or(0);
                let modes: Vec<Value> = values
                    .iter()
                    .filter(|value| count(value) == most)
                    .cloned()
                    .collect();
                Held::Values(column.kind, distinct(&modes))
            }
            ArgMax | ArgMin => {
                let column = args[1].column();
                let best = self.extremes(&here(rows, column), function == ArgMax, true);
                keep(&|row| {
                    column.values[row]
                        .as_ref()
                        .is_some_and(|value| best.contains(value))
                })
            }
            Max | Min => {
                let column = args[1].column();
                let best = self.extremes(&here(rows, column), function == Max, false);
                // Of dates that tie the one that knows most, then the last or first of them.
                let most = best.into_iter().max_by(|a, b| {
                    let (known, order) = (known_parts(a).cmp(&known_parts(b)), sorting(a, b));
                    known.then(if function == Max { order } else { order.reverse() })
                });
                Held::Values(column.kind, most.into_iter().collect())
            }
            FilterGreater | FilterAtLeast | FilterLess | FilterAtMost => {
                let ((_, given), column) = (args[1].values(), args[2].column());
                let holds = |order: Ordering| match function {
                    FilterGreater => order.is_gt(),
                    FilterAtLeast => order.is_ge(),
                    FilterLess => order.is_lt(),
                    _ => order.is_le(),
                };
                let stands = |value: &Value, other: &Value| self.order(value, other).is_some_and(holds);
                keep(&|row| {
                    let value = column.values[row].as_ref();
                    value.is_some_and(|value| given.iter().all(|other| stands(value, other)))
                })
            }
            FilterEqual => keep(&|row| self.is_equal(row, &args[1], args[2].column())),
            FilterNotEqual => keep(&|row| !self.is_equal(row, &args[1], args[2].column())),
            FilterIn => keep(&|row| contains(row, &args[1], args[2].column())),
            FilterNotIn => keep(&|row| !contains(row, &args[1], args[2].column())),
            First => Held::Rows(rows.first().copied().into_iter().collect()),
            Last => Held::Rows(rows.last().copied().into_iter().collect()),
            Previous => Held::Rows(rows.iter().filter_map(|row| row.checked_sub(1)).collect()),
            Next => Held::Rows(
                rows.iter()
                    .map(|row| row + 1)
                    .filter(|row| *row < self.table.rows)
                    .collect(),
            ),
            Count => Held::Scalar(Some(rows.len() as f64)),
            Sum => Held::Scalar(Some(sum(&numbers(rows, args[1].column())))),
            Average => {
                let numbers = numbers(rows, args[1].column());
                Held::Scalar((!numbers.is_empty()).then(|| sum(&numbers) / numbers.len() as f64))
            }
            SameAs => {
                let column = args[1].column();
                let mut same = Vec::new();
                for row in self.all_rows() {
                    let is_same = |other: &usize| {
                        *other != row
                            && column.values[row].is_some()
                            && column.values[row] == column.values[*other]
                    };
                    if rows.iter().any(is_same) {
                        same.push(row);
                    }
                }
                Held::Rows(same)
            }
            Diff => {
                let column = args[2].column();
                let (a, b) = (numbers(rows, column), numbers(args[1].rows(), column));
                match (&a[..], &b[..]) {
                    ([a], [b]) => Held::Scalar(Some((a - b).abs())),
                    _ => Held::Scalar(None),
                }
            }
            other => panic!("the published language has no {other}"),
        }
    }

    /// How two values stand, if they can be compared.
    fn order(&self, a: &Value, b: &Value) -> Option<Ordering> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
            (Value::Date(a), Value::Date(b)) if self.quirks.has(Quirk::DatesOrderAsText) => Some(a.cmp(b)),
            (Value::Date(a), Value::Date(b)) => compare_known_parts(a, b),
            // To Python 2 any text is above any number.
            (Value::Number(_), Value::Date(_)) => self.mixed(Ordering::Less),
            (Value::Date(_), Value::Number(_)) => self.mixed(Ordering::Greater),
            _ => None,
        }
    }

    fn mixed(&self, order: Ordering) -> Option<Ordering> {
        self.quirks.has(Quirk::NumbersMeetDates).then_some(order)
    }

    /// The values that no other is beyond.
    fn extremes(&self, values: &[Value], largest: bool, of_rows: bool) -> Vec<Value> {
        let days = of_rows && self.quirks.has(Quirk::DatesAsDays);
        let order = |a: &Value, b: &Value| match (a, b) {
            (Value::Date(a), Value::Date(b)) if days => Some(day(a).cmp(&day(b))),
            // Rows and values have each their quirk.
            (Value::Date(a), Value::Date(b)) if of_rows => compare_known_parts(a, b),
            _ => self.order(a, b),
        };
        let beyond = if largest {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        let beaten = |value: &Value| values.iter().any(|other| order(other, value) == Some(beyond));
        let best: Vec<Value> = values.iter().filter(|value| !beaten(value)).cloned().collect();
        if !best.is_empty() {
            return best;
        }
        // Dates that know different parts can beat each other in a circle; then the last or first as sorted
        // counts.
        let sorted = |a: &&Value, b: &&Value| if largest { sorting(a, b) } else { sorting(b, a) };
        values.iter().max_by(sorted).cloned().into_iter().collect()
    }

    fn is_equal(&self, row: usize, given: &Arg<'_>, column: &Column) -> bool {
        let (_, given) = given.values();
        let Some(value) = &column.values[row] else {
            return false;
        };
        let equal = |other: &Value| match (value, other) {
            (Value::Date(a), Value::Date(b)) if !self.quirks.has(Quirk::DatesEqualAsText) => {
                compare_known_parts(a, b) == Some(Ordering::Equal)
            }
            _ => value == other,
        };
        // The row has one value, so the others must be one.
        distinct(given).len() == 1 && equal(&given[0])
    }

    // Offering.

    /// The tokens that may follow expressions and the beginning of another: a function and some arguments, or
    /// nothing but the parenthesis. `None` if a column is missing.
    pub fn offered(&self, before: &[Held], begun: Option<(Function, &[Atom])>) -> Option<Vec<String>> {
        let Some((function, atoms)) = begun else {
            let functions = self.language.functions.iter();
            let functions = functions.filter(|function| {
                self.quirks.has(Quirk::FunctionsUnchecked) || self.completes(*function, &[], before)
            });
            return Some(functions.map(|function| function.name().to_owned()).collect());
        };
        let args = atoms
            .iter()
            .map(|atom| self.arg(atom, before))
            .collect::<Option<Vec<_>>>()?;
        if args.len() == wanted(function).len() {
            return Some(vec![")".to_owned()]);
        }
        let good = |(_, arg): &(String, Arg<'a>)| {
            let mut args = args.clone();
            args.push(arg.clone());
            self.admits(function, &args, before)
                && (self.quirks.has(Quirk::ArgumentsUnchecked) || self.completes(function, &args, before))
        };
        let candidates = self.candidates(wanted(function)[args.len()], before).into_iter();
        Some(candidates.filter(good).map(|(token, _)| token).collect())
    }

    fn completes(&self, function: Function, args: &[Arg<'a>], before: &[Held]) -> bool {
        let Some(next) = wanted(function).get(args.len()) else {
            return true;
        };
        self.candidates(*next, before).into_iter().any(|(_, arg)| {
            let mut args = args.to_vec();
            args.push(arg);
            self.admits(function, &args, before) && self.completes(function, &args, before)
        })
    }

    fn candidates(&self, wanted: Wanted, before: &[Held]) -> Vec<(String, Arg<'a>)> {
        let variables = before.iter().enumerate();
        match wanted {
            Wanted::Rows => {
                let all = ("all_rows".to_owned(), Arg::AllRows(self.all_rows()));
                let rows = variables.filter_map(|(index, held)| match held {
                    Held::Rows(rows) => Some((format!("v{index}"), Arg::Rows(rows.clone()))),
                    _ => None,
                });
                std::iter::once(all).chain(rows).collect()
            }
            Wanted::Quantity | Wanted::Strings => {
                let constants = self.constants.iter();
                let constants = constants.map(|constant| {
                    let arg = Arg::Values(constant.kind, constant.values.clone());
                    (constant.text(), arg)
                });
                let values = variables.filter_map(|(index, held)| match held {
                    Held::Values(kind, values) => {
                        Some((format!("v{index}"), Arg::Values(*kind, values.clone())))
                    }
                    _ => None,
                });
                let fits = |(_, arg): &(String, Arg<'_>)| {
                    (arg.values().0 == Kind::Text) == (wanted == Wanted::Strings)
                };
                constants.chain(values).filter(fits).collect()
            }
            _ => {
                let fits = |column: &&'a Column| match wanted {
                    Wanted::Ordered => column.kind != Kind::Text,
                    Wanted::Number => column.kind == Kind::Number,
                    Wanted::Text => column.kind == Kind::Text,
                    _ => true,
                };
                let columns = self.table.columns.iter().filter(fits);
                columns
                    .map(|column| (column.name.clone(), Arg::Column(column)))
                    .collect()
            }
        }
    }

    /// Whether the last of the arguments may stand after the others.
    fn admits(&self, function: Function, args: &[Arg<'_>], before: &[Held]) -> bool {
        use Function::*;
        let rows = args[0].rows();
        match (function, args.len()) {
            (Hop | Count | FilterGreater | FilterAtLeast | FilterLess | FilterAtMost, 1) => true,
            (Previous | Next, _) => {
                let moved = self.apply(function, args);
                !matches!(args[0], Arg::AllRows(_)) && moved != Held::Rows(Vec::new())
            }
            (SameAs, 1) => rows.len() == 1,
            (SameAs, _) => rows.len() == 1 && !here(rows, args[1].column()).is_empty(),
            (Diff, 1) => {
                let single = |held: &&Held| matches!(held, Held::Rows(rows) if rows.len() == 1);
                rows.len() == 1 && before.iter().filter(single).count() > 1
            }
            (Diff, 2) => args[1].rows().len() == 1 && args[1].rows().first() != rows.first(),
            (Diff, _) => [&args[0], &args[1]]
                .iter()
                .all(|arg| !here(arg.rows(), args[2].column()).is_empty()),
            (_, 1) => rows.len() > 1,
            // A value that no column has leads nowhere; the published code looks that far.
            (FilterEqual | FilterNotEqual, 2) => {
                let columns = &self.table.columns;
                columns.iter().any(|column| {
                    rows.iter()
                        .any(|row| self.is_equal_to_any(*row, &args[1], column))
                })
            }
            (FilterEqual | FilterNotEqual, _) => rows
                .iter()
                .any(|row| self.is_equal(*row, &args[1], args[2].column())),
            (FilterGreater | FilterAtLeast | FilterLess | FilterAtMost, 2) => true,
            (FilterGreater | FilterAtLeast | FilterLess | FilterAtMost, _) => {
                self.quirks.has(Quirk::NumbersMeetDates) || args[1].values().0 == args[2].column().kind
            }
            (FilterIn | FilterNotIn, 2) => !args[1].values().1.is_empty(),
            (FilterIn | FilterNotIn, _) => rows.iter().any(|row| contains(*row, &args[1], args[2].column())),
            _ => !here(rows, args[1].column()).is_empty(),
        }
    }

    /// The same for a column of any kind, where a date may be a text.
    fn is_equal_to_any(&self, row: usize, given: &Arg<'_>, column: &Column) -> bool {
        match (&column.values[row], given.values().1) {
            (Some(Value::Text(text)), [Value::Date(date)]) => text == date,
            _ => self.is_equal(row, given, column),
        }
    }
}

/// Whether some result but the last is mentioned nowhere.
pub fn extra_work(program: &Program) -> bool {
    let mentioned = |variable: usize| {
        let mut expressions = program.expressions.iter();
        expressions.any(|expression| expression.arguments.contains(&Atom::Variable(variable)))
    };
    (0..program.expressions.len() - 1).any(|variable| !mentioned(variable))
}

fn here(rows: &[usize], column: &Column) -> Vec<Value> {
    rows.iter()
        .filter_map(|row| column.values[*row].clone())
        .collect()
}

fn numbers(rows: &[usize], column: &Column) -> Vec<f64> {
    let number = |value| match value {
        Value::Number(number) => Some(number),
        _ => None,
    };
    here(rows, column).into_iter().filter_map(number).collect()
}

fn sum(numbers: &[f64]) -> f64 {
    // Not `sum`, which makes -0 of nothing.
    numbers.iter().fold(0.0, |sum, number| sum + number)
}

fn distinct(values: &[Value]) -> Vec<Value> {
    let mut distinct: Vec<Value> = Vec::new();
    for value in values {
        if !distinct.contains(value) {
            distinct.push(value.clone());
        }
    }
    distinct
}

fn contains(row: usize, given: &Arg<'_>, column: &Column) -> bool {
    let within =
        |text: &str, other: &Value| matches!(other, Value::Text(string) if text.contains(string.as_str()));
    match &column.values[row] {
        Some(Value::Text(text)) => given.values().1.iter().any(|other| within(text, other)),
        _ => false,
    }
}

/// The published number of a day, what is unknown being 0.
fn day(date: &str) -> i64 {
    let [year, month, day] = questions::parts(date).map(|part| part.unwrap_or(0));
    365 * year + 30 * month + day
}

fn known_parts(value: &Value) -> usize {
    match value {
        Value::Date(date) => questions::parts(date).into_iter().flatten().count(),
        _ => 0,
    }
}

/// An order in which dates can be sorted: unknown parts first.
fn sorting(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Date(a), Value::Date(b)) => questions::parts(a).cmp(&questions::parts(b)),
        (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
        _ => Ordering::Equal,
    }
}
