//! Following quotes through WikiTableQuestions' kind of comma-separated file, to find one that is never closed.

use std::io::{self, Read};

/// Passes bytes on and knows whether a quoted cell is open where they end.
pub(super) struct Quotes<R> {
    reader: R,
    state: State,
    /// Line ends so far, and whether the last byte was a `\r`.
    lines: u64,
    after_return: bool,
    /// The line on which the open cell began.
    opened: u64,
    is_over: bool,
}

/// Where in a cell a byte stands. Quotes have a meaning at its beginning only, and until they are closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Begin,
    Plain,
    Quoted,
    /// Behind a backslash within quotes.
    Escaped,
}

impl<R> Quotes<R> {
    pub fn new(reader: R) -> Self {
        Quotes {
            reader,
            state: State::Begin,
            lines: 0,
            after_return: false,
            opened: 0,
            is_over: false,
        }
    }

    /// The line of a quote that is never closed, once all has been read.
    pub fn unclosed(&self) -> Option<u64> {
        let is_open = matches!(self.state, State::Quoted | State::Escaped);
        (self.is_over && is_open).then_some(self.opened)
    }

    fn follow(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::Quoted, b'\\') => State::Escaped,
            // Behind the closing quote a cell goes on as it stands.
            (State::Quoted, b'"') => State::Plain,
            (State::Quoted | State::Escaped, _) => State::Quoted,
            (_, b',' | b'\n' | b'\r') => State::Begin,
            (State::Begin, b'"') => {
                self.opened = self.lines + 1;
                State::Quoted
            }
            (State::Begin | State::Plain, _) => State::Plain,
        };
        let is_second_half = byte == b'\n' && self.after_return;
        self.lines += u64::from(matches!(byte, b'\n' | b'\r') && !is_second_half);
        self.after_return = byte == b'\r';
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out)?;
        self.is_over |= read == 0 && !out.is_empty();
        out[..read].iter().for_each(|byte| self.follow(*byte));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_quote_that_is_never_closed_is_named_by_its_line() {
        let unclosed = |text: &str| {
            let mut quotes = Quotes::new(text.as_bytes());
            io::copy(&mut quotes, &mut io::sink()).unwrap();
            quotes.unclosed()
        };
        for closed in [
            "",
            "a,b\n1,2\n",
            "\"a\",\"b\nc\"\n",
            "a \" quote,b\n",
            r#""a \" b","\\""#,
            "\"a\"\"b\",c",
        ] {
            assert_eq!(unclosed(closed), None, "{closed}");
        }
        for (open, line) in [
            ("\"", 1),
            ("a,\"b", 1),
            ("a\n1,\"b\n2\n3\n", 2),
            ("a\r1\r\"b\r", 3),
            ("a\r\n1\r\n\"b\r\n", 3),
            (r#""a\""#, 1),
        ] {
            assert_eq!(unclosed(open), Some(line), "{open}");
        }
    }
}
