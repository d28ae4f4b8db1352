//! Words about order that functions, English and SQL share.

/// Which end of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Largest,
    Smallest,
}

/// How a row's value is to stand to the given ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Above all of them.
    Greater,
    /// Not below any of them.
    AtLeast,
    /// Below all of them.
    Less,
    /// Not above any of them.
    AtMost,
    /// The one value that they are.
    Equal,
    /// Known to be another, or missing.
    NotEqual,
}
