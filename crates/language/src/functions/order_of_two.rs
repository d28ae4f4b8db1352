//! Which of two numbers is larger: `greater` and `less`.

use super::{Argument, Definition, Gives};
use crate::machine::{Arg, Machine};
use crate::telling::Number;
use crate::telling::english::Phrase;
use crate::telling::sql::{CLOSE, Select};

pub(super) const GREATER: Definition = Definition {
    name: "greater",
    summary: "`yes` if the first number is above the second, else `no`",
    triggers: &["JJR", "RBR", "more", "than", "above"],
    synonyms: &["over", "exceed", "exceeds", "exceeded"],
    run: |machine, args| run(machine, args, |a, b| is_above(a, b, a)),
    english: |phrase| english(phrase, "above"),
    sql: |select| sql(select, ">", "<=", "a - b"),
    cases: CASES,
    ..ORDER
};

pub(super) const LESS: Definition = Definition {
    name: "less",
    summary: "`yes` if the first number is below the second, else `no`",
    triggers: &["JJR", "RBR", "less", "than", "fewer", "below", "under"],
    run: |machine, args| run(machine, args, |a, b| is_above(b, a, a)),
    english: |phrase| english(phrase, "below"),
    sql: |select| sql(select, "<", ">=", "b - a"),
    ..ORDER
};

/// What both have in common.
const ORDER: Definition = Definition {
    arguments: &[Argument::NumberOrConstant, Argument::NumberOrConstant],
    gives: Gives::Truth,
    offered: "the first is a variable with one number, the second another such or a constant",
    admits: |machine, args| match args {
        [a] => a.values().as_variable().is_some() && machine.number(a.values()).is_some(),
        [a, b] => a != b && machine.number(b.values()).is_some(),
        _ => false,
    },
    about_these_rows: true,
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    ..Definition::BASE
};

/// Whether a number is above another. What is added up from fractions differs in its last digits with the
/// order of adding; numbers that are so near, measured by `size`, are the same.
pub(super) fn is_above(a: f64, b: f64, size: f64) -> bool {
    a - b > NEAR * size.abs()
}

/// So near are the same, as a part of them; [`CLOSE`] in SQL.
const NEAR: f64 = 1e-13;

fn run(machine: &mut Machine, args: &[Arg], holds: impl Fn(f64, f64) -> bool) {
    let number = |arg: Arg| machine.number(arg.values());
    let truth = number(args[0]).zip(number(args[1])).map(|(a, b)| holds(a, b));
    machine.hold_truth(truth);
}

fn english(phrase: &Phrase<'_>, is: &str) -> String {
    let (a, b) = (phrase.number(0), phrase.number(1));
    format!("whether {a} is {is} {b}")
}

fn sql(select: &mut Select<'_>, holds: &str, not: &str, by: &str) -> String {
    let added = |number| matches!(number, Number::Step { added: true, .. });
    let cases = match added(select.call.number(0)) || added(select.call.number(1)) {
        true => format!("WHEN {by} > {CLOSE} * abs(a) THEN 'yes' WHEN {by} IS NOT NULL THEN 'no'"),
        false => format!("WHEN a {holds} b THEN 'yes' WHEN a {not} b THEN 'no'"),
    };
    format!("SELECT CASE {cases} END FROM {}", select.two_numbers())
}

const CASES: &str = r"
# greater, less: of two results, or of one and a number.
(filter_is all_rows ['reds'] r.team-str) (count v0) (filter_is all_rows ['blues'] r.team-str) (count v2) (greater v1 v3)
  = strings yes
  english: (1) rows where Team is 'reds' → (2) how many there are → (3) of all rows, those whose Team is 'blues' → (4) how many there are → (5) whether that of step 2 is above that of step 4
(count all_rows) (less v0 [6])
  = strings no
  english: how many rows there are → whether that is below 6
(count all_rows) (greater v0 [5])
  = strings yes
  english: how many rows there are → whether that is above 5
(count all_rows) (less [5] v0)
  not offered: [5]
  = strings yes
(max all_rows r.points-num) (min all_rows r.points-num) (greater v1 v0)
  = strings no
# A single value of a column is a number, several are none.
(first all_rows) (hop v0 r.points-num) (greater v1 [10])
  = strings yes
(hop all_rows r.points-num) (greater v0 [10])
  not offered: greater
  = strings
(count all_rows) (less v0 v0)
  not offered: v0
  = strings no
(greater [2] [1])
  not offered: greater
  = strings yes
# Texts are no numbers, and nothing is none.
(count all_rows) (less v0 ['reds'])
  error at 27: a number
(filter_missing all_rows r.points-num) (average v0 r.points-num) (greater v1 [1])
  not offered: v0
  = strings
";
