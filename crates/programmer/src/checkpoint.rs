//! Models and training states as files: safetensors with a JSON description in the header.
//!
//! A file works alone: it holds the configuration, the vocabulary, the fixed word vectors in 16 or 8 bits,
//! all parameters, and, for training to go on, the state of the optimiser and the averaged parameters.

use crate::config::Config;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::optimiser::{Adam, AdamOptions, Average};
use crate::words::{Stored, Words};
use half::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The key of our JSON in the file's metadata. It is the only key: with several, their order in the file
/// would vary.
const KEY: &str = "mapo";
/// The version of the format that is written and read.
const FORMAT: u32 = 1;

/// A network with everything that belongs to it.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The network.
    pub network: Network,
    /// The optimiser, if training is to go on.
    pub adam: Option<Adam>,
    /// The averaged parameters, if there are any.
    pub average: Option<Average>,
    /// The training step.
    pub step: u64,
    /// Whatever the caller wants to keep beside (the names of built-ins, how questions were read).
    pub notes: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    config: Config,
    step: u64,
    adam: Option<AdamHeader>,
    average: Option<f32>,
    notes: serde_json::Value,
    trained_words: usize,
    words: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct AdamHeader {
    steps: u64,
    options: AdamOptions,
}

/// A tensor to be written.
struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn read_f32(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|&b| f32::from_le_bytes(b))
        .collect()
}

impl Checkpoint {
    /// A file for a network alone: a model.
    pub fn model(network: Network, notes: serde_json::Value) -> Self {
        Self {
            network,
            adam: None,
            average: None,
            step: 0,
            notes,
        }
    }

