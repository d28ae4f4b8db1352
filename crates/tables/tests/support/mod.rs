//! What several integration tests share.

use std::path::PathBuf;

/// The folder of benchmark data: `MAPO_DATA`, or `../shared/data` beside the workspace. None when there is none, so
/// that tests on real data can say that they are skipped.
pub fn data_dir() -> Option<PathBuf> {
    let dir = match std::env::var_os("MAPO_DATA") {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
    };
    dir.is_dir().then_some(dir)
}
