//! The network at work: how examples and programs go through its layers, forth and back.
//!
//! The [`encoder`] reads questions and columns into slots; the [`decoder`] runs programs over them, either
//! all programs of a [`forest`] with a record for the way back, or partial programs by one token at a time. Beneath
//! the encoder, [`reading`] has what a published one adds.

pub mod decoder;
pub mod encoder;
pub mod forest;
pub mod reading;
