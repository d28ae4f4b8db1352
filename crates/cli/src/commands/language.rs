//! `mapo language`: the functions of the language.

use crate::Outcome;
use clap::Args;
use mapo_language::{Argument, DEFINITIONS, Definition};
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
            true => crate::print(json!({ "functions": DEFINITIONS.iter().map(as_json).collect::<Vec<_>>() })),
            false => crate::print(markdown().trim_end()),
        }
    }
}

fn as_json(definition: &Definition) -> serde_json::Value {
    json!({
        "name": definition.name,
        "arguments": definition.arguments.iter().map(|argument| noun(*argument)).collect::<Vec<_>>(),
        "offered": definition.offered,
        "result": definition.summary,
        "triggers": definition.triggers,
    })
}

/// The table of `docs/language.md`.
fn markdown() -> String {
    let mut table = "| function | offered only when | result |\n|---|---|---|\n".to_owned();
    for definition in &DEFINITIONS {
        let arguments: Vec<&str> = definition
            .arguments
            .iter()
            .map(|argument| noun(*argument))
            .collect();
        table += &format!(
            "| `({} {})` | {} | {} |\n",
            definition.name,
            arguments.join(" "),
            definition.offered,
            definition.summary
        );
    }
    table
}

fn noun(argument: Argument) -> &'static str {
    match argument {
        Argument::Rows => "rows",
        Argument::Quantity => "number-or-date",
        Argument::Strings => "strings",
        Argument::AnyColumn => "column",
        Argument::OrderedColumn => "number-or-date-column",
        Argument::NumberColumn => "number-column",
        Argument::TextColumn => "text-column",
    }
}
