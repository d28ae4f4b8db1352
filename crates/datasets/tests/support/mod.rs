//! What integration tests share.

use std::path::{Path, PathBuf};

/// The folder of the benchmarks' data: `MAPO_DATA`, else `../shared/data` beside the workspace. `None`,
/// loudly, if there is none.
pub fn data_dir() -> Option<PathBuf> {
    let dir = match std::env::var_os("MAPO_DATA") {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!(
        "SKIPPED: no data at {}; set MAPO_DATA to the folder that holds it",
        dir.display()
    );
    None
}
