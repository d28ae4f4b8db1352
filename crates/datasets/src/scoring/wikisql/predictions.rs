//! WikiSQL's prediction files: JSON lines, each of one of these forms.
//!
//! | line | meaning |
//! |---|---|
//! | `{"query": {"sel": 0, "agg": 0, "conds": [[1, 0, "x"]]}}` | a query, executed and compared with the gold query's result |
//! | `{"error": "no parse"}` | no query; counts as wrong |
//! | `{"id": "dev-7", "answer": ["x", 3, null]}` | the answer itself |
//!
//! The first two are the official evaluator's; such a line is about the example of the same place in the gold
//! file, unless it has an `id` too. Empty lines are passed over and take no place.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Purpose, Target};
use crate::scoring::{Item, Report, Twice, Verdict};
use crate::wikisql::engine;
use crate::wikisql::engine::Answer;
use crate::wikisql::files;
use crate::wikisql::files::{Query, Scalar, Table};

/// One line of a prediction file.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The line's number, from 1.
    pub line: usize,
    /// The example it is about.
    pub example: Example,
    /// What is predicted.
    pub predicted: Predicted,
}

/// Which example a line is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Example {
    /// The one with this id.
    Id(String),
    /// The one in this place of the gold file, from 0.
    Place(usize),
}

/// What a line predicts.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted {
    /// A query.
    Query(Query),
    /// An answer.
    Answer(Vec<Answer>),
    /// Nothing, and why.
    Nothing(String),
}

/// A gold example.
#[derive(Clone, Copy, Debug)]
pub struct Gold<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its table.
    pub table: &'a Table,
    /// The gold query's result.
    pub answer: &'a [Answer],
}

/// What can be wrong with a prediction file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read, or a line is not of any form.
    #[error(transparent)]
    File(#[from] files::Error),
    /// A line has none of the three forms.
    #[error(
        "{}, line {line}: a prediction has a \"query\", an \"error\", or an \"id\" with an \"answer\", but this line \
         has {found}; write one of the three", file.display()
    )]
    Form {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
        /// What it has instead.
        found: &'static str,
    },
    /// There are more predictions than gold examples.
    #[error(
        "{}, line {line}: this is prediction {place}, but there are only {examples} examples; \
         is this the file for another split?", file.display()
    )]
    TooMany {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
        /// The place of the prediction, from 1.
        place: usize,
        /// How many examples there are.
        examples: usize,
    },
    /// An example has two predictions.
    #[error(transparent)]
    Twice(#[from] Twice),
}

#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    query: Option<Query>,
    answer: Option<Vec<Scalar>>,
    error: Option<serde_json::Value>,
}

/// A line of a prediction file: the id and the items of the answer, which keep their types.
pub fn line<'a>(id: &str, items: impl IntoIterator<Item = Item<'a>>) -> String {
    let answer: Vec<Item<'a>> = items.into_iter().collect();
    serde_json::json!({ "id": id, "answer": answer }).to_string()
}

/// Reads a prediction file.
pub fn read(file: &Path) -> Result<Vec<Prediction>, Error> {
    let mut lines = files::records::<Line>(file, "a prediction")?;
    let mut predictions = Vec::new();
    while let Some(line) = lines.next() {
        let place = predictions.len();
        predictions.push(prediction(line?, place, lines.line(), file)?);
    }
    Ok(predictions)
}

fn prediction(content: Line, place: usize, line: usize, file: &Path) -> Result<Prediction, Error> {
    let wrong = |found| Error::Form {
        file: file.to_owned(),
        line,
        found,
    };
    let has_id = content.id.is_some();
    let predicted = match (content.query, content.answer, content.error) {
        // The official evaluator passes over an error that says nothing.
        (_, None, Some(error)) if says_something(&error) => Predicted::Nothing(error.to_string()),
        (Some(query), None, _) => Predicted::Query(query),
        (None, Some(answer), _) if has_id => Predicted::Answer(answer.into_iter().map(to_answer).collect()),
        (None, Some(_), _) => return Err(wrong("an answer without an id")),
        (Some(_), Some(_), _) => return Err(wrong("both a query and an answer")),
        (None, None, _) => return Err(wrong("none of them")),
    };
    let example = content.id.map_or(Example::Place(place), Example::Id);
    Ok(Prediction {
        line,
        example,
        predicted,
    })
}

