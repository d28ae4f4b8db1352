//! What programs are written with.

use crate::functions::Function;
use crate::machine::ConstantId;
use mapo_tables::ColumnId;

/// One word of a program. Tokens are small numbers, so that programs are cheap to store, hash and feed to a
/// network; a [`Context`](super::Context) says which symbol each one stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u16);

impl Token {
    /// `<END>`, in every context.
    pub const END: Token = Token(0);
    /// `(`, in every context.
    pub const OPEN: Token = Token(1);
    /// `)`, in every context: it finishes an expression, and so makes a variable.
    pub const CLOSE: Token = Token(2);
}

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
