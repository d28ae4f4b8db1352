//! Lines of JSON with checksums, each over itself and all before it: a line that has changed, is missing or stands
//! in another place is found, and its number with it.

/// How a checksum ends a line, before and behind its eight digits.
const BEFORE: &str = r#","checksum":""#;
const DIGITS: usize = 8;
const BEHIND: &str = r#""}"#;

/// The checksum of the lines so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain(u32);

impl Chain {
    /// Writes its checksum into a line, an object that is not empty, as the last of its members.
    pub fn seal(&mut self, object: &str) -> String {
        self.0 = crc32c::crc32c_append(self.0, object.as_bytes());
        let open = object.strip_suffix('}').unwrap_or(object);
        format!("{open}{BEFORE}{:08x}{BEHIND}", self.0)
    }

    /// Whether the checksum of a line is that of its content and of all lines before.
    pub fn fits(&mut self, line: &str) -> bool {
        let Some((open, digits)) = parts(line) else {
            return false;
        };
        let sum = crc32c::crc32c_append(self.0, open.as_bytes());
        self.0 = crc32c::crc32c_append(sum, b"}");
        format!("{:08x}", self.0) == digits
    }
}

/// Whether a line ends with a checksum, right or wrong.
pub(crate) fn is_sealed(line: &str) -> bool {
    parts(line).is_some()
}

/// The line without the brace that closes it, and the digits of its checksum.
fn parts(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_suffix(BEHIND)?;
    let (line, digits) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
    Some((line.strip_suffix(BEFORE)?, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_changes_is_found_in_its_line() {
        let mut chain = Chain::default();
        let lines = [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#].map(|line| chain.seal(line));
        let first_wrong = |lines: &[&str]| {
            let mut chain = Chain::default();
            lines.iter().position(|line| !chain.fits(line))
        };
        let whole: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(first_wrong(&whole), None);
        assert!(serde_json::from_str::<serde_json::Value>(whole[0]).is_ok());
        // One is missing, also where another is the same.
        assert_eq!(first_wrong(&[whole[0], whole[2]]), Some(1));
        assert_eq!(first_wrong(&[whole[1], whole[0]]), Some(0));
        for bit in 0..8 * whole[1].len() {
            let mut bytes = whole[1].as_bytes().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let changed = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(first_wrong(&[whole[0], &changed, whole[2]]), Some(1), "{changed}");
        }
        for cut in 0..whole[1].len() {
            assert_eq!(first_wrong(&[whole[0], &whole[1][..cut]]), Some(1));
        }
    }
}
