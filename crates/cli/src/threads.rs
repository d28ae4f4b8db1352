//! How many threads commands work on.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// How many threads to use: all cores when not given.
pub fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// More threads than this are a slip of the pen, and would take all memory.
const MOST: usize = 1024;

/// A number of threads as somebody writes it.
pub fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (1..=MOST).contains(&count) => Ok(count),
        _ => Err(format!(
            "give a number of threads from 1 to {MOST}; without it all cores work"
        )),
    }
}

/// So many threads to work on.
pub fn pool(wanted: Option<usize>) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads(wanted)).build()
}
