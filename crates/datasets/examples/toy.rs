//! Prints questions of the built-in dataset with their tables: `cargo run --example toy -- dev 10`.

use mapo_datasets::toy::{SEED, Split, generate, to_csv};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let split: Split = args.next().as_deref().unwrap_or("dev").parse()?;
    let questions = args.next().as_deref().unwrap_or("10").parse()?;
    let mut shown = String::new();
    for example in generate(split, SEED, questions) {
        if example.table.name() != shown {
            shown = example.table.name().to_owned();
            println!("\n{shown}\n{}", to_csv(&example.table));
        }
        println!("{}: {}", example.id, example.question);
        println!("    {}", example.answer.join(" | "));
        println!("    {}", example.program);
    }
    Ok(())
}
