//! WikiSQL's gold queries against the official engine's published answers.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

mod support;

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

use mapo_tables::datasets::wikisql::engine::{Answer, execute};
use mapo_tables::datasets::wikisql::files;

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

fn differences(split: &str) -> Option<(usize, Vec<String>)> {
    let data = support::data_dir()?.join("wikisql");
    let tables: HashMap<String, files::Table> = files::tables(&data.join(format!("{split}.tables.jsonl")))
        .unwrap()
        .map(|table| table.map(|table| (table.id.clone(), table)).unwrap())
        .collect();
    let answers = File::open(data.join(format!("{split}_answers.json"))).unwrap();
    let answers: Vec<serde_json::Value> = serde_json::from_reader(BufReader::new(answers)).unwrap();
    let questions = files::questions(&data.join(format!("{split}.jsonl"))).unwrap();
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
