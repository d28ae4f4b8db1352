//! The language: a small Lisp whose programs filter the rows of a table, move among them and read values off.
//!
//! - [`Function`] and its [`Definition`] say everything about each function;
//! - a [`Program`] is the text form, parsed;
//! - a [`Context`] is what programs for one question can talk about, with its tokens;
//! - an [`Interpreter`] runs a program token by token and offers what may come next;
//! - [`explain`] says what a program means: in English, in SQL, step by step.

mod coding;
mod context;
pub mod explain;
mod function;
mod interpreter;
mod machine;
mod parse;
mod program;
mod relation;
mod symbol;

pub use context::{Context, Fit, Language, MOST_EXPRESSIONS};
pub use function::{Argument, DEFINITIONS, Definition, Function, FunctionSet, Gives};
pub use interpreter::{Assistance, Denotation, Interpreter, StepError};
pub use program::{Atom, Expression, Program, ProgramError};
pub use symbol::{ConstantId, Symbol, Token};
