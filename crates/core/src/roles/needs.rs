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
    /// What the rewards of programs in B have to say in which of them are taken, where they differ.
    pub by_reward: ByReward,
}

/// What the rewards of programs in B have to say in which of them are taken, where they differ. An objective that
/// multiplies by R(a) itself leaves them aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByReward {
    /// Nothing.
    #[default]
    Aside,
    /// A program counts by its reward: R·π⁺ in place of π⁺.
    Share,
    /// Only programs with the highest reward count.
    Highest,
}

impl ByReward {
    /// What is believed of programs with these rewards. Nothing changes where all rewards are the same: where they
    /// are 0 and 1, say, as only rewarded programs are in B.
    pub(crate) fn believed(self, priors: Vec<f32>, rewards: &[f32]) -> Vec<f32> {
        let highest = rewards.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if self == Self::Aside || rewards.iter().all(|&reward| reward == highest) {
            return priors;
        }
        let counts = |reward: f32| match self {
            Self::Highest => f32::from(u8::from(reward == highest)),
            Self::Aside | Self::Share => reward,
        };
        let priors = priors.into_iter().chain(std::iter::repeat(1.0));
        let believed = rewards.iter().zip(priors);
        believed.map(|(&reward, prior)| counts(reward) * prior).collect()
    }
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
    /// This many draws from π⁺ with 10⁻⁸ added to the share of every program, as the published code has it.
    SmoothedDraws(usize),
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
