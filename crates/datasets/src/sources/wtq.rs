//! WikiTableQuestions in its official layout.

use crate::example::{Answer, Example};
use crate::reading::{Reader, Reading};
use crate::selection::{DatasetError, Examples, Selection};
use crate::sources::lines::Fields;
use crate::sources::{Source, known_splits, splits_here};
use mapo_language::Language;
use mapo_questions::{Annotation, CoreNlp, Linking, Question};
use mapo_tables::{CellValues, Format, LoadOptions, Table, TableBuilder};
use mapo_text::{split_list, unescape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LAYOUT: &str = "a WikiTableQuestions folder holds data/SPLIT.tsv, csv/ and tagged/; \
                      it is release 1.0.2 of the project ppasupat/WikiTableQuestions";

/// WikiTableQuestions, in a folder of its official layout.
#[derive(Debug)]
pub struct Wtq;

impl Source for Wtq {
    fn kind(&self) -> &'static str {
        "wtq"
    }

    fn place(&self) -> Option<&'static str> {
        Some("dir")
    }

    fn first_split(&self) -> &'static str {
        "training"
    }

    fn whole(&self, folder: &Path) -> Vec<&'static str> {
        let splits = ["training", "pristine-seen-tables", "pristine-unseen-tables"];
        splits_here(&folder.join("data"), ".tsv", &splits)
    }

    fn training_splits(&self, _folder: &Path) -> Result<(&'static str, Option<&'static str>), DatasetError> {
        Ok(("training", Some("random-split-1-dev")))
    }

    /// Its own annotation; and people wrote the questions freely, so their words are looked for widely.
    fn reading(&self) -> Reading {
        Reading {
            reader: Reader::CoreNlp,
            linking: Linking::Wide,
            ..Reading::PLAIN
        }
    }

    fn language(&self) -> Language {
        Language::WIKITABLEQUESTIONS
    }

    fn preset(&self, _from_model: bool) -> &'static str {
        "wtq"
    }

    fn has_corenlp(&self) -> bool {
        true
    }

    fn examples(
        &self,
        folder: &Path,
        split: &str,
        reading: Reading,
        wanted: Selection,
    ) -> Result<Examples, DatasetError> {
        examples(folder, split, reading, wanted)
    }
}

/// A line of a split's file.
struct Asked {
    id: String,
    question: String,
    /// `csv/203-csv/1.csv`
    table: String,
    answer: Vec<String>,
}

/// What the tagged file adds to it.
struct Tagged {
    annotation: Annotation,
    canon: Vec<String>,
}

fn examples(
    folder: &Path,
    split: &str,
    reading: Reading,
    wanted: Selection,
) -> Result<Examples, DatasetError> {
    let (from, part) = Part::of(split);
    let file = folder.join("data").join(format!("{from}.tsv"));
    if !file.exists() && folder.join("data").is_dir() {
        let known = known_splits(&folder.join("data"), ".tsv", &[FIRST_REST, FIRST_TENTH]);
        let dataset = format!("wtq:{}", folder.display());
        return Err(DatasetError::Split {
            dataset,
            split: split.to_owned(),
            known,
        });
    }
    let mut asked = read_split(&file)?;
    part.keep(&mut asked);
    let tagged = match tagged_file(folder, from) {
        Some(file) => read_tagged(&file)?,
        None if reading.reader == Reader::Mapo => HashMap::new(),
        None => {
            return Err(DatasetError::Reader {
                dataset: format!("wtq:{} ({split})", folder.display()),
            });
        }
    };
    let mut opened = Opened {
        folder: folder.to_owned(),
        reading,
        tagged,
        tables: HashMap::new(),
    };
    Ok(Box::new(
        asked
            .into_iter()
            .filter(move |asked| wanted.wants(&asked.id))
            .map(move |asked| opened.example(asked)),
    ))
}

/// The splits that are made of the training questions of the first random split.
const FIRST_REST: &str = "random-split-1-train-a";
const FIRST_TENTH: &str = "random-split-1-train-b";

/// Which tables' questions of a file belong to a split: of training questions `…-train-b` are those about
/// every tenth table, for what must not be fitted to questions that a model was trained on, and `…-train-a`
/// the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Tenth,
    Rest,
}

impl Part {
    /// The name of the file and which part of it a split is.
    fn of(split: &str) -> (&str, Part) {
        let parts = [("-a", Part::Rest), ("-b", Part::Tenth)];
        let made = parts.into_iter().find_map(|(ending, part)| {
            let file = split.strip_suffix(ending)?;
            file.ends_with("-train").then_some((file, part))
        });
        made.unwrap_or((split, Part::Whole))
    }

