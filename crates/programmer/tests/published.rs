//! The published encoder all-MiniLM-L6-v2: our word pieces and outputs beside those of its own tokenizer and of
//! PyTorch, which `tools/golden_encoder.py` wrote.
//!
//! `$MAPO_ENCODER` names the folder with `model.safetensors` and `vocab.txt`; without it these tests are skipped.

use mapo_programmer::Pieces;
use mapo_programmer::transformer::{Reader, Shape, Trained, Transformer, Weights};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Deserialize)]
struct Golden {
    text: String,
    ids: Vec<u32>,
    /// The first numbers of every output.
    #[serde(default)]
    outputs: Vec<Vec<f32>>,
    /// The mean of the absolute values of every output.
    #[serde(default)]
    means: Vec<f32>,
}

fn golden() -> Vec<Golden> {
    serde_json::from_str(include_str!("encoder/golden.json")).expect("the golden file is JSON")
}

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("MAPO_ENCODER").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: $MAPO_ENCODER does not name the folder of all-MiniLM-L6-v2");
    }
    folder
}

#[test]
fn word_pieces_are_those_of_the_published_tokenizer() {
    let Some(folder) = folder() else { return };
    let pieces = Pieces::read(&folder.join("vocab.txt")).unwrap();
    assert_eq!(pieces.names().len(), Shape::MINILM.pieces);
    for golden in golden() {
        assert_eq!(pieces.sequence(&golden.text), golden.ids, "{}", golden.text);
    }
}

#[test]
fn outputs_are_those_of_pytorch() {
    let Some(folder) = folder() else { return };
    let weights = Arc::new(Weights::read(&folder.join("model.safetensors")).unwrap());
    assert_eq!(*weights.shape(), Shape::MINILM);
    let golden: Vec<Golden> = golden().into_iter().filter(|g| !g.outputs.is_empty()).collect();
    assert!(golden.len() > 1);
    let sequences: Vec<&[u32]> = golden.iter().map(|g| g.ids.as_slice()).collect();
    for trained in [Trained::none(&Shape::MINILM), Trained::upper(&Shape::MINILM, 2)] {
        let transformer = Transformer::new(Arc::clone(&weights), trained).unwrap();
        let mut reader = Reader::new(2).unwrap();
        reader
            .read(&transformer, &transformer.initial(), &sequences, None)
            .unwrap();
        for (sequence, golden) in golden.iter().enumerate() {
            let rows = reader.output(sequence);
            assert_eq!(rows.count(), golden.outputs.len());
            for (r, (first, mean)) in golden.outputs.iter().zip(&golden.means).enumerate() {
                for (ours, theirs) in rows.row(r).iter().zip(first) {
                    assert!(
                        (ours - theirs).abs() < 1e-4,
                        "{}, row {r}: {ours} {theirs}",
                        golden.text
                    );
                }
                let ours = rows.row(r).iter().map(|x| x.abs()).sum::<f32>() / rows.row(r).len() as f32;
                assert!(
                    (ours - mean).abs() < 1e-4,
                    "{}, row {r}: {ours} {mean}",
                    golden.text
                );
            }
        }
    }
}

#[test]
fn eight_bits_leave_the_outputs_nearly_as_they_were() {
    let Some(folder) = folder() else { return };
    let whole = Weights::read(&folder.join("model.safetensors")).unwrap();
    let golden: Vec<Golden> = golden();
    let sequences: Vec<&[u32]> = golden.iter().map(|g| g.ids.as_slice()).collect();
    let outputs = |weights: Weights| {
        let transformer = Transformer::new(Arc::new(weights), Trained::none(&Shape::MINILM)).unwrap();
        let mut reader = Reader::new(2).unwrap();
        reader.read(&transformer, &[], &sequences, None).unwrap();
        let rows = (0..sequences.len()).flat_map(|s| {
            let rows = reader.output(s);
            (0..rows.count())
                .map(move |r| rows.row(r).to_vec())
                .collect::<Vec<_>>()
        });
        rows.collect::<Vec<Vec<f32>>>()
    };
    let (before, after) = (outputs(whole.clone()), outputs(whole.in_bytes()));
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let cosine = |a: &[f32], b: &[f32]| dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
    let cosines: Vec<f32> = before.iter().zip(&after).map(|(a, b)| cosine(a, b)).collect();
    let least = cosines.iter().copied().fold(1.0, f32::min);
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    println!("cosines: mean {mean}, least {least}");
    assert!(least > 0.99 && mean > 0.998, "mean {mean}, least {least}");
}

#[test]
fn a_file_that_is_no_encoder_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.safetensors");
    std::fs::write(&path, b"nonsense").unwrap();
    let said = Weights::read(&path).unwrap_err().to_string();
    assert!(
        said.contains("model.safetensors: not a safetensors file"),
        "{said}"
    );
    let empty: [(&str, safetensors::tensor::TensorView<'_>); 0] = [];
    std::fs::write(&path, safetensors::serialize(empty, None).unwrap()).unwrap();
    let said = Weights::read(&path).unwrap_err().to_string();
    assert!(said.contains("not the weights of a BERT encoder"), "{said}");
    assert!(Weights::read(&directory.path().join("absent")).is_err());
}
