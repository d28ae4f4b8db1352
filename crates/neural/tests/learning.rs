//! Any environment gets neural MAPO and all that it is compared with.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_core::{Action, Objective};
use mapo_neural::{ByPrefix, Error, Look, Observed, Observing, Progress, Settings, Trained, train};
use std::ops::ControlFlow;

/// A word of three letters to be spelt backwards, with parts of the context for the letters: tasks of training have other
/// words than those that are held out.
fn backwards(word: &str) -> Box<dyn Observed + Send> {
    let letters: Vec<String> = word.chars().map(String::from).collect();
    let env = ByPrefix::new(|taken: &[Action]| match taken {
        [one, two, three] => Look::Finished((one.0 == 3 && two.0 == 2 && three.0 == 1).into()),
        _ => Look::Open((1..4).map(Action).collect()),
    });
    Box::new(Observing::new(letters, env).mentioning(vec![0..1, 1..2, 2..3]))
}

/// Which of two actions is right is said by the word in the middle.
fn words(numbers: std::ops::Range<u16>) -> Vec<Box<dyn Observed + Send>> {
    numbers
        .map(|number| -> Box<dyn Observed + Send> {
            let wanted = [number % 3, number / 3 % 3, number % 2];
            let names = wanted.map(|action| ["red", "green", "blue"][usize::from(action)]);
            let noise = ["on", "off", "or", "and"][usize::from(number / 5 % 4)];
            let context = [names[0], noise, names[1], names[2]];
            Box::new(Observing::new(
                context,
                ByPrefix::new(move |taken: &[Action]| match taken.len() {
                    3 => Look::Finished(taken.iter().map(|action| action.0).eq(wanted).into()),
                    _ => Look::Open((0..3).map(Action).collect()),
                }),
            ))
        })
        .collect()
}

fn settings() -> Settings {
    Settings {
        actions: 3,
        width: 16,
        steps: 400,
        explore_first: 9,
        batch: 8,
        rate: 5e-3,
        ..Settings::default()
    }
}

#[test]
fn every_objective_learns_and_does_well_on_tasks_that_it_never_met() {
    for objective in Objective::all() {
        let name = objective.name();
        let settings = Settings {
            objective,
            ..settings()
        };
        let trained = train(words(0..40), &settings, |_| ControlFlow::Continue(())).unwrap();
        let report = trained.report();
        assert_eq!((report.tasks, report.steps), (40, 400), "{name}");
        if name == "reinforce" {
            assert_eq!(
                report.solved_first, 0,
                "it has no use for a memory, and nobody explores for it"
            );
        } else {
            assert!(
                report.solved_first < 40 && report.solved == 40,
                "{name}: {report:?}"
            );
        }
        let others = trained.evaluate(&mut words(40..80), 2).unwrap();
        assert_eq!(others.tasks, 40);
        // Without a memory it takes far longer.
        let least = if name == "reinforce" { 0.3 } else { 0.9 };
        assert!(
            others.solved > least && others.in_beam >= others.solved,
            "{name}: {others:?}"
        );
        assert_eq!(others.reward, others.solved, "{name}: all rewards are 0 or 1");
    }
}

#[test]
fn on_one_thread_the_settings_decide_every_bit_and_a_file_keeps_them() {
    let trained = |seed| {
        let settings = Settings {
            seed,
            steps: 30,
            ..settings()
        };
        train(words(0..20), &settings, |_| ControlFlow::Continue(())).unwrap()
    };
    let bits = |trained: &Trained| -> Vec<u32> {
        let values = trained.network().values().iter();
        values.map(|value| value.to_bits()).collect()
    };
    let (one, again, other) = (trained(1), trained(1), trained(2));
    assert_eq!(bits(&one), bits(&again));
    assert_ne!(bits(&one), bits(&other));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.safetensors");
    one.save(&path).unwrap();
    let loaded = Trained::load(&path).unwrap();
    assert_eq!(bits(&one), bits(&loaded));
    assert_eq!(one.report(), loaded.report());
    let programs = |trained: &Trained| trained.programs(&mut words(20..30), 3).unwrap();
    assert_eq!(programs(&one), programs(&loaded));
    assert!(programs(&one).iter().all(|programs| programs.len() == 3));
    std::fs::write(&path, "nonsense").unwrap();
    assert!(Trained::load(&path).is_err());
}

#[test]
fn several_threads_learn_too() {
    let settings = Settings {
        threads: 2,
        ..settings()
    };
    let trained = train(words(0..40), &settings, |_| ControlFlow::Continue(())).unwrap();
    assert!(trained.evaluate(&mut words(40..80), 1).unwrap().solved > 0.9);
}

#[test]
fn actions_can_stand_for_parts_of_the_context() {
    let words = ["abc", "bca", "cab", "acb", "bac", "cba", "aab", "bba"];
    let settings = Settings {
        actions: 1,
        ..settings()
    };
    let tasks = words.iter().map(|word| backwards(word)).collect();
    let trained = train(tasks, &settings, |_| ControlFlow::Continue(())).unwrap();
    let mut others: Vec<_> = ["ccb", "abb", "bcc"].iter().map(|word| backwards(word)).collect();
    assert_eq!(trained.evaluate(&mut others, 3).unwrap().solved, 1.0);
}

#[test]
fn whoever_watches_may_stop_it() {
    let mut seen = 0;
    let trained = train(words(0..20), &settings(), |progress| match progress {
        Progress::Learning { step: 5, .. } => ControlFlow::Break(()),
        _ => {
            seen += 1;
            ControlFlow::Continue(())
        }
    });
    assert_eq!(trained.unwrap().report().steps, 5);
    assert!(seen >= 5, "{seen}");
    let stopped = train(words(0..20), &settings(), |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(Error::Stopped)));
}

#[test]
fn what_cannot_be_is_said_in_a_sentence() {
    let said = |tasks: Vec<Box<dyn Observed + Send>>, settings: &Settings| {
        train(tasks, settings, |_| ControlFlow::Continue(()))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(said(Vec::new(), &settings()), "there is no task to train on");
    let none = Settings {
        actions: 0,
        ..settings()
    };
    assert_eq!(said(words(0..3), &none), "`actions` must be at least 1");
    let few = Settings {
        actions: 2,
        ..settings()
    };
    let problem = said(words(0..3), &few);
    assert!(
        problem.starts_with("task 0 offers the action 2, but there are 2: raise `actions`"),
        "{problem}"
    );
    let outside = Observing::new(["a"], ByPrefix::new(|_| Look::Open(vec![Action(0)])))
        .mentioning(std::iter::once(0..2).collect());
    assert_eq!(
        said(vec![Box::new(outside)], &settings()),
        "task 0 mentions the tokens 0 to 2 of a context of 1"
    );
    // An action that turns up only later is named too.
    let late = ByPrefix::new(|taken: &[Action]| match taken.len() {
        0 => Look::Open(vec![Action(0), Action(1)]),
        1 => Look::Open(vec![Action(7), Action(8)]),
        _ => Look::Finished(1.0),
    });
    let problem = said(vec![Box::new(Observing::new(["a"], late))], &settings());
    assert!(
        problem.starts_with("an action was offered of which the policy knows nothing"),
        "{problem}"
    );
}
