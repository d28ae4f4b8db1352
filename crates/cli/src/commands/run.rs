//! `mapo run`: programs on tables.

use crate::data_args::{SelectionArgs, which_dataset};
use crate::table_args::TableArgs;
use crate::{Outcome, json, terminal};
use clap::Args;
use mapo_datasets::scoring::wtq::Scratch;
use mapo_datasets::{Dataset, Example, Selection};
use mapo_language::{Context, Denotation, HandWritten, Interpreter, Program, ProgramError};
use mapo_tables::Table;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run a program on a table and show each step's value, or a whole file of programs on a dataset.
///
/// Examples:
///   mapo run films.csv "(argmax all_rows r.year-num) (hop v0 r.title-str)"
///   mapo run --data wtq:WikiTableQuestions --batch programs.jsonl
///
/// A batch file has one JSON object in a line with `id` (of an example) and `program`; the output has one for each
/// with `kind` (rows, strings, numbers, dates), `result` (rows as numbers from 0), `reward`, `extra_work` and
/// `offered`, or `error`. A program with a token that was not offered is run all the same.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Run {
    /// A table: CSV, a workbook, JSON, Parquet, a database…, packed or not; - is standard input.
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    table: Option<PathBuf>,
    /// A program.
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    program: Option<String>,

    #[arg(long, value_name = "DATASET", requires = "batch", help = which_dataset())]
    data: Option<Dataset>,
    /// A JSON-lines file of `id` and `program`.
    #[arg(long, value_name = "FILE", requires = "data")]
    batch: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,

    /// Show the tokens offered before each token.
    #[arg(long)]
    valid: bool,
    /// Print one JSON object; a batch always prints JSON lines.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: TableArgs,
}

impl Run {
    pub fn execute(self) -> Outcome {
        match (&self.table, &self.program, &self.data, &self.batch) {
            (Some(table), Some(program), _, _) => self.one(table, program),
            (_, _, Some(data), Some(batch)) => self.batch(data, batch),
            _ => Err("give a table and a program, or --data and --batch".into()),
        }
    }

    fn one(&self, path: &Path, text: &str) -> Outcome {
        let wrong = |error: ProgramError| error.shown_in(text);
        text.parse::<Program>().map_err(wrong)?;
        let table = Arc::new(Table::open(path, &self.reading.options())?);
        let HandWritten { program, context, .. } = HandWritten::read(text, &table).map_err(wrong)?;
        let trace = Trace::run(context, &program, self.valid).map_err(wrong)?;
        if self.json {
            return crate::print_json(trace.to_json(&program));
        }
        let mut out = terminal::text();
        trace.show(&program, &mut out)?;
        Ok(out.flush()?)
    }

    fn batch(&self, data: &Dataset, file: &Path) -> Outcome {
        let lines = read_batch(file)?;
        let ids: HashSet<String> = lines.iter().map(|line| line.id.clone()).collect();
        let selection = Selection {
            ids: Some(Arc::new(ids)),
            ..self.selection.selection()
        };
        let examples = data
            .examples(&selection)?
            .map(|example| example.map(|example| (example.id.clone(), example)));
        let examples: HashMap<String, Example> = examples.collect::<Result<_, _>>()?;
        let mut out = terminal::json();
        let mut scratch = Scratch::default();
        for line in lines {
            let mut object = Map::new();
            object.insert("id".into(), line.id.clone().into());
            object.insert("program".into(), line.program.clone().into());
            let ran = match examples.get(&line.id) {
                Some(example) => run_on(example, &line.program, self.valid, &mut scratch, &mut object),
                None => Err(format!("the dataset has no example '{}'", line.id).into()),
            };
            if let Err(error) = ran {
                object.insert("error".into(), error.to_string().into());
            }
            writeln!(out, "{}", Value::Object(object))?;
        }
        Ok(out.flush()?)
    }
}

#[derive(Deserialize)]
struct Line {
    id: String,
    program: String,
}

fn read_batch(file: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let name = file.display();
    let opened = std::fs::File::open(file).map_err(|error| format!("{name}: cannot be read: {error}"))?;
    let mut lines = Vec::new();
    for (number, line) in BufReader::new(opened).lines().enumerate() {
        let number = number + 1;
        let line = line.map_err(|error| format!("{name}, line {number}: {error}"))?;
        if !line.trim().is_empty() {
            let wrong =
                |error| format!("{name}, line {number}: {error}; each line is {{\"id\": …, \"program\": …}}");
            lines.push(serde_json::from_str(&line).map_err(wrong)?);
        }
    }
    Ok(lines)
}

