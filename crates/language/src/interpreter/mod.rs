//! The incremental interpreter: takes a program token by token, offers the tokens that may come next,
//! executes each finished expression at once, and takes tokens back as cheaply.

mod kept;
mod offering;
mod value;

pub use offering::Assistance;
pub use value::Denotation;

use crate::context::{Context, Language, Symbol, Token};
use crate::functions::{Argument, Function, Gives};
use crate::machine::{Arg, Held, Machine, RowsRef, ValuesKind, ValuesRef};
use crate::telling::MOST_ARGUMENTS;
use arrayvec::ArrayVec;
use kept::Kept;
use mapo_tables::Constant;
use std::sync::Arc;

/// Why a token cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StepError(pub String);

/// Where in a program the next token goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before an expression or the end.
    Boundary,
    /// After an opening parenthesis.
    Function,
    /// After a function and some of its arguments.
    Argument(Function),
    /// After all arguments.
    Close(Function),
    /// After the end.
    Done,
}

type Args = ArrayVec<Arg, MOST_ARGUMENTS>;

/// An expression that has been executed.
#[derive(Clone, Debug)]
struct Finished {
    function: Function,
    args: Args,
    /// The variables that were unused before it, as bits.
    unused_before: u32,
}

/// A partial program and the values of its finished expressions.
///
/// ```
/// use mapo_language::{Context, Interpreter, Language, Program};
/// use mapo_tables::{Constant, TableBuilder};
/// use std::sync::Arc;
///
/// let mut builder = TableBuilder::new("people", ["Name", "Hometown"]);
/// builder.push_row(["Anne", "Tulsa"]);
/// builder.push_row(["Bob", "Omaha"]);
/// let tulsa = Constant::string("tulsa");
/// let context = Context::new(Arc::new(builder.finish()), [tulsa], Language::WIKITABLEQUESTIONS);
/// let program: Program = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)".parse().unwrap();
/// let tokens = context.encode(&program).unwrap();
///
/// let mut interpreter = Interpreter::new(Arc::new(context));
/// for token in tokens {
///     assert!(interpreter.offers(token));
///     interpreter.step(token).unwrap();
/// }
/// assert_eq!(interpreter.answer().unwrap().to_strings(), ["Anne"]);
/// interpreter.rewind(6); // keeps the first expression
/// assert_eq!(interpreter.variables(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Interpreter {
    context: Arc<Context>,
    machine: Machine,
    assistance: Assistance,
    tokens: Vec<Token>,
    place: Place,
    args: Args,
    finished: Vec<Finished>,
    /// The variables that no later expression has used yet, as bits.
    unused: u32,
    /// The variables that hold rows, as bits,
    rows_held: u32,
    /// those that hold a number,
    numbers_held: u32,
    /// and those that hold groups.
    groups_held: u32,
    /// What expressions about a large table gave: search goes back and forth between programs.
    kept: Kept,
}

impl Interpreter {
    /// At the beginning of a program, offering every continuation that runs.
    pub fn new(context: Arc<Context>) -> Self {
        Interpreter::with_assistance(context, Assistance::All)
    }

    /// At the beginning of a program.
    pub fn with_assistance(context: Arc<Context>, assistance: Assistance) -> Self {
        let expressions = context.language().expressions;
        Interpreter {
            machine: Machine::new(Arc::clone(context.subject()), expressions),
            context,
            assistance,
            tokens: Vec::with_capacity(expressions * (MOST_ARGUMENTS + 3) + 1),
            place: Place::Boundary,
            args: Args::new(),
            finished: Vec::with_capacity(expressions),
            unused: 0,
            rows_held: 0,
            numbers_held: 0,
            groups_held: 0,
            kept: Kept::default(),
        }
    }

    /// What the program can talk about.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The tokens taken so far.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Whether the program has ended.
    pub fn is_done(&self) -> bool {
        self.place == Place::Done
    }

    /// How many expressions have been executed.
    pub fn variables(&self) -> usize {
        self.finished.len()
    }

    /// Whether the result of some expression but the last is used by no other.
    pub fn extra_work(&self) -> bool {
        match self.finished.len() {
            0 => false,
            count => self.unused != 1 << (count - 1),
        }
    }

