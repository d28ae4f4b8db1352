//! What programs are written with.

use super::function::Function;
use mapo_tables::ColumnId;

/// One word of a program. Tokens are small numbers, so that programs are cheap to store, hash and feed to a
/// network; a [`Context`](super::Context) says which symbol each one stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u16);

/// Which constant of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantId(pub u16);

/// What a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// The end of the program, `<END>`.
    End,
    /// An opening parenthesis, which starts an expression.
    Open,
    /// A closing parenthesis, which executes it.
    Close,
    /// A function.
    Function(Function),
    /// All rows of the table, `all_rows`.
    AllRows,
    /// A typed column, `r.points-num`.
    Column(ColumnId),
    /// A constant from the question, `['tulsa']`.
    Constant(ConstantId),
    /// The result of an earlier expression, `v0`.
    Variable(u8),
}
