//! `mapo ask`: questions about a table.

use crate::prompt::{Line, Prompt};
use crate::reply_view;
use crate::table_args::TableArgs;
use crate::terminal::{Colour, Style, clean, clean_json, clean_lines};
use crate::{Outcome, print_styled, table_view};
use clap::Args;
use indicatif::ProgressBar;
use mapo_answering::{Answerer, Reply, check_question, fitting};
use mapo_datasets::corrections::{Correction, beside, learnt_beside};
use mapo_language::{Function, HandWritten};
use mapo_tables::{LoadOptions, Table};
use serde_json::json;
use std::cell::RefCell;
use std::error::Error;
use std::io::{BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Ask questions about a table.
///
/// Examples:
///   mapo ask films.csv "which film by Kubrick is the longest?"
///   mapo ask films.csv                      # a prompt: .help says what it knows
///   mapo ask films.csv --json < questions.txt
///   mapo ask films.xlsx --sheet Awards "which film won the most awards?"
///   mapo ask tables/ "who directed Barry Lyndon?"      # the table that fits the question
///   cat films.csv | mapo ask - "how many films are there?"
///
/// Shows the answer, how sure it is, the program behind it in plain English, in the language of `mapo run` and as SQL,
/// the cells that it used, and the runners-up. Without a question it is a prompt; where the input is no terminal, each
/// line is a question. The model in the box answers, or what `mapo learn` made of it for the tables of this folder, unless
/// --model names another. At the prompt, .right and .wrong say how an answer was. The exit code is 0 if there is an
/// answer, 1 if one question was asked and there is none, and 2 if something is wrong.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Ask {
    /// A table: CSV, a workbook, JSON, Parquet, a database…, packed or not; - for the standard input. Of a folder, each
    /// question is asked of the table that fits it best.
    #[arg(value_name = "TABLE|FOLDER")]
    table: PathBuf,
    /// The question.
    question: Option<String>,
    /// A further table, or folder of tables, that a question may be about; may be given again.
    #[arg(long, value_name = "TABLE|FOLDER")]
    also: Vec<PathBuf>,
    /// The model that answers, as `mapo train` or `mapo pack` wrote it, instead of the one in the box.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// How many runners-up to show.
    #[arg(long, value_name = "N")]
    alternatives: Option<usize>,
    /// When to use colours.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    /// Print one JSON object for each question.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: TableArgs,
}

/// Runners-up that are shown when nothing is said.
const ALTERNATIVES: usize = 3;
/// The longest line of the standard input that is read as a question, in bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// Loading that takes longer than this is shown.
const LONG: Duration = Duration::from_millis(700);

/// What questions may be about, one table at the least, and the files that they come from.
type Tables = (Vec<Arc<Table>>, Vec<PathBuf>);

impl Ask {
    pub fn execute(self) -> Outcome {
        let from_stdin = self.table == Path::new("-");
        match &self.question {
            // Nobody wants to wait for a large table to hear this.
            Some(question) => check_question(question)?,
            None if from_stdin => {
                return Err("the table comes from the standard input, so the question must be given: mapo ask - QUESTION".into());
            }
            None => {}
        }
        let (answerer, (tables, files)) = self.load()?;
        let asking = Asking {
            answerer,
            table: Arc::clone(&tables[0]),
            tables,
            files,
            reading: self.reading.options(),
            last: RefCell::default(),
            style: Style::new(self.color),
            json: self.json,
            alternatives: self.alternatives,
        };
        match &self.question {
            Some(question) => match asking.answer(question)? {
                true => Ok(()),
                false => Err(Box::new(crate::NoAnswer)),
            },
            None if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !self.json => {
                asking.prompt()
            }
            None => asking.lines(std::io::stdin().lock()),
        }
    }

