//! Cells of tables: the first number, the second number and the date of a cell.

use super::dates::{Dated, date_at};
use super::lexemes::{Kind, Lexeme, Lexemes};
use super::numbers::{Numbers, Sort, in_digits, in_words, is_year};
use super::tokens::count_tokens;
use super::words::{is_dash, is_one_of};
use crate::Date;

/// Tokens of a cell are counted up to this number; a cell with this many of them is prose.
pub const MANY_TOKENS: usize = 10;

/// Numbers and dates are sought among this many lexemes of a cell. Hardly a cell of fewer than
/// [`MANY_TOKENS`] tokens has more, and of longer ones no column of numbers is made.
const LEXEMES: usize = 24;

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
/// use mapo_text::read::read_cell;
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
    if says_nothing(text) {
        return none;
    }
    let text = without_citations(text);
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

/// Whether a cell can be seen at once to hold neither a number nor a date.
pub fn says_nothing(text: &str) -> bool {
    (!may_hold_digits(text) && !may_be_in_words(text)) || text.starts_with("http")
}

/// The text without the citations at its end: `1,234[5]`. What is only a citation stays.
fn without_citations(text: &str) -> &str {
    let mut kept = text.trim_end();
    while let Some((before, number)) = kept.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        let before = before.trim_end();
        if before.is_empty() || number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        kept = before;
    }
    kept
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
    // Up to 15 digits, whole numbers and powers of ten are exact, so that their quotient is the nearest
    // double.
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
    // Not the negation, which would make -0 of 0.
    Some(if negative { 0.0 - value } else { value })
}

/// Whether the text may hold a numeral: a digit or a vulgar fraction.
fn may_hold_digits(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        || !text.is_ascii() && text.contains(['¼', '½', '¾', '⅓', '⅔', '⅛', '⅜', '⅝', '⅞'])
}

/// Whether a text without digits may be a number or a month in words: only short ones are, and none of the
/// words we know starts with other letters.
fn may_be_in_words(text: &str) -> bool {
    text.len() <= 24
        && text
            .as_bytes()
            .first()
            .is_some_and(|b| b"acdefhjmnostvzACDEFHJMNOSTVZ".contains(b))
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
    if let Some(dated) = month_in_brackets(lexemes, number.next, number.value as i32) {
        return Some(dated);
    }
    let next = match end {
        // `1927–1927` is one year after all.
        Some(end) if join && end.value == number.value => number.next + 2,
        Some(_) if join => return None,
        _ => number.next,
    };
    Some(Dated {
        date: Date::of_year(number.value as i32),
        until: None,
        next,
    })
}

/// The rest of a date in brackets after its year: `1910 (20 February)`.
fn month_in_brackets(lexemes: &[Lexeme], at: usize, year: i32) -> Option<Dated> {
    if lexemes.get(at)?.mark() != Some('(') {
        return None;
    }
    let mut dated = date_at(lexemes, at + 1)?;
    let closed = lexemes.get(dated.next)?.mark() == Some(')');
    (closed && dated.date.year.is_none()).then(|| {
        dated.date.year = Some(year);
        dated.next += 1;
        dated
    })
}

