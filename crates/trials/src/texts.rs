//! What is read from text or bytes at hand.

use crate::parts::two_texts;
use crate::tables::read;
use mapo_language::{HandWritten, Program};
use mapo_model::Card;
use mapo_questions::{Linking, Question};
use mapo_tables::Format;
use mapo_text::read::{read_cell, read_question, tokenize};
use mapo_text::{Date, normalize, plainly};
use mapo_training::{RunConfig, Settings};
use std::path::Path;
use std::sync::Arc;

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A program that was parsed is the same when it is printed and parsed again.
pub(crate) fn program(bytes: &[u8]) {
    let Some(Ok(program)) = text(bytes).map(str::parse::<Program>) else {
        return;
    };
    let printed = program.to_string();
    match printed.parse::<Program>() {
        Ok(again) => assert_eq!(again.to_string(), printed),
        Err(error) => panic!("{printed}: {error}"),
    }
}

/// A program and a table, with a NUL between them.
pub(crate) fn program_on_table(bytes: &[u8]) {
    let Some((program, table)) = two_texts(bytes) else {
        return;
    };
    let Some(table) = read("t.csv", Some(Format::Csv), table.as_bytes()) else {
        return;
    };
    if let Ok(program) = HandWritten::read(program, &Arc::new(table)) {
        let _ = program.explain();
    }
}

/// A question and a table, with a NUL between them.
pub(crate) fn question(bytes: &[u8]) {
    let Some((question, table)) = two_texts(bytes) else {
        return;
    };
    let Some(table) = read("t.csv", Some(Format::Csv), table.as_bytes()) else {
        return;
    };
    for linking in [Linking::Paper, Linking::Wide, Linking::Everyday] {
        let read = Question::read(question, &table, linking);
        for mention in &read.mentions {
            assert!(mention.span.end <= read.tokens.len() && !mention.span.is_empty());
        }
    }
}

pub(crate) fn cell(bytes: &[u8]) {
    let Some(text) = text(bytes) else {
        return;
    };
    let cell = read_cell(text);
    for number in [cell.number, cell.number2].into_iter().flatten() {
        assert!(number.is_finite(), "{number}");
    }
    let question = read_question(text);
    let _ = (question, tokenize(text), plainly(text), normalize(text));
}

pub(crate) fn date(bytes: &[u8]) {
    if let Some(Ok(date)) = text(bytes).map(str::parse::<Date>) {
        assert_eq!(date.to_string().parse(), Ok(date));
    }
}

pub(crate) fn forms(bytes: &[u8]) {
    let _ = text(bytes).map(mapo_training::study::annotated::read_forms);
}

/// Changes of settings, in lines.
pub(crate) fn settings(bytes: &[u8]) {
    let Some(text) = text(bytes) else {
        return;
    };
    let mut settings = Settings::toy();
    for change in text.lines() {
        if let Ok(changed) = settings.with(change) {
            settings = changed;
        }
    }
    if let Ok(changed) = settings.changed_by(text) {
        let _ = changed.check();
    }
}

/// The settings of a run, read, written and read again.
pub(crate) fn run_config(bytes: &[u8]) {
    let Some(Ok(config)) = text(bytes).map(toml::from_str::<RunConfig>) else {
        return;
    };
    let Ok(written) = toml::to_string(&config) else {
        return;
    };
    assert!(toml::from_str::<RunConfig>(&written).is_ok(), "{written}");
}

pub(crate) fn card(bytes: &[u8]) {
    if let Ok(notes) = serde_json::from_slice(bytes) {
        let card = Card::read(&notes);
        let _ = (card.functions(), card.reading_of_own_tables(), card.write());
    }
}

pub(crate) fn model(bytes: &[u8]) {
    for trainable in [false, true] {
        let _ = mapo_model::file::from_bytes(bytes, Path::new("m"), trainable);
    }
}
