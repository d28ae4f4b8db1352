//! Which tokens are offered: code assistance.

use super::{Args, Finished, Interpreter, Place, used};
use crate::context::{Dialect, Fit, Symbol, Token};
use crate::functions::{Argument, Definition, Function, Gives};
use crate::machine::{Arg, Held, RowsRef, ValuesRef};
use mapo_tables::ColumnId;

/// Which of the possible continuations are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assistance {
    /// Every continuation that runs.
    #[default]
    All,
    /// Only what can still become a program worth trying: none that ends with rows, which answer nothing;
    /// none whose intermediate results can no longer all be used; and of two programs that differ only in
    /// the order of arguments that may be swapped, one.
    Frugal,
}

impl Interpreter {
    /// Whether the token is among those offered.
    pub fn offers(&self, token: Token) -> bool {
        let Some(symbol) = self.context.symbol(token) else {
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

    /// The same as [`offered_into`](Self::offered_into) of what is [worth trying](Assistance::Frugal), whatever is
    /// offered as a rule.
    pub fn frugally_into(&mut self, offered: &mut Vec<Token>) {
        let assistance = std::mem::replace(&mut self.assistance, Assistance::Frugal);
        self.offered_into(offered);
        self.assistance = assistance;
    }

    /// Replaces what is in `offered` by the tokens that may come next, in ascending order. Each of them can
    /// be followed to the end of its expression.
    pub fn offered_into(&self, offered: &mut Vec<Token>) {
        mapo_stopping::check();
        offered.clear();
        let context = &self.context;
        let token = |symbol| context.token(symbol);
        match self.place {
            Place::Boundary => {
                offered.extend(self.may_end().then(|| token(Symbol::End)));
                offered.extend(self.may_open().then(|| token(Symbol::Open)));
            }
            Place::Function => {
                let mut args = Args::new();
                let functions = context.offered_functions();
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
            Symbol::Constant(id) => self.context.offered_constants().any(|known| known == id),
            _ => true,
        }
    }

    fn may_end(&self) -> bool {
        let worth_it = self.assistance == Assistance::All || (!self.extra_work() && !self.answers_rows());
        !self.finished.is_empty() && worth_it
    }

    fn may_open(&self) -> bool {
        let (mut args, mut functions) = (Args::new(), self.context.offered_functions());
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
        mapo_stopping::check();
        args.push(arg);
        let leads = (self.assistance == Assistance::All || self.is_frugal(definition, args))
            && self.admits(definition, args)
            && (self.language().dialect == Dialect::Paper || self.changes_something(definition, args))
            && self.completes(definition, args);
        args.pop();
        leads
    }

    /// Whether the arguments so far are good, in the rows given or in the table.
    fn admits(&self, definition: &Definition, args: &Args) -> bool {
        match self.language().fit {
            Fit::Table if !definition.about_these_rows && definition.arguments[0] == Argument::Rows => {
                let mut args = args.clone();
                args[0] = Arg::Rows(RowsRef::ALL);
                (definition.admits)(&self.machine, &args)
            }
            _ => (definition.admits)(&self.machine, args),
        }
    }

    /// Whether with the arguments so far something else comes of it than what is there already, or can be said
    /// in plainer words.
    fn changes_something(&self, definition: &Definition, args: &Args) -> bool {
        if definition.of_chosen_rows && !self.are_chosen(args[0]) {
            return false;
        }
        if args.len() < definition.arguments.len() {
            return true;
        }
        let is_idle = self.language().fit == Fit::Rows && (definition.is_idle)(&self.machine, args);
        let is_again = definition.condition && self.is_put_again(definition, args);
        !(is_idle || is_again || (definition.is_double)(&self.machine, args))
    }

    /// Whether a condition chose the rows.
    fn are_chosen(&self, rows: Arg) -> bool {
        let made_by = rows.rows().as_variable().map(|variable| &self.finished[variable]);
        made_by.is_some_and(|made_by| made_by.function.definition().condition)
    }

    /// Whether a condition has been put before on the way to the rows that it is to be put to.
    fn is_put_again(&self, definition: &Definition, args: &Args) -> bool {
        let mut rows = args[0].rows();
        while let Some(variable) = rows.as_variable() {
            let Finished {
                function,
                args: before,
                ..
            } = &self.finished[variable];
            let earlier = function.definition();
            if earlier.name == definition.name && before[1..] == args[1..] {
                return true;
            }
            // Their rows are others than those that they are given.
            if matches!(function, Function::Previous | Function::Next | Function::SameAs) {
                return false;
            }
            rows = before[0].rows();
        }
        false
    }

    /// Whether the arguments so far can belong to a program worth trying. Columns use no variable and come
    /// last, so this is decided before any column is looked at.
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

    /// Whether, after this expression, the expressions that are left can still make an answer of all results,
    /// as far as that can be told without executing it: some prefixes turn out to lead nowhere, but none
    /// is lost.
    fn worth_finishing(&self, definition: &Definition, args: &Args) -> bool {
        let unused = self.unused & !used(args);
        let rows = (unused & self.rows_held).count_ones() as usize;
        let further = self.language().expressions - self.finished.len() - 1;
        if self.context.joins_numbers() {
            let groups = (unused & self.groups_held).count_ones() as usize;
            let all = unused.count_ones() as usize + 1;
            return match definition.gives {
                Gives::Truth => all == 1,
                Gives::Rows => self.needed_with_numbers(all, rows + 1, groups) <= further,
                Gives::Groups if all > 1 => self.needed_with_numbers(all, rows, groups + 1) <= further,
                _ => self.needed_with_numbers(all, rows, groups) <= further,
            };
        }
        // Nothing takes a number. The paper's language has always led on here, to nowhere.
        if unused & self.numbers_held != 0 && self.language().dialect == Dialect::People {
            return false;
        }
        // Groups become values first.
        let groups = (unused & self.groups_held).count_ones() as usize;
        let values = unused.count_ones() as usize - rows;
        match definition.gives {
            Gives::Scalar | Gives::Truth => rows + values == 0,
            Gives::Values => rows + values == 0 || self.needed(rows, values + 1) + groups <= further,
            Gives::Groups => rows + values == 0 || self.needed(rows, values + 1) + groups < further,
            Gives::Rows if groups > 0 => self.needed(rows + 1, values) + groups <= further,
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

    /// How many expressions it takes at the least to use up this many variables and end with an answer. Each
    /// filter takes one that holds values into one that holds rows. Of several that hold rows all but one
    /// must become values first, unless a function takes two. In the end one that holds rows becomes the
    /// answer.
    fn needed(&self, rows: usize, values: usize) -> usize {
        match rows.saturating_sub(1) {
            0 => values + 1,
            spare if self.context.joins_rows() => 2 * (spare - 1) + values + 1,
            spare => 2 * spare + values + 1,
        }
    }

    /// The same where functions take two numbers. Each expression uses up one variable at the most beyond the one
    /// that it makes. Groups become values first, and of those that hold rows one that is left over when
    /// pairs make numbers; without a function that takes two, all become numbers or values first.
    fn needed_with_numbers(&self, all: usize, rows: usize, groups: usize) -> usize {
        let changed = match self.context.joins_rows() {
            true => rows % 2,
            false => rows,
        };
        all - 1 + groups + changed
    }

    /// Whether `test` holds for some argument of the wanted type.
    fn any_argument(&self, wanted: Argument, mut test: impl FnMut(Arg, Symbol) -> bool) -> bool {
        let context = &self.context;
        let variables = 0..self.finished.len() as u8;
        match wanted {
            Argument::Rows => {
                test(Arg::Rows(RowsRef::ALL), Symbol::AllRows)
                    || variables
                        .filter(|v| matches!(self.machine.held()[*v as usize], Held::Rows { .. }))
                        .any(|v| test(Arg::Rows(RowsRef::variable(v)), Symbol::Variable(v)))
            }
            Argument::Number | Argument::Groups => variables
                .map(|v| (ValuesRef::Variable(v), Symbol::Variable(v)))
                .filter(|(values, _)| self.has_type(Arg::Values(*values), wanted))
                .any(|(values, symbol)| test(Arg::Values(values), symbol)),
            Argument::Quantity
            | Argument::Strings
            | Argument::NumberOrConstant
            | Argument::NumberConstant => {
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
}
