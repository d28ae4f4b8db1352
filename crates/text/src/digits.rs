//! Numbers in text as the evaluators' runtime reads them: with the decimal digits of every script.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The value of a decimal digit of any script, `None` for what is no such digit.
pub fn value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    if !is_decimal(c) {
        return None;
    }
    // Unicode encodes decimal digits in ascending runs of ten, some of which touch.
    let before = (0..u32::from(c)).rev().map(char::from_u32);
    let distance = before.take_while(|c| c.is_some_and(is_decimal)).count();
    Some((distance % 10) as u8)
}

fn is_decimal(c: char) -> bool {
    c.general_category() == GeneralCategory::DecimalNumber
}

/// The digits at the start of a text, and the rest.
pub fn split_leading(text: &str) -> (&str, &str) {
    let end = text.find(|c| value(c).is_none()).unwrap_or(text.len());
    text.split_at(end)
}

/// A number cut into its parts: sign, digits before and after the point, exponent with its sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts<'a> {
    /// Whether a minus stands before it.
    pub negative: bool,
    /// The digits before the point.
    pub whole: &'a str,
    /// The digits behind the point.
    pub fraction: &'a str,
    /// The exponent: whether it is negative, and its digits.
    pub exponent: Option<(bool, &'a str)>,
}

impl<'a> Parts<'a> {
    /// Cuts a text that is a number as a whole: sign, digits with at most one point, exponent.
    pub fn of(text: &'a str) -> Option<Self> {
        let (negative, rest) = split_sign(text);
        let (whole, rest) = split_leading(rest);
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(rest) => split_leading(rest),
            None => ("", rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let exponent = match rest.strip_prefix(['e', 'E']) {
            None if rest.is_empty() => None,
            None => return None,
            Some(rest) => {
                let (negative, rest) = split_sign(rest);
                let (digits, rest) = split_leading(rest);
                if digits.is_empty() || !rest.is_empty() {
                    return None;
                }
                Some((negative, digits))
            }
        };
        Some(Parts {
            negative,
            whole,
            fraction,
            exponent,
        })
    }

    /// The nearest double; infinite when too large.
    fn to_f64(self) -> f64 {
        let mut plain = String::with_capacity(self.whole.len() + self.fraction.len() + 8);
        if self.negative {
            plain.push('-');
        }
        push_ascii(self.whole, &mut plain);
        plain.push('.');
        push_ascii(self.fraction, &mut plain);
        if let Some((negative, digits)) = self.exponent {
            plain.push_str(if negative { "e-" } else { "e" });
            push_ascii(digits, &mut plain);
        }
        // The syntax is right by construction, and a double overflows to infinity, not to an error.
        plain.parse().unwrap_or(f64::NAN)
    }
}

/// The nearest double to a text that is a number as a whole, `None` if it is none; infinite when too large.
pub fn parse_f64(text: &str) -> Option<f64> {
    let parts = Parts::of(text)?;
    if text.is_ascii() {
        // Rust reads more than these numbers (`inf`), but all of these.
        return text.parse().ok();
    }
    Some(parts.to_f64())
}

/// The infinity or NaN that a text is as a whole, the latter with an optional `s` before and digits behind;
/// `None` if it is neither.
pub fn parse_special(text: &str) -> Option<f64> {
    let (negative, name) = split_sign(text);
    if !name.starts_with(['i', 'I', 'n', 'N', 's', 'S']) {
        return None;
    }
    if name.eq_ignore_ascii_case("inf") || name.eq_ignore_ascii_case("infinity") {
        return Some(if negative {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    let name = name.strip_prefix(['s', 'S']).unwrap_or(name);
    let (nan, payload) = name.split_at_checked(3)?;
    let is_nan = nan.eq_ignore_ascii_case("nan") && payload.chars().all(|c| value(c).is_some());
    is_nan.then_some(f64::NAN)
}

/// Cuts off a sign: whether it was a minus, and the rest.
fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Appends digits of any script as ASCII digits.
pub fn push_ascii(digits: &str, out: &mut String) {
    out.extend(digits.chars().filter_map(value).map(|d| char::from(b'0' + d)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_digits_of_many_scripts() {
        let cases = [
            ('7', 7),
            ('٣', 3),
            ('०', 0),
            ('९', 9),
            ('８', 8),
            ('\u{1d7ce}', 0),
            ('\u{1d7ff}', 9),
            ('\u{1d7d8}', 0),
        ];
        for (digit, expected) in cases {
            assert_eq!(value(digit), Some(expected), "{digit}");
        }
        for other in ['a', '²', '½', 'Ⅷ', '一'] {
            assert_eq!(value(other), None, "{other}");
        }
    }

    #[test]
    fn cuts_numbers() {
        for (text, number) in [
            ("1", 1.0),
            ("-1.5", -1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("+1e3", 1000.0),
            ("1E-2", 0.01),
            ("١٢٫", f64::NAN),
            ("١٢.٥", 12.5),
        ] {
            match (Parts::of(text), parse_f64(text)) {
                (Some(parts), Some(read)) => assert_eq!((parts.to_f64(), read), (number, number), "{text}"),
                neither => assert!(neither == (None, None) && number.is_nan(), "{text}"),
            }
        }
        for text in [
            "", ".", "-", "1e", "1e+", "e5", "1.2.3", "1,000", "- 1", "0x1", "1_0", "inf", "1 ",
        ] {
            assert_eq!(Parts::of(text), None, "{text}");
        }
        assert_eq!(parse_f64("1e999"), Some(f64::INFINITY));
    }

    #[test]
    fn knows_infinities_and_nan() {
        assert_eq!(parse_special("-Inf"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_special("infinity"), Some(f64::INFINITY));
        for text in ["nan", "sNaN12", "-NAN"] {
            assert!(parse_special(text).is_some_and(f64::is_nan), "{text}");
        }
        for text in ["", "i", "nancy", "information", "sn", "sé", "1"] {
            assert_eq!(parse_special(text), None, "{text}");
        }
    }
}
