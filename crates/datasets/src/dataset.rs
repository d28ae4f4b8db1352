//! Datasets: questions with their tables and answers, from the benchmarks' files, from one's own, or
//! generated.

use crate::environment::Pruning;
use crate::reading::{Reader, Reading, ReadingChoice};
use crate::scoring::{Item, Report};
use crate::selection::{DatasetError, Examples, Selection};
use crate::sources::{SOURCES, Source, source, toy};
use mapo_language::{Dialect, Language, Lexicon};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Which dataset: `toy`, `wtq:DIR`, `wikisql:DIR` or `jsonl:FILE`. What is particular about a kind of
/// dataset is said in its [`Source`].
#[derive(Clone, Debug)]
pub struct Dataset {
    source: &'static dyn Source,
    /// The folder or file; empty for a dataset that is built in.
    place: PathBuf,
}

impl PartialEq for Dataset {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), &self.place) == (other.kind(), &other.place)
    }
}

impl Eq for Dataset {}

impl FromStr for Dataset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let (kind, place) = name.split_once(':').unwrap_or((name, ""));
        let known = source(kind).ok_or_else(|| unknown(name))?;
        match (known.place(), place) {
            (None, "") => Ok(Dataset::of(known, "")),
            (None, _) => Err(unknown(name)),
            (Some(what), "") => Err(format!("'{kind}' needs a {what}: {kind}:{}", what.to_uppercase())),
            (Some(_), place) => Ok(Dataset::of(known, place)),
        }
    }
}

fn unknown(name: &str) -> String {
    format!("there is no dataset '{name}'; name {}", Dataset::forms())
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source.place() {
            None => f.write_str(self.kind()),
            Some(_) => write!(f, "{}:{}", self.kind(), self.place.display()),
        }
    }
}

impl Dataset {
    /// A dataset of a kind in a folder or file.
    pub fn of(source: &'static dyn Source, place: impl Into<PathBuf>) -> Self {
        let place = place.into();
        Dataset { source, place }
    }

    /// The built-in one, see [`toy`].
    pub fn toy() -> Self {
        Dataset::of(&toy::Toy, "")
    }

    /// How datasets are named: `toy, wtq:DIR, wikisql:DIR or jsonl:FILE`.
    pub fn forms() -> String {
        let form = |source: &dyn Source| match source.place() {
            None => source.kind().to_owned(),
            Some(what) => format!("{}:{}", source.kind(), what.to_uppercase()),
        };
        let forms = SOURCES.map(form);
        match forms.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// The name of a dataset without its folder, whether or not this version knows its kind.
    pub fn name_of(text: &str) -> String {
        match text.parse::<Dataset>() {
            Ok(dataset) => dataset.name(),
            Err(_) => text.split(':').next().unwrap_or(text).to_owned(),
        }
    }

    /// The paper's language of the programs for a dataset of this [name](Self::name); that of questions of one's
    /// own if there is none.
    pub fn language_of(name: &str) -> Language {
        let known = name.split(':').next().and_then(source);
        known.map_or_else(Language::before_people, |source| source.language())
    }

    /// The kind of dataset, without where it is: `toy`, `wtq`, `wikisql`, `jsonl`.
    pub fn kind(&self) -> &'static str {
        self.source.kind()
    }

    /// The name without the folder, which means nothing on another machine: `wtq`, `jsonl:questions.jsonl`.
    pub fn name(&self) -> String {
        self.source.name(&self.place)
    }

    /// The examples that a selection names.
    ///
    /// # Errors
    /// If there is no such split, or the dataset cannot be read.
    pub fn examples(&self, selection: &Selection) -> Result<Examples, DatasetError> {
        let splits = match (&selection.split, &selection.ids) {
            (None, Some(_)) => self.source.whole(&self.place),
            _ => vec![self.split(selection)],
        };
        let reading = self.readable(selection)?;
        let parts = splits.into_iter().map(|split| {
            self.source
                .examples(&self.place, split, reading, selection.clone())
        });
        let examples = parts.collect::<Result<Vec<Examples>, _>>()?.into_iter().flatten();
        let functions = self.functions(selection);
        let examples = examples.map(move |example| example.map(|example| example.known_as(functions)));
        Ok(match selection.limit {
            Some(limit) => Box::new(examples.take(limit)),
            None => Box::new(examples),
        })
    }

