//! Tables, from data frames, from lists and from files.

use crate::arrow;
use crate::error::{told, told_of_table};
use mapo_datasets::toy;
use mapo_tables::{Largest, LoadOptions, TableBuilder};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A table that questions can be asked about.
#[pyclass(frozen, module = "mapo._mapo")]
pub struct Table {
    /// The table.
    pub table: Arc<mapo_tables::Table>,
}

/// How a table is read that comes from Python.
fn options(keep_totals: bool) -> LoadOptions {
    LoadOptions {
        drop_totals: !keep_totals,
        largest: Largest::ANY,
        ..LoadOptions::default()
    }
}

#[pymethods]
impl Table {
    /// The table of whatever has `__arrow_c_stream__`. `offsets` gives for a zone and some moments, in seconds, how far
    /// the clocks are ahead there.
    #[staticmethod]
    fn from_arrow(
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        name: &str,
        keep_totals: bool,
        offsets: Py<PyAny>,
    ) -> PyResult<Self> {
        let reader = arrow::stream(frame)?;
        let table = py.detach(|| arrow::table(reader, name, &options(keep_totals), &offsets));
        let table = table.map_err(|problem| match problem {
            arrow::Problem::Stream(error) => told(error),
            arrow::Problem::Zone(error) => error,
            arrow::Problem::Table(error) => told_of_table(error),
        })?;
        Ok(Self::of(table))
    }

    /// The table of columns that are lists of whatever has a text.
    #[staticmethod]
    fn from_columns(
        py: Python<'_>,
        headers: Vec<String>,
        columns: Vec<Vec<Bound<'_, PyAny>>>,
        name: &str,
        keep_totals: bool,
    ) -> PyResult<Self> {
        let texts = columns.iter().map(|column| column.iter().map(text_of).collect());
        let columns = texts.collect::<PyResult<Vec<Vec<String>>>>()?;
        if columns.is_empty() {
            return Err(told(format!("{name}: it has no column; a table needs one")));
        }
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        if let Some(short) = columns.iter().position(|column| column.len() != rows) {
            return Err(told(format!(
                "{name}: the column '{}' has {} values and another has {rows}; give each as many",
                headers[short],
                columns[short].len()
            )));
        }
        let table = py.detach(|| {
            let mut builder = TableBuilder::new(name, headers);
            for row in 0..rows {
                builder.push_row(columns.iter().map(|column| column[row].as_str()));
            }
            options(keep_totals).finish(builder)
        });
        Ok(Self::of(table))
    }

    /// The table of a file; `read` has what is said about it, by the names of the command's options.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        read: BTreeMap<String, String>,
        keep_totals: bool,
    ) -> PyResult<Self> {
        let mut options = options(keep_totals);
        for (what, said) in &read {
            options.tell(what, said).map_err(told)?;
        }
        let table = py.detach(|| mapo_tables::Table::open(&path, &options));
        Ok(Self::of(table.map_err(told_of_table)?))
    }

    #[getter]
    fn name(&self) -> &str {
        self.table.name()
    }

    #[getter]
    fn headers(&self) -> Vec<String> {
        self.table.headers().to_vec()
    }

    #[getter]
    fn left_out(&self) -> Option<String> {
        self.table.left_out().map(|left_out| left_out.note())
    }

    fn __len__(&self) -> usize {
        self.table.rows()
    }

    /// The texts of a row.
    fn row(&self, row: usize) -> PyResult<Vec<&str>> {
        if row >= self.table.rows() {
            return Err(PyIndexError::new_err(format!(
                "there is no row {row}; the table has {}",
                self.table.rows()
            )));
        }
        let columns = 0..self.table.headers().len();
        Ok(columns.map(|column| self.table.cell(row, column)).collect())
    }

    /// How each column is written, where that had to be decided, and what was decided about the file.
    fn notes(&self) -> Vec<String> {
        let table = &self.table;
        let of_columns = table.headers().iter().enumerate().flat_map(|(source, header)| {
            let said = table.how_written(source);
            said.into_iter().map(move |said| format!("{header}: {said}"))
        });
        let decisions = table.decisions();
        let of_file = decisions.notes.iter().chain(&decisions.left_out).cloned();
        of_file.chain(of_columns).collect()
    }

    /// The table as comma-separated text.
    fn to_csv(&self, py: Python<'_>) -> String {
        py.detach(|| toy::to_csv(&self.table))
    }
}

impl Table {
    fn of(table: mapo_tables::Table) -> Self {
        Self {
            table: Arc::new(table),
        }
    }
}

/// A value of Python as a person would write it in a cell, as one of a data frame is.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_none() {
        return Ok(String::new());
    }
    if let Ok(text) = value.cast::<PyString>() {
        // Half a character, as broken texts have, is none.
        return Ok(text.to_string_lossy().into_owned());
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(value.is_truthy()?.to_string());
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(value.str()?.to_str()?.to_owned());
    }
    if value.is_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        return Ok(match number.is_nan() {
            true => String::new(),
            false => number.to_string(),
        });
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes_as_text(bytes.as_bytes()));
    }
    if is_nested(value) {
        // As those of Arrow: what JSON has no word for is its text.
        let json = value.py().import("json")?;
        let options = [("default", value.py().get_type::<PyString>().as_any())].into_py_dict(value.py())?;
        options.set_item("ensure_ascii", false)?;
        options.set_item("separators", (",", ":"))?;
        let written = json.call_method("dumps", (value,), Some(&options));
        // What JSON cannot hold, as a list that has itself in it, is what Python prints.
        return match written {
            Ok(written) => written.extract(),
            Err(_) => Ok(value.str()?.to_string_lossy().into_owned()),
        };
    }
    if let Ok(seconds) = value.call_method0("total_seconds") {
        // A span of time.
        let seconds: f64 = seconds.extract()?;
        return Ok(if seconds.is_nan() {
            String::new()
        } else {
            seconds.to_string()
        });
    }
    if let Ok(is_nan) = value.call_method0("is_nan") {
        // A decimal number, without an exponent.
        return match is_nan.is_truthy()? {
            true => Ok(String::new()),
            false => value.call_method1("__format__", ("f",))?.extract(),
        };
    }
    // A moment is shown as the clocks of its zone show it.
    let zone = value.getattr("tzinfo").ok().filter(|zone| !zone.is_none());
    let text = match zone {
        Some(_) => {
            let without = [("tzinfo", value.py().None())].into_py_dict(value.py())?;
            value.call_method("replace", (), Some(&without))?.str()?
        }
        None => value.str()?,
    };
    let text = text.to_string_lossy();
    let text = text.as_ref();
    // A moment at the beginning of a day is the day; what pandas has for nothing is nothing.
    Ok(match text.strip_suffix(" 00:00:00") {
        Some(day) => day.to_owned(),
        None if matches!(text, "NaT" | "<NA>" | "nan") => String::new(),
        // Those of numpy are of a type of their own.
        None if matches!(text, "True" | "False") => text.to_lowercase(),
        None => text.to_owned(),
    })
}

fn is_nested(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyDict>()
}

/// Bytes: their text where they are one, as those of a data frame.
fn bytes_as_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes
            .iter()
            .fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}")),
    }
}
