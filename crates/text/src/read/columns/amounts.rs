//! A cell that is an amount and nothing else: sign, currency, digits with their marks, unit.

/// A cell taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount<'a> {
    pub sign: Sign,
    /// A currency's sign or code, wherever it stands.
    pub currency: &'a str,
    /// Digits and marks between them: `1.234,5`.
    pub digits: &'a str,
    /// The power of ten that is written: -3 in `6.5e-3`, 6 in `10⁶`.
    pub exponent: Option<i32>,
    /// What follows: `k`, `km`, `%`.
    pub unit: &'a str,
    /// Whether a blank stands before that.
    pub unit_is_apart: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    None,
    Minus,
    /// `(500)`
    Brackets,
}

/// The longest text that may be an amount: what is longer is no number of a table.
const LONGEST: usize = 64;
/// The longest unit, in bytes.
const LONGEST_UNIT: usize = 16;

/// Takes a cell apart; nothing if there is more in it, or less, than an amount.
pub(super) fn amount(cell: &str) -> Option<Amount<'_>> {
    let cell = cell.trim();
    if cell.len() > LONGEST || !cell.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut rest, mut sign) = match cell.strip_prefix('(').and_then(|cell| cell.strip_suffix(')')) {
        Some(inner) => (inner.trim(), Sign::Brackets),
        None => (cell, Sign::None),
    };
    let mut currency = "";
    // A sign and a currency come in either order: `-$5`, `$-5`, `$ (5)`.
    for _ in 0..3 {
        if let Some(after) = rest.strip_prefix(is_minus) {
            if sign != Sign::None {
                return None;
            }
            (rest, sign) = (after.trim_start(), Sign::Minus);
        } else if let Some(after) = rest.strip_prefix('+') {
            rest = after.trim_start();
        } else if let Some(length) = currency_at(rest).filter(|_| currency.is_empty()) {
            currency = &rest[..length];
            rest = rest[length..].trim_start();
        } else {
            break;
        }
    }
    if let (Sign::None, Some(inner)) = (
        sign,
        rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')),
    ) {
        (rest, sign) = (inner.trim(), Sign::Brackets);
    }
    let length = digits_at(rest)?;
    let (digits, mut rest) = rest.split_at(length);
    let mut exponent = None;
    if let Some((power, length)) = exponent_at(digits, rest) {
        exponent = Some(power);
        rest = &rest[length..];
    }
    // `500-`, as ledgers have it.
    if let (Sign::None, "-" | "−") = (sign, rest) {
        (rest, sign) = ("", Sign::Minus);
    }
    // `Rs. 500/-`: and no more.
    rest = rest
        .strip_prefix("/-")
        .or_else(|| rest.strip_prefix("/="))
        .unwrap_or(rest);
    let unit_is_apart = rest.starts_with(char::is_whitespace);
    let mut unit = without_marks(rest.trim());
    if currency.is_empty()
        && let Some(start) = currency_before_end(unit)
    {
        currency = &unit[start..];
        unit = unit[..start].trim_end();
    }
    let plain = |c: char| c.is_alphabetic() || matches!(c, '%' | '‰' | '°' | '/' | '²' | '³' | '.' | ' ');
    let is_unit = unit.len() <= LONGEST_UNIT
        && unit.chars().all(plain)
        && !unit.starts_with(['/', '.'])
        && unit.split(' ').count() <= 2;
    is_unit.then_some(Amount {
        sign,
        currency,
        digits,
        exponent,
        unit,
        unit_is_apart,
    })
}

pub(super) fn is_minus(c: char) -> bool {
    matches!(c, '-' | '−' | '–' | '‐' | '‑')
}

/// Footnote marks and citations at the end are none of the unit.
fn without_marks(mut unit: &str) -> &str {
    loop {
        let cut = unit.trim_end_matches(['*', '†', '‡', '+', '?']).trim_end();
        let cut = match cut.strip_suffix(']').and_then(|inner| inner.rsplit_once('[')) {
            Some((before, number)) if number.len() <= 3 => before.trim_end(),
            _ => cut,
        };
        if cut.len() == unit.len() {
            return unit;
        }
        unit = cut;
    }
}

