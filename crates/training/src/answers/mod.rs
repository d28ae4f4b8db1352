//! From the network's programs to an answer: the most probable programs, the choice among what they answer, and how far
//! it can be trusted.

pub mod choice;
pub mod confidence;
pub mod eval;
pub mod search;
