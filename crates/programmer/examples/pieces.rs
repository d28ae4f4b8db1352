//! Prints the word pieces of every line of standard input, as a JSON list each:
//! `cargo run -p mapo-programmer --example pieces VOCAB < lines.txt`. `tools/check_word_pieces.py` compares them with
//! those of the published tokenizer.

use mapo_programmer::Pieces;
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let vocabulary = std::env::args()
        .nth(1)
        .ok_or("the path of a vocab.txt is missing")?;
    let pieces = Pieces::read(Path::new(&vocabulary))?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{:?}", pieces.sequence(&line?))?;
    }
    Ok(())
}
