//! The server: listens, takes connections, and stops when told.

use crate::api::{self, App};
use crate::error::Error;
use crate::guard::{Hosts, guard};
use crate::home::Home;
use crate::learning::Learner;
use crate::learnt::Models;
use crate::limits::Limits;
use crate::page;
use crate::reading::UploadReader;
use crate::sessions::{Client, Sessions};
use crate::stream::Impatient;
use crate::tables::{EXAMPLES, Held};
use crate::together::Together;
use crate::turns::Turns;
use crate::work::Work;
use axum::Router;
use axum::body::Bytes;
use axum::middleware::from_fn_with_state;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use mapo_answering::Answerer;
use mapo_tables::LoadOptions;
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{interval, sleep, timeout};

/// What to serve, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen.
    pub address: SocketAddr,
    /// Host names to answer to, beside addresses and `localhost`.
    pub hosts: Vec<String>,
    /// Files of tables that everybody sees.
    pub tables: Vec<PathBuf>,
    /// The folder of training runs.
    pub runs: Option<PathBuf>,
    /// What the model is called.
    pub model: String,
    /// Whether corrections of answers about [`tables`](Self::tables) are kept beside them.
    pub keeps_corrections: bool,
    /// The folder in which those about uploaded tables and examples are kept, with the tables; without one they are not.
    pub corrections: Option<PathBuf>,
    /// The program that learns from corrections in a process of its own, and its arguments before the file of corrections. It tells
    /// how far it is in lines of JSON (`step`, `of`), and last what came of it.
    pub learner: Option<(PathBuf, Vec<String>)>,
    /// Whether the model that learnt from the corrections beside a table answers questions about it.
    pub uses_learnt: bool,
    /// The program that reads strangers' files in a process of its own, by
    /// [`read_for_server`](crate::read_for_server): its path and the argument that makes it do so. Without one they are read in
    /// this process, where a file that takes all memory takes the server with it.
    pub reader: Option<(PathBuf, String)>,
    /// The limits.
    pub limits: Limits,
    /// How the files of tables are read; of uploads only whether a last row that adds up the others is left out.
    pub reading: LoadOptions,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            hosts: Vec::new(),
            tables: Vec::new(),
            runs: None,
            model: "the model in the box".to_owned(),
            keeps_corrections: false,
            corrections: None,
            learner: None,
            uses_learnt: true,
            reader: None,
            limits: Limits::default(),
            reading: LoadOptions {
                drop_totals: true,
                ..LoadOptions::default()
            },
        }
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    router: Router,
}

/// How long requests that are being answered may go on after the end was called.
const GRACE: Duration = Duration::from_secs(5);

