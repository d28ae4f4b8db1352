//! All trials under libFuzzer; `MAPO_TRIAL` says which one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mapo_trials::Trial;
use std::sync::OnceLock;

static TRIAL: OnceLock<Trial> = OnceLock::new();

fuzz_target!(init: {
    let name = std::env::var("MAPO_TRIAL").unwrap_or_default();
    let Some(trial) = Trial::named(&name) else {
        let names: Vec<&str> = Trial::ALL.iter().map(|trial| trial.name).collect();
        eprintln!("MAPO_TRIAL must be one of {}", names.join(", "));
        std::process::exit(2);
    };
    let _ = TRIAL.set(trial);
    // Work for all cores is done on this thread: what is tried is small, and to wait for others takes longer than it.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    if let Err(error) = alone.build_global() {
        eprintln!("{error}");
        std::process::exit(2);
    }
}, |bytes: &[u8]| {
    if let Some(trial) = TRIAL.get() {
        (trial.run)(bytes);
    }
});