    /// Takes a token that the grammar and the types allow, offered or not. An expression's last token
    /// executes it.
    pub fn step(&mut self, token: Token) -> Result<(), StepError> {
        let symbol = self.context.symbol(token);
        let symbol =
            symbol.ok_or_else(|| StepError("the token is none of this table and question".to_owned()))?;
        match (self.place, symbol) {
            (Place::Boundary, Symbol::Open) if self.finished.len() < self.language().expressions => {
                self.place = Place::Function;
            }
            (Place::Boundary, Symbol::Open) => {
                let most = self.language().expressions;
                return Err(StepError(format!("a program has at most {most} expressions")));
            }
            (Place::Boundary, Symbol::End) if !self.finished.is_empty() => self.place = Place::Done,
            (Place::Boundary, Symbol::End) => {
                return Err(StepError("a program needs an expression".to_owned()));
            }
            (Place::Function, Symbol::Function(function)) => {
                self.args.clear();
                self.place = Place::Argument(function);
            }
            (Place::Argument(function), _) => {
                let definition = function.definition();
                let wanted = definition.arguments[self.args.len()];
                let arg = self.argument(symbol).filter(|arg| self.has_type(*arg, wanted));
                let arg = arg.ok_or_else(|| StepError(format!("{function} takes {} here", wanted.noun())))?;
                self.args.push(arg);
                if self.args.len() == definition.arguments.len() {
                    self.place = Place::Close(function);
                }
            }
            (Place::Close(function), Symbol::Close) => self.execute(function),
            (place, _) => return Err(StepError(format!("{} must come here", place.noun()))),
        }
        self.tokens.push(token);
        Ok(())
    }

    fn execute(&mut self, function: Function) {
        mapo_stopping::check();
        match self.machine.is_worth_keeping() {
            true => self.run_or_recall(function),
            false => (function.definition().run)(&mut self.machine, &self.args),
        }
        self.finished.push(Finished {
            function,
            args: self.args.clone(),
            unused_before: self.unused,
        });
        let newest = 1 << (self.finished.len() - 1);
        self.unused = self.unused & !used(&self.args) | newest;
        match function.definition().gives {
            Gives::Rows => self.rows_held |= newest,
            Gives::Scalar => self.numbers_held |= newest,
            Gives::Groups => self.groups_held |= newest,
            Gives::Values | Gives::Truth => {}
        }
        self.place = Place::Boundary;
    }

    fn run_or_recall(&mut self, function: Function) {
        // The tokens of the expression but its end: the parenthesis, the function and its arguments.
        let own = self.tokens.len() - self.args.len() - 2;
        let from = if used(&self.args) == 0 { own } else { 0 };
        if let Some(outcome) = self.kept.get(&self.tokens[from..]) {
            self.machine.hold_again(outcome);
            return;
        }
        (function.definition().run)(&mut self.machine, &self.args);
        if let Some(outcome) = self.machine.newest() {
            self.kept.insert(&self.tokens[from..], outcome);
        }
    }

    /// Takes tokens back until `length` are left.
    pub fn rewind(&mut self, length: usize) {
        while self.tokens.len() > length {
            self.tokens.pop();
            self.place = match self.place {
                Place::Done => Place::Boundary,
                // Either a parenthesis was just opened or an expression just closed.
                Place::Boundary => match self.finished.pop() {
                    Some(Finished {
                        function,
                        args,
                        unused_before,
                    }) => {
                        self.machine.pop();
                        self.args = args;
                        self.unused = unused_before;
                        let newest = 1 << self.finished.len();
                        self.rows_held &= !newest;
                        self.numbers_held &= !newest;
                        self.groups_held &= !newest;
                        Place::Close(function)
                    }
                    None => Place::Boundary,
                },
                Place::Function => Place::Boundary,
                Place::Argument(function) | Place::Close(function) => match self.args.pop() {
                    Some(_) => Place::Argument(function),
                    None => Place::Function,
                },
            };
        }
    }

    fn argument(&self, symbol: Symbol) -> Option<Arg> {
        Some(match symbol {
            Symbol::AllRows => Arg::Rows(RowsRef::ALL),
            Symbol::Column(column) => Arg::Column(column),
            Symbol::Constant(constant) => Arg::Values(ValuesRef::Constant(constant)),
            Symbol::Variable(variable) => match self.machine.held().get(variable as usize)? {
                Held::Rows { .. } => Arg::Rows(RowsRef::variable(variable)),
                Held::Values { .. } | Held::Number(_) | Held::Groups { .. } => {
                    Arg::Values(ValuesRef::Variable(variable))
                }
                Held::Truth(_) => return None,
            },
            _ => return None,
        })
    }

