//! The words of a dataset, for commands that keep vectors of words.

use crate::data_args::examples;
use mapo_datasets::{Dataset, Selection};
use mapo_model::inputs::vocabulary;
use std::collections::HashSet;
use std::error::Error;

/// The words of the questions and columns of a dataset, or none.
pub fn words_of(data: Option<&Dataset>, selection: &Selection) -> Result<HashSet<String>, Box<dyn Error>> {
    let Some(data) = data else {
        return Ok(HashSet::new());
    };
    let examples = examples(data, selection)?;
    let words = vocabulary::counted(&examples).into_iter();
    Ok(words.map(|(word, _)| word.to_owned()).collect())
}
