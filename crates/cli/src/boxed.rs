//! Models by file name, or the one in the box.

use mapo_answering::Answerer;
use mapo_model::Card;
use mapo_programmer::Network;
use std::error::Error;
use std::path::Path;

/// What the model in the box is called where a file is asked for. A file of this name is `./box`.
pub const NAME: &str = "box";

/// Reads a model and its card; see [`mapo_model::file::load`].
pub fn load(file: &Path, trainable: bool) -> Result<(Network, Card), Box<dyn Error>> {
    Ok(match file == Path::new(NAME) {
        true => mapo_model::file::from_bytes(Answerer::BOXED, Path::new("the model in the box"), trainable)?,
        false => mapo_model::file::load(file, trainable)?,
    })
}
