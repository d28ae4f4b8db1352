//! A fingerprint of an example, by which it is found out that data has changed.

use crate::example::Example;
use mapo_tables::Table;
use serde::{Deserialize, Serialize};

/// A checksum over the question, the answer and all cells of the table. Whatever was found for an example keeps it,
/// so that whoever uses it later knows whether the example is still the same.
///
/// ```
/// use mapo_datasets::{Dataset, Selection};
/// # fn main() -> Result<(), mapo_datasets::DatasetError> {
/// let mut examples = Dataset::toy().examples(&Selection::default())?;
/// let (first, second) = (examples.next().unwrap()?, examples.next().unwrap()?);
/// assert_eq!(first.fingerprint(), first.clone().fingerprint());
/// assert_ne!(first.fingerprint(), second.fingerprint());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(u32);

/// The fingerprint of a table, which is kept beside it.
struct OfTable(u32);

/// Stands between texts, for no text holds it: two texts and one of both have other checksums.
const END: u8 = 0xff;

impl Example {
    /// The fingerprint of the question, its answer and its table.
    pub fn fingerprint(&self) -> Fingerprint {
        let table = self.table.derived(|table| OfTable(of_table(table)));
        let mut bytes = Vec::new();
        let texts = [&self.question.text].into_iter().chain(self.answer.texts());
        texts.for_each(|text| add(&mut bytes, text));
        Fingerprint(crc32c::crc32c_append(table.0, &bytes))
    }
}

impl Fingerprint {
    /// One of several examples in their order.
    pub fn of_all<'a>(examples: impl IntoIterator<Item = &'a Example>) -> Self {
        let sum = examples.into_iter().fold(0, |sum, example| {
            crc32c::crc32c_append(sum, &example.fingerprint().0.to_le_bytes())
        });
        Fingerprint(sum)
    }
}

fn add(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(END);
}

fn of_table(table: &Table) -> u32 {
    let mut bytes = Vec::new();
    table.headers().iter().for_each(|header| add(&mut bytes, header));
    let mut sum = crc32c::crc32c(&bytes);
    for row in 0..table.rows() {
        bytes.clear();
        (0..table.headers().len()).for_each(|column| add(&mut bytes, table.cell(row, column)));
        sum = crc32c::crc32c_append(sum, &bytes);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;
    use mapo_language::Language;
    use mapo_questions::{Linking, Question};
    use mapo_tables::TableBuilder;
    use std::sync::Arc;

    fn fingerprint(question: &str, answer: &[&str], cells: [&str; 2]) -> Fingerprint {
        let mut builder = TableBuilder::new("t", ["Name", "Town"]);
        builder.push_row(cells);
        let table = Arc::new(builder.finish());
        let example = Example {
            id: "t".to_owned(),
            question: Question::read(question, &table, Linking::Paper),
            table,
            answer: Answer::own(answer.iter().map(|&text| text.to_owned()).collect()),
            language: Language::WIKITABLEQUESTIONS,
            known: None,
        };
        example.fingerprint()
    }

    #[test]
    fn every_part_of_an_example_counts() {
        let is = fingerprint("who?", &["Ada"], ["Ada", "Oslo"]);
        assert_eq!(is, fingerprint("who?", &["Ada"], ["Ada", "Oslo"]));
        for other in [
            fingerprint("whom?", &["Ada"], ["Ada", "Oslo"]),
            fingerprint("who?", &["nonsense"], ["Ada", "Oslo"]),
            fingerprint("who?", &["Ada", ""], ["Ada", "Oslo"]),
            fingerprint("who?", &["Ada"], ["Ada", "Bergen"]),
            fingerprint("who?", &["Ada"], ["AdaO", "slo"]),
        ] {
            assert_ne!(is, other);
        }
    }
}
