//! The tasks of a job: who does which, how far each is, and its files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Job;
use crate::lease::{Held, Leases};
use crate::message::{Kind, Seal, WrongMessage};
use crate::record;
use crate::server::{Bucket, Objects, Server};
use crate::{Error, Result};

/// Texts become a fifth of their size with it.
const LEVEL: i32 = 3;

/// How far a task is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskState {
    /// Who had it last.
    pub worker: String,
    /// Steps that are done.
    pub step: u64,
    /// Whether it has come to its end.
    pub is_done: bool,
    /// Why it cannot go on.
    pub problem: Option<String>,
    /// Its files.
    pub files: BTreeMap<String, Piece>,
}

/// A file of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// The object that holds it.
    object: String,
    /// Its length.
    bytes: u64,
    /// Its SHA-256.
    sha256: String,
}

impl TaskState {
    /// Whether nobody need take it.
    pub(super) fn is_settled(&self) -> bool {
        self.is_done || self.problem.is_some()
    }
}

/// A task that we have. It is ours until somebody else has moved its key.
#[derive(Debug)]
pub(super) struct Taken {
    pub name: String,
    pub state: TaskState,
    revision: u64,
}

/// The tasks of a job.
pub(crate) struct Tasks<'s> {
    server: &'s Server,
    keys: Bucket<'s>,
    leases: Leases<'s>,
    objects: Objects<'s>,
    seal: Seal,
    lease: Duration,
}

impl<'s> Tasks<'s> {
    /// Opens those of a job, for a process of this name.
    pub fn open(server: &'s Server, job: &Job, holder: &str) -> Result<Self> {
        let names = job.names();
        Ok(Self {
            server,
            keys: server.bucket(&names.keys(), None)?,
            leases: Leases {
                bucket: server.bucket(&names.leases(), Some(job.lease()))?,
                holder: holder.to_owned(),
            },
            objects: server.objects(&names.objects())?,
            seal: job.seal(),
            lease: job.lease(),
        })
    }

    /// How far they are, those that somebody has begun.
    pub fn states(&self) -> Result<HashMap<String, TaskState>> {
        let entries = self.keys.all()?.into_iter();
        let read = |entry: crate::server::Entry| {
            let state = serde_json::from_slice(&entry.value).map_err(|error| damaged(&entry.key, error))?;
            Ok((entry.key, state))
        };
        entries.map(read).collect()
    }

    /// Who is at work, by task.
    pub fn at_work(&self) -> Result<BTreeMap<String, String>> {
        let entries = self.leases.bucket.all()?.into_iter();
        let holder = |entry: &crate::server::Entry| String::from_utf8_lossy(&entry.value).into_owned();
        Ok(entries.map(|entry| (entry.key.clone(), holder(&entry))).collect())
    }

    /// Takes the first of these that is neither done nor another's.
    pub fn take(&self, tasks: &[String]) -> Result<Option<(Held, Taken)>> {
        let states = self.states()?;
        let held: HashSet<String> = self.at_work()?.into_keys().collect();
        let is_free =
            |task: &&String| !held.contains(*task) && !states.get(*task).is_some_and(TaskState::is_settled);
        for task in tasks.iter().filter(is_free) {
            let Some(held) = self.leases.take(task)? else {
                continue;
            };
            match self.claim(task)? {
                Some(taken) => return Ok(Some((held, taken))),
                None => self.leases.give_back(&held)?,
            }
        }
        Ok(None)
    }

    /// Moves the key of a task, so that whoever had it before is refused from here on.
    fn claim(&self, task: &str) -> Result<Option<Taken>> {
        loop {
            let there: Option<(TaskState, u64)> = record::read(&self.keys, task)?;
            let (mut state, revision) = there.unwrap_or_default();
            if state.is_settled() {
                return Ok(None);
            }
            state.worker.clone_from(&self.leases.holder);
            let text = record::write(&state)?;
            let set = match revision {
                0 => self.keys.create(task, &text)?,
                _ => self.keys.set(task, &text, revision)?,
            };
            if let Some(revision) = set {
                let name = task.to_owned();
                return Ok(Some(Taken {
                    name,
                    state,
                    revision,
                }));
            }
        }
    }

    /// Does a task while its lease is kept, and gives it back. `stop` is called when the lease is lost or the
    /// user wants no more.
    pub fn at(
        &self,
        mut held: Held,
        stop: &(dyn Fn() + Sync),
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let is_done = &AtomicBool::new(false);
        let done = std::thread::scope(|scope| {
            let renew = || self.leases.renew(&mut held);
            let keeper = scope.spawn(move || self.keep_lease(renew, is_done, stop));
            let done = work();
            is_done.store(true, Relaxed);
            keeper.join().map_err(|_| Error::Thread).and(done)
        });
        self.leases.give_back(&held)?;
        done
    }

    fn keep_lease(
        &self,
        mut renew: impl FnMut() -> Result<bool>,
        is_done: &AtomicBool,
        stop: &(dyn Fn() + Sync),
    ) {
        let mut renewed = Instant::now();
        while !is_done.load(Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
            if self.server.is_stopped() {
                stop();
            }
            if renewed.elapsed() > self.lease / 3 {
                // What was not kept in time may be another's now; its key decides.
                if !renew().unwrap_or(false) {
                    stop();
                }
                renewed = Instant::now();
            }
        }
    }

