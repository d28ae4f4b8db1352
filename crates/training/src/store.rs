//! The program store: what exploration found, one example in a line.
//!
//! The first line is a [`Header`] that says how the programs were found; each further line is an [`Entry`].
//! A store grows by whole lines in the order of the examples, so that one that was cut off anywhere still
//! holds examples from the first on, without a gap. Each line ends with a checksum over itself and all before it,
//! and the header says how many there will be: what has changed or is missing is refused with its line. Stores
//! from before there were checksums are read without.

use mapo_core::{Exploration, Milestone};
use mapo_datasets::{Example, Fingerprint, Reading};
use mapo_language::{Language, Lexicon};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::chain::{Chain, is_sealed};

/// How the programs of a store were found. Two stores with equal headers hold the same programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The kind of dataset: `wtq`, `wikisql`, `jsonl`, `toy`.
    pub dataset: String,
    /// The split.
    pub split: String,
    /// How its questions and tables were read.
    #[serde(flatten)]
    pub reading: Reading,
    /// How many examples were to be explored.
    pub examples: usize,
    /// [`Language::VERSION`].
    #[serde(rename = "version")]
    pub language: u32,
    /// The functions that there were. Stores that do not say were made with the paper's.
    #[serde(default)]
    pub functions: Lexicon,
    /// How many expressions a program may have.
    pub expressions: usize,
    /// Which functions were tried: `none` for all, `paper` or `wide` for those that a word of the question
    /// suggests.
    pub pruning: String,
    /// Programs to try for each example.
    pub programs: u64,
    /// The seed.
    pub seed: u64,
}

/// What was found for one example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The example.
    pub id: String,
    /// What its question, answer and table were; nothing in a store from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Fingerprint>,
    /// Programs tried.
    pub tried: u64,
    /// Prefixes that could not be continued.
    pub dead_ends: u64,
    /// Whether every program there is was tried.
    pub complete: bool,
    /// Programs tried and found after each batch.
    pub batches: Vec<(u64, u64)>,
    /// Bytes that the explored prefixes took.
    pub explored_bytes: usize,
    /// The programs with reward, in the order in which they were found.
    pub programs: Vec<String>,
    /// How far each of them is believed to mean the right thing, above 0 and at most 1; empty in a store that
    /// was not [weighed](crate::weighing).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f32>,
}

impl Entry {
    /// The entry of an example, its programs as text.
    pub fn new(example: &Example, exploration: &Exploration, programs: Vec<String>) -> Self {
        let batch = |milestone: &Milestone| (milestone.tried, milestone.found);
        Entry {
            id: example.id.clone(),
            data: Some(example.fingerprint()),
            tried: exploration.tried,
            dead_ends: exploration.dead_ends,
            complete: exploration.is_complete,
            batches: exploration.milestones.iter().map(batch).collect(),
            explored_bytes: exploration.explored_bytes,
            programs,
            weights: Vec::new(),
        }
    }

    /// Whether the example has changed since, as far as is known.
    pub fn is_of_another(&self, example: &Example) -> bool {
        self.data.is_some_and(|data| data != example.fingerprint())
    }
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file cannot be read or written.
    #[error("{}: {source}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The store was made otherwise.
    #[error("{}: made with {what} {found}, but {what} {wanted} is wanted; {advice}", .file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// What differs.
        what: &'static str,
        /// In the store.
        found: String,
        /// Asked for.
        wanted: String,
        /// What to do.
        advice: &'static str,
    },
    /// A line is not what it should be.
    #[error("{}, line {line}: {problem}", .file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A complete store is already there.
    #[error("{}: there already; remove it or choose another name", .0.display())]
    Exists(PathBuf),
    /// Another process writes it.
    #[error("{}: another process is writing this store; wait until it has ended, or end it", .0.display())]
    Locked(PathBuf),
}

