//! The incremental interpreter: takes a program token by token, offers the tokens that may come next, executes
//! each finished expression at once, and takes tokens back as cheaply.

use super::context::{Context, Fit, Language};
use super::function::{Argument, Definition, Function, Gives};
use super::machine::{Arg, Held, Machine, Outcome, RowsRef, Values, ValuesKind, ValuesRef};
use super::symbol::{Symbol, Token};
use arrayvec::ArrayVec;
use mapo_tables::{ColumnId, ColumnKind, RowSet, Value};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Which of the possible continuations are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assistance {
    /// Every continuation that runs.
    #[default]
    All,
    /// Only what can still become a program worth trying: none that ends with rows, which answer nothing; none
    /// whose intermediate results can no longer all be used; and of two programs that differ only in the order of
    /// arguments that may be swapped, one.
    Frugal,
}

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

/// The most arguments that a function has.
const MOST_ARGUMENTS: usize = 3;
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
/// use mapo_tables::{Constant, TableBuilder};
/// use mapo_language::{Context, Interpreter, Language, Program};
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
    machine: Machine,
    assistance: Assistance,
    tokens: Vec<Token>,
    place: Place,
    args: Args,
    finished: Vec<Finished>,
    /// The variables that no later expression has used yet, as bits.
    unused: u32,
    /// The variables that hold rows, as bits.
    rows_held: u32,
    /// What expressions about a large table gave: search goes back and forth between programs.
    kept: Kept,
}

/// The results of expressions, by their tokens and, if they use variables, all tokens before.
#[derive(Clone, Debug, Default)]
struct Kept {
    outcomes: HashMap<Box<[Token]>, Arc<Outcome>>,
    /// How many bytes they take.
    size: usize,
}

impl Kept {
    /// When they take more bytes than this all are forgotten.
    const LARGEST: usize = 1 << 28;

