//! What every reader is tried on. A [`Trial`] takes any bytes: whoever reads them must come to an end, with what
//! they say or with an error; a panic is a fault of ours. Fuzzers make the bytes (`fuzz/`), and the tests of this
//! crate try those that are kept: seeds, and whatever did harm once.
//!
//! ```
//! let trial = mapo_trials::Trial::named("program").expect("there is one");
//! (trial.run)(b"(count all_rows)");
//! ```

#![forbid(unsafe_code)]

mod beside_csv;
mod beside_sql;
mod by_path;
mod messages;
mod parts;
mod tables;
mod texts;

use std::fmt;

/// A reader with what must hold of it.
#[derive(Clone, Copy)]
pub struct Trial {
    /// What it is called.
    pub name: &'static str,
    /// Tries it on some bytes.
    ///
    /// # Panics
    /// If something that must hold does not.
    pub run: fn(&[u8]),
}

impl fmt::Debug for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Trial").field(&self.name).finish()
    }
}

impl Trial {
    /// All there are.
    pub const ALL: &'static [Trial] = &[
        Trial {
            name: "csv",
            run: tables::csv,
        },
        Trial {
            name: "tsv",
            run: tables::tsv,
        },
        Trial {
            name: "separated",
            run: tables::separated,
        },
        Trial {
            name: "wtq-csv",
            run: tables::wtq_csv,
        },
        Trial {
            name: "wtq-tsv",
            run: tables::wtq_tsv,
        },
        Trial {
            name: "jsonl",
            run: tables::json_lines,
        },
        Trial {
            name: "parquet",
            run: tables::parquet,
        },
        Trial {
            name: "json-document",
            run: tables::json_document,
        },
        Trial {
            name: "workbook",
            run: tables::workbook,
        },
        Trial {
            name: "page",
            run: tables::page,
        },
        Trial {
            name: "sqlite",
            run: tables::sqlite,
        },
        Trial {
            name: "packed",
            run: tables::packed,
        },
        Trial {
            name: "encoded",
            run: tables::encoded,
        },
        Trial {
            name: "any-table",
            run: tables::any,
        },
        Trial {
            name: "wire",
            run: tables::wire,
        },
        Trial {
            name: "column",
            run: tables::column,
        },
        Trial {
            name: "beside-csv",
            run: beside_csv::run,
        },
        Trial {
            name: "beside-sql",
            run: beside_sql::run,
        },
        Trial {
            name: "program",
            run: texts::program,
        },
        Trial {
            name: "program-on-table",
            run: texts::program_on_table,
        },
        Trial {
            name: "question",
            run: texts::question,
        },
        Trial {
            name: "cell",
            run: texts::cell,
        },
        Trial {
            name: "date",
            run: texts::date,
        },
        Trial {
            name: "forms",
            run: texts::forms,
        },
        Trial {
            name: "settings",
            run: texts::settings,
        },
        Trial {
            name: "run-config",
            run: texts::run_config,
        },
        Trial {
            name: "card",
            run: texts::card,
        },
        Trial {
            name: "model",
            run: texts::model,
        },
        Trial {
            name: "store",
            run: by_path::store,
        },
        Trial {
            name: "mix",
            run: by_path::mix,
        },
        Trial {
            name: "vectors",
            run: by_path::vectors,
        },
        Trial {
            name: "pieces",
            run: by_path::pieces,
        },
        Trial {
            name: "predictions",
            run: by_path::predictions,
        },
        Trial {
            name: "jsonl-questions",
            run: by_path::json_questions,
        },
        Trial {
            name: "corrections",
            run: by_path::corrections,
        },
        Trial {
            name: "wtq-questions",
            run: by_path::wtq_questions,
        },
        Trial {
            name: "wtq-tagged",
            run: by_path::wtq_tagged,
        },
        Trial {
            name: "wikisql",
            run: by_path::wikisql,
        },
        Trial {
            name: "messages",
            run: messages::run,
        },
    ];

    /// The one that is called so; also for whoever is compiled for a single one.
    pub const fn named(name: &str) -> Option<Trial> {
        let mut place = 0;
        while place < Trial::ALL.len() {
            if are_same(Trial::ALL[place].name.as_bytes(), name.as_bytes()) {
                return Some(Trial::ALL[place]);
            }
            place += 1;
        }
        None
    }
}

const fn are_same(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}
