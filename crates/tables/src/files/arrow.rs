//! Tables that come in Apache Arrow's columns, as data frames do. Every value becomes the text that a person would
//! write in a cell, as those of Parquet files do; what is missing, and what is no number, is an empty cell.
//!
//! Text that repeats is copied once. Of a column of many different texts that lies in one piece nothing is copied:
//! the table holds on to Arrow's buffer.

use super::cells::{Filling, LONGEST_CELL, MOST_COLUMNS};
use super::header;
use super::source::content;
use super::values::{show, show_binary, show_day, show_decimal, show_digits, show_time, show_timestamp};
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use crate::builder::PARALLEL_CELLS;
use crate::decisions::Decisions;
use crate::texts::{Interner, Texts};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, GenericStringArray, OffsetSizeTrait, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};
use bytes::Bytes;
use bytestring::ByteString;
use rayon::prelude::*;
use serde_json::Value;

/// For each row of a column the number of its text, and the texts.
type ReadColumn = (Vec<u32>, Interner);

/// Writes the value of a row, which there is, as a person would.
type Shows<'a> = Box<dyn Fn(usize, &mut String) + 'a>;

impl TableBuilder {
    /// The cells of a table that comes in batches of Arrow's columns; `name` stands in error messages.
    ///
    /// # Errors
    /// If there is no column or no row, more than there may be, or a column of a type that has no text.
    pub fn from_arrow(
        name: &str,
        schema: &Schema,
        batches: &[RecordBatch],
        options: &LoadOptions,
    ) -> Result<TableBuilder, TableError> {
        let headers: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        match headers.len() {
            0 => return Err(content(name, None, "it has no column; a table needs one")),
            columns if columns > MOST_COLUMNS => {
                let problem = format!("it has {columns} columns; the limit is {MOST_COLUMNS}");
                return Err(content(name, None, problem));
            }
            _ => {}
        }
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if rows == 0 {
            return Err(content(name, None, "the table has no row; add at least one"));
        }
        options.largest.check(name, rows, headers.len(), 0)?;
        let read = |column: usize| -> Result<ReadColumn, TableError> {
            let pieces: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(column)).collect();
            read_column(&pieces, rows)
                .map_err(|problem| content(name, None, format!("the column '{}' {problem}", headers[column])))
        };
        let columns: Result<Vec<ReadColumn>, TableError> = match rows * headers.len() > PARALLEL_CELLS {
            true => (0..headers.len()).into_par_iter().map(read).collect(),
            false => (0..headers.len()).map(read).collect(),
        };
        let mut filling = Filling::new(0, options.largest);
        filling.columns = columns?;
        filling.rows = rows;
        filling.push(name, &[])?;
        let mut decisions = Decisions::default();
        let builder = filling.finish(name, header::named(headers, &mut decisions))?;
        Ok(builder.decided(decisions))
    }
}

fn read_column(pieces: &[&ArrayRef], rows: usize) -> Result<ReadColumn, String> {
    let mut cells = Cells {
        rows: Vec::with_capacity(rows),
        texts: Interner::default(),
        buffer: String::new(),
    };
    let pieces: Vec<&&ArrayRef> = pieces.iter().filter(|piece| !piece.is_empty()).collect();
    let is_whole = pieces.len() == 1;
    for piece in pieces {
        match piece.data_type() {
            DataType::Utf8 => {
                if let Some(lent) = cells.take_texts(piece.as_string::<i32>(), is_whole)? {
                    return Ok(lent);
                }
            }
            DataType::LargeUtf8 => {
                if let Some(lent) = cells.take_texts(piece.as_string::<i64>(), is_whole)? {
                    return Ok(lent);
                }
            }
            DataType::Utf8View => {
                for text in piece.as_string_view() {
                    cells.take(text.unwrap_or(""))?;
                }
            }
            DataType::Dictionary(..) => cells.take_dictionary(piece)?,
            _ => {
                let show = shows(piece.as_ref())?;
                for row in 0..piece.len() {
                    cells.take_shown(&show, piece, row)?;
                }
            }
        }
        cells.texts.stop_searching_if_most_are_new();
    }
    Ok((cells.rows, cells.texts))
}

/// The cells of a column on their way in.
struct Cells {
    rows: Vec<u32>,
    texts: Interner,
    buffer: String,
}

impl Cells {
    fn take(&mut self, text: &str) -> Result<(), String> {
        self.check(text.len())?;
        self.rows.push(self.texts.intern(text));
        Ok(())
    }

    fn check(&self, bytes: usize) -> Result<(), String> {
        match bytes > LONGEST_CELL {
            true => Err(format!(
                "has {bytes} bytes in row {} and the limit is {LONGEST_CELL}; shorten it",
                self.rows.len() + 1
            )),
            false => Ok(()),
        }
    }

