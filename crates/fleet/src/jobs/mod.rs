//! Jobs: work that is done in tasks, each by whichever machine is free.
//!
//! A comparison is a job whose tasks are its runs, an exploration one whose tasks are ranges of examples. Who wants a
//! job done posts it and collects what comes of its tasks ([`compare()`], [`explore()`]); workers do them ([`work`]).
//! What a task has come to is on the server, so that another worker goes on with it when one dies.
//!
//! | on the server | is |
//! |---|---|
//! | a key of the bucket of jobs | the [`Job`]: what is to be done, and with which data |
//! | a key for each task | its [`TaskState`]: how far it is, by whom, and its files; whoever moves it by compare-and-set has the task |
//! | a lease for each task that is being done | so that no two do the same |
//! | objects | the files |

mod compare;
mod explore;
mod tasks;
mod worker;

use std::collections::BTreeMap;
use std::time::Duration;

use mapo_datasets::Fingerprint;
use mapo_language::Language;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::message::Seal;
use crate::record::{self, Names, Record, check_name};
use crate::server::Server;
use crate::{Error, Result};
pub use compare::{Comparison, compare};
pub use explore::{Exploration, explore};
pub use tasks::{Piece, TaskState};
pub use worker::{Worked, Working, work};

/// The bucket with the jobs of a server.
const JOBS: &str = "mapo-jobs";

/// What a server knows of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// A worker that is not heard of for so many seconds has lost its task.
    pub lease: f64,
    /// The version of the language of programs.
    pub language: u32,
    /// What the questions, answers and tables of its splits are.
    pub data: Vec<Fingerprint>,
    /// What is to be done.
    pub work: Work,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// The runs of a comparison.
    Compare(Comparison),
    /// The exploration of a dataset.
    Explore(Exploration),
}

/// How a job is posted.
#[derive(Clone, Debug)]
pub struct Posting {
    /// Its name on the server.
    pub name: String,
    /// A worker that is not heard of for so many seconds has lost its task.
    pub lease: f64,
}

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JobStatus {
    /// Its name.
    pub name: String,
    /// Tasks.
    pub tasks: usize,
    /// Tasks that are done.
    pub done: usize,
    /// Steps of runs, or examples, that are done.
    pub steps: u64,
    /// Those of all tasks.
    pub of: u64,
    /// Who is at work, by task.
    pub at_work: BTreeMap<String, String>,
}

impl Job {
    fn new(id: u64, lease: f64, data: Vec<Fingerprint>, work: Work) -> Self {
        Self {
            id,
            lease,
            language: Language::VERSION,
            data,
            work,
        }
    }

    /// The names of its tasks, in the order in which they should be done.
    pub fn tasks(&self) -> Vec<String> {
        match &self.work {
            Work::Compare(comparison) => comparison.tasks(),
            Work::Explore(exploration) => exploration.tasks(),
        }
    }

