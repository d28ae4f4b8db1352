//! Files that are written whole or not at all.
//!
//! A reader never sees half of such a file, and a program or machine that stops in the middle leaves what was
//! there before: the content goes to a temporary file in the same folder, reaches the disk, and then takes
//! the name. [`write()`] takes the content as bytes, [`write_with`] takes what writes it. The temporary file of a
//! process that was killed goes when the same file is written again, or its folder is [swept](sweep).
//!
//! ```
//! use std::io::Write;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("report.md");
//! mapo_files::write(&file, b"# Report\n")?;
//! mapo_files::write_with(&file, |out| {
//!     writeln!(out, "# Report")?;
//!     writeln!(out, "All is well.")
//! })?;
//! assert_eq!(std::fs::read_to_string(&file)?, "# Report\nAll is well.\n");
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::{Builder, NamedTempFile};

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file that cannot be written; what had its name before is still there.
    #[error("{}: cannot be written: {source}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is at work.
    #[error("{}: another process is at work here; wait until it has ended, or end it", .0.display())]
    Locked(PathBuf),
}

/// A place at which only one process works at a time, until this is dropped or the process ends, however it
/// does: a lock that is left behind by a process that was killed holds nobody up.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let lock = mapo_files::Lock::take(folder.path(), ".lock")?;
/// assert!(mapo_files::Lock::take(folder.path(), ".lock").is_err());
/// drop(lock);
/// assert!(mapo_files::Lock::take(folder.path(), ".lock").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of this name in a folder. Where the file system knows no locks, nothing is locked.
    ///
    /// # Errors
    /// [`Error::Locked`] if another has it, [`Error::Write`] if there can be none.
    pub fn take(folder: &Path, name: &str) -> Result<Self, Error> {
        let path = folder.join(name);
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path);
            let file = file.map_err(|source| Error::Write {
                file: path.clone(),
                source,
            })?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(Error::Locked(folder.to_owned())),
                // Whoever had it may have removed it, with the folder, just before it was locked here.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Lock { _file: file }),
            }
        }
    }
}

/// Whether a file that is open is the one that has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |about: std::fs::Metadata| (about.dev(), about.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(ours), Ok(there)) => of(ours) == of(there),
        _ => false,
    }
}

/// Other systems do not remove files that are open.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Writes these bytes to a file, whole or not at all.
///
/// # Errors
/// If the file cannot be written.
pub fn write(file: &Path, content: &[u8]) -> Result<(), Error> {
    write_with(file, |out| out.write_all(content))
}

/// Writes to a file what `content` writes, whole or not at all. If `content` fails, nothing is changed.
///
/// # Errors
/// If the file cannot be written, or `content` fails.
pub fn write_with(
    file: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Error> {
    replace(file, content).map_err(|source| Error::Write {
        file: file.to_owned(),
        source,
    })
}

fn replace(file: &Path, content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let name = file
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a file"))?;
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // It is removed when it is dropped, that is, whenever what follows fails.
    let prefix = format!(".{}.", name.to_string_lossy());
    if is_first(file) {
        sweep_of(folder, &prefix);
    }
    let temporary = temporary(folder, &prefix)?;
    let mut out = BufWriter::new(temporary.as_file().try_clone()?);
    content(&mut out)?;
    out.flush()?;
    drop(out);
    temporary.as_file().sync_all()?;
    temporary.persist(file).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Removes the temporary files that killed processes left in a folder which is ours alone, as that of a run is.
/// Those that a process is writing stay.
pub fn sweep(folder: &Path) {
    sweep_of(folder, ".");
}

fn sweep_of(folder: &Path, prefix: &str) {
    // What cannot be removed does no harm.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let random = name
            .strip_prefix(prefix)
            .and_then(|name| name.strip_suffix(SUFFIX));
        let random = random.and_then(|random| random.rsplit('.').next());
        let is_temporary = random
            .is_some_and(|random| random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric()));
        if is_temporary && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_left(&entry.path());
        }
    }
}

