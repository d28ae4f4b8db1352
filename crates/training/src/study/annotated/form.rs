//! S-expressions: words, quoted strings and lists in parentheses.

use std::fmt;

/// An s-expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A word, or a string in double quotes without them.
    Word(String),
    /// A list in parentheses.
    List(Vec<Form>),
}

/// What is wrong with a text of s-expressions, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct FormError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong and what to do.
    pub problem: String,
}

impl Form {
    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Form::Word(word) => Some(word),
            Form::List(_) => None,
        }
    }

    /// The items of a list; a word has none.
    pub fn items(&self) -> &[Form] {
        match self {
            Form::Word(_) => &[],
            Form::List(items) => items,
        }
    }

    /// The first word of a list.
    pub fn head(&self) -> Option<&str> {
        self.items().first()?.word()
    }

    /// What follows the head of a list, if `head` is its head.
    pub fn after(&self, head: &str) -> Option<&[Form]> {
        (self.head() == Some(head)).then(|| &self.items()[1..])
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Word(word) if is_plain(word) => f.write_str(word),
            Form::Word(word) => {
                let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "\"{escaped}\"")
            }
            Form::List(items) => {
                f.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(" ")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "()\"\\#".contains(c))
}

/// A list that is still open: where it began, and its items so far.
struct Open {
    line: usize,
    column: usize,
    items: Vec<Form>,
}

/// Reads all s-expressions of a text, each with the line on which it begins. `#` begins a comment that ends
/// with its line.
///
/// ```
/// use mapo_training::study::annotated::{Form, read_forms};
/// let forms = read_forms("# a comment\n(count (r.team \"a \\\"b\\\"\"))").unwrap();
/// assert_eq!(forms[0].0, 2);
/// assert_eq!(forms[0].1.head(), Some("count"));
/// let error = read_forms("(count\n  (r.team c.a)").unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 1: the list is not closed: ')' is missing");
/// ```
pub fn read_forms(text: &str) -> Result<Vec<(usize, Form)>, FormError> {
    let mut reader = Characters {
        chars: text.chars().peekable(),
        line: 1,
        column: 1,
    };
    let (mut forms, mut open): (Vec<(usize, Form)>, Vec<Open>) = (Vec::new(), Vec::new());
    while let Some(&c) = reader.chars.peek() {
        let (mut line, column) = (reader.line, reader.column);
        let form = match c {
            c if c.is_whitespace() => {
                reader.next();
                continue;
            }
            '#' => {
                while reader.chars.peek().is_some_and(|c| *c != '\n') {
                    reader.next();
                }
                continue;
            }
            '(' => {
                reader.next();
                let items = Vec::new();
                open.push(Open { line, column, items });
                continue;
            }
            ')' => {
                reader.next();
                let problem = "this ')' closes nothing; remove it or add the '(' that it closes";
                let closed = open.pop().ok_or_else(|| error(line, column, problem))?;
                line = closed.line;
                Form::List(closed.items)
            }
            '"' => Form::Word(reader.string()?),
            _ => Form::Word(reader.word()),
        };
        match open.last_mut() {
            Some(list) => list.items.push(form),
            None => forms.push((line, form)),
        }
    }
    match open.last() {
        Some(list) => Err(error(
            list.line,
            list.column,
            "the list is not closed: ')' is missing",
        )),
        None => Ok(forms),
    }
}

fn error(line: usize, column: usize, problem: &str) -> FormError {
    FormError {
        line,
        column,
        problem: problem.to_owned(),
    }
}

struct Characters<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    column: usize,
}

impl Characters<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            (self.line, self.column) = (self.line + 1, 1);
        } else {
            self.column += 1;
        }
        Some(c)
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(&c) = self.chars.peek() {
            if c.is_whitespace() || c == '(' || c == ')' || c == '"' {
                break;
            }
            word.push(c);
            self.next();
        }
        word
    }

    /// From the opening quote to the closing one; a backslash takes the next character as it is.
    fn string(&mut self) -> Result<String, FormError> {
        let (line, column) = (self.line, self.column);
        self.next();
        let mut string = String::new();
        loop {
            match self.next() {
                Some('"') => return Ok(string),
                Some('\\') => string.extend(self.next()),
                Some(c) => string.push(c),
                None => {
                    let problem = "the string is not closed: a double quote is missing";
                    return Err(error(line, column, problem));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn errors_name_the_line_and_the_column() {
        let cases = [
            ("(a (b c)", 1, 1, "not closed"),
            ("(a)\n  (b\n(c)", 2, 3, "not closed"),
            ("(a)\n)", 2, 1, "closes nothing"),
            ("(a \"é\n b", 1, 4, "double quote"),
            ("(é \"x", 1, 4, "double quote"),
        ];
        for (text, line, column, problem) in cases {
            let error = read_forms(text).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{text}");
            assert!(error.problem.contains(problem), "{text}: {error}");
        }
    }

    fn form() -> impl Strategy<Value = Form> {
        let word = prop_oneof!["[a-z@!._0-9-]{1,8}", "\\PC{0,8}", "[\\s\"\\\\()#]{0,4}"].prop_map(Form::Word);
        word.prop_recursive(4, 32, 4, |inner| {
            proptest::collection::vec(inner, 0..4).prop_map(Form::List)
        })
    }

    proptest! {
        #[test]
        fn printing_and_reading_are_inverse(form in form()) {
            prop_assert_eq!(read_forms(&form.to_string()), Ok(vec![(1, form)]));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[()\"\\\\# a\n]{0,40}|\\PC{0,30}") {
            let _ = read_forms(&text);
        }
    }
}