    /// The split that a selection means.
    pub fn split<'a>(&self, selection: &'a Selection) -> &'a str {
        let first = self.source.first_split();
        selection.split.as_deref().unwrap_or(first)
    }

    /// The split to train on and the one to choose a model by, where they are not named. Who names what to
    /// train on of questions of their own, and not what to choose by, has none to choose by unless it is
    /// certain to be another part.
    ///
    /// # Errors
    /// If the dataset must be looked into and cannot be read.
    pub fn training_splits(
        &self,
        train: Option<&str>,
        dev: Option<&str>,
    ) -> Result<(String, Option<String>), DatasetError> {
        let (usual, usual_dev) = self.source.training_splits(&self.place)?;
        let train = train.unwrap_or(usual);
        let is_apart = self.source.has_own_dev_split() || train == usual;
        let dev = dev.or(usual_dev.filter(|_| is_apart));
        Ok((train.to_owned(), dev.map(str::to_owned)))
    }

    /// How a selection is read: as it says, and for the rest in the dataset's own way.
    pub fn reading(&self, selection: &Selection) -> Reading {
        selection.reading.over(self.source.reading())
    }

    /// The same selection, read as a model was trained, as far as the selection does not say how. An
    /// annotation that the model was trained with and this dataset has not is passed over. A model that does not
    /// say its language knows the paper's, whatever questions it is asked.
    pub fn selection_for(&self, selection: Selection, mut trained: ReadingChoice) -> Selection {
        trained.language = trained.language.or(Some(Dialect::Paper));
        trained.reader = trained.reader.filter(|reader| self.has(*reader));
        Selection {
            reading: selection.reading.or(trained),
            ..selection
        }
    }

    /// The functions that programs are numbered with: those of whoever answers, or else the dataset's.
    pub fn functions(&self, selection: &Selection) -> Lexicon {
        let own = || self.reading(selection).language(self.source.language()).lexicon;
        selection.functions.unwrap_or_else(own)
    }

    /// Whether a reader can read it.
    fn has(&self, reader: Reader) -> bool {
        reader == Reader::Mapo || self.source.has_corenlp()
    }

    /// How a selection is read, if it can be.
    fn readable(&self, selection: &Selection) -> Result<Reading, DatasetError> {
        let reading = self.reading(selection);
        match self.has(reading.reader) {
            true => Ok(reading),
            false => Err(DatasetError::Reader {
                dataset: self.to_string(),
            }),
        }
    }

    /// Which functions exploration tries unless something else is wished: of the many that the language for
    /// people has, those that the question suggests.
    pub fn pruning(&self, selection: &Selection) -> Pruning {
        match self.reading(selection).language {
            Dialect::Paper => self.source.pruning(),
            Dialect::People => Pruning::Wide,
        }
    }

    /// The name of the settings to train with, where training begins with a model or with nothing.
    pub fn preset(&self, from_model: bool) -> &'static str {
        self.source.preset(from_model)
    }

    /// The folder with CoreNLP's annotation, if it comes with one.
    pub fn corenlp_folder(&self) -> Option<&Path> {
        self.source.has_corenlp().then_some(&self.place)
    }

    /// A line of a prediction file, as the benchmark's official evaluator reads it.
    pub fn prediction<'a>(&self, id: &str, items: impl Iterator<Item = Item<'a>>) -> String {
        self.source.prediction(id, &mut { items })
    }

    /// Judges a prediction file by the benchmark's official rules, over the examples that a selection names.
    ///
    /// # Errors
    /// If the file or the dataset cannot be read.
    pub fn score(&self, selection: &Selection, file: &Path) -> Result<Report, DatasetError> {
        let (split, reading) = (self.split(selection), self.readable(selection)?);
        self.source
            .score(&self.place, split, reading, selection.clone(), file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_known_by_its_name() {
        for source in SOURCES {
            let place = source
                .place()
                .map_or(String::new(), |_| ":/home/someone/x".to_owned());
            let text = format!("{}{place}", source.kind());
            let dataset: Dataset = text.parse().unwrap();
            assert_eq!(dataset.to_string(), text);
            assert!(!dataset.name().contains('/'), "{}", dataset.name());
            assert_eq!(Dataset::name_of(&text), dataset.name());
        }
        assert!(Dataset::forms().starts_with("toy, wtq:DIR, wikisql:DIR"));
        let said = |name: &str| name.parse::<Dataset>().unwrap_err();
        assert_eq!(said("wtq"), "'wtq' needs a dir: wtq:DIR");
        assert_eq!(
            said("toy:x"),
            format!("there is no dataset 'toy:x'; name {}", Dataset::forms())
        );
        // What a later version may have must not tell where it lies.
        assert_eq!(Dataset::name_of("later:/home/someone"), "later");
    }

    #[test]
    fn a_dataset_that_is_not_there_says_where_it_comes_from() {
        for (name, project) in [
            ("wtq:nowhere", "ppasupat/WikiTableQuestions"),
            ("wikisql:nowhere", "salesforce/WikiSQL"),
        ] {
            let dataset: Dataset = name.parse().unwrap();
            let said = dataset.examples(&Selection::default()).err().unwrap().to_string();
            assert!(said.contains("nowhere") && said.contains(project), "{said}");
            assert!(!said.contains('\n'));
        }
    }

    #[test]
    fn a_model_is_asked_as_it_was_trained_where_that_can_be() {
        let trained = ReadingChoice {
            reader: Some(Reader::CoreNlp),
            linking: Some(mapo_questions::Linking::Wide),
            ..ReadingChoice::default()
        };
        let selection = |name: &str| {
            let dataset: Dataset = name.parse().unwrap();
            dataset.reading(&dataset.selection_for(Selection::default(), trained))
        };
        assert_eq!(selection("wtq:x").reader, Reader::CoreNlp);
        assert_eq!(selection("toy").reader, Reader::Mapo);
        assert_eq!(selection("toy").linking, mapo_questions::Linking::Wide);
        assert_eq!(selection("wikisql:x").fit, mapo_language::Fit::Table);
        // A model that does not say its language knows the paper's, also for questions of one's own.
        assert_eq!(selection("jsonl:x").language, Dialect::Paper);
        let own: Dataset = "jsonl:x".parse().unwrap();
        assert_eq!(own.reading(&Selection::default()).language, Dialect::People);
        assert_eq!(own.functions(&Selection::default()), Lexicon::ALL);
    }
}