fn says_something(error: &serde_json::Value) -> bool {
    match error {
        serde_json::Value::Null | serde_json::Value::Bool(false) => false,
        serde_json::Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

fn to_answer(scalar: Scalar) -> Answer {
    match scalar {
        Scalar::Null => Answer::Null,
        Scalar::Integer(number) => Answer::Number(number as f64),
        Scalar::Float(number) => Answer::Number(number),
        Scalar::Text(text) => Answer::Text(text),
    }
}

/// Judges predictions against the gold examples, which are in the gold file's order; `file` is only named in
/// errors.
///
/// A predicted query is right if its result *equals* the gold query's, as in the official evaluator: `NULL`
/// equals only `NULL`. A predicted answer is right if [`Target::matches`] says so for
/// [`Purpose::Evaluation`]. A query that cannot be executed is wrong.
pub fn score(gold: &[Gold<'_>], predictions: &[Prediction], file: &Path) -> Result<Report, Error> {
    let places: HashMap<&str, usize> = gold.iter().enumerate().map(|(place, g)| (g.id, place)).collect();
    let mut chosen: Vec<Option<&Prediction>> = vec![None; gold.len()];
    let mut unknown = Vec::new();
    for prediction in predictions {
        let line = prediction.line;
        let place = match &prediction.example {
            Example::Id(id) => match places.get(id.as_str()) {
                Some(&place) => place,
                None => {
                    unknown.push((line, id.clone()));
                    continue;
                }
            },
            Example::Place(place) if *place < gold.len() => *place,
            Example::Place(place) => {
                let (place, examples) = (place + 1, gold.len());
                return Err(Error::TooMany {
                    file: file.to_owned(),
                    line,
                    place,
                    examples,
                });
            }
        };
        if let Some(first) = chosen[place].replace(prediction) {
            let (first, id) = (first.line, gold[place].id.to_owned());
            return Err(Twice {
                file: file.to_owned(),
                line,
                first,
                id,
            }
            .into());
        }
    }
    let judge = |(gold, prediction): (&Gold<'_>, Option<&Prediction>)| Verdict {
        id: gold.id.to_owned(),
        predicted: prediction.is_some(),
        correct: prediction.is_some_and(|p| is_right(gold, &p.predicted)),
    };
    Ok(Report {
        verdicts: gold.iter().zip(chosen).map(judge).collect(),
        unknown,
    })
}

fn is_right(gold: &Gold<'_>, predicted: &Predicted) -> bool {
    match predicted {
        Predicted::Nothing(_) => false,
        Predicted::Query(query) => {
            engine::execute(gold.table, query).is_ok_and(|answer| answer == gold.answer)
        }
        Predicted::Answer(answer) => {
            let items = answer.iter().filter_map(|item| match item {
                Answer::Null => None,
                Answer::Number(number) => Some(Item::Number(*number)),
                Answer::Text(text) => Some(Item::Text(text)),
            });
            Target::new(gold.answer).matches(items, Purpose::Evaluation)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wikisql::files::ColumnType;

    fn parsed(name: &str, content: &str) -> Result<Vec<Prediction>, Error> {
        let file = std::env::temp_dir().join(format!("mapo-wikisql-{name}-{}.jsonl", std::process::id()));
        std::fs::write(&file, content).unwrap();
        let result = read(&file);
        std::fs::remove_file(&file).unwrap();
        result
    }

    fn table() -> Table {
        let cell = |text: &str| Scalar::Text(text.to_owned());
        Table {
            id: "t".to_owned(),
            header: vec!["name".to_owned(), "points".to_owned()],
            types: vec![ColumnType::Text, ColumnType::Real],
            rows: vec![vec![cell("Ann"), cell("3")], vec![cell("Bob"), cell("1.5")]],
        }
    }

    fn judged(name: &str, content: &str, answers: &[Vec<Answer>]) -> Result<Report, Error> {
        let table = table();
        let ids: Vec<String> = (0..answers.len()).map(|place| format!("dev-{place}")).collect();
        let gold: Vec<Gold<'_>> = ids
            .iter()
            .zip(answers)
            .map(|(id, answer)| Gold {
                id,
                table: &table,
                answer,
            })
            .collect();
        score(&gold, &parsed(name, content)?, Path::new("p.jsonl"))
    }

    fn ann() -> Vec<Answer> {
        vec![Answer::Text("ann".to_owned())]
    }

    #[test]
    fn judges_queries_by_place_and_answers_by_id() {
        let content = r#"
            {"query": {"sel": 0, "agg": 0, "conds": [[1, 1, 2]]}, "seq": "ignored"}
            {"error": "no parse"}
            {"id": "dev-4", "answer": [null]}
            {"id": "dev-2", "answer": ["ANN", null]}
            {"id": "dev-9", "answer": []}
        "#;
        let content = content
            .trim()
            .lines()
            .map(str::trim)
            .collect::<Vec<_>>()
            .join("\n");
        let answers = [ann(), ann(), ann(), ann(), vec![Answer::Null]];
        let report = judged("forms", &content, &answers).unwrap();
        let correct: Vec<bool> = report.verdicts.iter().map(|v| v.correct).collect();
        assert_eq!(correct, [true, false, true, false, true]);
        assert_eq!((report.predicted(), report.correct()), (4, 3));
        assert_eq!(report.unknown, [(5, "dev-9".to_owned())]);
    }

    #[test]
    fn a_query_without_a_result_is_not_null() {
        let nothing = r#"{"query": {"sel": 0, "agg": 0, "conds": [[0, 0, "nobody"]]}}"#;
        let null = r#"{"query": {"sel": 1, "agg": 1, "conds": [[0, 0, "nobody"]]}}"#;
        let report = judged(
            "null",
            &format!("{nothing}\n{null}"),
            &[vec![Answer::Null], vec![Answer::Null]],
        );
        let correct: Vec<bool> = report.unwrap().verdicts.iter().map(|v| v.correct).collect();
        assert_eq!(correct, [false, true]);
    }

    #[test]
    fn a_query_that_fails_is_wrong() {
        let report = judged(
            "fails",
            r#"{"query": {"sel": 7, "agg": 0, "conds": []}}"#,
            &[ann()],
        )
        .unwrap();
        assert_eq!((report.predicted(), report.correct()), (1, 0));
    }

    #[test]
    fn says_where_a_file_is_wrong() {
        let error = |name, content| judged(name, content, &[ann()]).unwrap_err().to_string();
        let message = error("no-id", "{\"error\": \"x\"}\n{\"answer\": []}");
        assert!(
            message.contains("line 2") && message.contains("an answer without an id"),
            "{message}"
        );
        let message = error("many", "{\"error\": \"x\"}\n{\"error\": \"x\"}");
        assert!(
            message.contains("line 2") && message.contains("only 1 examples"),
            "{message}"
        );
        let message = error("twice", "{\"error\": \"x\"}\n{\"id\": \"dev-0\", \"answer\": []}");
        assert!(
            message.contains("line 2") && message.contains("on line 1"),
            "{message}"
        );
        let message = error("json", "{\"error\": ");
        assert!(message.contains("line 1: this is not a prediction"), "{message}");
    }
}
