//! Values of typed files as a person would write them in a cell: days as `2004-09-01`, moments as
//! `2004-09-01 12:30:00`, decimals with their point.

use std::fmt::Write;

/// Writing to a string cannot fail.
pub(super) fn show(out: &mut String, value: impl std::fmt::Display) {
    let _ = write!(out, "{value}");
}

/// Bytes: their text where they are one.
pub(super) fn show_binary(out: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => out.push_str(text),
        Err(_) => {
            out.push_str("0x");
            bytes.iter().for_each(|byte| {
                let _ = write!(out, "{byte:02x}");
            });
        }
    }
}

/// Bytes of the longest decimal: 256 bits.
pub(super) const LONGEST_DECIMAL: usize = 32;
/// More digits behind the point than any decimal has.
const LARGEST_SCALE: usize = 80;

/// Whether a number is negative, and the digits of its amount. It is big-endian, in two's complement.
pub(super) fn decimal_digits(bytes: &[u8]) -> (bool, String) {
    let is_negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut amount = bytes.to_vec();
    if is_negative {
        let mut carry = true;
        for byte in amount.iter_mut().rev() {
            (*byte, carry) = (!*byte).overflowing_add(u8::from(carry));
        }
    }
    // The last digit again and again, by long division.
    let mut digits = Vec::new();
    while amount.iter().any(|byte| *byte != 0) {
        let mut rest = 0_u16;
        for byte in &mut amount {
            let value = rest << 8 | u16::from(*byte);
            (*byte, rest) = ((value / 10) as u8, value % 10);
        }
        digits.push(char::from(b'0' + rest as u8));
    }
    if digits.is_empty() {
        digits.push('0');
    }
    (is_negative, digits.into_iter().rev().collect())
}

pub(super) fn show_decimal(out: &mut String, value: i128, scale: i32) {
    show_digits(out, value < 0, &value.unsigned_abs().to_string(), scale);
}

pub(super) fn show_digits(out: &mut String, is_negative: bool, digits: &str, scale: i32) {
    let scale = usize::try_from(scale).unwrap_or(0);
    out.push_str(if is_negative { "-" } else { "" });
    match scale {
        0 => out.push_str(digits),
        LARGEST_SCALE.. => {
            let _ = write!(out, "{digits}e-{scale}");
        }
        _ => {
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, part) = digits.split_at(digits.len() - scale);
            let _ = write!(out, "{whole}.{part}");
        }
    }
}

/// The day this many days after the first of 1970.
pub(super) fn show_day(out: &mut String, days: i64) {
    // Counted in eras of 400 years that begin with March.
    let days = days.saturating_add(719_468);
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
}

pub(super) fn show_timestamp(out: &mut String, value: i64, per_second: i64) {
    let part = value.rem_euclid(per_second) as u64 * (1_000_000_000 / per_second as u64);
    show_moment(out, value.div_euclid(per_second), part);
}

/// A moment this many seconds after the first of 1970; a day's beginning is the day.
pub(super) fn show_moment(out: &mut String, seconds: i64, nanos: u64) {
    const DAY: i64 = 86_400;
    show_day(out, seconds.div_euclid(DAY));
    let time = seconds.rem_euclid(DAY);
    if (time, nanos) != (0, 0) {
        out.push(' ');
        show_clock(out, time, nanos);
    }
}

pub(super) fn show_time(out: &mut String, value: i64, per_second: i64) {
    let part = value.rem_euclid(per_second) as u64 * (1_000_000_000 / per_second as u64);
    show_clock(out, value.div_euclid(per_second), part);
}

pub(super) fn show_clock(out: &mut String, seconds: i64, nanos: u64) {
    let _ = write!(
        out,
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    if nanos > 0 {
        let part = format!("{nanos:09}");
        let _ = write!(out, ".{}", part.trim_end_matches('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(write: impl Fn(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    #[test]
    fn days_and_moments_are_written_as_people_do() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (19_723, "2024-01-01"),
            (-719_468, "0000-03-01"),
        ] {
            assert_eq!(shown(|out| show_day(out, days)), expected);
        }
        assert_eq!(
            shown(|out| show_timestamp(out, 1_500, 1_000)),
            "1970-01-01 00:00:01.5"
        );
        assert_eq!(
            shown(|out| show_timestamp(out, -1, 1_000_000)),
            "1969-12-31 23:59:59.999999"
        );
        assert_eq!(shown(|out| show_timestamp(out, 86_400_000, 1_000)), "1970-01-02");
        assert_eq!(shown(|out| show_time(out, 45_296_000, 1_000)), "12:34:56");
    }

    #[test]
    fn decimals_keep_their_point() {
        for (value, scale, expected) in [
            (12_345, 2, "123.45"),
            (-5, 2, "-0.05"),
            (7, 0, "7"),
            (0, 1, "0.0"),
        ] {
            assert_eq!(shown(|out| show_decimal(out, value, scale)), expected);
        }
        let long = |bytes: &[u8], scale| {
            let (is_negative, digits) = decimal_digits(bytes);
            shown(|out| show_digits(out, is_negative, &digits, scale))
        };
        let mut most = [0xff; 32];
        assert_eq!(long(&most, 2), "-0.01");
        most[0] = 0x7f;
        let all = "57896044618658097711785492504343953926634992332820282019728792003956564819967";
        assert_eq!(long(&most, 0), all);
        assert_eq!(long(&[0], 0), "0");
        assert_eq!(long(&[0x80, 0], 1), "-3276.8");
        // A claim costs nothing.
        assert_eq!(long(&[7], i32::MAX), "7e-2147483647");
    }
}