/// Whether all that follows a date are notes on it: footnote marks, brackets, the end of a range, more dates,
/// a time of day. Four digits alone (`bare_year`) are a date only with less around them: `1200 × 800` and
/// `1660 AM` are none.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A cell's reading as `number number2 date`, with `-` for nothing.
    fn read(text: &str) -> String {
        fn show(value: Option<impl std::fmt::Display>) -> String {
            value.map_or("-".into(), |v| v.to_string())
        }
        let cell = read_cell(text);
        format!("{} {} {}", show(cell.number), show(cell.number2), show(cell.date))
    }

    #[test]
    fn cells() {
        for (text, expected) in [
            ("", "- - -"),
            ("Imabari", "- - -"),
            ("0", "0 - -"),
            ("704", "704 - -"),
            ("2.25", "2.25 - -"),
            ("-6", "-6 - -"),
            ("−0.6", "-0.6 - -"),
            ("–13", "-13 - -"),
            ("275 (–13)", "275 -13 -"),
            ("1,234.5", "1234.5 - -"),
            ("628 443", "628443 - -"),
            ("1,94 m", "1.94 - -"),
            ("$4.2m", "4200000 - -"),
            ("$13 million", "13000000 - -"),
            ("£319.2 million", "319200000 - -"),
            ("48.92 m", "48.92 - -"),
            ("-$5", "-5 - -"),
            ("3rd", "3 - -"),
            ("60th", "60 - -"),
            ("12%", "12 - -"),
            ("55% - 44%", "55 44 -"),
            ("1:23.45", "83.45 - -"),
            ("2:17:42", "8262 - -"),
            ("+1:13.5", "73.5 - -"),
            ("3:30 pm", "930 - -"),
            ("12:15 a.m.", "15 - -"),
            ("Luke 14:16", "14 16 -"),
            ("Luke 14:16–24", "14 16 -"),
            ("1/2", "0.5 - -"),
            ("3 1/2", "3.5 - -"),
            ("½", "0.5 - -"),
            ("3½ ft.", "3.5 - -"),
            ("Garfield Sobers (1/2)", "1 2 -"),
            ("2/6", "2 6 -"),
            ("3-4", "3 4 -"),
            ("5–9–0", "5 9 -"),
            ("2 – 4", "2 4 -"),
            ("2–6, 6–7", "2 6 -"),
            ("W 17–14", "17 14 -"),
            ("BB-48", "48 - -"),
            ("No. 312", "312 - -"),
            ("ITU-T G.719", "719 - -"),
            ("H7", "7 - -"),
            ("8Realms", "8 - -"),
            ("±375", "375 - -"),
            ("16=", "16 - -"),
            ("Five", "5 - -"),
            ("Third", "3 - -"),
            ("Twenty-one", "21 - -"),
            ("Third time", "- - -"),
            ("http://example.org/159", "- - -"),
            ("1914", "1914 - 1914-xx-xx"),
            ("2601", "2601 - -"),
            ("1978*", "1978 - 1978-xx-xx"),
            ("2011 (now closed)", "2011 - 2011-xx-xx"),
            ("2011 Vijay Music Awards", "2011 - -"),
            ("1660 AM", "1660 - -"),
            ("1200 × 800", "1200 800 -"),
            ("1910 (20 February)", "1910 20 1910-02-20"),
            ("2012 (Feb)", "2012 - 2012-02-xx"),
            ("1,234[5]", "1234 - -"),
            ("K-8[36][37]", "8 - -"),
            ("Holy Spirit[37]", "- - -"),
            ("[10]", "10 - -"),
            ("c. 1900", "1900 - 1900-xx-xx"),
            ("b. 1933", "1933 - 1933-xx-xx"),
            ("299 BC", "299 - -0299-xx-xx"),
            ("2004–05", "2004 2005 -"),
            ("2004-05", "2004 2005 -"),
            ("1999/00", "1999 2000 -"),
            ("1986–2001", "1986 2001 -"),
            ("1927–1927", "1927 1927 1927-xx-xx"),
            ("1965, 1969", "1965 1969 1965-xx-xx"),
            ("1960-present", "1960 - 1960-xx-xx"),
            ("2006-11", "2006 2011 -"),
            ("1953-08", "1953 8 1953-08-xx"),
            ("1970s", "1970 - -"),
            ("October 4, 2016", "4 2016 2016-10-04"),
            ("30 December 1978", "30 1978 1978-12-30"),
            ("13-12-1989", "13 12 1989-12-13"),
            ("11/28/2009", "11 28 2009-11-28"),
            ("04.08.1986", "4 8 1986-08-04"),
            ("02/03/94", "2 3 1994-02-03"),
            ("2009-11-21", "2009 11 2009-11-21"),
            ("1934 Feb 21", "1934 21 1934-02-21"),
            ("15-Apr-75", "15 75 1975-04-15"),
            ("June 1997", "1997 - 1997-06-xx"),
            ("February 29", "29 - xxxx-02-29"),
            ("Monday, Sept 5", "5 - xxxx-09-05"),
            ("Feb. 3", "3 - xxxx-02-03"),
            ("March", "- - xxxx-03-xx"),
            ("May Day", "- - -"),
            ("New Year's Day", "- - xxxx-01-01"),
            ("19–25 August", "19 25 xxxx-08-19"),
            ("August 19–22, 2010", "19 22 2010-08-19"),
            ("May 31 – June 13, 1983", "31 13 1983-05-31"),
            ("December 15, 1941 – April 17, 1945", "15 1941 1941-12-15"),
            ("January 23, 1980\n(#80000217)", "23 1980 1980-01-23"),
            ("Friday, 13 May 7:40pm", "13 1180 xxxx-05-13"),
            ("12/23/1985*", "12 23 1985-12-23"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn tokens_are_counted_up_to_ten() {
        assert_eq!(read_cell("").tokens, 0);
        assert_eq!(read_cell("704").tokens, 1);
        assert_eq!(read_cell("October 4, 2016").tokens, 4);
        assert_eq!(read_cell(&"a ".repeat(50)).tokens, MANY_TOKENS);
    }

    proptest! {
        #[test]
        fn plain_numbers_are_what_they_say(number in -1e6f64..1e6, places in 0usize..6) {
            let text = format!("{number:.places$}");
            let read = read_cell(&text).number;
            prop_assert_eq!(read, text.parse().ok());
        }

        #[test]
        fn nothing_makes_it_fail(text in ".{0,80}|[0-9a-zA-Z.,:/–−$%½⁄()'’ -]{0,40}") {
            let cell = read_cell(&text);
            prop_assert!(cell.tokens <= MANY_TOKENS);
            prop_assert_eq!(cell.tokens, crate::read::tokenize(&text).len().min(MANY_TOKENS));
            prop_assert!(cell.number.is_none_or(f64::is_finite) && cell.number2.is_none_or(f64::is_finite));
            prop_assert!(cell.number.is_some() || cell.number2.is_none());
            if let Some(date) = cell.date {
                prop_assert!(date.to_string().parse::<Date>().is_ok(), "{}", date);
            }
        }
    }
}
