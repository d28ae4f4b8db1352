//! Data frames by Arrow's C stream interface (`__arrow_c_stream__`): their columns as they lie in memory.

use crate::error::told;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{
    ArrowTimestampType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use mapo_tables::{LoadOptions, Table, TableBuilder, TableError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Asks whatever has columns of Arrow for them.
pub fn stream(frame: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = frame.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds a stream, by the interface. It is moved out, and the capsule is left with
    // one that needs no release.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.cast().as_ptr()) };
    reader.map_err(|error| told(format!("it does not give columns: {error}")))
}

/// Why a stream is no table.
pub enum Problem {
    /// Its owner failed.
    Stream(String),
    /// A zone of its moments is not known.
    Zone(PyErr),
    Table(TableError),
}

/// The table of a stream. `offsets` gives for a zone and some moments, in seconds, how far the clocks are ahead there.
pub fn table(
    reader: RecordBatchStreamReader,
    name: &str,
    options: &LoadOptions,
    offsets: &Py<PyAny>,
) -> Result<Table, Problem> {
    let failed = |error: &dyn std::fmt::Display| Problem::Stream(format!("{name}: {error}"));
    let schema = reader.schema();
    // What Python's Arrow makes of an index without a name is no column of anybody's.
    let is_column = |place: &usize| !schema.field(*place).name().starts_with("__index_level_");
    let columns: Vec<usize> = (0..schema.fields().len()).filter(is_column).collect();
    let mut batches: Vec<RecordBatch> = Vec::new();
    for batch in reader {
        let batch = batch.and_then(|batch| batch.project(&columns));
        let batch = batch.map_err(|error| failed(&error))?;
        batches.push(as_clocks_show(batch, offsets).map_err(Problem::Zone)?);
    }
    let schema = schema.project(&columns).map_err(|error| failed(&error))?;
    let builder = TableBuilder::from_arrow(name, &schema, &batches, options).map_err(Problem::Table)?;
    drop(batches);
    Ok(options.finish(builder))
}

/// Between the beginnings of two quarters of an hour no clock is put forward or back.
const QUARTER: i64 = 15 * 60;

/// Moments that know their zone, as the clocks show them there: so does their data frame, and so a person means them.
fn as_clocks_show(batch: RecordBatch, offsets: &Py<PyAny>) -> PyResult<RecordBatch> {
    let schema = batch.schema();
    let is_plain = |kind: &DataType| !matches!(kind, DataType::Timestamp(_, Some(_)));
    let named = |field: &Field| field.metadata().get("ARROW:extension:name").cloned();
    if let Some(field) = schema.fields().iter().find(|field| {
        named(field).is_some_and(|name| matches!(name.as_str(), "pandas.period" | "pandas.interval"))
    }) {
        return Err(told(format!(
            "the column '{}' is of a type that only pandas has; give the data frame, or its texts",
            field.name()
        )));
    }
    if schema.fields().iter().all(|field| is_plain(field.data_type())) {
        return Ok(batch);
    }
    let shown = |column: &ArrayRef| match column.data_type() {
        DataType::Timestamp(unit, Some(zone)) => match unit {
            TimeUnit::Second => shown_in::<TimestampSecondType>(column, 1, zone, offsets),
            TimeUnit::Millisecond => shown_in::<TimestampMillisecondType>(column, 1_000, zone, offsets),
            TimeUnit::Microsecond => shown_in::<TimestampMicrosecondType>(column, 1_000_000, zone, offsets),
            TimeUnit::Nanosecond => shown_in::<TimestampNanosecondType>(column, 1_000_000_000, zone, offsets),
        },
        _ => Ok(Arc::clone(column)),
    };
    let columns = batch
        .columns()
        .iter()
        .map(shown)
        .collect::<PyResult<Vec<ArrayRef>>>()?;
    let fields = schema.fields().iter().zip(&columns);
    let fields =
        fields.map(|(field, column)| field.as_ref().clone().with_data_type(column.data_type().clone()));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns).map_err(told)
}

/// Moments of which a second has so many, as the clocks of a zone show them.
fn shown_in<T: ArrowTimestampType>(
    column: &ArrayRef,
    second: i64,
    zone: &str,
    offsets: &Py<PyAny>,
) -> PyResult<ArrayRef> {
    let moments = column.as_primitive::<T>();
    let quarter = |moment: i64| moment.div_euclid(second * QUARTER);
    let quarters: BTreeSet<i64> = moments.iter().flatten().map(quarter).collect();
    let starts: Vec<i64> = quarters.iter().map(|quarter| quarter * QUARTER).collect();
    let ahead: Vec<i64> = Python::attach(|py| offsets.bind(py).call1((zone, starts))?.extract())?;
    let ahead: HashMap<i64, i64> = quarters.into_iter().zip(ahead).collect();
    let shown: PrimitiveArray<T> = moments.unary(|moment| {
        // What stands under a missing value is nowhere among them.
        let ahead = ahead.get(&quarter(moment)).copied().unwrap_or(0);
        moment.saturating_add(ahead * second)
    });
    Ok(Arc::new(shown.with_timezone_opt::<Arc<str>>(None)))
}
