//! Models that answer.

use crate::error::told;
use crate::tables::Table;
use mapo_answering::{Answerer, Reply};
use mapo_language::{HandWritten, Interpreter};
use mapo_model::file;
use mapo_tables::Value;
use pyo3::prelude::*;
use serde_json::json;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model that answers questions about tables.
#[pyclass(frozen, module = "mapo._mapo")]
pub struct Model {
    answerer: Answerer,
    /// Its file.
    pub bytes: Cow<'static, [u8]>,
    /// What it is called where something is wrong with it.
    pub name: PathBuf,
}

#[pymethods]
impl Model {
    /// The model in the box.
    #[staticmethod]
    fn boxed(py: Python<'_>) -> PyResult<Self> {
        py.detach(|| Self::of(Cow::Borrowed(file::BOXED), Path::new("the model in the box")))
    }

    /// A model from a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| {
            let bytes = std::fs::read(&path).map_err(|error| {
                let said = format!("{}: cannot be read: {error}", path.display());
                PyErr::from(std::io::Error::new(error.kind(), said))
            })?;
            Self::of(Cow::Owned(bytes), &path)
        })
    }

    /// Writes the model's file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| mapo_files::write(&path, &self.bytes).map_err(told))
    }

    /// What the model's file says about it, as JSON.
    fn card(&self) -> PyResult<String> {
        serde_json::to_string(self.answerer.card()).map_err(told)
    }

    /// Answers questions about a table: for each the reply as JSON, or the error.
    fn ask(&self, py: Python<'_>, table: &Table, questions: Vec<String>) -> PyResult<Vec<String>> {
        let table = &table.table;
        py.detach(|| {
            let asked: Vec<_> = questions
                .iter()
                .map(|question| (table, question.as_str()))
                .collect();
            let replies = self.answerer.ask_all(&asked).into_iter();
            replies
                .map(|reply| -> PyResult<String> {
                    let reply = reply.map_err(told)?;
                    let mut told_as = serde_json::to_value(&reply).map_err(told)?;
                    told_as["values"] = values(table, &reply);
                    Ok(told_as.to_string())
                })
                .collect()
        })
    }
}

impl Model {
    fn of(bytes: Cow<'static, [u8]>, name: &Path) -> PyResult<Self> {
        let (network, card) = file::from_bytes(&bytes, name, false).map_err(told)?;
        Ok(Self {
            answerer: Answerer::new(network, card).map_err(told)?,
            bytes,
            name: name.to_owned(),
        })
    }
}

/// The items of an answer as what they are: a number, a date as an object, a text.
fn values(table: &Arc<mapo_tables::Table>, reply: &Reply) -> serde_json::Value {
    let run = || -> Option<Vec<serde_json::Value>> {
        let program = HandWritten::read(&reply.program, table).ok()?;
        let mut interpreter = Interpreter::new(Arc::clone(&program.context));
        for token in &program.tokens {
            interpreter.step(*token).ok()?;
        }
        let values = interpreter.answer_items().take(reply.answer.len());
        let values = values.map(|value| match value {
            Value::Text(text) => json!(text),
            Value::Number(number) => json!(number),
            Value::Date(date) => json!({ "year": date.year, "month": date.month, "day": date.day }),
        });
        Some(values.collect())
    };
    match run() {
        Some(values) if values.len() == reply.answer.len() => values.into(),
        _ => reply.answer.clone().into(),
    }
}
