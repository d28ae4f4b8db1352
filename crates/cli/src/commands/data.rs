//! `mapo data`: what was decided about a table file, and what a dataset holds.

use crate::data_args::{SelectionArgs, examples};
use crate::table_args::TableArgs;
use crate::{Outcome, file_view, json, table_view, terminal};
use clap::Args;
use mapo_datasets::{Dataset, Example, Selection};
use mapo_language::Assistance;
use mapo_model::inputs::vocabulary;
use mapo_questions::Mention;
use mapo_tables::{ColumnKind, Constant, Table, Value};
use mapo_text as text;
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Show what was decided about a table file, or what a dataset holds.
///
/// Of a file: its format, sheet, encoding, separator and header, what was left out, and what its columns are; of a folder a
/// line for each of its tables. Of a dataset, without --dump, --example or --words: how many examples and tables
/// there are, their columns by type, constants per question and what the answers are.
#[derive(Args)]
pub struct Data {
    #[arg(value_name = "FILE|DATASET", help = format!("A table file, or a folder of them; or a dataset: {}", Dataset::forms()))]
    subject: Subject,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Print the examples as JSON lines; of a file its rows, with the names of the columns first.
    #[arg(long, conflicts_with = "example")]
    dump: bool,
    /// Show one example with its table and the tokens with which its programs may begin.
    #[arg(long, value_name = "ID")]
    example: Option<String>,
    /// Print the words of the questions and of the columns' names, the commonest first, with how often each is there.
    #[arg(long, conflicts_with_all = ["dump", "example", "agreement"])]
    words: bool,
    /// With --words: those of the tables' cells too, each table counted once.
    #[arg(long, requires = "words")]
    cells: bool,
    /// Compare our reader with the CoreNLP annotation of WikiTableQuestions: tokens, numbers, dates, comparatives and
    /// superlatives. Takes --split, by default pristine-seen-tables, whose annotation is the official one.
    #[arg(long, conflicts_with_all = ["dump", "example"])]
    agreement: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: TableArgs,
}

impl Data {
    pub fn execute(self) -> Outcome {
        match &self.subject {
            Subject::Dataset(data) => self.dataset(data),
            Subject::Tables(path) => self.tables(path),
        }
    }

    /// What was decided about a table file, or about those of a folder.
    fn tables(&self, path: &Path) -> Outcome {
        let options = self.reading.options();
        if !path.is_dir() {
            let table = Table::open(path, &options)?;
            return match (self.dump, self.json) {
                (true, _) => dump_table(&table),
                (_, true) => crate::print_json(file_view::to_json(&table)),
                _ => crate::print(file_view::show(&table)),
            };
        }
        let mut found = Vec::new();
        for file in mapo_tables::tables_in(path)? {
            let table = Table::open(&file, &options);
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if self.json {
                found.push(match table {
                    Ok(table) => file_view::to_json(&table),
                    Err(error) => json!({ "file": file, "error": error.to_string() }),
                });
                continue;
            }
            let said = match table {
                Ok(table) => {
                    let (rows, columns) = (table.rows(), table.headers().len());
                    format!(
                        "{name}: {rows} rows, {columns} columns ({})",
                        table.decisions().summary()
                    )
                }
                Err(error) => format!("{name}: {error}"),
            };
            crate::print(said)?;
        }
        match self.json {
            true => crate::print_json(json!(found)),
            false => Ok(()),
        }
    }

    fn dataset(&self, data: &Dataset) -> Outcome {
        if self.agreement {
            return self.agreement(data);
        }
        if let Some(id) = &self.example {
            return self.example(data, id);
        }
        let selection = self.selection.selection();
        if self.words {
            return self.words(data, &selection);
        }
        let examples = data.examples(&selection)?;
        if self.dump {
            let mut out = terminal::json();
            for example in examples {
                writeln!(out, "{}", dumped(&example?))?;
            }
            return Ok(out.flush()?);
        }
        let mut summary = Summary::default();
        for example in examples {
            summary.add(&example?);
        }
        let (split, reader) = (data.split(&selection), data.reading(&selection).reader);
        let about = json!({ "data": data.to_string(), "split": split, "reader": reader.to_string() });
        if self.json {
            return crate::print_json(summary.to_json(about));
        }
        let mut out = terminal::text();
        writeln!(out, "{}, {split}, read by {reader}", data)?;
        summary.show(&mut out)?;
        Ok(out.flush()?)
    }

