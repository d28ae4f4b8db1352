//! Programs run both ways: by the interpreter and by SQLite.

use super::engine::Engine;
use crate::data_args::examples;
use crate::models::Models;
use crate::threads::pool;
use crate::{Outcome, json, print};
use mapo_answering::plain_file;
use mapo_core::example_rng;
use mapo_datasets::{Dataset, Example, Selection};
use mapo_language::explain::{Agreement, SqlValue, duckdb, sql};
use mapo_language::{Assistance, Context, Denotation, Function, Interpreter, Program, Token};
use mapo_model::inputs::encode::{Input, encode_all};
use mapo_model::{NeuralPolicy, search};
use mapo_programmer::Network;
use mapo_tables::Table;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Questions that are decoded together by one thread.
const TOGETHER: usize = 16;

/// What to check.
pub struct Check {
    pub data: Dataset,
    pub selection: Selection,
    pub model: Option<PathBuf>,
    pub beam: usize,
    pub random: usize,
    pub seed: u64,
    pub details: Option<PathBuf>,
    pub threads: Option<usize>,
    pub json: bool,
}

type Failure = Box<dyn Error + Send + Sync>;

impl Check {
    pub fn execute(self) -> Outcome {
        let models = Models::load(self.model.as_slice())?;
        let selection = models.select(&self.data, self.selection.clone())?;
        let examples = examples(&self.data, &selection)?;
        let pool = pool(self.threads)?;
        let checked = pool.install(|| self.run(&examples, models.networks.first()));
        let tables = checked.map_err(|error| error as Box<dyn Error>)?;
        if let Some(file) = &self.details {
            let lines: String = tables
                .iter()
                .map(|table| format!("{}\n", table.to_json()))
                .collect();
            mapo_files::write(file, lines.as_bytes())?;
        }
        let report = Report::new(examples.len(), &tables);
        match self.json {
            true => crate::print_json(report.to_json(&self))?,
            false => report.show(&self)?,
        }
        match report.different.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "{} of {} programs have another answer in SQL",
                report.different.len(),
                report.programs
            )
            .into()),
        }
    }

    fn run(&self, examples: &[Example], model: Option<&Arc<Network>>) -> Result<Vec<CheckedTable>, Failure> {
        let programs: Vec<Vec<Vec<Token>>> = match model {
            Some(model) => beams(model, examples, self.beam)?,
            None => {
                let numbered = examples.par_iter().enumerate();
                numbered
                    .map(|(number, example)| random_programs(example, self.random, self.seed, number as u64))
                    .collect()
            }
        };
        // The questions of a table share its database.
        let mut by_table: Vec<(&Arc<Table>, Vec<usize>)> = Vec::new();
        let mut places: HashMap<*const Table, usize> = HashMap::new();
        for (number, example) in examples.iter().enumerate() {
            let place = *places.entry(Arc::as_ptr(&example.table)).or_insert_with(|| {
                by_table.push((&example.table, Vec::new()));
                by_table.len() - 1
            });
            by_table[place].1.push(number);
        }
        let check = |(table, numbers): (&Arc<Table>, Vec<usize>)| -> Result<CheckedTable, Failure> {
            // Where the table is a file that every reader reads alike, there is a query for the file itself too.
            let path = Path::new(table.name());
            let file = (self.details.as_ref()).and_then(|_| plain_file(path, table).ok());
            let engine = Engine::new(table).map_err(|error| format!("{}: {error}", table.name()))?;
            let mut checked = Vec::new();
            for number in numbers {
                let context = Arc::new(examples[number].context());
                for tokens in &programs[number] {
                    let mut one = Checked::new(&examples[number], &context, tokens, &engine)?;
                    one.on_file = file.and_then(|file| duckdb(&one.program, table, table.name(), file).ok());
                    checked.push(one);
                }
            }
            Ok(CheckedTable {
                name: table.name().to_owned(),
                script: self.details.as_ref().map(|_| engine.script().to_owned()),
                programs: checked,
            })
        };
        by_table.into_par_iter().map(check).collect()
    }
}

