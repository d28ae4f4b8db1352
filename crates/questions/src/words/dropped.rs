//! What the normal form of cells leaves out.

use super::cut::{text_columns, words};
use mapo_tables::{Column, Table};
use mapo_text::fold;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// What the normal form leaves out of cells: for `São Paulo (Brazil)` that is `(brazil)`, left out of `sao
/// paulo`.
pub(super) fn dropped(table: &Table) -> Vec<(String, Vec<String>)> {
    let columns: Vec<&Column> = text_columns(table).map(|(_, column)| column).collect();
    let flag = mapo_stopping::carry();
    let parts: Vec<Vec<(String, &str)>> = match table.is_large() {
        true => columns
            .into_par_iter()
            .map(|column| flag.within(|| dropped_of(table, column)))
            .collect(),
        false => columns
            .into_iter()
            .map(|column| dropped_of(table, column))
            .collect(),
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut known: HashSet<(usize, &str)> = HashSet::new();
    let mut dropped: Vec<(String, Vec<String>)> = Vec::new();
    for (rest, normal) in parts.into_iter().flatten() {
        mapo_stopping::glance();
        let place = *places.entry(rest).or_insert_with_key(|rest| {
            dropped.push((rest.clone(), Vec::new()));
            dropped.len() - 1
        });
        if known.insert((place, normal)) {
            dropped[place].1.push(normal.to_owned());
        }
    }
    dropped
}

/// What is left out of the cells of a column, with their normal forms, each cell's text once.
fn dropped_of<'t>(table: &Table, column: &'t Column) -> Vec<(String, &'t str)> {
    let raw = table.raw_texts(column.source());
    if !raw.block().contains('(') {
        return Vec::new();
    }
    let mut seen = vec![false; raw.len()];
    let mut dropped = Vec::new();
    for &text in column.texts() {
        mapo_stopping::glance();
        if std::mem::replace(&mut seen[text as usize], true) {
            continue;
        }
        let (raw, normal) = (raw.get(text), column.forms().get(text));
        // Of plain letters nothing can be missing where there are as many.
        let is_all = raw.len() == normal.len() && raw.is_ascii();
        if normal.is_empty() || is_all || !raw.contains('(') {
            continue;
        }
        let folded = fold(raw);
        let Some(at) = folded.find(normal) else { continue };
        let rest = &folded[at + normal.len()..];
        if words(rest).next().is_some() {
            dropped.push((rest.to_owned(), normal));
        }
    }
    dropped
}
