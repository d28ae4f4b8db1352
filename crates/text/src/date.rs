//! Calendar dates of which any part may be unknown.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The months by name.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A date with unknown parts, as written in tables and questions: `2004-09-xx`, `xxxx-07-08`.
///
/// ```
/// use mapo_text::Date;
/// let date: Date = "2004-09-xx".parse().unwrap();
/// assert_eq!((date.year, date.month, date.day), (Some(2004), Some(9), None));
/// assert_eq!(date.to_string(), "2004-09-xx");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Date {
    /// The year, negative before the common era.
    pub year: Option<i32>,
    /// The month, 1 to 12.
    pub month: Option<u8>,
    /// The day of the month, 1 to 31.
    pub day: Option<u8>,
}

impl Date {
    /// A date of which only the year is known.
    pub fn of_year(year: i32) -> Self {
        Date {
            year: Some(year),
            month: None,
            day: None,
        }
    }

    /// Compares by the parts that both dates know, year first; `None` when they have no known part in common.
    ///
    /// This is not transitive (`2004-xx-xx` equals both `2004-03-xx` and `2004-05-xx`), hence not `Ord`.
    pub fn compare(self, other: Date) -> Option<Ordering> {
        fn part<T: Ord>(a: Option<T>, b: Option<T>) -> Option<Ordering> {
            Some(a?.cmp(&b?))
        }
        [
            part(self.year, other.year),
            part(self.month, other.month),
            part(self.day, other.day),
        ]
        .into_iter()
        .flatten()
        .reduce(Ordering::then)
    }

    /// A total order that agrees with [`compare`](Date::compare) on dates that know the same parts.
    /// Unknown parts come first.
    pub fn key(self) -> (i32, u8, u8) {
        (
            self.year.unwrap_or(i32::MIN),
            self.month.unwrap_or(0),
            self.day.unwrap_or(0),
        )
    }

    /// The date as far as `parts` (as in [`known`](Date::known)) goes.
    pub fn only(self, parts: u8) -> Date {
        Date {
            year: self.year.filter(|_| parts & 4 != 0),
            month: self.month.filter(|_| parts & 2 != 0),
            day: self.day.filter(|_| parts & 1 != 0),
        }
    }

    /// Which parts are known, as three bits: dates with the same mask are totally ordered.
    pub fn known(self) -> u8 {
        u8::from(self.year.is_some()) << 2
            | u8::from(self.month.is_some()) << 1
            | u8::from(self.day.is_some())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            Some(year) if year < 0 => write!(f, "-{:04}", -i64::from(year))?,
            Some(year) => write!(f, "{year:04}")?,
            None => f.write_str("xxxx")?,
        }
        for part in [self.month, self.day] {
            match part {
                Some(part) => write!(f, "-{part:02}")?,
                None => f.write_str("-xx")?,
            }
        }
        Ok(())
    }
}

/// Text that is not a date of the form `yyyy-mm-dd` with `x` for unknown parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a date of the form yyyy-mm-dd, with x for what is unknown")]
pub struct NotADate;

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        fn part<T: FromStr>(text: &str) -> Result<Option<T>, NotADate> {
            if !text.is_empty() && text.bytes().all(|b| b == b'x' || b == b'X') {
                return Ok(None);
            }
            if !text.bytes().all(|b| b.is_ascii_digit()) {
                return Err(NotADate);
            }
            text.parse().map(Some).map_err(|_| NotADate)
        }
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut parts = rest.split('-');
        let (Some(year), Some(month), Some(day), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NotADate);
        };
        let year: Option<i32> = part(year)?;
        let date = Date {
            year: if negative {
                Some(-year.ok_or(NotADate)?)
            } else {
                year
            },
            month: part(month)?,
            day: part(day)?,
        };
        let in_range = date.month.is_none_or(|m| (1..=12).contains(&m))
            && date.day.is_none_or(|d| (1..=31).contains(&d))
            && date.known() != 0;
        if in_range { Ok(date) } else { Err(NotADate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn compares_by_the_parts_both_know() {
        let order = |a, b| date(a).compare(date(b));
        assert_eq!(order("2004-xx-xx", "2004-09-01"), Some(Ordering::Equal));
        assert_eq!(order("2003-12-xx", "2004-01-xx"), Some(Ordering::Less));
        assert_eq!(order("xxxx-07-08", "2004-07-09"), Some(Ordering::Less));
        assert_eq!(order("xxxx-07-08", "2004-xx-xx"), None);
    }

    #[test]
    fn rejects_what_is_no_date() {
        for text in [
            "",
            "2004",
            "xxxx-xx-xx",
            "2004-13-01",
            "2004-01-32",
            "a-b-c",
            "2004-1-1-1",
            "--1-1",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn printing_and_parsing_are_inverse(
            year in proptest::option::of(-9999i32..12000),
            month in proptest::option::of(1u8..=12),
            day in proptest::option::of(1u8..=31),
        ) {
            let date = Date { year, month, day };
            prop_assume!(date.known() != 0);
            prop_assert_eq!(date.to_string().parse::<Date>(), Ok(date));
        }
    }
}
