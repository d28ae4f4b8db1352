//! The rows within one JSON object: `{"year": 2004, "results": [{…}, {…}]}`. The longest array of objects is the table,
//! unless another is named by the keys that lead to it.

use super::source::content;
use super::{LoadOptions, TableError};
use crate::decisions::{Decisions, listed};
use serde_json::{Map, Value};

/// Arrays are looked for within so many objects.
const DEEPEST: usize = 6;

/// The objects that are the rows of a document; none if it is not one object that holds rows.
pub(super) fn array(
    name: &str,
    bytes: &[u8],
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<Option<Vec<Value>>, TableError> {
    let Ok(Value::Object(mut document)) = serde_json::from_slice(bytes) else {
        return Ok(None);
    };
    let mut found: Vec<(String, usize)> = Vec::new();
    look(&document, &mut Vec::new(), &mut found);
    let names: Vec<String> = found.iter().map(|(path, _)| path.clone()).collect();
    let chosen = match &options.part {
        Some(asked) => match names.iter().find(|name| *name == asked) {
            Some(found) => found.clone(),
            None if names.is_empty() => return Ok(by_keys(document)),
            None => {
                let problem = format!(
                    "there is no array of objects '{asked}'; there is {}",
                    listed(&names)
                );
                return Err(content(name, None, problem));
            }
        },
        None => {
            let largest = found.iter().rev().max_by_key(|(_, rows)| *rows);
            match largest {
                Some((path, _)) => path.clone(),
                None => return Ok(by_keys(document)),
            }
        }
    };
    let rows = taken(&mut document, &chosen);
    decisions.part = Some(chosen);
    decisions.parts = names;
    Ok(rows)
}

/// All arrays of objects, by the keys that lead to them.
fn look(object: &Map<String, Value>, path: &mut Vec<String>, found: &mut Vec<(String, usize)>) {
    for (key, value) in object {
        path.push(key.clone());
        match value {
            Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => {
                found.push((path.join("."), items.len()));
            }
            Value::Object(inner) if path.len() < DEEPEST => look(inner, path, found),
            _ => {}
        }
        path.pop();
    }
}

/// Takes an array out of a document.
fn taken(object: &mut Map<String, Value>, path: &str) -> Option<Vec<Value>> {
    for (key, value) in object.iter_mut() {
        if key == path
            && let Value::Array(items) = value
        {
            return Some(std::mem::take(items));
        }
        let rest = path
            .strip_prefix(key.as_str())
            .and_then(|rest| rest.strip_prefix('.'));
        if let (Some(rest), Value::Object(inner)) = (rest, value)
            && let Some(items) = taken(inner, rest)
        {
            return Some(items);
        }
    }
    None
}

/// Objects under keys, as rows that begin with their key; or columns under keys, as rows.
fn by_keys(document: Map<String, Value>) -> Option<Vec<Value>> {
    if document.len() < 2 {
        return None;
    }
    if document.values().all(Value::is_object) {
        let row = |(key, value): (String, Value)| {
            let mut row = Map::new();
            row.insert("key".to_owned(), Value::String(key));
            if let Value::Object(inner) = value {
                row.extend(inner);
            }
            Value::Object(row)
        };
        return Some(document.into_iter().map(row).collect());
    }
    let lengths: Option<Vec<usize>> = document
        .values()
        .map(|value| value.as_array().map(Vec::len))
        .collect();
    let rows =
        lengths.filter(|lengths| lengths.iter().all(|length| *length == lengths[0] && *length > 0))?[0];
    let row = |row: usize| {
        let cell = |(key, column): (&String, &Value)| (key.clone(), column[row].clone());
        Value::Object(document.iter().map(cell).collect())
    };
    Some((0..rows).map(row).collect())
}
