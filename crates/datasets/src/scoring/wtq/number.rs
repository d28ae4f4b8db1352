//! Numbers as the evaluator reads them: integers of any size, and doubles.

use std::fmt;

use mapo_text::digits;
use mapo_text::trim;

/// Two amounts closer than this are the same; an amount closer than this to an integer is an integer.
const TOLERANCE: f64 = 1e-6;

/// An integer of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    /// One that fits a machine word.
    Small(i64),
    /// One that does not: its sign and its digits, without leading zeros.
    Large {
        /// Whether it is below zero.
        negative: bool,
        /// Its ASCII digits.
        digits: Box<str>,
    },
}

impl Integer {
    /// Reads an integer: white space around it, a sign, white space after the sign, digits of any script.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match trim(text).strip_prefix(['+', '-']) {
            Some(rest) => (trim(text).starts_with('-'), trim(rest)),
            None => (false, trim(text)),
        };
        if digits.is_empty() {
            return None;
        }
        let mut magnitude = Some(0i128);
        for c in digits.chars() {
            let digit = i128::from(digits::value(c)?);
            magnitude = magnitude.and_then(|m| m.checked_mul(10)?.checked_add(digit));
        }
        let signed = magnitude.map(|m| if negative { -m } else { m });
        match signed.map(i64::try_from) {
            Some(Ok(small)) => Some(Integer::Small(small)),
            _ => {
                let mut plain = String::with_capacity(digits.len());
                digits::push_ascii(digits, &mut plain);
                let digits = plain.trim_start_matches('0').into();
                Some(Integer::Large { negative, digits })
            }
        }
    }

    /// The integer that a finite double is when its fraction is cut off.
    fn truncated(amount: f64) -> Self {
        let whole = amount.trunc();
        // Every double in this range is exact as an i64; the upper end itself is 2^63 and is not.
        if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole) {
            return Integer::Small(whole as i64);
        }
        Integer::Large {
            negative: whole < 0.0,
            digits: format!("{:.0}", whole.abs()).into(),
        }
    }

    /// The nearest double; infinite when too large.
    pub fn to_f64(&self) -> f64 {
        match self {
            Integer::Small(small) => *small as f64,
            Integer::Large { negative, digits } => {
                let magnitude: f64 = digits.parse().unwrap_or(f64::INFINITY);
                if *negative { -magnitude } else { magnitude }
            }
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Small(small) => small.fmt(f),
            Integer::Large { negative, digits } => {
                write!(f, "{}{digits}", if *negative { "-" } else { "" })
            }
        }
    }
}

/// The amount of a number: an integer, or a double that is not within 0.000001 of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// An integer.
    Integer(Integer),
    /// Anything else. Never infinite, never NaN.
    Fraction(f64),
}

impl Amount {
    /// Reads a number, `None` if the text is none: `+5`, `- 5`, `1.5e3`, but no commas, no percent sign.
    pub fn parse(text: &str) -> Option<Self> {
        let text = trim(text);
        match text.chars().next()? {
            // Most texts end here.
            c if c.is_ascii() && !c.is_ascii_digit() && !matches!(c, '+' | '-' | '.') => return None,
            _ => {}
        }
        if let Some(integer) = Integer::parse(text) {
            return Some(Amount::Integer(integer));
        }
        Amount::of(digits::parse_f64(text)?)
    }

    /// The amount of a double, `None` for infinities and NaN. A double next to an integer is cut *towards
    /// zero*, so 5.0000001 is 5 but 7.9999999 is 7.
    pub fn of(amount: f64) -> Option<Self> {
        if !amount.is_finite() {
            None
        } else if (amount - amount.round()).abs() < TOLERANCE {
            Some(Amount::Integer(Integer::truncated(amount)))
        } else {
            Some(Amount::Fraction(amount))
        }
    }

    /// Whether two amounts count as the same: integers exactly, others within 0.000001.
    pub fn is_close_to(&self, other: &Amount) -> bool {
        match (self, other) {
            (Amount::Integer(a), Amount::Integer(b)) => a == b,
            (a, b) => is_close(a.to_f64(), b.to_f64()),
        }
    }

