//! Which run of a server a directory belongs to, as its `fleet.json` says.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The file of a directory that says which run on a server it is.
pub(crate) const FLEET: &str = "fleet.json";

/// Which run, or which job, on a server a directory belongs to.
#[derive(Serialize, Deserialize)]
pub(crate) struct Place {
    pub name: String,
    pub id: u64,
}

/// Which run, or which job, on the server the directory belongs to; a number is chosen for a new one.
pub(crate) fn place(folder: &Path, name: &str) -> Result<Place> {
    let file = folder.join(FLEET);
    let damaged = |error: serde_json::Error| Error::Damaged {
        what: "fleet.json of the run, not something",
        problem: error.to_string(),
    };
    match std::fs::read(&file) {
        Ok(text) => serde_json::from_slice(&text).map_err(damaged),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            let mut id = [0; 8];
            getrandom::fill(&mut id).map_err(|error| Error::Damaged {
                what: "a random number for the run, not something",
                problem: error.to_string(),
            })?;
            let place = Place {
                name: name.to_owned(),
                id: u64::from_le_bytes(id),
            };
            mapo_files::write(&file, &serde_json::to_vec(&place).map_err(damaged)?)?;
            Ok(place)
        }
        Err(source) => Err(Error::File { file, source }),
    }
}
