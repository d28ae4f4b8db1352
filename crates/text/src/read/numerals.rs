//! A number written in digits, from its first digit to its last: `1,234.5`, `12:34.5`, `1/2`, `6.5e-3`.

use super::words::is_dash;

/// How a number is written. What follows it decides whether it is a year, a day, a price…
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Digits alone, and how many.
    Integer(u8),
    /// With a decimal point, grouped digits or an exponent.
    Real,
    /// `1:23.45`, as a number of its last unit: minutes and seconds make seconds, hours and minutes make
    /// minutes.
    Clock {
        /// Whether it has two parts, so that it may also be a time of day in hours and minutes.
        two_parts: bool,
    },
    /// `1/2` or `½`.
    Fraction,
}

/// A number written in digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Numeral {
    pub(crate) value: f64,
    pub(crate) form: Form,
    /// Its length in bytes.
    pub(crate) len: usize,
}

/// What may be part of a numeral where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    /// `628 443` is one number.
    pub(crate) spaces: bool,
    /// A decimal comma: not so within a list, where `10,11` are two numbers.
    pub(crate) comma: bool,
    /// Anything but digits: not so within a dotted date, where `08.1986` is a month and a year.
    pub(crate) joins: bool,
}

/// The longest numeral at the start of `text`, which is known to start with a digit, a point and a digit, or
/// a vulgar fraction.
pub(crate) fn numeral(text: &str, allowed: Allowed) -> Option<Numeral> {
    let bytes = text.as_bytes();
    if !matches!(bytes.first(), Some(b'0'..=b'9' | b'.')) {
        let (value, len) = vulgar(text)?;
        return Some(Numeral {
            value,
            form: Form::Fraction,
            len,
        });
    }
    let head = digits(bytes, 0);
    if !allowed.joins {
        let form = Form::Integer(u8::try_from(head).unwrap_or(u8::MAX));
        return Some(Numeral {
            value: value(&text[..head], false)?,
            form,
            len: head,
        });
    }
    clock(text, head)
        .or_else(|| slash_fraction(text, head))
        .or_else(|| decimal(text, head, allowed))
}

/// The number of ASCII digits from `at` on.
fn digits(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..)
        .map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count())
}

/// The value of a short run of digits.
fn small(bytes: &[u8]) -> f64 {
    bytes
        .iter()
        .fold(0.0, |value, b| value * 10.0 + f64::from(b - b'0'))
}

/// `1:23.45`, `2:17:42`, `7:00`.
fn clock(text: &str, head: usize) -> Option<Numeral> {
    let bytes = text.as_bytes();
    if !(1..=3).contains(&head) || bytes.get(head) != Some(&b':') {
        return None;
    }
    let mut value = small(&bytes[..head]);
    let mut at = head;
    let mut parts = 1;
    while parts < 3 && bytes.get(at) == Some(&b':') {
        if digits(bytes, at + 1) != 2 {
            return None;
        }
        let part = small(&bytes[at + 1..at + 3]);
        if part >= 60.0 {
            return None;
        }
        value = value * 60.0 + part;
        at += 3;
        parts += 1;
    }
    if bytes.get(at) == Some(&b':') {
        return None;
    }
    let fraction = if bytes.get(at) == Some(&b'.') {
        digits(bytes, at + 1)
    } else {
        0
    };
    if fraction > 0 {
        let part = &text[at..at + 1 + fraction.min(12)];
        // Rounded as the decimal it is written as: 83.45, not 83.45000000000000284.
        let unit = 10f64.powi(i32::try_from(fraction.min(12)).ok()?);
        value = ((value + part.parse::<f64>().ok()?) * unit).round() / unit;
        at += 1 + fraction;
    } else if is_verse(&text[at..]) {
        return None;
    }
    let form = Form::Clock {
        two_parts: parts == 2 && fraction == 0,
    };
    Some(Numeral { value, form, len: at })
}