    /// How long a lease is.
    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs_f64(self.lease.clamp(0.5, 86_400.0))
    }

    pub(crate) fn names(&self) -> Names {
        Names::of(self.id)
    }

    /// What all of its objects have in common: the work may grow, what it is done with may not.
    pub(crate) fn seal(&self) -> Seal {
        let mut hash = Sha256::new();
        hash.update(self.language.to_le_bytes());
        hash.update(serde_json::to_vec(&self.data).unwrap_or_default());
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash.finalize()[..16]);
        Seal { run: self.id, digest }
    }

    /// Compares what a worker has with what the job is done with.
    fn check(&self, data: &[Fingerprint]) -> Result<()> {
        let differs = |what, problem: &str| {
            let problem = problem.to_owned();
            Err(Error::Mismatch { what, problem })
        };
        if self.language != Language::VERSION {
            return differs("language of programs", "use the same version of mapo everywhere");
        }
        match self.data == data {
            true => Ok(()),
            false => differs(
                "data",
                "questions, tables or answers differ; bring the same files, or name them with --data",
            ),
        }
    }

    /// The job of a name, if there is one.
    pub(crate) fn get(server: &Server, name: &str) -> Result<Option<Self>> {
        check_name(name)?;
        match server.known_bucket(JOBS)? {
            Some(jobs) => Ok(record::read(&jobs, name)?.map(|(job, _)| job)),
            None => Ok(None),
        }
    }

    /// Makes the job known, or known as it is now.
    fn post(&self, server: &Server, name: &str) -> Result<()> {
        check_name(name)?;
        let jobs = server.bucket(JOBS, None)?;
        if Record::get(server, name)?.is_some() {
            return Err(Error::NameTaken {
                name: name.to_owned(),
            });
        }
        let text = record::write(self)?;
        loop {
            let there: Option<(Job, u64)> = record::read(&jobs, name)?;
            let set = match there {
                Some((there, _)) if there.id != self.id => {
                    return Err(Error::NameTaken {
                        name: name.to_owned(),
                    });
                }
                Some((_, revision)) => jobs.set(name, &text, revision)?,
                None => jobs.create(name, &text)?,
            };
            if set.is_some() {
                return Ok(());
            }
        }
    }

    /// Takes the job away from the server, with everything that belongs to it there.
    pub(crate) fn forget(&self, server: &Server, name: &str) -> Result<()> {
        // First the job, so that nobody takes a task of what is going.
        let jobs = server.bucket(JOBS, None)?;
        if let Some(entry) = jobs.get(name)? {
            jobs.remove(name, entry.revision)?;
        }
        let (names, jetstream) = (self.names(), server.jetstream());
        for bucket in [names.keys(), names.leases()] {
            // What is gone already does no harm.
            let _ = server.wait(jetstream.delete_key_value(bucket));
        }
        let _ = server.wait(jetstream.delete_object_store(names.objects()));
        Ok(())
    }
}

/// All jobs of a server, by name.
pub(crate) fn jobs(server: &Server) -> Result<BTreeMap<String, Job>> {
    let Some(jobs) = server.known_bucket(JOBS)? else {
        return Ok(BTreeMap::new());
    };
    // One of another version is none of ours; whoever posted it hears of it.
    let read = |entry: crate::server::Entry| {
        let job = serde_json::from_slice(&entry.value).ok()?;
        Some((entry.key, job))
    };
    Ok(jobs.all()?.into_iter().filter_map(read).collect())
}

/// The names of all jobs of a server.
///
/// # Errors
/// If the server cannot be reached.
pub fn list_jobs(server: &Server) -> Result<Vec<String>> {
    Ok(jobs(server)?.into_keys().collect())
}

/// Takes a job away from a server, with everything that belongs to it there. Whether there was one.
///
/// # Errors
/// If the server cannot be reached.
pub fn forget_job(server: &Server, name: &str) -> Result<bool> {
    match Job::get(server, name)? {
        Some(job) => job.forget(server, name).map(|()| true),
        None => Ok(false),
    }
}

/// How far a job of a server is; nothing if it has none of that name.
///
/// # Errors
/// If the server cannot be reached.
pub fn job_status(server: &Server, name: &str) -> Result<Option<JobStatus>> {
    let Some(job) = Job::get(server, name)? else {
        return Ok(None);
    };
    let tasks = tasks::Tasks::open(server, &job, "reader")?;
    Ok(Some(status(&tasks, &job, name)?))
}

fn status(tasks: &tasks::Tasks<'_>, job: &Job, name: &str) -> Result<JobStatus> {
    let states = tasks.states()?;
    let mut status = JobStatus {
        name: name.to_owned(),
        at_work: tasks.at_work()?,
        ..JobStatus::default()
    };
    for task in job.tasks() {
        let size = match &job.work {
            Work::Compare(comparison) => comparison.steps(&task),
            Work::Explore(exploration) => exploration.examples(&task),
        };
        status.tasks += 1;
        status.of += size;
        if let Some(state) = states.get(&task) {
            status.done += usize::from(state.is_done);
            status.steps += if state.is_done { size } else { state.step.min(size) };
        }
    }
    Ok(status)
}
