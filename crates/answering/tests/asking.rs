//! The model in the box, asked.

use mapo_answering::{Answerer, Error, LONGEST_QUESTION};
use mapo_model::confidence::Calibration;
use mapo_tables::{Table, TableBuilder};
use std::sync::{Arc, LazyLock};

static BOXED: LazyLock<Answerer> = LazyLock::new(|| Answerer::boxed().expect("the box holds a model"));

fn people() -> Arc<Table> {
    let mut builder = TableBuilder::new("people", ["Name", "Hometown", "Points"]);
    builder.push_row(["Anne", "Tulsa", "12"]);
    builder.push_row(["Bob", "Omaha", "37"]);
    builder.push_row(["Carol", "Reno", "5"]);
    builder.push_row(["Dave", "Omaha", "21"]);
    Arc::new(builder.finish())
}

#[test]
fn simple_questions_are_answered_with_the_reasons() {
    let table = people();
    for (question, answer) in [
        ("what is the hometown of Carol?", "Reno"),
        ("who has the most points?", "Bob"),
        ("how many people are from Omaha?", "2"),
    ] {
        let reply = BOXED.ask(&table, question).unwrap();
        assert_eq!(reply.answer, [answer], "{reply:?}");
        assert_eq!(
            (reply.question.as_str(), reply.table.as_str()),
            (question, "people")
        );
        assert!((0.0..=1.0).contains(&reply.probability) && reply.note.is_none());
        assert!(reply.program.starts_with('(') && !reply.english.is_empty() && !reply.sql.is_empty());
        assert!(!reply.steps.is_empty());
        // Runners-up are other answers, each once, the most probable first.
        let others: Vec<_> = reply.alternatives.iter().map(|other| &other.answer).collect();
        for (place, other) in others.iter().enumerate() {
            assert!(
                **other != reply.answer && !others[..place].contains(other),
                "{reply:?}"
            );
        }
        let probabilities = reply.alternatives.iter().map(|other| other.probability);
        assert!(probabilities.is_sorted_by(|one, other| one >= other), "{reply:?}");
    }
    let reply = BOXED.ask(&table, "what is the hometown of Carol?").unwrap();
    assert!(
        reply.cells.iter().any(|cell| (cell.row, cell.column) == (2, 1)),
        "{:?}",
        reply.cells
    );
    let json = serde_json::to_value(&reply).unwrap();
    for name in [
        "answer",
        "program",
        "english",
        "sql",
        "table",
        "cells",
        "probability",
        "alternatives",
        "steps",
        "sure",
    ] {
        assert!(json.get(name).is_some(), "no {name} in {json}");
    }
}

#[test]
fn asking_again_gives_the_same_whatever_was_asked_between() {
    let (one, two) = (people(), people());
    let question = "who has the most points?";
    let first = BOXED.ask(&one, question).unwrap();
    BOXED.ask(&two, "who is from Tulsa?").unwrap();
    let again = BOXED.ask(&one, question).unwrap();
    assert_eq!(
        (first.answer, first.probability, first.program),
        (again.answer, again.probability, again.program)
    );
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| BOXED.ask(&one, question).unwrap().answer))
            .collect();
        for answer in asked {
            assert_eq!(answer.join().unwrap(), ["Bob"]);
        }
    });
}

#[test]
fn what_cannot_be_asked_is_refused_in_a_sentence() {
    let table = people();
    for empty in ["", "   ", "\n\t"] {
        assert!(matches!(BOXED.ask(&table, empty), Err(Error::NoQuestion)));
    }
    let long = "why ".repeat(100_000);
    let said = BOXED.ask(&table, &long).unwrap_err().to_string();
    assert!(said.contains("100000 words") && said.contains("300"), "{said}");
    let said = BOXED.ask(&table, &"x".repeat(1 << 20)).unwrap_err().to_string();
    assert!(said.contains("1048576 bytes"), "{said}");
    BOXED.ask(&table, &"why ".repeat(LONGEST_QUESTION)).unwrap();
    let nothing = Arc::new(TableBuilder::new("bare", ["Name"]).finish());
    let said = BOXED.ask(&nothing, "who?").unwrap_err().to_string();
    assert!(said.contains("'bare' has no rows"), "{said}");
}

#[test]
fn questions_of_no_language_get_some_reply() {
    let table = people();
    for question in [
        "?",
        "💥💥💥",
        "\u{202e}\u{0}\u{1b}[2J",
        "select * from people; drop table people; --",
        "[] () {} ' \" \\ r.name-str v0 all_rows <END>",
        "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
        "Ποιος έχει τους περισσότερους βαθμούς;",
        "NaN inf -inf 1e999 0x1p3",
    ] {
        let reply = BOXED.ask(&table, question).unwrap();
        assert!(
            reply.probability.is_finite() && reply.program.is_empty() == reply.note.is_some(),
            "{reply:?}"
        );
    }
}