/// Codes of currencies that people write beside amounts.
const CODES: [&str; 30] = [
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "RMB", "INR", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN",
    "CZK", "HUF", "RUB", "TRY", "BRL", "MXN", "ZAR", "KRW", "SGD", "HKD", "ILS", "Rs", "kr", "US", "Fr",
];

fn is_currency_sign(c: char) -> bool {
    matches!(
        c,
        '$' | '€' | '£' | '¥' | '₹' | '₽' | '₩' | '₺' | '₪' | '฿' | '¢' | '₫' | '₴' | '₦'
    )
}

/// The length of the currency at the start.
fn currency_at(text: &str) -> Option<usize> {
    let sign = |text: &str| {
        text.chars()
            .next()
            .filter(|c| is_currency_sign(*c))
            .map(char::len_utf8)
    };
    if let Some(length) = sign(text) {
        return Some(length);
    }
    let code = CODES.iter().find(|code| text.starts_with(**code))?;
    // `US$`, `Rs.`, but no word that only begins so.
    let rest = &text[code.len()..];
    match rest.chars().next()? {
        c if is_currency_sign(c) => Some(code.len() + c.len_utf8()),
        '.' => Some(code.len() + 1),
        c if c.is_alphabetic() => None,
        _ if *code == "US" => None,
        _ => Some(code.len()),
    }
}

/// Where the currency at the end begins.
fn currency_before_end(unit: &str) -> Option<usize> {
    let last = unit.chars().next_back()?;
    if is_currency_sign(last) {
        return Some(unit.len() - last.len_utf8());
    }
    let start = unit.len()
        - CODES
            .iter()
            .find(|code| **code != "US" && unit.ends_with(**code))?
            .len();
    let is_whole = !unit[..start].ends_with(char::is_alphabetic);
    is_whole.then_some(start)
}

/// Blanks that stand between groups of digits, and an apostrophe.
pub(super) fn is_group_mark(c: char) -> bool {
    matches!(c, '\'' | '’' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '_')
}

/// The length of digits with marks between them; a mark that no digit follows is not theirs.
fn digits_at(text: &str) -> Option<usize> {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((place, c)) = chars.next() {
        if c.is_ascii_digit() {
            end = place + 1;
        } else {
            let mark = matches!(c, '.' | ',') || is_group_mark(c);
            let followed = chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
            if !mark || !followed {
                break;
            }
        }
    }
    (end > 0).then_some(end)
}

/// `e-5`, `×10⁵`, and the raised digits of `10⁶`: the power of ten, and the bytes that it takes.
fn exponent_at(digits: &str, text: &str) -> Option<(i32, usize)> {
    if let Some(rest) = text.strip_prefix(['e', 'E']) {
        let sign = usize::from(rest.starts_with(['-', '+']));
        let count = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let ends = !rest[sign + count..].starts_with(char::is_alphanumeric);
        let power = rest[..sign + count].parse().unwrap_or(i32::MAX);
        return (count > 0 && ends).then_some((power, 1 + sign + count));
    }
    if digits == "10"
        && let Some((power, length)) = raised(text)
    {
        // Of `10⁶` the 10 is one power already.
        return Some((power - 1, length));
    }
    let times = text.trim_start().strip_prefix(['×', 'x', '·', '*'])?;
    let base = times.trim_start().strip_prefix("10")?;
    let start = text.len() - base.len();
    if let Some((power, length)) = raised(base) {
        return Some((power, start + length));
    }
    let rest = base.strip_prefix('^')?;
    let sign = usize::from(rest.starts_with(['-', '+']));
    let count = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let power = rest[..sign + count].parse().ok()?;
    (count > 0).then_some((power, start + 1 + sign + count))
}

/// Raised digits at the start: their value and length.
fn raised(text: &str) -> Option<(i32, usize)> {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let (negative, digits) = match text.strip_prefix('⁻') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mut power, mut length) = (0, text.len() - digits.len());
    for c in digits.chars().take(4) {
        let Some(digit) = RAISED.chars().position(|raised| raised == c) else {
            break;
        };
        power = power * 10 + digit as i32;
        length += c.len_utf8();
    }
    let any = length > text.len() - digits.len();
    any.then_some((if negative { -power } else { power }, length))
}

