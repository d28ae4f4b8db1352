//! Decimal numbers, compared exactly with each other and with doubles.

use mapo_text::digits;
use mapo_text::digits::Parts;
use mapo_text::{is_whitespace, trim};

/// A number. A decimal that a double holds exactly *is* that double here, so the two kinds are never equal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    /// A double; infinities and NaN, which equals nothing, too.
    Double(f64),
    /// A decimal that no double holds.
    Decimal(Decimal),
}

/// A decimal in its one shortest form: sign · coefficient · 10^exponent, the coefficient not divisible by
/// ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    coefficient: Coefficient,
    exponent: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Coefficient {
    Small(u64),
    /// The digits of one that does not fit.
    Large(Box<str>),
}

impl Number {
    /// Reads a text as a decimal, `None` if it is none. Commas are passed over; `inf` and `nan` are decimals.
    pub fn parse(text: &str) -> Option<Self> {
        // Most texts end here, before a copy is made.
        let first = text.chars().find(|&c| c != ',' && !is_whitespace(c))?;
        if first.is_ascii_alphabetic() && !matches!(first, 'i' | 'I' | 'n' | 'N' | 's' | 'S') {
            return None;
        }
        let plain;
        let text = if text.contains(',') {
            plain = text.replace(',', "");
            trim(&plain)
        } else {
            trim(text)
        };
        let Some(parts) = Parts::of(text) else {
            return digits::parse_special(text).map(Number::Double);
        };
        let decimal = Decimal::of(parts)?;
        let nearest = digits::parse_f64(text)?;
        Some(if decimal.is_exactly(nearest) {
            Number::Double(nearest)
        } else {
            Number::Decimal(decimal)
        })
    }
}

impl Decimal {
    /// The decimal of a number's parts; `None` if its exponent is beyond all use.
    fn of(parts: Parts<'_>) -> Option<Self> {
        let exponent = match parts.exponent {
            None => 0,
            Some((negative, text)) => {
                let mut plain = String::new();
                digits::push_ascii(text, &mut plain);
                let exponent: i64 = plain.parse().ok()?;
                if negative { -exponent } else { exponent }
            }
        };
        let digits = || {
            parts
                .whole
                .chars()
                .chain(parts.fraction.chars())
                .filter_map(digits::value)
        };
        let fraction_digits = parts.fraction.chars().count() as i64;
        let exponent = exponent.checked_sub(fraction_digits)?;
        let small = digits().try_fold(0u64, |sum, digit| {
            sum.checked_mul(10)?.checked_add(u64::from(digit))
        });
        let (coefficient, exponent) = match small {
            Some(0) => (Coefficient::Small(0), 0),
            Some(coefficient) => shorten(coefficient, exponent),
            None => {
                let all: String = digits().map(|d| char::from(b'0' + d)).collect();
                let cut = all.trim_end_matches('0');
                let exponent = exponent.checked_add((all.len() - cut.len()) as i64)?;
                let cut = cut.trim_start_matches('0');
                match cut.parse() {
                    Ok(small) => (Coefficient::Small(small), exponent),
                    Err(_) => (Coefficient::Large(cut.into()), exponent),
                }
            }
        };
        let negative = parts.negative && coefficient != Coefficient::Small(0);
        Some(Decimal {
            negative,
            coefficient,
            exponent,
        })
    }

    /// Whether a double, the nearest to this decimal, is exactly this decimal.
    fn is_exactly(&self, nearest: f64) -> bool {
        if !nearest.is_finite() {
            return false;
        }
        match self.coefficient {
            Coefficient::Small(0) => true,
            Coefficient::Small(coefficient) => {
                exact_in_words(coefficient, self.exponent).unwrap_or_else(|| self.is_printed_as(nearest))
            }
            Coefficient::Large(_) => self.is_printed_as(nearest),
        }
    }

    /// The same from all the digits of the double: none has more than 767.
    fn is_printed_as(&self, double: f64) -> bool {
        if double == 0.0 {
            return self.coefficient == Coefficient::Small(0);
        }
        let all = format!("{double:.766e}");
        Parts::of(&all).and_then(Decimal::of).as_ref() == Some(self)
    }
}

