//! Training runs, as the dashboard shows them.

use mapo_datasets::Dataset;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Folders below the given one in which runs are looked for; `mapo compare` puts them two deep.
const DEPTH: usize = 3;
/// More runs are not listed, and no more folders are looked into.
const MOST_RUNS: usize = 500;
const MOST_FOLDERS: usize = 10_000;
/// Lines of metrics of one answer.
const MOST_LINES: usize = 5_000;
/// A line of metrics is shorter.
const LONGEST_LINE: usize = 1 << 16;
/// So is what a learner writes of a fleet.
const LONGEST_STATUS: u64 = 1 << 20;

/// A run of training.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Its folder below the folder of runs; parts are joined by `/`.
    pub name: String,
    /// The dataset.
    pub data: Option<String>,
    /// The objective of its settings.
    pub objective: Option<String>,
    /// The seed.
    pub seed: Option<u64>,
    /// The steps that it is to make.
    pub steps: Option<u64>,
    /// The steps that it has made, as far as it has told.
    pub step: u64,
    /// The best share of right answers on the dev split so far.
    pub best_accuracy: Option<f64>,
    /// What it is doing.
    pub state: RunState,
    /// Seconds since it last wrote anything.
    pub age: f64,
    /// Where it is.
    #[serde(skip)]
    pub path: PathBuf,
}

/// What a run is doing, as far as its files tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// It has made all of its steps.
    Done,
    /// It wrote something not long ago.
    Running,
    /// It has not for long: it was stopped, and can go on.
    Stopped,
}

/// The runs in a folder and in the folders below, the one that wrote last first. Links are not followed.
pub fn find_runs(folder: &Path) -> Vec<Run> {
    let mut runs: Vec<Run> = folders(folder)
        .into_iter()
        .map(|(path, name)| look_at(path, name))
        .collect();
    runs.sort_by(|one, other| {
        one.age
            .total_cmp(&other.age)
            .then_with(|| one.name.cmp(&other.name))
    });
    runs
}

/// The run of a name.
pub fn find_run(folder: &Path, name: &str) -> Option<Run> {
    let (path, name) = folders(folder).into_iter().find(|(_, known)| known == name)?;
    Some(look_at(path, name))
}

/// The folders of runs with their names.
fn folders(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut runs = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new(), 0)];
    let mut looked_into = 0;
    while let Some((path, name, depth)) = folders.pop() {
        looked_into += 1;
        if runs.len() >= MOST_RUNS || looked_into > MOST_FOLDERS {
            break;
        }
        if path.join("config.toml").is_file() {
            let shown = match name.is_empty() {
                // The folder itself is a run.
                true => path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                false => name,
            };
            runs.push((path, shown));
            continue;
        }
        if depth == DEPTH {
            continue;
        }
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if let (true, Ok(part)) = (is_folder, entry.file_name().into_string()) {
                let name = match name.is_empty() {
                    true => part,
                    false => format!("{name}/{part}"),
                };
                folders.push((entry.path(), name, depth + 1));
            }
        }
    }
    runs
}

fn look_at(path: PathBuf, name: String) -> Run {
    let config = std::fs::read_to_string(path.join("config.toml")).unwrap_or_default();
    // Settings change between versions, so only what is shown is looked for.
    let config: Value = toml::from_str(&config).unwrap_or_default();
    let (origin, settings) = (&config["run"], &config["settings"]);
    let lines = read_metrics(&path, 0).unwrap_or_default().lines;
    let best = |best: Option<f64>, line: &Map<String, Value>| {
        let accuracy = line.get("dev_accuracy").and_then(Value::as_f64);
        match (best, accuracy) {
            (Some(best), Some(accuracy)) => Some(best.max(accuracy)),
            (best, accuracy) => best.or(accuracy),
        }
    };
    let number = |name: &str| lines.last()?.get(name)?.as_f64();
    let step = lines
        .last()
        .and_then(|line| line.get("step")?.as_u64())
        .unwrap_or(0);
    let steps = settings["steps"].as_u64();
    let age = youngest(&path);
    // The mean time between two lines: a run that has been quiet for many times that has stopped.
    let rhythm = number("seconds").map_or(0.0, |seconds| seconds / lines.len().max(1) as f64);
    let state = match steps {
        Some(steps) if step >= steps => RunState::Done,
        _ if age < (5.0 * rhythm).max(60.0) => RunState::Running,
        _ => RunState::Stopped,
    };
    Run {
        name,
        // Where it lies on this machine is nobody's business.
        data: data(origin),
        objective: settings["objective"]["name"].as_str().map(str::to_owned),
        seed: origin["seed"].as_u64(),
        steps,
        step,
        best_accuracy: lines.iter().fold(None, best),
        state,
        age,
        path,
    }
}

