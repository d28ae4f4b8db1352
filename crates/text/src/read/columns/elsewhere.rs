//! Days as they are written elsewhere: with months of other languages, with signs for year, month and day, by the
//! number of the week; and digits of other scripts.

use super::days::is_day;
use crate::Date;
use crate::digits::value;
use std::borrow::Cow;

/// The months of some languages, as far as they differ from the English ones in their first letters; a word is one
/// of them if it is written so, or cut to three letters or more with a full stop behind.
const MONTHS: [[&str; 12]; 6] = [
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    [
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
    [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
];

/// A day that is written in one of these ways and nothing else.
pub(super) fn day(cell: &str) -> Option<Date> {
    let cell = cell.trim();
    if cell.len() > 40 || !cell.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let date = signs(cell).or_else(|| week(cell)).or_else(|| in_words(cell));
    date.filter(|date| is_day(*date))
}

/// `5 octobre 2016`, `19. März 2004`, `1er mai 1990`, `10 de septiembre de 2013`.
fn in_words(cell: &str) -> Option<Date> {
    let is_between = |c: char| matches!(c, ' ' | '-' | '\u{a0}');
    let words = cell.split(is_between).filter(|word| !word.is_empty());
    let mut words = words.filter(|word| !matches!(*word, "de" | "di" | "del"));
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let day = day.trim_end_matches(['.', 'º', '°']);
    let day = day.strip_suffix("er").unwrap_or(day);
    Some(Date {
        year: Some(whole(year, 4..=4)?),
        month: Some(month_of(month)?),
        day: u8::try_from(whole(day, 1..=2)?).ok(),
    })
}

fn month_of(word: &str) -> Option<u8> {
    let short = word.strip_suffix('.');
    let word = short.unwrap_or(word).to_lowercase();
    let is = |name: &&str| match short {
        Some(_) => word.chars().count() >= 3 && name.starts_with(&word),
        None => word == **name,
    };
    let found = MONTHS.iter().find_map(|months| months.iter().position(is))?;
    u8::try_from(found + 1).ok()
}

/// `2014年9月3日`, `2014년 9월 3일`.
fn signs(cell: &str) -> Option<Date> {
    let (year, rest) = cell.split_once(['年', '년'])?;
    let (month, rest) = rest.split_once(['月', '월'])?;
    let day = rest.trim().strip_suffix(['日', '일'])?;
    Some(Date {
        year: Some(whole(year, 4..=4)?),
        month: u8::try_from(whole(month, 1..=2)?).ok(),
        day: u8::try_from(whole(day, 1..=2)?).ok(),
    })
}

/// `1986-W26-6`: the sixth day of the week that has the year's 26th Thursday.
fn week(cell: &str) -> Option<Date> {
    let (year, rest) = cell.split_once("-W")?;
    let (week, day) = rest.split_once('-')?;
    let (year, week, day) = (whole(year, 4..=4)?, whole(week, 2..=2)?, whole(day, 1..=1)?);
    if !(1..=53).contains(&week) || !(1..=7).contains(&day) {
        return None;
    }
    // The 4th of January is in the first week.
    let fourth = days_since_epoch(year, 1, 4);
    // The epoch was a Thursday.
    let monday = fourth - (fourth + 3).rem_euclid(7);
    Some(civil(monday + (week - 1) * 7 + day - 1))
}

/// Days from the 1st of January 1970.
fn days_since_epoch(year: i32, month: i32, day: i32) -> i32 {
    let (mut days, mut at) = (0, 1970);
    while at < year {
        days += year_length(at);
        at += 1;
    }
    while at > year {
        at -= 1;
        days -= year_length(at);
    }
    days + (1..month).map(|month| month_length(year, month)).sum::<i32>() + day - 1
}

fn civil(mut days: i32) -> Date {
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += year_length(year);
    }
    while days >= year_length(year) {
        days -= year_length(year);
        year += 1;
    }
    let mut month = 1;
    while days >= month_length(year, month) {
        days -= month_length(year, month);
        month += 1;
    }
    Date {
        year: Some(year),
        month: u8::try_from(month).ok(),
        day: u8::try_from(days + 1).ok(),
    }
}

fn month_length(year: i32, month: i32) -> i32 {
    let longest = (28..=31).rev().find(|day| {
        is_day(Date {
            year: Some(year),
            month: u8::try_from(month).ok(),
            day: Some(*day),
        })
    });
    longest.map_or(31, i32::from)
}

fn year_length(year: i32) -> i32 {
    337 + month_length(year, 2)
}

fn whole(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i32> {
    let text = text.trim();
    let is_whole = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.parse().ok()).flatten()
}

/// Year, month and day in eight digits: `20040313`.
pub(super) fn compact(cell: &str) -> Option<Date> {
    let is_one = cell.len() == 8 && cell.bytes().all(|byte| byte.is_ascii_digit());
    let (year, rest) = cell.split_at_checked(4).filter(|_| is_one)?;
    let date = Date {
        year: year.parse().ok(),
        month: rest[..2].parse().ok(),
        day: rest[2..].parse().ok(),
    };
    let is_near = date.year.is_some_and(|year| (1700..2200).contains(&year));
    (is_near && is_day(date)).then_some(date)
}

/// Whether a cell has digits of another script than ours.
pub fn has_other_digits(cell: &str) -> bool {
    !cell.is_ascii()
        && cell
            .chars()
            .any(|c| !c.is_ascii() && c.is_numeric() && value(c).is_some())
}

/// The cell with our digits for those of other scripts, and our marks for those that go with them.
pub(super) fn in_our_digits(cell: &str) -> Cow<'_, str> {
    if !has_other_digits(cell) {
        return Cow::Borrowed(cell);
    }
    let ours = |c: char| match c {
        '．' | '٫' => '.',
        '，' | '٬' => ',',
        '－' => '-',
        '／' => '/',
        '（' => '(',
        '）' => ')',
        '％' | '٪' => '%',
        c => value(c).map_or(c, |digit| char::from(b'0' + digit)),
    };
    Cow::Owned(cell.chars().map(ours).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_elsewhere() {
        for (cell, expected) in [
            ("5 octobre 2016", "2016-10-05"),
            ("1er mai 1990", "1990-05-01"),
            ("19. März 2004", "2004-03-19"),
            ("3. Okt. 1990", "1990-10-03"),
            ("10 de septiembre de 2013", "2013-09-10"),
            ("25 dicembre 1999", "1999-12-25"),
            ("2014年9月3日", "2014-09-03"),
            ("2014년 9월 3일", "2014-09-03"),
            ("1986-W26-6", "1986-06-28"),
            ("2020-W53-7", "2021-01-03"),
            ("2009-W01-1", "2008-12-29"),
            ("1900-W01-1", "1900-01-01"),
        ] {
            assert_eq!(
                day(cell).map(|date| date.to_string()).as_deref(),
                Some(expected),
                "{cell}"
            );
        }
        for cell in [
            "30 février 2004",
            "5 ocelots 2016",
            "2014年9月",
            "1986-W54-1",
            "1986-W26-8",
            "12 mar 2016 x",
            "5 mai",
        ] {
            assert_eq!(day(cell), None, "{cell}");
        }
    }

    #[test]
    fn eight_digits_may_be_a_day() {
        assert_eq!(
            compact("20040313").map(|date| date.to_string()).as_deref(),
            Some("2004-03-13")
        );
        for cell in [
            "20041313",
            "20040230",
            "00040313",
            "2004031",
            "200403131",
            "2004-313",
            "２0040313",
        ] {
            assert_eq!(compact(cell), None, "{cell}");
        }
    }

    #[test]
    fn digits_of_other_scripts_are_ours() {
        assert_eq!(in_our_digits("－７．６"), "-7.6");
        assert_eq!(in_our_digits("٣٤٥"), "345");
        assert_eq!(in_our_digits("５（kg）"), "5(kg)");
        assert!(matches!(in_our_digits("São Paulo"), Cow::Borrowed(_)));
        assert!(!has_other_digits("¾"));
    }
}