    /// The model and the table, at the same time.
    fn load(&self) -> Result<(Answerer, Tables), Box<dyn Error>> {
        let options = self.reading.options();
        let model = self.model.clone().or_else(|| {
            let learnt = learnt_beside(&self.table).filter(|_| self.table != Path::new("-"))?;
            // Who asks shall know that it is another model than elsewhere.
            let file = clean(&learnt.display().to_string());
            eprintln!(
                "mapo: {file} answers, which learnt from corrections (--model box is the model in the box)"
            );
            Some(learnt)
        });
        let shown = Waiting::start(format!("reading {}", clean(&self.table.display().to_string())));
        let (answerer, tables) = rayon::join(
            || match &model {
                Some(file) => Answerer::open(file),
                None => Answerer::boxed(),
            },
            || self.open(&options),
        );
        drop(shown);
        let tables = tables?;
        Ok((answerer?, tables))
    }

    /// The tables, one at the least. Of several, those that cannot be read are passed over with a sentence.
    fn open(&self, options: &LoadOptions) -> Result<Tables, String> {
        let mut files = Vec::new();
        for path in [&self.table].into_iter().chain(&self.also) {
            files.extend(mapo_datasets::tables::files(path).map_err(|error| error.to_string())?);
        }
        let (mut tables, mut read, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for file in &files {
            // `-` is the standard input there too.
            let opened = Table::open(file, options).map_err(|error| error.to_string());
            let usable = |table: Table| match mapo_answering::check_table(&table) {
                Ok(()) => Ok(Arc::new(table)),
                Err(error) => Err(error.to_string()),
            };
            match opened.and_then(usable) {
                Ok(table) => {
                    tables.push(table);
                    read.push(file.clone());
                }
                Err(problem) => problems.push(problem),
            }
        }
        match (tables.is_empty(), problems.pop()) {
            (true, Some(problem)) => Err(problem),
            (_, last) => {
                for problem in problems.iter().chain(&last) {
                    eprintln!("mapo: passed over: {}", clean_lines(problem));
                }
                Ok((tables, read))
            }
        }
    }
}

/// Says on the standard error what is waited for, once it takes long; quiet where that is no terminal.
struct Waiting {
    done: Option<std::sync::mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Waiting {
    fn start(what: String) -> Self {
        let (done, wait) = channel();
        let thread = std::thread::spawn(move || {
            if wait.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
                let bar = ProgressBar::new_spinner().with_message(what);
                bar.enable_steady_tick(Duration::from_millis(100));
                let _ = wait.recv();
                bar.finish_and_clear();
            }
        });
        Waiting {
            done: Some(done),
            thread: Some(thread),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A model and a table, ready for questions.
struct Asking {
    answerer: Answerer,
    /// The table that is shown, the first,
    table: Arc<Table>,
    /// and all that questions may be about.
    tables: Vec<Arc<Table>>,
    /// Where each of them is,
    files: Vec<PathBuf>,
    /// and how it was read.
    reading: LoadOptions,
    /// The last answer, and the number of the table that it is about.
    last: RefCell<Option<(Reply, usize)>>,
    style: Style,
    json: bool,
    alternatives: Option<usize>,
}

impl Asking {
    /// Answers one question and says whether there is an answer.
    fn answer(&self, question: &str) -> Result<bool, Box<dyn Error>> {
        let number = self.fitting(question);
        let table = &self.tables[number];
        // What was answered before is no longer what is meant, also if this fails.
        self.last.take();
        let mut reply = self.answerer.ask(table, question)?;
        if let Some(most) = self.alternatives {
            reply.alternatives.truncate(most);
        }
        self.show(&reply, table)?;
        let has_answer = !reply.program.is_empty();
        self.last.replace(Some((reply, number)));
        Ok(has_answer)
    }

    /// The number of the table that a question is about.
    fn fitting(&self, question: &str) -> usize {
        match &self.tables[..] {
            [_] => 0,
            tables => fitting(tables, question)[0].table,
        }
    }

    /// Keeps what somebody says of the last answer: what `right` makes of it is the right one.
    fn correct(
        &self,
        right: impl FnOnce(&Reply, &Table) -> Result<Vec<String>, String>,
    ) -> Result<String, Box<dyn Error>> {
        let last = self.last.borrow();
        let Some((reply, number)) = last.as_ref() else {
            return Err("ask a question first, then say whether the answer is right".into());
        };
        let (file, table) = (&self.files[*number], &self.tables[*number]);
        if file == Path::new("-") {
            return Err(
                "the table comes from the standard input, so that nothing can be kept beside it; name a file"
                    .into(),
            );
        }
        let answer = right(reply, table)?;
        let told = self.style.bold(reply_view::items(&answer, answer.len()));
        let correction = Correction::new(file, &self.reading, table, &reply.question, answer)?;
        let kept = super::correct::told(&correction.keep(&beside(file))?);
        Ok(format!("{told}\n{}", self.style.dim(clean(&kept))))
    }

    fn show(&self, reply: &Reply, table: &Table) -> Outcome {
        if self.json {
            return print_styled(clean_json(&serde_json::to_string(reply)?));
        }
        let alternatives = self.alternatives.unwrap_or(ALTERNATIVES);
        if self.tables.len() > 1 {
            print_styled(self.style.dim(format_args!("asked of {}", clean(table.name()))))?;
        }
        print_styled(reply_view::show(reply, table, alternatives, self.style))
    }

    /// Answers a question in each line. A question that cannot be answered does not keep the others from it.
    fn lines(&self, mut input: impl BufRead) -> Outcome {
        let (mut asked, mut failed) = (0, 0);
        let mut first = true;
        for number in 1.. {
            let mut bytes = Vec::new();
            if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            let is_cut = bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n');
            if is_cut {
                skip_line(&mut input)?;
            }
            let line = match String::from_utf8(bytes) {
                _ if is_cut => Err("the question is longer than any question; ask something shorter".into()),
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => Ok(line.trim().to_owned()),
                Err(_) => Err("the question is not UTF-8 text".into()),
            };
            asked += 1;
            if !self.json {
                if !std::mem::take(&mut first) {
                    print_styled("")?;
                }
                if let Ok(line) = &line {
                    print_styled(self.style.dim(format_args!("? {}", clean(line))))?;
                }
            }
            let question = line.as_ref().map_or("", |line| line.as_str()).to_owned();
            let answered = line.and_then(|line| match Said::read(&line) {
                Said::Leave => Ok(false),
                Said::Command(command, rest) => self.command(command, rest).map(|()| true),
                Said::Question(question) => self.answer(question).map(|_| true),
            });
            let error = match answered {
                Ok(true) => continue,
                Ok(false) => break,
                Err(error) => error,
            };
            if crate::is_broken_pipe(error.as_ref()) {
                return Err(error);
            }
            failed += 1;
            match self.json {
                true => {
                    // A question of a megabyte need not be told again.
                    let question: String = question.chars().take(200).collect();
                    let line = json!({ "question": question, "error": error.to_string() });
                    print_styled(clean_json(&line.to_string()))?;
                }
                false => eprintln!("mapo: line {number}: {}", clean_lines(&error.to_string())),
            }
        }
        match failed {
            0 => Ok(()),
            failed => Err(format!("{failed} of {asked} questions could not be answered").into()),
        }
    }

    /// Reads questions and commands from the terminal.
    fn prompt(&self) -> Outcome {
        let mut names: Vec<String> = self.table.headers().iter().map(|header| clean(header)).collect();
        names.dedup();
        let columns = self.table.columns().iter().map(|column| column.name().to_owned());
        let functions = Function::all().map(|function| function.to_string());
        let symbols = columns.chain(functions).chain(["all_rows".to_owned()]).collect();
        let mut prompt = Prompt::new(&COMMANDS, names, symbols)?;
        for table in &self.tables {
            let (rows, columns) = (table.rows(), table.headers().len());
            print_styled(format_args!(
                "{}: {rows} rows, {columns} columns",
                clean(table.name())
            ))?;
            for said in table.decisions().sentences() {
                print_styled(self.style.dim(clean(said)))?;
            }
        }
        print_styled("Ask, or .help")?;
        if let Some(left_out) = self.table.left_out() {
            print_styled(self.style.dim(clean(&left_out.note())))?;
        }
        loop {
            let line = match prompt.read("? ")? {
                Line::Text(line) => line,
                Line::Cancelled => continue,
                Line::End => return Ok(()),
            };
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let done = match Said::read(line) {
                Said::Leave => return Ok(()),
                Said::Command(command, rest) => self.command(command, rest),
                Said::Question(question) => self.answer(question).map(|_| ()),
            };
            match done {
                Err(error) if crate::is_broken_pipe(error.as_ref()) => return Err(error),
                Err(error) => eprintln!("{}", clean_lines(&error.to_string())),
                Ok(()) => {}
            }
            print_styled("")?;
        }
    }

    /// Does what a command says.
    fn command(&self, command: &str, rest: &str) -> Outcome {
        let text = self.command_text(command, rest)?;
        match self.json {
            true => {
                let object = json!({ "command": command, "text": text });
                print_styled(clean_json(&object.to_string()))
            }
            false => print_styled(text),
        }
    }

    fn command_text(&self, command: &str, rest: &str) -> Result<String, Box<dyn Error>> {
        match command {
            ".help" => Ok(HELP.to_owned()),
            ".columns" => Ok(self.columns()),
            ".table" => {
                let rows = match rest {
                    "" => 10,
                    rest => rest
                        .parse()
                        .map_err(|_| format!("'{}' is no number of rows", clean(rest)))?,
                };
                Ok(table_view::show(&self.table, rows))
            }
            ".program" if rest.is_empty() => {
                Err("give a program, as in .program (argmax all_rows r.year-num) (hop v0 r.title-str)".into())
            }
            ".program" => self.program(rest),
            ".right" => self.correct(|reply, _| match (reply.answer.len(), reply.answer_total) {
                (0, _) => Err("there was no answer; .wrong ANSWER says what it is".to_owned()),
                (told, all) if told < all => Err(format!("the answer has {all} items, too many to keep")),
                _ => Ok(reply.answer.clone()),
            }),
            ".wrong" if rest.is_empty() => {
                Err("say what is right, as in .wrong Priya Nair; several items with ; between them".into())
            }
            ".wrong" => self.correct(|_, _| Ok(rest.split(';').map(|item| item.trim().to_owned()).collect())),
            ".other" => self.correct(|reply, _| other(reply, rest)),
            ".cell" => self.correct(|_, table| cell(table, rest)),
            other => Err(format!("there is no {}; .help lists what there is", clean(other)).into()),
        }
    }

    /// The columns, and how programs call each way of reading them.
    fn columns(&self) -> String {
        let mut lines = Vec::new();
        for (source, header) in self.table.headers().iter().enumerate() {
            let readings = self
                .table
                .columns()
                .iter()
                .filter(|column| column.source() == source);
            let names: Vec<&str> = readings.map(|column| column.name()).collect();
            let names = self.style.dim(clean(&names.join(", ")));
            lines.push(format!("{}  {names}", clean(header)));
            for said in self.table.how_written(source) {
                lines.push(format!("    {}", self.style.dim(clean(&said))));
            }
        }
        lines.join("\n")
    }

    /// Runs a program that somebody wrote by hand.
    fn program(&self, text: &str) -> Result<String, Box<dyn Error>> {
        let ran = HandWritten::read(text, &self.table).and_then(|program| program.explain());
        let ran = ran.map_err(|error| error.shown_in(text))?;
        let rows = ran.steps.last().and_then(|step| step.rows.as_ref());
        let answer = match rows {
            Some(_) => format!(
                "rows, which answer nothing: end with hop or count ({})",
                clean(&ran.english)
            ),
            None if ran.answer_total == 0 => "no value".to_owned(),
            None => self.style.bold(reply_view::items(&ran.shown, ran.answer_total)),
        };
        let reasons = reply_view::reasons(&ran.english, &ran.program, &ran.sql, self.style);
        let mut parts = vec![answer, reasons.trim_end().to_owned()];
        parts.extend(reply_view::rows(&self.table, &ran.steps, &ran.cells, self.style));
        parts.push(reply_view::notes(&ran.notes, self.style).trim_end().to_owned());
        parts.retain(|part| !part.is_empty());
        Ok(parts.join("\n"))
    }
}

/// The runner-up that somebody means.
fn other(reply: &Reply, place: &str) -> Result<Vec<String>, String> {
    let all = reply.alternatives.len();
    let place: Option<usize> = place.parse().ok();
    let found = place.and_then(|place| reply.alternatives.get(place.checked_sub(1)?));
    match found {
        Some(other) if other.answer.len() < other.answer_total => Err(format!(
            "that answer has {} items, too many to keep",
            other.answer_total
        )),
        Some(other) => Ok(other.answer.clone()),
        None if all == 0 => Err("there was no other answer; .wrong ANSWER says what is right".to_owned()),
        None => Err(format!(
            "say which of the other answers is right by its place, 1 to {all}, as in .other 1"
        )),
    }
}

/// The cell that somebody means: a row as it is counted where it is shown, and the name of a column.
fn cell(table: &Table, said: &str) -> Result<Vec<String>, String> {
    let (row, name) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
    let row = row.parse::<usize>().ok().and_then(|row| row.checked_sub(1));
    let row = row.filter(|row| *row < table.rows());
    let name = name.trim();
    let headers = table.headers().iter();
    let column = headers
        .clone()
        .position(|header| header.trim().eq_ignore_ascii_case(name));
    match (row, column) {
        (Some(row), Some(column)) => Ok(vec![table.cell(row, column).trim().to_owned()]),
        (None, _) => Err(format!(
            "say which row, 1 to {}, and which column, as in .cell 3 {}",
            table.rows(),
            table.headers().first().map_or("Name", |header| header.as_str())
        )),
        (Some(_), None) => Err(format!("there is no column '{name}'; .columns lists them")),
    }
}

/// What somebody says at the prompt, or in a line of a file.
#[derive(Debug, PartialEq)]
enum Said<'a> {
    /// A command with what follows it.
    Command(&'a str, &'a str),
    /// It is enough.
    Leave,
    Question(&'a str),
}

impl<'a> Said<'a> {
    /// Commands begin with a dot; `help` and the words by which people leave are understood without one, too, as long
    /// as nothing else is said.
    fn read(line: &'a str) -> Self {
        let line = line.trim();
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (first, rest.trim()) {
            (".quit" | ".exit" | ".q", _) | ("quit" | "exit" | "bye", "") => Said::Leave,
            ("help" | "?", "") => Said::Command(".help", ""),
            (command, rest) if command.starts_with('.') => Said::Command(command, rest),
            _ => Said::Question(line),
        }
    }
}

/// Reads on to the end of a line without keeping it.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, ended) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(place) => (place + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

const COMMANDS: [&str; 9] = [
    ".right", ".wrong", ".other", ".cell", ".columns", ".table", ".program", ".help", ".quit",
];

const HELP: &str = "\
Ask anything about the table, or:
  .right            the last answer is right
  .wrong ANSWER     it is this one; several items with ; between them
  .other N          it is the N-th of the others
  .cell ROW COLUMN  it is this cell
  .columns          the columns, and how programs call them
  .table [N]        the first rows
  .program PROGRAM  run a program by hand (mapo language lists the functions)
  .help, .quit      also without the dot; Ctrl-D leaves too
Tab completes names of columns, the arrow keys recall earlier questions.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_questions() {
        for (line, said) in [
            ("help", Said::Command(".help", "")),
            (".columns ", Said::Command(".columns", "")),
            (".table 3", Said::Command(".table", "3")),
            (".wrong Priya Nair", Said::Command(".wrong", "Priya Nair")),
            (" exit", Said::Leave),
            (".quit", Said::Leave),
            ("quit", Said::Leave),
            (
                "help desk calls per day",
                Said::Question("help desk calls per day"),
            ),
            ("exit polls?", Said::Question("exit polls?")),
        ] {
            assert_eq!(Said::read(line), said, "{line}");
        }
    }
}