impl Header {
    /// The header in the first line of a store. Before there were two languages, the version of the one stood
    /// under the name of which one it is.
    fn read(line: &str) -> serde_json::Result<Header> {
        let mut header: serde_json::Value = serde_json::from_str(line)?;
        if let Some(header) = header.as_object_mut()
            && let Some(version) = header.remove("language")
        {
            let name = if version.is_number() {
                "version"
            } else {
                "language"
            };
            header.insert(name.to_owned(), version);
        }
        serde_json::from_value(header)
    }

    /// Whether programs found under `self` serve where `wanted` is asked for; says what does not fit.
    pub fn check(&self, wanted: &Header, file: &Path) -> Result<(), StoreError> {
        let advice = "explore again, or use the store with what it was made for";
        let reading = self.reading.difference(&wanted.reading);
        let reading = reading.map(|difference| (difference.switch, difference.found, difference.wanted));
        let pairs = [
            ("dataset", self.dataset.clone(), wanted.dataset.clone()),
            ("split", self.split.clone(), wanted.split.clone()),
        ];
        let pairs = pairs.into_iter().chain(reading).chain([
            (
                "language version",
                self.language.to_string(),
                wanted.language.to_string(),
            ),
            (
                "functions",
                self.functions.to_string(),
                wanted.functions.to_string(),
            ),
            (
                "most expressions",
                self.expressions.to_string(),
                wanted.expressions.to_string(),
            ),
            ("examples", self.examples.to_string(), wanted.examples.to_string()),
            ("pruning", self.pruning.clone(), wanted.pruning.clone()),
            ("programs", self.programs.to_string(), wanted.programs.to_string()),
            ("seed", self.seed.to_string(), wanted.seed.to_string()),
        ]);
        match { pairs }.find(|(_, found, wanted)| found != wanted) {
            None => Ok(()),
            Some((what, found, wanted)) => Err(StoreError::Header {
                file: file.to_owned(),
                what,
                found,
                wanted,
                advice,
            }),
        }
    }
}

/// Reads a store: the header, then the entries one by one.
pub struct StoreReader {
    file: PathBuf,
    header: Header,
    lines: BufReader<File>,
    /// How many lines were read.
    line: usize,
    /// The checksum so far, in a store that has them.
    chain: Option<Chain>,
    /// Whether there are to be as many entries as the header says.
    is_whole: bool,
    is_over: bool,
}

impl StoreReader {
    /// Opens a store and reads its header.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io {
            file: file.to_owned(),
            source,
        };
        let mut lines = BufReader::new(File::open(file).map_err(io)?);
        let first = read_line(&mut lines).map_err(io)?.unwrap_or(Ok(String::new()));
        let wrong = |problem: String| StoreError::Line {
            file: file.to_owned(),
            line: 1,
            problem,
        };
        let first = first.map_err(|()| wrong(DAMAGED.to_owned()))?;
        let mut chain = is_sealed(&first).then(Chain::default);
        if chain.as_mut().is_some_and(|chain| !chain.fits(&first)) {
            return Err(wrong(DAMAGED.to_owned()));
        }
        let header = Header::read(&first).map_err(|error| {
            wrong(format!(
                "this is no program store ({error}); make one with mapo explore --out"
            ))
        })?;
        if header.language != Language::VERSION {
            let advice = "the language has changed since: explore again";
            let (found, wanted) = (header.language.to_string(), Language::VERSION.to_string());
            let what = "language version";
            return Err(StoreError::Header {
                file: file.to_owned(),
                what,
                found,
                wanted,
                advice,
            });
        }
        Ok(StoreReader {
            file: file.to_owned(),
            header,
            lines,
            line: 1,
            chain,
            is_whole: true,
            is_over: false,
        })
    }

    /// How the programs were found.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn entry(&mut self) -> Result<Option<Entry>, StoreError> {
        let line = read_line(&mut self.lines).map_err(|source| StoreError::Io {
            file: self.file.clone(),
            source,
        })?;
        let Some(line) = line else {
            return self.end().map(|()| None);
        };
        self.line += 1;
        let line = line.map_err(|()| self.wrong(DAMAGED.to_owned()))?;
        let is_right = match &mut self.chain {
            Some(chain) => chain.fits(&line),
            // One that has a checksum where the header has none has lost the header's.
            None => !is_sealed(&line),
        };
        if !is_right {
            return Err(self.wrong(DAMAGED.to_owned()));
        }
        let entry = serde_json::from_str(&line).map_err(|error| self.wrong(error.to_string()))?;
        Ok(Some(entry))
    }

    /// Whether all has been read that there should be.
    fn end(&self) -> Result<(), StoreError> {
        let (entries, expected) = (self.line - 1, self.header.examples);
        match self.is_whole && entries < expected {
            true => Err(self.wrong(format!(
                "the store ends here with {entries} of {expected} examples, for it was cut off or is not finished; \
                 take a copy from before, or explore again"
            ))),
            false => Ok(()),
        }
    }

    fn wrong(&self, problem: String) -> StoreError {
        StoreError::Line {
            file: self.file.clone(),
            line: self.line,
            problem,
        }
    }
}

