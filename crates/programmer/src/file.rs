//! Our files: safetensors with one JSON description in the header.

use half::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Result};
use crate::seal;

/// The key of our JSON in the file's metadata. It is the only key: with several, their order in the file
/// would vary.
const KEY: &str = "mapo";
/// The version of the format that is written and read.
const FORMAT: u32 = 1;

/// A tensor to be written.
pub(crate) struct Tensor {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// The description as it is written: what the file holds, and the version of the format.
#[derive(Serialize)]
struct Description<'a, T> {
    format: u32,
    #[serde(flatten)]
    content: &'a T,
    checksum: &'static str,
}

/// The bytes of a file.
pub(crate) fn to_bytes(
    description: &impl Serialize,
    tensors: &[&Tensor],
) -> std::result::Result<Vec<u8>, String> {
    let description = Description {
        format: FORMAT,
        content: description,
        checksum: seal::UNKNOWN,
    };
    let json = serde_json::to_string(&description).map_err(|e| e.to_string())?;
    let mut views = Vec::with_capacity(tensors.len());
    for t in tensors {
        let view = TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map_err(|e| e.to_string())?;
        views.push((t.name.as_str(), view));
    }
    let metadata = HashMap::from([(KEY.to_owned(), json)]);
    let mut bytes = safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())?;
    seal::seal(&mut bytes);
    Ok(bytes)
}

/// What every description says.
#[derive(Deserialize)]
struct Kind {
    format: Option<u64>,
    kind: Option<String>,
}

/// A file's bytes, understood.
pub(crate) struct Contents<'a> {
    kind: Option<String>,
    description: String,
    tensors: SafeTensors<'a>,
}

impl<'a> Contents<'a> {
    /// Understands the bytes of a file.
    pub fn of(bytes: &'a [u8]) -> std::result::Result<Self, String> {
        let text = |e: safetensors::SafeTensorError| format!("not a safetensors file: {e}");
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(text)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(text)?;
        let json = metadata.metadata().as_ref().and_then(|m| m.get(KEY));
        let json =
            json.ok_or_else(|| format!("no `{KEY}` description in the header: another program's file"))?;
        seal::check(bytes)?;
        let version: Kind = serde_json::from_str(json).map_err(|e| format!("description: {e}"))?;
        match version.format {
            Some(version) if version == u64::from(FORMAT) => {}
            version => return Err(format!("format {version:?}, this program reads {FORMAT}")),
        }
        Ok(Self {
            kind: version.kind,
            description: json.clone(),
            tensors,
        })
    }

    /// What the file says that it holds; a model says nothing.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// The description.
    pub fn description<T: DeserializeOwned>(&self) -> std::result::Result<T, String> {
        serde_json::from_str(&self.description).map_err(|e| format!("description: {e}"))
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// The type of a tensor.
    pub fn dtype(&self, name: &str) -> std::result::Result<Dtype, String> {
        let view = self.tensors.tensor(name);
        Ok(view.map_err(|_| format!("the tensor {name} is missing"))?.dtype())
    }

    /// The bytes of a tensor, if it has this type and shape.
    pub fn tensor(&self, name: &str, dtype: Dtype, shape: &[usize]) -> std::result::Result<&'a [u8], String> {
        let view = self
            .tensors
            .tensor(name)
            .map_err(|_| format!("the tensor {name} is missing"))?;
        if view.dtype() != dtype || view.shape() != shape {
            return Err(format!(
                "the tensor {name} is {:?} {:?} and should be {dtype:?} {shape:?}",
                view.dtype(),
                view.shape()
            ));
        }
        Ok(view.data())
    }
}

/// Reads a file and makes something of its contents.
pub(crate) fn read<T>(
    path: &Path,
    make: impl FnOnce(&Contents<'_>) -> std::result::Result<T, String>,
) -> Result<T> {
    understand(&read_bytes(path)?, path, make)
}

/// The bytes of a file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })
}

/// The bytes of a file with another description; the tensors and where they lie stay as they are.
pub(crate) fn with_description(
    bytes: &[u8],
    description: &serde_json::Value,
) -> std::result::Result<Vec<u8>, String> {
    /// The header's length stands before it, in this many bytes, and tensors begin at a multiple of that.
    const LENGTH: usize = 8;
    let (length, rest) = bytes.split_first_chunk::<LENGTH>().ok_or("too short")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|e| e.to_string())?;
    let (header, tensors) = rest.split_at_checked(length).ok_or("too short")?;
    let mut header: serde_json::Value = serde_json::from_slice(header).map_err(|e| e.to_string())?;
    header["__metadata__"][KEY] = description.to_string().into();
    let mut header = header.to_string().into_bytes();
    header.resize(header.len().next_multiple_of(LENGTH), b' ');
    let length = (header.len() as u64).to_le_bytes();
    let mut bytes = [&length, header.as_slice(), tensors].concat();
    seal::seal(&mut bytes);
    Ok(bytes)
}

/// Makes something of the bytes of a file that is called `path` in errors.
pub(crate) fn understand<T>(
    bytes: &[u8],
    path: &Path,
    make: impl FnOnce(&Contents<'_>) -> std::result::Result<T, String>,
) -> Result<T> {
    Contents::of(bytes)
        .and_then(|contents| make(&contents))
        .map_err(|reason| Error::Format {
            path: path.to_owned(),
            reason,
        })
}

pub(crate) fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub(crate) fn read_f32(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

pub(crate) fn read_f16(bytes: &[u8]) -> Vec<f16> {
    let (numbers, _) = bytes.as_chunks::<2>();
    numbers.iter().map(|&b| f16::from_le_bytes(b)).collect()
}