    /// Keeps a task as `change` leaves it, with these files. Files that have not changed stay.
    pub fn keep(
        &self,
        taken: &mut Taken,
        files: Vec<(String, Vec<u8>)>,
        change: impl FnOnce(&mut TaskState),
    ) -> Result<()> {
        let mut state = taken.state.clone();
        let before = std::mem::take(&mut state.files);
        for (name, content) in files {
            let sha256 = hex(&content);
            let piece = match before.get(&name).filter(|piece| piece.sha256 == sha256) {
                Some(piece) => piece.clone(),
                None => {
                    let object = format!("{}-{}-{name}", taken.name, crate::lease::random_name());
                    let packed = zstd::bulk::compress(&content, LEVEL);
                    let packed = packed.map_err(|error| WrongMessage::Content(error.to_string()))?;
                    self.objects
                        .put(&object, &self.seal.wrap(Kind::File, 0, &packed))?;
                    let bytes = content.len() as u64;
                    Piece {
                        object,
                        bytes,
                        sha256,
                    }
                }
            };
            state.files.insert(name, piece);
        }
        change(&mut state);
        let set = self
            .keys
            .set(&taken.name, &record::write(&state)?, taken.revision)?;
        taken.revision = set.ok_or_else(|| Error::LostTask(taken.name.clone()))?;
        for (name, old) in before {
            if state
                .files
                .get(&name)
                .is_none_or(|piece| piece.object != old.object)
            {
                self.objects.remove(&old.object);
            }
        }
        taken.state = state;
        Ok(())
    }

    /// Puts a file of the whole job on the server, once.
    pub fn put_shared(&self, name: &str, content: &[u8]) -> Result<Piece> {
        let packed = zstd::bulk::compress(content, LEVEL);
        let packed = packed.map_err(|error| WrongMessage::Content(error.to_string()))?;
        let object = format!("shared-{name}");
        self.objects
            .put(&object, &self.seal.wrap(Kind::File, 0, &packed))?;
        Ok(Piece {
            object,
            bytes: content.len() as u64,
            sha256: hex(content),
        })
    }

    /// A file.
    pub fn get(&self, piece: &Piece) -> Result<Vec<u8>> {
        let wrong = |problem: &str| Error::Damaged {
            what: "the store of objects",
            problem: format!("{} {problem}", piece.object),
        };
        let message = self.objects.get(&piece.object)?;
        let message = message.ok_or_else(|| wrong("is missing"))?;
        let (_, packed) = self.seal.unwrap(Kind::File, &message)?;
        let mut content = Vec::new();
        let unpacking = zstd::stream::Decoder::new(packed).map_err(|error| wrong(&error.to_string()))?;
        let read = unpacking.take(piece.bytes + 1).read_to_end(&mut content);
        read.map_err(|error| wrong(&error.to_string()))?;
        match content.len() as u64 == piece.bytes && hex(&content) == piece.sha256 {
            true => Ok(content),
            false => Err(wrong("is not what was put there")),
        }
    }

    /// Writes the files of a task into a new folder.
    pub fn fetch(&self, state: &TaskState, folder: &Path) -> Result<()> {
        let file_error = |source| Error::File {
            file: folder.to_owned(),
            source,
        };
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(file_error)?;
        }
        std::fs::create_dir_all(folder).map_err(file_error)?;
        for (name, piece) in &state.files {
            // Nobody on a server chooses other places than the folder's.
            if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
                return Err(damaged(name, "is no name of a file"));
            }
            mapo_files::write(&folder.join(name), &self.get(piece)?)?;
        }
        Ok(())
    }

    /// Lets a task be tried again that could not go on.
    pub fn try_again(&self, task: &str) -> Result<()> {
        while let Some((mut state, revision)) = record::read::<TaskState>(&self.keys, task)? {
            if state.problem.take().is_none() {
                break;
            }
            if self.keys.set(task, &record::write(&state)?, revision)?.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Begins a task that nobody has, with what there is of it already.
    pub fn begin(&self, task: &str, files: Vec<(String, Vec<u8>)>) -> Result<()> {
        let Some((held, mut taken)) = self.take(&[task.to_owned()])? else {
            return Ok(());
        };
        if taken.state.files.is_empty() {
            self.keep(&mut taken, files, |_| {})?;
        }
        self.leases.give_back(&held)
    }
}

/// The files of a folder, but for those that begin with a dot and those that are half written.
pub(super) fn files_of(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let file_error = |file: &Path| {
        let file = file.to_owned();
        move |source| Error::File { file, source }
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(file_error(folder))? {
        let path = entry.map_err(file_error(folder))?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if !path.is_file() || name.is_empty() || name.starts_with('.') || name.ends_with(".partial") {
            continue;
        }
        let content = std::fs::read(&path).map_err(file_error(&path))?;
        files.push((name.to_owned(), content));
    }
    Ok(files)
}

fn hex(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn damaged(key: &str, problem: impl std::fmt::Display) -> Error {
    Error::Damaged {
        what: "a task",
        problem: format!("{key}: {problem}"),
    }
}