/// What the marks between digits say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marks {
    /// There are none but such that only ever group.
    None,
    /// The mark before the fraction is this one, without doubt; or the other one groups.
    Decimal(Mark),
    /// One mark with three digits behind it: `1.234`, `1,234`.
    Either(Mark),
}

/// A point or a comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// `.`
    Point,
    /// `,`
    Comma,
}

impl Mark {
    fn of(c: char) -> Option<Mark> {
        match c {
            '.' => Some(Mark::Point),
            ',' => Some(Mark::Comma),
            _ => None,
        }
    }

    /// The other one.
    pub(super) fn other(self) -> Mark {
        match self {
            Mark::Point => Mark::Comma,
            Mark::Comma => Mark::Point,
        }
    }

    /// The character.
    pub fn char(self) -> char {
        match self {
            Mark::Point => '.',
            Mark::Comma => ',',
        }
    }
}

/// What the marks of some digits say; nothing if they fit no way of writing a number.
pub(super) fn marks(digits: &str) -> Option<Marks> {
    let mut points = 0;
    let mut commas = 0;
    let mut last = None;
    let mut groups = false;
    for c in digits.chars() {
        match Mark::of(c) {
            Some(mark) => {
                match mark {
                    Mark::Point => points += 1,
                    Mark::Comma => commas += 1,
                }
                last = Some(mark);
            }
            None => groups |= is_group_mark(c),
        }
    }
    let count = |mark: Mark| if mark == Mark::Point { points } else { commas };
    let Some(last) = last else {
        return (!groups || grouped(digits, is_group_mark)).then_some(Marks::None);
    };
    let (others, ours) = (count(last.other()), count(last));
    let (before, after) = digits.rsplit_once(last.char())?;
    if after.contains(is_group_mark) {
        return None;
    }
    if others > 0 {
        // The last one is a fraction's, the other groups.
        let other = last.other().char();
        let fits = ours == 1 && !groups && grouped(before, |c| c == other);
        return fits.then_some(Marks::Decimal(last));
    }
    if ours > 1 {
        let fits = !groups && grouped(digits, |c| c == last.char());
        return fits.then_some(Marks::Decimal(last.other()));
    }
    if groups {
        return grouped(before, is_group_mark).then_some(Marks::Decimal(last));
    }
    // `1965,1966` is a list.
    if last == Mark::Comma && before.len() > 3 && after.len() > 3 {
        return None;
    }
    let may_group = after.len() == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0');
    Some(if may_group {
        Marks::Either(last)
    } else {
        Marks::Decimal(last)
    })
}

/// Whether digits stand in groups of three, or as in India in twos before the last three.
fn grouped(digits: &str, is_mark: impl Fn(char) -> bool) -> bool {
    let groups: Vec<usize> = digits.split(&is_mark).map(str::len).collect();
    let [first, middle @ .., last] = &groups[..] else {
        return false;
    };
    let one_mark = {
        let mut found = digits.chars().filter(|c| is_mark(*c));
        let first = found.next();
        found.all(|c| Some(c) == first)
    };
    let threes = (1..=3).contains(first) && middle.iter().all(|group| *group == 3);
    let twos = (1..=2).contains(first) && middle.iter().all(|group| *group == 2) && !middle.is_empty();
    one_mark && *last == 3 && (threes || twos) && !digits.starts_with('0')
}

