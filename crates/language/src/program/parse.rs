//! The parser of programs, whose errors point at the token.

use super::{Atom, Expression, Program, ProgramError, Span, Spans};
use crate::functions::Function;
use mapo_tables::ColumnKind;
use mapo_tables::Constant;
use mapo_text::Date;
use std::ops::Range;
use std::str::FromStr;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
