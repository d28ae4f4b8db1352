//! The grammar of numbers: signs, money, percentages, ordinals, scales, times of day, and numbers in words.

use super::lexemes::{Kind, Lexeme};
use super::numerals::{Form, Numeral};
use super::words::{
    NumberWord, cardinal, denominator, is_currency, is_dash, is_one_of, is_ordinal_suffix, money_scale,
    ordinal, scale,
};

/// What a number is, as far as its own form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Four digits that may name a year, or the decade `1990s`.
    Year,
    /// Any other number.
    Plain,
}

/// A number and the lexemes it spans, `first..next`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) sort: Sort,
    pub(crate) first: usize,
    pub(crate) next: usize,
}

/// Whether a whole number may name a year. Later ones are far more often amounts.
pub(crate) fn is_year(value: f64) -> bool {
    (1000.0..=2100.0).contains(&value)
}

/// Reads the numbers of a text one after the other.
///
/// It knows what one number means for the next: in `2004–05` and `1999/00` the second is a year too.
pub(crate) struct Numbers<'l, 'a> {
    lexemes: &'l [Lexeme<'a>],
    at: usize,
    last: Option<Number>,
}

impl<'l, 'a> Numbers<'l, 'a> {
    pub(crate) fn new(lexemes: &'l [Lexeme<'a>]) -> Self {
        Numbers {
            lexemes,
            at: 0,
            last: None,
        }
    }
}

impl Iterator for Numbers<'_, '_> {
    type Item = Number;

    fn next(&mut self) -> Option<Number> {
        if let Some(end) = self.last.take().and_then(|year| end_of_years(self.lexemes, year)) {
            self.at = end.next;
            return Some(end);
        }
        while self.at < self.lexemes.len() {
            if let Some(number) = in_digits(self.lexemes, self.at) {
                self.at = number.next;
                self.last = Some(number);
                return Some(number);
            }
            self.at += 1;
        }
        None
    }
}

/// The second year of a span or season whose first is `year`: `2004–05`, `1999/00`, `2006/7`, `1990-1992`.
pub(crate) fn end_of_years(lexemes: &[Lexeme], year: Number) -> Option<Number> {
    if year.sort != Sort::Year {
        return None;
    }
    let join = lexemes.get(year.next)?;
    let second = lexemes.get(year.next + 1)?;
    let digits = second.number()?;
    let joined = join.mark().is_some_and(|c| is_dash(c) || c == '/') && join.spaced == second.spaced;
    if !joined
        || lexemes
            .get(year.next + 2)
            .is_some_and(|l| !l.spaced && !ends_number(l))
    {
        return None;
    }
    let value = match digits.form {
        Form::Integer(4) if is_year(digits.value) => digits.value,
        Form::Integer(n @ 1..=2) if !join.spaced => {
            let unit = if n == 1 { 10.0 } else { 100.0 };
            let same = year.value - year.value % unit + digits.value;
            let value = if same > year.value { same } else { same + unit };
            // `1953-08` is a month.
            let month = join.mark() == Some('-') && n == 2 && (1.0..=12.0).contains(&digits.value);
            if month && same <= year.value {
                return None;
            }
            // A span that crosses the century does so to its very end (`1999-00`); one digit is the next
            // year.
            let plausible = if n == 1 {
                value == year.value + 1.0
            } else {
                same > year.value || value % 100.0 < 10.0
            };
            if !plausible {
                return None;
            }
            value
        }
        _ => return None,
    };
    Some(Number {
        value,
        sort: Sort::Year,
        first: year.next + 1,
        next: year.next + 2,
    })
}

/// Whether what follows a number without a blank leaves it a number.
fn ends_number(lexeme: &Lexeme) -> bool {
    match lexeme.kind {
        Kind::Mark(c) => !is_dash(c) && !is_currency(c) && !matches!(c, '/' | '%' | '°'),
        _ => false,
    }
}

