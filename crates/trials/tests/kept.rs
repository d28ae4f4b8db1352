//! What fuzzers begin with, and every file that once did harm, given to every trial.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_trials::Trial;
use std::fs;
use std::path::{Path, PathBuf};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(files) => files.map(|file| file.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    };
    files.sort();
    files
}

#[test]
fn every_seed_is_taken_by_its_trial() {
    let mut tried = 0;
    for trial in Trial::ALL {
        for file in files(&here().join("seeds").join(trial.name)) {
            (trial.run)(&fs::read(&file).unwrap());
            tried += 1;
        }
    }
    assert!(tried > 50, "only {tried} seeds were found");
}

/// So that fuzzers begin with something that is read to its end.
#[test]
fn seeds_of_models_and_runs_are_models_and_runs() {
    for file in files(&here().join("seeds/model")) {
        let read = mapo_model::file::from_bytes(&fs::read(&file).unwrap(), &file, true);
        assert!(read.is_ok(), "{}: {:?}", file.display(), read.err());
    }
    for file in files(&here().join("seeds/run-config")) {
        let read = toml::from_str::<mapo_training::RunConfig>(&fs::read_to_string(&file).unwrap());
        assert!(read.is_ok(), "{}: {:?}", file.display(), read.err());
    }
}

#[test]
fn every_folder_of_seeds_is_of_a_trial() {
    for folder in files(&here().join("seeds")) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(Trial::named(&name).is_some(), "{name}");
    }
}

/// Two of them take gigabytes of memory, which the command's limits end; they are not for a test.
#[test]
fn files_that_did_harm_are_survived() {
    let mut tried = 0;
    for file in files(&here().join("../tables/tests/hostile")) {
        if file.to_str().unwrap().contains("alloc-") {
            continue;
        }
        let bytes = fs::read(&file).unwrap();
        for name in ["parquet", "any-table", "wire"] {
            (Trial::named(name).unwrap().run)(&bytes);
        }
        tried += 1;
    }
    assert!(tried >= 3, "only {tried} files were found");
}

#[test]
fn names_are_there_once() {
    for (place, trial) in Trial::ALL.iter().enumerate() {
        let first = Trial::ALL.iter().position(|other| other.name == trial.name);
        assert_eq!(first, Some(place), "{}", trial.name);
    }
}
