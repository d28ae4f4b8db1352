//! Cells of tables: the first number, the second number and the date of a cell.

use super::dates::{Dated, date_at};
use super::lexemes::{Kind, Lexeme, Lexemes};
use super::numbers::{Numbers, Sort, in_digits, in_words, is_year};
use super::tokens::count_tokens;
use super::words::{is_dash, is_one_of};
use crate::Date;

/// Tokens of a cell are counted up to this number; a cell with so many of them is prose.
pub const MANY_TOKENS: usize = 10;

/// Numbers and dates are sought among so many lexemes of a cell. Cells with more have [`MANY_TOKENS`] and are prose,
/// whose numbers no column is made of.
const LEXEMES: usize = 32;

/// What the reader finds in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellReading {
    /// The first number.
    pub number: Option<f64>,
    /// The second number: 4 in `3-4`, 2005 in `2004–05`.
    pub number2: Option<f64>,
    /// The date, if the cell says one and nothing else but notes; of a range its first day.
    pub date: Option<Date>,
    /// The number of tokens, counted no further than [`MANY_TOKENS`].
    pub tokens: usize,
}

/// Reads a cell.
///
/// ```
/// use mapo_tables::read::read_cell;
/// let cell = read_cell("October 4, 2016");
/// assert_eq!((cell.number, cell.number2), (Some(4.0), Some(2016.0)));
/// assert_eq!(cell.date, Some("2016-10-04".parse().unwrap()));
/// assert_eq!(read_cell("$4.2m").number, Some(4_200_000.0));
/// assert_eq!(read_cell("−12%").number, Some(-12.0));
/// assert_eq!(read_cell("1:23.45").number, Some(83.45));
/// assert_eq!(read_cell("3–4").number2, Some(4.0));
/// ```
pub fn read_cell(text: &str) -> CellReading {
    if let Some(number) = plain_number(text.as_bytes()) {
        let date = (text.len() == 4 && is_year(number) && number.fract() == 0.0)
            .then(|| Date::of_year(number as i32));
        return CellReading {
            number: Some(number),
            number2: None,
            date,
            tokens: 1,
        };
    }
    let tokens = count_tokens(text, MANY_TOKENS);
    let none = CellReading {
        number: None,
        number2: None,
        date: None,
        tokens,
    };
    let words = !may_hold_digits(text);
    if (words && !may_be_in_words(text)) || text.starts_with("http") {
        return none;
    }
    let mut slots = [Lexeme::NONE; LEXEMES];
    let mut len = 0;
    for (slot, lexeme) in slots.iter_mut().zip(Lexemes::new(text, true)) {
        *slot = lexeme;
        len += 1;
    }
    let lexemes = &slots[..len];
    let mut numbers = Numbers::new(lexemes);
    let first = numbers.next();
    let number2 = if first.is_some() {
        numbers.next().map(|n| n.value)
    } else {
        None
    };
    let number = first.map(|n| n.value).or_else(|| number_in_words(lexemes));
    CellReading {
        number,
        number2,
        date: date(lexemes),
        ..none
    }
}

/// The value of digits with an optional minus and point, the form of most cells with a number.
fn plain_number(bytes: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    // Up to 15 digits, whole numbers and powers of ten are exact, so that their quotient is the nearest double.
    if digits.is_empty()
        || digits.len() > 15
        || !digits[0].is_ascii_digit()
        || !digits[digits.len() - 1].is_ascii_digit()
    {
        return None;
    }
    let mut value = 0u64;
    let mut point = None;
    for (i, &b) in digits.iter().enumerate() {
        match b {
            b'0'..=b'9' => value = value * 10 + u64::from(b - b'0'),
            b'.' if point.is_none() => point = Some(digits.len() - 1 - i),
            _ => return None,
        }
    }
    let value = value as f64 / POWERS[point.unwrap_or(0)];
    Some(if negative { -value } else { value })
}

/// Whether the text may hold a numeral: a digit or a vulgar fraction.
fn may_hold_digits(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        || !text.is_ascii() && text.contains(['¼', '½', '¾', '⅓', '⅔', '⅛', '⅜', '⅝', '⅞'])
}