    fn has_type(&self, arg: Arg, wanted: Argument) -> bool {
        match arg {
            Arg::Rows(_) => wanted == Argument::Rows,
            Arg::Values(values) => match self.machine.kind(values) {
                Some(ValuesKind::Strings) => wanted == Argument::Strings,
                Some(ValuesKind::Dates) => wanted == Argument::Quantity,
                Some(ValuesKind::Numbers) => match (wanted, values) {
                    (Argument::Quantity, _) => true,
                    (Argument::Number | Argument::NumberOrConstant, ValuesRef::Variable(_)) => true,
                    (
                        Argument::NumberOrConstant | Argument::NumberConstant,
                        ValuesRef::Constant(constant),
                    ) => {
                        let constant = &self.context.constants()[constant.0 as usize];
                        matches!(constant, Constant::Numbers(numbers) if numbers.len() == 1)
                    }
                    _ => false,
                },
                Some(ValuesKind::Number) => {
                    matches!(wanted, Argument::Number | Argument::NumberOrConstant)
                }
                Some(ValuesKind::Groups) => wanted == Argument::Groups,
                None => false,
            },
            Arg::Column(column) => wanted.takes_column(self.context.table().column(column).kind()),
        }
    }

    fn language(&self) -> &Language {
        self.context.language()
    }
}

fn used(args: &[Arg]) -> u32 {
    args.iter().fold(0, |variables, arg| variables | arg.variables())
}

impl Place {
    fn noun(self) -> &'static str {
        match self {
            Place::Boundary => "an opening parenthesis or the end",
            Place::Function => "a function",
            Place::Argument(_) => "an argument",
            Place::Close(_) => "a closing parenthesis",
            Place::Done => "nothing more",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    fn run(cells: &[&str], program: &str) -> Interpreter {
        let mut builder = TableBuilder::new("t", ["Name"]);
        cells.iter().for_each(|cell| builder.push_row([*cell]));
        let context = Context::new(Arc::new(builder.finish()), [], Language::WIKITABLEQUESTIONS);
        let tokens = context.encode(&program.parse().unwrap()).unwrap();
        let mut interpreter = Interpreter::new(Arc::new(context));
        tokens
            .into_iter()
            .for_each(|token| interpreter.step(token).unwrap());
        interpreter
    }

    #[test]
    fn answers_are_written_as_in_the_first_of_their_rows_and_values_in_normal_form() {
        let cells = ["Zoë (actor)", "Bob", "ZOE[2]"];
        for (program, answer) in [
            ("(hop all_rows r.name-str)", &["Zoë (actor)", "Bob"][..]),
            ("(last all_rows) (hop v0 r.name-str)", &["ZOE[2]"]),
            ("(mode all_rows r.name-str)", &["Zoë (actor)"]),
        ] {
            let interpreter = run(&cells, program);
            assert_eq!(interpreter.answer().unwrap().to_strings(), answer, "{program}");
        }
        let values = run(&cells, "(hop all_rows r.name-str)").value(0).unwrap();
        assert_eq!(values.to_strings(), ["zoe", "bob"]);
    }

    #[test]
    fn foreign_constants_are_used_but_neither_offered_nor_a_reason_to_offer() {
        let mut builder = TableBuilder::new("people", ["Name"]);
        builder.push_row(["Anne"]);
        builder.push_row(["Bob"]);
        let (table, anne) = (Arc::new(builder.finish()), Constant::string("anne"));
        let offers = |context: Context| {
            let program = "(filter_in all_rows ['anne'] r.name-str)".parse().unwrap();
            let tokens = context.encode(&program).unwrap();
            let mut interpreter = Interpreter::new(Arc::new(context));
            let mut offers = |token: &Token| {
                let offers = interpreter.offers(*token);
                assert_eq!(interpreter.offered().contains(token), offers);
                interpreter.step(*token).unwrap();
                offers
            };
            let offers: Vec<bool> = tokens.iter().map(&mut offers).collect();
            assert_eq!(interpreter.answer().unwrap().to_strings(), ["0"]);
            offers
        };
        let language = Language::WIKITABLEQUESTIONS;
        let own = Context::new(Arc::clone(&table), [anne.clone()], language);
        assert_eq!(offers(own), [true; 7]);
        let again = Context::with_foreign(Arc::clone(&table), [anne.clone()], [anne.clone()], language);
        assert_eq!(offers(again), [true; 7]);
        let foreign = Context::with_foreign(table, [], [anne], language);
        // The function and its rows lead nowhere but through the constant.
        assert_eq!(offers(foreign), [true, false, false, false, true, true, true]);
    }
}
