//! Comparatives and superlatives.
use super::tokens::Token;
/// The part of speech of a token, as far as comparison goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Anything else.
    Other,
}
pub(crate) fn tag(tokens: &[Token]) -> Vec<Tag> {
    tokens.iter().map(|_| Tag::Other).collect()
}
