//! Questions: tokens, tags, numbers and dates compared.

use std::ops::Range;

use super::tagged::TaggedQuestion;
use super::{Agreement, Log, Verdict};
use mapo_text::Date;
use mapo_text::read::words::scale;
use mapo_text::read::{QuestionReading, Tag, Token, Value, read_question};

pub(super) fn compare(question: &TaggedQuestion, result: &mut Agreement, log: &mut Log) {
    let reading = read_question(&question.utterance);
    let theirs: Vec<String> = question.tokens.iter().map(|token| plain(token)).collect();
    let ours: Vec<String> = reading.tokens.iter().map(|token| plain(&token.text)).collect();
    let place = align(&theirs, &ours);
    compare_tokens(question, &theirs, &reading.tokens, &place, result, log);
    compare_tags(question, &reading, &place, result, log);
    compare_values(question, &reading, &theirs, &place, result, log);
}

/// A token without the ways in which CoreNLP writes brackets, quotation marks, slashes and currencies.
fn plain(token: &str) -> String {
    match token {
        "``" | "''" | "“" | "”" => "\"".into(),
        "`" | "‘" | "’" => "'".into(),
        "-lrb-" => "(".into(),
        "-rrb-" => ")".into(),
        "-lsb-" => "[".into(),
        "-rsb-" => "]".into(),
        "-lcb-" => "{".into(),
        "-rcb-" => "}".into(),
        "£" => "#".into(),
        "…" => "...".into(),
        _ => token.replace("\\/", "/").replace("\\*", "*").replace('’', "'"),
    }
}

/// For each of their tokens the place of the same token among ours, by the longest common subsequence.
fn align(theirs: &[String], ours: &[String]) -> Vec<Option<usize>> {
    let (n, m) = (theirs.len(), ours.len());
    let mut best = vec![vec![0u16; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            best[i][j] = if theirs[i] == ours[j] {
                best[i + 1][j + 1] + 1
            } else {
                best[i + 1][j].max(best[i][j + 1])
            };
        }
    }
    let mut place = vec![None; n];
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        if theirs[i] == ours[j] {
            place[i] = Some(j);
            i += 1;
            j += 1;
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    place
}

fn compare_tokens(
    question: &TaggedQuestion,
    theirs: &[String],
    ours: &[Token],
    place: &[Option<usize>],
    result: &mut Agreement,
    log: &mut Log,
) {
    for (at, token) in theirs.iter().enumerate() {
        result.tokens.count(place[at].is_some());
        if place[at].is_none() {
            let before = place[..at].iter().rev().flatten().next().map_or(0, |i| i + 1);
            let near = ours.get(before).map_or("", |t| t.text.as_str());
            let kind = if is_american(token, near) {
                "spelling made American"
            } else {
                "cut elsewhere"
            };
            log.add("token", kind, Verdict::Against, || {
                format!(
                    "{}: `{token}`, ours `{near}`: {}",
                    question.id, question.utterance
                )
            });
        }
    }
}

/// CoreNLP writes `labor` for `labour`, and `seymor` for `seymour`.
fn is_american(theirs: &str, ours: &str) -> bool {
    theirs != ours
        && (ours.replace("our", "or") == theirs
            || ours.replace("tre", "ter") == theirs
            || ours.replace("is", "iz") == theirs
            || ours.replace("ll", "l") == theirs
            || ours.replace("grey", "gray") == theirs)
}

fn compare_tags(
    question: &TaggedQuestion,
    reading: &QuestionReading,
    place: &[Option<usize>],
    result: &mut Agreement,
    log: &mut Log,
) {
    for (at, tag) in question.tags.iter().enumerate() {
        let theirs = Tag::from_name(tag);
        let ours = place
            .get(at)
            .copied()
            .flatten()
            .and_then(|i| reading.tags.get(i))
            .copied()
            .unwrap_or_default();
        let (is_theirs, is_ours) = (theirs != Tag::Other, ours != Tag::Other);
        for (found, both) in [
            (&mut result.comparison, is_theirs && is_ours),
            (&mut result.comparison_by_tag, is_theirs && theirs == ours),
        ] {
            found.theirs += usize::from(is_theirs);
            found.ours += usize::from(is_ours);
            found.both += usize::from(both);
        }
        if theirs != ours {
            let (kind, verdict) = match (is_theirs, is_ours) {
                (true, true) => ("adjective or adverb", Verdict::Against),
                (true, false) => ("comparison not seen", Verdict::Against),
                _ => ("comparison seen where there is none", Verdict::Against),
            };
            log.add("tag", kind, verdict, || {
                let token = &question.tokens[at];
                format!(
                    "{}: `{token}` {tag}, ours {}: {}",
                    question.id,
                    ours.name(),
                    question.utterance
                )
            });
        }
    }
}

/// A value that CoreNLP found, and its tokens.
struct Entity<'a> {
    span: Range<usize>,
    tag: &'a str,
    value: &'a str,
}