/// `14:16–24` is a place in a book: after a time's dash another time would stand.
fn is_verse(rest: &str) -> bool {
    let Some(after) = rest.strip_prefix(is_dash) else {
        return false;
    };
    let count = digits(after.as_bytes(), 0);
    count > 0 && after.as_bytes().get(count) != Some(&b':')
}

/// A vulgar fraction character.
fn vulgar(text: &str) -> Option<(f64, usize)> {
    let c = text.chars().next()?;
    let value = match c {
        '½' => 1.0 / 2.0,
        '¼' => 1.0 / 4.0,
        '¾' => 3.0 / 4.0,
        '⅓' => 1.0 / 3.0,
        '⅔' => 2.0 / 3.0,
        '⅕' => 1.0 / 5.0,
        '⅖' => 2.0 / 5.0,
        '⅗' => 3.0 / 5.0,
        '⅘' => 4.0 / 5.0,
        '⅙' => 1.0 / 6.0,
        '⅚' => 5.0 / 6.0,
        '⅛' => 1.0 / 8.0,
        '⅜' => 3.0 / 8.0,
        '⅝' => 5.0 / 8.0,
        '⅞' => 7.0 / 8.0,
        '⅒' => 1.0 / 10.0,
        _ => return None,
    };
    Some((value, c.len_utf8()))
}

/// `1/2`, `11⁄2` (one and a half: the size of the digits is lost), `3½`.
fn slash_fraction(text: &str, head: usize) -> Option<Numeral> {
    let bytes = text.as_bytes();
    if !(1..=3).contains(&head) {
        return None;
    }
    if let Some((value, len)) = vulgar(&text[head..]) {
        return Some(Numeral {
            value: small(&bytes[..head]) + value,
            form: Form::Fraction,
            len: head + len,
        });
    }
    let (slash, proper_slash) = match text[head..].chars().next()? {
        '/' => (1, false),
        '⁄' => ('⁄'.len_utf8(), true),
        _ => return None,
    };
    let from = head + slash;
    let count = digits(bytes, from);
    // `1/16/1986` and `1/2.7` are something else.
    let goes_on =
        matches!(bytes.get(from + count), Some(b'/' | b'.' | b',')) && digits(bytes, from + count + 1) > 0;
    if !(1..=2).contains(&count) || goes_on {
        return None;
    }
    let below = small(&bytes[from..from + count]);
    // Other denominators, unreduced ones, and what starts with 0 are scores, dates and numbers of seasons.
    if ![2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0].contains(&below) {
        return None;
    }
    let above = small(&bytes[..head]);
    let lowest_terms = if below == 3.0 {
        above % 3.0 != 0.0
    } else {
        above % 2.0 != 0.0
    };
    let len = from + count;
    if above < below && lowest_terms && bytes[0] != b'0' {
        return Some(Numeral {
            value: above / below,
            form: Form::Fraction,
            len,
        });
    }
    if !proper_slash {
        return None;
    }
    // The numerator is the shortest tail of the digits; what is before it is the whole part.
    let tail = if below > 8.0 && head > 2 { 2 } else { 1 };
    let whole = small(&bytes[..head - tail]);
    let value = whole + small(&bytes[head - tail..head]) / below;
    Some(Numeral {
        value,
        form: Form::Fraction,
        len,
    })
}

