//! What must hold for every program over every table.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

#[path = "support/naive.rs"]
mod naive;
#[path = "support/worlds.rs"]
mod worlds;

use mapo_language::Atom;
use mapo_language::{Assistance, Context, Denotation, Function, Interpreter, Language, Program, Token};
use mapo_tables::{CellValues, Constant, TableBuilder};
use naive::{Argument, Evaluator, Item, Kind, Value};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use worlds::{World, any_rows, choices, language, world};

/// A random walk through what is offered; gives the tokens, and whether it ended with `<END>`.
fn walk(interpreter: &mut Interpreter, choices: &[u32]) -> bool {
    for choice in choices {
        let offered = interpreter.offered();
        let Some(token) = offered.get(*choice as usize % offered.len().max(1)) else {
            break;
        };
        interpreter.step(*token).expect("an offered token is taken");
    }
    interpreter.is_done()
}

/// The longest program: three arguments, two parentheses and a function for each expression, and the end.
const LONGEST: usize = 6 * 6 + 1;

/// The offered tokens as they are written.
fn written(interpreter: &Interpreter) -> BTreeSet<String> {
    let offered = interpreter.offered();
    assert!(offered.is_sorted(), "offered in ascending order");
    let context = interpreter.context();
    for token in 0..context.tokens() as u16 + 2 {
        let token = Token(token);
        assert_eq!(
            interpreter.offers(token),
            offered.contains(&token),
            "{}",
            context.write(token)
        );
    }
    offered.iter().map(|token| context.write(*token)).collect()
}

/// The interpreter's value in the plain evaluator's terms, for comparing.
fn assert_same_value(value: &Denotation, expected: &Value, what: &str) {
    let same = match (value, expected) {
        (Denotation::Rows(rows), Value::Rows(expected)) => rows.iter().collect::<Vec<_>>() == *expected,
        (Denotation::Strings(strings), Value::Items(Kind::Text, items)) => {
            strings.iter().cloned().map(Item::Text).collect::<Vec<_>>() == *items
        }
        (Denotation::Numbers(numbers), Value::Items(Kind::Number, items)) => {
            numbers.iter().copied().map(Item::Number).collect::<Vec<_>>() == *items
        }
        (Denotation::Dates(dates), Value::Items(Kind::Date, items)) => {
            dates.iter().copied().map(Item::Date).collect::<Vec<_>>() == *items
        }
        (Denotation::Numbers(numbers), Value::Scalar(number)) => {
            numbers.len() == usize::from(number.is_some())
                && numbers
                    .iter()
                    .zip(number)
                    .all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs())
        }
        (Denotation::Strings(words), Value::Truth(truth)) => {
            let word = truth.map(|truth| if truth { "yes" } else { "no" });
            words.iter().map(String::as_str).eq(word)
        }
        (Denotation::Groups(groups), Value::Groups(_, expected)) => {
            let label = |item: &Item| match item {
                Item::Text(text) => text.clone(),
                Item::Number(number) => number.to_string(),
                Item::Date(date) => date.to_string(),
            };
            let same = |((one, a), (other, b)): (&(String, f64), &(Item, f64))| {
                *one == label(other) && (a - b).abs() <= 1e-9 * b.abs()
            };
            groups.len() == expected.len() && groups.iter().zip(expected).all(same)
        }
        _ => false,
    };
    assert!(same, "{what}: {value:?} but plainly {expected:?}");
}

