//! The grammar of dates: `October 4, 2016`, `the 4th of July`, `July 1990`, `2004-09-13`, `13-12-1989`,
//! `19–25 August`.

use super::lexemes::Lexeme;
use super::numbers::is_year;
use super::numerals::Form;
use super::words::{is_dash, is_one_of, is_ordinal_suffix, is_weekday, month, ordinal};
use crate::Date;

/// A date, or a range of two, up to the lexeme before `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dated {
    pub(crate) date: Date,
    /// The last day, for a range of days: `19–25 August`.
    pub(crate) until: Option<Date>,
    pub(crate) next: usize,
}

/// The date that starts at `at`, the longest one. A bare year is no date here: [`super::numbers`] reads it.
pub(crate) fn date_at(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let mut dated = one_date(lexemes, at)?;
    // In `May 31 – June 13, 1983` the year is said once, for both.
    if let (
        Date {
            year: None,
            day: Some(_),
            ..
        },
        Some(join),
    ) = (dated.date, lexemes.get(dated.next))
        && (join.mark().is_some_and(is_dash)
            || join
                .word()
                .is_some_and(|w| is_one_of(w, &["to", "until", "through"])))
        && let Some(Dated {
            date: Date {
                year, month: Some(_), ..
            },
            ..
        }) = one_date(lexemes, dated.next + 1)
    {
        dated.date.year = year;
    }
    Some(dated)
}

fn one_date(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let first = lexemes.get(at)?;
    if let Some(word) = first.word() {
        if is_weekday(word) {
            let start = skip_marks(lexemes, at + 1, &[',', '.']);
            // The day of the week adds nothing to a month or a year alone.
            return one_date(lexemes, start).filter(|dated| dated.date.day.is_some());
        }
        return month_first(lexemes, at)
            .or_else(|| ordinal_first(lexemes, at))
            .or_else(|| holiday(lexemes, at));
    }
    if first.mark().is_some() {
        return None;
    }
    numeric(lexemes, at)
        .or_else(|| year_first(lexemes, at))
        .or_else(|| day_first(lexemes, at))
        .or_else(|| before_christ(lexemes, at))
}

fn known(year: Option<i32>, month: Option<u8>, day: Option<u8>) -> Date {
    Date { year, month, day }
}

fn skip_marks(lexemes: &[Lexeme], at: usize, marks: &[char]) -> usize {
    at + usize::from(
        lexemes
            .get(at)
            .and_then(Lexeme::mark)
            .is_some_and(|c| marks.contains(&c)),
    )
}

/// A month's name at `at`, with the point of an abbreviation.
fn month_at(lexemes: &[Lexeme], at: usize) -> Option<(u8, usize)> {
    let word = lexemes.get(at)?.word()?;
    let month = month(word)?;
    let point = lexemes
        .get(at + 1)
        .is_some_and(|l| l.mark() == Some('.') && !l.spaced)
        && word.len() <= 4;
    Some((month, at + 1 + usize::from(point)))
}

/// A day of the month at `at`, with the ending of an ordinal.
fn day_at(lexemes: &[Lexeme], at: usize) -> Option<(u8, usize)> {
    let numeral = lexemes.get(at)?.number()?;
    if !matches!(numeral.form, Form::Integer(1..=2)) || !(1.0..=31.0).contains(&numeral.value) {
        return None;
    }
    let next = match lexemes.get(at + 1) {
        Some(l) if !l.spaced && l.word().is_some_and(is_ordinal_suffix) => at + 2,
        // `10m` and `5%` are no days.
        Some(l)
            if !l.spaced
                && (l.word().is_some()
                    || matches!(l.mark(), Some('%' | '°'))
                    || is_joint(lexemes, at + 1)) =>
        {
            return None;
        }
        _ => at + 1,
    };
    Some((numeral.value as u8, next))
}

/// Whether the mark at `at` joins two numbers into one thing: `7:40`, `4.5.1`.
fn is_joint(lexemes: &[Lexeme], at: usize) -> bool {
    matches!(lexemes[at].mark(), Some(':' | '.'))
        && lexemes
            .get(at + 1)
            .is_some_and(|l| !l.spaced && l.number().is_some())
}

