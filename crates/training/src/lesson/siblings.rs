//! Questions like one that somebody answered, about other cells: "what does Rossi supply?" beside "what does Haltman
//! supply?". A single question teaches its own words; with its siblings it teaches what kind of question it is.

use mapo_composing::Choices;
use mapo_datasets::{Answer, Example, Known, Reading};
use mapo_language::explain::MOST_VALUES;
use mapo_language::{Assistance, Atom, Program};
use mapo_tables::{ColumnKind, Constant};
use std::collections::HashSet;

/// Cells that are tried for each sibling that is wanted.
const TRIES: usize = 8;
/// The longest cell that somebody would name in a question, in characters.
const LONGEST_CELL: usize = 60;
/// The most items of an answer.
const MOST_ITEMS: usize = 10;

/// A value that question and program name: its tokens in the question, and the column that it stands in.
struct Named {
    constant: Constant,
    from: usize,
    to: usize,
    source: usize,
}

/// Up to `count` questions that differ from this one by the cell they name, each with the program that follows from
/// `program`, and with what that gives. There are none for a question that names no cell.
pub fn siblings(
    example: &Example,
    program: &Program,
    reading: Reading,
    count: usize,
    choices: &mut Choices,
) -> Vec<Example> {
    let named = named(example, program);
    let mut asked = HashSet::from([example.question.tokens.join(" ")]);
    let mut found = Vec::new();
    for _ in 0..count * TRIES {
        let Some(named) = choices.pick(&named).filter(|_| found.len() < count) else {
            break;
        };
        let row = choices.below(example.table.rows());
        let sibling = sibling(example, program, named, row, reading);
        found.extend(sibling.filter(|sibling| asked.insert(sibling.question.text.clone())));
    }
    found
}

/// The values of a program that stand in its question and in cells of text.
fn named(example: &Example, program: &Program) -> Vec<Named> {
    let mut all = Vec::new();
    for expression in &program.expressions {
        let mut constants = expression.arguments.iter().filter_map(|argument| match argument {
            Atom::Constant(constant @ Constant::Strings(strings)) if strings.len() == 1 => Some(constant),
            _ => None,
        });
        let column = expression.arguments.iter().find_map(|argument| match argument {
            Atom::Column(name) => example
                .table
                .columns()
                .iter()
                .find(|column| column.name() == name),
            _ => None,
        });
        let (Some(constant), Some(column)) = (constants.next(), column) else {
            continue;
        };
        let mentions = &example.question.mentions;
        let mention = mentions.iter().find(|mention| mention.constant == *constant);
        if let (Some(mention), ColumnKind::Text) = (mention, column.kind()) {
            all.push(Named {
                constant: constant.clone(),
                from: mention.span.start,
                to: mention.span.end,
                source: column.source(),
            });
        }
    }
    all
}

/// The same question with what a cell of another row has, if a person could ask it so.
fn sibling(
    example: &Example,
    program: &Program,
    named: &Named,
    row: usize,
    reading: Reading,
) -> Option<Example> {
    let tokens = &example.question.tokens;
    let cell = example.table.cell(row, named.source).trim().to_lowercase();
    let words = cell.split_whitespace().count();
    // Who named a part of a cell by one word would do so again.
    let value = match named.to - named.from {
        1 if words > 1 => cell.split_whitespace().next()?,
        _ => cell.as_str(),
    };
    if value.is_empty() || value.chars().count() > LONGEST_CELL {
        return None;
    }
    let before = tokens.get(..named.from)?.iter().map(String::as_str);
    let after = tokens.get(named.to..)?.iter().map(String::as_str);
    let text: Vec<&str> = before.chain([value]).chain(after).collect();
    let text = text.join(" ");
    let question = reading.question(&text, &example.table);
    let mention = question.mentions.iter().find(|mention| {
        mention.span.start == named.from
            && matches!(&mention.constant, Constant::Strings(strings) if strings.len() == 1)
    })?;
    if mention.constant == named.constant
        || question.tokens.len() - mention.span.end != tokens.len() - named.to
    {
        return None;
    }
    let program = with(program, &named.constant, &mention.constant);
    let mut sibling = Example {
        id: format!("{}-{row}", example.id),
        question,
        table: example.table.clone(),
        answer: Answer::own(Vec::new()),
        language: example.language,
        known: None,
    };
    sibling.answer = answer(&sibling, &program)?;
    sibling.known = example.known.as_ref().map(|known| Known {
        programs: vec![program],
        ..known.clone()
    });
    sibling.known_programs().is_ok().then_some(sibling)
}

