//! What whoever takes part in a run must have in common, as numbers that are easily compared.

use mapo_datasets::Example;
use mapo_language::Language;
use mapo_tables::Table;
use mapo_training::RunConfig;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;

use crate::{Error, Result};

/// Digests of what whoever takes part in a run must have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Questions, tables and answers.
    pub data: String,
    /// The language of programs.
    pub language: String,
    /// How questions and tables are read.
    pub reading: String,
    /// The settings and the seed.
    pub settings: String,
}

impl Digests {
    /// Those of a run that trains on some examples.
    ///
    /// # Errors
    /// If the configuration cannot be written.
    pub fn new(config: &RunConfig, train: &[Example]) -> Result<Self> {
        let mut data = Sha256::new();
        // Many questions are about the same table.
        let mut tables: HashMap<*const Table, String> = HashMap::new();
        for example in train {
            feed(&mut data, example.id.as_bytes());
            feed(&mut data, example.question.text.as_bytes());
            for mention in &example.question.mentions {
                feed(&mut data, format!("{:?}", mention.constant).as_bytes());
            }
            for text in example.answer.texts() {
                feed(&mut data, text.as_bytes());
            }
            let table = tables.entry(Arc::as_ptr(&example.table));
            feed(
                &mut data,
                table.or_insert_with(|| of_table(&example.table)).as_bytes(),
            );
        }
        let json = |value: serde_json::Result<Vec<u8>>| {
            value.map_err(|error| Error::Damaged {
                what: "the configuration of the run",
                problem: error.to_string(),
            })
        };
        let mut language = Sha256::new();
        feed(&mut language, Language::VERSION.to_string().as_bytes());
        feed(&mut language, &json(serde_json::to_vec(&config.run.functions))?);
        let mut reading = Sha256::new();
        for part in &config.run.parts {
            feed(&mut reading, &json(serde_json::to_vec(&part.reading))?);
        }
        let mut settings = Sha256::new();
        feed(&mut settings, &json(serde_json::to_vec(&config.settings))?);
        feed(&mut settings, &config.run.seed.to_le_bytes());
        Ok(Self {
            data: hex(data),
            language: hex(language),
            reading: hex(reading),
            settings: hex(settings),
        })
    }

    /// All of them in one, for messages.
    pub fn all(&self) -> [u8; 16] {
        let mut all = Sha256::new();
        for part in [&self.data, &self.language, &self.reading, &self.settings] {
            feed(&mut all, part.as_bytes());
        }
        let mut first = [0; 16];
        first.copy_from_slice(&all.finalize()[..16]);
        first
    }

    /// Compares what is here with what a run has.
    ///
    /// # Errors
    /// Says what differs, and what to do.
    pub fn check(&self, run: &Self) -> Result<()> {
        let differs = |what, problem: &str| {
            let problem = problem.to_owned();
            Err(Error::Mismatch { what, problem })
        };
        if self.language != run.language {
            return differs("language of programs", "use the same version of mapo everywhere");
        }
        if self.reading != run.reading {
            return differs(
                "reading of questions and tables",
                "use the same version of mapo everywhere",
            );
        }
        if self.settings != run.settings {
            return differs(
                "configuration",
                "settings or seed differ; begin another run with them",
            );
        }
        if self.data != run.data {
            return differs(
                "data",
                "questions, tables or answers differ; bring the same files, or name them with --data",
            );
        }
        Ok(())
    }
}

/// Texts that follow each other are not mixed up with others that join to the same.
fn feed(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn of_table(table: &Table) -> String {
    let mut hash = Sha256::new();
    for header in table.headers() {
        feed(&mut hash, header.as_bytes());
    }
    for row in 0..table.rows() {
        for source in 0..table.headers().len() {
            feed(&mut hash, table.cell(row, source).as_bytes());
        }
    }
    hex(hash)
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
