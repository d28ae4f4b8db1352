//! A comparison whose runs are trained by workers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use mapo_core::Progress;
use mapo_training::compare::{FileMark, Here, Plan, Ran, Runs, Variant};
use mapo_training::{Event, Watch};
use serde::{Deserialize, Serialize};

use super::tasks::{Piece, Taken, Tasks, files_of};
use super::{Job, JobStatus, Posting, TaskState, Work, Working, forget_job, status};
use crate::lease::{Held, own_name};
use crate::place::{FLEET, place};
use crate::server::Server;
use crate::{Error, Result};

/// What is compared, as workers need to know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What is compared.
    pub plan: Plan,
    /// How many threads each run has; as many as its worker when not given.
    pub threads: Option<usize>,
    /// The stores with which memories begin, by the names that they have in the directory of runs.
    pub stores: BTreeMap<String, Piece>,
}

/// What a store that was given is called where runs are.
const GIVEN: &str = "given.jsonl";

impl Comparison {
    pub(super) fn tasks(&self) -> Vec<String> {
        let runs = self.plan.runs();
        runs.map(|(variant, seed)| task(variant, seed)).collect()
    }

    fn run(&self, name: &str) -> Option<(&Variant, u64)> {
        let mut runs = self.plan.runs();
        runs.find(|&(variant, seed)| task(variant, seed) == name)
    }

    /// The steps of a task.
    pub(super) fn steps(&self, name: &str) -> u64 {
        self.run(name).map_or(0, |(variant, _)| variant.settings.steps)
    }
}

fn task(variant: &Variant, seed: u64) -> String {
    format!("run.{}.{seed}", variant.name)
}

