//! What may reach a terminal, and in which colours.

use clap::ValueEnum;
use std::fmt::Display;
use std::io::{BufWriter, IsTerminal, StdoutLock, Write};

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How text is marked: with colours, or not at all.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    coloured: bool,
}

impl Style {
    /// The style of the standard output.
    pub fn new(colour: Colour) -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let coloured = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb,
        };
        Style { coloured }
    }

    /// Whether there are colours.
    pub fn is_coloured(self) -> bool {
        self.coloured
    }

    fn painted(self, code: &str, text: impl Display) -> String {
        match self.coloured {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_string(),
        }
    }

    /// The most important.
    pub fn bold(self, text: impl Display) -> String {
        self.painted("1", text)
    }

    /// The least important.
    pub fn dim(self, text: impl Display) -> String {
        self.painted("2", text)
    }

    /// What can be trusted.
    pub fn good(self, text: impl Display) -> String {
        self.painted("32", text)
    }

    /// What cannot.
    pub fn doubtful(self, text: impl Display) -> String {
        self.painted("33", text)
    }
}

/// Whether a terminal could take the character for a command, or show the text around it in another order.
fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text from a table or a question as it may be shown in one line: a cell can hold anything, also what a
/// terminal would obey. Line ends and tabs become blanks, all else that is not to be shown `�`.
pub fn clean(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(shown).collect()
}

/// The same for text of several lines.
pub fn clean_lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

/// JSON with everything escaped that [`clean`] would replace. Such characters only occur within strings.
pub fn clean_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match is_unsafe(c) {
            true => escaped += &format!("\\u{:04x}", u32::from(c)),
            false => escaped.push(c),
        }
    }
    escaped
}

/// The standard output for text of any lines, or for JSON: nothing that a terminal would obey goes through.
pub fn text() -> Cleaning<impl Write> {
    cleaning(Some(|text| clean_kept(text, &['\n', '\t'])))
}

/// See [`text`].
pub fn json() -> Cleaning<impl Write> {
    // The line end behind an object is no part of it.
    cleaning(Some(|json| {
        json.split('\n').map(clean_json).collect::<Vec<_>>().join("\n")
    }))
}

/// The standard output for what must come through as it is, unless a terminal would show it.
pub fn exact() -> Cleaning<impl Write> {
    match std::io::stdout().is_terminal() {
        true => cleaning(Some(|text| clean_kept(text, &['\n', '\t']))),
        false => cleaning(None),
    }
}

fn cleaning(clean: Option<fn(&str) -> String>) -> Cleaning<BufWriter<StdoutLock<'static>>> {
    Cleaning {
        out: BufWriter::new(std::io::stdout().lock()),
        clean,
    }
}

/// Cleans what is written, which comes in whole characters.
pub struct Cleaning<W> {
    out: W,
    clean: Option<fn(&str) -> String>,
}

impl<W: Write> Write for Cleaning<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.clean {
            Some(clean) => {
                let text = clean(&String::from_utf8_lossy(bytes));
                self.out.write_all(text.as_bytes())?;
            }
            None => self.out.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn clean_kept(text: &str, kept: &[char]) -> String {
    let shown = |c: char| match is_unsafe(c) && !kept.contains(&c) {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    };
    text.chars().map(shown).collect()
}

/// How many characters a line of the standard output has.
pub fn width() -> usize {
    const USUAL: u16 = 100;
    let told = comfy_table::Table::new().width();
    // Some terminals have no size.
    told.filter(|width| *width > 0).unwrap_or(USUAL).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        let hostile = "a\x1b[31mb\x07\u{9b}2J\u{202e}c\r\nd\te\0";
        assert_eq!(clean(hostile), "a�[31mb��2J�c  d e�");
        assert_eq!(clean_lines("one\ntwo\x1b"), "one\ntwo�");
        let json = serde_json::to_string(&[hostile]).expect("text is JSON");
        let escaped = clean_json(&json);
        assert!(!escaped.chars().any(is_unsafe), "{escaped}");
        let mut through = Cleaning {
            out: Vec::new(),
            clean: Some(|text| clean_kept(text, &['\n', '\t'])),
        };
        writeln!(through, "{hostile}").expect("there is room");
        assert_eq!(through.out, "a�[31mb��2J�c�\nd\te�\n".as_bytes());
        let back: Vec<String> = serde_json::from_str(&escaped).expect("still JSON");
        assert_eq!(back, [hostile]);
    }
}