    /// Writes the file. It is complete or not there: the bytes go to a temporary file beside it, which then
    /// takes its name.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes(path)?;
        write_whole(path, &bytes).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })
    }

    fn to_bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let format = |reason: String| Error::Format {
            path: path.to_owned(),
            reason,
        };
        let network = &self.network;
        let words = network.words();
        let header = Header {
            format: FORMAT,
            config: network.config().clone(),
            step: self.step,
            adam: self.adam.as_ref().map(|adam| AdamHeader {
                steps: adam.steps,
                options: adam.options,
            }),
            average: self.average.as_ref().map(|average| average.decay),
            notes: self.notes.clone(),
            trained_words: words.trained(),
            words: words.names().to_vec(),
        };
        let json = serde_json::to_string(&header).map_err(|e| format(e.to_string()))?;
        let mut tensors = Vec::new();
        let mut add_values = |prefix: &str, values: &[f32]| {
            tensors.extend(network.layout().entries.iter().map(|entry| Tensor {
                name: format!("{prefix}{}", entry.name),
                dtype: Dtype::F32,
                shape: vec![entry.rows, entry.cols],
                bytes: f32_bytes(&values[entry.range()]),
            }));
        };
        add_values("", network.values());
        if let Some(adam) = &self.adam {
            add_values("adam.first.", &adam.first);
            add_values("adam.second.", &adam.second);
        }
        if let Some(average) = &self.average {
            add_values("average.", &average.values);
        }
        let shape = vec![words.len() - words.trained(), words.dimensions()];
        match words.stored() {
            Stored::Half(values) => tensors.push(Tensor {
                name: "words.fixed".into(),
                dtype: Dtype::F16,
                shape,
                bytes: values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            }),
            Stored::Byte { values, scales } => {
                tensors.push(Tensor {
                    name: "words.scale".into(),
                    dtype: Dtype::F32,
                    shape: vec![scales.len()],
                    bytes: f32_bytes(scales),
                });
                tensors.push(Tensor {
                    name: "words.fixed".into(),
                    dtype: Dtype::I8,
                    shape,
                    bytes: values.iter().flat_map(|x| x.to_le_bytes()).collect(),
                });
            }
        }
        let mut views = Vec::new();
        for t in &tensors {
            let view =
                TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map_err(|e| format(e.to_string()))?;
            views.push((t.name.as_str(), view));
        }
        let metadata = HashMap::from([(KEY.to_owned(), json)]);
        safetensors::serialize(views, Some(metadata)).map_err(|e| format(e.to_string()))
    }

    /// Reads a file. With `trainable` the network can be trained; without, it takes less memory.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Format`] saying what is missing or does not fit.
    pub fn load(path: &Path, trainable: bool) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })?;
        let format = |reason: String| Error::Format {
            path: path.to_owned(),
            reason,
        };
        Self::from_bytes(&bytes, trainable).map_err(format)
    }

    fn from_bytes(bytes: &[u8], trainable: bool) -> std::result::Result<Self, String> {
        let text = |e: safetensors::SafeTensorError| format!("not a safetensors file: {e}");
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(text)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(text)?;
        let json = metadata.metadata().as_ref().and_then(|m| m.get(KEY));
        let json =
            json.ok_or_else(|| format!("no `{KEY}` description in the header: another program's file"))?;
        let version: serde_json::Value =
            serde_json::from_str(json).map_err(|e| format!("description: {e}"))?;
        match version.get("format").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(FORMAT) => {}
            version => return Err(format!("format {version:?}, this program reads {FORMAT}")),
        }
        let header: Header = serde_json::from_str(json).map_err(|e| format!("description: {e}"))?;
        let tensor = |name: &str, dtype: Dtype, shape: &[usize]| {
            let view = tensors
                .tensor(name)
                .map_err(|_| format!("the tensor {name} is missing"))?;
            if view.dtype() != dtype || view.shape() != shape {
                return Err(format!(
                    "the tensor {name} is {:?} {:?} and should be {dtype:?} {shape:?}",
                    view.dtype(),
                    view.shape()
                ));
            }
            Ok(view.data().to_vec())
        };
        let config = header.config;
        config.check().map_err(|e| e.to_string())?;
        let fixed = header
            .words
            .len()
            .checked_sub(header.trained_words)
            .ok_or("more trained words than words")?;
        let shape = [fixed, config.vector];
        let stored = if tensors.tensor("words.scale").is_ok() {
            Stored::Byte {
                values: tensor("words.fixed", Dtype::I8, &shape)?
                    .into_iter()
                    .map(|b| b as i8)
                    .collect(),
                scales: read_f32(&tensor("words.scale", Dtype::F32, &[fixed])?),
            }
        } else {
            let bytes = tensor("words.fixed", Dtype::F16, &shape)?;
            Stored::Half(
                bytes
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .map(|&b| f16::from_le_bytes(b))
                    .collect(),
            )
        };
        let words = Words::from_parts(header.words, header.trained_words, config.vector, stored)?;
        let layout = crate::parameters::Layout::new(&config, words.trained());
        let values = |prefix: &str| {
            let mut values = Vec::with_capacity(layout.len());
            for entry in &layout.entries {
                let name = format!("{prefix}{}", entry.name);
                values.extend(read_f32(&tensor(&name, Dtype::F32, &[entry.rows, entry.cols])?));
            }
            Ok::<_, String>(values)
        };
        let adam = match header.adam {
            Some(AdamHeader { steps, options }) => Some(Adam {
                options,
                steps,
                first: values("adam.first.")?,
                second: values("adam.second.")?,
            }),
            None => None,
        };
        let average = match header.average {
            Some(decay) => Some(Average {
                decay,
                values: values("average.")?,
            }),
            None => None,
        };
        let network = Network::with_values(config, Arc::new(words), values("")?, trainable)
            .map_err(|e| e.to_string())?;
        Ok(Self {
            network,
            adam,
            average,
            step: header.step,
            notes: header.notes,
        })
    }

    /// Checks that the file's network is the one that is wanted.
    ///
    /// # Errors
    /// [`Error::Format`] names the sizes that differ.
    pub fn expect(&self, wanted: &Config, path: &Path) -> Result<()> {
        let sizes = |c: &Config| match serde_json::to_value(c) {
            Ok(serde_json::Value::Object(map)) => map,
            _ => serde_json::Map::new(),
        };
        let (have, want) = (sizes(self.network.config()), sizes(wanted));
        // What is switched off is not written.
        let off = serde_json::json!("off");
        let more = have.keys().filter(|name| !want.contains_key(*name));
        let differing: Vec<String> = want
            .keys()
            .chain(more)
            .map(|name| {
                (
                    name,
                    have.get(name).unwrap_or(&off),
                    want.get(name).unwrap_or(&off),
                )
            })
            .filter(|(_, have, want)| have != want)
            .map(|(name, have, want)| {
                let shown = |value: &serde_json::Value| value.to_string().replace('"', "");
                format!("{name} is {} and should be {}", shown(have), shown(want))
            })
            .collect();
        if differing.is_empty() {
            return Ok(());
        }
        Err(Error::Format {
            path: path.to_owned(),
            reason: format!("the network does not fit: {}", differing.join(", ")),
        })
    }
}

