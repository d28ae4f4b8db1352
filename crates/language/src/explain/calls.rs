//! A program with its names resolved and its types checked: what English, SQL and the cells of a step are
//! made from.

use crate::functions::{Argument, Function, Gives};
use crate::program::{Atom, Expression, Program, ProgramError};
use crate::telling::{Call, Given, Groups, Number, Rows, Values};
use mapo_tables::Constant;
use mapo_tables::{ColumnKind, Table};

/// The expressions of a program, each with its function.
pub(super) fn calls<'a>(
    program: &'a Program,
    table: &Table,
) -> Result<Vec<(Function, Call<'a>)>, ProgramError> {
    let (mut calls, mut place) = (Vec::new(), 0);
    for expression in &program.expressions {
        let resolver = Resolver {
            expression,
            table,
            before: &calls,
        };
        let call = resolver
            .call()
            .map_err(|(argument, problem)| program.error_at(place + 2 + argument, problem))?;
        calls.push((expression.function, call));
        place += expression.arguments.len() + 3;
    }
    Ok(calls)
}

/// Resolves one expression. A problem comes with the argument that it is about.
struct Resolver<'a, 'b> {
    expression: &'a Expression,
    table: &'b Table,
    before: &'b [(Function, Call<'a>)],
}

type Resolved<T> = Result<T, (usize, String)>;

impl<'a> Resolver<'a, '_> {
    fn call(&self) -> Resolved<Call<'a>> {
        let function = self.expression.function;
        let mut call = Call {
            step: self.before.len(),
            arguments: Default::default(),
        };
        for (at, wanted) in function.definition().arguments.iter().enumerate() {
            let missing = || (at, format!("{function} has too few arguments"));
            let atom = self.expression.arguments.get(at).ok_or_else(missing)?;
            let given = self.argument(atom, *wanted).map_err(|problem| (at, problem))?;
            call.arguments.push(given);
        }
        Ok(call)
    }

    fn argument(&self, atom: &'a Atom, wanted: Argument) -> Result<Given<'a>, String> {
        let given = match atom {
            Atom::AllRows => (wanted == Argument::Rows).then_some(Given::Rows(Rows::All)),
            Atom::Variable(step) => self.variable(*step, wanted),
            Atom::Constant(constant) => match (wanted, constant) {
                (Argument::NumberOrConstant | Argument::NumberConstant, Constant::Numbers(numbers)) => {
                    match numbers[..] {
                        [number] => Some(Given::Number(Number::Constant(number))),
                        _ => None,
                    }
                }
                _ => {
                    let is_text = matches!(constant, Constant::Strings(_));
                    let fits = wanted == values_of(is_text);
                    fits.then_some(Given::Values(Values::Constant(constant)))
                }
            },
            Atom::Column(name) if wanted.is_column() => {
                let column = self.table.find(name);
                let column = column.ok_or_else(|| format!("there is no column '{name}'"))?;
                let fits = wanted.takes_column(self.table.column(column).kind());
                fits.then_some(Given::Column(column))
            }
            Atom::Column(_) => None,
        };
        given.ok_or_else(|| format!("{} takes {} here", self.expression.function, wanted.noun()))
    }

    /// What an earlier step gives, if that is wanted.
    fn variable(&self, step: usize, wanted: Argument) -> Option<Given<'a>> {
        let (function, call) = self.before.get(step)?;
        let one = function.definition().gives_one;
        let is_number = matches!(wanted, Argument::Number | Argument::NumberOrConstant);
        match function.definition().gives {
            Gives::Rows if wanted == Argument::Rows => Some(Given::Rows(Rows::Step { step, one })),
            Gives::Scalar if is_number => {
                let exact = matches!(function, Function::Count | Function::CountDistinct);
                Some(Given::Number(Number::Step {
                    step,
                    values: false,
                    added: !exact,
                }))
            }
            Gives::Groups if wanted == Argument::Groups => {
                let added = matches!(function, Function::SumPer | Function::AveragePer);
                Some(Given::Groups(Groups {
                    step,
                    column: call.read()?,
                    added: added.then(|| call.column(2)),
                }))
            }
            Gives::Values if is_number => {
                let column = self.table.column(call.read()?);
                column.kind().is_number().then_some(Given::Number(Number::Step {
                    step,
                    values: true,
                    added: false,
                }))
            }
            Gives::Values => {
                let column = call.read()?;
                let is_text = self.table.column(column).kind() == ColumnKind::Text;
                let fits = wanted == values_of(is_text);
                fits.then_some(Given::Values(Values::Step { step, column, one }))
            }
            Gives::Rows | Gives::Scalar | Gives::Groups | Gives::Truth => None,
        }
    }
}

fn values_of(text: bool) -> Argument {
    match text {
        true => Argument::Strings,
        false => Argument::Quantity,
    }
}
