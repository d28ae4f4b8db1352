//! A published encoder that a model carries: its word pieces and its weights.

use crate::error::Result;
use crate::file::{Contents, Tensor, f32_bytes, read_f32};
use crate::pieces::Pieces;
use crate::shape::Shape;
use crate::weights::{Weights, byte_scale, to_bytes};
use safetensors::Dtype;
use std::path::Path;
use std::sync::Arc;

/// A published encoder.
#[derive(Clone, Debug)]
pub struct Published {
    /// Its word pieces.
    pub pieces: Pieces,
    /// Its weights.
    pub weights: Arc<Weights>,
}

/// Where its matrices are in a model's file.
const PREFIX: &str = "published.";

impl Published {
    /// Reads the folder of a published encoder: `model.safetensors` and `vocab.txt`. Matrices are rounded to 8 bits
    /// at once, so that a model is trained over just what its file will have.
    ///
    /// # Errors
    /// Those of its files.
    pub fn read(folder: &Path) -> Result<Self> {
        Ok(Self {
            pieces: Pieces::read(&folder.join("vocab.txt"))?,
            weights: Arc::new(Weights::read(&folder.join("model.safetensors"))?.in_bytes()),
        })
    }

    /// The tensors of the parts that are `kept`: a byte a number and a scale a row, vectors as they are.
    pub(crate) fn tensors(&self, kept: impl Fn(usize) -> bool) -> Vec<Tensor> {
        let mut tensors = Vec::new();
        for (entry, part) in self.weights.entries().iter().zip(self.weights.shape().parts()) {
            if !kept(part) {
                continue;
            }
            let values = &self.weights.values()[entry.range()];
            tensors.extend(row_tensors(
                &format!("{PREFIX}{}", entry.name),
                entry.rows,
                entry.cols,
                values,
            ));
        }
        tensors
    }

    /// What [`tensors`](Self::tensors) wrote; the numbers of other parts are zero.
    pub(crate) fn of(
        contents: &Contents<'_>,
        pieces: Vec<String>,
        shape: Shape,
        kept: impl Fn(usize) -> bool,
    ) -> std::result::Result<Self, String> {
        shape.check().map_err(|e| e.to_string())?;
        let mut values = Vec::new();
        for part in 0..=shape.layers {
            for (name, rows, cols) in shape.matrices(part) {
                if kept(part) {
                    values.extend(read_rows(contents, &format!("{PREFIX}{name}"), rows, cols)?);
                } else {
                    values.resize(values.len() + rows * cols, 0.0);
                }
            }
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err("a weight of the encoder is infinite or undefined: the file is damaged".to_owned());
        }
        Ok(Self {
            pieces: Pieces::new(pieces).map_err(|e| e.to_string())?,
            weights: Arc::new(Weights::new(shape, values).map_err(|e| e.to_string())?),
        })
    }
}

fn scale_name(name: &str) -> String {
    format!("{name}.scale")
}

/// A matrix in 8 bits with a scale for each row; a vector as it is.
pub(crate) fn row_tensors(name: &str, rows: usize, cols: usize, values: &[f32]) -> Vec<Tensor> {
    let tensor = |name: String, dtype, shape, bytes| Tensor {
        name,
        dtype,
        shape,
        bytes,
    };
    if rows == 1 {
        return vec![tensor(
            name.to_owned(),
            Dtype::F32,
            vec![1, cols],
            f32_bytes(values),
        )];
    }
    let scales: Vec<f32> = values.chunks_exact(cols).map(byte_scale).collect();
    let lines = values.chunks_exact(cols).zip(&scales);
    let bytes = lines.flat_map(|(row, &scale)| to_bytes(row, scale));
    let bytes = bytes.map(|byte| byte as u8).collect();
    vec![
        tensor(name.to_owned(), Dtype::I8, vec![rows, cols], bytes),
        tensor(scale_name(name), Dtype::F32, vec![rows], f32_bytes(&scales)),
    ]
}

/// The numbers that [`row_tensors`] wrote.
pub(crate) fn read_rows(
    contents: &Contents<'_>,
    name: &str,
    rows: usize,
    cols: usize,
) -> std::result::Result<Vec<f32>, String> {
    if contents.dtype(name)? != Dtype::I8 {
        return Ok(read_f32(contents.tensor(name, Dtype::F32, &[rows, cols])?));
    }
    let scales = read_f32(contents.tensor(&scale_name(name), Dtype::F32, &[rows])?);
    let bytes = contents.tensor(name, Dtype::I8, &[rows, cols])?;
    let lines = bytes.chunks_exact(cols).zip(scales);
    Ok(lines
        .flat_map(|(row, scale)| row.iter().map(move |&byte| scale * f32::from(byte as i8)))
        .collect())
}