/// CoreNLP's values: neighbours with the same tag and value are one.
fn entities(question: &TaggedQuestion) -> Vec<Entity<'_>> {
    let mut found: Vec<Entity> = Vec::new();
    for (at, (tag, value)) in question.entities.iter().zip(&question.values).enumerate() {
        if value.is_empty() {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.span.end == at && last.tag == tag && last.value == value => {
                last.span.end = at + 1
            }
            _ => found.push(Entity {
                span: at..at + 1,
                tag,
                value,
            }),
        }
    }
    found
}

fn compare_values(
    question: &TaggedQuestion,
    reading: &QuestionReading,
    theirs: &[String],
    place: &[Option<usize>],
    result: &mut Agreement,
    log: &mut Log,
) {
    let mut covered = vec![false; reading.tokens.len()];
    for entity in entities(question) {
        let text = theirs[entity.span.clone()].join(" ");
        let span = ours_of(&entity.span, place, reading.tokens.len());
        covered[span.clone()].fill(true);
        let near = |value: &Value| {
            reading
                .quantities
                .iter()
                .any(|q| overlap(&q.span, &span) && same(&q.value, value))
        };
        let show = |value: &str| {
            let ours: Vec<String> = reading
                .quantities
                .iter()
                .filter(|q| overlap(&q.span, &span))
                .map(|q| match q.value {
                    Value::Number(number) => number.to_string(),
                    Value::Date(date) => date.to_string(),
                })
                .collect();
            format!(
                "{}: `{text}` {} {value}, ours [{}]: {}",
                question.id,
                entity.tag,
                ours.join(", "),
                question.utterance
            )
        };
        if entity.tag == "DATE" {
            if let Some(kind) = date_error(&text, entity.value) {
                log.add("question date", kind, Verdict::TheirError, || show(entity.value));
                continue;
            }
            for date in dates(entity.value) {
                let agrees = near(&Value::Date(date));
                let lost = !agrees
                    && reading
                        .quantities
                        .iter()
                        .any(|q| overlap(&q.span, &span) && says_more(&q.value, date));
                if lost {
                    log.add("question date", PART_LOST, Verdict::TheirError, || {
                        show(entity.value)
                    });
                    continue;
                }
                result.question_dates.count(agrees);
                if !agrees {
                    log.add("question date", "other", Verdict::Against, || show(entity.value));
                }
            }
        } else if matches!(entity.tag, "TIME" | "SET") {
            log.add(
                "question number",
                "a time of day for a duration, or a word",
                Verdict::TheirError,
                || show(entity.value),
            );
        } else if let Some(numbers) = numbers(entity.value) {
            for (index, number) in numbers.iter().enumerate() {
                let agrees = near(&Value::Number(*number));
                let within_date = reading.quantities.iter().any(|q| {
                    matches!(
                        q.value,
                        Value::Date(Date {
                            month: Some(_),
                            day: Some(_),
                            ..
                        })
                    ) && q.span.start < span.end
                        && span.start < q.span.end
                });
                let kind = if agrees {
                    None
                } else if within_date {
                    Some("a part of a date taken for a number")
                } else {
                    number_error(&text, *number, index, &reading.tokens, &span)
                };
                match kind {
                    Some(kind) => log.add("question number", kind, Verdict::TheirError, || {
                        show(entity.value)
                    }),
                    None => {
                        result.question_numbers.count(agrees);
                        if !agrees {
                            log.add("question number", "other", Verdict::Against, || {
                                show(entity.value)
                            });
                        }
                    }
                }
            }
        }
    }
    let mut last = None;
    for quantity in &reading.quantities {
        if covered[quantity.span.clone()].iter().any(|c| *c) || last == Some(&quantity.span) {
            continue;
        }
        last = Some(&quantity.span);
        let text: Vec<&str> = reading.tokens[quantity.span.clone()]
            .iter()
            .map(|t| t.text.as_str())
            .collect();
        let text = text.join(" ");
        let kind = only_ours(&text, &quantity.value);
        log.add("question", kind, Verdict::OnlyOurs, || {
            format!(
                "{}: `{text}` {:?}: {}",
                question.id, quantity.value, question.utterance
            )
        });
    }
}

/// Our tokens for a span of theirs.
fn ours_of(span: &Range<usize>, place: &[Option<usize>], len: usize) -> Range<usize> {
    let start = place[..=span.start.min(place.len() - 1)]
        .iter()
        .rev()
        .flatten()
        .next()
        .copied()
        .unwrap_or(0);
    let start = if place[span.start].is_some() {
        start
    } else {
        (start + 1).min(len)
    };
    let end = place[span.end.min(place.len())..]
        .iter()
        .flatten()
        .next()
        .copied()
        .unwrap_or(len);
    start.min(end)..end.max(start)
}

/// A kind of error that shows in two ways.
const PART_LOST: &str = "a part of the date lost";

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether a value is the date `less` with more parts known.
fn says_more(value: &Value, less: Date) -> bool {
    let Value::Date(more) = value else { return false };
    more.known() != less.known()
        && more.known() & less.known() == less.known()
        && more.compare(less) == Some(std::cmp::Ordering::Equal)
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
        (Value::Date(a), Value::Date(b)) => a == b,
        _ => false,
    }
}

