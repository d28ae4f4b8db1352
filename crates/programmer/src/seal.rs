//! A checksum within a file, over all of the file: a bit that has changed is found.
//!
//! It stands in the description as eight hexadecimal digits, and is computed as if these were zeros. Files from
//! before there were checksums have none and are read as they are.

/// How the checksum is announced, as it stands in the header: the description is JSON within JSON.
const MARK: &[u8] = br#"\"checksum\":\""#;
/// The digits before they are known.
pub(crate) const UNKNOWN: &str = "00000000";

/// Where the digits stand.
fn digits(bytes: &[u8]) -> Option<usize> {
    let length = usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()?;
    let header = bytes.get(8..length.checked_add(8)?)?;
    let place = header.windows(MARK.len()).position(|window| window == MARK)?;
    let start = 8 + place + MARK.len();
    (start + UNKNOWN.len() <= bytes.len()).then_some(start)
}

fn checksum(bytes: &[u8], digits: usize) -> String {
    let before = crc32c::crc32c(&bytes[..digits]);
    let zeros = crc32c::crc32c_append(before, UNKNOWN.as_bytes());
    let all = crc32c::crc32c_append(zeros, &bytes[digits + UNKNOWN.len()..]);
    format!("{all:08x}")
}

/// Writes the checksum into the bytes of a file, if they have a place for it.
pub(crate) fn seal(bytes: &mut [u8]) {
    if let Some(at) = digits(bytes) {
        let sum = checksum(bytes, at);
        bytes[at..at + UNKNOWN.len()].copy_from_slice(sum.as_bytes());
    }
}

/// Compares the checksum with the bytes of a file.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    match digits(bytes) {
        Some(at) if bytes[at..at + UNKNOWN.len()] != *checksum(bytes, at).as_bytes() => Err(
            "the file is damaged: its checksum is not that of its content; take a copy from before"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}
