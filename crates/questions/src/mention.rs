//! Values that a question mentions.

use mapo_tables::Constant;
use std::ops::Range;

/// A value that the question mentions.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The value.
    pub constant: Constant,
    /// Its tokens.
    pub span: Range<usize>,
}
