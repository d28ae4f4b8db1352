//! Bytes that are several things.

/// What stands before the first NUL, and what stands behind it.
pub(crate) fn two(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(place) => (&bytes[..place], &bytes[place + 1..]),
        None => (bytes, &[]),
    }
}

/// The same, as text.
pub(crate) fn two_texts(bytes: &[u8]) -> Option<(&str, &str)> {
    let (first, second) = two(bytes);
    Some((
        std::str::from_utf8(first).ok()?,
        std::str::from_utf8(second).ok()?,
    ))
}
