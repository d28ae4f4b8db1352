//! What columns are called in programs.

use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The name of a column in programs: the words of its header, lower-cased, without accents and joined by `_`.
pub fn column_name(header: &str) -> String {
    let is_accent = |c: &char| c.general_category() == GeneralCategory::NonspacingMark;
    let lower = header
        .to_lowercase()
        .nfkd()
        .filter(|c| !is_accent(c))
        .collect::<String>();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Makes names unique by numbering the later of equal ones; a name of nothing becomes `column`.
pub fn unique_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    // Where to go on numbering, so that ten thousand equal names are not tried again and again.
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut unique = Vec::new();
    for name in names {
        mapo_stopping::check();
        let name = if name.is_empty() {
            "column".to_owned()
        } else {
            name
        };
        let mut free = name.clone();
        if taken.contains(&free) {
            let number = next.entry(name.clone()).or_insert(2);
            while taken.contains(&free) {
                free = format!("{name}_{number}");
                *number += 1;
            }
        }
        taken.insert(free.clone());
        unique.push(free);
    }
    unique
}
