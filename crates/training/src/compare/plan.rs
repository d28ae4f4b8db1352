//! What is compared, and that a directory holds one comparison only.

use mapo_datasets::{Reading, ReadingDifference};
use mapo_language::Lexicon;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::variant::Variant;
use crate::run::config::{Origin, RunConfig};
use crate::run::parts::Part;
use crate::settings::Settings;
use crate::{Error, Result};

const PLAN: &str = "compare.json";
const LOCK: &str = ".lock";

/// What is compared. The first variant is the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The dataset, as on the command line.
    pub data: String,
    /// The split to train on.
    pub split: String,
    /// The split to choose and to compare by.
    pub dev_split: String,
    /// A split for nothing but to be measured at the end.
    pub test_split: Option<String>,
    /// How questions and tables are read.
    #[serde(flatten)]
    pub reading: Reading,
    /// The functions that there are. Comparisons that do not say were made with the paper's.
    #[serde(default)]
    pub functions: Lexicon,
    /// Only this many training examples.
    pub limit: Option<usize>,
    /// The store of programs with which memories begin, if one was given.
    pub memory: Option<FileMark>,
    /// The file of word vectors, if one was given.
    pub vectors: Option<FileMark>,
    /// The variants.
    pub variants: Vec<Variant>,
    /// The seeds of each.
    pub seeds: Vec<u64>,
}

/// A file by what it holds, wherever it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileMark {
    /// Where it was.
    pub file: PathBuf,
    /// How long it is.
    pub bytes: u64,
    /// Its checksum.
    pub crc32c: u32,
}

impl PartialEq for FileMark {
    fn eq(&self, other: &Self) -> bool {
        (self.bytes, self.crc32c) == (other.bytes, other.crc32c)
    }
}

impl FileMark {
    /// Reads a file to know it again.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(file: &Path) -> Result<Self> {
        use std::io::Read;
        let io = |source| Error::File {
            file: file.to_owned(),
            source,
        };
        let mut reader = File::open(file).map_err(io)?;
        let (mut part, mut bytes, mut checksum) = (vec![0; 1 << 20], 0, 0);
        loop {
            let read = reader.read(&mut part).map_err(io)?;
            if read == 0 {
                break;
            }
            bytes += read as u64;
            checksum = crc32c::crc32c_append(checksum, &part[..read]);
        }
        Ok(Self {
            file: file.to_owned(),
            bytes,
            crc32c: checksum,
        })
    }
}

impl Plan {
    /// Takes a directory for this comparison: makes it, or finds it to be the same comparison's. More
    /// variants and more seeds may join; what is there stays what it was. As long as what it returns lives,
    /// no other process gets the directory.
    ///
    /// # Errors
    /// If the directory holds something else, other data or other settings, or another process is at work in
    /// it.
    pub fn begin(&self, directory: &Path) -> Result<File> {
        let wrong = |problem: &str| Error::Run {
            file: directory.to_owned(),
            problem: problem.to_owned(),
        };
        let io = |file: &Path| {
            let file = file.to_owned();
            move |source| Error::File { file, source }
        };
        let file = directory.join(PLAN);
        let is_begun = file.exists();
        if directory.exists() && !is_begun {
            let mut inside = std::fs::read_dir(directory).map_err(io(directory))?.flatten();
            // Half a plan is what a process leaves that is killed while it begins.
            let is_ours = |name: &str| name == LOCK || name.starts_with(&format!(".{PLAN}."));
            if inside.any(|entry| !entry.file_name().to_str().is_some_and(is_ours)) {
                return Err(wrong(
                    "is not empty and holds no comparison; choose another directory",
                ));
            }
        }
        std::fs::create_dir_all(directory).map_err(io(directory))?;
        let lock_file = directory.join(LOCK);
        let lock = File::create(&lock_file).map_err(io(&lock_file))?;
        if lock.try_lock().is_err() {
            return Err(wrong(
                "another process is at work on this comparison; wait for it, or choose another directory",
            ));
        }
        let mut all = self.clone();
        if is_begun {
            let text = std::fs::read_to_string(&file).map_err(io(&file))?;
            let known: Self = serde_json::from_str(&text).map_err(|error| Error::Run {
                file: file.clone(),
                problem: error.to_string(),
            })?;
            if let Some(difference) = self.contradicts(&known) {
                return Err(wrong(&format!(
                    "holds another comparison, with {difference}; choose another directory"
                )));
            }
            all = known.joined_by(self);
        }
        let text = serde_json::to_vec_pretty(&all).map_err(|error| wrong(&error.to_string()))?;
        mapo_files::write(&file, &text)?;
        Ok(lock)
    }