/// Removes the zeros at the end of a coefficient that is not zero.
fn shorten(mut coefficient: u64, mut exponent: i64) -> (Coefficient, i64) {
    while coefficient.is_multiple_of(10) {
        coefficient /= 10;
        exponent += 1;
    }
    (Coefficient::Small(coefficient), exponent)
}

/// Whether coefficient · 10^exponent is a double, where that can be told in machine words.
///
/// With 10 = 2·5 it is one if, after the fives are multiplied in or divided out, the odd part has at most 53
/// bits.
fn exact_in_words(coefficient: u64, exponent: i64) -> Option<bool> {
    let power = u32::try_from(exponent.unsigned_abs()).ok()?;
    let fives = 5u64.checked_pow(power)?;
    let without_ten = if exponent < 0 {
        if !coefficient.is_multiple_of(fives) {
            return Some(false);
        }
        coefficient / fives
    } else {
        coefficient.checked_mul(fives)?
    };
    Some(without_ten >> without_ten.trailing_zeros() < 1 << 53)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn double(text: &str) -> Option<f64> {
        match Number::parse(text)? {
            Number::Double(double) => Some(double),
            Number::Decimal(_) => None,
        }
    }

    #[test]
    fn decimals_that_doubles_hold_are_doubles() {
        for (text, value) in [
            ("1996", 1996.0),
            (" -1,234.50 ", -1234.5),
            ("1e5", 100_000.0),
            ("0.000", 0.0),
            ("١٢", 12.0),
            ("9007199254740992", 9007199254740992.0),
            ("1e22", 1e22),
            ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            (",5", 5.0),
            (",\t5", 5.0),
        ] {
            assert_eq!(double(text), Some(value), "{text}");
        }
        for text in [
            "1.1",
            "9007199254740993",
            "1e23",
            "1e400",
            "0.1000000000000000055511151231257827",
        ] {
            assert!(matches!(Number::parse(text), Some(Number::Decimal(_))), "{text}");
        }
        assert!(double("sNaN12").is_some_and(f64::is_nan));
    }

    #[test]
    fn other_texts_are_no_decimals() {
        for text in [
            "",
            ",",
            "a",
            "1 2",
            "5%",
            "$5",
            "1.2.3",
            "nancy",
            "information",
            "--1",
            "1e",
            "-",
        ] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn equal_decimals_have_one_form() {
        assert_eq!(Number::parse("1.10"), Number::parse("1.1"));
        assert_eq!(Number::parse("0.11e1"), Number::parse("1.1"));
        assert_eq!(Number::parse("0000000000000000000000001.1"), Number::parse("1.1"));
        assert_eq!(
            Number::parse("1.10000000000000000000000000000"),
            Number::parse("1.1")
        );
        assert_ne!(
            Number::parse("1.1"),
            Number::parse("1.10000000000000000000000000001")
        );
        assert_ne!(Number::parse("1.1"), Number::parse("-1.1"));
    }

    proptest! {
        #[test]
        fn machine_words_agree_with_all_the_digits(coefficient in 1u64.., exponent in -30i64..30) {
            let (Coefficient::Small(coefficient), exponent) = shorten(coefficient, exponent) else { unreachable!() };
            let text = format!("{coefficient}e{exponent}");
            let decimal = Decimal::of(Parts::of(&text).unwrap()).unwrap();
            if let Some(exact) = exact_in_words(coefficient, exponent) {
                prop_assert_eq!(exact, decimal.is_printed_as(text.parse().unwrap()));
            }
        }

        #[test]
        fn a_double_is_what_all_its_digits_say(double in any::<f64>()) {
            prop_assume!(double.is_finite());
            prop_assert_eq!(Number::parse(&format!("{double:.766e}")), Some(Number::Double(double)));
        }

        #[test]
        fn reading_never_fails(text in any::<String>()) {
            Number::parse(&text);
        }
    }
}
