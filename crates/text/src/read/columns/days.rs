//! A cell that is a day of the calendar in numbers, and which of two numbers is the month.

use crate::read::dates::short_year;
use crate::{Date, MONTHS};

/// Three numbers with the same mark between them, and perhaps a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub first: u32,
    pub second: u32,
    pub third: u32,
    /// How many digits the third has.
    pub third_digits: usize,
    /// Whether the first has four digits: year, month and day.
    pub year_first: bool,
    /// What stands between them.
    pub mark: char,
}

/// `13/01/2004`, `2004-09-13T12:30:00Z`, `13.1.04 12:30`; nothing else.
pub(super) fn numbers(cell: &str) -> Option<Numbers> {
    let cell = cell.trim();
    let bytes = cell.as_bytes();
    if !bytes.first()?.is_ascii_digit() || cell.len() > 40 {
        return None;
    }
    let mut at = 0;
    let mut part = || {
        let count = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let value = cell.get(at..at + count)?.parse::<u32>().ok()?;
        at += count;
        let mark = bytes.get(at).copied();
        at += 1;
        Some((value, count, mark))
    };
    let (first, first_digits, mark) = part()?;
    let mark = mark.filter(|mark| matches!(mark, b'/' | b'-' | b'.'))?;
    let (second, second_digits, again) = part()?;
    if again != Some(mark) || !(1..=2).contains(&second_digits) {
        return None;
    }
    let (third, third_digits, _) = part()?;
    let rest = cell.get(at - 1..)?;
    let year_first = first_digits == 4;
    let fits = match (first_digits, third_digits) {
        (4, 1..=2) => true,
        (1..=2, 4) => true,
        // `10-12-08` may be a score.
        (1..=2, 2) => mark != b'-' && (mark != b'.' || (first_digits, second_digits) == (2, 2)),
        _ => false,
    };
    (fits && is_time(rest)).then_some(Numbers {
        first,
        second,
        third,
        third_digits,
        year_first,
        mark: char::from(mark),
    })
}

/// Nothing, or a time of day with all that may follow it: `T12:30:00.5+01:00`, ` 3:30 pm`.
fn is_time(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let Some(time) = text.strip_prefix(['T', 't', ' ']) else {
        return false;
    };
    let time = time.trim_start();
    let count = time.bytes().take_while(u8::is_ascii_digit).count();
    let after = &time[count..];
    if !(1..=2).contains(&count) || !after.starts_with(':') {
        return false;
    }
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | '+' | '-' | 'Z' | 'z' | ' ');
    let clock = after.trim_end();
    let lower = clock.to_ascii_lowercase();
    let clock = ["am", "pm", "a.m.", "p.m.", "utc", "gmt"]
        .iter()
        .find_map(|end| lower.strip_suffix(end))
        .unwrap_or(&lower);
    clock.len() <= 24 && clock.to_ascii_uppercase().chars().all(is_part)
}

/// The order of day and month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `13/01/2004`
    DayFirst,
    /// `01/13/2004`
    MonthFirst,
}

/// How a column writes days in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    /// Which of two numbers is the day, where that was found.
    pub(super) order: Option<Order>,
}

impl Days {
    /// A day that is written as the column's are: `12/01/2004`. Nothing if it is written otherwise.
    pub fn read(self, text: &str) -> Option<Date> {
        let numbers = numbers(text)?;
        self.day(&numbers)
    }

    pub(super) fn day(self, numbers: &Numbers) -> Option<Date> {
        let usual = match numbers.mark {
            '.' => Order::DayFirst,
            _ => Order::MonthFirst,
        };
        numbers.date(numbers.order().or(self.order).unwrap_or(usual))
    }
}

impl Numbers {
    /// The order that the numbers themselves leave; nothing where both would do, or neither.
    pub(super) fn order(&self) -> Option<Order> {
        match (self.first, self.second) {
            _ if self.year_first => None,
            (13..=31, 1..=12) => Some(Order::DayFirst),
            (1..=12, 13..=31) => Some(Order::MonthFirst),
            _ => None,
        }
    }

    /// Of a year of two digits, whether it is taken for one of the last century.
    pub(super) fn short_year_is_late(&self) -> Option<bool> {
        let is_short = !self.year_first && self.third_digits == 2;
        is_short.then(|| short_year(f64::from(self.third)) < 2000)
    }

    /// Whether either order would do, and make another date.
    pub(super) fn is_open(&self) -> bool {
        !self.year_first
            && (1..=12).contains(&self.first)
            && (1..=12).contains(&self.second)
            && self.first != self.second
    }

    /// The date; nothing if there is no such day.
    pub(super) fn date(&self, order: Order) -> Option<Date> {
        let (year, month, day) = if self.year_first {
            (i32::try_from(self.first).ok()?, self.second, self.third)
        } else {
            let year = match self.third_digits {
                2 => short_year(f64::from(self.third)),
                _ => i32::try_from(self.third).ok()?,
            };
            match order {
                Order::DayFirst => (year, self.second, self.first),
                Order::MonthFirst => (year, self.first, self.second),
            }
        };
        let date = Date {
            year: Some(year),
            month: Some(u8::try_from(month).ok()?),
            day: Some(u8::try_from(day).ok()?),
        };
        is_day(date).then_some(date)
    }
}