/// A year of four digits at `at`.
fn year_at(lexemes: &[Lexeme], at: usize) -> Option<(i32, usize)> {
    let numeral = lexemes.get(at)?.number()?;
    let glued = lexemes
        .get(at + 1)
        .is_some_and(|l| !l.spaced && (l.word().is_some() || l.mark() == Some('%')));
    (numeral.form == Form::Integer(4) && is_year(numeral.value) && !glued)
        .then_some((numeral.value as i32, at + 1))
}

/// A year of two digits: `68` is 1968, `04` is 2004.
pub(super) fn short_year(value: f64) -> i32 {
    let year = value as i32;
    if year <= 30 { 2000 + year } else { 1900 + year }
}

/// A year at `at` or after a comma or `of` there.
fn year_after(lexemes: &[Lexeme], at: usize) -> Option<(i32, usize)> {
    let mut start = skip_marks(lexemes, at, &[',', '.']);
    if lexemes
        .get(start)
        .and_then(Lexeme::word)
        .is_some_and(|w| is_one_of(w, &["of", "in"]))
    {
        start += 1;
    }
    year_at(lexemes, start)
}

/// The end of a range of days: the dash at `at` and a day after it.
fn range_of_days(lexemes: &[Lexeme], at: usize) -> Option<(u8, usize)> {
    let join = lexemes.get(at)?;
    let joins = join.mark().is_some_and(is_dash) || join.word().is_some_and(|w| w.eq_ignore_ascii_case("to"));
    if joins { day_at(lexemes, at + 1) } else { None }
}

/// `October 4, 2016`, `July 1990`, `Sept. of 2012`, `Mar-68`, `July 6-8`, `May`.
fn month_first(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let (month, after) = month_at(lexemes, at)?;
    let glued_dash = |i: usize| lexemes.get(i).is_some_and(|l| !l.spaced && l.mark() == Some('-'));
    if glued_dash(after)
        && let Some(numeral) = lexemes.get(after + 1).and_then(Lexeme::number)
    {
        let year = match numeral.form {
            Form::Integer(2) => Some(short_year(numeral.value)),
            Form::Integer(4) if is_year(numeral.value) => Some(numeral.value as i32),
            _ => None,
        };
        if year.is_some() {
            return Some(Dated {
                date: known(year, Some(month), None),
                until: None,
                next: after + 2,
            });
        }
    }
    let mut start = skip_marks(lexemes, after, &[',']);
    if lexemes
        .get(start)
        .and_then(Lexeme::word)
        .is_some_and(|w| w.eq_ignore_ascii_case("the"))
    {
        start += 1;
    }
    let day = if year_at(lexemes, start).is_some() {
        None
    } else {
        day_at(lexemes, start)
    };
    let Some((day, mut next)) = day else {
        return Some(match year_after(lexemes, after) {
            Some((year, next)) => Dated {
                date: known(Some(year), Some(month), None),
                until: None,
                next,
            },
            None => Dated {
                date: known(None, Some(month), None),
                until: None,
                next: lexemes.len().min(after),
            },
        });
    };
    let last = range_of_days(lexemes, next).filter(|(last, _)| *last > day);
    if let Some((_, end)) = last {
        next = end;
    }
    let year = match year_after(lexemes, next) {
        Some((year, end)) => {
            next = end;
            Some(year)
        }
        None => short_year_after(lexemes, &mut next),
    };
    let until = last.map(|(last, _)| known(year, Some(month), Some(last)));
    Some(Dated {
        date: known(year, Some(month), Some(day)),
        until,
        next,
    })
}

/// `Oct 3 '98`.
fn short_year_after(lexemes: &[Lexeme], next: &mut usize) -> Option<i32> {
    let start = skip_marks(lexemes, *next, &[',']);
    let quote = lexemes
        .get(start)?
        .mark()
        .is_some_and(|c| matches!(c, '\'' | '’'));
    let numeral = lexemes.get(start + 1)?.number()?;
    if !quote || numeral.form != Form::Integer(2) {
        return None;
    }
    *next = start + 2;
    Some(short_year(numeral.value))
}

