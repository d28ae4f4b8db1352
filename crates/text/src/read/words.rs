//! The words that name numbers, months, days and currencies.
//!
//! Lookups take a word in any case and allocate nothing: the word is lower-cased into a small buffer, and
//! what does not fit there is none of our words.

use crate::MONTHS;

/// A word in lower case, held on the stack.
pub(crate) struct Lower {
    bytes: [u8; Lower::CAPACITY],
    len: usize,
}

impl Lower {
    /// The longest word of this module is `seventeenth`.
    const CAPACITY: usize = 16;

    /// Nothing when the word is too long, or not ASCII, to be one of ours.
    pub(crate) fn new(word: &str) -> Option<Self> {
        if word.len() > Self::CAPACITY || !word.is_ascii() {
            return None;
        }
        let mut bytes = [0; Self::CAPACITY];
        for (to, from) in bytes.iter_mut().zip(word.bytes()) {
            *to = from.to_ascii_lowercase();
        }
        Some(Lower {
            bytes,
            len: word.len(),
        })
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

/// Whether `word` is one of `list` (given in lower case).
pub(crate) fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|w| word.eq_ignore_ascii_case(w))
}

/// What a number word contributes to the number it stands in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NumberWord {
    /// 0 to 19.
    Unit(f64),
    /// 20, 30, … 90.
    Tens(f64),
    /// A factor: a dozen, a hundred, a million.
    Scale(f64),
}

/// The value of a cardinal number word.
pub(crate) fn cardinal(word: &str) -> Option<NumberWord> {
    use NumberWord::{Scale, Tens, Unit};
    let lower = Lower::new(word)?;
    let word = lower.as_str();
    Some(match word {
        "zero" => Unit(0.0),
        "one" => Unit(1.0),
        "two" => Unit(2.0),
        "three" => Unit(3.0),
        "four" => Unit(4.0),
        "five" => Unit(5.0),
        "six" => Unit(6.0),
        "seven" => Unit(7.0),
        "eight" => Unit(8.0),
        "nine" => Unit(9.0),
        "ten" => Unit(10.0),
        "eleven" => Unit(11.0),
        "twelve" => Unit(12.0),
        "thirteen" => Unit(13.0),
        "fourteen" => Unit(14.0),
        "fifteen" => Unit(15.0),
        "sixteen" => Unit(16.0),
        "seventeen" => Unit(17.0),
        "eighteen" => Unit(18.0),
        "nineteen" => Unit(19.0),
        "twenty" => Tens(20.0),
        "thirty" => Tens(30.0),
        "forty" | "fourty" => Tens(40.0),
        "fifty" => Tens(50.0),
        "sixty" => Tens(60.0),
        "seventy" => Tens(70.0),
        "eighty" => Tens(80.0),
        "ninety" => Tens(90.0),
        "dozen" => Scale(12.0),
        _ => Scale(scale(word)?),
    })
}

/// The factor that a word after a numeral stands for: `4.2 million`.
pub fn scale(word: &str) -> Option<f64> {
    let lower = Lower::new(word)?;
    Some(match lower.as_str() {
        "hundred" => 1e2,
        "thousand" => 1e3,
        "million" => 1e6,
        "billion" => 1e9,
        "trillion" => 1e12,
        _ => return None,
    })
}

/// The factor of a letter or two right after an amount of money: `$4.2m`.
pub(crate) fn money_scale(word: &str) -> Option<f64> {
    let lower = Lower::new(word)?;
    Some(match lower.as_str() {
        "k" => 1e3,
        "m" | "mn" | "mil" | "mio" => 1e6,
        "b" | "bn" | "bil" => 1e9,
        "t" | "tn" => 1e12,
        _ => return None,
    })
}

/// The value of an ordinal number word; the flag says that it may end a compound (`twenty-first`).
pub(crate) fn ordinal(word: &str) -> Option<(f64, bool)> {
    let lower = Lower::new(word)?;
    Some(match lower.as_str() {
        "first" => (1.0, true),
        "second" => (2.0, true),
        "third" => (3.0, true),
        "fourth" => (4.0, true),
        "fifth" => (5.0, true),
        "sixth" => (6.0, true),
        "seventh" => (7.0, true),
        "eighth" => (8.0, true),
        "ninth" => (9.0, true),
        "tenth" => (10.0, false),
        "eleventh" => (11.0, false),
        "twelfth" => (12.0, false),
        "thirteenth" => (13.0, false),
        "fourteenth" => (14.0, false),
        "fifteenth" => (15.0, false),
        "sixteenth" => (16.0, false),
        "seventeenth" => (17.0, false),
        "eighteenth" => (18.0, false),
        "nineteenth" => (19.0, false),
        "twentieth" => (20.0, false),
        "thirtieth" => (30.0, false),
        "fortieth" => (40.0, false),
        "fiftieth" => (50.0, false),
        "sixtieth" => (60.0, false),
        "seventieth" => (70.0, false),
        "eightieth" => (80.0, false),
        "ninetieth" => (90.0, false),
        "hundredth" => (100.0, false),
        "thousandth" => (1000.0, false),
        _ => return None,
    })
}

/// The denominator that a plural ordinal names: `two thirds`.
pub(crate) fn denominator(word: &str) -> Option<f64> {
    let lower = Lower::new(word)?;
    let word = lower.as_str();
    match word {
        "halves" => Some(2.0),
        "quarters" => Some(4.0),
        _ => match ordinal(word.strip_suffix('s')?) {
            Some((value, _)) if value >= 3.0 => Some(value),
            _ => None,
        },
    }
}

/// The month that a word names, 1 to 12.
pub fn month(word: &str) -> Option<u8> {
    if !(3..=9).contains(&word.len()) {
        return None;
    }
    let head = word.as_bytes().first_chunk::<3>()?;
    let begins = |name: &&str| name.as_bytes()[..3].eq_ignore_ascii_case(head);
    let index = MONTHS.iter().position(begins)?;
    let name = MONTHS[index];
    let whole = word.len() == 3 || word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case("sept");
    if whole { u8::try_from(index + 1).ok() } else { None }
}

/// Whether a word names a day of the week.
pub(crate) fn is_weekday(word: &str) -> bool {
    const NAMES: [&str; 17] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mon",
        "tue",
        "tues",
        "wed",
        "thu",
        "thur",
        "thurs",
        "fri",
        "sat",
        "sun",
    ];
    word.len() >= 3 && is_one_of(word, &NAMES)
}

/// Whether a character is a sign of money.
pub fn is_currency(c: char) -> bool {
    matches!(c, '$' | '£' | '€' | '¥' | '₹' | '₩' | '₽' | '₤' | '¢')
}

/// Whether a character is written as a dash or minus.
pub fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Whether letters right after a numeral make it an ordinal: `3rd`.
pub(crate) fn is_ordinal_suffix(word: &str) -> bool {
    word.len() == 2 && is_one_of(word, &["st", "nd", "rd", "th"])
}