    /// The nearest double; infinite for integers that are too large.
    pub fn to_f64(&self) -> f64 {
        match self {
            Amount::Integer(integer) => integer.to_f64(),
            Amount::Fraction(fraction) => *fraction,
        }
    }
}

/// Whether two doubles, one of which at least is no integer, count as the same.
pub(super) fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() < TOLERANCE
}

/// Integers plainly, others with twelve significant digits, as the evaluator prints them.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = match self {
            Amount::Integer(integer) => return integer.fmt(f),
            Amount::Fraction(fraction) => *fraction,
        };
        let scientific = format!("{:.11e}", fraction.abs());
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_end_matches('0');
        if fraction < 0.0 {
            f.write_str("-")?;
        }
        if !(-4..11).contains(&exponent) {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(f, "{first}{point}{rest}e{sign}{:02}", exponent.abs())
        } else if exponent < 0 {
            let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
            write!(f, "0.{zeros}{digits}")
        } else {
            let whole = exponent as usize + 1;
            let padded = format!("{digits:0<whole$}");
            let (whole, rest) = padded.split_at(whole);
            write!(f, "{whole}.{}", if rest.is_empty() { "0" } else { rest })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(value: i64) -> Option<Amount> {
        Some(Amount::Integer(Integer::Small(value)))
    }

    #[test]
    fn reads_integers_of_any_size_and_script() {
        for (text, value) in [
            ("5", 5),
            (" +5\u{a0}", 5),
            ("- 5", -5),
            ("007", 7),
            ("٢٠٠٤", 2004),
            ("８", 8),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(Amount::parse(text), small(value), "{text}");
        }
        let large = Amount::parse("-00123456789012345678901234567890123456789012").unwrap();
        assert_eq!(large.to_string(), "-123456789012345678901234567890123456789012");
        assert!(!large.is_close_to(&Amount::parse("-123456789012345678901234567890123456789013").unwrap()));
        assert_eq!(
            Amount::parse("9223372036854775808"),
            Amount::parse("9223372036854775808.0")
        );
    }

    #[test]
    fn reads_doubles_and_refuses_the_rest() {
        assert_eq!(Amount::parse("2.5"), Some(Amount::Fraction(2.5)));
        assert_eq!(Amount::parse(" -.5 "), Some(Amount::Fraction(-0.5)));
        assert_eq!(Amount::parse("1.5e3"), small(1500));
        assert_eq!(Amount::parse("1e-400"), small(0));
        for text in [
            "",
            " ",
            "+",
            "1,000",
            "5%",
            "$5",
            "1_0",
            "0x10",
            "\u{2212}5",
            "1e400",
            "inf",
            "nan",
            "- 5.5",
            "1e",
            ".",
            "5 6",
            "²",
        ] {
            assert_eq!(Amount::parse(text), None, "{text}");
        }
    }

    #[test]
    fn cuts_towards_zero_next_to_integers() {
        assert_eq!(Amount::parse("5.0000001"), small(5));
        assert_eq!(Amount::parse("7.9999999"), small(7));
        assert_eq!(Amount::parse("-7.9999999"), small(-7));
        assert_eq!(Amount::parse("5.000001"), Some(Amount::Fraction(5.000001)));
        assert_eq!(Amount::of(f64::NAN), None);
    }

    #[test]
    fn compares_with_a_tolerance_unless_both_are_integers() {
        let close = |a, b| Amount::parse(a).unwrap().is_close_to(&Amount::parse(b).unwrap());
        assert!(close("2.5", "2.5000009"));
        assert!(!close("2.5", "2.500002"));
        assert!(close("5.0000012", "5.0000019"));
        assert!(!close("9007199254740993", "9007199254740992"));
    }

    #[test]
    fn prints_twelve_digits() {
        for (value, text) in [
            (2346079.588235294, "2346079.58824"),
            (0.5, "0.5"),
            (-2.25, "-2.25"),
            (0.0001234567890123, "0.000123456789012"),
            (0.000012345, "1.2345e-05"),
            (0.000002, "2e-06"),
            (12345678901.5, "12345678901.5"),
            (123456789012.5, "1.23456789012e+11"),
            (99999999999.9999, "1e+11"),
            (1234567890.9999, "1234567891.0"),
        ] {
            assert_eq!(Amount::of(value).unwrap().to_string(), text);
        }
    }
}