/// The number written in digits that starts at `at`, with its sign, currency, ordinal ending, scale and
/// percent sign.
pub(crate) fn in_digits(lexemes: &[Lexeme], at: usize) -> Option<Number> {
    let mut index = at;
    let mut negative = false;
    let mut signed = false;
    let mut money = false;
    // A sign and a currency come in either order: `-$5`, `$-5`.
    for _ in 0..2 {
        let lexeme = lexemes.get(index)?;
        let attached = lexemes.get(index + 1).is_some_and(|next| !next.spaced);
        match lexeme.mark() {
            Some(c) if is_currency(c) && !money => money = true,
            Some(c) if (is_dash(c) || c == '+') && !signed && attached && sign_may_stand(lexemes, index) => {
                signed = true;
                negative = c != '+';
            }
            _ => break,
        }
        index += 1;
    }
    let numeral = lexemes.get(index)?.number()?;
    let mut number = Number {
        value: numeral.value,
        sort: Sort::Plain,
        first: at,
        next: index + 1,
    };
    let integer = matches!(numeral.form, Form::Integer(_));
    let glued = glued_word(lexemes, number.next);
    let mut year = numeral.form == Form::Integer(4) && is_year(numeral.value) && !signed && !money;
    if integer && glued.is_some_and(is_ordinal_suffix) {
        number.next += 1;
        year = false;
    } else if integer && glued.is_some_and(|word| word.eq_ignore_ascii_case("s")) && numeral.value >= 10.0 {
        number.next += 1;
        year &= numeral.value % 10.0 == 0.0;
    } else if let Some(time) = half_day(lexemes, number.next, numeral) {
        (number.value, number.next) = time;
        year = false;
    } else {
        add_fraction(lexemes, numeral, &mut number);
        year &= glued.is_none();
        year &= !multiply(lexemes, money, &mut number);
    }
    year &= !percent(lexemes, &mut number);
    if year {
        number.sort = Sort::Year;
    }
    if negative {
        // Not the negation, which would make -0 of 0.
        number.value = 0.0 - number.value;
    }
    number.value.is_finite().then_some(number)
}

/// The word that stands at `at` without a blank before it.
fn glued_word<'a>(lexemes: &[Lexeme<'a>], at: usize) -> Option<&'a str> {
    lexemes.get(at).filter(|lexeme| !lexeme.spaced)?.word()
}

/// Whether the dash or plus at `at` is a sign: not when it joins a range (`3–4`) or a name (`BB-48`).
fn sign_may_stand(lexemes: &[Lexeme], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|i| lexemes.get(i)) else {
        return true;
    };
    let lexeme = &lexemes[at];
    if lexeme.spaced {
        // `2 –4` is a range, `2 -4` a pair.
        return before.number().is_none() || matches!(lexeme.mark(), Some('-' | '+' | '\u{2212}'));
    }
    before
        .mark()
        .is_some_and(|c| !is_dash(c) && !matches!(c, ')' | ']' | '%' | '°' | '\'' | '"' | '.' | '/' | '+'))
}

/// `3 1/2` and `3 ½`.
fn add_fraction(lexemes: &[Lexeme], whole: Numeral, number: &mut Number) {
    let next = lexemes.get(number.next).and_then(Lexeme::number);
    if let (
        Form::Integer(1..=3),
        Some(Numeral {
            value,
            form: Form::Fraction,
            ..
        }),
    ) = (whole.form, next)
        && value < 1.0
    {
        number.value += value;
        number.next += 1;
    }
}

