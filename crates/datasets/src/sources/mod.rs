//! Where examples come from: one module for each kind of dataset, which says as a [`Source`] all that is
//! particular about it, and one line for it in `SOURCES`.

pub mod jsonl;
mod lines;
pub mod tables;
pub mod toy;
pub mod wikisql;
pub mod wtq;

use crate::environment::Pruning;
use crate::example::Example;
use crate::reading::Reading;
use crate::scoring::wtq::predictions;
use crate::scoring::{Item, Report};
use crate::selection::{DatasetError, Examples, Selection};
use mapo_language::Language;
use std::fmt;
use std::path::Path;

/// The kinds of datasets, in the order in which users are told of them.
pub(crate) const SOURCES: [&dyn Source; 5] = [
    &toy::Toy,
    &wtq::Wtq,
    &wikisql::WikiSql,
    &jsonl::JsonLines,
    &tables::Tables,
];

/// A kind of dataset. Where its functions are given a `place`, that is the folder or file which the user
/// named.
pub trait Source: fmt::Debug + Send + Sync {
    /// Its name on the command line and in files.
    fn kind(&self) -> &'static str;

    /// What the user has to name after the colon, `dir` or `file`; nothing for a dataset that is built in.
    fn place(&self) -> Option<&'static str>;

    /// The name of a dataset without its folder, which means nothing on another machine.
    fn name(&self, _place: &Path) -> String {
        self.kind().to_owned()
    }

    /// The split that is meant where none is named.
    fn first_split(&self) -> &'static str;

    /// The splits that together hold every example once, as far as they are here.
    fn whole(&self, place: &Path) -> Vec<&'static str>;

    /// The split to train on and the one to choose a model by, where none are named.
    ///
    /// # Errors
    /// If the dataset must be looked into and cannot be read.
    fn training_splits(&self, place: &Path) -> Result<(&'static str, Option<&'static str>), DatasetError>;

    /// Whether the split to choose by holds no question of any other that a user may name to train on.
    fn has_own_dev_split(&self) -> bool {
        true
    }

    /// How it is read unless something else is wished.
    fn reading(&self) -> Reading;

    /// The language of its programs as the paper has it; [`Reading::language`] makes that for people of it.
    fn language(&self) -> Language;

    /// Which functions exploration tries unless something else is wished.
    fn pruning(&self) -> Pruning {
        Pruning::Wide
    }

    /// The name of the settings to train with, where training begins with a model or with nothing.
    fn preset(&self, from_model: bool) -> &'static str;

    /// Whether it comes with CoreNLP's annotation, to read it by or to compare our reader with.
    fn has_corenlp(&self) -> bool {
        false
    }

    /// The examples of a split that are wanted, read as `reading` says.
    ///
    /// # Errors
    /// If there is no such split, or the dataset cannot be read.
    fn examples(
        &self,
        place: &Path,
        split: &str,
        reading: Reading,
        wanted: Selection,
    ) -> Result<Examples, DatasetError>;

    /// A line of a prediction file, as the benchmark's official evaluator reads it.
    fn prediction(&self, id: &str, items: &mut dyn Iterator<Item = Item<'_>>) -> String {
        predictions::line(id, items)
    }

    /// Judges a prediction file by the benchmark's official rules, over the wanted examples of a split.
    ///
    /// # Errors
    /// If the file or the dataset cannot be read.
    fn score(
        &self,
        place: &Path,
        split: &str,
        reading: Reading,
        wanted: Selection,
        file: &Path,
    ) -> Result<Report, DatasetError> {
        let predicted = predictions::read(file)?;
        let limit = wanted.limit.unwrap_or(usize::MAX);
        let examples = self.examples(place, split, reading, wanted)?.take(limit);
        let examples: Vec<Example> = examples.collect::<Result<_, _>>()?;
        let gold = examples.iter().map(|example| {
            let values = example.answer.wtq_values().unwrap_or_default();
            (example.id.as_str(), values)
        });
        Ok(predictions::score(gold, &predicted))
    }
}

/// The kind of dataset of this name.
pub(crate) fn source(kind: &str) -> Option<&'static dyn Source> {
    SOURCES.into_iter().find(|source| source.kind() == kind)
}

/// Those of some splits for which a folder has a file.
fn splits_here(folder: &Path, ending: &str, splits: &[&'static str]) -> Vec<&'static str> {
    let here = |split: &&&str| folder.join(format!("{split}{ending}")).exists();
    let mut here: Vec<&str> = splits.iter().filter(here).copied().collect();
    if here.is_empty() {
        here.extend(splits.first()); // opening it gives the right error
    }
    here
}

/// The splits for which a folder has a file, to name them in an error.
fn known_splits(folder: &Path, ending: &str, extra: &[&str]) -> String {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let mut splits: Vec<String> = names
        .filter_map(|name| name.strip_suffix(ending).map(str::to_owned))
        .collect();
    splits.retain(|split| !split.contains('.'));
    splits.extend(extra.iter().map(|split| (*split).to_owned()));
    splits.sort();
    match splits.is_empty() {
        true => "none here".to_owned(),
        false => splits.join(", "),
    }
}