const DAMAGED: &str = "the store is damaged: the checksum is not that of this line and those before it; \
                       take a copy from before, or explore again";

/// The next line without its end, if there is one and it is text.
fn read_line(lines: &mut impl BufRead) -> std::io::Result<Option<Result<String, ()>>> {
    let mut line = Vec::new();
    if lines.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(Some(String::from_utf8(line).map_err(|_| ())))
}

impl Iterator for StoreReader {
    type Item = Result<Entry, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let entry = self.entry().transpose();
        // Nothing behind what is wrong can be believed.
        self.is_over = !matches!(entry, Some(Ok(_)));
        entry
    }
}

/// Writes a store, going on from where an earlier run was cut off.
///
/// It grows under the name `FILE.partial` and gets its own when it is complete.
pub struct StoreWriter {
    file: PathBuf,
    partial: PathBuf,
    out: BufWriter<File>,
    /// The checksum so far; none in a store that was begun before there were any.
    chain: Option<Chain>,
}

impl StoreWriter {
    /// Begins a store, or goes on with the one that an earlier run left; the entries that are there already
    /// come back.
    pub fn open(file: &Path, header: &Header) -> Result<(Self, Vec<Entry>), StoreError> {
        if file.exists() {
            return Err(StoreError::Exists(file.to_owned()));
        }
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let partial = file.with_file_name(name);
        let io = |source| StoreError::Io {
            file: partial.clone(),
            source,
        };
        let mut options = OpenOptions::new();
        let mut opened = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&partial)
            .map_err(io)?;
        // Held until the store is complete or this process ends.
        if let Err(TryLockError::WouldBlock) = opened.try_lock() {
            return Err(StoreError::Locked(partial));
        }
        let whole = whole_lines(&mut opened).map_err(io)?;
        opened.set_len(whole).map_err(io)?;
        opened.seek(SeekFrom::End(0)).map_err(io)?;
        let mut entries = Vec::new();
        let mut chain = Some(Chain::default());
        if whole > 0 {
            let mut reader = StoreReader::open(&partial)?;
            reader.is_whole = false;
            reader.header().check(header, &partial)?;
            entries = reader.by_ref().collect::<Result<_, _>>()?;
            chain = reader.chain;
        }
        let mut writer = StoreWriter {
            file: file.to_owned(),
            partial: partial.clone(),
            out: BufWriter::new(opened),
            chain,
        };
        if whole == 0 {
            writer.write(header)?;
        }
        Ok((writer, entries))
    }

    /// Where the store grows.
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// Adds an example.
    pub fn push(&mut self, entry: &Entry) -> Result<(), StoreError> {
        self.write(entry)
    }

    /// Gives the complete store its name.
    pub fn finish(mut self) -> Result<(), StoreError> {
        let flushed = self.out.flush().and_then(|()| self.out.get_ref().sync_all());
        let finished = flushed.and_then(|()| std::fs::rename(&self.partial, &self.file));
        finished.map_err(|source| StoreError::Io {
            file: self.partial,
            source,
        })
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), StoreError> {
        let mut text = serde_json::to_string(line)
            .map_err(std::io::Error::from)
            .unwrap_or_default();
        if let Some(chain) = &mut self.chain {
            text = chain.seal(&text);
        }
        text.push('\n');
        // A line goes out at once: what was explored is never lost.
        let written = self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush());
        written.map_err(|source| StoreError::Io {
            file: self.partial.clone(),
            source,
        })
    }
}

