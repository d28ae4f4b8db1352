//! A model in a small file: parameters in 16 bits, word vectors in 8, and as many words as there is room for.

use crate::checkpoint::{Checkpoint, model_bytes, tensor};
use crate::error::{Error, Result};
use crate::file::Tensor;
use crate::parameters::ENCODER;
use crate::published::row_tensors;
use half::f16;
use safetensors::Dtype;
use std::path::Path;

/// What came of packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The size of the file.
    pub bytes: usize,
    /// Words in it.
    pub words: usize,
    /// Words that the model had.
    pub of: usize,
}

impl Checkpoint {
    /// Writes the model alone to a file of at most `max_bytes`. What does not fit is words: those with
    /// trained vectors always stay, then come those that `is_wanted` accepts, then the others, in either
    /// group the first (usually the commonest). What was packed before comes out the same.
    ///
    /// # Errors
    /// [`Error::Size`] if not even the network fits, [`Error::Config`] if a parameter is too large for 16
    /// bits, [`Error::Write`] if the file cannot be written.
    pub fn pack(
        &self,
        path: &Path,
        max_bytes: Option<usize>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Packed> {
        let words = self.network.words();
        let parameters = self.small_parameters()?;
        let fixed = &words.names()[words.trained()..];
        let (mut order, rest): (Vec<usize>, Vec<usize>) =
            (0..fixed.len()).partition(|&at| is_wanted(&fixed[at]));
        order.extend(rest);
        // The file with that number of the fixed words, in the order that they had.
        let with = |count: usize| {
            let mut places = order[..count].to_vec();
            places.sort_unstable();
            let words = words.with_fixed(&places);
            let config = self.network.config();
            model_bytes(config, &words, &parameters, self.step, &self.notes).map_err(|reason| Error::Format {
                path: path.to_owned(),
                reason,
            })
        };
        let most = max_bytes.unwrap_or(usize::MAX);
        let (mut kept, mut bytes) = (fixed.len(), with(fixed.len())?);
        if bytes.len() > most {
            (kept, bytes) = (0, with(0)?);
            if bytes.len() > most {
                return Err(Error::Size {
                    needed: bytes.len(),
                    allowed: most,
                });
            }
            let mut too_many = fixed.len();
            while too_many - kept > 1 {
                let count = kept + (too_many - kept) / 2;
                let tried = with(count)?;
                if tried.len() <= most {
                    (kept, bytes) = (count, tried);
                } else {
                    too_many = count;
                }
            }
        }
        mapo_files::write(path, &bytes)?;
        Ok(Packed {
            bytes: bytes.len(),
            words: words.trained() + kept,
            of: words.len(),
        })
    }

    /// The parameters in 16 bits, and the matrices of a published encoder in 8.
    fn small_parameters(&self) -> Result<Vec<Tensor>> {
        let values = self.network.values();
        let mut tensors = Vec::new();
        for entry in &self.network.layout().entries {
            let values = &values[entry.range()];
            if entry.name.starts_with(ENCODER) {
                tensors.extend(row_tensors(&entry.name, entry.rows, entry.cols, values));
                continue;
            }
            let mut bytes = Vec::with_capacity(2 * values.len());
            for &x in values {
                let half = f16::from_f32(x);
                if !half.is_finite() {
                    return Err(Error::Config(format!(
                        "a parameter of {} is {x}, which does not fit in 16 bits",
                        entry.name
                    )));
                }
                bytes.extend(half.to_le_bytes());
            }
            tensors.push(tensor("", entry, Dtype::F16, bytes));
        }
        Ok(tensors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Summary;
    use crate::network::Network;
    use crate::reference::sample;
    use crate::stored::Precision;
    use crate::vectors::Vectors;
    use crate::words::Words;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// A model with two trained words and these fixed ones.
    fn model(names: &[String], seed: u64, precision: Precision) -> Checkpoint {
        let config = sample::config();
        let vectors = Vectors {
            dimensions: config.vector,
            words: names.to_vec(),
            numbers: (0..names.len() * config.vector)
                .map(|i| ((i as f32 + seed as f32) * 1.7).sin() * 4.0)
                .collect(),
            source: None,
        };
        let trained = ["<unknown>".to_owned(), "7".to_owned()];
        let words = Words::new(&trained, &vectors, precision)
            .unwrap()
            .from_source("some.txt");
        let network = Network::new(config, Arc::new(words), seed).unwrap();
        Checkpoint {
            step: 9,
            ..Checkpoint::model(network, serde_json::json!({"data": "toy"}))
        }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| format!("w\u{e9}\"{i}")).collect()
    }

    fn vector(words: &Words, name: &str) -> Option<Vec<f32>> {
        let mut out = vec![0.0; words.dimensions()];
        words.add_vector(words.id(name)?, &[], 1.0, &mut out);
        Some(out)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn a_packed_model_is_the_model_with_fewer_words(
            count in 0usize..40,
            seed in 0u64..1000,
            is_half: bool,
            room in 0usize..700,
            every in 1usize..5,
        ) {
            let names = names(count);
            let precision = if is_half { Precision::Half } else { Precision::Byte };
            let before = model(&names, seed, precision);
            let dir = tempfile::tempdir().unwrap();
            let (one, two) = (dir.path().join("one"), dir.path().join("two"));
            let is_wanted = |name: &str| names.iter().position(|n| n == name).is_some_and(|at| at % every == 0);
            // As small as can be, which the refusal tells.
            let needed = match before.pack(&one, Some(0), is_wanted) {
                Err(Error::Size { needed, allowed: 0 }) => needed,
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            };
            prop_assert!(!one.exists());
            prop_assert!(before.pack(&one, Some(needed - 1), is_wanted).is_err());
            let packed = before.pack(&one, Some(needed + room), is_wanted).unwrap();
            prop_assert!(packed.bytes <= needed + room);
            prop_assert_eq!(packed.bytes as u64, std::fs::metadata(&one).unwrap().len());
            let after = Checkpoint::load(&one, false).unwrap();
            let (old, new) = (before.network.words(), after.network.words());
            prop_assert_eq!((packed.words, packed.of), (new.len(), old.len()));
            prop_assert_eq!((after.step, &after.notes, new.source()), (9, &before.notes, Some("some.txt")));

            // Trained words stay; of the others the wanted are kept first, and all in their order.
            prop_assert_eq!(&new.names()[..2], &old.names()[..2]);
            let kept: Vec<&String> = new.names()[2..].iter().collect();
            let wanted = names.iter().filter(|name| is_wanted(name));
            let others = names.iter().filter(|name| !is_wanted(name));
            let mut expected: Vec<&String> = wanted.chain(others).take(kept.len()).collect();
            expected.sort_by_key(|name| names.iter().position(|n| n == *name));
            prop_assert_eq!(&kept, &expected);

            // Numbers are near what they were: 11 bits of a parameter, 8 of a vector.
            for (x, y) in before.network.values().iter().zip(after.network.values()) {
                prop_assert!((x - y).abs() <= x.abs() / 2048.0 + 1e-7, "{} {}", x, y);
            }
            for name in kept {
                let (x, y) = (vector(old, name).unwrap(), vector(new, name).unwrap());
                let largest = x.iter().fold(0.0f32, |m, x| m.max(x.abs()));
                for (x, y) in x.iter().zip(&y) {
                    prop_assert!((x - y).abs() <= largest / 250.0, "{} {}", x, y);
                }
            }

            // Packing what is packed changes nothing, and one byte less of room costs a word.
            after.pack(&two, None, |_| true).unwrap();
            prop_assert!(std::fs::read(&one).unwrap() == std::fs::read(&two).unwrap());
            if new.len() > 2 {
                let fewer = before.pack(&two, Some(packed.bytes - 1), is_wanted).unwrap();
                prop_assert!(fewer.words < packed.words);
            }
        }

        #[test]
        fn a_damaged_file_is_an_error_or_a_model(at in 0usize..100_000, byte: u8, cut in 0usize..100_000) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("model");
            model(&names(5), 3, Precision::Half).pack(&path, None, |_| true).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let mut changed = bytes.clone();
            let place = at % bytes.len();
            changed[place] = byte;
            std::fs::write(&path, &changed).unwrap();
            if let Ok(model) = Checkpoint::load(&path, false) {
                prop_assert!(model.network.values().iter().all(|x| x.is_finite()));
            }
            let _ = Summary::read(&path);
            std::fs::write(&path, &bytes[..cut % bytes.len()]).unwrap();
            let said = Checkpoint::load(&path, false).unwrap_err().to_string();
            prop_assert!(said.contains("not a safetensors file"), "{}", said);
        }
    }

    #[test]
    fn a_summary_says_what_the_file_holds() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, small) = (dir.path().join("whole"), dir.path().join("small"));
        let model = model(&names(30), 1, Precision::Half);
        model.save(&whole).unwrap();
        let packed = model.pack(&small, None, |_| true).unwrap();
        let (whole, small) = (Summary::read(&whole).unwrap(), Summary::read(&small).unwrap());
        assert_eq!((whole.parameter_bits, small.parameter_bits), (32, 16));
        assert_eq!(
            (whole.precision, small.precision),
            (Precision::Half, Precision::Byte)
        );
        assert_eq!((small.words, small.trained_words, small.step), (32, 2, 9));
        assert_eq!(small.parameters, model.network.values().len());
        assert_eq!((small.bytes, &small.notes), (packed.bytes as u64, &model.notes));
        assert!(small.bytes < whole.bytes && !small.has_optimiser);
        assert_eq!(small.vectors.as_deref(), Some("some.txt"));
    }

    #[test]
    fn a_parameter_that_16_bits_cannot_hold_is_named() {
        let mut model = model(&[], 1, Precision::Half);
        model.network.update(|values| *values.last_mut().unwrap() = 1e6);
        let dir = tempfile::tempdir().unwrap();
        let said = model
            .pack(&dir.path().join("x"), None, |_| true)
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("is 1000000, which does not fit in 16 bits"),
            "{said}"
        );
    }
}