/// The name of a run's dataset, or of all its datasets.
fn data(origin: &Value) -> Option<String> {
    if let Some(one) = origin["data"].as_str() {
        return Some(Dataset::name_of(one));
    }
    let name = |part: &Value| match part["name"].as_str() {
        Some(name) => Some(name.to_owned()),
        None => part["data"].as_str().map(Dataset::name_of),
    };
    let names: Vec<String> = origin["mix"].as_array()?.iter().filter_map(name).collect();
    Some(names.join(" + "))
}

/// Seconds since a file of the folder was last written.
fn youngest(path: &Path) -> f64 {
    let files = std::fs::read_dir(path).into_iter().flatten().flatten();
    let written = files
        .filter_map(|file| file.metadata().ok()?.modified().ok())
        .max();
    let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
    age.map_or(0.0, |age| age.as_secs_f64())
}

/// What the learner of a fleet last wrote of its run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fleet {
    /// Seconds since.
    pub age: f64,
    /// The object that `mapo fleet status --json` prints.
    pub status: Map<String, Value>,
}

/// How the fleet of a run does, if it has one.
pub fn read_fleet(run: &Path) -> Option<Fleet> {
    let path = run.join("fleet-status.json");
    let about = std::fs::metadata(&path).ok()?;
    if !about.is_file() || about.len() > LONGEST_STATUS {
        return None;
    }
    let age = SystemTime::now().duration_since(about.modified().ok()?);
    Some(Fleet {
        age: age.map_or(0.0, |age| age.as_secs_f64()),
        status: serde_json::from_slice(&std::fs::read(path).ok()?).ok()?,
    })
}

/// Lines of a run's `metrics.jsonl`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// The lines.
    pub lines: Vec<Map<String, Value>>,
    /// The byte of the file at which they begin,
    pub from: u64,
    /// and the one at which to go on.
    pub next: u64,
}

/// Lines of a run's `metrics.jsonl` from a byte on. A last line that is still being written is left for the
/// next time; lines that are no objects are passed over.
///
/// A file shorter than `from` was cut off, as a resumed run does with lines after its checkpoint: then it is
/// read from its beginning.
///
/// # Errors
/// If the file cannot be read; one that is not there yet has no lines.
pub fn read_metrics(run: &Path, from: u64) -> io::Result<Lines> {
    let path = run.join("metrics.jsonl");
    // Whoever opened a pipe would wait for somebody to write to it.
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lines::default()),
        Err(error) => return Err(error),
        Ok(about) if !about.is_file() => return Err(io::Error::other("metrics.jsonl is no file")),
        Ok(_) => {}
    }
    let file = File::open(path)?;
    let from = if file.metadata()?.len() < from { 0 } else { from };
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(from))?;
    let (mut lines, mut next, mut line) = (Vec::new(), from, Vec::new());
    while lines.len() < MOST_LINES {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 || line.last() != Some(&b'\n') {
            break;
        }
        next += read as u64;
        if line.len() <= LONGEST_LINE {
            lines.extend(serde_json::from_slice::<Map<String, Value>>(&line).ok());
        }
    }
    Ok(Lines { lines, from, next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_line_that_is_being_written_waits() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("metrics.jsonl");
        assert_eq!(read_metrics(folder.path(), 0).unwrap(), Lines::default());
        fs::write(&file, "{\"step\":1}\nnonsense\n{\"step\":2}\n{\"ste").unwrap();
        let Lines { lines, next, .. } = read_metrics(folder.path(), 0).unwrap();
        let steps: Vec<_> = lines.iter().map(|line| line["step"].as_u64()).collect();
        assert_eq!(steps, [Some(1), Some(2)]);
        fs::write(&file, "{\"step\":1}\nnonsense\n{\"step\":2}\n{\"step\":3}\n").unwrap();
        let Lines { lines, from, next } = read_metrics(folder.path(), next).unwrap();
        assert_eq!(from + 11, next);
        assert_eq!((lines.len(), lines[0]["step"].as_u64()), (1, Some(3)));
        // A resumed run cuts its file off: all of it is told again.
        fs::write(&file, "{\"step\":1}\n").unwrap();
        let again = read_metrics(folder.path(), next).unwrap();
        assert_eq!((again.lines.len(), again.from), (1, 0));
    }

    #[test]
    fn runs_are_found_below_and_broken_ones_are_listed_too() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one", "compared/mml/seed-1", "too/deep/to/be/found"] {
            let run = folder.path().join(name);
            fs::create_dir_all(&run).unwrap();
            fs::write(run.join("config.toml"), "not = 'a run'").unwrap();
        }
        fs::write(
            folder.path().join("one/metrics.jsonl"),
            "{\"step\":5,\"dev_accuracy\":0.5}\n{\"step\":9,\"dev_accuracy\":0.25}\n",
        )
        .unwrap();
        let runs = find_runs(folder.path());
        let mut names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        names.sort();
        assert_eq!(names, ["compared/mml/seed-1", "one"]);
        let one = runs.iter().find(|run| run.name == "one").unwrap();
        assert_eq!((one.step, one.best_accuracy), (9, Some(0.5)));
        assert_eq!(one.state, RunState::Running);
        assert!(find_runs(&folder.path().join("nowhere")).is_empty());
    }
}
