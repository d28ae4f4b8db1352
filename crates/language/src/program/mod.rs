//! Programs as text, and the one canonical way to write each.

mod parse;

pub(crate) use parse::closest;

use crate::functions::Function;
use mapo_tables::Constant;
use std::fmt;
use std::ops::Range;

/// A program as text: expressions in the order in which they run.
///
/// ```
/// use mapo_language::Program;
/// let text = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)";
/// let program: Program = text.parse().unwrap();
/// assert_eq!(program.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// The expressions.
    pub expressions: Vec<Expression>,
}

/// A function applied to arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The function.
    pub function: Function,
    /// Its arguments.
    pub arguments: Vec<Atom>,
    /// Where it stands in the text it was parsed from: the function, then each argument.
    spans: Spans,
}

/// Where the tokens of an expression stand. Programs are the same wherever they stand, so all spans are
/// equal.
#[derive(Clone, Debug, Default)]
struct Spans(Vec<Span>);

/// Where a token stands in a text: its bytes, and its first character from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    bytes: Range<usize>,
    column: usize,
}

impl Span {
    fn of(text: &str, bytes: Range<usize>) -> Self {
        let column = text.get(..bytes.start).map_or(0, |before| before.chars().count());
        Span { bytes, column }
    }

    pub(crate) fn error(self, problem: impl Into<String>) -> ProgramError {
        ProgramError {
            problem: problem.into(),
            span: self.bytes,
            column: self.column,
        }
    }
}

impl PartialEq for Spans {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// `all_rows`
    AllRows,
    /// `v0`: the result of the first expression.
    Variable(usize),
    /// `r.name-str`
    Column(String),
    /// `['tulsa']`
    Constant(Constant),
}

/// What is wrong with a program's text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("program, column {}: {problem}", .column + 1)]
pub struct ProgramError {
    /// What is wrong.
    pub problem: String,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// Where, in characters from 0.
    pub column: usize,
}

impl ProgramError {
    /// The error, below it the text of the program, and below that a mark under the token.
    pub fn shown_in(&self, text: &str) -> String {
        let token = text.get(self.span.clone()).unwrap_or_default();
        let marked = token.chars().count().max(1);
        let (blanks, mark) = (" ".repeat(self.column), "^".repeat(marked));
        format!("{self}\n  {text}\n  {blanks}{mark}")
    }
}

impl Expression {
    /// An expression that was not parsed.
    pub fn new(function: Function, arguments: Vec<Atom>) -> Self {
        Expression {
            function,
            arguments,
            spans: Spans::default(),
        }
    }

    /// Where the function (0) or an argument (from 1) stands.
    pub(crate) fn span(&self, at: usize) -> Span {
        self.spans.0.get(at).cloned().unwrap_or_default()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, expression) in self.expressions.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            expression.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}", self.function)?;
        for argument in &self.arguments {
            write!(f, " {argument}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::AllRows => f.write_str("all_rows"),
            Atom::Variable(variable) => write!(f, "v{variable}"),
            Atom::Column(name) => f.write_str(name),
            Atom::Constant(constant) => constant.fmt(f),
        }
    }
}

impl Program {
    /// What is wrong with a token of the program, by its place in the [encoding](crate::Context::encode).
    /// Parentheses have no place of their own in the text: the error points at what stands beside them.
    pub fn error_at(&self, token: usize, problem: impl Into<String>) -> ProgramError {
        let mut start = 0;
        for expression in &self.expressions {
            let length = expression.arguments.len() + 3;
            if token < start + length {
                let beside = (token - start).saturating_sub(1).min(expression.arguments.len());
                return expression.span(beside).error(problem);
            }
            start += length;
        }
        Span::default().error(problem)
    }

    /// The constants that the program mentions.
    pub fn constants(&self) -> impl Iterator<Item = &Constant> {
        let atoms = self
            .expressions
            .iter()
            .flat_map(|expression| &expression.arguments);
        atoms.filter_map(|atom| {
            if let Atom::Constant(constant) = atom {
                Some(constant)
            } else {
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Argument;
    use mapo_tables::ColumnKind;
    use mapo_text::Date;
    use proptest::prelude::*;

    fn atom(argument: Argument, variables: usize) -> BoxedStrategy<Atom> {
        let variable = (0..variables.max(1)).prop_map(move |v| {
            if variables == 0 {
                Atom::AllRows
            } else {
                Atom::Variable(v)
            }
        });
        let column = |kinds: &'static [ColumnKind]| {
            ("[^\\s]{1,8}", proptest::sample::select(kinds))
                .prop_map(|(name, kind)| Atom::Column(format!("r.{name}{}", kind.suffix())))
        };
        match argument {
            Argument::Rows => prop_oneof![Just(Atom::AllRows), variable].boxed(),
            Argument::Strings => proptest::collection::vec("\\PC{0,6}|[\\s\\\\'\"\\[\\]()]{0,4}", 1..3)
                .prop_map(|strings| Atom::Constant(Constant::Strings(strings)))
                .boxed(),
            Argument::Quantity => prop_oneof![
                proptest::collection::vec(-1e12f64..1e12, 1..3)
                    .prop_map(|n| Atom::Constant(Constant::Numbers(n))),
                (1i32..3000, proptest::option::of(1u8..13)).prop_map(|(year, month)| {
                    Atom::Constant(Constant::date(Date {
                        year: Some(year),
                        month,
                        day: None,
                    }))
                }),
            ]
            .boxed(),
            _ => column(&ColumnKind::ALL).boxed(),
        }
    }

    fn program() -> impl Strategy<Value = Program> {
        let functions = proptest::collection::vec(
            proptest::sample::select(Function::all().collect::<Vec<_>>()),
            1..5,
        );
        functions.prop_flat_map(|functions| {
            let expressions: Vec<_> = functions
                .into_iter()
                .enumerate()
                .map(|(index, function)| {
                    let arguments: Vec<_> = function
                        .definition()
                        .arguments
                        .iter()
                        .map(|argument| atom(*argument, index))
                        .collect();
                    arguments.prop_map(move |arguments| Expression::new(function, arguments))
                })
                .collect();
            expressions.prop_map(|expressions| Program { expressions })
        })
    }

    proptest! {
        #[test]
        fn printing_and_parsing_are_inverse(program in program()) {
            let text = program.to_string();
            prop_assert_eq!(text.parse::<Program>(), Ok(program));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[()\\[\\]'r.v0-9a-z, <>=!_-]{0,60}|\\PC{0,40}") {
            let _ = text.parse::<Program>();
        }
    }
}