    fn insert(&mut self, tokens: &[Token], outcome: Outcome) {
        let size = outcome.size();
        if self.size + size > Kept::LARGEST {
            *self = Kept::default();
        }
        if size <= Kept::LARGEST / 4 {
            self.size += size;
            self.outcomes.insert(tokens.into(), Arc::new(outcome));
        }
    }
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
            machine: Machine::new(context),
            assistance,
            tokens: Vec::with_capacity(expressions * (MOST_ARGUMENTS + 3) + 1),
            place: Place::Boundary,
            args: Args::new(),
            finished: Vec::with_capacity(expressions),
            unused: 0,
            rows_held: 0,
            kept: Kept::default(),
        }
    }

    /// What the program can talk about.
    pub fn context(&self) -> &Arc<Context> {
        self.machine.context()
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

    /// The value of a variable, as later expressions see it: texts in their normal form.
    pub fn value(&self, variable: usize) -> Option<Denotation> {
        self.denotation(variable, self.machine.values(ValuesRef::Variable(variable as u8)))
    }

    /// The value of the last expression, which is the program's answer once it has ended: texts as they stand in the
    /// cells (those of several lines in one, but on WikiSQL). Texts with one normal form are one item, written as in the first of their rows.
    pub fn answer(&self) -> Option<Denotation> {
        let last = self.finished.len().checked_sub(1)?;
        self.denotation(last, self.machine.answers(last))
    }

    fn denotation(&self, variable: usize, values: Values<'_>) -> Option<Denotation> {
        Some(match self.machine.held().get(variable)? {
            Held::Rows { .. } => Denotation::Rows(RowSet::from_words(
                self.machine.words(RowsRef::variable(variable as u8)),
            )),
            Held::Number(number) => Denotation::Numbers(number.iter().copied().collect()),
            Held::Values { .. } => match self.machine.kind(ValuesRef::Variable(variable as u8))? {
                ValuesKind::Strings => Denotation::Strings(values.map(|value| value.to_string()).collect()),
                ValuesKind::Numbers => {
                    let number = |value| {
                        if let Value::Number(number) = value {
                            Some(number)
                        } else {
                            None
                        }
                    };
                    Denotation::Numbers(values.filter_map(number).collect())
                }
                ValuesKind::Dates => {
                    let date = |value| {
                        if let Value::Date(date) = value {
                            Some(date)
                        } else {
                            None
                        }
                    };
                    Denotation::Dates(values.filter_map(date).collect())
                }
            },
        })
    }

    /// The items of the [answer](Self::answer) without copying them; none when it is rows.
    pub fn answer_values(&self) -> impl Iterator<Item = Value<'_>> + Clone {
        let last = self.finished.len().wrapping_sub(1);
        let scalar = match self.machine.held().get(last) {
            Some(Held::Number(number)) => number.map(Value::Number),
            _ => None,
        };
        self.machine.answers(last).chain(scalar)
    }

    /// Whether the last expression's value is rows, which answer nothing.
    pub fn answers_rows(&self) -> bool {
        matches!(self.machine.held().last(), Some(Held::Rows { .. }))
    }

    /// Whether the last expression's value has no item, or there is none yet.
    pub fn is_empty(&self) -> bool {
        match self.machine.held().last() {
            Some(Held::Rows { count, .. }) => *count == 0,
            Some(Held::Values { start, end, .. }) => start == end,
            Some(Held::Number(number)) => number.is_none(),
            None => true,
        }
    }

    /// A number that is the same for equal [values](Self::value) of the last expression, and another for others but in
    /// one of very many cases. It takes no memory, however many items there are.
    pub fn value_key(&self) -> Option<u64> {
        let last = self.finished.len().checked_sub(1)?;
        let mut key = DefaultHasher::new();
        let number = |number: f64, key: &mut DefaultHasher| (number + 0.0).to_bits().hash(key);
        match self.machine.held().get(last)? {
            Held::Rows { .. } => {
                0u8.hash(&mut key);
                self.machine.words(RowsRef::variable(last as u8)).hash(&mut key);
            }
            // One number is the value of `count` and can be that of `hop`.
            Held::Number(value) => {
                1u8.hash(&mut key);
                value.iter().for_each(|value| number(*value, &mut key));
            }
            Held::Values { .. } => {
                match self.machine.kind(ValuesRef::Variable(last as u8))? {
                    ValuesKind::Numbers => 1u8.hash(&mut key),
                    ValuesKind::Strings => 2u8.hash(&mut key),
                    ValuesKind::Dates => 3u8.hash(&mut key),
                }
                for value in self.machine.values(ValuesRef::Variable(last as u8)) {
                    match value {
                        Value::Text(text) => text.hash(&mut key),
                        Value::Number(value) => number(value, &mut key),
                        Value::Date(date) => date.hash(&mut key),
                    }
                }
            }
        }
        Some(key.finish())
    }

    // Taking tokens.

    /// Takes a token that the grammar and the types allow, offered or not. An expression's last token executes it.
    pub fn step(&mut self, token: Token) -> Result<(), StepError> {
        let symbol = self.context().symbol(token);
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
        if function.definition().gives == Gives::Rows {
            self.rows_held |= newest;
        }
        self.place = Place::Boundary;
    }

    fn run_or_recall(&mut self, function: Function) {
        // The tokens of the expression but its end: the parenthesis, the function and its arguments.
        let own = self.tokens.len() - self.args.len() - 2;
        let from = if used(&self.args) == 0 { own } else { 0 };
        if let Some(outcome) = self.kept.outcomes.get(&self.tokens[from..]) {
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
                        self.rows_held &= !(1 << self.finished.len());
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

    // Offering tokens.

    /// Whether the token is among those offered.
    pub fn offers(&self, token: Token) -> bool {
        let Some(symbol) = self.context().symbol(token) else {
            return false;
        };
        match (self.place, symbol) {
            (Place::Boundary, Symbol::Open) => self.may_open(),
            (Place::Boundary, Symbol::End) => self.may_end(),
            (Place::Function, Symbol::Function(function)) => {
                self.language().functions.contains(function)
                    && self.completes(function.definition(), &mut Args::new())
            }
            (Place::Argument(function), _) => {
                let definition = function.definition();
                let Some(arg) = self.argument(symbol) else {
                    return false;
                };
                self.may_offer(symbol)
                    && self.has_type(arg, definition.arguments[self.args.len()])
                    && self.leads_on(definition, &mut self.args.clone(), arg)
            }
            (Place::Close(_), Symbol::Close) => true,
            _ => false,
        }
    }

    /// Replaces what is in `offered` by the tokens that may come next, in ascending order. Each of them can be
    /// followed to the end of its expression.
    pub fn offered_into(&self, offered: &mut Vec<Token>) {
        offered.clear();
        let context = self.context();
        let token = |symbol| context.token(symbol);
        match self.place {
            Place::Boundary => {
                offered.extend(self.may_end().then(|| token(Symbol::End)));
                offered.extend(self.may_open().then(|| token(Symbol::Open)));
            }
            Place::Function => {
                let mut args = Args::new();
                let functions = self.language().functions.iter();
                let functions = functions.filter(|function| self.completes(function.definition(), &mut args));
                offered.extend(functions.map(|function| token(Symbol::Function(function))));
            }
            Place::Argument(function) => {
                let definition = function.definition();
                let mut args = self.args.clone();
                self.any_argument(definition.arguments[args.len()], |arg, symbol| {
                    if self.leads_on(definition, &mut args, arg) {
                        offered.push(token(symbol));
                    }
                    false
                });
                offered.sort_unstable();
            }
            Place::Close(_) => offered.push(token(Symbol::Close)),
            Place::Done => {}
        }
    }

    /// The tokens that may come next.
    pub fn offered(&self) -> Vec<Token> {
        let mut offered = Vec::new();
        self.offered_into(&mut offered);
        offered
    }

    /// Whether the symbol is none that can only be used.
    fn may_offer(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Constant(id) => self.context().offered_constants().any(|known| known == id),
            _ => true,
        }
    }

    fn may_end(&self) -> bool {
        let worth_it = self.assistance == Assistance::All || (!self.extra_work() && !self.answers_rows());
        !self.finished.is_empty() && worth_it
    }

    fn may_open(&self) -> bool {
        let (mut args, mut functions) = (Args::new(), self.language().functions.iter());
        self.finished.len() < self.language().expressions
            && functions.any(|function| self.completes(function.definition(), &mut args))
    }

    /// Whether the function's arguments so far can be completed.
    fn completes(&self, definition: &Definition, args: &mut Args) -> bool {
        match definition.arguments.get(args.len()) {
            None => true,
            Some(wanted) => self.any_argument(*wanted, |arg, _| self.leads_on(definition, args, arg)),
        }
    }

    /// Whether one more argument is good and the rest can be completed.
    fn leads_on(&self, definition: &Definition, args: &mut Args, arg: Arg) -> bool {
        args.push(arg);
        let leads = (self.assistance == Assistance::All || self.is_frugal(definition, args))
            && self.admits(definition, args)
            && self.completes(definition, args);
        args.pop();
        leads
    }

    /// Whether the arguments so far are good, in the rows given or in the table.
    fn admits(&self, definition: &Definition, args: &Args) -> bool {
        match self.language().fit {
            Fit::Table if !definition.about_these_rows => {
                let mut args = args.clone();
                args[0] = Arg::Rows(RowsRef::ALL);
                (definition.admits)(&self.machine, &args)
            }
            _ => (definition.admits)(&self.machine, args),
        }
    }

    /// Whether the arguments so far can belong to a program worth trying. Columns use no variable and come last, so
    /// this is decided before any column is looked at.
    fn is_frugal(&self, definition: &Definition, args: &Args) -> bool {
        let swapped = definition.symmetric
            && matches!(args[..], [Arg::Rows(first), Arg::Rows(second)] if second < first);
        let columns_follow = || {
            definition
                .arguments
                .get(args.len())
                .is_none_or(|next| next.is_column())
        };
        let chosen_last = !definition.arguments[args.len() - 1].is_column() && columns_follow();
        !swapped && (!chosen_last || self.worth_finishing(definition, args))
    }

    /// Whether, after this expression, the expressions that are left can still make an answer of all results, as far
    /// as that can be told without executing it: some prefixes turn out to lead nowhere, but none is lost.
    fn worth_finishing(&self, definition: &Definition, args: &Args) -> bool {
        let unused = self.unused & !used(args);
        let rows = (unused & self.rows_held).count_ones() as usize;
        let values = unused.count_ones() as usize - rows;
        let further = self.language().expressions - self.finished.len() - 1;
        match definition.gives {
            Gives::Scalar => rows + values == 0,
            Gives::Values => rows + values == 0 || self.needed(rows, values + 1) <= further,
            Gives::Rows => {
                // Where a `diff` must come next, it needs a single row.
                let single = || {
                    self.machine
                        .count(RowsRef::variable(unused.trailing_zeros() as u8))
                        == 1
                };
                self.needed(rows + 1, values) <= further && (rows == 0 || further > 1 || single())
            }
        }
    }

    /// How many expressions it takes at the least to use up so many variables and end with an answer. Each filter
    /// takes one that holds values into one that holds rows. Of several that hold rows all but one must become
    /// values first, unless a function takes two. In the end one that holds rows becomes the answer.
    fn needed(&self, rows: usize, values: usize) -> usize {
        match rows.saturating_sub(1) {
            0 => values + 1,
            spare if self.context().joins_rows() => 2 * (spare - 1) + values + 1,
            spare => 2 * spare + values + 1,
        }
    }

    /// Whether `test` holds for some argument of the wanted type.
    fn any_argument(&self, wanted: Argument, mut test: impl FnMut(Arg, Symbol) -> bool) -> bool {
        let context = self.context();
        let variables = 0..self.finished.len() as u8;
        match wanted {
            Argument::Rows => {
                test(Arg::Rows(RowsRef::ALL), Symbol::AllRows)
                    || variables
                        .filter(|v| matches!(self.machine.held()[*v as usize], Held::Rows { .. }))
                        .any(|v| test(Arg::Rows(RowsRef::variable(v)), Symbol::Variable(v)))
            }
            Argument::Quantity | Argument::Strings => {
                let constants = context.offered_constants();
                let constants = constants.map(|id| (ValuesRef::Constant(id), Symbol::Constant(id)));
                constants
                    .chain(variables.map(|v| (ValuesRef::Variable(v), Symbol::Variable(v))))
                    .filter(|(values, _)| self.has_type(Arg::Values(*values), wanted))
                    .any(|(values, symbol)| test(Arg::Values(values), symbol))
            }
            _ => (0..).zip(context.table().columns()).any(|(id, column)| {
                let id = ColumnId(id);
                wanted.takes_column(column.kind()) && test(Arg::Column(id), Symbol::Column(id))
            }),
        }
    }

    fn argument(&self, symbol: Symbol) -> Option<Arg> {
        Some(match symbol {
            Symbol::AllRows => Arg::Rows(RowsRef::ALL),
            Symbol::Column(column) => Arg::Column(column),
            Symbol::Constant(constant) => Arg::Values(ValuesRef::Constant(constant)),
            Symbol::Variable(variable) => match self.machine.held().get(variable as usize)? {
                Held::Rows { .. } => Arg::Rows(RowsRef::variable(variable)),
                Held::Values { .. } => Arg::Values(ValuesRef::Variable(variable)),
                Held::Number(_) => return None,
            },
            _ => return None,
        })
    }

    fn has_type(&self, arg: Arg, wanted: Argument) -> bool {
        match arg {
            Arg::Rows(_) => wanted == Argument::Rows,
            Arg::Values(values) => match self.machine.kind(values) {
                Some(ValuesKind::Strings) => wanted == Argument::Strings,
                Some(_) => wanted == Argument::Quantity,
                None => false,
            },
            Arg::Column(column) => wanted.takes_column(self.context().table().column(column).kind()),
        }
    }

    fn language(&self) -> Language {
        self.context().language()
    }
}