/// Whether the calendar has such a day; what is not known is not held against it.
pub(super) fn is_day(date: Date) -> bool {
    let Some(month) = date.month else {
        return true;
    };
    if !(1..=12).contains(&month) {
        return false;
    }
    let Some(day) = date.day else {
        return true;
    };
    let leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if date.year.is_none_or(leap) => 29,
        2 => 28,
        _ => 31,
    };
    (1..=days).contains(&day)
}

/// A day with its month in letters and a year of three or four digits, whatever that is: `12 May 987`, `May 1, 2300`.
pub(super) fn in_letters(cell: &str) -> Option<Date> {
    if cell.len() > 30 {
        return None;
    }
    let is_between = |c: char| matches!(c, ' ' | ',' | '-' | '/' | '.');
    let mut words = cell.split(is_between).filter(|word| !word.is_empty());
    let (first, second, third) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let (month, day, year) = match (month(first), month(second)) {
        (Some(month), None) => (month, day(second)?, year(third)?),
        (None, Some(month)) => match day(first) {
            Some(day) => (month, day, year(third)?),
            None => (month, day(third)?, year(first)?),
        },
        _ => return None,
    };
    Some(Date {
        year: Some(year),
        month: Some(month),
        day: Some(day),
    })
}

/// Of a day like `12 May '07`, whether its year is taken for one of the last century.
pub(super) fn short_year_in_letters(cell: &str) -> Option<bool> {
    let (before, year) = cell.trim().rsplit_once(['\'', '’'])?;
    let is_short = year.len() == 2 && year.bytes().all(|byte| byte.is_ascii_digit());
    let names_a_month = before
        .split([' ', ',', '-', '.'])
        .any(|word| month(word).is_some());
    let year: u8 = year.parse().ok().filter(|_| is_short && names_a_month)?;
    Some(short_year(f64::from(year)) < 2000)
}

fn month(word: &str) -> Option<u8> {
    let is = |name: &str| {
        let length = word.len();
        word.is_ascii() && length >= 3 && length <= name.len() && name[..length].eq_ignore_ascii_case(word)
    };
    let whole =
        |name: &&str| word.len() == 3 || word.len() == name.len() || word.eq_ignore_ascii_case("sept");
    let place = MONTHS.iter().position(|name| is(name) && whole(name))?;
    u8::try_from(place + 1).ok()
}

fn day(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let is_ordinal = ending.is_empty() || ["st", "nd", "rd", "th"].contains(&ending);
    digits
        .parse()
        .ok()
        .filter(|day| is_ordinal && (1..=31).contains(day))
}

fn year(word: &str) -> Option<i32> {
    let is_year = (3..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    is_year.then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_in_numbers() {
        let date = |cell: &str, order| {
            numbers(cell)
                .and_then(|numbers| numbers.date(order))
                .map(|date| date.to_string())
        };
        let day = |cell| date(cell, Order::DayFirst).unwrap_or_default();
        assert_eq!(day("13/01/2004"), "2004-01-13");
        assert_eq!(day("12/01/2004"), "2004-01-12");
        assert_eq!(
            date("12/01/2004", Order::MonthFirst).as_deref(),
            Some("2004-12-01")
        );
        assert_eq!(day("2004-09-01T08:00:00Z"), "2004-09-01");
        assert_eq!(day("2004-09-01 08:00:00.123+02:00"), "2004-09-01");
        assert_eq!(day("0987-05-12"), "0987-05-12");
        assert_eq!(day("2300-01-31"), "2300-01-31");
        assert_eq!(day("1/2/04 3:30 PM"), "2004-02-01");
        assert_eq!(day("30.02.2004"), "");
        assert_eq!(day("29.02.2004"), "2004-02-29");
        assert_eq!(day("29.02.2003"), "");
        for cell in [
            "10-12-08",
            "1.2.3",
            "2004-05",
            "1/2",
            "2004-09-01x",
            "2004-09-01Tomorrow",
            "1/2/345",
        ] {
            assert_eq!(numbers(cell), None, "{cell}");
        }
    }

    #[test]
    fn days_in_letters() {
        let date = |cell: &str| in_letters(cell).map(|date| date.to_string()).unwrap_or_default();
        assert_eq!(date("12 May 987"), "0987-05-12");
        assert_eq!(date("May 1st, 2300"), "2300-05-01");
        assert_eq!(date("12-Mar-1968"), "1968-03-12");
        assert_eq!(date("2004 Sept 3"), "2004-09-03");
        assert_eq!(date("12 Mayor 987"), "");
        assert_eq!(date("12 May"), "");
    }
}
