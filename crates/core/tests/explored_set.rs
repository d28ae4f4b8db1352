//! An explored set never forgets, and is wrong no more often than it may be.

use mapo_core::{Action, ExploredSet, PrefixHash};
use proptest::prelude::*;

/// Different prefixes, numbered.
fn prefix(number: usize) -> PrefixHash {
    PrefixHash::of(&[Action(number as u16), Action((number >> 16) as u16)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_is_forgotten(members in 0..6_000_usize, exact_limit in 0..3_000_usize, cut in 0.0..1.0) {
        let mut set = ExploredSet::with_exact_limit(1e-6, exact_limit);
        let cut = (members as f64 * cut) as usize;
        for number in 0..cut {
            set.insert(prefix(number));
        }
        // Stored and read back half-way, it goes on as if nothing had happened.
        let text = serde_json::to_string(&set).unwrap();
        let mut copy: ExploredSet = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&text, &serde_json::to_string(&copy).unwrap());
        for number in cut..members {
            set.insert(prefix(number));
            copy.insert(prefix(number));
        }
        prop_assert_eq!(serde_json::to_string(&set).unwrap(), serde_json::to_string(&copy).unwrap());
        prop_assert!((0..members).all(|number| set.contains(prefix(number)) && copy.contains(prefix(number))));
        prop_assert!(set.len() <= members && set.len() >= members * 99 / 100);
        prop_assert!(!set.is_complete());
    }
}

/// Share of a million other prefixes that are taken for members.
fn measured_error(set: &ExploredSet) -> f64 {
    let others = 1_000_000;
    let wrong = (0..others)
        .filter(|number| set.contains(prefix(10_000_000 + number)))
        .count();
    wrong as f64 / others as f64
}

#[test]
fn errors_stay_below_the_wanted_rate_while_it_grows() {
    for wanted in [0.05, 1e-3, 1e-4] {
        let mut set = ExploredSet::with_exact_limit(wanted, 0);
        for number in 0..200_000 {
            set.insert(prefix(number));
            if [100, 256, 257, 10_000, 65_000, 199_999].contains(&number) {
                let error = measured_error(&set);
                assert!(
                    error <= wanted,
                    "{error} instead of {wanted} with {number} members"
                );
            }
        }
    }
}

#[test]
fn an_exact_set_makes_no_errors() {
    let mut set = ExploredSet::new(0.5);
    (0..ExploredSet::EXACT_LIMIT).for_each(|number| set.insert(prefix(number)));
    assert_eq!(measured_error(&set), 0.0);
    assert_eq!(set.len(), ExploredSet::EXACT_LIMIT);
}

#[test]
fn the_root_completes_it_and_clearing_undoes_that() {
    for exact_limit in [0, 10] {
        let mut set = ExploredSet::with_exact_limit(1e-8, exact_limit);
        set.insert(PrefixHash::ROOT);
        assert!(set.is_complete() && !set.is_empty());
        let copy: ExploredSet = serde_json::from_str(&serde_json::to_string(&set).unwrap()).unwrap();
        assert!(copy.is_complete());
        set.clear();
        assert!(!set.is_complete() && set.is_empty() && !set.contains(PrefixHash::ROOT));
    }
}

#[test]
fn a_malformed_file_is_refused() {
    for text in [
        r#"{"error_rate":2.0,"exact_limit":1,"complete":false}"#,
        r#"{"error_rate":0.1,"exact_limit":1,"complete":false,"exact":[1],"filters":[{"hashes":1,"capacity":1,"len":1,"bits":[1]}]}"#,
        r#"{"error_rate":0.1,"exact_limit":1,"complete":false,"filters":[{"hashes":1,"capacity":1,"len":1,"bits":[]}]}"#,
        r#"{"error_rate":0.1,"exact_limit":1,"complete":false,"filters":[{"hashes":0,"capacity":1,"len":1,"bits":[1]}]}"#,
    ] {
        let refused = serde_json::from_str::<ExploredSet>(text).unwrap_err().to_string();
        assert!(
            refused.contains("not a stored set of explored prefixes"),
            "{refused}"
        );
    }
}