    /// Leaves the questions of the part. Tables are counted as they come first in the file.
    fn keep(self, asked: &mut Vec<Asked>) {
        let mut tables: HashMap<String, usize> = HashMap::new();
        asked.retain(|asked| {
            let next = tables.len();
            let number = *tables.entry(asked.table.clone()).or_insert(next);
            match self {
                Part::Whole => true,
                Part::Tenth => number.is_multiple_of(10),
                Part::Rest => !number.is_multiple_of(10),
            }
        });
    }
}

/// The file with a split's annotation: its own, or that of the training questions from which it was drawn.
fn tagged_file(folder: &Path, split: &str) -> Option<PathBuf> {
    let file = |name: &str| folder.join("tagged/data").join(format!("{name}.tagged"));
    [file(split), file("training")]
        .into_iter()
        .find(|file| file.exists())
}

fn read_split(file: &Path) -> Result<Vec<Asked>, DatasetError> {
    let lines = Fields::open(file, LAYOUT)?;
    let (id, question) = (lines.field("id")?, lines.field("utterance")?);
    let (table, answer) = (lines.field("context")?, lines.field("targetValue")?);
    let mut asked = Vec::new();
    for fields in lines {
        let mut fields = fields?;
        asked.push(Asked {
            answer: split_list(&fields[answer]),
            question: unescape(&fields[question]).into_owned(),
            table: std::mem::take(&mut fields[table]),
            id: std::mem::take(&mut fields[id]),
        });
    }
    Ok(asked)
}

fn read_tagged(file: &Path) -> Result<HashMap<String, Tagged>, DatasetError> {
    let mut lines = Fields::open(file, LAYOUT)?;
    let [id, tokens, tags, entities, values, canon] =
        ["id", "tokens", "posTags", "nerTags", "nerValues", "targetCanon"].map(|name| lines.field(name));
    let (id, tokens, tags, entities, values, canon) = (id?, tokens?, tags?, entities?, values?, canon?);
    let mut tagged = HashMap::new();
    while let Some(fields) = lines.next() {
        let fields = fields?;
        let [tokens, tags, entities, values] =
            [tokens, tags, entities, values].map(|field| split_list(&fields[field]));
        if [&tags, &entities, &values]
            .iter()
            .any(|list| list.len() != tokens.len())
        {
            return Err(lines.error("tokens, posTags, nerTags and nerValues must be lists of equal length"));
        }
        let nlp = CoreNlp {
            tokens: &tokens,
            tags: &tags,
            entities: &entities,
            values: &values,
        };
        let entry = Tagged {
            annotation: nlp.into(),
            canon: split_list(&fields[canon]),
        };
        tagged.insert(fields[id].clone(), entry);
    }
    Ok(tagged)
}

struct Opened {
    folder: PathBuf,
    reading: Reading,
    tagged: HashMap<String, Tagged>,
    tables: HashMap<String, Arc<Table>>,
}

impl Opened {
    fn example(&mut self, asked: Asked) -> Result<Example, DatasetError> {
        let table = self.table(&asked.table)?;
        let tagged = self.tagged.remove(&asked.id);
        let (annotation, canon) = match (self.reading.reader, tagged) {
            (Reader::CoreNlp, Some(tagged)) => (tagged.annotation, tagged.canon),
            (Reader::CoreNlp, None) => {
                let dataset = format!("wtq:{} ({})", self.folder.display(), asked.id);
                return Err(DatasetError::Reader { dataset });
            }
            (Reader::Mapo, tagged) => (
                Annotation::read(&asked.question),
                tagged.map_or(Vec::new(), |tagged| tagged.canon),
            ),
        };
        Ok(Example {
            question: Question::new(&asked.question, annotation, &table, self.reading.linking),
            id: asked.id,
            table,
            answer: Answer::wtq(asked.answer, &canon),
            language: self.reading.language(Wtq.language()),
            known: None,
        })
    }

    fn table(&mut self, context: &str) -> Result<Arc<Table>, DatasetError> {
        if let Some(table) = self.tables.get(context) {
            return Ok(Arc::clone(table));
        }
        let name = context
            .strip_prefix("csv/")
            .unwrap_or(context)
            .trim_end_matches(".csv")
            .to_owned();
        let table = match self.reading.reader {
            Reader::CoreNlp => tagged_table(&self.folder, &name)?,
            Reader::Mapo => {
                let options = LoadOptions {
                    format: Some(Format::WtqCsv),
                    ..LoadOptions::default()
                };
                TableBuilder::open(&self.folder.join(context), &options)?
                    .named(name)
                    .finish_cell_by_cell()
            }
        };
        let table = Arc::new(table);
        self.tables.insert(context.to_owned(), Arc::clone(&table));
        Ok(table)
    }
}

