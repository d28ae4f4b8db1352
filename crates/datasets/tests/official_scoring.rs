//! WikiTableQuestions scoring against the official evaluator's own verdicts.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

mod support;

use std::collections::HashMap;
use std::fs;

use mapo_datasets::scoring::Item;
use mapo_datasets::scoring::wtq::{Scratch, Target, check, predictions, to_values};
use mapo_text::split_list;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    target: Vec<String>,
    canon: Vec<String>,
    prediction: Vec<String>,
    correct: bool,
}

fn text_of(path: std::path::PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn gives_the_verdicts_of_the_official_evaluator() {
    let Some(data) = support::data_dir() else { return };
    let mut scratch = Scratch::default();
    let (mut cases, mut wrong) = (0, Vec::new());
    for (line, text) in (1..).zip(text_of(data.join("vectors/wtq_verdicts.jsonl")).lines()) {
        let case: Case = serde_json::from_str(text).unwrap();
        cases += 1;
        let by_values = check(
            &to_values(&case.target, &case.canon),
            &to_values(&case.prediction, &[""; 0]),
        );
        let items = case.prediction.iter().map(|item| Item::Text(item));
        let by_target = Target::new(&case.target, &case.canon).matches(items, &mut scratch);
        if (by_values, by_target) != (case.correct, case.correct) {
            wrong.push((line, by_values, by_target, case.correct));
        }
    }
    println!("{} of {cases} verdicts agree", cases - wrong.len());
    assert_eq!(cases, 12_000);
    assert!(
        wrong.is_empty(),
        "(line, by values, by target, official): {wrong:?}"
    );
}

/// The examples of a tagged file: id, target, canonical target.
fn tagged_examples(text: &str) -> Vec<(String, Vec<String>, Vec<String>)> {
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name| header.iter().position(|&h| h == name).unwrap();
    let (id, value, canon) = (column("id"), column("targetValue"), column("targetCanon"));
    lines
        .map(|fields| {
            (
                fields[id].to_owned(),
                split_list(fields[value]),
                split_list(fields[canon]),
            )
        })
        .collect()
}

#[test]
fn every_right_answer_is_right() {
    let Some(data) = support::data_dir() else { return };
    for name in ["training", "pristine-seen-tables"] {
        let text = text_of(data.join(format!("WikiTableQuestions/tagged/data/{name}.tagged")));
        let examples = tagged_examples(&text);
        assert!(examples.len() > 1000);
        // Gold against gold, both with their canonical forms.
        let mut wrong: Vec<&str> = Vec::new();
        for (id, target, canon) in &examples {
            assert_eq!(target.len(), canon.len(), "{id}");
            let values = to_values(target, canon);
            if !check(&values, &values) {
                wrong.push(id);
            }
        }
        println!(
            "{name}: {} of {} right",
            examples.len() - wrong.len(),
            examples.len()
        );
        assert!(wrong.is_empty(), "{wrong:?}");

        // The same through a prediction file, which holds the target's own text.
        let file: String = examples
            .iter()
            .map(|(id, target, _)| format!("{id}\t{}\n", target.join("\t").replace('\n', " ")))
            .collect();
        let predictions = predictions::parse(&file, "gold.tsv".as_ref()).unwrap();
        let gold: Vec<_> = examples
            .iter()
            .map(|(id, target, canon)| (id.as_str(), to_values(target, canon)))
            .collect();
        let report = predictions::score(gold.iter().map(|(id, v)| (*id, v.as_slice())), &predictions);
        println!(
            "{name}, as a prediction file: {} of {} right",
            report.correct(),
            examples.len()
        );
        assert_eq!(report.predicted(), examples.len());
        assert_eq!(report.unknown, []);
    }
}

#[derive(Deserialize)]
struct Program {
    id: String,
    kind: String,
    result: Vec<serde_json::Value>,
    reward: u8,
    extra_work: bool,
}

/// The rewards that the published code gave: they differ from ours only where it lost digits.
#[test]
fn rewards_programs_as_the_published_code_does() {
    let Some(data) = support::data_dir() else { return };
    let mut targets = HashMap::new();
    for name in ["training", "pristine-seen-tables"] {
        let text = text_of(data.join(format!("WikiTableQuestions/tagged/data/{name}.tagged")));
        for (id, target, canon) in tagged_examples(&text) {
            targets.insert(id, Target::new(&target, &canon));
        }
    }
    let mut scratch = Scratch::default();
    let (mut cases, mut differences) = (0, Vec::new());
    for text in text_of(data.join("vectors/wtq_programs.jsonl")).lines() {
        let program: Program = serde_json::from_str(text).unwrap();
        if program.extra_work || program.kind == "rows" {
            continue;
        }
        cases += 1;
        let items = program
            .result
            .iter()
            .map(|item| match (item.as_f64(), item.as_str()) {
                (Some(number), _) => Item::Number(number),
                (_, Some(text)) => match text.parse() {
                    Ok(date) if program.kind != "strings" => Item::Date(date),
                    _ => Item::Text(text),
                },
                _ => panic!("{}: neither number nor text: {item}", program.id),
            });
        let right = targets[&program.id].matches(items, &mut scratch);
        if right != (program.reward == 1) {
            differences.push((program.id, program.result));
        }
    }
    println!("{} of {cases} rewards agree", cases - differences.len());
    assert!(differences.is_empty(), "{differences:?}");
}
