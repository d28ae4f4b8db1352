//! Writes what exploration found as the network sees it, to measure how fast real memories are scored:
//!
//! ```sh
//! cargo run --release -p mapo-training --example memories -- wtq:DIR random-split-1-train STORE memories.jsonl model.safetensors [LIMIT]
//! cargo bench -p mapo-programmer --bench network -- memories memories.jsonl model.safetensors
//! ```

use mapo_core::{Env, Steps};
use mapo_datasets::{Dataset, Example, Pruning, Selection, TableEnv};
use mapo_language::Assistance;
use mapo_model::inputs::encode::{BUILTINS, encode_all};
use mapo_model::inputs::vocabulary;
use mapo_model::steps;
use mapo_programmer::{Checkpoint, Config, Network};
use mapo_training::memories;
use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;

/// As in the paper: rarer words are unknown, and vectors have 100 numbers.
const OFTEN: usize = 5;
const DIMENSIONS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (dataset, split, store, out, model, limit) =
        match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [dataset, split, store, out, model] => (*dataset, *split, *store, *out, *model, None),
            [dataset, split, store, out, model, limit] => {
                (*dataset, *split, *store, *out, *model, Some(limit.parse()?))
            }
            _ => return Err("usage: memories DATASET SPLIT STORE OUT MODEL [LIMIT]".into()),
        };
    let dataset: Dataset = dataset.parse()?;
    let selection = Selection {
        split: Some(split.to_owned()),
        limit,
        ..Selection::default()
    };
    let examples: Vec<Example> = dataset.examples(&selection)?.collect::<Result<_, _>>()?;
    let memories = memories::load(Path::new(store), &examples)?;
    let (config, words) = (
        Config::paper(BUILTINS),
        vocabulary::trained(&examples, OFTEN, DIMENSIONS)?,
    );
    let encoded = encode_all(&config, &words, &examples);
    let mut file = BufWriter::new(std::fs::File::create(out)?);
    let mut written = 0;
    for ((example, memory), encoded) in examples.iter().zip(&memories).zip(&encoded) {
        if memory.is_empty() {
            continue;
        }
        let mut env = TableEnv::new(example, Pruning::None, Assistance::All);
        let mut programs = Vec::new();
        for (program, _) in memory.iter() {
            env.rewind(0);
            programs.extend(Steps::of(&mut env, program).map(|program| steps(&program)));
        }
        serde_json::to_writer(
            &mut file,
            &serde_json::json!({ "example": &**encoded, "programs": programs }),
        )?;
        writeln!(file)?;
        written += 1;
    }
    file.flush()?;
    Checkpoint::model(Network::new(config, words, 1)?, serde_json::Value::Null).save(Path::new(model))?;
    println!("{written} of {} examples have programs", examples.len());
    Ok(())
}