/// Runs one program of a batch and notes what came of it.
fn run_on(
    example: &Example,
    text: &str,
    valid: bool,
    scratch: &mut Scratch,
    object: &mut Map<String, Value>,
) -> Result<(), Box<dyn Error>> {
    let program: Program = text.parse()?;
    let context = Arc::new(example.context_of(&program));
    let trace = Trace::run(context, &program, valid)?;
    let answer = trace.interpreter.answer().ok_or("the program has no value")?;
    object.insert("kind".into(), answer.kind().into());
    object.insert("result".into(), json::denotation(&answer));
    object.insert(
        "reward".into(),
        json::number(example.answer.reward(&trace.interpreter, scratch)),
    );
    object.insert("extra_work".into(), trace.interpreter.extra_work().into());
    object.insert("offered".into(), trace.not_offered.is_empty().into());
    if !trace.not_offered.is_empty() {
        object.insert(
            "not_offered".into(),
            trace
                .not_offered
                .iter()
                .map(|(_, token)| token.as_str())
                .collect(),
        );
    }
    if valid {
        object.insert("valid".into(), json!(trace.valid));
    }
    Ok(())
}

/// A program that has been run, with what was offered on the way.
struct Trace {
    interpreter: Interpreter,
    /// The tokens offered before each token, where asked for.
    valid: Vec<Vec<String>>,
    /// The places and texts of tokens that were not offered.
    not_offered: Vec<(usize, String)>,
}

impl Trace {
    fn run(context: Arc<Context>, program: &Program, valid: bool) -> Result<Trace, ProgramError> {
        let tokens = context.encode(program)?;
        let interpreter = Interpreter::new(Arc::clone(&context));
        let mut trace = Trace {
            interpreter,
            valid: Vec::new(),
            not_offered: Vec::new(),
        };
        let mut offered = Vec::new();
        for (place, token) in tokens.into_iter().enumerate() {
            if valid {
                trace.interpreter.offered_into(&mut offered);
                let mut written: Vec<String> = offered.iter().map(|token| context.write(*token)).collect();
                written.sort();
                trace.valid.push(written);
            }
            if !trace.interpreter.offers(token) {
                trace.not_offered.push((place, context.write(token)));
            }
            trace
                .interpreter
                .step(token)
                .map_err(|error| program.error_at(place, error.to_string()))?;
        }
        Ok(trace)
    }

    fn to_json(&self, program: &Program) -> Value {
        let steps = program
            .expressions
            .iter()
            .enumerate()
            .filter_map(|(index, expression)| {
                let value = self.interpreter.value(index)?;
                Some(json!({
                    "expression": expression.to_string(),
                    "variable": format!("v{index}"),
                    "kind": value.kind(),
                    "result": json::denotation(&value),
                }))
            });
        let steps: Vec<Value> = steps.collect();
        let answer = self.interpreter.answer();
        let mut object = json!({
            "program": program.to_string(),
            "steps": steps,
            "kind": answer.as_ref().map(Denotation::kind),
            "result": answer.as_ref().map(json::denotation),
            "extra_work": self.interpreter.extra_work(),
            "offered": self.not_offered.is_empty(),
        });
        if !self.valid.is_empty() {
            object["valid"] = json!(self.valid);
        }
        object
    }

    fn show(&self, program: &Program, out: &mut impl Write) -> std::io::Result<()> {
        for (index, expression) in program.expressions.iter().enumerate() {
            if let Some(value) = self.interpreter.value(index) {
                writeln!(out, "v{index} = {expression}")?;
                writeln!(out, "   = {}", summary(&value))?;
            }
        }
        for (token, valid) in program_tokens(program).iter().zip(&self.valid) {
            writeln!(out, "{token}\n   of {}", valid.join("  "))?;
        }
        for (place, token) in &self.not_offered {
            writeln!(
                out,
                "note: token {} ({token}) would not have been offered",
                place + 1
            )?;
        }
        if self.interpreter.extra_work() {
            writeln!(out, "note: extra work: a value is used by nothing after it")?;
        }
        match self.interpreter.answer() {
            Some(Denotation::Rows(rows)) => {
                writeln!(
                    out,
                    "answer: {} (end with hop or count for an answer)",
                    summary(&Denotation::Rows(rows))
                )
            }
            Some(answer) => writeln!(out, "answer: {}", answer.shown().join(", ")),
            None => Ok(()),
        }
    }
}

/// The tokens of a program as they are written, in order.
fn program_tokens(program: &Program) -> Vec<String> {
    let expression = |expression: &mapo_language::Expression| {
        let arguments = expression.arguments.iter().map(|argument| argument.to_string());
        let open = ["(".to_owned(), expression.function.to_string()];
        open.into_iter()
            .chain(arguments)
            .chain([")".to_owned()])
            .collect::<Vec<_>>()
    };
    program
        .expressions
        .iter()
        .flat_map(expression)
        .chain(["<END>".to_owned()])
        .collect()
}

/// A value in a line: long ones cut.
fn summary(value: &Denotation) -> String {
    const MOST: usize = 20;
    let items = value.shown();
    let shown = items.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    let more = if items.len() > MOST {
        format!(", … ({} in all)", items.len())
    } else {
        String::new()
    };
    let noun = match value {
        Denotation::Rows(rows) if rows.len() == 1 => "row",
        other => other.kind(),
    };
    match items.is_empty() {
        true => format!("no {noun}"),
        false => format!("{noun} {shown}{more}"),
    }
}
