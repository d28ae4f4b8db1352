//! Models and training states as files: safetensors with a JSON description in the header.
//!
//! A file works alone: it holds the configuration, the vocabulary, the fixed word vectors in 16 or 8 bits,
//! all parameters, and, for training to go on, the state of the optimiser and the averaged parameters. A packed
//! file ([`Checkpoint::pack`]) holds the parameters in 16 bits and nothing of the training.

use crate::config::Config;
use crate::error::{Error, Result};
use crate::file::{self, Contents, Tensor, f32_bytes, read_f16, read_f32};
use crate::network::Network;
use crate::optimiser::{Adam, AdamOptions, Average};
use crate::parameters::{Entry, Layout};
use crate::words::{Precision, Stored, VALUES, Words};
use half::f16;
use safetensors::Dtype;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

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
    config: Config,
    step: u64,
    adam: Option<AdamHeader>,
    average: Option<f32>,
    notes: serde_json::Value,
    /// Where the fixed vectors come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vectors: Option<String>,
    trained_words: usize,
    words: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct AdamHeader {
    steps: u64,
    options: AdamOptions,
}

/// What a model's file says of itself, without the model.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The size of the file.
    pub bytes: u64,
    /// The shape of the network.
    pub config: Config,
    /// Number of parameters.
    pub parameters: usize,
    /// Bits of a parameter.
    pub parameter_bits: u32,
    /// Number of words.
    pub words: usize,
    /// How many of them have trained vectors.
    pub trained_words: usize,
    /// How the vectors of the others are stored.
    pub precision: Precision,
    /// Where these come from, if that was said.
    pub vectors: Option<String>,
    /// Whether training can go on from it.
    pub has_optimiser: bool,
    /// The training step.
    pub step: u64,
    /// What the caller kept beside.
    pub notes: serde_json::Value,
}

impl Summary {
    /// Reads what a model's file says of itself.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Format`] if it is not a model.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        file::read(path, |contents| {
            let header = Header::of(contents)?;
            header.config.check().map_err(|e| e.to_string())?;
            let layout = Layout::new(&header.config, header.trained_words);
            let types = layout.entries.iter().map(|entry| contents.dtype(&entry.name));
            let types = types.collect::<std::result::Result<Vec<_>, _>>()?;
            Ok(Self {
                bytes,
                parameters: layout.len(),
                parameter_bits: if types.contains(&Dtype::F32) { 32 } else { 16 },
                words: header.words.len(),
                trained_words: header.trained_words,
                precision: match contents.dtype(VALUES)? {
                    Dtype::I8 => Precision::Byte,
                    _ => Precision::Half,
                },
                vectors: header.vectors,
                has_optimiser: header.adam.is_some(),
                step: header.step,
                notes: header.notes,
                config: header.config,
            })
        })
    }
}

impl Header {
    fn of(contents: &Contents<'_>) -> std::result::Result<Self, String> {
        match contents.kind() {
            None => contents.description(),
            Some(kind) => Err(format!("holds {kind}, not a model")),
        }
    }
}

/// A matrix of parameters for a file.
fn tensor(prefix: &str, entry: &Entry, dtype: Dtype, bytes: Vec<u8>) -> Tensor {
    Tensor {
        name: format!("{prefix}{}", entry.name),
        dtype,
        shape: vec![entry.rows, entry.cols],
        bytes,
    }
}

