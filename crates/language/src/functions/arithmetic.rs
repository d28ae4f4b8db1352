//! What two numbers make: `difference`, `plus`, `ratio` and `share`.

use super::{Argument, Definition, Gives};
use crate::machine::{Arg, Machine};
use crate::telling::sql::Select;

pub(super) const DIFFERENCE: Definition = Definition {
    name: "difference",
    offered: "there are two variables with one number each; in the order in which they came",
    summary: "how far apart the two numbers are",
    triggers: &["difference", "more", "less", "fewer"],
    synonyms: &["between", "apart", "gap", "margin"],
    admits: |machine, args| are_two(machine, args) && in_order(args),
    run: |machine, args| run(machine, args, |a, b| Some((a - b).abs())),
    english: |phrase| {
        format!(
            "the difference between {} and {}",
            phrase.number(0),
            phrase.number(1)
        )
    },
    sql: |select| sql(select, "abs(a - b)"),
    cases: CASES,
    ..ARITHMETIC
};

pub(super) const PLUS: Definition = Definition {
    name: "plus",
    offered: "there are two variables with one number each; in the order in which they came",
    summary: "the sum of the two numbers",
    triggers: &["combined", "total", "together", "sum"],
    synonyms: &["altogether", "plus", "add", "added", "both"],
    admits: |machine, args| are_two(machine, args) && in_order(args),
    run: |machine, args| run(machine, args, |a, b| Some(a + b)),
    english: |phrase| format!("the sum of {} and {}", phrase.number(0), phrase.number(1)),
    sql: |select| sql(select, "a + b"),
    ..ARITHMETIC
};

pub(super) const RATIO: Definition = Definition {
    name: "ratio",
    summary: "the first number divided by the second; nothing if that is 0",
    triggers: &["ratio", "times", "twice"],
    synonyms: &["divided", "per"],
    run: |machine, args| run(machine, args, |a, b| (b != 0.0).then(|| a / b)),
    english: |phrase| format!("{} divided by {}", phrase.number(0), phrase.number(1)),
    sql: |select| sql(select, "CAST(a AS DOUBLE) / NULLIF(b, 0)"),
    ..ARITHMETIC
};

pub(super) const SHARE: Definition = Definition {
    name: "share",
    summary: "the first number in percent of the second; nothing if that is 0",
    triggers: &["percent", "percentage", "share", "proportion"],
    synonyms: &["fraction", "%"],
    run: |machine, args| run(machine, args, |a, b| (b != 0.0).then(|| a * 100.0 / b)),
    english: |phrase| format!("{} in percent of {}", phrase.number(0), phrase.number(1)),
    sql: |select| sql(select, "CAST(a AS DOUBLE) * 100 / NULLIF(b, 0)"),
    ..ARITHMETIC
};

/// What all have in common.
const ARITHMETIC: Definition = Definition {
    arguments: &[Argument::Number, Argument::Number],
    gives: Gives::Scalar,
    offered: "there are two variables with one number each, the second not 0",
    admits: |machine, args| {
        let is_zero = |arg: &Arg| machine.number(arg.values()) == Some(0.0);
        are_two(machine, args) && !args.get(1).is_some_and(is_zero)
    },
    about_these_rows: true,
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    ..Definition::BASE
};

/// Whether the arguments are numbers of different variables.
fn are_two(machine: &Machine, args: &[Arg]) -> bool {
    let is_number = |arg: &Arg| machine.number(arg.values()).is_some();
    match args {
        [a] => is_number(a),
        [a, b] => a != b && is_number(b),
        _ => false,
    }
}

/// Whether the arguments come in the order of their variables: swapped they give the same.
fn in_order(args: &[Arg]) -> bool {
    args.is_sorted_by_key(|arg| arg.values().as_variable())
}

fn run(machine: &mut Machine, args: &[Arg], result: impl Fn(f64, f64) -> Option<f64>) {
    let number = |arg: Arg| machine.number(arg.values());
    let pair = number(args[0]).zip(number(args[1]));
    machine.hold_number(pair.and_then(|(a, b)| result(a, b)));
}

fn sql(select: &mut Select<'_>, result: &str) -> String {
    format!("SELECT {result} FROM {}", select.two_numbers())
}

const CASES: &str = r"
# difference, plus, ratio, share: of two results.
(max all_rows r.points-num) (min all_rows r.points-num) (difference v0 v1)
  = numbers 22.5
  english: (1) the largest Points of all rows → (2) the smallest Points of all rows → (3) the difference between that of step 1 and that of step 2
(max all_rows r.points-num) (min all_rows r.points-num) (difference v1 v0)
  not offered: v1
  = numbers 22.5
(max all_rows r.points-num) (min all_rows r.points-num) (plus v0 v1)
  = numbers 7.5
  english: (1) the largest Points of all rows → (2) the smallest Points of all rows → (3) the sum of that of step 1 and that of step 2
(filter_is all_rows ['reds'] r.team-str) (count v0) (count all_rows) (share v1 v2)
  = numbers 50
  english: (1) rows where Team is 'reds' → (2) how many there are → (3) how many rows there are → (4) that of step 2 in percent of that of step 3
(filter_is all_rows ['blues'] r.team-str) (count v0) (count all_rows) (ratio v2 v1)
  = numbers 3
  english: (1) rows where Team is 'blues' → (2) how many there are → (3) how many rows there are → (4) that of step 3 divided by that of step 2
# By nothing nothing is divided.
(count all_rows) (filter> all_rows [99] r.points-num) (count v1) (ratio v0 v2)
  not offered: v0
  = numbers
(count all_rows) (filter> all_rows [99] r.points-num) (count v1) (share v0 v2)
  not offered: v0
  = numbers
# Results go on being numbers.
(count all_rows) (max all_rows r.points-num) (plus v0 v1) (plus v0 v2) (ratio v3 v0)
  = numbers 4.5
(first all_rows) (hop v0 r.points-num) (last all_rows) (hop v2 r.points-num) (difference v1 v3)
  = numbers 19.5
# One number is not two, and several are none.
(count all_rows) (plus v0 v0)
  not offered: plus
  = numbers 12
(count all_rows) (hop all_rows r.points-num) (share v0 v1)
  not offered: share
  = numbers
(count all_rows) (plus v0 [3])
  error at 27: a number
";