/// A program with another constant in the place of one.
fn with(program: &Program, one: &Constant, other: &Constant) -> Program {
    let mut program = program.clone();
    let arguments = program
        .expressions
        .iter_mut()
        .flat_map(|expression| &mut expression.arguments);
    for argument in arguments {
        if matches!(argument, Atom::Constant(constant) if constant == one) {
            *argument = Atom::Constant(other.clone());
        }
    }
    program
}

/// What a program gives, if that is an answer.
fn answer(example: &Example, program: &Program) -> Option<Answer> {
    const { assert!(MOST_ITEMS <= MOST_VALUES) };
    let mut interpreter = example.interpreter(Assistance::All);
    let tokens = interpreter.context().encode(program).ok()?;
    for token in tokens {
        interpreter.step(token).ok()?;
    }
    let items = interpreter
        .answer()
        .filter(|_| !interpreter.answers_rows())?
        .to_strings();
    let says_something =
        !items.is_empty() && items.len() <= MOST_ITEMS && items.iter().all(|item| !item.trim().is_empty());
    says_something.then(|| Answer::own(items))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::jsonl::READING;
    use mapo_language::Language;
    use mapo_tables::TableBuilder;
    use std::path::Path;
    use std::sync::Arc;

    fn example(question: &str, program: &str) -> (Example, Program) {
        let mut builder = TableBuilder::new("stock.csv", ["Item", "Supplier", "On hand"]);
        for row in [
            ["Saddle", "Rossi", "9"],
            ["Brake cable", "Haltman", "55"],
            ["Brake pads", "Haltman", "80"],
            ["Chain", "Kettenwerk", "22"],
        ] {
            builder.push_row(row);
        }
        let table = Arc::new(builder.finish());
        let program: Program = program.parse().unwrap();
        let example = Example {
            id: "asked".to_owned(),
            question: READING.question(question, &table),
            table,
            answer: Answer::own(vec!["Brake cable".to_owned(), "Brake pads".to_owned()]),
            language: READING.language(Language::before_people()),
            known: Some(Known {
                programs: vec![program.clone()],
                file: Path::new("own.jsonl").into(),
                line: 1,
            }),
        };
        (example, program)
    }

    #[test]
    fn a_question_has_siblings_about_other_cells() {
        let program = "(filter_is all_rows ['haltman'] r.supplier-str) (hop v0 r.item-str)";
        let (asked, program) = example("what does haltman supply?", program);
        let found = siblings(&asked, &program, READING, 4, &mut Choices::new(1, 0));
        let mut told: Vec<(String, Vec<String>)> = found
            .iter()
            .map(|sibling| (sibling.question.text.clone(), sibling.answer.texts().to_vec()))
            .collect();
        told.sort();
        let expected = [
            ("what does kettenwerk supply ?", "Chain"),
            ("what does rossi supply ?", "Saddle"),
        ];
        let expected = expected.map(|(question, item)| (question.to_owned(), vec![item.to_owned()]));
        assert_eq!(told, expected);
        assert!(
            found
                .iter()
                .all(|sibling| sibling.known_programs().unwrap().is_some())
        );
    }

    #[test]
    fn a_question_that_names_no_cell_has_none() {
        let (asked, program) = example("how many items are there?", "(count all_rows)");
        assert!(siblings(&asked, &program, READING, 4, &mut Choices::new(1, 0)).is_empty());
    }
}