fn used(args: &[Arg]) -> u32 {
    args.iter().fold(0, |variables, arg| variables | arg.variables())
}

impl Argument {
    fn is_column(self) -> bool {
        !matches!(self, Argument::Rows | Argument::Quantity | Argument::Strings)
    }

    fn takes_column(self, kind: ColumnKind) -> bool {
        match self {
            Argument::AnyColumn => true,
            Argument::OrderedColumn => kind.is_ordered(),
            Argument::NumberColumn => kind.is_number(),
            Argument::TextColumn => kind == ColumnKind::Text,
            Argument::Rows | Argument::Quantity | Argument::Strings => false,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Argument::Rows => "rows (all_rows or a variable that holds rows)",
            Argument::Quantity => "a number or date (a constant such as [2.5] or a variable that holds one)",
            Argument::Strings => "a string (a constant such as ['tulsa'] or a variable that holds strings)",
            Argument::AnyColumn => "a column",
            Argument::OrderedColumn => "a number or date column",
            Argument::NumberColumn => "a number column",
            Argument::TextColumn => "a text column",
        }
    }
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

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Denotation {
    /// Rows of the table.
    Rows(RowSet),
    /// Text.
    Strings(Vec<String>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Dates.
    Dates(Vec<mapo_text::Date>),
}

impl Denotation {
    /// What the items are: `rows`, `strings`, `numbers` or `dates`.
    pub fn kind(&self) -> &'static str {
        match self {
            Denotation::Rows(_) => "rows",
            Denotation::Strings(_) => "strings",
            Denotation::Numbers(_) => "numbers",
            Denotation::Dates(_) => "dates",
        }
    }

    /// The items as text; rows by their number from 0.
    pub fn to_strings(&self) -> Vec<String> {
        match self {
            Denotation::Rows(rows) => rows.iter().map(|row| row.to_string()).collect(),
            Denotation::Strings(strings) => strings.clone(),
            Denotation::Numbers(numbers) => numbers.iter().map(f64::to_string).collect(),
            Denotation::Dates(dates) => dates.iter().map(mapo_text::Date::to_string).collect(),
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
}
