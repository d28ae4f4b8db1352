//! An exploration whose examples are divided among workers.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use mapo_core::{Ending, Progress};
use mapo_datasets::{Example, Fingerprint, Pruning};
use mapo_language::Lexicon;
use mapo_training::store::{Entry, Header, StoreWriter};
use mapo_training::{Part, filling};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tasks::{Taken, Tasks};
use super::{Job, JobStatus, Posting, Work, Working, status};
use crate::lease::{Held, own_name};
use crate::record;
use crate::server::Server;
use crate::{Error, Result};

/// What is explored, as workers need to know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// The dataset and its split.
    pub part: Part,
    /// The functions that there are.
    pub functions: Lexicon,
    /// What the store begins with.
    pub header: Header,
    /// The first example that is wanted.
    pub from: usize,
    /// Examples of a task.
    pub each: usize,
}

/// A task should take seconds, and there should be enough of them for every worker.
const TASKS: usize = 256;
/// The name of the one file of a task.
const ENTRIES: &str = "entries";

impl Exploration {
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let (last, each) = (self.header.examples, self.each.max(1));
        let starts = (self.from..last).step_by(each);
        starts.map(move |start| start..last.min(start + each))
    }

    pub(super) fn tasks(&self) -> Vec<String> {
        self.ranges().map(|range| task(&range)).collect()
    }

    fn range(&self, name: &str) -> Option<Range<usize>> {
        self.ranges().find(|range| task(range) == name)
    }

    /// The examples of a task.
    pub(super) fn examples(&self, name: &str) -> u64 {
        self.range(name).map_or(0, |range| range.len() as u64)
    }

    fn how(&self) -> Result<(u64, Pruning, u64)> {
        let pruning = self.header.pruning.parse();
        let pruning = pruning.map_err(|problem| Error::Damaged {
            what: "the job",
            problem,
        })?;
        Ok((self.header.programs, pruning, self.header.seed))
    }
}

fn task(range: &Range<usize>) -> String {
    format!("examples.{}.{}", range.start, range.end)
}

/// Lets workers explore the examples that `entries` does not have yet; what is found joins `entries` and the store,
/// in the order of the examples, so that the store is the one that one machine makes.
///
/// # Errors
/// If a range cannot be explored, the name is another job's, or the server goes away for good.
pub fn explore(
    server: &Server,
    posting: &Posting,
    (part, functions, header): (Part, Lexicon, &Header),
    examples: &[Example],
    mut store: Option<&mut StoreWriter>,
    entries: &mut Vec<Entry>,
    observe: &mut dyn FnMut(&JobStatus),
) -> Result<Ending> {
    let data = vec![Fingerprint::of_all(examples)];
    let exploration = Exploration {
        part,
        functions,
        header: header.clone(),
        from: entries.len(),
        each: (examples.len() / TASKS).clamp(4, 256),
    };
    // The same exploration is the same job, whoever asks for it.
    let mut hash = Sha256::new();
    hash.update(record::write(&(&exploration, &data))?);
    let mut id = [0; 8];
    id.copy_from_slice(&hash.finalize()[..8]);
    let ranges: Vec<Range<usize>> = exploration.ranges().collect();
    let job = Job::new(
        u64::from_le_bytes(id),
        posting.lease,
        data,
        Work::Explore(exploration),
    );
    let tasks = Tasks::open(server, &job, &own_name())?;
    for task in job.tasks() {
        tasks.try_again(&task)?;
    }
    job.post(server, &posting.name)?;
    let mut ranges = ranges.into_iter().peekable();
    loop {
        let states = tasks.states()?;
        while let Some(range) = ranges.peek() {
            let name = task(range);
            let state = states.get(&name);
            if let Some(problem) = state.and_then(|state| state.problem.clone()) {
                return Err(Error::Task { name, problem });
            }
            let Some(piece) = state
                .filter(|state| state.is_done)
                .and_then(|state| state.files.get(ENTRIES))
            else {
                break;
            };
            let wrong = |problem: String| Error::Damaged {
                what: "what a worker found",
                problem,
            };
            let found: Vec<Entry> =
                serde_json::from_slice(&tasks.get(piece)?).map_err(|error| wrong(error.to_string()))?;
            let ids = found.iter().map(|entry| &entry.id);
            if !ids.eq(examples[range.clone()].iter().map(|example| &example.id)) {
                return Err(wrong(format!("{name} holds other examples")));
            }
            for entry in found {
                if let Some(store) = &mut store {
                    store.push(&entry).map_err(mapo_training::Error::from)?;
                }
                entries.push(entry);
            }
            ranges.next();
        }
        observe(&status(&tasks, &job, &posting.name)?);
        if ranges.peek().is_none() {
            job.forget(server, &posting.name)?;
            return Ok(Ending::Finished);
        }
        if server.is_stopped() {
            return Ok(Ending::Stopped);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Explores ranges as long as there are some that nobody has. How many were finished.
pub(super) fn try_programs(
    server: &Server,
    job: &Job,
    exploration: &Exploration,
    tasks: &Tasks<'_>,
    working: &Working,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<u64> {
    let mut part = exploration.part.clone();
    if let Some(data) = &working.data {
        part.data.clone_from(data);
    }
    let how = exploration.how()?;
    let selection = part.selection(&part.split, part.limit, exploration.functions);
    let mut examples = part.examples(&part.split, part.limit, exploration.functions)?;
    examples.retain(|example| example.known.is_none());
    let header = filling::header(&part.dataset()?, &selection, &examples, how.0, how.1, how.2);
    if header != exploration.header {
        return Err(Error::Mismatch {
            what: "exploration",
            problem:
                "the dataset, its reading or the language is another; use the same version of mapo everywhere"
                    .to_owned(),
        });
    }
    job.check(&[Fingerprint::of_all(&examples)])?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(working.threads);
    let pool = pool.build().map_err(mapo_training::Error::Pool)?;
    let names = exploration.tasks();
    let mut finished = 0;
    while !server.is_stopped()
        && let Some((held, taken)) = tasks.take(&names)?
    {
        let Some(range) = exploration.range(&taken.name) else {
            break;
        };
        tell(&format!("examples {} to {}", range.start + 1, range.end));
        let explored = || one(tasks, held, taken, &examples, range, how);
        finished += u64::from(pool.install(explored)?);
    }
    Ok(finished)
}

/// Explores a range. Whether it came to its end.
fn one(
    tasks: &Tasks<'_>,
    held: Held,
    mut taken: Taken,
    examples: &[Example],
    range: Range<usize>,
    how: (u64, Pruning, u64),
) -> Result<bool> {
    let progress = &Progress::default();
    let mut is_finished = false;
    let worked = tasks.at(held, &|| progress.stop(), || {
        let entries = Mutex::new(Vec::with_capacity(range.len()));
        let ending = filling::explore(examples, range.clone(), how, progress, |entry| {
            entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
            Ok(())
        });
        let entries = entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        match ending {
            // What was not finished is done anew; it takes seconds.
            Ok(Ending::Stopped) => Ok(()),
            Ok(Ending::Finished) => {
                is_finished = true;
                let files = vec![(ENTRIES.to_owned(), record::write(&entries)?)];
                tasks.keep(&mut taken, files, |state| state.is_done = true)
            }
            Err(error) => {
                let problem = Some(error.to_string());
                tasks.keep(&mut taken, Vec::new(), |state| state.problem = problem)
            }
        }
    });
    match worked {
        Err(Error::LostTask(_)) => Ok(false),
        worked => worked.map(|()| is_finished),
    }
}