/// The number or two of a value such as `>=5.0`, `$8.0E9`, `31.0 - 14.0`, `350000.0-450000.0`.
fn numbers(value: &str) -> Option<Vec<f64>> {
    let value = value.trim_start_matches(['>', '<', '=', '~', '$', '£', '€', '¥', '%']);
    if let Ok(number) = value.parse() {
        return Some(vec![number]);
    }
    let cut = value
        .char_indices()
        .skip(1)
        .find(|(i, c)| *c == '-' && !value[..*i].ends_with('E'))?
        .0;
    let first = value[..cut].trim().parse().ok()?;
    let second = value[cut + 1..].trim().parse().ok()?;
    Some(vec![first, second])
}

/// The dates of a value such as `2012-09`, `XXXX-10-24`, `1990/2004`.
fn dates(value: &str) -> Vec<Date> {
    value
        .split('/')
        .filter_map(|part| {
            let dashes = part.matches('-').count();
            format!("{}{}", part.trim(), &"-xx-xx"[..6 - 3 * dashes.min(2)])
                .parse()
                .ok()
        })
        .collect()
}

/// Why a date of CoreNLP is no date, or a wrong one.
fn date_error(text: &str, value: &str) -> Option<&'static str> {
    let known = value.split('/').all(|part| {
        let part = part.trim();
        part.bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'X' | b'-'))
            && !dates(part).is_empty()
    });
    if !known {
        let vague = value.len() == 4 && value.ends_with('X');
        return Some(if vague {
            "a decade or century"
        } else {
            "a reference, season or set of days"
        });
    }
    let dates = dates(value);
    if dates.iter().any(|d| d.year.is_some_and(|year| year > 2100)) {
        return Some("an amount taken for a year after 2100");
    }
    let years: Vec<String> = dates
        .iter()
        .filter_map(|d| d.year)
        .map(|y| y.to_string())
        .collect();
    if years
        .iter()
        .any(|year| !text.contains(year.as_str()) && !text.contains(&year[2..]))
    {
        return Some("a year that is not said: it was calculated");
    }
    let written = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .count();
    if let [date] = dates[..] {
        if let (Some(year), Some(month), None) = (date.year, date.month, date.day)
            && text.len() == 7
            && i32::from(month) > year % 100
        {
            return Some("a season or span of years taken for a month");
        }
        let parts = usize::from(date.year.is_some()) + usize::from(date.day.is_some());
        let season = text.len() == 7 && date.month.is_none();
        if written > parts && !season && date.month.is_none_or(|_| date.day.is_none()) {
            return Some(PART_LOST);
        }
    }
    None
}

/// Why a number of CoreNLP is wrong. `index` tells the second of a range.
fn number_error(
    text: &str,
    number: f64,
    index: usize,
    tokens: &[Token],
    span: &Range<usize>,
) -> Option<&'static str> {
    let words: Vec<&str> = text.split([' ', '-']).collect();
    let digits = |word: &str| word.bytes().any(|b| b.is_ascii_digit());
    if words.contains(&"score") || words.contains(&"gross") {
        return Some("`score` taken for twenty, `gross` for 144");
    }
    if number == 0.0 && !digits(text) && !words.contains(&"zero") {
        return Some("a word taken for zero");
    }
    let metres = words.iter().any(|w| digits(w) && w.ends_with('m'));
    if metres && number >= 1e6 {
        return Some("metres taken for millions");
    }
    if number < 0.0
        && text
            .split('-')
            .next()
            .is_some_and(|head| head.ends_with(char::is_alphabetic))
    {
        return Some("a hyphen in a name taken for a minus");
    }
    if words.iter().any(|w| scale(w).is_some()) && words.iter().any(|w| digits(w)) {
        return Some("a scale added instead of multiplied");
    }
    let bare = words.len() == 1 && scale(words[0]).is_some() && span.start > 0;
    if bare && !tokens[span.start - 1].text.bytes().all(|b| b.is_ascii_digit()) {
        return Some("`hundred` or `million` without a number");
    }
    let season = words.len() == 2 && words[0].len() == 4 && words[1].len() == 2;
    if index == 1 && season && number < 100.0 {
        return Some("the second year of a season in two digits");
    }
    None
}

/// What a value is that only we read.
fn only_ours(text: &str, value: &Value) -> &'static str {
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    match value {
        Value::Date(_) => "a date",
        Value::Number(_) if !digits => "a number in words",
        Value::Number(_) if text.contains('-') || text.contains('/') => "a range or a score",
        Value::Number(_) if text.contains(':') => "a time",
        Value::Number(_) if text.bytes().all(|b| b.is_ascii_digit()) => "digits alone",
        Value::Number(_) if text.starts_with(|c: char| c.is_alphabetic()) => "a number in a name",
        Value::Number(_) => "digits and letters",
    }
}