/// Lets workers train the runs of a comparison that are not finished, and brings them to its directory. When it
/// is stopped workers go on; who asks again collects what they have done.
///
/// # Errors
/// If a run cannot go on, the name is another job's, or the server goes away for good.
pub fn compare(
    server: &Server,
    posting: &Posting,
    (directory, plan, runs): (&Path, &Plan, &Runs<'_>),
    threads: Option<usize>,
    watch: &mut dyn Watch,
    observe: &mut dyn FnMut(&JobStatus),
) -> Result<()> {
    let open = |(variant, seed): &(&Variant, u64)| !runs.is_finished(variant, *seed);
    let mut left: Vec<(&Variant, u64)> = plan.runs().filter(open).collect();
    if left.is_empty() {
        return match directory.join(FLEET).exists() {
            // It was collected, but nobody was left to say so.
            true => forget_job(server, &place(directory, &posting.name)?.name).map(drop),
            false => Ok(()),
        };
    }
    let stores = runs.stores(watch)?;
    let place = place(directory, &posting.name)?;
    let mut comparison = Comparison {
        plan: plan.clone(),
        threads,
        stores: BTreeMap::new(),
    };
    let mut job = Job::new(
        place.id,
        posting.lease,
        runs.fingerprints(),
        Work::Compare(comparison.clone()),
    );
    let tasks = Tasks::open(server, &job, &own_name())?;
    for store in &stores {
        let (name, content) = read_store(plan, store)?;
        comparison
            .stores
            .insert(name.clone(), tasks.put_shared(&name, &content)?);
    }
    for (variant, seed) in &left {
        let (name, path) = (task(variant, *seed), runs.path(variant, *seed));
        tasks.try_again(&name)?;
        // What was begun here goes on there.
        if path.join("last.json").exists() {
            tasks.begin(&name, files_of(&path)?)?;
        }
    }
    job.work = Work::Compare(comparison);
    job.post(server, &place.name)?;
    loop {
        let states = tasks.states()?;
        for (variant, seed) in std::mem::take(&mut left) {
            let name = task(variant, seed);
            let state = states.get(&name);
            if let Some(problem) = state.and_then(|state| state.problem.clone()) {
                return Err(Error::Task { name, problem });
            }
            match state.filter(|state| state.is_done) {
                Some(state) => bring(&tasks, state, &runs.path(variant, seed))?,
                None => left.push((variant, seed)),
            }
        }
        observe(&status(&tasks, &job, &place.name)?);
        if left.is_empty() {
            return job.forget(server, &place.name);
        }
        if server.is_stopped() {
            return Err(Error::Stopped);
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}

fn read_store(plan: &Plan, store: &PathBuf) -> Result<(String, Vec<u8>)> {
    let content = std::fs::read(store).map_err(|source| Error::File {
        file: store.clone(),
        source,
    })?;
    let name = store.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = match &plan.memory {
        Some(_) => GIVEN.to_owned(),
        None => name.unwrap_or_default(),
    };
    Ok((name, content))
}

/// Puts a finished run where it belongs, whole.
fn bring(tasks: &Tasks<'_>, state: &TaskState, path: &Path) -> Result<()> {
    let file_error = |source| Error::File {
        file: path.to_owned(),
        source,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let coming = path.with_file_name(format!(".{name}.coming"));
    tasks.fetch(state, &coming)?;
    if path.exists() {
        std::fs::remove_dir_all(path).map_err(file_error)?;
    }
    std::fs::rename(&coming, path).map_err(file_error)
}

/// Trains runs of a comparison as long as there are some that nobody has. How many were finished.
pub(super) fn train(
    server: &Server,
    job: &Job,
    comparison: &Comparison,
    tasks: &Tasks<'_>,
    working: &Working,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<u64> {
    let directory = working.scratch.join(format!("{:016x}", job.id));
    let plan = &comparison.plan;
    let vectors = working.vectors.clone();
    if let (Some(mark), Some(file)) = (
        &plan.vectors,
        vectors.as_ref().or(plan.vectors.as_ref().map(|mark| &mark.file)),
    ) && FileMark::of(file)? != *mark
    {
        return Err(Error::Mismatch {
            what: "file of word vectors",
            problem: format!(
                "{} holds others; bring the same, or name it with --vectors",
                file.display()
            ),
        });
    }
    let here = Here {
        data: working.data.clone(),
        memory: plan.memory.as_ref().map(|_| directory.join(GIVEN)),
        vectors,
    };
    let threads = comparison.threads.unwrap_or(working.threads);
    let mut runs = Runs::open(&directory, plan, &here, threads)?;
    job.check(&runs.fingerprints())?;
    for (name, piece) in &comparison.stores {
        let file = directory.join(name);
        if !file.exists() {
            mapo_files::write(&file, &tasks.get(piece)?)?;
        }
    }
    let names = comparison.tasks();
    let mut finished = 0;
    while !server.is_stopped()
        && let Some((held, taken)) = tasks.take(&names)?
    {
        let Some((variant, seed)) = comparison.run(&taken.name) else {
            break;
        };
        tell(&format!(
            "{}, seed {seed}: from step {}",
            variant.name, taken.state.step
        ));
        finished += u64::from(one(tasks, held, taken, &mut runs, (variant, seed), tell)?);
    }
    drop(runs);
    let _ = std::fs::remove_dir_all(&directory);
    Ok(finished)
}

/// Trains a run, from where it is. Whether it came to its end.
fn one(
    tasks: &Tasks<'_>,
    held: Held,
    mut taken: Taken,
    runs: &mut Runs<'_>,
    (variant, seed): (&Variant, u64),
    tell: &(dyn Fn(&str) + Sync),
) -> Result<bool> {
    let path = runs.path(variant, seed);
    let stop = &AtomicBool::new(false);
    let mut is_finished = false;
    let worked = tasks.at(held, &|| stop.store(true, Relaxed), || {
        tasks.fetch(&taken.state, &path)?;
        let mut kept = Ok(());
        let ran = runs.run(variant, seed, &mut Progress::default(), stop, &mut |event| {
            if let Event::Measured { metrics, .. } = event {
                let step = metrics.step;
                kept = files_of(&path)
                    .and_then(|files| tasks.keep(&mut taken, files, |state| state.step = step));
                if kept.is_err() {
                    stop.store(true, Relaxed);
                }
            }
        });
        kept?;
        match ran {
            Ok(ran) => {
                is_finished = ran == Ran::Finished;
                let files = files_of(&path)?;
                tasks.keep(&mut taken, files, |state| {
                    state.is_done = is_finished;
                    if let Ran::Stopped { step } = ran {
                        state.step = step;
                    }
                })
            }
            // Others would fare no better; whoever wants the run hears of it.
            Err(error) => {
                let files = files_of(&path)?;
                let problem = Some(error.to_string());
                tell(&format!("{}, seed {seed}: {error}", variant.name));
                tasks.keep(&mut taken, files, |state| state.problem = problem)
            }
        }
    });
    let _ = std::fs::remove_dir_all(&path);
    match worked {
        Err(Error::LostTask(name)) => {
            tell(&Error::LostTask(name).to_string());
            Ok(false)
        }
        worked => worked.map(|()| is_finished),
    }
}
