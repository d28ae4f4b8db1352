//! Models from files, and what their cards say about them.

mod card;
mod functions;

pub use card::{Card, TrainedOn};
pub use functions::{check_functions, knowing, same_functions};

use mapo_programmer::{Checkpoint, Network};
use std::path::Path;

use crate::second_look::SecondLook;
use crate::{Error, Result};

/// What the model in the box is called where a file is asked for. A file of this name is `./box`.
pub const BOX: &str = "box";

/// The file of the model in the box.
pub const BOXED: &[u8] = include_bytes!("../../../../models/box.safetensors");

/// Reads a model and its card: a file, or [`BOX`]. With `trainable` it can be trained further; without, it
/// takes less memory.
///
/// # Errors
/// If the file is no model, knows a function or weighs a sign that there is none of, or is the checkpoint of a run: that has
/// not all the words.
pub fn load(file: &Path, trainable: bool) -> Result<(Network, Card)> {
    match file == Path::new(BOX) {
        true => from_bytes(BOXED, Path::new("the model in the box"), trainable),
        false => checked(Checkpoint::load(file, trainable)?, file),
    }
}

/// The same for a file that is in memory; errors call it `name`.
///
/// # Errors
/// Those of [`load`].
pub fn from_bytes(bytes: &[u8], name: &Path, trainable: bool) -> Result<(Network, Card)> {
    checked(Checkpoint::from_bytes(bytes, name, trainable)?, name)
}

fn checked(checkpoint: Checkpoint, file: &Path) -> Result<(Network, Card)> {
    let wrong = |problem: String| Error::File {
        file: file.to_owned(),
        problem,
    };
    if checkpoint.notes["words"].is_string() {
        let problem = "the checkpoint of a run, which has not all the words; use the run's best.safetensors";
        return Err(wrong(problem.to_owned()));
    }
    let card = Card::read(&checkpoint.notes);
    let network = checkpoint.network;
    let functions = card.functions().map_err(|error| wrong(error.to_string()))?;
    if network.config().builtins != functions.builtins() {
        return Err(wrong("made for another language; train it again".to_owned()));
    }
    let look = card.second_look.as_ref().map(SecondLook::check).transpose();
    look.map_err(|error| wrong(error.to_string()))?;
    Ok((network, card))
}
