//! A prompt with line editing, history and completion.

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Context, Editor, Helper, Highlighter, Hinter, Validator};
use std::error::Error;
use std::path::PathBuf;

/// What a line was.
pub enum Line {
    /// Text.
    Text(String),
    /// Ctrl-C: the line is to be forgotten.
    Cancelled,
    /// Ctrl-D: there is no more.
    End,
}

/// Reads lines from a terminal.
pub struct Prompt {
    editor: Editor<Words, FileHistory>,
    history: Option<PathBuf>,
}

impl Prompt {
    /// A prompt that completes these commands (each begins with a dot), names within questions, and names
    /// within the programs that `.program` takes.
    pub fn new(
        commands: &'static [&'static str],
        names: Vec<String>,
        symbols: Vec<String>,
    ) -> Result<Self, Box<dyn Error>> {
        let config = Config::builder()
            .history_ignore_space(true)
            .max_history_size(1000)?;
        let mut editor = Editor::with_config(config.build())?;
        editor.set_helper(Some(Words {
            commands,
            names,
            symbols,
        }));
        let history = history_file();
        if let Some(file) = &history {
            // A first time has none.
            let _ = editor.load_history(file);
        }
        Ok(Prompt { editor, history })
    }

    /// The next line.
    pub fn read(&mut self, prompt: &str) -> Result<Line, Box<dyn Error>> {
        match self.editor.readline(prompt) {
            Ok(line) => {
                if !line.trim().is_empty() {
                    self.editor.add_history_entry(&line)?;
                }
                Ok(Line::Text(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Cancelled),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        // Not to be able to keep a history is no reason to complain at the end.
        if let Some(file) = &self.history
            && file
                .parent()
                .is_some_and(|folder| std::fs::create_dir_all(folder).is_ok())
        {
            let _ = self.editor.append_history(file);
        }
    }
}

/// Where the questions asked before are kept: the user's state directory.
fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| {
        let folder = std::env::var_os(name).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(state.join("mapo").join("history"))
}

/// What can be completed.
#[derive(Helper, Highlighter, Hinter, Validator)]
struct Words {
    commands: &'static [&'static str],
    names: Vec<String>,
    symbols: Vec<String>,
}

impl Words {
    /// Where the word under the cursor begins, and what it can become.
    fn complete_word(&self, line: &str, cursor: usize) -> (usize, Vec<String>) {
        let before = &line[..cursor];
        let starting = |all: &[String], word: &str| -> Vec<String> {
            let word = word.to_lowercase();
            let fitting = all.iter().filter(|name| name.to_lowercase().starts_with(&word));
            fitting.cloned().collect()
        };
        if before.starts_with('.') && !before.contains(' ') {
            let commands = self.commands.iter().filter(|command| command.starts_with(before));
            return (0, commands.map(|command| format!("{command} ")).collect());
        }
        let in_program = before.starts_with(".program ");
        let ends = |c: char| c.is_whitespace() || (in_program && "()".contains(c));
        let start = before.rfind(ends).map_or(0, |place| {
            place + before[place..].chars().next().map_or(1, char::len_utf8)
        });
        let word = &before[start..];
        if word.is_empty() && !in_program {
            return (start, Vec::new());
        }
        let all = if in_program { &self.symbols } else { &self.names };
        (start, starting(all, word))
    }
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, words) = self.complete_word(line, pos);
        let pair = |word: String| Pair {
            display: word.clone(),
            replacement: word,
        };
        Ok((start, words.into_iter().map(pair).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_commands_and_symbols_are_completed() {
        let words = Words {
            commands: &[".columns", ".program", ".quit"],
            names: vec!["Hometown".to_owned(), "Home runs".to_owned(), "Élan".to_owned()],
            symbols: vec!["r.hometown-str".to_owned(), "filter_in".to_owned()],
        };
        let complete = |line: &str| words.complete_word(line, line.len());
        assert_eq!(complete("which homet"), (6, vec!["Hometown".to_owned()]));
        assert_eq!(complete("what hom").1.len(), 2);
        assert_eq!(complete("what él"), (5, vec!["Élan".to_owned()]));
        assert_eq!(complete("what "), (5, vec![]));
        assert_eq!(complete(".co"), (0, vec![".columns ".to_owned()]));
        assert_eq!(complete(".program (fil"), (10, vec!["filter_in".to_owned()]));
        assert_eq!(
            complete(".program (hop all_rows r.ho"),
            (23, vec!["r.hometown-str".to_owned()])
        );
    }
}
