//! The program `mapo`: the command, with memory that tells in a sentence when it is exhausted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};
use std::process::{ExitCode, exit};

fn main() -> ExitCode {
    ExitCode::from(mapo_command::run(std::env::args_os()))
}

/// Takes memory from the system; where there is none, says so and ends.
struct Telling;

#[global_allocator]
static ALLOCATOR: Telling = Telling;

/// Ends the process unless there is memory. Nothing here may ask for any.
fn told(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        let sentence =
            "mapo: the memory is exhausted; use a smaller table, or give the command more memory\n";
        let _ = io::stderr().write_all(sentence.as_bytes());
        exit(mapo_web::MEMORY_EXHAUSTED);
    }
    memory
}

// SAFETY: all is done by the system's allocator, which keeps the contract; that we do not return where it
// has nothing to give is allowed.
unsafe impl GlobalAlloc for Telling {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        told(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        told(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        told(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the same contract.
        unsafe { System.dealloc(memory, layout) }
    }
}
