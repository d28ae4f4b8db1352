//! Sizes of files, as people write them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes: `15MB`, `500 kB`, `1.5MiB`, `1000000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

const UNITS: [(&str, f64); 8] = [
    ("b", 1.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("", 1.0),
];

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is no size; write it as 15MB, 500kB or 1000000");
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let number: f64 = text[..end].parse().map_err(|_| wrong())?;
        let unit = text[end..].trim().to_lowercase();
        let unit = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        Ok(Size((number * unit.1) as u64))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} bytes", self.0),
            1_000..1_000_000 => write!(f, "{:.1} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.2} MB", bytes / 1e6),
            _ => write!(f, "{:.2} GB", bytes / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        for (text, bytes) in [
            ("15MB", 15_000_000),
            ("15 mb", 15_000_000),
            ("1.5kB", 1_500),
            ("2MiB", 2_097_152),
            ("77", 77),
            ("3B", 3),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)));
        }
        for wrong in ["", "MB", "-3", "1.2.3MB", "4XB", "1e9"] {
            assert!(wrong.parse::<Size>().unwrap_err().contains("is no size"));
        }
        assert_eq!(Size(14_987_654).to_string(), "14.99 MB");
        assert_eq!(
            (Size(999).to_string(), Size(1_500).to_string()),
            ("999 bytes".into(), "1.5 kB".into())
        );
    }
}