/// `4 October 2016`, `the 4th of July`, `12-Mar-68`, `19–25 August 1990`.
fn day_first(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let (day, mut next) = day_at(lexemes, at)?;
    let last =
        range_of_days(lexemes, next).filter(|(last, end)| *last > day && month_at(lexemes, *end).is_some());
    if let Some((_, end)) = last {
        next = end;
    }
    next = skip_marks(lexemes, next, &['-', '/', '.', ',']);
    if lexemes
        .get(next)
        .and_then(Lexeme::word)
        .is_some_and(|w| w.eq_ignore_ascii_case("of"))
    {
        next += 1;
    }
    let (month, mut next) = month_at(lexemes, next)?;
    let year;
    if let Some((found, end)) = year_after(lexemes, next) {
        (year, next) = (Some(found), end);
    } else if lexemes
        .get(next)
        .is_some_and(|l| !l.spaced && matches!(l.mark(), Some('-' | '/')))
        && let Some(numeral) = lexemes.get(next + 1).and_then(Lexeme::number)
    {
        year = match numeral.form {
            Form::Integer(2) => Some(short_year(numeral.value)),
            Form::Integer(4) if is_year(numeral.value) => Some(numeral.value as i32),
            _ => None,
        };
        if year.is_some() {
            next += 2;
        }
    } else {
        year = short_year_after(lexemes, &mut next);
    }
    let until = last.map(|(last, _)| known(year, Some(month), Some(last)));
    Some(Dated {
        date: known(year, Some(month), Some(day)),
        until,
        next,
    })
}

/// `the fourth of July`.
fn ordinal_first(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let (day, _) = ordinal(lexemes[at].word()?).filter(|(day, _)| *day <= 31.0)?;
    if !lexemes.get(at + 1)?.word()?.eq_ignore_ascii_case("of") {
        return None;
    }
    let (month, mut next) = month_at(lexemes, at + 2)?;
    let mut year = None;
    if let Some((found, end)) = year_after(lexemes, next) {
        (year, next) = (Some(found), end);
    }
    Some(Dated {
        date: known(year, Some(month), Some(day as u8)),
        until: None,
        next,
    })
}

/// `1934 Feb 21`, `1722, November`.
fn year_first(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let (year, next) = year_at(lexemes, at)?;
    let (month, next) = month_at(lexemes, skip_marks(lexemes, next, &[',', '-']))?;
    let dash = lexemes
        .get(next)
        .is_some_and(|l| l.mark() == Some('-') && !l.spaced);
    let day = if year_at(lexemes, next).is_some() {
        None
    } else {
        day_at(lexemes, next + usize::from(dash))
    };
    let (day, next) = day.map_or((None, next), |(day, next)| (Some(day), next));
    Some(Dated {
        date: known(Some(year), Some(month), day),
        until: None,
        next,
    })
}

/// `2004-09-13`, `2004-09`, `13-12-1989`, `11/28/2009`, `04.08.1986`, `02/03/94`, `11/1863`.
fn numeric(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let part = |i: usize| {
        let lexeme = lexemes.get(i)?;
        match lexeme.number()? {
            numeral if i == at || !lexeme.spaced => match numeral.form {
                Form::Integer(digits) => Some((numeral.value, digits)),
                _ => None,
            },
            _ => None,
        }
    };
    let joint = |i: usize| lexemes.get(i).filter(|l| !l.spaced)?.mark();
    let (a, a_digits) = part(at)?;
    let join = joint(at + 1).filter(|c| matches!(c, '-' | '/' | '.') || is_dash(*c))?;
    let (b, b_digits) = part(at + 2)?;
    let third = if joint(at + 3) == Some(join) {
        part(at + 4)
    } else {
        None
    };
    let done = |date: Option<Date>, next: usize| {
        let glued = lexemes
            .get(next)
            .is_some_and(|l| !l.spaced && (l.word().is_some() || l.number().is_some()));
        // More parts of the same kind make it a list of scores or a serial number.
        let longer = joint(next) == Some(join) && part(next + 1).is_some();
        date.filter(|_| !glued && !longer).map(|date| Dated {
            date,
            until: None,
            next,
        })
    };
    let Some((c, c_digits)) = third else {
        // `1953-08` is a month, but `2004-05` and `2006-11` may be spans of years, and mostly are.
        let month = (1.0..=12.0).contains(&b) && b_digits == 2;
        if a_digits == 4 && is_year(a) && join == '-' && month && b <= a % 100.0 {
            return done(Some(known(Some(a as i32), Some(b as u8), None)), at + 3);
        }
        if a_digits <= 2 && b_digits == 4 && is_year(b) && join == '/' && (1.0..=12.0).contains(&a) {
            return done(Some(known(Some(b as i32), Some(a as u8), None)), at + 3);
        }
        return None;
    };
    let date = match (a_digits, b_digits, c_digits) {
        (4, 1..=2, 1..=2) if is_year(a) => full(a as i32, b, c),
        (1..=2, 1..=2, 4) if is_year(c) => day_and_month(a, b, join, c as i32),
        // Three numbers of two digits are a date only with slashes or points: `10-12-08` may be a score.
        (1..=2, 1..=2, 2) if join == '/' || join == '.' && a_digits == 2 && b_digits == 2 => {
            day_and_month(a, b, join, short_year(c))
        }
        _ => None,
    };
    done(date, at + 5)
}

