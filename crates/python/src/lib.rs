//! The part of the Python package `mapo` that is Rust: `mapo._mapo`. It is thin, and so is the part in Python beside it
//! (`python/mapo`), which is what people see: names, types, documentation, the display in notebooks.
//!
//! Whatever takes long is done while other threads of Python run. Replies, metrics and predictions cross as JSON, in the
//! same form as the command's `--json` gives them.

mod arrow;
mod attending;
mod command;
mod environments;
mod error;
mod model;
mod policies;
mod tables;
mod threads;
mod training;

use pyo3::prelude::*;

/// What the package `mapo` is made of.
#[pymodule]
fn _mapo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MapoError", module.py().get_type::<error::MapoError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<tables::Table>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<policies::Policy>()?;
    module.add_function(wrap_pyfunction!(command::run_command, module)?)?;
    module.add_function(wrap_pyfunction!(environments::explore_looking, module)?)?;
    module.add_function(wrap_pyfunction!(environments::explore_scoring, module)?)?;
    module.add_function(wrap_pyfunction!(training::compose, module)?)?;
    module.add_function(wrap_pyfunction!(training::fit, module)?)?;
    module.add_function(wrap_pyfunction!(training::score, module)?)
}