/// Walks through a program with the interpreter and the plain evaluator side by side and compares, at every
/// token, what is offered and, at every expression, its value. `choose` picks one of this many.
fn compare_offered(world: &World, language: Language, mut choose: impl FnMut(usize) -> usize) {
    let plain_table = world.naive();
    let mut plain = Evaluator::new(&plain_table, &world.constants, language);
    let mut interpreter = Interpreter::new(world.context(language));
    let context = Arc::clone(interpreter.context());
    let token_of = |text: &str| {
        let mut tokens = (0..context.tokens() as u16).map(Token);
        tokens
            .find(|token| context.write(*token) == text)
            .unwrap_or_else(|| panic!("no token {text}"))
    };
    let set = |texts: Vec<String>| texts.into_iter().collect::<BTreeSet<String>>();
    loop {
        let functions = plain.offered_functions();
        let mut expected = BTreeSet::new();
        if !plain.variables.is_empty() {
            expected.insert("<END>".to_owned());
        }
        if plain.variables.len() < language.expressions && !functions.is_empty() {
            expected.insert("(".to_owned());
        }
        assert_eq!(written(&interpreter), expected);
        if !expected.contains("(") {
            break;
        }
        interpreter.step(token_of("(")).unwrap();
        let expected = set(functions.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(written(&interpreter), expected);
        let function = functions[choose(functions.len())];
        interpreter.step(token_of(function)).unwrap();
        let mut applications = plain.offered_applications(function);
        for place in 0..applications[0].len() {
            let here = |args: &Vec<Argument>| plain.write(&args[place]);
            assert_eq!(
                written(&interpreter),
                set(applications.iter().map(here).collect()),
                "{function} {place}"
            );
            let chosen = here(&applications[choose(applications.len())]);
            applications.retain(|args| here(args) == chosen);
            interpreter.step(token_of(&chosen)).unwrap();
        }
        assert_eq!(written(&interpreter), set(vec![")".to_owned()]));
        interpreter.step(token_of(")")).unwrap();
        plain.run(function, &applications[0]);
        let newest = plain.variables.len() - 1;
        let text = context.decode(interpreter.tokens()).unwrap().to_string();
        assert_same_value(
            &interpreter.value(newest).unwrap(),
            &plain.variables[newest],
            &text,
        );
        assert_eq!(interpreter.extra_work(), plain.extra_work(), "{text}");
    }
    if !plain.variables.is_empty() {
        interpreter.step(token_of("<END>")).unwrap();
        assert!(interpreter.is_done() && interpreter.offered().is_empty());
        let last = plain.variables.last().unwrap();
        let value = interpreter.value(interpreter.variables() - 1).unwrap();
        assert_same_value(&value, last, "answer");
    }
}

/// Runs a random program of the right types, offered or not, with both and compares the values.
fn compare_values(world: &World, language: Language, mut choose: impl FnMut(usize) -> usize) {
    let plain_table = world.naive();
    let mut plain = Evaluator::new(&plain_table, &world.constants, language);
    let mut text = String::new();
    for _ in 0..language.expressions {
        let Some((function, args)) = plain.typed_application(&mut choose) else {
            break;
        };
        let args_text: Vec<String> = args.iter().map(|arg| plain.write(arg)).collect();
        text = format!("{text}({function} {}) ", args_text.join(" "));
        plain.run(function, &args);
    }
    if text.is_empty() {
        return;
    }
    let context = world.context(language);
    let program: Program = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut interpreter = Interpreter::new(Arc::clone(&context));
    for token in context.encode(&program).unwrap() {
        interpreter
            .step(token)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    for (index, expected) in plain.variables.iter().enumerate() {
        assert_same_value(
            &interpreter.value(index).unwrap(),
            expected,
            &format!("v{index} of {text}"),
        );
    }
    assert_eq!(interpreter.extra_work(), plain.extra_work(), "{text}");
    let items: Vec<String> = interpreter
        .answer_values()
        .map(|value| value.to_string())
        .collect();
    let answer = interpreter.answer().unwrap();
    assert_eq!(
        interpreter.answers_rows(),
        matches!(answer, Denotation::Rows(_)),
        "{text}"
    );
    if !interpreter.answers_rows() {
        assert_eq!(items, answer.to_strings(), "{text}");
    }
}

/// Everything that can be seen of an interpreter.
fn visible(interpreter: &Interpreter) -> (Vec<Token>, Vec<Denotation>, Vec<Token>, bool, bool) {
    let values = (0..interpreter.variables())
        .map(|variable| interpreter.value(variable).unwrap())
        .collect();
    (
        interpreter.tokens().to_vec(),
        values,
        interpreter.offered(),
        interpreter.extra_work(),
        interpreter.is_done(),
    )
}

fn assistance() -> impl Strategy<Value = Assistance> {
    prop_oneof![Just(Assistance::All), Just(Assistance::Frugal)]
}

/// The plain evaluator after the expressions of a program.
fn replay<'a>(
    table: &'a naive::Table,
    world: &'a World,
    language: Language,
    program: &Program,
) -> Evaluator<'a> {
    let mut plain = Evaluator::new(table, &world.constants, language);
    for expression in &program.expressions {
        let argument = |atom: &Atom| match atom {
            Atom::AllRows => Argument::AllRows,
            Atom::Variable(variable) => Argument::Variable(*variable),
            Atom::Column(name) => Argument::Column(
                table
                    .columns
                    .iter()
                    .position(|column| column.name == *name)
                    .unwrap(),
            ),
            Atom::Constant(constant) => Argument::Constant(
                world
                    .constants
                    .iter()
                    .position(|known| known == constant)
                    .unwrap(),
            ),
        };
        let args: Vec<Argument> = expression.arguments.iter().map(argument).collect();
        plain.run(expression.function.name(), &args);
    }
    plain
}

