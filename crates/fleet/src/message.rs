//! Messages: what they say of themselves before anyone believes what they hold.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `mapo` |
//! | 1 | version of this form |
//! | 1 | [`Kind`] |
//! | 8 | the run's number |
//! | 8 | the learner's epoch |
//! | 16 | digest of data, language, reading and settings |
//! | 4 | CRC-32C of everything else |
//! | … | what it holds |

use std::io::Read;

use serde::{Serialize, de::DeserializeOwned};

const MAGIC: &[u8; 4] = b"mapo";
const VERSION: u8 = 1;
const HEADER: usize = 42;
const CHECKSUM: std::ops::Range<usize> = 38..42;
/// No message is longer than this when it is unpacked.
const LONGEST: u64 = 256 << 20;
/// Batches become a sixth of their size with it; more takes much longer for little.
const LEVEL: i32 = 3;

/// What a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A batch.
    Batch = 1,
    /// What was found in a round of a shard.
    Found = 2,
    /// The parameters of a policy.
    Policy = 3,
    /// The memories with which a run begins.
    Memories = 4,
    /// A file of a run.
    File = 5,
    /// That a model waits to be measured.
    Exam = 6,
    /// Parameters for which assistants find gradients.
    Parameters = 7,
    /// A gradient.
    Gradient = 8,
    /// Which gradients were learnt from.
    Applied = 9,
}

/// A message that nobody should believe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongMessage {
    /// Cut off, damaged, or not ours at all.
    #[error("a message is damaged: {0}")]
    Damaged(&'static str),
    /// Of another version.
    #[error(
        "a message has form {0}, but this program knows {VERSION}; use the same version of mapo everywhere"
    )]
    Version(u8),
    /// Something else than was expected.
    #[error("a message is of kind {found}, but {wanted} was expected")]
    Kind {
        /// The number of what it is.
        found: u8,
        /// The number of what was expected.
        wanted: u8,
    },
    /// Of another run.
    #[error("a message belongs to another run")]
    Run,
    /// Of other data, another language, another reading or other settings.
    #[error(
        "a message was made with other data, another language, another reading or other settings than the run has"
    )]
    Digest,
    /// It holds something else than it should.
    #[error("a message does not hold what it should: {0}")]
    Content(String),
}

/// What all messages of a run have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The run's number.
    pub run: u64,
    /// The digest of data, language, reading and settings.
    pub digest: [u8; 16],
}

impl Seal {
    /// Bytes of a message beside what it holds.
    pub const LENGTH: usize = HEADER;

    /// A message.
    ///
    /// ```
    /// use mapo_fleet::{Kind, Seal};
    ///
    /// let seal = Seal { run: 7, digest: [1; 16] };
    /// let mut message = seal.wrap(Kind::Policy, 3, b"parameters");
    /// assert_eq!(seal.unwrap(Kind::Policy, &message), Ok((3, &b"parameters"[..])));
    /// message[50] ^= 1;
    /// assert!(seal.unwrap(Kind::Policy, &message).is_err());
    /// ```
    pub fn wrap(&self, kind: Kind, epoch: u64, content: &[u8]) -> Vec<u8> {
        let mut message = Vec::with_capacity(HEADER + content.len());
        message.extend_from_slice(MAGIC);
        message.extend([VERSION, kind as u8]);
        message.extend(self.run.to_le_bytes());
        message.extend(epoch.to_le_bytes());
        message.extend(self.digest);
        message.extend([0; 4]);
        message.extend_from_slice(content);
        let sum = checksum(&message).to_le_bytes();
        message[CHECKSUM].copy_from_slice(&sum);
        message
    }