fn full(year: i32, month: f64, day: f64) -> Option<Date> {
    ((1.0..=12.0).contains(&month) && (1.0..=31.0).contains(&day))
        .then(|| known(Some(year), Some(month as u8), Some(day as u8)))
}

/// Which of two numbers is the month: the first in the American order of slashes and hyphens, the second
/// between points or where only that is possible.
fn day_and_month(a: f64, b: f64, join: char, year: i32) -> Option<Date> {
    let american = full(year, a, b);
    let european = full(year, b, a);
    if join == '.' {
        european.or(american)
    } else {
        american.or(european)
    }
}

/// `299 BC`, `44 B.C.`, `AD 79`.
fn before_christ(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let numeral = lexemes.get(at)?.number()?;
    let word = lexemes.get(at + 1)?.word()?;
    let is_letter = |i: usize, letter: &str| {
        lexemes
            .get(i)
            .and_then(Lexeme::word)
            .is_some_and(|w| w.eq_ignore_ascii_case(letter))
    };
    let next = if is_one_of(word, &["bc", "bce"]) {
        at + 2
    } else if is_letter(at + 1, "b") && lexemes.get(at + 2)?.mark() == Some('.') && is_letter(at + 3, "c") {
        skip_marks(lexemes, at + 4, &['.'])
    } else {
        return None;
    };
    let whole = matches!(numeral.form, Form::Integer(1..=5)) && numeral.value >= 1.0;
    whole.then(|| Dated {
        date: Date::of_year(-(numeral.value as i32)),
        until: None,
        next,
    })
}

/// Holidays that are on the same day every year.
fn holiday(lexemes: &[Lexeme], at: usize) -> Option<Dated> {
    let word = |i: usize| lexemes.get(i).and_then(Lexeme::word).unwrap_or_default();
    let is = |i: usize, name: &str| word(i).eq_ignore_ascii_case(name);
    let apostrophe_s = |i: usize| match lexemes.get(i).and_then(Lexeme::mark) {
        Some('\'' | '’') if is(i + 1, "s") => i + 2,
        _ => i,
    };
    let (month, day, next) = if is(at, "halloween") {
        (10, 31, at + 1)
    } else if is(at, "christmas") {
        match (is(at + 1, "eve"), is(at + 1, "day")) {
            (true, _) => (12, 24, at + 2),
            (_, true) => (12, 25, at + 2),
            _ => (12, 25, at + 1),
        }
    } else if is(at, "new") && (is(at + 1, "year") || is(at + 1, "years")) {
        let next = apostrophe_s(at + 2);
        match (is(next, "eve"), is(next, "day")) {
            (true, _) => (12, 31, next + 1),
            (_, true) => (1, 1, next + 1),
            _ => return None,
        }
    } else if is(at, "valentine") && is(apostrophe_s(at + 1), "day") {
        (2, 14, apostrophe_s(at + 1) + 1)
    } else {
        return None;
    };
    Some(Dated {
        date: known(None, Some(month), Some(day)),
        until: None,
        next,
    })
}