    fn words(&self, data: &Dataset, selection: &Selection) -> Outcome {
        let examples = examples(data, selection)?;
        let mut counts: HashMap<String, usize> = HashMap::new();
        let words = vocabulary::counted(&examples).into_iter();
        let words = words.map(|(word, count)| (word.to_owned(), count));
        let cells = match self.cells {
            true => vocabulary::counted_cells(&examples),
            false => Vec::new(),
        };
        for (word, count) in words.chain(cells) {
            *counts.entry(word).or_default() += count;
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        if self.json {
            return crate::print_json(json!({ "words": counts }));
        }
        let mut out = terminal::exact();
        for (word, count) in counts {
            writeln!(out, "{word}\t{count}")?;
        }
        Ok(out.flush()?)
    }

    fn agreement(&self, data: &Dataset) -> Outcome {
        let Some(folder) = data.corenlp_folder() else {
            return Err(format!("{} has no CoreNLP annotation to compare with; name wtq:DIR", data).into());
        };
        let portion = self.selection.split.as_deref().unwrap_or("pristine-seen-tables");
        let agreement = mapo_datasets::agreement::agreement(folder, portion)?;
        match self.json {
            true => crate::print_json(serde_json::to_string(&agreement)?),
            false => crate::print(agreement),
        }
    }

    fn example(&self, data: &Dataset, id: &str) -> Outcome {
        let ids = Some(Arc::new(HashSet::from([id.to_owned()])));
        let selection = Selection {
            ids,
            limit: None,
            ..self.selection.selection()
        };
        let example = data.examples(&selection)?.next().transpose()?;
        let example = example.ok_or_else(|| format!("{} has no example '{id}' here", data))?;
        let first = first_tokens(&example);
        if self.json {
            let mut object = dumped(&example);
            object["valid"] = json!(first);
            return crate::print_json(object);
        }
        let mut out = terminal::text();
        writeln!(out, "{}  {}", example.id, example.question.text)?;
        writeln!(out, "answer: {}\n", example.answer.texts().join(" | "))?;
        writeln!(out, "{}", table_view::show(&example.table, 60))?;
        writeln!(out, "\ntokens     {}", example.question.tokens.join(" "))?;
        for mention in &example.question.mentions {
            let words = example.question.tokens[mention.span.clone()].join(" ");
            writeln!(out, "constant   {}  from \"{words}\"", mention.constant)?;
        }
        for column in example.table.columns() {
            writeln!(out, "column     {}", column.name())?;
        }
        for (source, header) in example.table.headers().iter().enumerate() {
            for said in example.table.how_written(source) {
                writeln!(out, "written    {header}: {said}")?;
            }
        }
        writeln!(out, "a program begins with  {}", first[0].join("  "))?;
        writeln!(out, "and goes on with       {}", first[1].join("  "))?;
        Ok(out.flush()?)
    }
}

/// A table as JSON lines: the names of the columns, and for each row its cells with the numbers and dates read in them.
fn dump_table(table: &Table) -> Outcome {
    let columns = table.headers().len();
    let mut out = terminal::json();
    writeln!(out, "{}", json!({ "columns": table.headers() }))?;
    for row in 0..table.rows() {
        let cells: Vec<&str> = (0..columns).map(|column| table.cell(row, column)).collect();
        let (mut numbers, mut dates) = (vec![None; columns], vec![None; columns]);
        for column in table.columns() {
            match (column.kind(), column.value(row)) {
                (ColumnKind::Number, Some(Value::Number(number))) => numbers[column.source()] = Some(number),
                (_, Some(Value::Date(date))) => dates[column.source()] = Some(date.to_string()),
                _ => {}
            }
        }
        writeln!(
            out,
            "{}",
            json!({ "cells": cells, "numbers": numbers, "dates": dates })
        )?;
    }
    Ok(out.flush()?)
}

/// What is looked at: a dataset, or table files.
#[derive(Clone, Debug)]
enum Subject {
    Dataset(Dataset),
    Tables(PathBuf),
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let is_file = name == "-"
            || name.contains("://")
            || Path::new(name).exists()
            || name.contains(['.', '/', '\\']);
        match name.parse() {
            Ok(data) => Ok(Subject::Dataset(data)),
            // With a colon it was meant to be a dataset.
            Err(_)
                if is_file && (Path::new(name).exists() || name.contains("://") || !name.contains(':')) =>
            {
                Ok(Subject::Tables(name.into()))
            }
            Err(problem) => Err(format!("{problem}, or a table file")),
        }
    }
}

/// The tokens offered at the beginning of a program, and after the only one of them, which opens an expression.
fn first_tokens(example: &Example) -> [Vec<String>; 2] {
    let mut interpreter = example.interpreter(Assistance::All);
    let written = |tokens: Vec<mapo_language::Token>| {
        tokens
            .iter()
            .map(|token| interpreter.context().write(*token))
            .collect()
    };
    let first = interpreter.offered();
    let (begin, open) = (written(first.clone()), first.first().copied());
    let opened = open.is_some_and(|open| interpreter.step(open).is_ok());
    let context = Arc::clone(interpreter.context());
    let then = if opened { interpreter.offered() } else { Vec::new() };
    [begin, then.iter().map(|token| context.write(*token)).collect()]
}

