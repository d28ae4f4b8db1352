//! WikiTableQuestions' prediction files: one line for each example, its id and the items of the answer
//! separated by tabs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::value::{Value, check, to_values};
use crate::scoring::{Item, Report, Twice, Verdict};
use mapo_text::{append_in_one_line, ends_a_line};

/// One line of a prediction file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The line's number, from 1.
    pub line: usize,
    /// The id of the example.
    pub id: String,
    /// The items of the answer.
    pub items: Vec<String>,
}

/// What can be wrong with a prediction file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read the prediction file {}: {source}; check its path and permissions", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not text.
    #[error("{}, line {line}: this is not UTF-8; save the prediction file as UTF-8", file.display())]
    NotUtf8 {
        /// The file.
        file: PathBuf,
        /// The line of the first wrong byte.
        line: usize,
    },
    /// An example has two predictions.
    #[error(transparent)]
    Twice(#[from] Twice),
}

/// Reads a prediction file.
pub fn read(file: &Path) -> Result<Vec<Prediction>, Error> {
    let bytes = fs::read(file).map_err(|source| Error::Unreadable {
        file: file.to_owned(),
        source,
    })?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => parse(text, file),
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            // One line more than there are line ends before the byte: the mark stands for what follows them.
            let line = lines(&format!("{good}?")).count();
            Err(Error::NotUtf8 {
                file: file.to_owned(),
                line,
            })
        }
    }
}

/// Reads the text of a prediction file; `file` is only named in errors.
///
/// An id alone is an empty answer; an id and a tab is an answer of one empty item. Empty lines are passed
/// over.
pub fn parse(text: &str, file: &Path) -> Result<Vec<Prediction>, Error> {
    let mut predictions = Vec::new();
    let mut first_lines = HashMap::new();
    for (line, content) in (1..).zip(lines(text)) {
        if content.is_empty() {
            continue;
        }
        let mut fields = content.split('\t');
        let id = fields.next().unwrap_or_default();
        if let Some(first) = first_lines.insert(id, line) {
            return Err(Twice {
                file: file.to_owned(),
                line,
                first,
                id: id.to_owned(),
            }
            .into());
        }
        predictions.push(Prediction {
            line,
            id: id.to_owned(),
            items: fields.map(str::to_owned).collect(),
        });
    }
    Ok(predictions)
}

/// The line of a prediction file, without its end, for one answer. Tabs and line ends within texts, which the
/// format cannot hold, become blanks.
pub fn line<'a>(id: &str, items: impl IntoIterator<Item = Item<'a>>) -> String {
    let mut line = id.to_owned();
    for item in items {
        line.push('\t');
        append_in_one_line(&item.to_string(), &mut line);
    }
    line
}

/// The lines of a text by the evaluator's runtime, for which many characters end a line. CR and LF together
/// are one end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some((end, terminator)) = rest.char_indices().find(|&(_, c)| ends_a_line(c)) else {
            return Some(std::mem::take(&mut rest));
        };
        let line = &rest[..end];
        let after = &rest[end..];
        rest = after
            .strip_prefix("\r\n")
            .unwrap_or(&after[terminator.len_utf8()..]);
        Some(line)
    })
}

/// Judges predictions against the gold examples, given as ids with their targets' distinct values.
pub fn score<'a>(
    gold: impl IntoIterator<Item = (&'a str, &'a [Value])>,
    predictions: &[Prediction],
) -> Report {
    let mut by_id: HashMap<&str, &Prediction> = predictions.iter().map(|p| (p.id.as_str(), p)).collect();
    let judge = |(id, target): (&str, &[Value])| {
        let prediction = by_id.remove(id);
        Verdict {
            id: id.to_owned(),
            predicted: prediction.is_some(),
            correct: prediction.is_some_and(|p| check(target, &to_values(&p.items, &[""; 0]))),
        }
    };
    let verdicts = gold.into_iter().map(judge).collect();
    let mut unknown: Vec<_> = by_id.into_values().map(|p| (p.line, p.id.clone())).collect();
    unknown.sort();
    Report { verdicts, unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<(usize, String, Vec<String>)> {
        let predictions = parse(text, Path::new("p.tsv")).unwrap();
        predictions.into_iter().map(|p| (p.line, p.id, p.items)).collect()
    }

    fn entry(line: usize, id: &str, items: &[&str]) -> (usize, String, Vec<String>) {
        (line, id.to_owned(), items.iter().map(|&i| i.to_owned()).collect())
    }

    #[test]
    fn tells_an_empty_answer_from_an_empty_item() {
        assert_eq!(
            parsed("nt-0\nnt-1\t\nnt-2\ta\tb|c"),
            [
                entry(1, "nt-0", &[]),
                entry(2, "nt-1", &[""]),
                entry(3, "nt-2", &["a", "b|c"])
            ]
        );
    }

    #[test]
    fn ends_lines_where_the_runtime_does() {
        assert_eq!(
            parsed("a\tx\r\nb\ty\rc\u{2028}d\u{85}\u{1c}e\n"),
            [
                entry(1, "a", &["x"]),
                entry(2, "b", &["y"]),
                entry(3, "c", &[]),
                entry(4, "d", &[]),
                entry(6, "e", &[]),
            ]
        );
    }

    #[test]
    fn names_file_and_line_of_a_second_prediction() {
        let error = parse("a\t1\nb\na\t2\n", Path::new("p.tsv")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "p.tsv, line 3: a already has a prediction on line 1; keep one of the two"
        );
    }

    #[test]
    fn names_the_line_that_is_not_text() {
        let file = std::env::temp_dir().join(format!("mapo-predictions-{}.tsv", std::process::id()));
        fs::write(&file, b"a\t1\nb\t\xff\n").unwrap();
        let error = read(&file).unwrap_err();
        fs::remove_file(&file).unwrap();
        assert!(matches!(error, Error::NotUtf8 { line: 2, .. }), "{error}");
    }

    #[test]
    fn writes_what_it_reads() {
        let items = [
            Item::Number(3.0),
            Item::Date("2004-09-xx".parse().unwrap()),
            Item::Text("a\tb\u{2028}c"),
        ];
        let line = line("nt-0", items);
        assert_eq!(parsed(&line), [entry(1, "nt-0", &["3", "2004-09-xx", "a b c"])]);
        assert_eq!(super::line("nt-1", []), "nt-1");
    }

    #[test]
    fn counts_missing_and_unknown_examples() {
        let one = to_values(&["1"], &["1.0"]);
        let two = to_values(&["x"], &["x"]);
        let gold = [
            ("a", one.as_slice()),
            ("b", two.as_slice()),
            ("c", two.as_slice()),
        ];
        let predictions = parse("a\t1.0\nzz\t5\nb\ty", Path::new("p.tsv")).unwrap();
        let report = score(gold, &predictions);
        assert_eq!((report.correct(), report.predicted()), (1, 2));
        assert_eq!(report.unknown, [(2, "zz".to_owned())]);
        assert!((report.accuracy() - 1.0 / 3.0).abs() < 1e-12);
    }
}