fn decimal(text: &str, head: usize, allowed: Allowed) -> Option<Numeral> {
    let bytes = text.as_bytes();
    let mut end = grouped(text, head, allowed.spaces);
    let mut comma = false;
    if end > head || head == 0 || bytes.get(head) == Some(&b'.') {
        // A point and digits, unless the digits go on to be a date or a version: `04.08.1986`.
        let count = if bytes.get(end) == Some(&b'.') {
            digits(bytes, end + 1)
        } else {
            0
        };
        if count > 0 && !is_dotted_date(bytes, head) {
            end += 1 + count;
        }
    } else if allowed.comma && bytes.get(head) == Some(&b',') {
        let count = digits(bytes, head + 1);
        let more = bytes.get(head + 1 + count) == Some(&b',') && digits(bytes, head + 2 + count) > 0;
        // In `6-3,6-3` the comma separates two scores.
        let score = text[head + 1 + count..]
            .strip_prefix(is_dash)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if (1..=2).contains(&count) && !more && !score {
            comma = true;
            end = head + 1 + count;
        }
    }
    let mut value = value(&text[..end], comma)?;
    let form = if end == head {
        Form::Integer(u8::try_from(head).unwrap_or(u8::MAX))
    } else {
        Form::Real
    };
    if let Some((power, len)) = exponent(&text[end..]) {
        // Read again as a whole, because a product would be rounded a second time.
        value = format!("{value}e{power}").parse().ok()?;
        return value.is_finite().then_some(Numeral {
            value,
            form: Form::Real,
            len: end + len,
        });
    }
    Some(Numeral {
        value,
        form,
        len: end,
    })
}

/// The end of digits in groups of three: `1,234,567`, `1.234.567`, and `1 234 567` where that is allowed.
fn grouped(text: &str, head: usize, spaces: bool) -> usize {
    let bytes = text.as_bytes();
    if !(1..=3).contains(&head) {
        return head;
    }
    let Some(separator) = text[head..].chars().next() else {
        return head;
    };
    let allowed = match separator {
        ',' => true,
        // One group after a point is a fraction, `1.234`.
        '.' => {
            digits(bytes, head + 1) == 3 && bytes.get(head + 4) == Some(&b'.') && digits(bytes, head + 5) == 3
        }
        ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => {
            bytes[0] != b'0' && (spaces || bytes[head + separator.len_utf8()..].starts_with(b"000"))
        }
        _ => false,
    };
    let mut end = head;
    while allowed && text[end..].starts_with(separator) && digits(bytes, end + separator.len_utf8()) == 3 {
        end += separator.len_utf8() + 3;
    }
    // `1,234,56` has no reading in groups, nor has `1 234 5`.
    let broken = text[end..].starts_with(separator) && digits(bytes, end + separator.len_utf8()) > 0;
    if broken { head } else { end }
}

/// `04.08.1986`: day, month and year.
fn is_dotted_date(bytes: &[u8], head: usize) -> bool {
    let month = digits(bytes, head + 1);
    let year = head + 1 + month;
    let year_digits = digits(bytes, year + 1);
    (1..=2).contains(&head)
        && (1..=2).contains(&month)
        && bytes.get(year) == Some(&b'.')
        && (year_digits == 4 || (head, month, year_digits) == (2, 2, 2))
}

/// The value of digits with separators. `comma` says that the comma is a decimal comma.
fn value(text: &str, comma: bool) -> Option<f64> {
    let bytes = text.as_bytes();
    if bytes.len() <= 15 && bytes.iter().all(u8::is_ascii_digit) {
        return Some(small(bytes));
    }
    // Enough for every number that a double tells apart; longer ones are serial numbers.
    let mut buffer = [0u8; 64];
    let mut len = 0;
    let points = bytes.iter().filter(|b| **b == b'.').count();
    for &b in bytes {
        let keep = match b {
            b'0'..=b'9' => b,
            b'.' if points == 1 => b,
            b',' if comma => b'.',
            _ => continue,
        };
        *buffer.get_mut(len)? = keep;
        len += 1;
    }
    std::str::from_utf8(&buffer[..len])
        .ok()?
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}

