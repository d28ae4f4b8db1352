//! The annotated files of WikiTableQuestions, as far as the comparison needs them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Why the comparison could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AgreementError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file lacks a column that the annotation must have.
    #[error("{} has no column `{column}`", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column's name.
        column: &'static str,
    },
}

/// A question as CoreNLP reads it.
pub(crate) struct TaggedQuestion {
    pub(crate) id: String,
    pub(crate) utterance: String,
    pub(crate) tokens: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) entities: Vec<String>,
    pub(crate) values: Vec<String>,
}

/// A cell as CoreNLP reads it.
pub(crate) struct TaggedCell {
    pub(crate) content: String,
    pub(crate) tokens: usize,
    pub(crate) number: Option<f64>,
    pub(crate) number2: Option<f64>,
    pub(crate) date: String,
}

/// A tab-separated file with a header, and the places of the columns asked for.
struct Rows<const N: usize> {
    text: String,
    columns: [usize; N],
}

impl<const N: usize> Rows<N> {
    fn read(path: &Path, names: [&'static str; N]) -> Result<Self, AgreementError> {
        let text = fs::read_to_string(path).map_err(|source| AgreementError::Read {
            path: path.into(),
            source,
        })?;
        let header: Vec<&str> = text.split('\n').next().unwrap_or_default().split('\t').collect();
        let mut columns = [0; N];
        for (column, name) in columns.iter_mut().zip(names) {
            *column = header
                .iter()
                .position(|h| *h == name)
                .ok_or_else(|| AgreementError::NoColumn {
                    path: path.into(),
                    column: name,
                })?;
        }
        Ok(Rows { text, columns })
    }

    fn iter(&self) -> impl Iterator<Item = [&str; N]> {
        // Not `lines()`: cells hold other line ends.
        self.text
            .split('\n')
            .skip(1)
            .filter(|line| !line.is_empty())
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                self.columns
                    .map(|column| fields.get(column).copied().unwrap_or_default())
            })
    }
}

/// Undoes `\n`, `\p` and `\\`.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('p') => out.push('|'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

fn list(field: &str) -> Vec<String> {
    field.split('|').map(unescape).collect()
}

/// The questions of one portion of the dataset, and the tables they ask about.
pub(crate) fn questions(
    dir: &Path,
    portion: &str,
) -> Result<(Vec<TaggedQuestion>, BTreeSet<String>), AgreementError> {
    let path = dir.join("tagged").join("data").join(format!("{portion}.tagged"));
    let rows = Rows::read(
        &path,
        [
            "id",
            "utterance",
            "context",
            "tokens",
            "posTags",
            "nerTags",
            "nerValues",
        ],
    )?;
    let mut tables = BTreeSet::new();
    let mut questions = Vec::new();
    for [id, utterance, context, tokens, tags, entities, values] in rows.iter() {
        tables.insert(context.to_string());
        questions.push(TaggedQuestion {
            id: id.into(),
            utterance: unescape(utterance),
            tokens: list(tokens),
            tags: list(tags),
            entities: list(entities),
            values: list(values),
        });
    }
    Ok((questions, tables))
}

/// The cells of a table, its header left out. `context` is the name that questions have for it,
/// `csv/203-csv/7.csv`.
pub(crate) fn cells(dir: &Path, context: &str) -> Result<Vec<TaggedCell>, AgreementError> {
    let mut path = dir.join("tagged");
    for part in context.trim_end_matches(".csv").split('/').skip(1) {
        path.push(part.replace("-csv", "-tagged"));
    }
    path.set_extension("tagged");
    let rows = Rows::read(&path, ["row", "content", "tokens", "number", "num2", "date"])?;
    let cells =
        rows.iter()
            .filter(|[row, ..]| *row != "-1")
            .map(|[_, content, tokens, number, number2, date]| TaggedCell {
                content: unescape(content),
                tokens: if tokens.is_empty() {
                    0
                } else {
                    tokens.split('|').count()
                },
                number: number.parse().ok(),
                number2: number2.parse().ok(),
                date: date.into(),
            });
    Ok(cells.collect())
}
