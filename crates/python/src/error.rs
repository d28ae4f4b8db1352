//! Errors of ours as exceptions: one sentence each.

use mapo_tables::TableError;
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use std::fmt::Display;
use std::io;

create_exception!(
    mapo,
    MapoError,
    PyValueError,
    "What mapo cannot do: one sentence that says what is wrong, where, and what to do."
);

/// The exception for an error of ours.
pub fn told(error: impl Display) -> PyErr {
    MapoError::new_err(error.to_string())
}

/// The exception for a table that cannot be had: where its file cannot be read, the one that Python has for that.
pub fn told_of_table(error: TableError) -> PyErr {
    match &error {
        TableError::Io { source, .. } => io::Error::new(source.kind(), error.to_string()).into(),
        _ => told(error),
    }
}
