//! What an estimator asks for.

/// What an objective wants to see of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Programs of B.
    pub memory: FromMemory,
    /// New programs.
    pub policy: FromPolicy,
    /// Whether π(a) of every program in B must be known.
    pub scores: bool,
}

/// Programs to take from B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromMemory {
    /// None.
    Nothing,
    /// Each of them once, in the order of finding.
    All,
    /// The most probable ones, this many of them; of equally probable ones those that were found first.
    Best(usize),
    /// This many draws from π⁺.
    Draws(usize),
    /// This many draws in which all are equally likely.
    UniformDraws(usize),
}

/// Programs to draw from the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromPolicy {
    /// None.
    Nothing,
    /// This many draws from π.
    Draws(usize),
    /// This many draws from π⁻; if only the best programs of B were asked for, from outside those.
    OutsideDraws(usize),
}

/// Settings that make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{setting}` {reason}")]
pub struct Unusable {
    /// The setting's name.
    pub setting: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl Unusable {
    pub(crate) fn unless(
        is_usable: bool,
        setting: &'static str,
        reason: impl Into<String>,
    ) -> Result<(), Self> {
        let reason = reason.into();
        if is_usable {
            Ok(())
        } else {
            Err(Self { setting, reason })
        }
    }

    pub(crate) fn unless_share(value: f64, setting: &'static str) -> Result<(), Self> {
        let reason = || format!("lies between 0 and 1, not {value}");
        Self::unless((0.0..=1.0).contains(&value), setting, reason())
    }
}
