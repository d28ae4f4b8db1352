//! Cells: first numbers, second numbers and dates compared.

use super::tagged::TaggedCell;
use super::{Agreement, Log, Share, Verdict};
use mapo_text::Date;
use mapo_text::read::words::{is_currency, is_dash, month, scale};
use mapo_text::read::{CellReading, MANY_TOKENS, read_cell};

pub(super) fn compare(cell: &TaggedCell, result: &mut Agreement, log: &mut Log) {
    let ours = read_cell(&cell.content);
    result.cells += 1;
    let many = cell.tokens >= MANY_TOKENS;
    result.cell_lengths.count(many == (ours.tokens >= MANY_TOKENS));
    if !many {
        compare_numbers(cell, &ours, result, log);
    }
    compare_dates(cell, &ours, result, log);
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

fn show(cell: &TaggedCell, theirs: &str, ours: Option<impl std::fmt::Display>) -> String {
    let ours = ours.map_or("nothing".into(), |v| v.to_string());
    let text: String = cell.content.chars().take(60).collect();
    format!("{text:?}: {theirs}, ours {ours}")
}

fn compare_numbers(cell: &TaggedCell, ours: &CellReading, result: &mut Agreement, log: &mut Log) {
    let first = outcome(cell.number, ours.number, |theirs| {
        number_error(&cell.content, theirs, ours.number)
    });
    count(
        "cell number",
        cell,
        (cell.number, ours.number),
        first,
        &mut result.cell_numbers,
        log,
    );
    // A second number cannot be right after a first that swallowed it.
    let second = outcome(cell.number2, ours.number2, |theirs| match first {
        Outcome::TheirError(_) => Some("follows from the first number"),
        _ => number_error(&cell.content, theirs, ours.number2),
    });
    if first == Outcome::OnlyOurs || matches!(first, Outcome::TheirError(_)) && second == Outcome::OnlyOurs {
        return;
    }
    count(
        "cell second number",
        cell,
        (cell.number2, ours.number2),
        second,
        &mut result.cell_second_numbers,
        log,
    );
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Neither,
    Agree,
    TheirError(&'static str),
    Against,
    OnlyOurs,
}

fn outcome(
    theirs: Option<f64>,
    ours: Option<f64>,
    error: impl FnOnce(f64) -> Option<&'static str>,
) -> Outcome {
    match (theirs, ours) {
        (None, None) => Outcome::Neither,
        (None, Some(_)) => Outcome::OnlyOurs,
        (Some(a), Some(b)) if same(a, b) => Outcome::Agree,
        (Some(a), _) => error(a).map_or(Outcome::Against, Outcome::TheirError),
    }
}

fn count(
    of: &'static str,
    cell: &TaggedCell,
    (theirs, ours): (Option<f64>, Option<f64>),
    outcome: Outcome,
    share: &mut Share,
    log: &mut Log,
) {
    let theirs = || theirs.map_or("nothing".into(), |n| n.to_string());
    match outcome {
        Outcome::Neither => {}
        Outcome::Agree => share.count(true),
        Outcome::TheirError(kind) => log.add(of, kind, Verdict::TheirError, || show(cell, &theirs(), ours)),
        Outcome::Against => {
            share.count(false);
            log.add(of, "other", Verdict::Against, || show(cell, &theirs(), ours));
        }
        Outcome::OnlyOurs => log.add(of, "no number read by CoreNLP", Verdict::OnlyOurs, || {
            show(cell, &theirs(), ours)
        }),
    }
}

/// Why a number of CoreNLP is wrong.
fn number_error(text: &str, theirs: f64, ours: Option<f64>) -> Option<&'static str> {
    if theirs == 0.0 && !text.contains('0') {
        return Some("letters taken for zero");
    }
    if text.ends_with(&format!("[{theirs}]")) && text.trim_start() != format!("[{theirs}]") {
        return Some("a citation taken for a number");
    }
    let ours_is = |expected: f64| ours.is_some_and(|value| same(value, expected));
    if theirs != 0.0 && ours_is(-theirs) && text.contains(is_dash) {
        return Some("sign lost");
    }
    if theirs.fract() != 0.0 && is_dotted_date(text) {
        return Some("a date with points taken for a decimal");
    }
    if is_clock(text) || has_half_of_day(text) {
        return Some("a time cut into its parts");
    }
    let has_scale = text
        .split(|c: char| !c.is_alphabetic())
        .any(|word| scale(word).is_some());
    if let Some(value) = ours
        && theirs > 0.0
        && (has_scale || text.contains(is_currency))
        && [1e2, 1e3, 1e6, 1e9, 1e12]
            .iter()
            .any(|factor| same(value, theirs * factor))
    {
        return Some("a scale such as million lost");
    }
    if text.contains(['½', '¼', '¾', '⅓', '⅔', '⅛', '⅜', '⅝', '⅞', '⁄']) || is_fraction(text)
    {
        return Some("a fraction cut into its parts");
    }
    if text.contains("×10") || is_exponent(text) && ours.is_some_and(|value| is_power_of_ten(theirs / value))
    {
        return Some("an exponent misread");
    }
    let decimal_comma = text
        .as_bytes()
        .windows(3)
        .any(|w| w[0].is_ascii_digit() && w[1] == b',' && w[2].is_ascii_digit());
    if decimal_comma && ours.is_some_and(|value| same(theirs, value * 10.0) || same(theirs, value * 100.0)) {
        return Some("a decimal comma lost");
    }
    if theirs.fract() != 0.0 && has_full_stop_before_number(text) {
        return Some("a full stop before a number taken for a decimal point");
    }
    if theirs < 100.0
        && ours.is_some_and(|value| (1000.0..=2100.0).contains(&value) && value % 100.0 == theirs)
    {
        return Some("the second year of a span in two digits");
    }
    if runs_together(text, theirs) {
        return Some("several numbers run together");
    }
    None
}

/// Whether the text holds a time such as `1:23`.
fn is_clock(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..bytes.len().saturating_sub(2)).any(|i| {
        bytes[i] == b':'
            && bytes[i - 1].is_ascii_digit()
            && bytes[i + 1].is_ascii_digit()
            && bytes[i + 2].is_ascii_digit()
    })
}