/// How many bytes of the file are whole lines.
fn whole_lines(file: &mut File) -> std::io::Result<u64> {
    let mut content = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut content)?;
    Ok(content
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end as u64 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            dataset: "toy".into(),
            split: "train".into(),
            reading: Reading::PLAIN,
            examples: 3,
            language: Language::VERSION,
            functions: Lexicon::PAPER,
            expressions: 3,
            pruning: "wide".into(),
            programs: 10,
            seed: 1,
        }
    }

    fn entry(id: &str) -> Entry {
        let programs = vec!["(count all_rows)".to_owned()];
        let (tried, dead_ends, complete, batches, explored_bytes) = (10, 0, false, vec![(10, 1)], 64);
        Entry {
            id: id.to_owned(),
            data: None,
            tried,
            dead_ends,
            complete,
            batches,
            explored_bytes,
            programs,
            weights: Vec::new(),
        }
    }

    #[test]
    fn a_store_cut_off_anywhere_goes_on_to_the_same_end() {
        let folder = tempfile::tempdir().unwrap();
        let undisturbed = folder.path().join("a.jsonl");
        let (mut writer, _) = StoreWriter::open(&undisturbed, &header()).unwrap();
        for id in ["1", "2", "3"] {
            writer.push(&entry(id)).unwrap();
        }
        writer.finish().unwrap();
        let whole = std::fs::read(&undisturbed).unwrap();
        for cut in (0..whole.len()).step_by(7) {
            let file = folder.path().join(format!("cut-{cut}.jsonl"));
            std::fs::write(
                folder.path().join(format!("cut-{cut}.jsonl.partial")),
                &whole[..cut],
            )
            .unwrap();
            let (mut writer, done) = StoreWriter::open(&file, &header()).unwrap();
            for id in ["1", "2", "3"].into_iter().skip(done.len()) {
                writer.push(&entry(id)).unwrap();
            }
            writer.finish().unwrap();
            assert_eq!(std::fs::read(&file).unwrap(), whole, "cut at {cut}");
        }
    }

    /// A whole store of three examples, and its lines.
    fn written(folder: &Path) -> (PathBuf, Vec<u8>) {
        let file = folder.join("whole.jsonl");
        let (mut writer, _) = StoreWriter::open(&file, &header()).unwrap();
        for id in ["1", "2", "3"] {
            writer.push(&entry(id)).unwrap();
        }
        writer.finish().unwrap();
        let bytes = std::fs::read(&file).unwrap();
        (file, bytes)
    }

    fn read(file: &Path) -> Result<Vec<Entry>, StoreError> {
        StoreReader::open(file)?.collect()
    }

    #[test]
    fn a_bit_that_has_changed_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let (file, whole) = written(folder.path());
        assert_eq!(read(&file).unwrap().len(), 3);
        for bit in (0..8 * whole.len()).step_by(5) {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&file, &bytes).unwrap();
            let Err(error) = read(&file) else {
                panic!("bit {bit} was not missed: {}", String::from_utf8_lossy(&bytes))
            };
            let line = whole[..bit / 8].iter().filter(|&&byte| byte == b'\n').count() + 1;
            // A header whose checksum cannot be seen any more is one from before, and the next line does not fit it.
            let said = error.to_string();
            let names = |line: usize| said.contains(&format!("whole.jsonl, line {line}:"));
            assert!(names(line) || (line == 1 && names(2)), "bit {bit}: {said}");
        }
    }

    #[test]
    fn a_store_cut_off_anywhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (file, whole) = written(folder.path());
        // Without the last line end nothing is missing.
        for cut in 0..whole.len() - 1 {
            std::fs::write(&file, &whole[..cut]).unwrap();
            let said = read(&file).err().map(|error| error.to_string());
            let said = said.unwrap_or_else(|| panic!("cut at {cut} was not missed"));
            assert!(said.contains("whole.jsonl, line "), "{said}");
        }
        // A line that is missing between others, and whole lines at the end.
        let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
        std::fs::write(&file, [lines[0], lines[1], lines[3]].concat()).unwrap();
        let said = read(&file).unwrap_err().to_string();
        assert!(said.contains("line 3: the store is damaged"), "{said}");
        std::fs::write(&file, lines[..3].concat()).unwrap();
        let said = read(&file).unwrap_err().to_string();
        assert!(
            said.contains("line 3: the store ends here with 2 of 3 examples"),
            "{said}"
        );
    }

    #[test]
    fn a_store_from_before_there_were_checksums_is_read_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let old: Vec<String> = [serde_json::to_string(&header()).unwrap()]
            .into_iter()
            .chain(["1", "2", "3"].map(|id| serde_json::to_string(&entry(id)).unwrap()))
            .map(|line| line + "\n")
            .collect();
        let file = folder.path().join("old.jsonl");
        std::fs::write(&file, old.concat()).unwrap();
        assert_eq!(read(&file).unwrap(), ["1", "2", "3"].map(entry));
        let file = folder.path().join("begun.jsonl");
        std::fs::write(folder.path().join("begun.jsonl.partial"), old[..2].concat()).unwrap();
        let (mut writer, done) = StoreWriter::open(&file, &header()).unwrap();
        assert_eq!(done, [entry("1")]);
        writer.push(&entry("2")).unwrap();
        writer.push(&entry("3")).unwrap();
        writer.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), old.concat());
    }

    #[test]
    fn a_store_that_names_no_functions_has_the_papers() {
        let mut written = serde_json::to_value(header()).unwrap();
        assert_eq!(written["functions"][22], "diff");
        written.as_object_mut().unwrap().remove("functions");
        let old: Header = serde_json::from_value(written).unwrap();
        assert_eq!(old, header());
    }

    #[test]
    fn the_reading_lies_flat_in_the_header() {
        let written = serde_json::to_value(header()).unwrap();
        for (name, value) in header().reading.named() {
            assert_eq!(written[name], value);
        }
        // A store from before there was a choice of linking and of fit.
        let mut old = written.clone();
        old.as_object_mut()
            .unwrap()
            .retain(|name, _| !["linking", "fit"].contains(&name.as_str()));
        assert_eq!(serde_json::from_value::<Header>(old.clone()).unwrap(), header());
        // And one from before there were two languages, where the version of the one stood in that place.
        let fields = old.as_object_mut().unwrap();
        fields.insert("language".to_owned(), Language::VERSION.into());
        fields.remove("version");
        assert_eq!(Header::read(&old.to_string()).unwrap(), header());
    }

    #[test]
    fn a_store_that_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl");
        drop(StoreWriter::open(&file, &header()).unwrap());
        let other = Header { seed: 2, ..header() };
        let error = StoreWriter::open(&file, &other).err().unwrap().to_string();
        assert!(
            error.contains("made with seed 1, but seed 2 is wanted"),
            "{error}"
        );
        let mut other = header();
        other.reading.fit = mapo_language::Fit::Table;
        let error = StoreWriter::open(&file, &other).err().unwrap().to_string();
        assert!(
            error.contains("made with fit rows, but fit table is wanted"),
            "{error}"
        );
    }
}
