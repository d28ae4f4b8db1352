//! Numbers and dates as people write them.

use crate::{Date, MONTHS, trim};
use std::borrow::Cow;

/// Digits of a number that people read, before and behind the point together; so many stand behind it at
/// least where there are any.
const DIGITS: i32 = 6;
const LEAST_BEHIND: i32 = 2;
/// A number of fewer digits was written so by somebody; more come of a calculation.
const CALCULATED: usize = 12;

/// An item of an answer as people write it: a date without what is unknown of it, a calculated number rounded,
/// text without blanks around it.
///
/// ```
/// use mapo_text::plainly;
/// assert_eq!(plainly("1994-xx-xx"), "1994");
/// assert_eq!(plainly("0.24681357924681357"), "0.246814");
/// assert_eq!(plainly("48.875278"), "48.875278");
/// assert_eq!(plainly(" Tulsa "), "Tulsa");
/// ```
pub fn plainly(item: &str) -> Cow<'_, str> {
    let item = trim(item);
    if item.contains("xx")
        && let Ok(date) = item.parse::<Date>()
    {
        return Cow::Owned(date_plainly(date));
    }
    match rounded(item) {
        Some(number) => Cow::Owned(number),
        None => Cow::Borrowed(item),
    }
}

/// A date of which something is unknown, by what is known.
fn date_plainly(date: Date) -> String {
    let month = date
        .month
        .and_then(|month| MONTHS.get(usize::from(month).checked_sub(1)?));
    let month = month.map(|name| {
        let (first, rest) = name.split_at(1);
        first.to_uppercase() + rest
    });
    let year = date.year.map(|year| match year {
        ..0 => format!("{} BC", year.unsigned_abs()),
        _ => year.to_string(),
    });
    let day = date.day.map(|day| match month {
        Some(_) => day.to_string(),
        None => format!("day {day}"),
    });
    let parts: Vec<String> = [day, month, year].into_iter().flatten().collect();
    parts.join(" ")
}

/// A number with very many digits, rounded; nothing for anything else.
fn rounded(item: &str) -> Option<String> {
    let digits = item.bytes().filter(u8::is_ascii_digit).count();
    let has_point = item.contains('.') || item.contains('e');
    let is_number = item
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"-+.e".contains(&byte));
    if digits < CALCULATED || !has_point || !is_number {
        return None;
    }
    let number: f64 = item.parse().ok().filter(|number: &f64| number.is_finite())?;
    let before = if number == 0.0 {
        1
    } else {
        number.abs().log10().floor() as i32 + 1
    };
    // Numbers that small are better left to an exponent.
    if !(-20..=15).contains(&before) {
        return None;
    }
    let behind = (DIGITS - before).max(LEAST_BEHIND) as usize;
    let text = format!("{number:.behind$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    Some(if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn items_are_written_as_people_do() {
        for (item, expected) in [
            ("1994-xx-xx", "1994"),
            ("1990-07-xx", "July 1990"),
            ("xxxx-07-08", "8 July"),
            ("xxxx-xx-08", "day 8"),
            ("-0044-xx-xx", "44 BC"),
            ("1990-07-08", "1990-07-08"),
            ("33.333333333333336", "33.3333"),
            ("10.899999618530272", "10.9"),
            ("1234567.8912345678", "1234567.89"),
            ("0.00024700000000000003", "0.000247"),
            ("-2.0000000000000004", "-2"),
            ("48.875278", "48.875278"),
            ("1520000", "1520000"),
            ("123456789012345", "123456789012345"),
            ("19,582", "19,582"),
            ("4.80", "4.80"),
            ("  padded ", "padded"),
            ("xx", "xx"),
            ("1.2.3.4.5.6.7.8.9.10.11.12", "1.2.3.4.5.6.7.8.9.10.11.12"),
            ("", ""),
        ] {
            assert_eq!(plainly(item), expected, "{item}");
        }
    }

    proptest! {
        #[test]
        fn a_number_stays_nearly_itself(number in -1e12..1e12f64) {
            let shown: f64 = plainly(&number.to_string()).parse().unwrap();
            prop_assert!((shown - number).abs() <= 1e-5 * number.abs().max(1e-12), "{number} {shown}");
        }

        #[test]
        fn nothing_makes_it_fail(item in ".{0,40}|[-0-9.ex]{0,40}") {
            plainly(&item);
        }
    }
}
