//! A process that does the tasks of jobs.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use super::tasks::Tasks;
use super::{Job, Work, compare, explore, jobs};
use crate::lease::own_name;
use crate::server::Server;
use crate::{Error, Result};

/// What a worker needs to know.
#[derive(Clone, Debug)]
pub struct Working {
    /// The one job to work for; all jobs of the server when not given.
    pub job: Option<String>,
    /// Where the data is here, if not where the job says.
    pub data: Option<String>,
    /// Where the word vectors are here, if not where the job says.
    pub vectors: Option<PathBuf>,
    /// Threads for a task, where the job does not say.
    pub threads: usize,
    /// Where runs are while they are trained here.
    pub scratch: PathBuf,
    /// Whether to end when there is nothing left to do.
    pub until_done: bool,
}

/// What a worker did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worked {
    /// Tasks that it brought to their end.
    pub tasks: u64,
}

/// How often is looked for new tasks.
const LOOK: Duration = Duration::from_millis(500);

/// Does tasks until the user stops it or, if that was said, nothing is left to do. A job for which this machine has
/// not what it needs is told of and left to others.
///
/// # Errors
/// If the server goes away for good; if all is done that can be done here and a job had to be left.
pub fn work(server: &Server, working: &Working, tell: &(dyn Fn(&str) + Sync)) -> Result<Worked> {
    let (name, mut worked) = (own_name(), Worked::default());
    tell(&format!("{name}: works with {} threads", working.threads));
    let (mut refused, mut why) = (HashSet::new(), None);
    while !server.is_stopped() {
        let mut is_all_done = true;
        for (job_name, job) in jobs(server)? {
            let is_wanted = working.job.as_ref().is_none_or(|wanted| *wanted == job_name);
            if !is_wanted || refused.contains(&job.id) || server.is_stopped() {
                continue;
            }
            let tasks = Tasks::open(server, &job, &name)?;
            let states = tasks.states()?;
            let is_open = |task: &String| !states.get(task).is_some_and(super::TaskState::is_settled);
            let open: Vec<String> = job.tasks().into_iter().filter(is_open).collect();
            is_all_done &= open.is_empty();
            let at_work = tasks.at_work()?;
            if open.iter().all(|task| at_work.contains_key(task)) {
                continue;
            }
            match serve(server, &job, &tasks, working, tell) {
                Ok(tasks) => worked.tasks += tasks,
                Err(error) if error.is_of_the_server() => return Err(error),
                // Somebody took the job away meanwhile.
                Err(_) if Job::get(server, &job_name)?.is_none_or(|there| there.id != job.id) => {}
                Err(error) => {
                    tell(&format!("{job_name}: {error}"));
                    refused.insert(job.id);
                    why = Some(error);
                }
            }
        }
        if working.until_done && is_all_done {
            break;
        }
        std::thread::sleep(LOOK);
    }
    match why {
        Some(error) if working.until_done && !server.is_stopped() => Err(error),
        _ => Ok(worked),
    }
}

fn serve(
    server: &Server,
    job: &Job,
    tasks: &Tasks<'_>,
    working: &Working,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<u64> {
    match &job.work {
        Work::Compare(comparison) => compare::train(server, job, comparison, tasks, working, tell),
        Work::Explore(exploration) => explore::try_programs(server, job, exploration, tasks, working, tell),
    }
}

impl Error {
    /// Whether nothing can be done as long as the server is as it is.
    fn is_of_the_server(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::Refused { .. } | Self::Stopped
        )
    }
}
