//! The decoder: programs, token after token.
//!
//! [`DecoderTape`] runs all programs of a forest, level by level, and records them for training; [`States`]
//! with [`advance`] keeps no more than the last level, for stepping. Both run the same layers.

mod advance;
mod inputs;
mod tape;

pub use advance::{AdvanceScratch, States, advance};
pub use tape::{DecoderTape, Loss};
