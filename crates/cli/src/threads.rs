//! How many threads commands work on.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// How many threads to use: all cores when not given.
pub fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// So many threads to work on.
pub fn pool(wanted: Option<usize>) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads(wanted)).build()
}
