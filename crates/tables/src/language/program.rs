//! The text form of programs: one canonical way to write each, and a parser whose errors point at the token.

use super::context::Context;
use super::function::Function;
use super::symbol::{Constant, ConstantId, Symbol, Token};
use crate::Date;
use crate::table::ColumnKind;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A program as text: expressions in the order in which they run.
///
/// ```
/// use mapo_tables::Program;
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

/// Where the tokens of an expression stand. Programs are the same wherever they stand, so all spans are equal.
#[derive(Clone, Debug, Default)]
struct Spans(Vec<Span>);

/// Where a token stands in a text: its bytes, and its first character from 0.
#[derive(Clone, Debug, Default)]
struct Span {
    bytes: Range<usize>,
    column: usize,
}

impl Span {
    fn of(text: &str, bytes: Range<usize>) -> Self {
        let column = text.get(..bytes.start).map_or(0, |before| before.chars().count());
        Span { bytes, column }
    }

    fn error(self, problem: impl Into<String>) -> ProgramError {
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

impl Expression {
    /// An expression that was not parsed.
    pub fn new(function: Function, arguments: Vec<Atom>) -> Self {
        Expression {
            function,
            arguments,
            spans: Spans::default(),
        }
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

impl FromStr for Program {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        Parser { text, at: 0 }.program()
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn program(mut self) -> Result<Program, ProgramError> {
        let mut program = Program::default();
        loop {
            self.skip_blanks();
            let rest = self.rest();
            if rest.is_empty() {
                break;
            } else if let Some(after) = rest.strip_prefix("<END>") {
                self.at += "<END>".len();
                if !after.trim().is_empty() {
                    self.skip_blanks();
                    return Err(self.error(self.chunk(), "nothing can follow <END>"));
                }
            } else if rest.starts_with('(') {
                self.at += 1;
                program
                    .expressions
                    .push(self.expression(program.expressions.len())?);
            } else {
                return Err(self.error(self.chunk(), "an expression starts with '('"));
            }
        }
        match program.expressions.is_empty() {
            true => Err(self.error(
                0..0,
                "a program needs at least one expression, such as (count all_rows)",
            )),
            false => Ok(program),
        }
    }

    /// After the opening parenthesis, up to and with the closing one.
    fn expression(&mut self, variables: usize) -> Result<Expression, ProgramError> {
        self.skip_blanks();
        let span = self.word();
        let name = &self.text[span.clone()];
        let function = Function::named(name).ok_or_else(|| {
            let known = Function::all().map(Function::name);
            let problem = match closest(name, known) {
                Some(close) => format!("there is no function '{name}'; did you mean '{close}'?"),
                None => format!("there is no function '{name}'"),
            };
            self.error(span.clone(), problem)
        })?;
        self.at = span.end;
        let mut expression = Expression {
            function,
            arguments: Vec::new(),
            spans: Spans(vec![Span::of(self.text, span)]),
        };
        let wanted = function.definition().arguments.len();
        let takes = format!(
            "{function} takes {wanted} argument{}",
            if wanted == 1 { "" } else { "s" }
        );
        loop {
            self.skip_blanks();
            let start = self.at;
            if self.rest().is_empty() {
                return Err(self.error(start..start, "the expression is not closed: ')' is missing"));
            }
            if self.rest().starts_with(')') {
                if expression.arguments.len() < wanted {
                    return Err(self.error(
                        start..start + 1,
                        format!("{takes}, not {}", expression.arguments.len()),
                    ));
                }
                self.at += 1;
                return Ok(expression);
            }
            let atom = self.atom(variables)?;
            if expression.arguments.len() == wanted {
                return Err(self.error(start..self.at, format!("{takes}; this is one too many")));
            }
            expression.arguments.push(atom);
            expression.spans.0.push(Span::of(self.text, start..self.at));
        }
    }

    fn atom(&mut self, variables: usize) -> Result<Atom, ProgramError> {
        if self.rest().starts_with('[') {
            return self.constant().map(Atom::Constant);
        }
        if self.rest().starts_with("r.") {
            return self.column().map(Atom::Column);
        }
        let span = self.word();
        let word = &self.text[span.clone()];
        self.at = span.end;
        if word == "all_rows" {
            return Ok(Atom::AllRows);
        }
        match word
            .strip_prefix('v')
            .and_then(|number| number.parse::<usize>().ok())
        {
            Some(variable) if variable < variables => Ok(Atom::Variable(variable)),
            Some(_) if variables == 0 => Err(self.error(
                span,
                format!("{word} is not there yet: no expression came before"),
            )),
            Some(_) => {
                let last = variables - 1;
                Err(self.error(
                    span,
                    format!("{word} is not there yet: the variables so far end with v{last}"),
                ))
            }
            None => {
                let problem = format!(
                    "'{word}' is no argument; write all_rows, a variable (v0), a column (r.name-str) or a constant (['text'], [2.5], [2004-09-xx])"
                );
                Err(self.error(span, problem))
            }
        }
    }

    /// A column's name has no blanks and ends with its type, but may hold anything else, parentheses too.
    fn column(&mut self) -> Result<String, ProgramError> {
        let chunk = self.chunk();
        let text = &self.text[chunk.clone()];
        let ends = |end: &usize| {
            let (name, after) = text.split_at(*end);
            (after.is_empty() || after.starts_with(')'))
                && ColumnKind::ALL.iter().any(|kind| name.ends_with(kind.suffix()))
        };
        let end = text
            .char_indices()
            .map(|(index, _)| index)
            .chain([text.len()])
            .rfind(ends);
        let Some(end) = end else {
            return Err(self.error(
                chunk,
                "a column's name ends with its type: -str, -num, -num2 or -date",
            ));
        };
        self.at += end;
        Ok(text[..end].to_owned())
    }

    fn constant(&mut self) -> Result<Constant, ProgramError> {
        let start = self.at;
        self.at += 1;
        let mut constant: Option<Constant> = None;
        loop {
            self.skip_blanks();
            let item = self.item(start)?;
            constant = Some(match (constant, item) {
                (None, item) => item,
                (Some(Constant::Strings(mut all)), Constant::Strings(more)) => {
                    all.extend(more);
                    Constant::Strings(all)
                }
                (Some(Constant::Numbers(mut all)), Constant::Numbers(more)) => {
                    all.extend(more);
                    Constant::Numbers(all)
                }
                (Some(Constant::Dates(mut all)), Constant::Dates(more)) => {
                    all.extend(more);
                    Constant::Dates(all)
                }
                _ => return Err(self.error(start..self.at, "the items of a constant must be of one type")),
            });
            self.skip_blanks();
            match self.rest().chars().next() {
                Some(',') => self.at += 1,
                Some(']') => {
                    self.at += 1;
                    break;
                }
                _ => return Err(self.error(start..self.at, "the constant is not closed: ']' is missing")),
            }
        }
        constant.ok_or_else(|| self.error(start..self.at, "a constant holds at least one item"))
    }

    fn item(&mut self, start: usize) -> Result<Constant, ProgramError> {
        if self.rest().starts_with('\'') {
            return self.string(start).map(Constant::string);
        }
        let length = self.rest().find([',', ']', ' ']).unwrap_or(self.rest().len());
        let span = self.at..self.at + length;
        let word = &self.text[span.clone()];
        self.at = span.end;
        if let Ok(date) = word.parse::<Date>() {
            return Ok(Constant::date(date));
        }
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Constant::number(number + 0.0)),
            _ => Err(self.error(
                span,
                "a constant holds strings in single quotes, numbers or dates such as 2004-09-xx",
            )),
        }
    }

    fn string(&mut self, start: usize) -> Result<String, ProgramError> {
        let mut string = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((index, c)) = chars.next() {
            match c {
                '\'' => {
                    self.at += index + 1;
                    return Ok(string);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => string.push('\n'),
                    Some((_, 'r')) => string.push('\r'),
                    Some((_, 't')) => string.push('\t'),
                    Some((_, c)) => string.push(c),
                    None => break,
                },
                c => string.push(c),
            }
        }
        Err(self.error(
            start..self.text.len(),
            "the string is not closed: a single quote is missing",
        ))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Up to the next blank.
    fn chunk(&self) -> Range<usize> {
        let length = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
        self.at..self.at + length
    }

    /// Up to the next blank, bracket or parenthesis.
    fn word(&self) -> Range<usize> {
        let stop = |c: char| c.is_whitespace() || "()[]".contains(c);
        let length = self.rest().find(stop).unwrap_or(self.rest().len());
        self.at..self.at + length
    }

    fn error(&self, span: Range<usize>, problem: impl Into<String>) -> ProgramError {
        Span::of(self.text, span).error(problem)
    }
}

/// The known name nearest to a mistyped one, if one is near.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    near.filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

impl Context {
    /// The tokens of a program, with `<END>`. Constants must be among the context's, columns in the table.
    pub fn encode(&self, program: &Program) -> Result<Vec<Token>, ProgramError> {
        let mut tokens = Vec::new();
        for expression in &program.expressions {
            tokens.push(self.token(Symbol::Open));
            tokens.push(self.token(Symbol::Function(expression.function)));
            for (index, argument) in expression.arguments.iter().enumerate() {
                let symbol = self.resolve(argument).map_err(|problem| {
                    let span = expression.spans.0.get(index + 1).cloned();
                    span.unwrap_or_default().error(problem)
                })?;
                tokens.push(self.token(symbol));
            }
            tokens.push(self.token(Symbol::Close));
        }
        tokens.push(self.token(Symbol::End));
        Ok(tokens)
    }

    fn resolve(&self, atom: &Atom) -> Result<Symbol, String> {
        match atom {
            Atom::AllRows => Ok(Symbol::AllRows),
            Atom::Variable(variable) => match u8::try_from(*variable) {
                Ok(variable) if (variable as usize) < self.language().expressions => {
                    Ok(Symbol::Variable(variable))
                }
                _ => Err(format!(
                    "a program has at most {} variables",
                    self.language().expressions
                )),
            },
            Atom::Column(name) => self
                .table()
                .find(name)
                .map(Symbol::Column)
                .ok_or_else(|| self.no_column(name)),
            Atom::Constant(constant) => match self.constants().iter().position(|known| known == constant) {
                Some(index) => Ok(Symbol::Constant(ConstantId(index as u16))),
                None => Err(format!("the constant {constant} is not in the question")),
            },
        }
    }

    fn no_column(&self, name: &str) -> String {
        let columns = || self.table().columns().iter().map(|column| column.name());
        let kind = ColumnKind::ALL
            .into_iter()
            .rev()
            .find(|kind| name.ends_with(kind.suffix()));
        let base = kind.map_or(name, |kind| name.strip_suffix(kind.suffix()).unwrap_or(name));
        let readings: Vec<&str> = columns().filter(|other| same_column(other, base)).collect();
        if let (Some(kind), false) = (kind, readings.is_empty()) {
            let readings = readings.join(", ");
            return format!("too few cells of the column have {kind} for '{name}'; the table has {readings}");
        }
        match closest(name, columns()) {
            Some(close) => format!("there is no column '{name}'; did you mean '{close}'?"),
            None => {
                let some: Vec<&str> = columns().take(8).collect();
                format!("there is no column '{name}'; the table has {}", some.join(", "))
            }
        }
    }

    /// The program that tokens stand for; they may lack `<END>`, but not break off within an expression.
    pub fn decode(&self, tokens: &[Token]) -> Option<Program> {
        let mut program = Program::default();
        let mut symbols = tokens.iter().map(|token| self.symbol(*token));
        loop {
            match symbols.next() {
                None | Some(Some(Symbol::End)) => return Some(program),
                Some(Some(Symbol::Open)) => {}
                Some(_) => return None,
            }
            let Some(Symbol::Function(function)) = symbols.next()? else {
                return None;
            };
            let mut arguments = Vec::new();
            loop {
                arguments.push(match symbols.next()?? {
                    Symbol::Close => break,
                    Symbol::AllRows => Atom::AllRows,
                    Symbol::Variable(variable) => Atom::Variable(variable as usize),
                    Symbol::Column(column) => Atom::Column(self.column(column).name().to_owned()),
                    Symbol::Constant(constant) => Atom::Constant(self.constant(constant).clone()),
                    Symbol::Open | Symbol::End | Symbol::Function(_) => return None,
                });
            }
            program.expressions.push(Expression::new(function, arguments));
        }
    }

    /// How a token is written.
    pub fn write(&self, token: Token) -> String {
        match self.symbol(token) {
            None => format!("<token {}>", token.0),
            Some(Symbol::End) => "<END>".to_owned(),
            Some(Symbol::Open) => "(".to_owned(),
            Some(Symbol::Close) => ")".to_owned(),
            Some(Symbol::Function(function)) => function.to_string(),
            Some(Symbol::AllRows) => Atom::AllRows.to_string(),
            Some(Symbol::Column(column)) => self.column(column).name().to_owned(),
            Some(Symbol::Constant(constant)) => self.constant(constant).to_string(),
            Some(Symbol::Variable(variable)) => format!("v{variable}"),
        }
    }
}

/// Whether a typed column's name is a reading of the column `base`.
fn same_column(name: &str, base: &str) -> bool {
    name.strip_prefix(base)
        .is_some_and(|rest| ColumnKind::ALL.iter().any(|kind| kind.suffix() == rest))
}

impl Program {
    /// What is wrong with a token of the program, by its place in the [encoding](Context::encode). Parentheses have
    /// no place of their own in the text: the error points at what stands beside them.
    pub fn error_at(&self, token: usize, problem: impl Into<String>) -> ProgramError {
        let mut start = 0;
        for expression in &self.expressions {
            let length = expression.arguments.len() + 3;
            if token < start + length {
                let spans = &expression.spans.0;
                let beside = (token - start).saturating_sub(1).min(expression.arguments.len());
                return spans.get(beside).cloned().unwrap_or_default().error(problem);
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
    use proptest::prelude::*;

    #[test]
    fn errors_point_at_the_token() {
        let cases = [
            ("", 1, "needs at least one expression"),
            ("count all_rows", 1, "starts with '('"),
            ("(count all_rows) nonsense", 18, "starts with '('"),
            ("(coutn all_rows)", 2, "did you mean 'count'"),
            ("(hop all_rows)", 14, "takes 2 arguments, not 1"),
            ("(count all_rows all_rows)", 17, "one too many"),
            ("(count all_rows", 16, "not closed"),
            ("(hop v0 r.a-str)", 6, "not there yet"),
            ("(count all_rows) (hop v1 r.a-str)", 23, "end with v0"),
            ("(hop all_rows r.a)", 15, "ends with its type"),
            ("(filter> all_rows [x] r.a-num)", 20, "single quotes"),
            ("(filter> all_rows [1, 'a'] r.a-num)", 19, "one type"),
            ("(filter_in all_rows ['a r.a-str)", 21, "not closed"),
            ("(filter> all_rows [1 r.a-num)", 19, "']' is missing"),
            ("(count all_rows) <END> (", 24, "nothing can follow"),
            ("(first rows)", 8, "no argument"),
        ];
        for (text, column, problem) in cases {
            let error = text.parse::<Program>().unwrap_err();
            assert!(error.problem.contains(problem), "{text}: {error}");
            assert_eq!(error.column + 1, column, "{text}: {error}");
        }
    }

    #[test]
    fn blanks_and_the_end_may_be_written() {
        let program: Program = " ( hop  all_rows r.line(s)-str ) (count all_rows)<END> "
            .parse()
            .unwrap();
        assert_eq!(
            program.to_string(),
            "(hop all_rows r.line(s)-str) (count all_rows)"
        );
    }

    fn atom(argument: super::super::Argument, variables: usize) -> BoxedStrategy<Atom> {
        use super::super::Argument;
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
