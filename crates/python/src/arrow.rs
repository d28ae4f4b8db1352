//! Data frames by Arrow's C stream interface (`__arrow_c_stream__`): their columns as they lie in memory.

use crate::error::told;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{RecordBatch, RecordBatchReader};
use mapo_tables::{LoadOptions, Table, TableBuilder, TableError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Asks whatever has columns of Arrow for them.
pub fn stream(frame: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = frame.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds a stream, by the interface. It is moved out, and the capsule is left with
    // one that needs no release.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.cast().as_ptr()) };
    reader.map_err(|error| told(format!("the data frame does not give its columns: {error}")))
}

/// Why a stream is no table.
pub enum Problem {
    /// Its owner failed.
    Stream(String),
    Table(TableError),
}

/// The table of a stream.
pub fn table(reader: RecordBatchStreamReader, name: &str, options: &LoadOptions) -> Result<Table, Problem> {
    let failed = |error: &dyn std::fmt::Display| Problem::Stream(format!("{name}: {error}"));
    let schema = reader.schema();
    // What Python's Arrow makes of an index without a name is no column of anybody's.
    let is_column = |place: &usize| !schema.field(*place).name().starts_with("__index_level_");
    let columns: Vec<usize> = (0..schema.fields().len()).filter(is_column).collect();
    let mut batches: Vec<RecordBatch> = Vec::new();
    for batch in reader {
        let batch = batch.and_then(|batch| batch.project(&columns));
        batches.push(batch.map_err(|error| failed(&error))?);
    }
    let schema = schema.project(&columns).map_err(|error| failed(&error))?;
    let builder = TableBuilder::from_arrow(name, &schema, &batches, options).map_err(Problem::Table)?;
    drop(batches);
    Ok(options.finish(builder))
}