/// The programs of each question's beam.
fn beams(model: &Arc<Network>, examples: &[Example], width: usize) -> Result<Vec<Vec<Vec<Token>>>, Failure> {
    let found = examples.par_chunks(TOGETHER).map_init(
        || NeuralPolicy::new(Arc::clone(model)),
        |policy, examples| {
            let interpreter = |example: &Example| example.interpreter(Assistance::All);
            let mut interpreters: Vec<Interpreter> = examples.iter().map(interpreter).collect();
            let inputs = encode_all(model.config(), model.words(), examples);
            let inputs: Vec<&Input> = inputs.iter().collect();
            search::beam_search(policy, &inputs, &mut interpreters, width)
        },
    );
    let found: Vec<_> = found.collect::<Result<_, _>>()?;
    let beams = found.into_iter().flatten();
    Ok(beams
        .map(|beam| beam.into_iter().map(|candidate| candidate.tokens).collect())
        .collect())
}

/// Different programs from random walks through what is offered; fewer than wanted where there are not so many.
fn random_programs(example: &Example, wanted: usize, seed: u64, number: u64) -> Vec<Vec<Token>> {
    use rand::Rng;
    let mut rng = example_rng(seed, number);
    let mut interpreter = example.interpreter(Assistance::All);
    let (mut found, mut known, mut offered) = (Vec::new(), HashSet::new(), Vec::new());
    for _ in 0..wanted * 10 {
        interpreter.rewind(0);
        while !interpreter.is_done() {
            interpreter.offered_into(&mut offered);
            if offered.is_empty() {
                break;
            }
            let token = offered[(rng.next_u64() % offered.len() as u64) as usize];
            if interpreter.step(token).is_err() {
                break;
            }
        }
        if interpreter.is_done() && known.insert(interpreter.tokens().to_vec()) {
            found.push(interpreter.tokens().to_vec());
            if found.len() == wanted {
                break;
            }
        }
    }
    found
}

/// A table and the programs that ran on it.
struct CheckedTable {
    name: String,
    /// What made it in SQL, if it is to be written.
    script: Option<String>,
    programs: Vec<Checked>,
}

/// A program that ran both ways.
struct Checked {
    id: String,
    program: Program,
    sql: String,
    /// The query for the file itself, if there is one.
    on_file: Option<String>,
    answer: Denotation,
    /// What SQLite gave, or said.
    given: Result<Vec<SqlValue>, String>,
    agreement: Agreement,
}

impl Checked {
    fn new(
        example: &Example,
        context: &Arc<Context>,
        tokens: &[Token],
        engine: &Engine,
    ) -> Result<Self, Failure> {
        let mut interpreter = Interpreter::new(Arc::clone(context));
        tokens.iter().try_for_each(|token| interpreter.step(*token))?;
        let answer = interpreter.answer().ok_or("a program without an answer")?;
        let program = context.decode(tokens).ok_or("tokens that are no program")?;
        let sql = sql(&program, context.table(), context.language().like_sql)?;
        let given = engine.run(&sql).map_err(|error| error.to_string());
        Ok(Checked {
            id: example.id.clone(),
            agreement: match given.as_ref().map(|items| Agreement::of(&answer, items)) {
                // Only what is added up may differ in its last digits.
                Ok(Agreement::Rounded) if !adds_up(&program) => Agreement::Different,
                Ok(agreement) => agreement,
                Err(_) => Agreement::Different,
            },
            program,
            sql,
            on_file: None,
            answer,
            given,
        })
    }

    /// What the engine gave, for people.
    fn given_text(&self) -> String {
        match &self.given {
            Ok(items) => items.iter().map(sql_text).collect::<Vec<_>>().join(", "),
            Err(error) => format!("an error: {error}"),
        }
    }
}

