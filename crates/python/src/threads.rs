//! Threads that Python did not start and that ask it something again and again.
//!
//! Python makes a state for a thread that attaches, and throws it away when the thread detaches for good: to attach
//! anew for each call costs twenty times what a small call does. Here a thread keeps its state for as long as it lives.

use pyo3::ffi;
use pyo3::prelude::*;

/// A second hold on this thread's state, beside those of `Python::attach`. It keeps the state, and not the interpreter:
/// between two calls other threads run. A thread that Python started has its state from Python, and needs none.
struct Kept {
    is_ours: bool,
}

impl Kept {
    fn new() -> Self {
        // SAFETY: it may be called at any time; a thread that Python does not know has no state.
        let is_ours = unsafe { ffi::PyGILState_GetThisThreadState() }.is_null();
        if is_ours {
            // SAFETY: the thread is attached, so that this only counts; `drop` gives it back, on the same thread, since
            // nobody else can reach a value that is its thread's own.
            Python::attach(|_| unsafe { ffi::PyGILState_Ensure() });
        }
        Self { is_ours }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if !self.is_ours {
            return;
        }
        // Where the interpreter ends, it has thrown the state away itself.
        Python::try_attach(|_| {
            // SAFETY: the other half of `new`. Both were called on an attached thread, which is what `LOCKED` says; it
            // stays attached, for that is not the last hold.
            unsafe { ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_LOCKED) }
        });
    }
}

thread_local! {
    static KEPT: Kept = Kept::new();
}

/// Asks Python something on a thread of ours, which is cheap from the second time on.
pub fn attached<T>(ask: impl FnOnce(Python<'_>) -> T) -> T {
    KEPT.with(|_| ());
    Python::attach(ask)
}
