//! A run gives the same whatever the number of threads and however often it is stopped.

#![allow(clippy::unwrap_used, reason = "the functions here belong to tests")]

mod common;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use common::{Tree, TreeEnv, trees};
use mapo_core::{Ending, Exploration, Plan, Progress, Uniform, explore_all};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

type Store = Vec<(u64, Exploration)>;

fn forest(size: usize) -> Vec<Tree> {
    let mut runner = TestRunner::deterministic();
    (0..size)
        .map(|_| trees().new_tree(&mut runner).unwrap().current())
        .collect()
}

fn plan() -> Plan {
    Plan {
        programs: 60,
        seed: 11,
        first_batch: 5,
        ..Plan::default()
    }
}

/// Explores what the store does not have yet, with `threads` threads, and stops when it is to begin one
/// example more than `most`.
fn run(forest: &[Tree], store: &mut Store, threads: usize, most: u64) -> Ending {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let progress = Progress::default();
    let begun = AtomicU64::new(0);
    let first = store.len() as u64;
    pool.install(|| {
        let env_of = |example: u64| {
            if begun.fetch_add(1, Relaxed) >= most {
                progress.stop();
            }
            TreeEnv::new(&forest[example as usize])
        };
        explore_all(
            first..forest.len() as u64,
            env_of,
            &Uniform,
            &plan(),
            &progress,
            |example, exploration| {
                store.push((example, exploration));
                Ok::<(), ()>(())
            },
        )
        .unwrap()
    })
}

#[test]
fn threads_do_not_matter() {
    let forest = forest(300);
    let (mut one, mut two) = (Store::new(), Store::new());
    assert_eq!(run(&forest, &mut one, 1, u64::MAX), Ending::Finished);
    assert_eq!(run(&forest, &mut two, 2, u64::MAX), Ending::Finished);
    assert_eq!(one.len(), forest.len());
    assert!(one.iter().map(|(example, _)| *example).eq(0..300));
    assert!(one == two);
}

#[test]
fn stopping_does_not_matter() {
    let forest = forest(300);
    let mut undisturbed = Store::new();
    run(&forest, &mut undisturbed, 2, u64::MAX);
    let mut store = Store::new();
    let mut stops = 0;
    while run(&forest, &mut store, 1 + stops % 2, 3 + 7 * (stops as u64 % 5)) == Ending::Stopped {
        assert!(store[..] == undisturbed[..store.len()]);
        stops += 1;
    }
    assert!(stops > 5);
    assert!(store == undisturbed);
}

#[test]
fn progress_counts_what_was_delivered() {
    let forest = forest(50);
    let progress = Progress::default();
    let (mut tried, mut solved, mut complete) = (0, 0, 0);
    let env_of = |example: u64| TreeEnv::new(&forest[example as usize]);
    explore_all(0..50, env_of, &Uniform, &plan(), &progress, |_, exploration| {
        tried += exploration.tried;
        solved += u64::from(exploration.is_solved());
        complete += u64::from(exploration.is_complete);
        Ok::<(), ()>(())
    })
    .unwrap();
    assert_eq!(progress.examples(), 50);
    assert_eq!(
        (progress.programs(), progress.solved(), progress.complete()),
        (tried, solved, complete)
    );
}

#[test]
fn a_failed_delivery_ends_the_run() {
    let forest = forest(100);
    let mut delivered = 0;
    let env_of = |example: u64| TreeEnv::new(&forest[example as usize]);
    let ended = explore_all(
        0..100,
        env_of,
        &Uniform,
        &plan(),
        &Progress::default(),
        |example, _| {
            if example == 7 {
                return Err("disk full");
            }
            delivered += 1;
            Ok(())
        },
    );
    assert_eq!(ended, Err("disk full"));
    assert_eq!(delivered, 7);
}
