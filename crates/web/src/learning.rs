//! Learning from corrections: in a process of its own, one at a time, since it takes the processor for a while.

use crate::error::Problem;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a line, and of what is said on the standard error, that are read.
const LONGEST: u64 = 1 << 20;
/// How often it is looked whether the time is over.
const LOOK: Duration = Duration::from_millis(100);
/// Places whose last lesson is remembered.
const REMEMBERED: usize = 1_000;

/// How far a lesson is, or what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub(crate) enum State {
    /// It goes on.
    Learning {
        /// Steps that are done, of all.
        step: u64,
        of: u64,
    },
    /// It has ended; what it told.
    Done { report: Value },
    /// It could not be.
    Failed { error: String },
}

/// Who learns.
#[derive(Debug)]
pub(crate) struct Learner {
    /// The program and its arguments before the file of corrections.
    program: Option<(PathBuf, Vec<String>)>,
    time: Duration,
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// By the file of corrections.
    states: Mutex<HashMap<PathBuf, State>>,
    /// The process that is at work.
    child: Mutex<Option<Child>>,
}

impl Inner {
    fn states(&self) -> MutexGuard<'_, HashMap<PathBuf, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self) {
        if let Some(child) = self.child().as_mut() {
            // It may have ended already.
            let _ = child.kill();
        }
    }
}

impl Learner {
    pub fn new(program: Option<(PathBuf, Vec<String>)>, time: Duration) -> Self {
        Learner {
            program,
            time,
            inner: Arc::default(),
        }
    }

    /// Whether anything can be learnt here.
    pub fn is_there(&self) -> bool {
        self.program.is_some()
    }

    /// How far the lesson of these corrections is.
    pub fn state(&self, corrections: &Path) -> Option<State> {
        self.inner.states().get(corrections).cloned()
    }

    /// Begins to learn.
    pub fn start(&self, corrections: PathBuf) -> Result<(), Problem> {
        let Some((program, arguments)) = &self.program else {
            return Err(Problem::new(StatusCode::FORBIDDEN, "this server does not learn"));
        };
        let mut states = self.inner.states();
        if states
            .values()
            .any(|state| matches!(state, State::Learning { .. }))
        {
            return Err(Problem::busy(
                "something is being learnt already; try again when that is done",
            ));
        }
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg(&corrections)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|_| Problem::busy("no process can be started to learn in; try again in a moment"))?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        if states.len() >= REMEMBERED {
            states.retain(|_, state| matches!(state, State::Learning { .. }));
        }
        states.insert(corrections.clone(), State::Learning { step: 0, of: 0 });
        drop(states);
        self.inner.child().replace(child);
        let (inner, end) = (Arc::clone(&self.inner), Instant::now() + self.time);
        let told = thread::spawn(move || said(errors));
        thread::spawn(move || {
            let watched = Arc::clone(&inner);
            let heard = Arc::clone(&inner);
            let place = corrections.clone();
            let listening = thread::spawn(move || listen(output, &heard, &place));
            while !listening.is_finished() {
                if Instant::now() > end {
                    watched.kill();
                }
                thread::sleep(LOOK);
            }
            let report = listening.join().ok().flatten();
            let child = inner.child().take();
            let ended_well = child.is_some_and(|mut child| child.wait().is_ok_and(|status| status.success()));
            let said = told.join().unwrap_or_default();
            let state = match report.filter(|_| ended_well) {
                Some(report) => State::Done { report },
                None if Instant::now() > end => State::Failed {
                    error: "it took longer than it may here; learn with mapo learn on the command line"
                        .to_owned(),
                },
                None => State::Failed { error: said },
            };
            inner.states().insert(corrections, state);
        });
        Ok(())
    }

    /// Ends what is at work.
    pub fn end(&self) {
        self.inner.kill();
    }
}

/// Hears how far a process is until it is silent; gives the last thing that it said beside that.
fn listen(output: Option<impl Read>, inner: &Inner, corrections: &Path) -> Option<Value> {
    let mut lines = BufReader::new(output?);
    let mut report = None;
    loop {
        let mut line = Vec::new();
        match lines.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return report,
            Ok(_) => {}
        }
        let Ok(said) = serde_json::from_slice::<Value>(&line) else {
            continue;
        };
        match (said["step"].as_u64(), said["of"].as_u64()) {
            (Some(step), Some(of)) => {
                let state = State::Learning { step, of };
                inner.states().insert(corrections.to_owned(), state);
            }
            _ if said.is_object() => report = Some(said),
            _ => {}
        }
    }
}

/// The last line of what a process says about what went wrong.
fn said(errors: Option<impl Read>) -> String {
    let mut text = Vec::new();
    if let Some(errors) = errors {
        // What can be read is told.
        let _ = errors.take(LONGEST).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.map(|line| line.strip_prefix("mapo: ").unwrap_or(line));
    last.unwrap_or("learning ended without a word").to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, time: Duration) -> Learner {
        let arguments = vec!["-c".to_owned(), script.to_owned()];
        Learner::new(Some((PathBuf::from("/bin/sh"), arguments)), time)
    }

    fn ended(learner: &Learner, place: &Path) -> State {
        loop {
            match learner.state(place) {
                Some(State::Learning { .. }) => thread::sleep(Duration::from_millis(10)),
                Some(state) => return state,
                None => unreachable!("it was begun"),
            }
        }
    }

    #[test]
    fn a_lesson_tells_how_far_it_is_and_what_came_of_it() {
        let script = r#"echo '{"step": 3, "of": 10}'; echo noise; echo '{"better": true}'; sleep 0.3"#;
        let learner = shell(script, Duration::from_secs(60));
        let place = PathBuf::from("a.jsonl");
        learner.start(place.clone()).unwrap();
        assert!(learner.start(PathBuf::from("b.jsonl")).is_err(), "one at a time");
        let report = serde_json::json!({ "better": true });
        assert_eq!(ended(&learner, &place), State::Done { report });
        assert_eq!(learner.state(Path::new("b.jsonl")), None);
        learner.start(PathBuf::from("b.jsonl")).unwrap();
    }

    #[test]
    fn what_fails_or_takes_too_long_is_told() {
        let place = PathBuf::from("a.jsonl");
        let learner = shell(
            "echo 'mapo: a.jsonl, line 2: damaged' >&2; exit 2",
            Duration::from_secs(60),
        );
        learner.start(place.clone()).unwrap();
        let error = "a.jsonl, line 2: damaged".to_owned();
        assert_eq!(ended(&learner, &place), State::Failed { error });
        let learner = shell("exec sleep 60", Duration::from_millis(50));
        learner.start(place.clone()).unwrap();
        let State::Failed { error } = ended(&learner, &place) else {
            unreachable!("it cannot end well")
        };
        assert!(error.contains("took longer"), "{error}");
        assert!(Learner::new(None, LOOK).start(place).is_err());
    }
}