/// Removes a temporary file unless the process that writes it is alive: it holds a lock.
fn remove_if_left(path: &Path) {
    if let Ok(file) = File::options().write(true).open(path)
        && file.try_lock().is_ok()
    {
        let _ = std::fs::remove_file(path);
    }
}

/// Whether this process writes a file for the first time: only then can others have left something.
fn is_first(file: &Path) -> bool {
    static WRITTEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    written.get_or_insert_default().insert(file.to_owned())
}

const SUFFIX: &str = ".tmp";

/// A new temporary file, locked as long as it is written.
fn temporary(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    loop {
        let temporary = new_temporary(folder, prefix)?;
        // Where there are no locks nobody sweeps either.
        let _ = temporary.as_file().lock();
        // Another process may have taken it for one that was left, before it had its lock.
        if temporary.path().exists() {
            return Ok(temporary);
        }
    }
}

fn new_temporary(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(SUFFIX);
    // Temporary files are private by default; this one is to be a file like any other.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// A name is safe on the disk only when its folder is.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Other systems do not open folders as files.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        write(&file, b"one").unwrap();
        write(&file, b"two").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_failure_leaves_what_was_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        write(&file, b"before").unwrap();
        let failed = write_with(&file, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the pen is empty"))
        });
        let said = failed.unwrap_err().to_string();
        assert_eq!(
            said,
            format!("{}: cannot be written: the pen is empty", file.display())
        );
        assert_eq!(std::fs::read(&file).unwrap(), b"before");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn what_killed_processes_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let others = [
            ".b.txt.abc123.tmp",
            ".a.txt.tmp",
            "a.txt.abc123.tmp",
            ".a.txt.ab-123.tmp",
        ];
        for name in others.iter().chain(&[".a.txt.abc123.tmp", ".a.txt.xyz789.tmp"]) {
            std::fs::write(path(name), b"half").unwrap();
        }
        // One that is being written.
        let held = File::open(path(".a.txt.xyz789.tmp")).unwrap();
        held.lock().unwrap();
        write(&path("a.txt"), b"whole").unwrap();
        let mut left: Vec<&str> = others.into_iter().chain([".a.txt.xyz789.tmp", "a.txt"]).collect();
        left.sort_unstable();
        assert_eq!(names(folder.path()), left);
        drop(held);
        sweep(folder.path());
        assert_eq!(
            names(folder.path()),
            [".a.txt.ab-123.tmp", ".a.txt.tmp", "a.txt", "a.txt.abc123.tmp"]
        );
    }

    #[test]
    fn a_lock_that_was_removed_with_its_folder_locks_nobody_out_and_nobody_in() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("work");
        std::fs::create_dir(&folder).unwrap();
        let first = Lock::take(&folder, ".lock").unwrap();
        // As whoever waited with the file open would have it.
        let waiting = File::options().write(true).open(folder.join(".lock")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        drop(first);
        waiting.try_lock().unwrap();
        assert!(!is_at(&waiting, &folder.join(".lock")));
        let said = Lock::take(&folder, ".lock").unwrap_err().to_string();
        assert!(said.contains("cannot be written"), "{said}");
        std::fs::create_dir(&folder).unwrap();
        let second = Lock::take(&folder, ".lock").unwrap();
        assert!(matches!(Lock::take(&folder, ".lock"), Err(Error::Locked(_))));
        drop(second);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("none/a.txt");
        let said = write(&file, b"").unwrap_err().to_string();
        assert!(said.contains("none/a.txt: cannot be written: "), "{said}");
        assert!(!said.contains('\n'));
        let said = write(Path::new(".."), b"").unwrap_err().to_string();
        assert_eq!(said, "..: cannot be written: this is no name of a file");
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_it_as_they_may_read_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write(&ours, b"x").unwrap();
        std::fs::write(&plain, b"x").unwrap();
        let mode = |file: &Path| std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
