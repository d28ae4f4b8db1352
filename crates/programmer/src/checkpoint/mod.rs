//! Models and training states as files: safetensors with a JSON description in the header.
//!
//! A file works alone: it holds the configuration, the vocabulary, the fixed word vectors in 16 or 8 bits,
//! all parameters, and, for training to go on, the state of the optimiser and the averaged parameters. A
//! packed file ([`Checkpoint::pack`]) holds the parameters in 16 bits and nothing of the training.

mod header;
mod summary;

pub(crate) use header::{model_bytes, tensor};
pub use summary::Summary;

use crate::error::{Error, Result};
use crate::file::{self, Contents, f32_bytes, read_f16, read_f32};
use crate::network::Network;
use crate::optimiser::{Adam, Average};
use crate::parameters::Layout;
use crate::published::{Published, read_rows};
use crate::stored::Stored;
use crate::words::Words;
use header::{AdamHeader, Header, word_tensors};
use safetensors::Dtype;
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

    /// Writes the file, with all parameters as they are. It is complete or not there: the bytes go to a
    /// temporary file beside it, which then takes its name.
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
            adam: self.adam.as_ref().map(|adam| AdamHeader {
                steps: adam.steps,
                options: adam.options,
            }),
            average: self.average.as_ref().map(|average| average.decay),
            ..Header::model(network.config(), words, self.step, &self.notes)
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
        tensors.extend(word_tensors(network.config(), words));
        file::to_bytes(&header, &tensors.iter().collect::<Vec<_>>())
    }

    /// Reads a file. With `trainable` the network can be trained; without, it takes less memory.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Format`] saying what is missing or does not fit.
    pub fn load(path: &Path, trainable: bool) -> Result<Self> {
        file::read(path, |contents| Self::of(contents, trainable))
    }

    /// Gives a model's file other notes and leaves everything else in it as it is, byte for byte. The file is
    /// complete or as it was.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Write`] if it cannot be written, [`Error::Format`] if
    /// it is not a model.
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

    /// Reads what a file holds from its bytes, as where a program carries a model within itself. Errors call
    /// it `name`.
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
        let words = match (&config.encoder, header.pieces) {
            (Some(encoder), Some(pieces)) => {
                let published = Published::of(contents, pieces, encoder.shape, |part| !encoder.trains(part))?;
                words.with_published(published)
            }
            _ => words,
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
                    Dtype::I8 => values.extend(read_rows(contents, &name, entry.rows, entry.cols)?),
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
                groups: Vec::new(),
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::optimiser::AdamOptions;
    use crate::reference::sample;
    use crate::stored::Precision;
    use crate::vectors::Vectors;
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

    /// Where a text stands in a file.
    fn place(bytes: &[u8], text: &str) -> usize {
        let found = bytes
            .windows(text.len())
            .position(|window| window == text.as_bytes());
        found.unwrap()
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
        let at = place(&bytes, r#"\"hidden\":4"#);
        let mut changed = bytes.clone();
        changed[at + r#"\"hidden\":"#.len()] = b'5';
        assert!(message(&changed).contains("its checksum is not that of its content"));
        crate::seal::seal(&mut changed);
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
    }

    #[test]
    fn a_bit_that_has_changed_is_found_wherever_it_is() {
        let model = Checkpoint::model(checkpoint(Precision::Half).network, serde_json::json!({"x": 1}));
        let bytes = model.to_bytes().unwrap();
        let read = |bytes: &[u8]| Checkpoint::from_bytes(bytes, Path::new("m"), false);
        assert!(read(&bytes).is_ok());
        for place in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            // Only where its own name is hit a checksum is not seen.
            let seen = read(&changed).is_err();
            let name = String::from_utf8_lossy(&changed).contains("checksum");
            assert!(seen || !name, "byte {place} of {}", bytes.len());
        }
        // Files from before have no checksum.
        let at = place(&bytes, "checksum");
        let mut old = bytes.clone();
        old[at..at + 8].copy_from_slice(b"something".first_chunk::<8>().unwrap());
        assert!(read(&old).is_ok());
    }

    #[test]
    fn word_vectors_are_no_model_and_a_model_no_word_vectors() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file.safetensors");
        let vectors = Vectors {
            dimensions: 1,
            words: vec!["a".into()],
            numbers: vec![1.0],
            source: None,
        };
        vectors.save(&path, Precision::Byte).unwrap();
        let said = Checkpoint::load(&path, false).unwrap_err().to_string();
        assert!(said.ends_with("holds words, not a model"), "{said}");
        let network = sample::network(sample::config(), 1);
        Checkpoint::model(network, serde_json::Value::Null)
            .save(&path)
            .unwrap();
        let said = Vectors::read_compact(&path).unwrap_err().to_string();
        assert!(said.ends_with("holds a model, not word vectors"), "{said}");
    }
}