/// Whether some further expressions make an answer of all results, by trying them all.
fn can_be_answered(plain: &mut Evaluator<'_>) -> bool {
    let answers = !matches!(plain.variables.last(), None | Some(Value::Rows(_)));
    if answers && !plain.extra_work() {
        return true;
    }
    if plain.variables.len() == plain.language.expressions {
        return false;
    }
    plain.offered_functions().into_iter().any(|function| {
        plain.offered_applications(function).iter().any(|args| {
            plain.run(function, args);
            let can = can_be_answered(plain);
            plain.undo();
            can
        })
    })
}

/// Whether a `diff` has its rows the other way round than frugal programs have them.
fn has_swapped_diff(program: &Program) -> bool {
    program.expressions.iter().any(|expression| {
        expression.function == Function::Diff
            && matches!(&expression.arguments[..2], [Atom::Variable(first), Atom::Variable(second)] if second < first)
    })
}

/// Turns a list of numbers into a way to choose.
fn chooser(choices: &[u32]) -> impl FnMut(usize) -> usize + '_ {
    let mut choices = choices.iter().cycle();
    move |many| *choices.next().unwrap() as usize % many
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn what_is_offered_can_always_be_finished(
        world in world(any_rows(), 4, 3), language in language(), choices in choices(LONGEST),
    ) {
        let mut interpreter = Interpreter::new(world.context(language));
        // With few functions there may be no program at all; then nothing is offered from the start.
        let any = !interpreter.offered().is_empty();
        prop_assert_eq!(walk(&mut interpreter, &choices), any);
        prop_assert!(interpreter.variables() <= language.expressions);
        prop_assert_eq!(interpreter.answer().is_some(), any);
    }

    #[test]
    fn offered_and_values_agree_with_the_plain_evaluator(
        world in world(any_rows(), 4, 3), language in language(), choices in choices(16),
    ) {
        compare_offered(&world, language, chooser(&choices));
    }

    #[test]
    fn values_agree_also_when_not_offered(
        world in world(any_rows(), 4, 3), language in language(), choices in choices(16),
    ) {
        compare_values(&world, language, chooser(&choices));
    }

    #[test]
    fn rewinding_is_as_if_it_had_not_been(
        world in world(any_rows(), 4, 3), language in language(), assistance in assistance(),
        first in choices(LONGEST), second in choices(LONGEST), length in 0..LONGEST,
    ) {
        let context = world.context(language);
        let fresh = |tokens: &[Token]| {
            let mut fresh = Interpreter::with_assistance(Arc::clone(&context), assistance);
            tokens.iter().for_each(|token| fresh.step(*token).unwrap());
            fresh
        };
        let mut interpreter = fresh(&[]);
        walk(&mut interpreter, &first);
        interpreter.rewind(length);
        prop_assert!(interpreter.tokens().len() <= length);
        prop_assert_eq!(visible(&interpreter), visible(&fresh(interpreter.tokens())));
        walk(&mut interpreter, &second);
        prop_assert_eq!(visible(&interpreter), visible(&fresh(interpreter.tokens())));
    }

    #[test]
    fn clones_are_independent(
        world in world(any_rows(), 4, 3), language in language(),
        before in choices(LONGEST), first in choices(LONGEST), second in choices(LONGEST), length in 0..LONGEST,
    ) {
        let mut original = Interpreter::new(world.context(language));
        walk(&mut original, &before[..length]);
        let state = visible(&original);
        let mut clone = original.clone();
        prop_assert_eq!(&visible(&clone), &state);
        walk(&mut clone, &first);
        prop_assert_eq!(&visible(&original), &state);
        let finished = visible(&clone);
        original.rewind(length / 2);
        walk(&mut original, &second);
        prop_assert_eq!(visible(&clone), finished);
    }

    #[test]
    fn a_token_that_is_not_taken_changes_nothing(
        world in world(any_rows(), 4, 3), language in language(), choices in choices(LONGEST), length in 0..LONGEST,
    ) {
        let mut interpreter = Interpreter::new(world.context(language));
        walk(&mut interpreter, &choices[..length]);
        let state = visible(&interpreter);
        for token in 0..interpreter.context().tokens() as u16 + 2 {
            match interpreter.step(Token(token)) {
                Ok(()) => interpreter.rewind(state.0.len()),
                Err(_) => prop_assert!(!state.2.contains(&Token(token))),
            }
            prop_assert_eq!(&visible(&interpreter), &state);
        }
    }

    #[test]
    fn frugal_programs_answer_with_every_result(
        world in world(1usize..6, 2, 2), language in language(), choices in choices(LONGEST),
    ) {
        // As long as what is explored: all continuations are tried.
        let language = language.explored();
        let context = world.context(language);
        let mut frugal = Interpreter::with_assistance(Arc::clone(&context), Assistance::Frugal);
        let mut all = Interpreter::new(Arc::clone(&context));
        walk(&mut frugal, &choices);
        for token in frugal.tokens() {
            prop_assert!(all.offers(*token));
            all.step(*token).unwrap();
        }
        // What an expression gives is known only when it has run: after it, and only there, may a walk be stuck.
        let program = context.decode(frugal.tokens()).expect("no walk is stuck in an expression");
        if frugal.is_done() {
            prop_assert!(!frugal.extra_work() && !frugal.answers_rows(), "{}", program);
            prop_assert!(!has_swapped_diff(&program), "{}", program);
        } else {
            let table = world.naive();
            let mut plain = replay(&table, &world, language, &program);
            prop_assert!(!can_be_answered(&mut plain), "{}", program);
        }
    }

    #[test]
    fn frugality_loses_nothing(
        world in world(1usize..6, 3, 3), language in language(), choices in choices(LONGEST),
    ) {
        let context = world.context(language);
        let mut all = Interpreter::new(Arc::clone(&context));
        let done = walk(&mut all, &choices);
        let program = context.decode(all.tokens()).unwrap();
        if done && !all.extra_work() && !all.answers_rows() && !has_swapped_diff(&program) {
            let mut frugal = Interpreter::with_assistance(context, Assistance::Frugal);
            for token in all.tokens() {
                prop_assert!(frugal.offers(*token), "{}", program);
                frugal.step(*token).unwrap();
            }
        }
    }

    #[test]
    fn tokens_and_text_are_inverse(
        names in proptest::collection::vec("[a-z0-9'\"\\[\\]() _.,-]{0,8}|\\PC{0,6}", 1..4),
        strings in proptest::collection::vec("[a-z'\"\\[\\]() \\\\,\n\t]{0,6}|\\PC{0,6}", 1..5),
        numbers in proptest::collection::vec(any::<f64>().prop_filter("finite", |n| n.is_finite()), 1..3),
        dates in proptest::collection::vec(worlds::date(), 1..3),
        choices in choices(LONGEST),
    ) {
        let cells = names.len();
        let mut builder = TableBuilder::with_names("odd", names.clone(), names);
        for string in &strings {
            builder.push_row(std::iter::repeat_n(string.as_str(), cells));
        }
        let reading = CellValues { number: Some(numbers[0]), second: Some(1.0), date: Some(dates[0]) };
        let table = builder.finish_with(&vec![vec![reading; strings.len()]; cells]);
        let constants = [Constant::Strings(strings), Constant::Numbers(numbers), Constant::Dates(dates)];
        let context = Arc::new(Context::new(Arc::new(table), constants, Language::WIKITABLEQUESTIONS));
        let mut interpreter = Interpreter::new(Arc::clone(&context));
        prop_assert!(walk(&mut interpreter, &choices));
        let program = context.decode(interpreter.tokens()).unwrap();
        let text = program.to_string();
        let parsed: Program = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(context.encode(&parsed), Ok(interpreter.tokens().to_vec()), "{}", text);
        prop_assert_eq!(parsed.to_string(), text.clone());
        // The parts of the text are the tokens as they are written.
        let written: Vec<String> = interpreter.tokens().iter().map(|token| context.write(*token)).collect();
        let joined = written.join(" ").replace("( ", "(").replace(" )", ")");
        prop_assert_eq!(joined, format!("{} <END>", text.replace("( ", "(").replace(" )", ")")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Tables with so many distinct texts find again what others keep.
    #[test]
    fn large_tables_agree_with_the_plain_evaluator(seed in any::<u32>(), choices in choices(16)) {
        let (columns, rows) = (40, 41);
        let text = |column: u32, row: u32| {
            let mix = (row * 31 + column).wrapping_mul(2_654_435_761) ^ seed;
            format!("{row} {:x}", mix % 5)
        };
        let texts = (0..columns).map(|column| (0..rows).map(|row| text(column, row)).collect()).collect();
        let reading = |row: u32| CellValues { number: Some(f64::from(row % 7)), second: None, date: None };
        let mut readings = vec![vec![CellValues::default(); rows as usize]; columns as usize];
        readings[0] = (0..rows).map(reading).collect();
        let constants = vec![Constant::string("1"), Constant::number(3.0)];
        let world = World { names: (0..columns).map(|column| format!("c{column}")).collect(), texts, readings, constants };
        for language in [Language::WIKITABLEQUESTIONS, Language::wikisql()] {
            compare_offered(&world, language, chooser(&choices));
            compare_values(&world, language, chooser(&choices));
        }
    }
}