/// A table with CoreNLP's readings of its cells: one cell a line, the header as row -1.
fn tagged_table(folder: &Path, name: &str) -> Result<Table, DatasetError> {
    let file = folder
        .join("tagged")
        .join(format!("{}.tagged", name.replace("-csv/", "-tagged/")));
    let mut lines = Fields::open(&file, LAYOUT)?;
    let [row, col, id, content, tokens, number, date, second] =
        ["row", "col", "id", "content", "tokens", "number", "date", "num2"].map(|name| lines.field(name));
    let (row, col, id, content, tokens) = (row?, col?, id?, content?, tokens?);
    let (number, date, second) = (number?, date?, second?);

    let (mut headers, mut names) = (Vec::new(), Vec::new());
    let mut cells: Vec<Vec<String>> = Vec::new();
    let mut readings: Vec<Vec<CellValues>> = Vec::new();
    while let Some(fields) = lines.next() {
        let fields = fields?;
        let text = unescape(&fields[content]).into_owned();
        if fields[row] == "-1" {
            names.push(
                fields[id]
                    .strip_prefix("fb:row.row.")
                    .unwrap_or(&fields[id])
                    .to_owned(),
            );
            headers.push(text);
            readings.push(Vec::new());
            continue;
        }
        let (Ok(row), Ok(col)) = (fields[row].parse::<usize>(), fields[col].parse::<usize>()) else {
            return Err(lines.error("row and col must be numbers from 0"));
        };
        if col >= headers.len()
            || row > cells.len()
            || (col > 0) != (row + 1 == cells.len() && cells[row].len() == col)
        {
            return Err(lines.error("cells must come row by row, each row from column 0"));
        }
        if col == 0 {
            cells.push(Vec::new());
        }
        let prose = fields[tokens].split('|').count() >= CellValues::PROSE;
        let value = |field: usize| {
            fields[field]
                .parse::<f64>()
                .ok()
                .filter(|n| n.is_finite() && !prose)
        };
        readings[col].push(CellValues {
            number: value(number),
            second: value(second),
            date: fields[date].parse().ok(),
        });
        cells[row].push(text);
    }
    let mut builder = TableBuilder::with_names(name, headers, names);
    for (index, row) in cells.iter().enumerate() {
        if row.len() != readings.len() {
            return Err(lines.error(format!(
                "row {index} has {} cells of {}",
                row.len(),
                readings.len()
            )));
        }
        builder.push_row(row.iter().map(String::as_str));
    }
    Ok(builder.finish_with(&readings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, ReadingChoice};
    use std::collections::HashSet;

    #[test]
    fn every_tenth_table_is_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        for part in ["data", "csv"] {
            std::fs::create_dir(folder.path().join(part)).unwrap();
        }
        let mut lines = "id\tutterance\tcontext\ttargetValue\n".to_owned();
        for number in 0..75 {
            // Questions of a table do not stand together.
            let table = number % 25;
            lines += &format!("nt-{number}\twho won in year {table}?\tcsv/{table}.csv\tAnne\n");
            let csv = format!("Year,Winner\n{table},Anne\n");
            std::fs::write(folder.path().join(format!("csv/{table}.csv")), csv).unwrap();
        }
        std::fs::write(folder.path().join("data/random-split-1-train.tsv"), lines).unwrap();
        let tables = |split: &str| {
            let selection = Selection {
                split: Some(split.to_owned()),
                reading: ReadingChoice {
                    reader: Some(Reader::Mapo),
                    ..ReadingChoice::default()
                },
                ..Selection::default()
            };
            let examples = Dataset::of(&Wtq, folder.path()).examples(&selection);
            let examples: Result<Vec<Example>, _> = examples.unwrap().collect();
            examples.unwrap()
        };
        let (whole, rest, tenth) = (
            tables("random-split-1-train"),
            tables(FIRST_REST),
            tables(FIRST_TENTH),
        );
        assert_eq!((whole.len(), rest.len(), tenth.len()), (75, 66, 9));
        let names = |examples: &[Example]| -> HashSet<String> {
            examples
                .iter()
                .map(|example| example.table.name().to_owned())
                .collect()
        };
        assert_eq!(names(&tenth), ["0", "10", "20"].map(str::to_owned).into());
        assert!(names(&rest).is_disjoint(&names(&tenth)));
        let missing = Selection {
            split: Some("random-split-9-train-b".to_owned()),
            ..Selection::default()
        };
        let error = Dataset::of(&Wtq, folder.path()).examples(&missing).err().unwrap();
        assert!(error.to_string().contains("random-split-1-train-b"), "{error}");
    }
}