    /// The epoch and the content of a message.
    ///
    /// # Errors
    /// If it is damaged, or not what was expected.
    pub fn unwrap<'m>(&self, kind: Kind, message: &'m [u8]) -> Result<(u64, &'m [u8]), WrongMessage> {
        let (header, content) = message
            .split_at_checked(HEADER)
            .ok_or(WrongMessage::Damaged("it is too short"))?;
        if !header.starts_with(MAGIC) {
            return Err(WrongMessage::Damaged("it does not begin as one"));
        }
        if header[4] != VERSION {
            return Err(WrongMessage::Version(header[4]));
        }
        let number = |from: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&header[from..from + 8]);
            u64::from_le_bytes(bytes)
        };
        if header[CHECKSUM] != checksum(message).to_le_bytes() {
            return Err(WrongMessage::Damaged("its checksum is wrong"));
        }
        if header[5] != kind as u8 {
            let (found, wanted) = (header[5], kind as u8);
            return Err(WrongMessage::Kind { found, wanted });
        }
        if number(6) != self.run {
            return Err(WrongMessage::Run);
        }
        if header[22..38] != self.digest {
            return Err(WrongMessage::Digest);
        }
        Ok((number(14), content))
    }

    /// A message that holds a value as JSON, packed with zstd.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn pack(&self, kind: Kind, epoch: u64, value: &impl Serialize) -> Result<Vec<u8>, WrongMessage> {
        let content = |error: &dyn std::fmt::Display| WrongMessage::Content(error.to_string());
        let text = serde_json::to_vec(value).map_err(|error| content(&error))?;
        let packed = zstd::bulk::compress(&text, LEVEL).map_err(|error| content(&error))?;
        Ok(self.wrap(kind, epoch, &packed))
    }

    /// The epoch and the value of such a message.
    ///
    /// # Errors
    /// If it is damaged, or not what was expected.
    pub fn unpack<T: DeserializeOwned>(&self, kind: Kind, message: &[u8]) -> Result<(u64, T), WrongMessage> {
        let (epoch, packed) = self.unwrap(kind, message)?;
        let content = |error: &dyn std::fmt::Display| WrongMessage::Content(error.to_string());
        let unpacking = zstd::stream::Decoder::new(packed).map_err(|error| content(&error))?;
        let mut text = Vec::new();
        let read = unpacking.take(LONGEST).read_to_end(&mut text);
        read.map_err(|error| content(&error))?;
        let value = serde_json::from_slice(&text).map_err(|error| content(&error))?;
        Ok((epoch, value))
    }
}

/// The checksum of a message but for the place where it stands.
fn checksum(message: &[u8]) -> u32 {
    let (before, after) = (&message[..CHECKSUM.start], &message[CHECKSUM.end..]);
    crc32c::crc32c_append(crc32c::crc32c(before), after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_core::TrainingBatch;
    use proptest::prelude::*;

    const SEAL: Seal = Seal {
        run: 7,
        digest: [3; 16],
    };

    fn batch() -> TrainingBatch {
        TrainingBatch {
            shard: 2,
            round: 9,
            examples: vec![4, 1],
            ..TrainingBatch::default()
        }
    }

    #[test]
    fn what_comes_out_is_what_went_in() {
        let message = SEAL.pack(Kind::Batch, 5, &batch()).unwrap();
        assert_eq!(SEAL.unpack(Kind::Batch, &message), Ok((5, batch())));
    }

    #[test]
    fn each_mismatch_is_told_by_name() {
        let message = SEAL.pack(Kind::Batch, 5, &batch()).unwrap();
        let said = |seal: Seal, kind, message: &[u8]| {
            seal.unpack::<TrainingBatch>(kind, message)
                .unwrap_err()
                .to_string()
        };
        assert!(said(SEAL, Kind::Policy, &message).contains("kind 1, but 3"));
        assert!(said(Seal { run: 8, ..SEAL }, Kind::Batch, &message).contains("another run"));
        let other = Seal {
            digest: [4; 16],
            ..SEAL
        };
        assert!(said(other, Kind::Batch, &message).contains("other data"));
        let mut newer = message.clone();
        newer[4] = 2;
        assert!(said(SEAL, Kind::Batch, &newer).contains("form 2"));
        let other = SEAL.pack(Kind::Batch, 5, &"no batch").unwrap();
        assert!(said(SEAL, Kind::Batch, &other).contains("does not hold"));
    }

    proptest! {
        #[test]
        fn no_message_makes_anyone_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            flip in any::<prop::sample::Index>(),
            bit in 0..8_u32,
            cut in any::<prop::sample::Index>(),
        ) {
            prop_assert!(SEAL.unpack::<TrainingBatch>(Kind::Batch, &bytes).is_err());
            let right = SEAL.pack(Kind::Batch, 5, &batch()).unwrap();
            let mut flipped = right.clone();
            flipped[flip.index(right.len())] ^= 1 << bit;
            prop_assert!(SEAL.unpack::<TrainingBatch>(Kind::Batch, &flipped).is_err());
            prop_assert!(SEAL.unpack::<TrainingBatch>(Kind::Batch, &right[..cut.index(right.len())]).is_err());
            // Someone with a right seal around anything at all.
            let _ = SEAL.unpack::<TrainingBatch>(Kind::Batch, &SEAL.wrap(Kind::Batch, 5, &bytes));
        }
    }
}
