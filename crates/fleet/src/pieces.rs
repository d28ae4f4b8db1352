//! Many numbers, parameters or a gradient, on their way in pieces that are small enough for a message.
//!
//! After its seal a piece has
//!
//! | bytes | what |
//! |---|---|
//! | 8 | which parameters: the optimiser's steps |
//! | 8 | steps of the run |
//! | 8 | who sends it |
//! | 4, 8 | shard and round of the batch that it is the gradient of |
//! | 8 | the place of its first number |
//! | 4 | what numbers in 16 bits are to be multiplied with |
//! | 1 | 16 or 32 bits |
//! | … | the numbers; none if there is nothing to send |

use std::collections::BTreeSet;

use half::f16;

use crate::message::WrongMessage;

const HEADER: usize = 49;
const FULL: u8 = 32;
const HALF: u8 = 16;
/// Bytes of numbers in a piece; a message may have 1 MiB.
const PIECE: usize = 900 << 10;

/// What some numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Which parameters: how many steps their optimiser had made.
    pub step: u64,
    /// How many steps the run had made.
    pub reached: u64,
    /// Who sends them.
    pub sender: u64,
    /// The shard of the batch whose gradient it is.
    pub shard: u32,
    /// Its round.
    pub round: u64,
}

/// A piece of many numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Portion {
    /// What they are.
    pub about: About,
    /// The place of the first.
    pub from: u64,
    /// Some of them.
    pub numbers: Vec<f32>,
}

impl Portion {
    /// Numbers as the contents of messages of at most `most` bytes; one that is empty if there are none.
    pub fn cut(about: About, numbers: &[f32], is_half: bool, most: usize) -> Vec<Vec<u8>> {
        let width = if is_half { 2 } else { 4 };
        let room = (most.min(PIECE + HEADER).saturating_sub(HEADER) / width).max(1);
        let largest = numbers
            .iter()
            .fold(0.0_f32, |largest, number| largest.max(number.abs()));
        // Gradients are small: without this most of them would be nothing in 16 bits.
        let scale = if is_half && largest > 0.0 { largest } else { 1.0 };
        let content = |from: usize, some: &[f32]| {
            let mut content = Vec::with_capacity(HEADER + some.len() * width);
            for number in [about.step, about.reached, about.sender] {
                content.extend(number.to_le_bytes());
            }
            content.extend(about.shard.to_le_bytes());
            content.extend(about.round.to_le_bytes());
            content.extend((from as u64).to_le_bytes());
            content.extend(scale.to_le_bytes());
            content.push(if is_half { HALF } else { FULL });
            match is_half {
                true => content.extend(
                    some.iter()
                        .flat_map(|value| f16::from_f32(value / scale).to_le_bytes()),
                ),
                false => content.extend(some.iter().flat_map(|value| value.to_le_bytes())),
            }
            content
        };
        if numbers.is_empty() {
            return vec![content(0, &[])];
        }
        let pieces = numbers.chunks(room).enumerate();
        pieces.map(|(place, some)| content(place * room, some)).collect()
    }

    /// The piece that a message holds.
    ///
    /// # Errors
    /// If it is none, or a number of it is not finite.
    pub fn read(content: &[u8]) -> Result<Self, WrongMessage> {
        let wrong = |problem: &str| WrongMessage::Content(problem.to_owned());
        let short = || wrong("a piece is too short");
        let (header, rest) = content.split_first_chunk::<HEADER>().ok_or_else(short)?;
        let long = |from: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&header[from..from + 8]);
            u64::from_le_bytes(bytes)
        };
        let brief = |from: usize| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(&header[from..from + 4]);
            bytes
        };
        let scale = f32::from_le_bytes(brief(44));
        let numbers: Vec<f32> = match header[48] {
            FULL => {
                let (numbers, rest) = rest.as_chunks::<4>();
                let numbers = numbers.iter().map(|&number| f32::from_le_bytes(number));
                rest.is_empty().then(|| numbers.collect())
            }
            HALF => {
                let (numbers, rest) = rest.as_chunks::<2>();
                let numbers = numbers
                    .iter()
                    .map(|&number| f16::from_le_bytes(number).to_f32() * scale);
                rest.is_empty().then(|| numbers.collect())
            }
            _ => None,
        }
        .ok_or_else(|| wrong("a piece has half a number, or none that is known"))?;
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(wrong("a number of a piece is not finite"));
        }
        Ok(Self {
            about: About {
                step: long(0),
                reached: long(8),
                sender: long(16),
                shard: u32::from_le_bytes(brief(24)),
                round: long(28),
            },
            from: long(36),
            numbers,
        })
    }
}

/// Numbers of which not all pieces are there yet.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// What they are.
    pub about: About,
    numbers: Vec<f32>,
    /// Where the pieces begin that are there.
    there: BTreeSet<u64>,
    missing: usize,
}

impl Assembly {
    /// So many numbers, of which none is there.
    pub fn new(about: About, numbers: usize) -> Self {
        Self {
            about,
            numbers: vec![0.0; numbers],
            there: BTreeSet::new(),
            missing: numbers,
        }
    }

    /// Puts a piece in its place; one that is of something else or has no place is left out.
    pub fn add(&mut self, piece: &Portion) {
        let place = usize::try_from(piece.from).ok();
        let place = place.and_then(|from| Some(from..from.checked_add(piece.numbers.len())?));
        let place = place.and_then(|place| self.numbers.get_mut(place));
        if let Some(place) = place
            && piece.about == self.about
            && self.there.insert(piece.from)
        {
            place.copy_from_slice(&piece.numbers);
            self.missing = self.missing.saturating_sub(piece.numbers.len());
        }
    }

    /// Whether all of them are there.
    pub fn is_whole(&self) -> bool {
        self.missing == 0
    }

    /// The numbers.
    pub fn into_numbers(self) -> Vec<f32> {
        self.numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ABOUT: About = About {
        step: 3,
        reached: 4,
        sender: 5,
        shard: 6,
        round: 7,
    };

    proptest! {
        #[test]
        fn what_was_cut_is_put_together_in_any_order(
            numbers in prop::collection::vec(-1e-3_f32..1e-3, 1..300),
            most in 50_usize..400,
            is_half in any::<bool>(),
            turned in any::<bool>(),
        ) {
            let mut pieces = Portion::cut(ABOUT, &numbers, is_half, most);
            prop_assert!(pieces.iter().all(|piece| piece.len() <= most.max(HEADER + 4)));
            if turned {
                pieces.reverse();
            }
            let mut whole = Assembly::new(ABOUT, numbers.len());
            for (left, piece) in (0..pieces.len()).rev().zip(&pieces) {
                let piece = Portion::read(piece).unwrap();
                whole.add(&piece);
                // A piece that comes twice is one.
                whole.add(&piece);
                prop_assert_eq!(whole.is_whole(), left == 0);
            }
            for (one, other) in numbers.iter().zip(whole.into_numbers()) {
                let far = if is_half { 1e-6 } else { 0.0 };
                prop_assert!((one - other).abs() <= far, "{} {}", one, other);
            }
        }

        #[test]
        fn no_piece_makes_anyone_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(piece) = Portion::read(&bytes) {
                Assembly::new(piece.about, 10).add(&piece);
            }
        }
    }
}