fn adds_up(program: &Program) -> bool {
    use Function::{Average, AveragePer, Sum, SumPer};
    let mut functions = program.expressions.iter().map(|expression| expression.function);
    functions.any(|function| matches!(function, Sum | Average | SumPer | AveragePer))
}

fn sql_text(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => "NULL".to_owned(),
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Real(number) => number.to_string(),
        SqlValue::Text(text) => text.clone(),
    }
}

fn agreement_name(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Same => "same",
        Agreement::Rounded => "rounded",
        Agreement::Different => "different",
    }
}

impl CheckedTable {
    fn to_json(&self) -> Value {
        let programs = self.programs.iter().map(|checked| {
            json!({
                "id": checked.id,
                "program": checked.program.to_string(),
                "sql": checked.sql,
                "on_file": checked.on_file,
                "kind": checked.answer.kind(),
                "answer": json::denotation(&checked.answer),
                "agreement": agreement_name(checked.agreement),
            })
        });
        json!({ "table": self.name, "script": self.script, "programs": programs.collect::<Vec<_>>() })
    }
}

/// What came of the check.
struct Report<'a> {
    questions: usize,
    tables: usize,
    programs: usize,
    same: usize,
    rounded: usize,
    /// How many programs use each function.
    functions: BTreeMap<Function, usize>,
    different: Vec<&'a Checked>,
}

impl<'a> Report<'a> {
    fn new(questions: usize, tables: &'a [CheckedTable]) -> Self {
        let mut report = Report {
            questions,
            tables: tables.len(),
            programs: 0,
            same: 0,
            rounded: 0,
            functions: BTreeMap::new(),
            different: Vec::new(),
        };
        for checked in tables.iter().flat_map(|table| &table.programs) {
            report.programs += 1;
            match checked.agreement {
                Agreement::Same => report.same += 1,
                Agreement::Rounded => report.rounded += 1,
                Agreement::Different => report.different.push(checked),
            }
            let functions = checked
                .program
                .expressions
                .iter()
                .map(|expression| expression.function);
            for function in functions.collect::<HashSet<_>>() {
                *report.functions.entry(function).or_default() += 1;
            }
        }
        report
    }

    fn to_json(&self, check: &Check) -> Value {
        let different = self.different.iter().map(|checked| {
            json!({
                "id": checked.id,
                "program": checked.program.to_string(),
                "sql": checked.sql,
                "answer": json::denotation(&checked.answer),
                "given": checked.given_text(),
            })
        });
        let functions = self
            .functions
            .iter()
            .map(|(function, count)| (function.name().to_owned(), json!(count)));
        json!({
            "data": check.data.to_string(),
            "split": check.data.split(&check.selection),
            "questions": self.questions,
            "tables": self.tables,
            "programs": self.programs,
            "same": self.same,
            "rounded": self.rounded,
            "functions": functions.collect::<serde_json::Map<_, _>>(),
            "different": different.collect::<Vec<_>>(),
        })
    }

    fn show(&self, check: &Check) -> Outcome {
        let split = check.data.split(&check.selection);
        print(format_args!(
            "questions  {} of {} {split}, on {} tables",
            self.questions, check.data, self.tables
        ))?;
        print(format_args!(
            "programs   {}, with {} functions",
            self.programs,
            self.functions.len()
        ))?;
        print(format_args!("same       {}", self.same))?;
        print(format_args!(
            "rounded    {} (the last digits of a sum or an average)",
            self.rounded
        ))?;
        print(format_args!("different  {}", self.different.len()))?;
        for checked in &self.different {
            let answer = checked.answer.shown().join(", ");
            print(format_args!(
                "\n{}  {}\n  program  {answer}",
                checked.id, checked.program
            ))?;
            print(format_args!(
                "  SQL      {}\n{}",
                checked.given_text(),
                checked.sql
            ))?;
        }
        Ok(())
    }
}
