//! A store of explored programs with the questions that it is about.

use mapo_datasets::{Dataset, Example, Selection};
use mapo_training::store::{Entry, Header, StoreReader};
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

/// A store and its questions, which are read as it says.
pub struct StoredQuestions {
    pub header: Header,
    pub entries: Vec<Entry>,
    /// The questions of all entries, and perhaps others, by their ids.
    pub examples: HashMap<String, Example>,
}

impl StoredQuestions {
    pub fn open(data: &Dataset, store: &Path) -> Result<Self, Box<dyn Error>> {
        let reader = StoreReader::open(store)?;
        let header = reader.header().clone();
        if header.dataset != data.kind() {
            let store = store.display();
            return Err(format!("{store}: made of {}, but --data names {data}", header.dataset).into());
        }
        let entries: Vec<Entry> = reader.collect::<Result<_, _>>()?;
        let selection = Selection {
            split: Some(header.split.clone()),
            reading: header.reading.into(),
            functions: Some(header.functions),
            ..Selection::default()
        };
        let mut examples: HashMap<String, Example> = HashMap::new();
        for example in data.examples(&selection)? {
            let example = example?;
            examples.insert(example.id.clone(), example);
        }
        if let Some(entry) = entries.iter().find(|entry| !examples.contains_key(&entry.id)) {
            return Err(format!(
                "{}: there is no question {} in {data} {}",
                store.display(),
                entry.id,
                header.split
            )
            .into());
        }
        Ok(StoredQuestions {
            header,
            entries,
            examples,
        })
    }
}