/// `2pm`, `7:00 p.m.`: the minutes since midnight.
fn half_day(lexemes: &[Lexeme], at: usize, numeral: Numeral) -> Option<(f64, usize)> {
    let minutes = match numeral.form {
        Form::Clock { two_parts: true } => numeral.value,
        Form::Integer(1..=2) => numeral.value * 60.0,
        _ => return None,
    };
    let word = lexemes.get(at)?.word()?;
    let next = if is_one_of(word, &["am", "pm"]) {
        at + 1
    } else {
        let dotted = is_one_of(word, &["a", "p"])
            && lexemes.get(at + 1)?.mark() == Some('.')
            && lexemes
                .get(at + 2)?
                .word()
                .is_some_and(|m| m.eq_ignore_ascii_case("m"));
        if !dotted {
            return None;
        }
        at + 3
            + usize::from(
                lexemes
                    .get(at + 3)
                    .is_some_and(|l| l.mark() == Some('.') && !l.spaced),
            )
    };
    if !(0.0..780.0).contains(&minutes) {
        return None;
    }
    let noon = if word.starts_with(['p', 'P']) { 720.0 } else { 0.0 };
    Some((minutes % 720.0 + noon, next))
}

/// Multiplies by the scales that follow; whether there were any.
fn multiply(lexemes: &[Lexeme], money: bool, number: &mut Number) -> bool {
    let start = number.next;
    while let Some(lexeme) = lexemes.get(number.next)
        && let Some(word) = lexeme.word()
    {
        // `m` and `k` are metres and kilo-anything unless money is counted; `bn` is always a billion.
        let factor = scale(word).or_else(|| {
            let letter = number.next == start && (money || word == "bn");
            if letter { money_scale(word) } else { None }
        });
        let Some(factor) = factor else { break };
        // Rounded as the decimal it is written as: 4.2 million is 4200000 exactly.
        let scaled = number.value * factor;
        number.value = if scaled.abs() < 9e15 {
            (scaled * 1e3).round() / 1e3
        } else {
            scaled
        };
        number.next += 1;
    }
    number.next > start
}

/// Takes along a percent sign or the words for it; whether there was one.
fn percent(lexemes: &[Lexeme], number: &mut Number) -> bool {
    let word_at = |i: usize, words: &[&str]| {
        lexemes
            .get(i)
            .and_then(Lexeme::word)
            .is_some_and(|w| is_one_of(w, words))
    };
    let start = number.next;
    if lexemes.get(start).is_some_and(|l| l.mark() == Some('%')) {
        number.next += 1;
    }
    if word_at(number.next, &["percent"]) {
        number.next += 1;
    } else if word_at(number.next, &["per"]) && word_at(number.next + 1, &["cent"]) {
        number.next += 2;
    }
    number.next > start
}

/// The number written in words that starts at `at`: `two hundred and five`, `twenty-first`, `a dozen`, `two
/// thirds`.
pub(crate) fn in_words(lexemes: &[Lexeme], at: usize) -> Option<Number> {
    let mut number = half(lexemes, at).or_else(|| compound(lexemes, at))?;
    // `Zero1` is a name.
    if lexemes
        .get(number.next)
        .is_some_and(|l| !l.spaced && l.number().is_some())
    {
        return None;
    }
    percent(lexemes, &mut number);
    number.value.is_finite().then_some(number)
}

/// The word at `at`.
fn word_at<'a>(lexemes: &[Lexeme<'a>], at: usize) -> Option<&'a str> {
    lexemes.get(at)?.word()
}

fn word_before<'a>(lexemes: &[Lexeme<'a>], at: usize) -> Option<&'a str> {
    word_at(lexemes, at.checked_sub(1)?)
}

/// `half a million`, `more than half`; not the `first half` of a match.
fn half(lexemes: &[Lexeme], at: usize) -> Option<Number> {
    if !word_at(lexemes, at)?.eq_ignore_ascii_case("half") {
        return None;
    }
    let counted = word_at(lexemes, at + 1).is_some_and(|w| is_one_of(w, &["a", "an", "of", "the"]));
    let compared = word_before(lexemes, at)
        .is_some_and(|w| is_one_of(w, &["than", "least", "most", "over", "under", "a"]));
    if !counted && !compared {
        return None;
    }
    let mut number = Number {
        value: 0.5,
        sort: Sort::Plain,
        first: at,
        next: at + 1,
    };
    if let Some(NumberWord::Scale(factor)) = word_at(lexemes, at + 2).and_then(cardinal) {
        number.value *= factor;
        number.next = at + 3;
    }
    Some(number)
}

