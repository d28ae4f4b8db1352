//! TensorBoard event files: records of scalars that TensorBoard draws as curves.
//!
//! A record is its length, a checksum of that, the bytes, and a checksum of those. The bytes are a
//! protocol-buffer message with the time, the step and the tagged numbers; three fields of two messages are
//! all we need, so they are written by hand.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes scalars for TensorBoard.
#[derive(Debug)]
pub struct Events {
    out: BufWriter<File>,
}

impl Events {
    /// Begins a file in a folder. TensorBoard reads all files of a folder in the order of their names, so one
    /// that goes on from a step has that step in its name.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(folder: &Path, step: u64) -> io::Result<Self> {
        let path = folder.join(format!(
            "events.out.tfevents.{:010}.{step:010}.mapo",
            seconds() as u64
        ));
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        let mut events = Events {
            out: BufWriter::new(file),
        };
        let mut version = time_and_step(0);
        bytes(&mut version, 3, b"brain.Event:2");
        events.record(&version)?;
        Ok(events)
    }

    /// Adds the numbers of a step.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(
        &mut self,
        step: u64,
        scalars: impl IntoIterator<Item = (impl AsRef<str>, f64)>,
    ) -> io::Result<()> {
        let mut summary = Vec::new();
        for (tag, number) in scalars {
            let mut value = Vec::new();
            bytes(&mut value, 1, tag.as_ref().as_bytes());
            key(&mut value, 2, Wire::Fixed32);
            value.extend((number as f32).to_le_bytes());
            bytes(&mut summary, 1, &value);
        }
        let mut event = time_and_step(step);
        bytes(&mut event, 5, &summary);
        self.record(&event)
    }

    fn record(&mut self, content: &[u8]) -> io::Result<()> {
        let length = (content.len() as u64).to_le_bytes();
        self.out.write_all(&length)?;
        self.out.write_all(&checksum(&length).to_le_bytes())?;
        self.out.write_all(content)?;
        self.out.write_all(&checksum(content).to_le_bytes())?;
        self.out.flush()
    }
}

/// The checksum of a record is rotated and shifted, so that one over data with checksums inside is still
/// good.
fn checksum(content: &[u8]) -> u32 {
    crc32c::crc32c(content).rotate_right(15).wrapping_add(0xa282_ead8)
}

fn seconds() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |time| time.as_secs_f64())
}

/// The first two fields of an event.
fn time_and_step(step: u64) -> Vec<u8> {
    let mut event = Vec::new();
    key(&mut event, 1, Wire::Fixed64);
    event.extend(seconds().to_le_bytes());
    key(&mut event, 2, Wire::Varint);
    varint(&mut event, step);
    event
}

/// How a field's value is written.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5,
}

fn key(out: &mut Vec<u8>, field: u64, wire: Wire) {
    varint(out, field << 3 | wire as u64);
}

fn bytes(out: &mut Vec<u8>, field: u64, content: &[u8]) {
    key(out, field, Wire::Bytes);
    varint(out, content.len() as u64);
    out.extend_from_slice(content);
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_framed_by_length_and_checksums() {
        let folder = tempfile::tempdir().unwrap();
        let mut events = Events::create(folder.path(), 0).unwrap();
        events.push(300, [("accuracy/dev", 0.5), ("loss", -1.0)]).unwrap();
        let file = std::fs::read_dir(folder.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let content = std::fs::read(file).unwrap();
        let mut records = Vec::new();
        let mut rest = &content[..];
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            assert_eq!(checksum(&rest[..8]).to_le_bytes(), rest[8..12]);
            let record = &rest[12..12 + length];
            assert_eq!(checksum(record).to_le_bytes(), rest[12 + length..16 + length]);
            records.push(record.to_vec());
            rest = &rest[16 + length..];
        }
        assert_eq!(records.len(), 2);
        // After the key and eight bytes of time: step 300, then the summary with its first tag.
        assert_eq!(records[1][9..12], [0x10, 0xac, 0x02]);
        assert!(records[1].windows(12).any(|window| window == b"accuracy/dev"));
        assert!(
            records[1]
                .windows(5)
                .any(|window| window == [&[0x15][..], &0.5f32.to_le_bytes()].concat())
        );
    }
}
