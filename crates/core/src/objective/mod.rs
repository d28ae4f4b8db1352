//! What is climbed: MAPO and what it is compared with, all of one shape.
//!
//! For each example of a batch an objective first says what it [`Needs`]: which programs of the memory, and
//! how many new ones drawn from the policy. From what an actor then saw, a [`Visit`], it makes weighted
//! trajectories: the learner adds c·∇log π(a) for each of them.
//!
//! Symbols are those of the paper: a is a program, B the memory of an example, π the policy that the actors
//! hold, π(B) = Σ π(a) over B the memory weight, π⁺ and π⁻ are π renormalised inside and outside B.

mod augmented;
mod hard_em;
mod iml;
mod mapo;
mod mml;
mod reinforce;

pub use augmented::Augmented;
pub use hard_em::HardEm;
pub use iml::Iml;
pub use mapo::{Allocation, AlphaDecay, Baseline, Inside, Mapo, Outside, WeightsFrom};
pub use mml::Mml;
pub use reinforce::Reinforce;

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Visit};
use crate::roles::{Estimator, Needs, Unusable};

/// Makes [`Objective`] from one list: the type of each, its name in files and tables, and what it is.
macro_rules! objectives {
    ($($(#[$what:meta])* $kind:ident = $name:literal,)*) => {
        /// The objective of a run. In a file its name stands beside its settings:
        ///
        /// ```
        /// use mapo_core::{Estimator, Inside, Mapo, Objective};
        ///
        /// // In TOML: name = "mapo", alpha = 0.2, inside = { top = 5 }
        /// let text = r#"{ "name": "mapo", "alpha": 0.2, "inside": { "top": 5 } }"#;
        /// let objective: Objective = serde_json::from_str(text).unwrap();
        /// assert_eq!(objective, Objective::Mapo(Mapo { alpha: 0.2, inside: Inside::Top(5), ..Mapo::default() }));
        /// assert!(objective.check().is_ok());
        /// assert!(serde_json::from_str::<Objective>(r#"{ "name": "mapo", "alhpa": 0.2 }"#).is_err());
        /// ```
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "name")]
        pub enum Objective {
            $($(#[$what])* #[serde(rename = $name)] $kind($kind),)*
        }

        impl Objective {
            /// All of them, each with its usual settings.
            pub fn all() -> [Self; [$($name),*].len()] {
                [$(Self::$kind($kind::default())),*]
            }

            /// Its name in files and tables.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => $name,)*
                }
            }

            fn estimator(&self) -> &dyn Estimator {
                match self {
                    $(Self::$kind(objective) => objective,)*
                }
            }
        }
    };
}

objectives! {
    /// Memory Augmented Policy Optimization.
    Mapo = "mapo",
    /// Maximum marginal likelihood of the memory.
    Mml = "mml",
    /// Likelihood of the memory's most probable program.
    HardEm = "hard_em",
    /// Likelihood of all programs in memory alike (iterative maximum likelihood).
    Iml = "iml",
    /// Expected return, from programs drawn from the policy alone.
    Reinforce = "reinforce",
    /// Expected return and likelihood of the memory mixed.
    Augmented = "augmented",
}

impl Default for Objective {
    fn default() -> Self {
        Self::Mapo(Mapo::default())
    }
}

impl Estimator for Objective {
    fn needs(&self, memory: usize) -> Needs {
        self.estimator().needs(memory)
    }

    fn weigh(&self, step: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight> {
        self.estimator().weigh(step, visit, keep)
    }

    fn uses_memory(&self) -> bool {
        self.estimator().uses_memory()
    }

    fn asks_learner(&self) -> bool {
        self.estimator().asks_learner()
    }

    fn check(&self) -> Result<(), Unusable> {
        self.estimator().check()
    }
}