fn compound(lexemes: &[Lexeme], at: usize) -> Option<Number> {
    let mut total = 0.0;
    let mut group: Option<f64> = None;
    let mut last: Option<NumberWord> = None;
    let mut next = at;
    loop {
        let mut here = next;
        // `and` after a hundred or more, a hyphen after a ten.
        if next > at {
            match last {
                Some(NumberWord::Scale(_))
                    if word_at(lexemes, here).is_some_and(|w| w.eq_ignore_ascii_case("and")) =>
                {
                    here += 1
                }
                Some(NumberWord::Tens(_))
                    if lexemes
                        .get(here)
                        .is_some_and(|l| !l.spaced && l.mark() == Some('-')) =>
                {
                    here += 1
                }
                _ => {}
            }
        }
        let Some(word) = word_at(lexemes, here) else { break };
        if let Some((value, compounds)) = ordinal(word) {
            let fits = match last {
                None => !is_unit_of_time(lexemes, here, word),
                Some(NumberWord::Tens(_)) => compounds,
                Some(NumberWord::Scale(factor)) => factor >= 100.0 && value < 100.0,
                Some(NumberWord::Unit(_)) => false,
            };
            if fits {
                let value = total + group.unwrap_or(0.0) + value;
                return Some(Number {
                    value,
                    sort: Sort::Plain,
                    first: at,
                    next: here + 1,
                });
            }
            break;
        }
        let Some(part) = cardinal(word) else { break };
        let after_scale = matches!(last, Some(NumberWord::Scale(_)));
        let fits = match part {
            NumberWord::Unit(value) => match last {
                None => true,
                Some(NumberWord::Tens(_)) => (1.0..10.0).contains(&value),
                _ => after_scale,
            },
            NumberWord::Tens(_) => last.is_none() || after_scale,
            // Alone, `hundred` or `million` is a number only after an article.
            NumberWord::Scale(_) => {
                here == next
                    && (last.is_some()
                        || word_before(lexemes, at).is_some_and(|w| is_one_of(w, &["a", "an"])))
            }
        };
        if !fits {
            break;
        }
        match part {
            NumberWord::Unit(value) | NumberWord::Tens(value) => group = Some(group.unwrap_or(0.0) + value),
            NumberWord::Scale(factor) if factor < 1000.0 => group = Some(group.unwrap_or(1.0) * factor),
            NumberWord::Scale(factor) => {
                total = if group.is_none() && total > 0.0 {
                    total * factor
                } else {
                    total + group.unwrap_or(1.0) * factor
                };
                group = None;
            }
        }
        last = Some(part);
        next = here + 1;
    }
    last?;
    let mut number = Number {
        value: total + group.unwrap_or(0.0),
        sort: Sort::Plain,
        first: at,
        next,
    };
    fraction_in_words(lexemes, &mut number);
    Some(number)
}

/// `two thirds`, `two and a half (million)`.
fn fraction_in_words(lexemes: &[Lexeme], number: &mut Number) {
    let is = |i: usize, word: &str| word_at(lexemes, i).is_some_and(|w| w.eq_ignore_ascii_case(word));
    if let Some(below) = word_at(lexemes, number.next).and_then(denominator) {
        number.value /= below;
        number.next += 1;
    } else if is(number.next, "and") && is(number.next + 1, "a") && is(number.next + 2, "half") {
        number.value += 0.5;
        number.next += 3;
        multiply(lexemes, false, number);
    }
}

/// `second` after a number or `per` is a unit.
fn is_unit_of_time(lexemes: &[Lexeme], at: usize, word: &str) -> bool {
    if !word.eq_ignore_ascii_case("second") {
        return false;
    }
    let Some(before) = at.checked_sub(1).and_then(|i| lexemes.get(i)) else {
        return false;
    };
    before.number().is_some()
        || before.mark() == Some('/')
        || before
            .word()
            .is_some_and(|w| w.eq_ignore_ascii_case("per") || cardinal(w).is_some())
}