impl Server {
    /// Loads the tables and listens.
    ///
    /// # Errors
    /// If a table cannot be loaded, a name is empty or not allowed, or the address cannot be listened on.
    pub async fn bind(options: Options, answerer: Arc<Answerer>) -> Result<Self, Error> {
        let hosts = Hosts::new(&options.hosts)?;
        if let Some(runs) = options.runs.as_ref().filter(|runs| !runs.is_dir()) {
            return Err(Error::NoRuns(runs.clone()));
        }
        if let Some(folder) = options.corrections.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(Error::NoCorrections(folder.clone()));
        }
        let address = options.address;
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| Error::Address { address, source })?;
        let mut shared = Vec::new();
        for (number, path) in (1..).zip(&options.tables) {
            let home = || Home::beside(path, &options.reading);
            let held = Held::open(path, number, &options.reading)?;
            shared.push(Arc::new(held.at(options.keeps_corrections.then(home))));
        }
        for example in &EXAMPLES {
            let home = options.corrections.as_ref().map(|folder| {
                let (name, content) = (format!("{}.csv", example.id), example.csv.as_bytes());
                Home::under(
                    folder,
                    options.limits.corrections,
                    &name,
                    Bytes::from_static(content),
                    &LoadOptions::default(),
                )
            });
            shared.push(Arc::new(Held::example(example)?.at(home)));
        }
        let limits = options.limits;
        let app = Arc::new(App {
            models: Arc::new(Models::new(answerer, options.uses_learnt)),
            learner: Learner::new(options.learner, limits.learning_time),
            corrections: options.corrections,
            model: options.model,
            sessions: Sessions::new(&limits),
            shared,
            questions: Work::new("questions", limits.questions, limits.queue),
            together: Together::default(),
            views: Work::new("requests for rows", limits.questions, limits.queue),
            uploads: Work::new("uploads", limits.uploads, limits.uploads),
            receiving: Turns::new(limits.uploads, limits.queue),
            files: Work::new("requests", 1, limits.queue),
            runs: options.runs,
            reader: UploadReader::new(options.reader),
            began: Instant::now(),
            limits,
            drop_totals: options.reading.drop_totals,
        });
        let router = page::router()
            .merge(api::router())
            .layer(from_fn_with_state(hosts, guard))
            .with_state(Arc::clone(&app));
        Ok(Server {
            listener,
            app,
            router,
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        Ok(self.listener.local_addr()?)
    }

    /// Answers until `end` comes, then lets what is being answered finish.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let limits = &self.app.limits;
        let sweeper = tokio::spawn(sweep(Arc::clone(&self.app)));
        let connections = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
        let door = Arc::new(Semaphore::new(TURNED_AWAY));
        let graceful = GracefulShutdown::new();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limits.stall)
            .max_buf_size(64 << 10)
            .max_headers(64);
        let mut end = std::pin::pin!(end);
        loop {
            let (stream, client) = tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, from)) => (stream, Client(from.ip())),
                    Err(_) => {
                        // The client is gone again, or the system is out of handles: others will be closed.
                        sleep(Duration::from_millis(20)).await;
                        continue;
                    }
                },
                () = &mut end => break,
            };
            let Ok(place) = Arc::clone(&connections).try_acquire_owned() else {
                if let Ok(place) = Arc::clone(&door).try_acquire_owned() {
                    tokio::spawn(async move {
                        turn_away(stream).await;
                        drop(place);
                    });
                }
                continue;
            };
            // Answers are small, and waiting to join them to larger packets only delays them.
            let _ = stream.set_nodelay(true);
            let stream = TokioIo::new(Impatient::new(stream, limits.stall));
            let router = TowerToHyperService::new(self.router.clone());
            let service = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(client);
                router.call(request)
            });
            let connection = graceful.watch(http.serve_connection(stream, service));
            tokio::spawn(async move {
                // What ends a connection early is told to its client where that is possible, and to nobody
                // else.
                let _ = connection.await;
                drop(place);
            });
        }
        drop(self.listener);
        self.app.learner.end();
        let _ = timeout(GRACE, graceful.shutdown()).await;
        sweeper.abort();
    }
}

/// Forgets sessions that are not used, also when no request comes.
async fn sweep(app: Arc<App>) {
    let idle = app.limits.idle;
    let mut ticks = interval((idle / 4).clamp(Duration::from_millis(50), Duration::from_secs(30)));
    loop {
        ticks.tick().await;
        app.sessions.forget_idle();
    }
}

/// Clients that are being turned away at the same time; beyond that they are dropped without a word.
const TURNED_AWAY: usize = 64;

/// Tells a client that there are too many, and waits a moment until it has read that: a connection that is
/// closed while the request still comes in is cut off before the answer arrives.
async fn turn_away(mut stream: TcpStream) {
    const SENTENCE: &str = "{\"error\":\"too many connections at the same time; try again in a moment\"}";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{SENTENCE}",
        SENTENCE.len()
    );
    let told = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        let mut unread = [0; 4096];
        while stream.read(&mut unread).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    let _ = timeout(Duration::from_secs(1), told).await;
}