fn dumped(example: &Example) -> Json {
    let question = &example.question;
    let constant = |mention: &Mention| {
        let (kind, value) = json::constant(&mention.constant);
        json!({ "type": kind, "value": value, "span": [mention.span.start, mention.span.end] })
    };
    let columns = example.table.columns().iter().zip(&question.column_features);
    let column_features: serde_json::Map<String, Json> = columns
        .map(|(column, feature)| (column.name().to_owned(), json!(feature)))
        .collect();
    json!({
        "id": example.id,
        "question": question.text,
        "tokens": question.tokens,
        "tags": question.tags.iter().map(|tag| tag.name()).collect::<Vec<_>>(),
        "constants": question.mentions.iter().map(constant).collect::<Vec<_>>(),
        "features": question.features,
        "column_features": column_features,
        "answer": example.answer.texts(),
        "table": example.table.name(),
    })
}

#[derive(Default)]
struct Summary {
    examples: usize,
    tables: HashSet<String>,
    rows: usize,
    /// By [`ColumnKind::ALL`].
    columns: [usize; 4],
    /// Strings, numbers, dates.
    constants: [usize; 3],
    answers: [usize; 5],
}

/// What an answer is, in the order in which it is asked.
const ANSWERS: [&str; 5] = ["list", "cell", "number", "date", "other"];

impl Summary {
    fn add(&mut self, example: &Example) {
        self.examples += 1;
        if self.tables.insert(example.table.name().to_owned()) {
            self.rows += example.table.rows();
            for column in example.table.columns() {
                let kind = ColumnKind::ALL.iter().position(|kind| *kind == column.kind());
                self.columns[kind.unwrap_or_default()] += 1;
            }
        }
        for mention in &example.question.mentions {
            let kind = match mention.constant {
                Constant::Strings(_) => 0,
                Constant::Numbers(_) => 1,
                Constant::Dates(_) => 2,
            };
            self.constants[kind] += 1;
        }
        self.answers[kind_of_answer(example)] += 1;
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.examples.max(1) as f64
    }

    fn to_json(&self, mut about: Json) -> Json {
        let kinds = ColumnKind::ALL
            .iter()
            .map(|kind| kind.suffix().trim_start_matches('-'))
            .zip(self.columns);
        let kinds: serde_json::Map<String, Json> = kinds
            .map(|(kind, count)| (kind.to_owned(), json!(count)))
            .collect();
        let answers = ANSWERS.iter().zip(self.answers);
        let answers: serde_json::Map<String, Json> = answers
            .map(|(kind, count)| ((*kind).to_owned(), json!(self.share(count))))
            .collect();
        about["examples"] = json!(self.examples);
        about["tables"] = json!(self.tables.len());
        about["rows"] = json!(self.rows);
        about["columns"] = json!(kinds);
        about["constants_per_question"] = json!(self.share(self.constants.iter().sum()));
        about["strings_per_question"] = json!(self.share(self.constants[0]));
        about["numbers_per_question"] = json!(self.share(self.constants[1]));
        about["dates_per_question"] = json!(self.share(self.constants[2]));
        about["answers"] = json!(answers);
        about
    }

    fn show(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "examples   {}", self.examples)?;
        writeln!(out, "tables     {}, with {} rows", self.tables.len(), self.rows)?;
        let columns = ColumnKind::ALL
            .iter()
            .zip(self.columns)
            .map(|(kind, count)| format!("{count} of {kind}"));
        writeln!(out, "columns    {}", columns.collect::<Vec<_>>().join(", "))?;
        let [strings, numbers, dates] = self.constants.map(|count| self.share(count));
        let all = strings + numbers + dates;
        writeln!(
            out,
            "constants  {all:.2} per question: {strings:.2} strings, {numbers:.2} numbers, {dates:.2} dates"
        )?;
        let answers = ANSWERS.iter().zip(self.answers);
        let answers = answers.map(|(kind, count)| format!("{:.1} % {kind}", 100.0 * self.share(count)));
        writeln!(out, "answers    {}", answers.collect::<Vec<_>>().join(", "))
    }
}

/// Several items are a list; one is a cell if some cell has its text, else a number, a date or something else.
fn kind_of_answer(example: &Example) -> usize {
    let texts = example.answer.texts();
    let [item] = texts else { return 0 };
    let normal = text::normalize(item);
    let is_cell = |value: Value<'_>| matches!(value, Value::Text(cell) if cell == normal || text::normalize(cell) == normal);
    if example
        .table
        .columns()
        .iter()
        .flat_map(|column| column.values())
        .any(is_cell)
    {
        return 1;
    }
    match example.answer.canonical_kind() {
        Some(mapo_datasets::AnswerKind::Number) => 2,
        Some(mapo_datasets::AnswerKind::Date) => 3,
        None => 4,
    }
}
