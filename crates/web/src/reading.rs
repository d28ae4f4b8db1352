//! Reading strangers' files, where they can do no harm: in a process of their own with little memory and
//! little time. What comes back is cells, of which nothing is believed but that they are there.

use crate::error::Problem;
use crate::limits::{Limits, bytes};
use axum::body::Bytes;
use mapo_tables::{LoadOptions, Table, TableBuilder, TableError};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The exit code of a process whose memory is exhausted.
pub const MEMORY_EXHAUSTED: i32 = 3;

/// How an answer of the reading process begins.
const CELLS: u8 = 0;
const UNUSABLE: u8 = 1;
const TOO_LARGE: u8 = 2;
/// Bytes of the longest sentence about a file.
const LONGEST_SENTENCE: u64 = 4096;

/// Reads a table from standard input and writes its cells to standard output, or why there are none: what the
/// process does that [`Options::reader`](crate::Options::reader) names. Its memory and time are limited by
/// whoever calls this.
///
/// # Errors
/// If nobody takes what is written.
pub fn read_for_server(name: &str, limits: &Limits, told: &LoadOptions) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut content = Vec::new();
    io::stdin().read_to_end(&mut content)?;
    match TableBuilder::from_bytes(name, content.into(), &limited(told, limits)) {
        Ok(table) => {
            out.write_all(&[CELLS])?;
            table.send(&mut out)?;
        }
        Err(error) => {
            let kind = match error {
                TableError::TooLarge { .. } => TOO_LARGE,
                _ => UNUSABLE,
            };
            out.write_all(&[kind])?;
            out.write_all(error.to_string().as_bytes())?;
        }
    }
    out.flush()
}

fn limited(told: &LoadOptions, limits: &Limits) -> LoadOptions {
    LoadOptions {
        largest: limits.largest(),
        ..told.clone()
    }
}

/// Who reads uploads.
#[derive(Clone, Debug)]
pub(crate) struct UploadReader(Option<(PathBuf, String)>);

impl UploadReader {
    pub fn new(program: Option<(PathBuf, String)>) -> Self {
        UploadReader(program)
    }

    /// Makes a table of an upload, within this time; `told` is what its owner says about the file.
    pub fn read(
        &self,
        name: &str,
        content: Bytes,
        told: &LoadOptions,
        time: Duration,
        limits: &Limits,
    ) -> Result<Table, Problem> {
        let told = limited(told, limits);
        let read = match &self.0 {
            None => TableBuilder::from_bytes(name, content, &told).map_err(refusal)?,
            Some((program, argument)) => {
                let mut command = Command::new(program);
                command
                    .arg(argument)
                    .args(["--name", name])
                    .arg(format!("--memory={}", limits.reading_memory))
                    .arg(format!("--seconds={}", limits.reading_time.as_secs().max(1)))
                    .arg(format!("--rows={}", limits.rows))
                    .arg(format!("--cells={}", limits.cells))
                    .arg(format!("--text={}", limits.text))
                    .args(told.said().iter().map(|(what, said)| format!("--{what}={said}")));
                // Nothing of ours is its business.
                command.env_clear().env("RAYON_NUM_THREADS", "1");
                read_apart(command, name, content, time, limits)?
            }
        };
        Ok(told.finish(read))
    }
}

fn refusal(error: TableError) -> Problem {
    match error {
        TableError::TooLarge { .. } => too_large(&error.to_string()),
        error => Problem::unusable(error.to_string()),
    }
}

fn too_large(sentence: &str) -> Problem {
    Problem::too_large(format!(
        "{sentence}. Load it with `mapo serve FILE`, which takes tables of any size"
    ))
}

/// A process that ends with whoever waits for it.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn read_apart(
    mut command: Command,
    name: &str,
    content: Bytes,
    time: Duration,
    limits: &Limits,
) -> Result<TableBuilder, Problem> {
    let no_process =
        || Problem::busy("no process can be started to read the table in; try again in a moment");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = Ending(command.spawn().map_err(|_| no_process())?);
    let (Some(mut input), Some(output)) = (child.0.stdin.take(), child.0.stdout.take()) else {
        return Err(no_process());
    };
    let largest = limits.largest();
    let (told, heard) = mpsc::channel();
    let owned = name.to_owned();
    thread::scope(|scope| {
        // It may end before it has read everything.
        scope.spawn(move || drop(input.write_all(&content)));
        scope.spawn(move || {
            let mut output = BufReader::with_capacity(1 << 16, output);
            // Nobody hears it once the time is over.
            let _ = told.send(take(&owned, &mut output, largest));
        });
        let outcome = heard.recv_timeout(time);
        // Its pipes close with it, so that nobody waits for them.
        match outcome {
            Ok(Taken::Table(table)) => Ok(*table),
            Ok(Taken::Refused(problem)) => {
                let _ = child.0.kill();
                Err(problem)
            }
            Ok(Taken::Nothing) | Err(RecvTimeoutError::Disconnected) => {
                Err(why(name, child.0.wait().ok(), limits))
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.0.kill();
                Err(why(name, None, limits))
            }
        }
    })
}

/// What a reading process says.
enum Taken {
    Table(Box<TableBuilder>),
    Refused(Problem),
    /// It ended in the middle of it.
    Nothing,
}

fn take(name: &str, output: &mut impl Read, largest: mapo_tables::Largest) -> Taken {
    let mut kind = [0];
    if output.read_exact(&mut kind).is_err() {
        return Taken::Nothing;
    }
    if kind[0] == CELLS {
        return match TableBuilder::receive(name, output, largest) {
            Ok(table) => Taken::Table(Box::new(table)),
            Err(TableError::Io { .. }) => Taken::Nothing,
            Err(error) => Taken::Refused(refusal(error)),
        };
    }
    let mut sentence = Vec::new();
    if output.take(LONGEST_SENTENCE).read_to_end(&mut sentence).is_err() {
        return Taken::Nothing;
    }
    let sentence = String::from_utf8_lossy(&sentence);
    Taken::Refused(match kind[0] {
        TOO_LARGE => too_large(&sentence),
        _ => Problem::unusable(sentence),
    })
}

/// Why a process gave no table.
fn why(name: &str, status: Option<ExitStatus>, limits: &Limits) -> Problem {
    let memory = status.is_some_and(|status| status.code() == Some(MEMORY_EXHAUSTED));
    match memory {
        true => Problem::too_large(format!(
            "{name}: reading it takes more than {} of memory, which is the limit here; make the file smaller",
            bytes(limits.reading_memory)
        )),
        false => Problem::unusable(format!(
            "{name}: reading it took longer than it may here, or the file is damaged; make it smaller or write it again"
        )),
    }
}