/// Whether the text says `am` or `pm` after a number.
fn has_half_of_day(text: &str) -> bool {
    let lower = text.to_ascii_lowercase().replace('.', "");
    ["am", "pm"].iter().any(|half| {
        lower
            .match_indices(half)
            .any(|(i, _)| lower[..i].trim_end().ends_with(|c: char| c.is_ascii_digit()))
    })
}

/// Whether a digit is followed by an `e` in the text.
fn is_exponent(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_digit() && pair[1].eq_ignore_ascii_case(&b'e'))
}

fn is_power_of_ten(ratio: f64) -> bool {
    ratio >= 10.0 && ratio.log10().fract().abs() < 1e-9
}

/// Whether a point after a letter, or before a blank, comes before a number: `No. 3`, `G.711`, `b. 1933`.
fn has_full_stop_before_number(text: &str) -> bool {
    text.match_indices('.').any(|(i, _)| {
        let after = &text[i + 1..];
        let number = after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        number && (after.starts_with(char::is_whitespace) || text[..i].ends_with(char::is_alphabetic))
    })
}

/// Whether the text holds a date such as `04.08.1986`.
fn is_dotted_date(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.')).any(|word| {
        let parts: Vec<&str> = word.split('.').collect();
        matches!(parts[..], [a, b, c] if (1..=2).contains(&a.len()) && (1..=2).contains(&b.len()) && c.len() == 4)
    })
}

/// Whether the text holds a fraction such as `1/2`.
fn is_fraction(text: &str) -> bool {
    ["/2", "/3", "/4", "/8", "/16", "/32", "/64"].iter().any(|below| {
        text.match_indices(below).any(|(i, _)| {
            let after = text[i + below.len()..].bytes().next();
            text[..i].bytes().next_back().is_some_and(|b| b.is_ascii_digit())
                && !after.is_some_and(|b| b.is_ascii_digit() || b == b'/')
        })
    })
}

/// Whether the digits of a number are those of several numbers of the text, which a comma or blank keeps
/// apart.
fn runs_together(text: &str, number: f64) -> bool {
    let digits = format!("{}", number.abs());
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let runs: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .collect();
    // Long ones are rounded: the first 15 digits tell.
    let head = &digits[..digits.len().min(15)];
    let proper = |runs: &[&str]| runs[0].len() <= 3 && runs[1..].iter().all(|run| run.len() == 3);
    (0..runs.len()).any(|start| {
        (start + 2..=runs.len()).any(|end| {
            let joined = runs[start..end].concat();
            joined.trim_start_matches('0').starts_with(head) && !proper(&runs[start..end])
        })
    })
}

fn compare_dates(cell: &TaggedCell, ours: &CellReading, result: &mut Agreement, log: &mut Log) {
    if cell.date.is_empty() {
        if let Some(date) = ours.date {
            let kind = if date.month.is_none() {
                "a year with notes"
            } else {
                "a date not seen by CoreNLP"
            };
            log.add("cell date", kind, Verdict::OnlyOurs, || {
                show(cell, "nothing", ours.date)
            });
        }
        return;
    }
    let theirs: Option<Date> = cell.date.parse().ok();
    if theirs.is_some() && theirs == ours.date {
        result.cell_dates.count(true);
        return;
    }
    let error = match theirs {
        None => Some("not a date"),
        Some(theirs) => date_error(&cell.content, theirs, ours.date),
    };
    match error {
        Some(kind) => log.add("cell date", kind, Verdict::TheirError, || {
            show(cell, &cell.date, ours.date)
        }),
        None => {
            result.cell_dates.count(false);
            log.add("cell date", "other", Verdict::Against, || {
                show(cell, &cell.date, ours.date)
            });
        }
    }
}

/// Why a date of CoreNLP is wrong.
fn date_error(text: &str, theirs: Date, ours: Option<Date>) -> Option<&'static str> {
    if let (Some(year), Some(month), None) = (theirs.year, theirs.month, theirs.day)
        && i32::from(month) > year % 100
        && text.trim().len() == 7
    {
        return Some("a season or span of years taken for a month");
    }
    if theirs.year.is_some_and(|year| year > 2100) {
        return Some("an amount taken for a year after 2100");
    }
    if let Some(ours) = ours
        && theirs.known() != ours.known()
        && theirs.known() & ours.known() == theirs.known()
        && theirs.compare(ours) == Some(std::cmp::Ordering::Equal)
    {
        return Some("a part of the date lost");
    }
    let words = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    if theirs.year.is_none() && theirs.day.is_none() && words.filter(|word| month(word).is_none()).count() > 0
    {
        return Some("a name taken for a month");
    }
    None
}
