//! Programs as tokens and back.

use super::{Context, Symbol, Token};
use crate::machine::ConstantId;
use crate::program::{Atom, Expression, Program, ProgramError, closest};
use mapo_tables::ColumnKind;

impl Context {
    /// The tokens of a program, with `<END>`. Constants must be among the context's, columns in the table.
    pub fn encode(&self, program: &Program) -> Result<Vec<Token>, ProgramError> {
        let mut tokens = Vec::new();
        for expression in &program.expressions {
            tokens.push(Token::OPEN);
            let function = self.token(Symbol::Function(expression.function));
            if self.symbol(function).is_none() {
                let problem = format!("there is no function '{}' in this language", expression.function);
                return Err(expression.span(0).error(problem));
            }
            tokens.push(function);
            for (index, argument) in expression.arguments.iter().enumerate() {
                let symbol = self
                    .resolve(argument)
                    .map_err(|problem| expression.span(index + 1).error(problem))?;
                tokens.push(self.token(symbol));
            }
            tokens.push(Token::CLOSE);
        }
        tokens.push(Token::END);
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
                    Symbol::Column(column) => Atom::Column(self.table().column(column).name().to_owned()),
                    Symbol::Constant(constant) => Atom::Constant(self.subject.constant(constant).clone()),
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
            Some(Symbol::Column(column)) => self.table().column(column).name().to_owned(),
            Some(Symbol::Constant(constant)) => self.subject.constant(constant).to_string(),
            Some(Symbol::Variable(variable)) => format!("v{variable}"),
        }
    }
}

/// Whether a typed column's name is a reading of the column `base`.
fn same_column(name: &str, base: &str) -> bool {
    name.strip_prefix(base)
        .is_some_and(|rest| ColumnKind::ALL.iter().any(|kind| kind.suffix() == rest))
}