/// `e-5`, `×10−5`, `×10⁵`, `x10^5`: the power of ten and the bytes it takes.
fn exponent(text: &str) -> Option<(i32, usize)> {
    if let Some(rest) = text.strip_prefix(['e', 'E']) {
        let sign = usize::from(rest.starts_with(['-', '+']));
        let count = digits(rest.as_bytes(), sign);
        let ends = !rest[sign + count..].starts_with(char::is_alphanumeric);
        if !(1..=3).contains(&count) || !ends {
            return None;
        }
        return Some((rest[..sign + count].parse().ok()?, 1 + sign + count));
    }
    let times = text.trim_start_matches(' ').strip_prefix(['×', 'x', '·'])?;
    let base = times.trim_start_matches(' ').strip_prefix("10")?;
    // `4×100` is a relay, not a power: a caret, a sign or raised digits must say so.
    let mut rest = base.trim_start_matches('^');
    let mut marked = rest.len() < base.len();
    let mut sign = 1;
    if let Some(after) = rest.strip_prefix(|c| c == '⁻' || is_dash(c)) {
        (rest, sign, marked) = (after, -1, true);
    }
    let mut power = 0;
    while let Some((c, digit)) = rest.chars().next().and_then(|c| Some((c, digit_of_power(c)?))) {
        marked |= !c.is_ascii();
        power = power * 10 + digit;
        rest = &rest[c.len_utf8()..];
        if power > 300 {
            return None;
        }
    }
    (marked && power > 0).then_some((sign * power, text.len() - rest.len()))
}

fn digit_of_power(c: char) -> Option<i32> {
    "0123456789"
        .find(c)
        .or_else(|| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|raised| raised == c))
        .and_then(|d| i32::try_from(d).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(f64, usize)> {
        numeral(
            text,
            Allowed {
                spaces: true,
                comma: true,
                joins: true,
            },
        )
        .map(|n| (n.value, n.len))
    }

    #[test]
    fn values_and_where_they_end() {
        for (text, value, rest) in [
            ("0", 0.0, ""),
            ("007", 7.0, ""),
            ("1914", 1914.0, ""),
            ("2.50", 2.5, ""),
            (".250", 0.25, ""),
            ("52.", 52.0, "."),
            ("1,234", 1234.0, ""),
            ("1,234,567.89", 1_234_567.89, ""),
            ("12,345,67", 12.0, ",345,67"),
            ("1,94 m", 1.94, " m"),
            ("6,2003", 6.0, ",2003"),
            ("1965,1966", 1965.0, ",1966"),
            ("0,1,1", 0.0, ",1,1"),
            ("3,6-3", 3.0, ",6-3"),
            ("628 443", 628_443.0, ""),
            ("1 234 567", 1_234_567.0, ""),
            ("12 2004", 12.0, " 2004"),
            ("1.234.567", 1_234_567.0, ""),
            ("1.234", 1.234, ""),
            ("04.08.1986", 4.0, ".08.1986"),
            ("2.8.1", 2.8, ".1"),
            ("1:23.45", 83.45, ""),
            ("2:17:42", 8262.0, ""),
            ("1:19:18.4", 4758.4, ""),
            ("7:00", 420.0, ""),
            ("2:1", 2.0, ":1"),
            ("12:75", 12.0, ":75"),
            ("14:16–24", 14.0, ":16–24"),
            ("7:00–9:00", 420.0, "–9:00"),
            ("1/2", 0.5, ""),
            ("13/16 in", 0.8125, " in"),
            ("2/6", 2.0, "/6"),
            ("4/5", 4.0, "/5"),
            ("1/2/1994", 1.0, "/2/1994"),
            ("1/2.7", 1.0, "/2.7"),
            ("3½", 3.5, ""),
            ("½", 0.5, ""),
            ("11⁄2", 1.5, ""),
            ("01⁄2", 0.5, ""),
            ("103⁄4 in", 10.75, " in"),
            ("1e6", 1e6, ""),
            ("6.5e-3", 0.0065, ""),
            ("190E 2", 190.0, "E 2"),
            ("1.57×10−4", 0.000157, ""),
            ("0.59×10−5", 0.0000059, ""),
            ("3×10⁸ m", 3e8, " m"),
            ("2 x 10^3", 2000.0, ""),
            ("4×100", 4.0, "×100"),
        ] {
            let (found, len) = read(text).unwrap_or((f64::NAN, 0));
            assert_eq!((found, &text[len..]), (value, rest), "{text}");
        }
    }

    #[test]
    fn what_is_too_long_for_a_number_is_none() {
        assert_eq!(read(&"1".repeat(400)), None);
        assert_eq!(read("1e999"), None);
    }
}