#[test]
fn a_calibration_says_how_sure_it_is_and_keeps_the_answer() {
    let table = people();
    let raw = BOXED.ask(&table, "who has the most points?").unwrap();
    let (network, mut card) = mapo_model::file::load(mapo_model::file::BOX.as_ref(), false).unwrap();
    card.calibration = Some(Calibration {
        bias: -1.0,
        slope: 0.5,
        agreement: 0.0,
        length: 0.0,
        runner_up: -1.0,
        threshold: 0.999,
        fitted_to: "a test".to_owned(),
        answers: 0,
    });
    let calibrated = Answerer::new(network, card)
        .unwrap()
        .ask(&table, "who has the most points?")
        .unwrap();
    assert_eq!(calibrated.answer, raw.answer);
    assert!(calibrated.calibrated && !calibrated.sure);
    assert_eq!(calibrated.raw_probability, raw.raw_probability);
    let odds = (raw.raw_probability / (1.0 - raw.raw_probability)).ln();
    let expected = 1.0 / (1.0 + (1.0 - 0.5 * odds).exp());
    assert!((calibrated.probability - expected).abs() < 1e-9, "{calibrated:?}");
    let all: f64 =
        calibrated.probability + calibrated.alternatives.iter().map(|a| a.probability).sum::<f64>();
    assert!(all <= 1.0 + 1e-9, "{calibrated:?}");
}

#[test]
fn questions_asked_together_have_the_answers_that_they_have_alone() {
    let (table, other) = (people(), stock());
    let asked: Vec<(&Arc<Table>, &str)> = vec![
        (&table, "what is the hometown of Carol?"),
        (&other, "which items cost more than 10?"),
        (&table, ""),
        (&table, "who has the most points?"),
        (&other, "what is the meaning of life?"),
        (&other, "what is the total price of the tools in the cellar?"),
    ];
    let together = BOXED.ask_all(&asked);
    assert_eq!(together.len(), asked.len());
    for ((table, question), answer) in asked.into_iter().zip(together) {
        match (BOXED.ask(table, question), answer) {
            (Ok(alone), Ok(mut reply)) => {
                reply.milliseconds = alone.milliseconds;
                let as_text = |reply: &mapo_answering::Reply| serde_json::to_string(reply).unwrap();
                assert_eq!(as_text(&reply), as_text(&alone), "to the last digit: {question}");
            }
            (Err(alone), Err(error)) => assert_eq!(alone.to_string(), error.to_string()),
            (alone, answer) => panic!("{question}: {alone:?}, but together {answer:?}"),
        }
    }
}

fn stock() -> Arc<Table> {
    let mut builder = TableBuilder::new("stock.csv", ["Item", "Place", "Price", "Bought"]);
    for (item, place, price, bought) in [
        ("Saw", "cellar", "12.50", "2021-03-01"),
        ("Axe", "shed", "31", "2019-07-12"),
        ("Rope", "cellar", "4", "2022-11-30"),
        ("Ladder", "shed", "80", "2018-01-05"),
        ("Bucket", "yard", "6", "2023-05-17"),
    ] {
        builder.push_row([item, place, price, bought]);
    }
    Arc::new(builder.finish())
}

#[test]
fn suggested_questions_are_answered_surely() {
    let table = stock();
    let suggested = BOXED.proven_suggestions(&table, 5);
    assert!((2..=5).contains(&suggested.len()), "{suggested:?}");
    for question in &suggested {
        let reply = BOXED.ask(&table, question).unwrap();
        assert!(reply.sure && !reply.answer.is_empty(), "{question}: {reply:?}");
    }
    assert_eq!(
        BOXED.proven_suggestions(&table, 5),
        suggested,
        "the same every time"
    );
}

#[test]
fn what_nobody_could_read_is_not_compared_for_sure() {
    let mut builder = TableBuilder::new("parts.csv", ["Part", "Code", "Weight"]);
    for (place, part) in ["bolt", "nut", "screw", "nail", "hinge", "latch"]
        .iter()
        .enumerate()
    {
        let code = format!("2004-{}", 217 + place * 31 % 100);
        builder.push_row([part, code.as_str(), "12"]);
    }
    let table = Arc::new(builder.finish());
    let model = &*BOXED;
    let latest = model.ask(&table, "which part has the latest code?").unwrap();
    assert!(!latest.sure);
    assert!(
        latest.column_notes.iter().any(|note| note.starts_with("Code: ")),
        "{latest:?}"
    );
    let read = model.ask(&table, "what is the code of the hinge?").unwrap();
    assert!(read.column_notes.is_empty(), "{:?}", read.column_notes);
}