/// Writes a file so that nobody sees half of it.
fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = path
        .file_name()
        .ok_or(std::io::ErrorKind::InvalidInput)?
        .to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let write = || {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    let result = write();
    if result.is_err() {
        // The error that matters is the first; a temporary file that cannot be removed either is harmless.
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::sample;
    use crate::words::{Precision, Vectors};

    fn checkpoint(precision: Precision) -> Checkpoint {
        checkpoint_of(sample::config(), precision)
    }

    fn checkpoint_of(config: Config, precision: Precision) -> Checkpoint {
        let d = config.vector;
        let vectors = Vectors {
            dimensions: d,
            words: vec!["käse".into(), "\"quote\"".into()],
            numbers: (0..2 * d).map(|i| 0.3 * i as f32 - 1.0).collect(),
        };
        let words = Arc::new(Words::new(&["<unk>".into()], &vectors, precision).unwrap());
        let network = Network::new(config, words, 5).unwrap();
        let mut adam = Adam::new(&network, AdamOptions::default());
        adam.steps = 17;
        adam.first
            .iter_mut()
            .enumerate()
            .for_each(|(i, x)| *x = (i as f32).sin());
        adam.second
            .iter_mut()
            .enumerate()
            .for_each(|(i, x)| *x = f32::from_bits(i as u32 + 1));
        let average = Average::new(&network, 0.999);
        Checkpoint {
            network,
            adam: Some(adam),
            average: Some(average),
            step: 17,
            notes: serde_json::json!({"a": [1, "b"]}),
        }
    }

    #[test]
    fn a_round_trip_is_bit_identical() {
        let paper = [Precision::Half, Precision::Byte].map(checkpoint);
        let linked = checkpoint_of(sample::linked(), Precision::Half);
        for before in paper.into_iter().chain([linked]) {
            let dir = tempfile::tempdir().unwrap();
            let (one, two) = (
                dir.path().join("one.safetensors"),
                dir.path().join("two.safetensors"),
            );
            before.save(&one).unwrap();
            before.save(&one).unwrap();
            let after = Checkpoint::load(&one, true).unwrap();
            after.save(&two).unwrap();
            assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&two).unwrap());
            let bits = |c: &Checkpoint| c.network.values().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&before), bits(&after));
            assert_eq!((before.adam, before.average), (after.adam, after.average));
            assert_eq!((after.step, &after.notes), (17, &before.notes));
            assert_eq!(after.network.words().names(), before.network.words().names());
            assert_eq!(after.network.words().stored(), before.network.words().stored());
            assert_eq!(
                std::fs::read_dir(dir.path()).unwrap().count(),
                2,
                "no temporary file stays"
            );
        }
    }

    #[test]
    fn the_papers_network_is_written_as_before_there_was_more() {
        let before = checkpoint(Precision::Half);
        let json = serde_json::to_value(before.network.config()).unwrap();
        let names: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let sizes = [
            "attention",
            "builtins",
            "column_features",
            "hidden",
            "layers",
            "token_features",
            "vector",
        ];
        assert_eq!(
            names.iter().copied().collect::<std::collections::BTreeSet<_>>(),
            sizes.into()
        );
        // So files that know of nothing more are read as the paper's network.
        let read: Config = serde_json::from_value(json).unwrap();
        assert_eq!(
            (read.pair_features, read.cells, read.constant_kinds),
            (0, false, 0)
        );
        // And what is more starts after the rest, which starts with the same numbers.
        let linked = checkpoint_of(sample::linked(), Precision::Half);
        let same = before.network.values();
        assert_eq!(&linked.network.values()[..same.len()], same);
        assert!(linked.network.values().len() > same.len());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("model.safetensors");
        let message = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Checkpoint::load(&path, false).unwrap_err().to_string()
        };
        assert!(message(b"nonsense").contains("not a safetensors file"));
        let value = [0u8; 4];
        let view = || vec![("x", TensorView::new(Dtype::F32, vec![1], &value).unwrap())];
        let foreign = safetensors::serialize(view(), None).unwrap();
        assert!(message(&foreign).contains("another program's file"));
        let newer = HashMap::from([(KEY.to_owned(), r#"{"format":9}"#.to_owned())]);
        assert!(
            message(&safetensors::serialize(view(), Some(newer)).unwrap()).contains("this program reads 1")
        );

        let model = Checkpoint::model(checkpoint(Precision::Half).network, serde_json::Value::Null);
        let bytes = model.to_bytes(&path).unwrap();
        // The header says another width than the tensors have.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let at = text.find(r#"\"hidden\":4"#).unwrap();
        let mut changed = bytes.clone();
        changed[at + r#"\"hidden\":"#.len()] = b'5';
        let said = message(&changed);
        assert!(
            said.contains("words.projection.weight") && said.contains("should be F32 [5, 3]"),
            "{said}"
        );
        assert!(message(&bytes[..bytes.len() - 4]).contains("not a safetensors file"));
        assert!(
            Checkpoint::load(&dir.path().join("absent"), false)
                .unwrap_err()
                .to_string()
                .contains("absent")
        );

        let wanted = Config {
            hidden: 8,
            builtins: 9,
            ..model.network.config().clone()
        };
        let said = model.expect(&wanted, &path).unwrap_err().to_string();
        assert!(
            said.ends_with("hidden is 4 and should be 8, builtins is 4 and should be 9"),
            "{said}"
        );
        assert!(model.expect(model.network.config(), &path).is_ok());
        let linked = Config {
            builtins: 4,
            ..sample::linked()
        };
        let said = model.expect(&linked, &path).unwrap_err().to_string();
        assert!(
            said.contains("pair_features is off and should be 3")
                && said.contains("cells is off and should be true"),
            "{said}"
        );
        let model = Checkpoint::model(
            checkpoint_of(linked, Precision::Half).network,
            serde_json::Value::Null,
        );
        let said = model.expect(&sample::config(), &path).unwrap_err().to_string();
        assert!(said.contains("constant_kinds is 2 and should be off"), "{said}");
    }
}
