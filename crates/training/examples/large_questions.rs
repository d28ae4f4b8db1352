//! How long a model takes to answer questions about a large table: to load it, for the first answer and for
//! later ones.
//!
//! ```text
//! cargo run --release -p mapo-training --example large_questions -- models/box.safetensors complaints.csv \
//!     "how many complaints were made in brooklyn?" "which agency has the most complaints?"
//! ```
//!
//! Each line of the output is a JSON object. `processor` are seconds of processor time, of all cores
//! together. `read` is the time to find the question's words in the table, `encode` to show both to the
//! network, `search` for the beam of ten programs, `answers` to write them out.

use mapo_language::{Assistance, Context, Interpreter, Language};
use mapo_model::NeuralPolicy;
use mapo_model::inputs::encode::{Input, encode};
use mapo_model::search::{beam_search, visit};
use mapo_programmer::Network;
use mapo_questions::{Linking, Question};
use mapo_tables::{LoadOptions, Table};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

const BEAM: usize = 10;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, table, questions @ ..] = &arguments[..] else {
        eprintln!("give a model, a table and questions: large_questions MODEL TABLE QUESTION…");
        return ExitCode::from(2);
    };
    match ask_all(model, table, questions) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn ask_all(model: &str, table: &str, questions: &[String]) -> Result<(), Box<dyn Error>> {
    let (network, _) = mapo_model::file::load(Path::new(model), false)?;
    let network = Arc::new(network);
    let (began, used) = (Instant::now(), processor_seconds());
    let table = Arc::new(Table::open(Path::new(table), &LoadOptions::default())?);
    let loaded = json!({
        "load_seconds": began.elapsed().as_secs_f64(),
        "processor": processor_seconds() - used,
        "rows": table.rows(),
        "columns": table.headers().len(),
        "typed_columns": table.columns().len(),
        "peak_megabytes": peak_megabytes(),
    });
    println!("{loaded}");
    let (began, used) = (Instant::now(), processor_seconds());
    table.prepare();
    let prepared = json!({
        "prepare_seconds": began.elapsed().as_secs_f64(),
        "processor": processor_seconds() - used,
        "peak_megabytes": peak_megabytes(),
    });
    println!("{prepared}");
    for question in questions {
        println!("{}", ask(&network, &table, question)?);
    }
    println!("{}", json!({"peak_megabytes": peak_megabytes()}));
    Ok(())
}

fn ask(network: &Arc<Network>, table: &Arc<Table>, text: &str) -> Result<serde_json::Value, Box<dyn Error>> {
    let (began, used) = (Instant::now(), processor_seconds());
    let question = Question::read(text, table, Linking::Wide);
    let read = began.elapsed();
    let input: Input = Arc::new(encode(network.config(), network.words(), &question, table));
    let encoded = began.elapsed();
    let constants = question.mentions.iter().map(|mention| mention.constant.clone());
    let context = Arc::new(Context::new(
        Arc::clone(table),
        constants,
        Language::WIKITABLEQUESTIONS,
    ));
    let mut interpreters = [Interpreter::with_assistance(context, Assistance::All)];
    let mut policy = NeuralPolicy::new(Arc::clone(network));
    let found = beam_search(&mut policy, &[&input], &mut interpreters, BEAM)?;
    let searched = began.elapsed();
    let [interpreter] = &mut interpreters;
    let mut programs = Vec::new();
    for candidate in found.iter().flatten() {
        visit(interpreter, &candidate.tokens)?;
        let program = interpreter
            .context()
            .decode(&candidate.tokens)
            .map(|program| program.to_string());
        let items = interpreter.answer_values().count();
        let answer: Vec<String> = interpreter
            .answer_values()
            .take(3)
            .map(|value| value.to_string())
            .collect();
        let program = program.unwrap_or_default();
        programs.push(
            json!({"program": program, "answer": answer, "items": items, "log": candidate.log_probability}),
        );
    }
    let all = began.elapsed();
    Ok(json!({
        "question": text,
        "constants": question.mentions.iter().map(|mention| mention.constant.to_string()).collect::<Vec<_>>(),
        "read": read.as_secs_f64(),
        "encode": (encoded - read).as_secs_f64(),
        "search": (searched - encoded).as_secs_f64(),
        "answers": (all - searched).as_secs_f64(),
        "seconds": all.as_secs_f64(),
        "processor": processor_seconds() - used,
        "programs": programs,
    }))
}

/// What the process has used of all processors so far, where the system tells.
fn processor_seconds() -> f64 {
    // Counted in hundredths of a second, in the fields behind the program's name in parentheses.
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = status.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory that the process has held so far, where the system tells.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}
