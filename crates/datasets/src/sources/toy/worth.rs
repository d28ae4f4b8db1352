//! Whether a question is worth asking: its program runs as a policy would have to write it, its answer is
//! what a person would write, and no simpler or similar program gives the same.

use super::language;
use mapo_composing::Choices;
use mapo_language::{Atom, Context, Denotation, Expression, Function, Interpreter, Program, Symbol};
use mapo_questions::Question;
use mapo_tables::Constant;
use mapo_tables::Table;
use mapo_text::normalize;
use std::sync::Arc;

/// A program with its answer.
pub(super) struct Solved {
    program: Program,
    pub answer: Vec<String>,
}

/// No question has a longer answer.
const MOST_ANSWERS: usize = 5;

/// Runs a program and keeps it if its answer is one that a person would give, and only this program's.
pub(super) fn solve(table: &Arc<Table>, text: &str, choices: &mut Choices) -> Option<Solved> {
    let program: Program = text.parse().ok()?;
    let denotation = run(table, &program)?;
    let answer = write_answer(table, &program, &denotation)?;
    let told =
        !answer.is_empty() && answer.len() <= MOST_ANSWERS && !answer.iter().any(|item| says_nothing(item));
    // Counts and differences of none or one are what a guess would be.
    let scalar = program
        .expressions
        .last()
        .is_some_and(|last| matches!(last.function, Function::Count | Function::Diff));
    let guessed = scalar
        && matches!(denotation, Denotation::Numbers(ref numbers) if numbers[..] == [0.0] || numbers[..] == [1.0]);
    // The extreme is not where one would look first, but it may be there.
    let lucky = extreme_is_at_the_edge(table, &program) && !choices.one_in(4);
    let fits = told && !guessed && !lucky && !has_a_double(table, &program, &denotation);
    fits.then_some(Solved { program, answer })
}

/// Whether the question says everything that the program needs: its constants, found by the reader, and words
/// that suggest its functions to random exploration.
pub(super) fn is_suggested(solved: &Solved, question: &Question) -> bool {
    let functions = language().functions.suggested_by(question.trigger_words(), false);
    let found = |constant: &Constant| {
        question
            .mentions
            .iter()
            .any(|mention| mention.constant == *constant)
    };
    let mut expressions = solved.program.expressions.iter();
    expressions.all(|expression| functions.contains(expression.function))
        && solved.program.constants().all(found)
}

/// What the program gives, if it runs on offered tokens only and does no extra work.
fn run(table: &Arc<Table>, program: &Program) -> Option<Denotation> {
    let context = Context::new(table.clone(), program.constants().cloned(), language());
    let tokens = context.encode(program).ok()?;
    let end = context.token(Symbol::End);
    let mut interpreter = Interpreter::new(Arc::new(context));
    for token in tokens.into_iter().chain([end]) {
        if interpreter.is_done() {
            break;
        }
        if !interpreter.offers(token) {
            return None;
        }
        interpreter.step(token).ok()?;
    }
    let answer = interpreter
        .answer()
        .filter(|_| interpreter.is_done() && !interpreter.extra_work())?;
    (!matches!(answer, Denotation::Rows(_))).then_some(answer)
}

/// The answer as a person would write it: cells as they stand, numbers of few digits.
fn write_answer(table: &Table, program: &Program, denotation: &Denotation) -> Option<Vec<String>> {
    match denotation {
        Denotation::Rows(_) | Denotation::Dates(_) | Denotation::Groups(_) => None,
        Denotation::Numbers(numbers) => numbers.iter().map(|number| write_number(*number)).collect(),
        Denotation::Strings(strings) => {
            let Atom::Column(name) = program.expressions.last()?.arguments.last()? else {
                return None;
            };
            let source = table.column(table.find(name)?).source();
            let cell = |string: &String| {
                let mut cells = (0..table.rows()).map(|row| table.cell(row, source));
                cells
                    .find(|cell| normalize(cell) == normalize(string))
                    .map(str::to_owned)
            };
            strings.iter().map(cell).collect()
        }
    }
}

/// A number with at most two decimals; none that takes more.
fn write_number(number: f64) -> Option<String> {
    let hundredths = (number * 100.0).round();
    let exact = (number * 100.0 - hundredths).abs() < 1e-6;
    exact.then(|| (hundredths / 100.0).to_string())
}

fn says_nothing(text: &str) -> bool {
    !text.contains(char::is_alphanumeric) || text == "n/a"
}

/// Whether the program starts with the largest or smallest of all and finds the first or the last row.
fn extreme_is_at_the_edge(table: &Arc<Table>, program: &Program) -> bool {
    let [extreme, rest @ ..] = &program.expressions[..] else {
        return false;
    };
    if !matches!(extreme.function, Function::ArgMax | Function::ArgMin) {
        return false;
    }
    [Function::First, Function::Last].into_iter().any(|function| {
        let mut expressions = vec![Expression::new(function, vec![Atom::AllRows])];
        expressions.extend(rest.iter().cloned());
        let guess = run(table, &Program { expressions });
        guess.is_some() && guess == run(table, program)
    })
}

/// Whether the program gives the same with another function in the place of one of its functions, or with one
/// of its expressions left out.
fn has_a_double(table: &Arc<Table>, program: &Program, denotation: &Denotation) -> bool {
    let same = |other: Program| run(table, &other).as_ref() == Some(denotation);
    (0..program.expressions.len())
        .any(|place| exchanged(program, place).any(same) || without(program, place).is_some_and(same))
}

/// The program with other functions that take the same arguments.
fn exchanged(program: &Program, place: usize) -> impl Iterator<Item = Program> + '_ {
    let function = program.expressions[place].function;
    let arguments = function.definition().arguments;
    // What `hop` gives is often also the most common value, as values that occur once all tie.
    let others = language().functions.iter().filter(move |other| {
        function != Function::Hop && *other != function && other.definition().arguments == arguments
    });
    others.map(move |other| {
        let mut changed = program.clone();
        changed.expressions[place].function = other;
        changed
    })
}

/// The program without one of its expressions: what used its rows takes all rows.
fn without(program: &Program, place: usize) -> Option<Program> {
    if place + 1 == program.expressions.len() {
        return None;
    }
    let mut shorter = program.clone();
    shorter.expressions.remove(place);
    for argument in shorter
        .expressions
        .iter_mut()
        .flat_map(|expression| &mut expression.arguments)
    {
        match argument {
            Atom::Variable(variable) if *variable == place => *argument = Atom::AllRows,
            Atom::Variable(variable) if *variable > place => *variable -= 1,
            _ => {}
        }
    }
    Some(shorter)
}
