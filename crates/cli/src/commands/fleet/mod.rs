//! `mapo fleet`: one training on many machines.

mod act;
mod assist;
mod evaluate;
mod learn;
mod replay;
mod server_args;
mod status;
mod work;

use crate::Outcome;
use clap::{Args, Subcommand};
pub use server_args::FleetArgs;
use server_args::ServerArgs;

/// Train with actors on many machines, or let many machines share runs, which meet at a NATS server with JetStream.
///
/// Example, each line on a machine of its own:
///   nats-server -js
///   mapo fleet learn --server nats://host --data toy --run runs/toy
///   mapo fleet act --server nats://host --run toy
///   mapo fleet status --server nats://host --run toy
///
/// Workers train the runs of `mapo compare --fleet` and explore for `mapo explore --fleet`:
///   mapo fleet work --server nats://host
///
/// Actors come and go as they like; docs/fleet.md says what is kept when what dies.
#[derive(Args)]
#[command(verbatim_doc_comment, arg_required_else_help = true)]
pub struct Fleet {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Learn(Box<learn::Learn>),
    Act(act::Act),
    Assist(assist::Assist),
    Evaluate(evaluate::Evaluate),
    Work(work::Work),
    Status(status::Status),
    Replay(replay::Replay),
    /// Print every program that actors have found and the server has acknowledged, one JSON object a line.
    Found {
        #[command(flatten)]
        server: ServerArgs,
        /// The run's name.
        #[arg(long, value_name = "NAME")]
        run: String,
    },
    /// Name the runs and jobs of a server.
    List {
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Take a run or a job away from a server, with everything that belongs to it there. Its directory stays.
    Forget {
        #[command(flatten)]
        server: ServerArgs,
        /// The run's name.
        #[arg(long, value_name = "NAME")]
        run: String,
    },
}

impl Fleet {
    pub fn execute(self) -> Outcome {
        match self.command {
            Command::Learn(learn) => learn.execute(),
            Command::Act(act) => act.execute(),
            Command::Assist(assist) => assist.execute(),
            Command::Evaluate(evaluate) => evaluate.execute(),
            Command::Work(work) => work.execute(),
            Command::Status(status) => status.execute(),
            Command::Replay(replay) => replay.execute(),
            Command::Found { server, run } => {
                let found = mapo_fleet::found(&server.connect_alone()?, &run)?;
                found
                    .iter()
                    .try_for_each(|finding| crate::print(serde_json::to_string(finding)?))
            }
            Command::List { server } => {
                let server = server.connect_alone()?;
                let (runs, jobs) = (mapo_fleet::list(&server)?, mapo_fleet::list_jobs(&server)?);
                runs.into_iter().chain(jobs).try_for_each(crate::print)
            }
            Command::Forget { server, run } => {
                let server = server.connect_alone()?;
                match mapo_fleet::forget_job(&server, &run)? {
                    true => Ok(()),
                    false => Ok(mapo_fleet::forget(&server, &run)?),
                }
            }
        }
    }
}

/// What a process says while it works.
fn tell(line: &str) {
    eprintln!("{}", crate::terminal::clean_lines(line));
}
