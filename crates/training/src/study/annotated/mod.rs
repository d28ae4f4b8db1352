//! Questions with hand-written meanings: the lambda DCS forms that WikiTableQuestions gives for 300 of its
//! training questions (`data/annotated-all.examples`), and their translation into our language.

mod form;
mod translate;

pub use form::{Form, FormError, read_forms};
pub use translate::{Obstacle, Translation, translate};

use mapo_datasets::DatasetError;
use std::path::Path;

const LAYOUT: &str = "WikiTableQuestions has the annotated questions in data/annotated-all.examples";

/// A question that somebody wrote forms for, or said why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotated {
    /// The question's name in the dataset.
    pub id: String,
    /// Its forms, the first choice first, then the alternatives.
    pub forms: Vec<Form>,
    /// Why there is none, in the annotators' words.
    pub error: Option<String>,
}

/// Reads a file of annotated questions.
///
/// # Errors
/// If it cannot be read or is not made of `(example (id …) (targetFormula …) …)`; they name the line, and in
/// broken s-expressions the column.
pub fn read_annotated(file: &Path) -> Result<Vec<Annotated>, DatasetError> {
    let text = std::fs::read_to_string(file).map_err(|source| DatasetError::Io {
        file: file.to_owned(),
        source,
        layout: LAYOUT,
    })?;
    let error = |line, problem: String| DatasetError::Line {
        file: file.to_owned(),
        line,
        problem,
    };
    let forms = read_forms(&text).map_err(|broken| {
        let problem = format!("column {}: {}", broken.column, broken.problem);
        error(broken.line, problem)
    })?;
    let examples = forms.iter().filter_map(|(line, form)| {
        let parts = form.after("example")?;
        Some(example(parts).ok_or_else(|| error(*line, "the example has no (id …)".to_owned())))
    });
    let examples: Vec<Annotated> = examples.collect::<Result<_, _>>()?;
    match examples.is_empty() {
        true => Err(error(
            1,
            format!("there is no (example (id …) (targetFormula …)) here; {LAYOUT}"),
        )),
        false => Ok(examples),
    }
}

fn example(parts: &[Form]) -> Option<Annotated> {
    let mut annotated = Annotated {
        id: String::new(),
        forms: Vec::new(),
        error: None,
    };
    for part in parts {
        match (part.head(), part.items().get(1)) {
            (Some("id"), Some(id)) => annotated.id = id.word()?.to_owned(),
            (Some("targetFormula" | "alternativeFormula"), Some(form)) => annotated.forms.push(form.clone()),
            (Some("error"), Some(error)) => annotated.error = error.word().map(str::to_owned),
            _ => {}
        }
    }
    (!annotated.id.is_empty()).then_some(annotated)
}