    /// In what an earlier plan for the same directory is another.
    fn contradicts(&self, known: &Self) -> Option<String> {
        let show = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
        let number = |limit: Option<usize>| limit.map(|limit| limit.to_string());
        let file = |mark: &Option<FileMark>| mark.as_ref().map(|mark| mark.file.display().to_string());
        let texts = [
            ("--data", Some(known.data.clone()), Some(self.data.clone())),
            ("--split", Some(known.split.clone()), Some(self.split.clone())),
            (
                "--dev-split",
                Some(known.dev_split.clone()),
                Some(self.dev_split.clone()),
            ),
            (
                "the functions",
                Some(known.functions.to_string()),
                Some(self.functions.to_string()),
            ),
            ("--limit", number(known.limit), number(self.limit)),
        ];
        for (flag, there, here) in texts {
            if there != here {
                return Some(format!("{flag} {} instead of {}", show(&there), show(&here)));
            }
        }
        if let Some(difference) = known.reading.difference(&self.reading) {
            let ReadingDifference {
                switch,
                found,
                wanted,
            } = difference;
            return Some(format!("--{switch} {found} instead of {wanted}"));
        }
        for (flag, there, here) in [
            ("--memory", &known.memory, &self.memory),
            ("--vectors", &known.vectors, &self.vectors),
        ] {
            if there != here {
                let (there, here) = (file(there), file(here));
                let what = if there == here {
                    "of other content"
                } else {
                    "instead of"
                };
                let here = if there == here { String::new() } else { show(&here) };
                return Some(
                    format!("{flag} {} {what} {here}", show(&there))
                        .trim_end()
                        .to_owned(),
                );
            }
        }
        // A split to be measured at the end may come later.
        if let (Some(there), Some(here)) = (&known.test_split, &self.test_split)
            && there != here
        {
            return Some(format!("--test-split {there} instead of {here}"));
        }
        for variant in &self.variants {
            let Some(there) = known.variants.iter().find(|known| known.name == variant.name) else {
                continue;
            };
            if there.settings != variant.settings {
                let there = there.settings.differences(&variant.settings).join(", ");
                let there = if there.is_empty() {
                    "other settings".to_owned()
                } else {
                    there
                };
                return Some(format!("{there} in variant {}", variant.name));
            }
        }
        None
    }

    /// This plan with what another adds to it.
    fn joined_by(mut self, other: &Self) -> Self {
        for variant in &other.variants {
            if !self.variants.iter().any(|known| known.name == variant.name) {
                self.variants.push(variant.clone());
            }
        }
        for seed in &other.seeds {
            if !self.seeds.contains(seed) {
                self.seeds.push(*seed);
            }
        }
        self.test_split = self.test_split.or_else(|| other.test_split.clone());
        self
    }

    /// How a run is made.
    pub fn config(&self, variant: &Variant, seed: u64, threads: usize) -> RunConfig {
        RunConfig {
            run: self.origin(seed, threads),
            settings: variant.settings.clone(),
        }
    }

    /// The data of a run. Its store and its word vectors belong to the comparison.
    pub(crate) fn origin(&self, seed: u64, threads: usize) -> Origin {
        Origin {
            parts: vec![Part {
                split: self.split.clone(),
                dev_split: Some(self.dev_split.clone()),
                limit: self.limit,
                ..Part::plain(self.data.clone(), self.reading)
            }],
            choose_by: None,
            functions: self.functions,
            seed,
            threads,
            vectors: None,
            encoder: None,
            init: None,
        }
    }

    /// Whether the variants can share what was explored: none explores otherwise if all is explored already.
    ///
    /// # Errors
    /// Names the variant that would.
    pub fn check_exploration(&self, common: &Settings) -> Result<()> {
        let otherwise = |variant: &&Variant| {
            variant.explores_first() && variant.settings.explore_first != common.explore_first
        };
        match self
            .variants
            .iter()
            .find(otherwise)
            .filter(|_| self.memory.is_some())
        {
            Some(variant) => Err(Error::Variant(format!(
                "variant {} explores in its own way, but --memory gives what was explored; leave one of them out",
                variant.name
            ))),
            None => Ok(()),
        }
    }

