//! The command `mapo` as a script of Python's.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the command, which was started as `program`, and gives its exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, program: PathBuf, arguments: Vec<OsString>) -> u8 {
    py.detach(|| mapo_command::run_as(program, arguments))
}
