//! `mapo language`: the functions of the language.

use crate::Outcome;
use clap::Args;
use mapo_language::{Function, reference};
use serde_json::json;

/// List the functions of the language: what each takes, when it is offered and what it does.
#[derive(Args)]
pub struct Language {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Language {
    pub fn execute(self) -> Outcome {
        match self.json {
            true => {
                crate::print_json(json!({ "functions": Function::all().map(as_json).collect::<Vec<_>>() }))
            }
            false => crate::print(reference().trim_end()),
        }
    }
}

fn as_json(function: Function) -> serde_json::Value {
    let definition = function.definition();
    let arguments: Vec<&str> = definition
        .arguments
        .iter()
        .map(|argument| argument.name())
        .collect();
    json!({
        "name": definition.name,
        "arguments": arguments,
        "offered": definition.offered,
        "result": definition.summary,
        "triggers": definition.triggers,
    })
}
