//! Names of one split only, so that the tables of one split speak of nobody and nothing that those of another
//! do.

use super::Split;
use mapo_composing::{Choices, Names};

/// Names that are all different, none within another, all of one split.
pub(super) fn draw(names: Names, count: usize, split: Split, choices: &mut Choices) -> Vec<String> {
    names.draw(count, &mut |name| owner(name) == split, choices)
}

/// The split that a name belongs to: half of the names are for training.
fn owner(name: &str) -> Split {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    match (hash >> 32) % 4 {
        0 | 1 => Split::Train,
        2 => Split::Dev,
        _ => Split::Test,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_enough_names_for_any_table() {
        for names in Names::ALL {
            // These two only name groups.
            let count = if matches!(names, Names::Range | Names::River) {
                4
            } else {
                14
            };
            for split in Split::ALL {
                for seed in 0..20 {
                    assert_eq!(
                        draw(names, count, split, &mut Choices::new(seed, 0)).len(),
                        count,
                        "{names:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_name_says_a_number_a_date_or_a_word_that_suggests_a_function() {
        use mapo_text::read::{Tag, read_question};
        let functions = super::super::language().functions;
        let silent = functions.suggested_by(std::iter::empty(), false);
        for name in Names::ALL
            .iter()
            .flat_map(|names| draw(*names, 60, Split::Train, &mut Choices::new(1, 0)))
        {
            let reading = read_question(&name);
            assert!(reading.quantities.is_empty(), "{name}");
            assert!(reading.tags.iter().all(|tag| *tag == Tag::Other), "{name}");
            let words = reading.tokens.iter().map(|token| token.text.as_str());
            assert_eq!(functions.suggested_by(words, false), silent, "{name}");
        }
    }
}
