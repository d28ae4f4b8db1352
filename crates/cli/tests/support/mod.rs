//! Running the binary.

#![allow(dead_code, unused_imports)] // each test file uses its own part

#[path = "../../../datasets/tests/support/mod.rs"]
mod data;
pub mod nats;

pub use data::data_dir;

use std::path::Path;
use std::process::{Command, Output};

/// Settings with which a run takes a second.
pub const QUICK: [&str; 8] = [
    "--set",
    "network.hidden=16",
    "--set",
    "network.attention=16",
    "--set",
    "explore_first.programs=200",
    "--set",
    "evaluate=10",
];

/// The `mapo` that was built with the tests.
pub fn mapo() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mapo"))
}

/// What came of running it with these arguments.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub fn run<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    let Output {
        status,
        stdout,
        stderr,
    } = mapo().args(arguments).output().expect("mapo starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran {
        code: status.code(),
        stdout: text(stdout),
        stderr: text(stderr),
    }
}

/// Runs it, and fails the test with what it said if it fails.
pub fn run_well<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> String {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout
}

/// Fails unless it ends with code 2, nothing on stdout and one sentence on stderr that says all of `says`.
pub fn refused<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>, says: &[&str]) {
    let more = refused_with_more(arguments, says);
    assert!(more.is_empty(), "{more:?}");
}

/// The same where lines may follow the sentence, which it returns.
pub fn refused_with_more<S: AsRef<std::ffi::OsStr>>(
    arguments: impl IntoIterator<Item = S>,
    says: &[&str],
) -> Vec<String> {
    let arguments: Vec<S> = arguments.into_iter().collect();
    let ran = run(&arguments);
    let asked: Vec<_> = arguments.iter().map(AsRef::as_ref).collect();
    assert_eq!(ran.code, Some(2), "{asked:?}: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.is_empty(), "{asked:?}: {}", ran.stdout);
    let mut lines = ran.stderr.lines();
    let sentence = lines.next().unwrap_or_default();
    assert!(sentence.starts_with("mapo: "), "{asked:?}: {sentence}");
    for part in says {
        assert!(
            sentence.contains(part),
            "{asked:?}: '{sentence}' does not say '{part}'"
        );
    }
    lines.map(str::to_owned).collect()
}

/// The JSON object that it prints.
pub fn json<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> serde_json::Value {
    serde_json::from_str(&run_well(arguments)).expect("one JSON object")
}

/// Writes a file into a folder and returns its path as text.
pub fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("the folder can be written");
    path.display().to_string()
}
