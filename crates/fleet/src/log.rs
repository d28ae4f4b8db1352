//! The batches that a learner has learnt from, in their order, so that it can be done again.
//!
//! `batches.jsonl.zst` in the run's directory: for each batch its JSON as a zstd frame of its own, as it came through the
//! queue. The batch of step N is the Nth.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use mapo_core::TrainingBatch;

use crate::{Error, Result};

/// The file of a run's directory.
const FILE: &str = "batches.jsonl.zst";
/// No batch is longer than this when it is unpacked.
const LONGEST: u64 = 256 << 20;

/// Where batches are added.
#[derive(Debug)]
pub(crate) struct BatchLog {
    path: PathBuf,
    file: File,
}

impl BatchLog {
    /// Opens the log of a run that has made some steps; what was learnt beyond them is to be learnt anew and is cut
    /// off.
    pub fn open(folder: &Path, steps: u64) -> Result<Self> {
        let path = folder.join(FILE);
        let io = |source| Error::File {
            file: path.clone(),
            source,
        };
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(io)?,
        };
        let mut rest = &bytes[..];
        for step in 0..steps {
            let Some((_, after)) = first(rest) else {
                return Err(Error::Log {
                    file: path,
                    problem: format!(
                        "holds {step} batches, but the run is at step {steps}; go on without --log"
                    ),
                });
            };
            rest = after;
        }
        mapo_files::write(&path, &bytes[..bytes.len() - rest.len()])?;
        let file = OpenOptions::new().append(true).open(&path).map_err(io)?;
        Ok(Self { path, file })
    }

    /// Adds a batch as it came, packed.
    pub fn add(&mut self, packed: &[u8]) -> Result<()> {
        self.file.write_all(packed).map_err(|source| Error::File {
            file: self.path.clone(),
            source,
        })
    }

    /// The batches of a run.
    pub fn read(folder: &Path) -> Result<Vec<TrainingBatch>> {
        let file = folder.join(FILE);
        let bytes = std::fs::read(&file).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::Log {
                file: file.clone(),
                problem: "is not there; batches are logged by mapo fleet learn --log".to_owned(),
            },
            _ => Error::File {
                file: file.clone(),
                source,
            },
        })?;
        let (mut batches, mut rest) = (Vec::new(), &bytes[..]);
        // The last may be half written.
        while let Some((text, after)) = first(rest) {
            batches.push(serde_json::from_slice(&text).map_err(|error| Error::Log {
                file: file.clone(),
                problem: format!("batch {}: {error}", batches.len() + 1),
            })?);
            rest = after;
        }
        Ok(batches)
    }
}

/// The first frame, unpacked, and what is behind it; nothing if there is no whole one.
fn first(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    if bytes.is_empty() {
        return None;
    }
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes)
        .ok()?
        .single_frame();
    let mut text = Vec::new();
    decoder.by_ref().take(LONGEST).read_to_end(&mut text).ok()?;
    Some((text, decoder.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(round: u64) -> Vec<u8> {
        let batch = TrainingBatch {
            round,
            ..TrainingBatch::default()
        };
        zstd::bulk::compress(&serde_json::to_vec(&batch).unwrap(), 3).unwrap()
    }

    #[test]
    fn what_was_learnt_beyond_a_checkpoint_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BatchLog::open(folder.path(), 0).unwrap();
        for round in 0..4 {
            log.add(&packed(round)).unwrap();
        }
        // Killed in the middle of the next.
        log.add(&packed(4)[..9]).unwrap();
        let rounds = || {
            let batches = BatchLog::read(folder.path()).unwrap();
            batches.iter().map(|batch| batch.round).collect::<Vec<_>>()
        };
        assert_eq!(rounds(), [0, 1, 2, 3]);
        let mut log = BatchLog::open(folder.path(), 2).unwrap();
        log.add(&packed(9)).unwrap();
        assert_eq!(rounds(), [0, 1, 9]);
        let refused = BatchLog::open(folder.path(), 4).unwrap_err().to_string();
        assert!(
            refused.contains("holds 3 batches, but the run is at step 4"),
            "{refused}"
        );
    }
}