    fn take_shown(&mut self, show: &Shows<'_>, piece: &ArrayRef, row: usize) -> Result<(), String> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        if !piece.is_null(row) {
            show(row, &mut buffer);
        }
        let taken = self.take(&buffer);
        self.buffer = buffer;
        taken
    }

    /// Takes texts. Where they are all that the column has, and hardly repeat, the whole column is taken as it lies.
    fn take_texts<O: OffsetSizeTrait>(
        &mut self,
        piece: &GenericStringArray<O>,
        is_whole: bool,
    ) -> Result<Option<ReadColumn>, String> {
        for (row, text) in piece.iter().enumerate() {
            if is_whole && row == Interner::MANY && self.texts.are_mostly_new() {
                self.check(longest(piece))?;
                if let Some(texts) = lend(piece) {
                    let rows = (0..piece.len() as u32).collect();
                    return Ok(Some((rows, Interner::of(texts, true))));
                }
            }
            self.take(text.unwrap_or(""))?;
        }
        Ok(None)
    }

    /// Takes what is kept by number already. Only texts that some row has are the table's.
    fn take_dictionary(&mut self, piece: &ArrayRef) -> Result<(), String> {
        let dictionary = piece.as_any_dictionary();
        let values = dictionary.values();
        if values.is_empty() {
            // Nothing but missing values, which have no number either.
            return (0..piece.len()).try_for_each(|_| self.take(""));
        }
        let show = shows(values.as_ref())?;
        let mut known: Vec<Option<u32>> = vec![None; values.len()];
        for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
            match known.get(key).copied().flatten() {
                _ if piece.is_null(row) => self.take("")?,
                Some(text) => self.rows.push(text),
                None => {
                    self.take_shown(&show, values, key)?;
                    if let Some(known) = known.get_mut(key) {
                        *known = self.rows.last().copied();
                    }
                }
            }
        }
        Ok(())
    }
}

fn longest<O: OffsetSizeTrait>(piece: &GenericStringArray<O>) -> usize {
    let lengths = piece
        .value_offsets()
        .windows(2)
        .map(|ends| (ends[1] - ends[0]).as_usize());
    lengths.max().unwrap_or(0)
}

/// The texts as they lie in Arrow's buffer; none where they cannot be used so.
fn lend<O: OffsetSizeTrait>(piece: &GenericStringArray<O>) -> Option<Texts> {
    let offsets = piece.value_offsets();
    let (start, end) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
    u32::try_from(end - start).ok()?;
    // What stands under a missing value is no text.
    let is_hidden = |row: usize| piece.is_null(row) && offsets[row] != offsets[row + 1];
    if piece.null_count() > 0 && (0..piece.len()).any(is_hidden) {
        return None;
    }
    let ends = offsets[1..]
        .iter()
        .map(|end| (end.as_usize() - start) as u32)
        .collect();
    let bytes = Bytes::from_owner(piece.values().slice_with_length(start, end - start));
    Texts::lent(ByteString::try_from(bytes).ok()?, ends)
}

