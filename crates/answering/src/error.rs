//! What can go wrong.

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model, or what it makes of a question.
    #[error(transparent)]
    Model(#[from] mapo_model::Error),
    /// A question without a word.
    #[error("the question is empty; ask something about the table")]
    NoQuestion,
    /// A question that is longer than any question.
    #[error("the question has {words} words, and the most is {most}; ask something shorter")]
    LongQuestion {
        /// Its words.
        words: usize,
        /// The most that there may be.
        most: usize,
    },
    /// A question of few but endless words.
    #[error("the question is {bytes} bytes long, and the most is {most}; ask something shorter")]
    LongWords {
        /// Its length.
        bytes: usize,
        /// The most that there may be.
        most: usize,
    },
    /// A table of which nothing can be asked.
    #[error("the table '{table}' has no {what}, so there is nothing to ask about")]
    EmptyTable {
        /// The table.
        table: String,
        /// Columns or rows.
        what: &'static str,
    },
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
