//! What the command may take of the machine, so that memory is exhausted before the system ends other programs for it.

use mapo_tables::Largest;
use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use std::fs;
use std::io;

/// Limits this process to nine tenths of the machine's memory, or of what its group of processes may have.
pub fn limit_to_what_there_is() {
    let Some(memory) = memory_there_is() else { return };
    // Where the system refuses, all is as it was.
    let _ = lower(Resource::Data, memory / 10 * 9);
}

/// The largest table that can be worked with in the memory that this process may take: beside its texts there are
/// the forms in which they are searched.
pub fn largest_table() -> Largest {
    let limits = [Resource::As, Resource::Data].map(|what| getrlimit(what).current);
    let memory = limits.into_iter().flatten().min();
    Largest {
        text: memory.map_or(usize::MAX, |memory| {
            usize::try_from(memory / 2).unwrap_or(usize::MAX)
        }),
        ..Largest::ANY
    }
}

/// A file that may not grow any more is an error to be told, as a full disk is, and not the end of the process.
pub fn survive_full_files() {
    #[cfg(unix)]
    // SAFETY: to ignore a signal runs no code of ours.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Limits this process to some memory and seconds of the processor, and lets all others go first. It may write
/// no file.
pub fn confine(memory: u64, seconds: u64) -> io::Result<()> {
    lower(Resource::As, memory)?;
    lower(Resource::Cpu, seconds)?;
    lower(Resource::Core, 0)?;
    lower(Resource::Fsize, 0)?;
    step_aside();
    Ok(())
}

/// Lets all other processes go first.
pub fn step_aside() {
    let _ = nice(10);
}

fn lower(what: Resource, to: u64) -> io::Result<()> {
    let now = getrlimit(what);
    let least = |now: Option<u64>| Some(now.map_or(to, |now| now.min(to)));
    let limit = Rlimit {
        current: least(now.current),
        maximum: least(now.maximum),
    };
    Ok(setrlimit(what, limit)?)
}

fn memory_there_is() -> Option<u64> {
    let of_machine = fs::read_to_string("/proc/meminfo").ok()?;
    let of_machine = of_machine
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let of_machine = of_machine.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024;
    let of_group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let of_group = of_group.and_then(|text| text.trim().parse().ok());
    Some(of_group.map_or(of_machine, |group: u64| group.min(of_machine)))
}