/// How the values of a column are written; an array without a text is refused.
fn shows(array: &dyn Array) -> Result<Shows<'_>, String> {
    fn numbers<T: ArrowPrimitiveType>(
        array: &dyn Array,
        show: impl Fn(T::Native, &mut String) + 'static,
    ) -> Shows<'_> {
        let values = array.as_primitive::<T>();
        Box::new(move |row, out| show(values.value(row), out))
    }
    fn plain<T: ArrowPrimitiveType>(array: &dyn Array) -> Shows<'_>
    where
        T::Native: std::fmt::Display,
    {
        numbers::<T>(array, |value, out| show(out, value))
    }
    fn float(value: f64, out: &mut String) {
        // Not a number is what data frames have for what is missing.
        if !value.is_nan() {
            show(out, value);
        }
    }
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, _| {}),
        DataType::Boolean => {
            let values = array.as_boolean();
            Box::new(move |row, out| show(out, values.value(row)))
        }
        DataType::Int8 => plain::<Int8Type>(array),
        DataType::Int16 => plain::<Int16Type>(array),
        DataType::Int32 => plain::<Int32Type>(array),
        DataType::Int64 => plain::<Int64Type>(array),
        DataType::UInt8 => plain::<UInt8Type>(array),
        DataType::UInt16 => plain::<UInt16Type>(array),
        DataType::UInt32 => plain::<UInt32Type>(array),
        DataType::UInt64 => plain::<UInt64Type>(array),
        DataType::Float16 => numbers::<Float16Type>(array, |value, out| {
            if !value.is_nan() {
                show(out, value);
            }
        }),
        // A short float has fewer digits than the same one as a long one.
        DataType::Float32 => numbers::<Float32Type>(array, |value, out| {
            if !value.is_nan() {
                show(out, value);
            }
        }),
        DataType::Float64 => numbers::<Float64Type>(array, float),
        DataType::Date32 => numbers::<Date32Type>(array, |days, out| show_day(out, days.into())),
        DataType::Date64 => numbers::<Date64Type>(array, |millis, out| show_timestamp(out, millis, 1_000)),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => {
                numbers::<TimestampSecondType>(array, |value, out| show_timestamp(out, value, 1))
            }
            TimeUnit::Millisecond => {
                numbers::<TimestampMillisecondType>(array, |value, out| show_timestamp(out, value, 1_000))
            }
            TimeUnit::Microsecond => {
                numbers::<TimestampMicrosecondType>(array, |value, out| show_timestamp(out, value, 1_000_000))
            }
            TimeUnit::Nanosecond => numbers::<TimestampNanosecondType>(array, |value, out| {
                show_timestamp(out, value, 1_000_000_000)
            }),
        },
        DataType::Time32(TimeUnit::Second) => {
            numbers::<Time32SecondType>(array, |value, out| show_time(out, value.into(), 1))
        }
        DataType::Time32(_) => {
            numbers::<Time32MillisecondType>(array, |value, out| show_time(out, value.into(), 1_000))
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            numbers::<Time64MicrosecondType>(array, |value, out| show_time(out, value, 1_000_000))
        }
        DataType::Time64(_) => {
            numbers::<Time64NanosecondType>(array, |value, out| show_time(out, value, 1_000_000_000))
        }
        // A span of time in seconds.
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => plain::<DurationSecondType>(array),
            TimeUnit::Millisecond => {
                numbers::<DurationMillisecondType>(array, |value, out| show_decimal(out, value.into(), 3))
            }
            TimeUnit::Microsecond => {
                numbers::<DurationMicrosecondType>(array, |value, out| show_decimal(out, value.into(), 6))
            }
            TimeUnit::Nanosecond => {
                numbers::<DurationNanosecondType>(array, |value, out| show_decimal(out, value.into(), 9))
            }
        },
        DataType::Decimal32(_, scale) => {
            let scale = i32::from(*scale);
            numbers::<Decimal32Type>(array, move |value, out| show_decimal(out, value.into(), scale))
        }
        DataType::Decimal64(_, scale) => {
            let scale = i32::from(*scale);
            numbers::<Decimal64Type>(array, move |value, out| show_decimal(out, value.into(), scale))
        }
        DataType::Decimal128(_, scale) => {
            let scale = i32::from(*scale);
            numbers::<Decimal128Type>(array, move |value, out| show_decimal(out, value, scale))
        }
        DataType::Decimal256(_, scale) => {
            let scale = i32::from(*scale);
            numbers::<Decimal256Type>(array, move |value, out| {
                let digits = value.to_string();
                show_digits(
                    out,
                    digits.starts_with('-'),
                    digits.trim_start_matches('-'),
                    scale,
                );
            })
        }
        DataType::Utf8 => {
            let values = array.as_string::<i32>();
            Box::new(move |row, out| out.push_str(values.value(row)))
        }
        DataType::LargeUtf8 => {
            let values = array.as_string::<i64>();
            Box::new(move |row, out| out.push_str(values.value(row)))
        }
        DataType::Utf8View => {
            let values = array.as_string_view();
            Box::new(move |row, out| out.push_str(values.value(row)))
        }
        DataType::Binary => {
            let values = array.as_binary::<i32>();
            Box::new(move |row, out| show_binary(out, values.value(row)))
        }
        DataType::LargeBinary => {
            let values = array.as_binary::<i64>();
            Box::new(move |row, out| show_binary(out, values.value(row)))
        }
        DataType::BinaryView => {
            let values = array.as_binary_view();
            Box::new(move |row, out| show_binary(out, values.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            Box::new(move |row, out| show_binary(out, values.value(row)))
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Struct(_) => {
            // What cannot be shown is found before the first row is.
            if !array.is_empty() {
                json(array, 0)?;
            }
            Box::new(move |row, out| show(out, json(array, row).unwrap_or_default()))
        }
        other => {
            return Err(format!(
                "is of Arrow's type {other}, which has no text; convert it before"
            ));
        }
    })
}

