//! The `mapo` command: a thin layer that parses arguments, calls the libraries and shows what they say.
//!
//! It is a library so that other doors than the program `mapo` can lead to it: [`run`] is the whole command.

#![deny(unsafe_code)]

mod card_view;
mod chart;
mod commands;
mod data_args;
mod doors;
mod file_view;
mod json;
mod kept_apart;
// A signal.
#[allow(unsafe_code)]
mod memory;
mod models;
mod prompt;
mod quoting;
mod reply_view;
mod settings_args;
mod size;
mod stored_questions;
mod table_args;
mod table_view;
mod terminal;
mod threads;
mod watching;
mod words_of;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Answers questions about tables by writing programs, and learns to from questions and answers alone.
///
/// A program is a few steps of a small language over one table, for instance
///
///   (filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)
///
/// which keeps the rows whose hometown contains 'tulsa' and reads their names.
#[derive(Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Ask(commands::ask::Ask),
    Serve(commands::serve::Serve),
    Correct(commands::correct::Correct),
    Learn(commands::learn::Learn),
    Demo(commands::demo::Demo),
    Train(commands::train::Train),
    Eval(commands::eval::Eval),
    Rank(commands::rank::Rank),
    Calibrate(commands::calibrate::Calibrate),
    Compare(commands::compare::Compare),
    Reproduce(commands::reproduce::Reproduce),
    Fleet(commands::fleet::Fleet),
    Model(commands::model::Model),
    Pack(commands::pack::Pack),
    Words(commands::words::Words),
    Compose(commands::compose::Compose),
    Study(commands::study::Study),
    Run(commands::run::Run),
    Sql(commands::sql::Sql),
    Data(commands::data::Data),
    Score(commands::score::Score),
    Explore(commands::explore::Explore),
    Search(commands::search::Search),
    Weigh(commands::weigh::Weigh),
    Language(commands::language::Language),
    #[command(hide = true)]
    ReadUpload(commands::read_upload::ReadUpload),
    /// Print a completion script for a shell.
    ///
    /// For bash: mapo completions bash > ~/.local/share/bash-completion/completions/mapo
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// What a command gives back: nothing, or a sentence for the user.
type Outcome = Result<(), Box<dyn Error>>;

/// A question was understood as one and has no answer, which was said already.
#[derive(Debug)]
struct NoAnswer;

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is no answer")
    }
}

impl Error for NoAnswer {}

/// The program that leads here, where that is not the file of the process: a script of Python's, say.
static STARTED_AS: OnceLock<PathBuf> = OnceLock::new();

/// The same as [`run`] for a program that is not the file of the process. The command starts it again where it needs
/// a process of its own.
pub fn run_as(program: PathBuf, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    // There is one command in a process; a second one is the same program.
    let program = STARTED_AS.get_or_init(|| program).clone();
    run(std::iter::once(program.into_os_string()).chain(arguments))
}

/// Does what the arguments say, of which the first is the name of the program. Gives the exit code, unless clap ends the
/// process before: after help, or where an argument is wrong.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    memory::limit_to_what_there_is();
    memory::survive_full_files();
    let matches = doors::by_door(Arguments::command()).get_matches_from(arguments);
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let outcome = match arguments.command {
        Command::Ask(ask) => ask.execute(),
        Command::Serve(serve) => serve.execute(),
        Command::Correct(correct) => correct.execute(),
        Command::Learn(learn) => learn.execute(),
        Command::Demo(demo) => demo.execute(),
        Command::Train(train) => train.execute(),
        Command::Eval(eval) => eval.execute(),
        Command::Rank(rank) => rank.execute(),
        Command::Calibrate(calibrate) => calibrate.execute(),
        Command::Compare(compare) => compare.execute(),
        Command::Reproduce(reproduce) => reproduce.execute(),
        Command::Fleet(fleet) => fleet.execute(),
        Command::Model(model) => model.execute(),
        Command::Pack(pack) => pack.execute(),
        Command::Words(words) => words.execute(),
        Command::Compose(compose) => compose.execute(),
        Command::Study(study) => study.execute(),
        Command::Run(run) => run.execute(),
        Command::Sql(sql) => sql.execute(),
        Command::Data(data) => data.execute(),
        Command::Score(score) => score.execute(),
        Command::Explore(explore) => explore.execute(),
        Command::Search(search) => search.execute(),
        Command::Weigh(weigh) => weigh.execute(),
        Command::Language(language) => language.execute(),
        Command::ReadUpload(read) => read.execute(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Arguments::command(), "mapo", &mut std::io::stdout());
            Ok(())
        }
    };
    match outcome {
        Ok(()) => 0,
        // Whoever reads our output has seen enough, as `head` does.
        Err(error) if is_broken_pipe(error.as_ref()) => 0,
        Err(error) if error.is::<NoAnswer>() => 1,
        Err(error) => {
            // It may quote a table.
            // Where nobody reads it, there is nothing to panic about.
            let _ = writeln!(
                std::io::stderr(),
                "mapo: {}",
                terminal::clean_lines(&error.to_string())
            );
            2
        }
    }
}

/// Prints text without what a terminal would obey, or says that nobody reads it any more.
fn print(text: impl std::fmt::Display) -> Outcome {
    Ok(writeln!(terminal::text(), "{text}")?)
}

/// The same for JSON, where such characters are escaped.
fn print_json(json: impl std::fmt::Display) -> Outcome {
    Ok(writeln!(terminal::json(), "{json}")?)
}

/// The same for text that may have colours, and whose parts were cleaned one by one.
fn print_styled(text: impl std::fmt::Display) -> Outcome {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command_once() {
        let mut shown = doors::by_door(Arguments::command());
        let help = shown.render_long_help().to_string();
        for command in shown.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            let lines = help
                .lines()
                .filter(|line| line.split_whitespace().next() == Some(name));
            assert_eq!(lines.count(), 1, "{name} in\n{help}");
        }
        assert!(
            !help.contains("Other commands"),
            "give each command its door:\n{help}"
        );
        for (title, names) in doors::DOORS {
            assert!(help.contains(title), "{help}");
            let known = |name: &&str| shown.find_subcommand(name).is_some();
            assert!(names.iter().all(known), "{names:?}");
        }
    }
}