    /// The runs in the order in which they are made: every variant with the first seed, then with the next,
    /// so that there is something to compare early.
    pub fn runs(&self) -> impl Iterator<Item = (&Variant, u64)> {
        let variants = |seed| self.variants.iter().map(move |variant| (variant, seed));
        self.seeds.iter().flat_map(move |&seed| variants(seed))
    }

    /// A run's directory, inside that of the comparison.
    pub fn run_directory(variant: &str, seed: u64) -> PathBuf {
        Path::new(variant).join(format!("seed-{seed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::{Dataset, Selection};

    fn plan(names: &[&str], seeds: &[u64]) -> Plan {
        let variant = |name: &&str| Variant::named(name, &Settings::toy(), &Dataset::toy()).unwrap();
        Plan {
            data: "toy".into(),
            split: "train".into(),
            dev_split: "dev".into(),
            test_split: None,
            reading: Dataset::toy().reading(&Selection::default()),
            functions: Lexicon::PAPER,
            limit: None,
            memory: None,
            vectors: None,
            variants: names.iter().map(variant).collect(),
            seeds: seeds.to_vec(),
        }
    }

    #[test]
    fn a_directory_takes_more_of_the_same_but_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("compared");
        let begin = |plan: &Plan| plan.begin(&path).map(drop);
        let refused = |plan: &Plan| plan.begin(&path).unwrap_err().to_string();
        begin(&plan(&["mapo"], &[1])).unwrap();
        begin(&plan(&["mapo", "mml"], &[1, 2])).unwrap();
        // What is asked for now need not be all that is there.
        begin(&plan(&["iml"], &[3])).unwrap();
        let kept: Plan = serde_json::from_slice(&std::fs::read(path.join(PLAN)).unwrap()).unwrap();
        let names: Vec<&str> = kept
            .variants
            .iter()
            .map(|variant| variant.name.as_str())
            .collect();
        assert_eq!((names, kept.seeds), (vec!["mapo", "mml", "iml"], vec![1, 2, 3]));

        let mut other = plan(&["mapo"], &[1]);
        other.split = "dev".into();
        assert!(
            refused(&other).contains("--split train instead of dev"),
            "{}",
            refused(&other)
        );
        let mut other = plan(&["mapo"], &[1]);
        other.variants[0].settings.learning.rate = 0.25;
        let message = refused(&other);
        assert!(
            message.contains("learning.rate=0.005 in variant mapo"),
            "{message}"
        );
        let mut other = plan(&["mapo"], &[1]);
        other.reading.linking = mapo_questions::Linking::Wide;
        assert!(
            refused(&other).contains("--linking paper instead of wide"),
            "{}",
            refused(&other)
        );
        let written: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path.join(PLAN)).unwrap()).unwrap();
        for (name, value) in plan(&["mapo"], &[1]).reading.named() {
            assert_eq!(written[name], value);
        }
        let mut other = plan(&["mapo"], &[1]);
        other.limit = Some(5);
        assert!(
            refused(&other).contains("--limit none instead of 5"),
            "{}",
            refused(&other)
        );
    }

    #[test]
    fn a_directory_of_something_else_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("thesis.tex"), "x").unwrap();
        let message = plan(&["mapo"], &[1])
            .begin(directory.path())
            .unwrap_err()
            .to_string();
        assert!(message.contains("holds no comparison"), "{message}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_process_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let first = plan(&["mapo"], &[1]).begin(directory.path()).unwrap();
        let message = plan(&["mapo"], &[1])
            .begin(directory.path())
            .unwrap_err()
            .to_string();
        assert!(message.contains("another process"), "{message}");
        drop(first);
        plan(&["mapo"], &[1]).begin(directory.path()).unwrap();
    }

    #[test]
    fn a_file_is_known_by_what_it_holds() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            FileMark::of(&path).unwrap()
        };
        assert_eq!(file("a", "one"), file("b", "one"));
        assert_ne!(file("a", "one"), file("b", "two"));
    }
}