/// A file for a model alone: parameters in 16 bits.
pub(crate) fn model_bytes(
    config: &Config,
    words: &Words,
    parameters: &[(Entry, Vec<f16>)],
    step: u64,
    notes: &serde_json::Value,
) -> std::result::Result<Vec<u8>, String> {
    let header = Header {
        config: config.clone(),
        step,
        adam: None,
        average: None,
        notes: notes.clone(),
        vectors: words.source().map(str::to_owned),
        trained_words: words.trained(),
        words: words.names().to_vec(),
    };
    let bytes = |values: &[f16]| values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut tensors: Vec<Tensor> = parameters
        .iter()
        .map(|(entry, values)| tensor("", entry, Dtype::F16, bytes(values)))
        .collect();
    tensors.extend(
        words
            .stored()
            .tensors(words.len() - words.trained(), words.dimensions()),
    );
    file::to_bytes(&header, &tensors)
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

    /// Writes the file, with all parameters as they are. It is complete or not there: the bytes go to a temporary
    /// file beside it, which then takes its name.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes().map_err(|reason| Error::Format {
            path: path.to_owned(),
            reason,
        })?;
        Ok(mapo_files::write(path, &bytes)?)
    }

    fn to_bytes(&self) -> std::result::Result<Vec<u8>, String> {
        let network = &self.network;
        let words = network.words();
        let header = Header {
            config: network.config().clone(),
            step: self.step,
            adam: self.adam.as_ref().map(|adam| AdamHeader {
                steps: adam.steps,
                options: adam.options,
            }),
            average: self.average.as_ref().map(|average| average.decay),
            notes: self.notes.clone(),
            vectors: words.source().map(str::to_owned),
            trained_words: words.trained(),
            words: words.names().to_vec(),
        };
        let mut tensors = Vec::new();
        let mut add_values = |prefix: &str, values: &[f32]| {
            let entries = network.layout().entries.iter();
            tensors.extend(
                entries.map(|entry| tensor(prefix, entry, Dtype::F32, f32_bytes(&values[entry.range()]))),
            );
        };
        add_values("", network.values());
        if let Some(adam) = &self.adam {
            add_values("adam.first.", &adam.first);
            add_values("adam.second.", &adam.second);
        }
        if let Some(average) = &self.average {
            add_values("average.", &average.values);
        }
        tensors.extend(
            words
                .stored()
                .tensors(words.len() - words.trained(), words.dimensions()),
        );
        file::to_bytes(&header, &tensors)
    }

    /// Reads a file. With `trainable` the network can be trained; without, it takes less memory.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Format`] saying what is missing or does not fit.
    pub fn load(path: &Path, trainable: bool) -> Result<Self> {
        file::read(path, |contents| Self::of(contents, trainable))
    }

    /// Gives a model's file other notes and leaves everything else in it as it is, byte for byte. The file is complete
    /// or as it was.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read or written, [`Error::Format`] if it is not a model.
    pub fn change_notes(path: &Path, change: impl FnOnce(&mut serde_json::Value)) -> Result<()> {
        let bytes = file::read_bytes(path)?;
        let changed = file::understand(&bytes, path, |contents| {
            Header::of(contents)?;
            let mut description: serde_json::Value = contents.description()?;
            change(&mut description["notes"]);
            file::with_description(&bytes, &description)
        })?;
        Ok(mapo_files::write(path, &changed)?)
    }

    /// Reads what a file holds from its bytes, as where a program carries a model within itself. Errors call it `name`.
    ///
    /// # Errors
    /// [`Error::Format`] saying what is missing or does not fit.
    pub fn from_bytes(bytes: &[u8], name: &Path, trainable: bool) -> Result<Self> {
        file::understand(bytes, name, |contents| Self::of(contents, trainable))
    }

    fn of(contents: &Contents<'_>, trainable: bool) -> std::result::Result<Self, String> {
        let header = Header::of(contents)?;
        let config = header.config;
        config.check().map_err(|e| e.to_string())?;
        let fixed = header
            .words
            .len()
            .checked_sub(header.trained_words)
            .ok_or("more trained words than words")?;
        let stored = Stored::read(contents, fixed, config.vector)?;
        let words = Words::from_parts(header.words, header.trained_words, config.vector, stored)?;
        let words = match header.vectors {
            Some(source) => words.from_source(source),
            None => words,
        };
        let layout = Layout::new(&config, words.trained());
        let values = |prefix: &str| {
            let mut values = Vec::with_capacity(layout.len());
            for entry in &layout.entries {
                let name = format!("{prefix}{}", entry.name);
                let shape = [entry.rows, entry.cols];
                match contents.dtype(&name)? {
                    Dtype::F16 => {
                        let numbers = read_f16(contents.tensor(&name, Dtype::F16, &shape)?);
                        values.extend(numbers.iter().map(|x| x.to_f32()));
                    }
                    _ => values.extend(read_f32(contents.tensor(&name, Dtype::F32, &shape)?)),
                }
            }
            Ok::<_, String>(values)
        };
        let parameters = values("")?;
        if parameters.iter().any(|x| !x.is_finite()) {
            return Err("a parameter is infinite or undefined: the file is damaged".to_owned());
        }
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
        let network = Network::with_values(config, Arc::new(words), parameters, trainable)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::sample;
    use crate::vectors::Vectors;
    use crate::words::Precision;
    use safetensors::tensor::TensorView;
    use std::collections::HashMap;

    fn checkpoint(precision: Precision) -> Checkpoint {
        checkpoint_of(sample::config(), precision)
    }

    fn checkpoint_of(config: Config, precision: Precision) -> Checkpoint {
        let d = config.vector;
        let vectors = Vectors {
            dimensions: d,
            words: vec!["käse".into(), "\"quote\"".into()],
            numbers: (0..2 * d).map(|i| 0.3 * i as f32 - 1.0).collect(),
            source: None,
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
        let newer = HashMap::from([("mapo".to_owned(), r#"{"format":9}"#.to_owned())]);
        assert!(
            message(&safetensors::serialize(view(), Some(newer)).unwrap()).contains("this program reads 1")
        );

        let model = Checkpoint::model(checkpoint(Precision::Half).network, serde_json::Value::Null);
        let bytes = model.to_bytes().unwrap();
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