/// Whether a text without digits may be a number or a month in words: only short ones are, and none of the words we know
/// starts with other letters.
fn may_be_in_words(text: &str) -> bool {
    text.len() <= 24
        && text
            .as_bytes()
            .first()
            .is_some_and(|b| b"adefhjmnostvzADEFHJMNOSTVZ".contains(b))
}

/// The number that the whole cell says in words: `Twenty-one`, `Third`.
fn number_in_words(lexemes: &[Lexeme]) -> Option<f64> {
    let number = in_words(lexemes, 0)?;
    (number.next == lexemes.len()).then_some(number.value)
}

/// The date of a cell: at its start, or after a word such as `circa`, and followed by nothing but notes.
fn date(lexemes: &[Lexeme]) -> Option<Date> {
    let start = introduction(lexemes);
    let dated = date_at(lexemes, start).or_else(|| year(lexemes, start))?;
    // A bare month must be all there is: `May Day`, `March Madness`.
    let bare = dated.date.year.is_none() && dated.date.day.is_none();
    let fits = if bare {
        dated.next == lexemes.len()
    } else {
        only_notes(lexemes, dated.next, dated.date.month.is_none())
    };
    fits.then_some(dated.date)
}

/// The lexemes to pass over at the start: `c.`, `circa`, `b.`, an opening bracket.
fn introduction(lexemes: &[Lexeme]) -> usize {
    const WORDS: [&str; 13] = [
        "c", "ca", "circa", "b", "born", "d", "about", "around", "approx", "early", "late", "mid", "est",
    ];
    let mut at = 0;
    while let Some(lexeme) = lexemes.get(at) {
        let skip = match lexeme.kind {
            Kind::Word(word) => is_one_of(word, &WORDS) && lexemes.len() > at + 1,
            Kind::Mark(c) => matches!(c, '.' | '(' | '[' | '~' | '≈') || (at > 0 && is_dash(c)),
            Kind::Number(_) => false,
        };
        if !skip {
            break;
        }
        at += 1;
    }
    at
}

/// A bare year that stands for itself: not the first of a span of years, whose numbers say all.
fn year(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let number = in_digits(lexemes, at)?;
    if number.sort != Sort::Year || number.next != at + 1 {
        return None;
    }
    let end = lexemes.get(number.next + 1).and_then(Lexeme::number);
    let join = lexemes.get(number.next).is_some_and(|l| match l.kind {
        Kind::Mark(c) => is_dash(c) || c == '/',
        Kind::Word(word) => word.eq_ignore_ascii_case("to"),
        Kind::Number(_) => false,
    });
    // `1927–1927` is one year after all.
    let span = join && end.is_some_and(|end| end.value != number.value);
    (!span).then(|| Dated {
        date: Date::of_year(number.value as i32),
        until: None,
        next: number.next,
    })
}

/// Whether all that follows a date are notes on it: footnote marks, brackets, the end of a range, more dates, a time of
/// day. Four digits alone (`bare_year`) are a date only with less around them: `1200 × 800` and `1660 AM` are none.
fn only_notes(lexemes: &[Lexeme], mut at: usize, bare_year: bool) -> bool {
    const JOINS: [&str; 9] = ["to", "and", "until", "present", "now", "date", "ad", "ce", "s"];
    let mut depth = 0usize;
    while let Some(lexeme) = lexemes.get(at) {
        at += 1;
        match lexeme.kind {
            Kind::Mark('(' | '[') => depth += 1,
            Kind::Mark(')' | ']') => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            Kind::Mark(c) => {
                let note = is_dash(c)
                    || !c.is_ascii()
                    || matches!(c, ',' | ';' | '.' | '*' | '#' | '?' | '+' | '&' | '^');
                if bare_year && (!note || matches!(c, '×' | '÷' | '=' | '°' | '±')) {
                    return false;
                }
            }
            Kind::Number(numeral) => {
                if bare_year && !is_year(numeral.value) && numeral.value >= 100.0 {
                    return false;
                }
            }
            Kind::Word(word) if is_one_of(word, &JOINS) => {}
            Kind::Word(word) if !bare_year && is_one_of(word, &["at", "am", "pm"]) => {}
            Kind::Word(_) => match date_at(lexemes, at - 1) {
                Some(dated) if dated.next > at => at = dated.next,
                _ => return false,
            },
        }
    }
    true
}