/// The value of digits whose fraction begins at `decimal`; nothing if it is too large.
pub(super) fn value(digits: &str, decimal: Mark, exponent: Option<i32>) -> Option<f64> {
    let mut plain = String::with_capacity(digits.len() + 8);
    for c in digits.chars() {
        if c.is_ascii_digit() {
            plain.push(c);
        } else if c == decimal.char() {
            plain.push('.');
        }
    }
    if let Some(power) = exponent {
        plain.push_str(&format!("e{power}"));
    }
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Whether digits are a whole number that a double does not hold: beyond 2⁵³ most are not.
pub(super) fn is_beyond_doubles(digits: &str) -> bool {
    let whole: String = digits.chars().filter(char::is_ascii_digit).collect();
    if whole.len() < 16 {
        return false;
    }
    match whole.parse::<u128>() {
        Ok(exact) => exact as f64 as u128 != exact,
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_taken_apart() {
        let parts = |cell: &str| {
            let amount = amount(cell)?;
            Some((
                amount.sign,
                amount.currency.to_owned(),
                amount.digits.to_owned(),
                amount.exponent,
                amount.unit.to_owned(),
            ))
        };
        let plain = |digits: &str| Some((Sign::None, String::new(), digits.to_owned(), None, String::new()));
        assert_eq!(parts("1'234"), plain("1'234"));
        assert_eq!(parts(" 1 234,5 "), plain("1 234,5"));
        for (cell, sign, currency, digits, exponent, unit) in [
            ("(500)", Sign::Brackets, "", "500", None, ""),
            ("($1,200.50)", Sign::Brackets, "$", "1,200.50", None, ""),
            ("$(5)", Sign::Brackets, "$", "5", None, ""),
            ("-$5", Sign::Minus, "$", "5", None, ""),
            ("$ -5", Sign::Minus, "$", "5", None, ""),
            ("500-", Sign::Minus, "", "500", None, ""),
            ("1.260,00 €", Sign::None, "€", "1.260,00", None, ""),
            ("EUR 12,50", Sign::None, "EUR", "12,50", None, ""),
            ("CHF 1'234.50", Sign::None, "CHF", "1'234.50", None, ""),
            ("US$1.2B", Sign::None, "US$", "1.2", None, "B"),
            ("5k", Sign::None, "", "5", None, "k"),
            ("12 km", Sign::None, "", "12", None, "km"),
            ("12.5 %", Sign::None, "", "12.5", None, "%"),
            ("1e400", Sign::None, "", "1", Some(400), ""),
            ("10⁶", Sign::None, "", "10", Some(5), ""),
            ("2×10⁶ m", Sign::None, "", "2", Some(6), "m"),
            ("1,234[5]", Sign::None, "", "1,234", None, ""),
            ("12*", Sign::None, "", "12", None, ""),
        ] {
            let expected = (
                sign,
                currency.to_owned(),
                digits.to_owned(),
                exponent,
                unit.to_owned(),
            );
            assert_eq!(parts(cell), Some(expected), "{cell}");
        }
        for cell in [
            "",
            "Anne",
            "3-4",
            "2:1",
            "No. 5",
            "1/2",
            "12 (first)",
            "a12",
            "(5) (6)",
            "12 of them all",
        ] {
            assert_eq!(amount(cell), None, "{cell}");
        }
    }

    #[test]
    fn marks_say_what_they_can() {
        use Mark::{Comma, Point};
        for (digits, expected) in [
            ("1234", Some(Marks::None)),
            ("1'234", Some(Marks::None)),
            ("1 234 567", Some(Marks::None)),
            ("1'23", None),
            ("12 34", None),
            ("1.234", Some(Marks::Either(Point))),
            ("1,234", Some(Marks::Either(Comma))),
            ("0.125", Some(Marks::Decimal(Point))),
            ("1234,567", Some(Marks::Decimal(Comma))),
            ("12,5", Some(Marks::Decimal(Comma))),
            ("1.234,5", Some(Marks::Decimal(Comma))),
            ("1,234.5", Some(Marks::Decimal(Point))),
            ("1.234.567", Some(Marks::Decimal(Comma))),
            ("12,34,567", Some(Marks::Decimal(Point))),
            ("1'234.50", Some(Marks::Decimal(Point))),
            ("1 234,5", Some(Marks::Decimal(Comma))),
            ("1.2.3", None),
            ("12,5.3", None),
            ("1,2,3", None),
            ("1965,1966", None),
        ] {
            assert_eq!(marks(digits), expected, "{digits}");
        }
    }

    #[test]
    fn whole_numbers_that_doubles_lack_are_known() {
        assert!(!is_beyond_doubles("9007199254740992"));
        assert!(is_beyond_doubles("9007199254740993"));
        assert!(is_beyond_doubles("9,007,199,254,740,993"));
        assert!(!is_beyond_doubles("100000000000000000000"));
    }
}
