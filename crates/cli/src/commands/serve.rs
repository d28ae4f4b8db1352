//! `mapo serve`: the page and the JSON API.

use crate::size::Size;
use crate::table_args::TableArgs;
use crate::{Outcome, print};
use clap::Args;
use mapo_answering::Answerer;
use mapo_web::{Limits, Options, Server};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Serve a page on which to ask tables, and a JSON API.
///
/// Examples:
///   mapo serve
///   mapo serve sales.csv people.parquet
///   mapo serve --runs runs --address 127.0.0.1:9000
///
/// The page takes a table that is dragged in or pasted, answers questions about it, and shows the program behind an
/// answer step by step with the cells that it used. /runs shows the curves of training runs, live; /api describes the
/// API. Tables of the command line can be of any size and are everybody's; uploaded ones are limited, belong to one
/// session, live in memory only and are forgotten. What people say about answers is kept beside the tables of the command
/// line, about uploads only with --corrections, and can be learnt from on the page. Ctrl-C stops it.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Serve {
    /// Tables to offer from the start, or folders of tables.
    #[arg(value_name = "TABLE|FOLDER")]
    tables: Vec<PathBuf>,
    /// Where to listen; port 0 takes any free one. Only this machine can reach 127.0.0.1.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8017")]
    address: SocketAddr,
    /// A host name to answer to, beside addresses and localhost; may be given again.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Show the training runs in this folder.
    #[arg(long, value_name = "DIR")]
    runs: Option<PathBuf>,
    /// The model that answers; without one, the model in the box.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Keep what is said about answers on uploaded tables and examples in this folder, with the tables. Corrections of TABLE
    /// are kept beside it, unless others than this machine can reach the server and this is not given.
    #[arg(long, value_name = "DIR")]
    corrections: Option<PathBuf>,
    #[command(flatten)]
    reading: TableArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// What clients may ask for.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// The largest upload.
    #[arg(long, value_name = "SIZE", default_value = "64MB")]
    max_body: Size,
    /// The most rows of an uploaded table.
    #[arg(long, value_name = "N", default_value_t = Limits::default().rows)]
    max_rows: usize,
    /// The most cells of an uploaded table.
    #[arg(long, value_name = "N", default_value_t = Limits::default().cells)]
    max_cells: usize,
    /// The most text of an uploaded table.
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    max_text: Size,
    /// Memory of the process that reads an upload.
    #[arg(long, value_name = "SIZE", default_value = "2GiB")]
    reading_memory: Size,
    /// Processor time of the process that reads an upload, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    reading_time: Duration,
    /// The longest that a question may take, in seconds, with waiting.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    question_time: Duration,
    /// The longest that learning from corrections may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "900", value_parser = seconds)]
    learning_time: Duration,
    /// The longest that an upload may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    upload_time: Duration,
    /// A client that neither sends nor takes a byte for this many seconds is dropped.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    stall_time: Duration,
    /// Questions that are worked on at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    max_questions: Option<usize>,
    /// Questions that may wait; more are told to come back.
    #[arg(long, value_name = "N", default_value_t = Limits::default().queue)]
    max_queue: usize,
    /// Uploads at the same time.
    #[arg(long, value_name = "N", default_value_t = Limits::default().uploads, value_parser = at_least_one)]
    max_uploads: usize,
    /// Connections at the same time.
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections, value_parser = at_least_one)]
    max_connections: usize,
    /// Sessions with uploaded tables.
    #[arg(long, value_name = "N", default_value_t = Limits::default().sessions)]
    max_sessions: usize,
    /// Uploaded tables of one session.
    #[arg(long, value_name = "N", default_value_t = Limits::default().tables)]
    max_tables: usize,
    /// Memory of all uploaded tables.
    #[arg(long, value_name = "SIZE", default_value = "1GB")]
    max_memory: Size,
    /// What is kept on disk for corrections of uploaded tables (--corrections), with the tables.
    #[arg(long, value_name = "SIZE", default_value = "1GB")]
    max_corrections: Size,
    /// A session is forgotten this many seconds after its last request.
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = seconds)]
    idle_time: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok();
    let sensible = number.filter(|number| (0.001..1e9).contains(number));
    let sensible = sensible.ok_or_else(|| format!("'{text}' is no number of seconds above 0"))?;
    Ok(Duration::from_secs_f64(sensible))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err(format!("'{text}' is no whole number above 0")),
    }
}

impl LimitArgs {
    fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            body: self.max_body.0 as usize,
            rows: self.max_rows,
            cells: self.max_cells,
            text: self.max_text.0 as usize,
            reading_memory: self.reading_memory.0 as usize,
            reading_time: self.reading_time,
            question_time: self.question_time,
            learning_time: self.learning_time,
            upload_time: self.upload_time,
            stall: self.stall_time,
            questions: self.max_questions.unwrap_or(usual.questions),
            queue: self.max_queue,
            uploads: self.max_uploads,
            connections: self.max_connections,
            sessions: self.max_sessions,
            tables: self.max_tables,
            memory: self.max_memory.0 as usize,
            corrections: self.max_corrections.0 as usize,
            idle: self.idle_time,
        }
    }
}

/// This program's own file, also when another has taken its place.
fn this_program() -> std::io::Result<PathBuf> {
    if let Some(program) = crate::STARTED_AS.get() {
        return Ok(program.clone());
    }
    match cfg!(target_os = "linux") {
        true => Ok(PathBuf::from("/proc/self/exe")),
        false => std::env::current_exe(),
    }
}

impl Serve {
    pub fn execute(self) -> Outcome {
        let answerer = match &self.model {
            Some(file) => Answerer::open(file)?,
            None => Answerer::boxed()?,
        };
        let mut tables = Vec::new();
        for path in &self.tables {
            tables.extend(mapo_datasets::tables::files(path)?);
        }
        let name = self.model.as_ref().and_then(|file| file.file_name());
        let learning = [super::learn::NAME, "--json", "--progress", "--aside"];
        let learning = learning.map(str::to_owned).to_vec();
        let options = Options {
            address: self.address,
            hosts: self.host,
            tables,
            runs: self.runs,
            model: match name {
                Some(name) => name.to_string_lossy().into_owned(),
                None => Options::default().model,
            },
            keeps_corrections: self.address.ip().is_loopback() || self.corrections.is_some(),
            corrections: self.corrections,
            learner: Some((this_program()?, learning)),
            uses_learnt: self.model.is_none(),
            reader: Some((this_program()?, super::read_upload::NAME.to_owned())),
            limits: self.limits.limits(),
            reading: self.reading.told(),
        };
        if !options.address.ip().is_loopback() {
            eprintln!(
                "mapo: warning: everyone who can reach {} can ask, upload tables and see those that you serve; \
                 there are no passwords, and nothing is encrypted",
                options.address
            );
        }
        let end = Arc::new(Notify::new());
        let called = Arc::clone(&end);
        ctrlc::set_handler(move || called.notify_one())?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        let served = runtime.block_on(async {
            let server = Server::bind(options, Arc::new(answerer)).await?;
            print(format_args!(
                "mapo serves at http://{}/ (Ctrl-C stops it)",
                server.address()?
            ))?;
            server.run(end.notified()).await;
            Ok::<_, Box<dyn Error>>(())
        });
        // A question that still runs cannot be stopped, and nobody waits for its answer.
        runtime.shutdown_background();
        served
    }
}
