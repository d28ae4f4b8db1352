//! All trials under libFuzzer; `MAPO_TRIAL` says which one. Where it says so when this is built, there is only that
//! one, and nothing that it does not reach.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mapo_trials::Trial;
use std::sync::OnceLock;

static TRIAL: OnceLock<Trial> = OnceLock::new();

/// The only one, found while this is compiled.
const ONLY: Option<Trial> = match option_env!("MAPO_TRIAL") {
    Some(name) => Trial::named(name),
    None => None,
};

/// The one that is asked for now.
fn asked() -> Trial {
    let name = std::env::var("MAPO_TRIAL").unwrap_or_default();
    Trial::named(&name).unwrap_or_else(|| {
        let names: Vec<&str> = Trial::ALL.iter().map(|trial| trial.name).collect();
        eprintln!("MAPO_TRIAL must be one of {}", names.join(", "));
        std::process::exit(2);
    })
}

fuzz_target!(init: {
    let _ = TRIAL.set(match ONLY {
        Some(trial) => trial,
        None => asked(),
    });
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
