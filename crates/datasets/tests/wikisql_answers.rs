//! WikiSQL's gold queries against the official engine's published answers.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

mod support;

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use mapo_datasets::scoring::Item;
use mapo_datasets::scoring::wikisql::predictions;
use mapo_datasets::scoring::wikisql::predictions::Gold;
use mapo_datasets::scoring::wikisql::{Purpose, Target};
use mapo_datasets::wikisql::engine::{Answer, execute};
use mapo_datasets::wikisql::files;
use serde::Deserialize;

fn published(value: &serde_json::Value) -> Vec<Answer> {
    let items = value.as_array().unwrap().iter();
    items
        .map(|item| match (item.as_f64(), item.as_str()) {
            (Some(number), _) => Answer::Number(number),
            (_, Some(text)) => Answer::Text(text.to_owned()),
            _ => Answer::Null,
        })
        .collect()
}

fn tables_of(data: &Path, split: &str) -> HashMap<String, files::Table> {
    let tables = files::tables(&data.join(format!("wikisql/{split}.tables.jsonl"))).unwrap();
    tables
        .map(|table| table.map(|table| (table.id.clone(), table)).unwrap())
        .collect()
}

fn answers_of(data: &Path, split: &str) -> Vec<serde_json::Value> {
    let answers = File::open(data.join(format!("wikisql/{split}_answers.json"))).unwrap();
    serde_json::from_reader(BufReader::new(answers)).unwrap()
}

fn differences(split: &str) -> Option<(usize, Vec<String>)> {
    let data = support::data_dir()?;
    let tables = tables_of(&data, split);
    let answers = answers_of(&data, split);
    let questions = files::questions(&data.join(format!("wikisql/{split}.jsonl"))).unwrap();
    let mut found = Vec::new();
    let mut count = 0;
    for (question, expected) in questions.zip(&answers) {
        let question = question.unwrap();
        let answer = execute(&tables[&question.table_id], &question.sql).unwrap();
        if answer != published(expected) {
            found.push(format!(
                "{split}-{count}: {:?} gives {answer:?}, published {expected}",
                question.sql
            ));
        }
        count += 1;
    }
    println!("{split}: {} of {count} answers agree", count - found.len());
    assert_eq!(count, answers.len());
    Some((count, found))
}

#[test]
fn training_answers_agree() {
    let Some((count, found)) = differences("train") else {
        return;
    };
    assert_eq!(count, 56_355);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn development_answers_agree() {
    let Some((count, found)) = differences("dev") else {
        return;
    };
    assert_eq!(count, 2_304);
    assert!(found.is_empty(), "{found:#?}");
}

#[derive(Deserialize)]
struct Program {
    id: String,
    kind: String,
    result: Vec<serde_json::Value>,
    reward: u8,
    extra_work: bool,
}

/// The published code rewards an empty result where the answer is missing, as our evaluation does.
#[test]
fn rewards_programs_as_the_published_code_does() {
    let Some(data) = support::data_dir() else { return };
    let mut targets = HashMap::new();
    for split in ["train", "dev"] {
        let tables = tables_of(&data, split);
        let questions = files::questions(&data.join(format!("wikisql/{split}.jsonl"))).unwrap();
        for (place, question) in questions.enumerate() {
            let question = question.unwrap();
            let answer = execute(&tables[&question.table_id], &question.sql).unwrap();
            targets.insert(format!("{split}-{place}"), Target::new(&answer));
        }
    }
    let (mut cases, mut training, mut differences) = (0, 0, Vec::new());
    let programs = std::fs::read_to_string(data.join("vectors/wikisql_programs.jsonl")).unwrap();
    for line in programs.lines() {
        let program: Program = serde_json::from_str(line).unwrap();
        if program.extra_work {
            continue;
        }
        cases += 1;
        let rows: Vec<String> = program.result.iter().map(|row| format!("row_{row}")).collect();
        let items: Vec<Item<'_>> = program
            .result
            .iter()
            .zip(&rows)
            .map(|(item, row)| match (item.as_f64(), item.as_str()) {
                _ if program.kind == "rows" => Item::Text(row),
                (Some(number), _) => Item::Number(number),
                (_, Some(text)) => Item::Text(text),
                _ => panic!("{}: neither number nor text: {item}", program.id),
            })
            .collect();
        let target = &targets[&program.id];
        let right = target.matches(items.iter().copied(), Purpose::Evaluation);
        if right != (program.reward == 1) {
            differences.push((program.id, program.result));
            continue;
        }
        let rewarded = target.matches(items, Purpose::Training);
        assert_eq!(rewarded, right && !target.is_empty());
        training += usize::from(rewarded);
    }
    println!(
        "{} of {cases} rewards agree; {training} programs are rewarded in training",
        cases - differences.len()
    );
    assert!(differences.is_empty(), "{differences:?}");
}

/// The gold queries themselves, and their answers, as prediction files.
#[test]
fn gold_queries_and_answers_are_right_as_prediction_files() {
    let Some(data) = support::data_dir() else { return };
    let tables = tables_of(&data, "dev");
    let answers = answers_of(&data, "dev");
    let file = data.join("wikisql/dev.jsonl");
    let questions: Vec<files::Question> = files::questions(&file).unwrap().map(Result::unwrap).collect();
    let ids: Vec<String> = (0..questions.len()).map(|place| format!("dev-{place}")).collect();
    let published: Vec<Vec<Answer>> = answers.iter().map(published).collect();
    let gold: Vec<Gold<'_>> = ids
        .iter()
        .zip(&questions)
        .zip(&published)
        .map(|((id, question), answer)| Gold {
            id,
            table: &tables[&question.table_id],
            answer,
        })
        .collect();

    let queries: String = std::fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            format!("{}\n", serde_json::json!({ "query": line["sql"] }))
        })
        .collect();
    let by_id: String = ids
        .iter()
        .zip(&answers)
        .rev()
        .map(|(id, answer)| format!("{}\n", serde_json::json!({ "id": id, "answer": answer })))
        .collect();
    for (name, content) in [("queries", queries), ("answers", by_id)] {
        let path = std::env::temp_dir().join(format!("mapo-gold-{name}-{}.jsonl", std::process::id()));
        std::fs::write(&path, content).unwrap();
        let read = predictions::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let report = predictions::score(&gold, &read, &path).unwrap();
        println!(
            "dev, gold {name} as predictions: {} of {} right",
            report.correct(),
            gold.len()
        );
        assert_eq!((report.correct(), report.predicted()), (gold.len(), gold.len()));
    }
}