/// A list or a structure, as JSON.
fn json(array: &dyn Array, row: usize) -> Result<Value, String> {
    if array.is_null(row) {
        return Ok(Value::Null);
    }
    let all =
        |list: ArrayRef| -> Result<Value, String> { (0..list.len()).map(|row| json(&list, row)).collect() };
    Ok(match array.data_type() {
        DataType::List(_) => all(array.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => all(array.as_list::<i64>().value(row))?,
        DataType::FixedSizeList(..) => all(array.as_fixed_size_list().value(row))?,
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            let members = columns.map(|(field, column)| Ok((field.name().clone(), json(column, row)?)));
            Value::Object(members.collect::<Result<_, String>>()?)
        }
        kind => {
            let mut text = String::new();
            shows(array)?(row, &mut text);
            match kind.is_numeric() || *kind == DataType::Boolean {
                true => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                false => Value::String(text),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::builder::{ListBuilder, StringDictionaryBuilder};
    use arrow_array::{
        Date32Array, Decimal128Array, Float64Array, Int64Array, IntervalDayTimeArray, LargeStringArray,
        StringArray, StringViewArray, TimestampMicrosecondArray,
    };
    use std::sync::Arc;

    fn table(columns: Vec<(&str, ArrayRef)>) -> Result<crate::Table, TableError> {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        )
        .unwrap();
        let options = LoadOptions::default();
        let builder = TableBuilder::from_arrow("frame", &batch.schema(), &[batch], &options)?;
        Ok(options.finish(builder))
    }

    #[test]
    fn values_are_written_as_people_do() {
        let mut categories = StringDictionaryBuilder::<Int8Type>::new();
        categories.append("unused").unwrap();
        categories.append("b").unwrap();
        categories.append_null();
        let categories = Arc::new(categories.finish()).slice(1, 2);
        let mut lists = ListBuilder::new(arrow_array::builder::Int64Builder::new());
        lists.append_value([Some(1), None]);
        lists.append_null();
        let table = table(vec![
            ("text", Arc::new(StringArray::from(vec![Some("Tulsa"), None]))),
            (
                "view",
                Arc::new(StringViewArray::from(vec![
                    "a text that is longer than twelve",
                    "",
                ])),
            ),
            ("whole", Arc::new(Int64Array::from(vec![Some(-3), None]))),
            ("real", Arc::new(Float64Array::from(vec![1990.0, f64::NAN]))),
            ("day", Arc::new(Date32Array::from(vec![11_016, 0]))),
            (
                "moment",
                Arc::new(TimestampMicrosecondArray::from(vec![1_500_000, 0])),
            ),
            (
                "price",
                Arc::new(
                    Decimal128Array::from(vec![12_345, -5])
                        .with_precision_and_scale(10, 2)
                        .unwrap(),
                ),
            ),
            ("kind", Arc::new(categories)),
            ("list", Arc::new(lists.finish())),
        ])
        .unwrap();
        let row = |row: usize| (0..9).map(|column| table.cell(row, column)).collect::<Vec<_>>();
        assert_eq!(
            row(0),
            [
                "Tulsa",
                "a text that is longer than twelve",
                "-3",
                "1990",
                "2000-02-29",
                "1970-01-01 00:00:01.5",
                "123.45",
                "b",
                "[1,null]"
            ]
        );
        assert_eq!(
            row(1),
            ["", "", "", "", "1970-01-01", "1970-01-01", "-0.05", "", ""]
        );
        let kinds: Vec<&str> = table.raw_texts(7).iter().collect();
        assert_eq!(kinds, ["b", ""], "what no row has is no text of the table");
    }

    #[test]
    fn many_different_texts_stay_where_they_are() {
        let texts: Vec<String> = (0..70_000).map(|number| format!("name {number}")).collect();
        let array = LargeStringArray::from_iter_values(&texts);
        let lent = array.values().as_ptr();
        let sliced = array.slice(10, 60_000);
        let few = LargeStringArray::from_iter_values(texts[10..60_010].iter().map(|text| &text[..6]));
        let place = few.values().as_ptr();
        let table = table(vec![("name", Arc::new(sliced)), ("few", Arc::new(few))]).unwrap();
        for row in [0, 1, 32_767, 32_768, 59_999] {
            assert_eq!(table.cell(row, 0), texts[row + 10]);
            assert_eq!(table.cell(row, 1), &texts[row + 10][..6]);
        }
        let skipped = texts[..10].iter().map(String::len).sum::<usize>();
        assert_eq!(table.raw_texts(0).block().as_ptr(), lent.wrapping_add(skipped));
        assert_ne!(table.raw_texts(1).block().as_ptr(), place);
        assert_eq!(table.raw_texts(1).len(), 9);
    }

    #[test]
    fn what_has_no_text_is_refused_by_name() {
        let spans = IntervalDayTimeArray::from(vec![Some(Default::default())]);
        let said = table(vec![("span", Arc::new(spans))]).unwrap_err().to_string();
        assert!(said.contains("the column 'span' is of Arrow's type"), "{said}");
        let none = table(vec![("a", Arc::new(Int64Array::from(Vec::<i64>::new())))]);
        assert!(none.unwrap_err().to_string().contains("no row"));
    }
}
