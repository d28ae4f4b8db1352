//! Text as WikiTableQuestions' official evaluator sees it: the normal form by which strings are compared, and
//! the escapes of the dataset's tab-separated files.

use memchr::memmem::Finder;
use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The normal form of `text`: without diacritics, citations, trailing parentheses, outer quotes and final
/// full stop, with plain quotes and dashes, single blanks, in lower case.
///
/// The form is *not* idempotent: the final full stop goes last, and what it hid is not looked at again.
///
/// ```
/// use mapo_text::normalize;
/// assert_eq!(normalize("“Café  Noir” (film)[3]†"), "cafe noir");
/// assert_eq!(normalize("Foo (x)."), "foo (x)");
/// ```
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    normalize_into(text, &mut out);
    out
}

/// Puts the [normal form](normalize) of `text` into `out`, replacing what was there and keeping its memory.
pub fn normalize_into(text: &str, out: &mut String) {
    out.clear();
    append_normalized(text, out);
}

/// Appends the [normal form](normalize) of `text` to `out`.
pub fn append_normalized(text: &str, out: &mut String) {
    if is_plain(text) {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
        return;
    }
    if text.is_ascii() {
        // Nothing decomposes in plain ASCII, and the one quote to plain (`) plays no part in what is cut.
        let kept = cut_decoration(text);
        append_folded_ascii(kept.strip_suffix('.').unwrap_or(kept), out);
        return;
    }
    // The decomposed text is put behind what `out` holds, its normal form behind that; then the former goes.
    let start = out.len();
    out.extend(
        text.nfkd()
            .filter(|&c| !is_nonspacing_mark(c))
            .map(plain_punctuation),
    );
    let end = out.len();
    let kept = cut_decoration(&out[start..]);
    let kept = kept.strip_suffix('.').unwrap_or(kept);
    let from = kept.as_ptr() as usize - out.as_ptr() as usize;
    let kept = from..from + kept.len();
    append_folded_within(kept, out);
    out.replace_range(start..end, "");
}

/// Whether the normal form of a text is the text in lower case, as that of most cells is: in plain ASCII,
/// with nothing at its ends that could be cut and no blanks but single ones.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Whatever is cut ends with another character or begins with white space.
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return true;
    };
    first.is_ascii_graphic()
        && last.is_ascii_alphanumeric()
        && bytes
            .iter()
            .all(|byte| matches!(byte, b' '..=b'~') && *byte != b'`')
        && !bytes.windows(2).any(|pair| pair == b"  ")
}

/// The text with all that the normal form [cuts](normalize), but otherwise like it: without diacritics, with
/// plain quotes and dashes, single blanks, in lower case.
pub fn fold(text: &str) -> String {
    let plain = text
        .nfkd()
        .filter(|&c| !is_nonspacing_mark(c))
        .map(plain_punctuation);
    let plain: String = plain.collect();
    let words: Vec<&str> = plain
        .split(is_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().map(lower).collect()
}

/// Appends the text in one line to `out`: tabs and line ends, which a prediction file cannot hold, become
/// blanks.
pub fn append_in_one_line(text: &str, out: &mut String) {
    out.extend(text.chars().map(|c| if breaks_a_line(c) { ' ' } else { c }));
}

fn breaks_a_line(c: char) -> bool {
    c == '\t' || ends_a_line(c)
}

/// Whether a character ends a line for the evaluator's runtime.
pub fn ends_a_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// White space in the evaluator's sense. It differs from Rust's by the information separators U+001C to
/// U+001F.
pub fn is_whitespace(c: char) -> bool {
    matches!(c,
        '\u{9}'..='\u{d}' | '\u{1c}'..='\u{20}' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
        | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Removes [white space](is_whitespace) at both ends.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_whitespace)
}

/// Lower case code point by code point, without the rules that look at neighbours (a final sigma stays `σ`).
pub fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lowered = c.to_lowercase();
    match (lowered.next(), lowered.next()) {
        (Some(one), None) => one,
        // Only U+0130 has two code points; its simple mapping is the plain letter.
        _ => 'i',
    }
}

fn is_nonspacing_mark(c: char) -> bool {
    c >= '\u{300}' && c.general_category() == GeneralCategory::NonspacingMark
}

fn plain_punctuation(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '`' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}' | '\u{2012}' | '\u{2013}' | '\u{2014}' | '\u{2212}' => '-',
        c => c,
    }
}

/// Cuts citations, then parentheses, then outer quotes, again and again until nothing changes.
fn cut_decoration(mut text: &str) -> &str {
    loop {
        let before = text.len();
        text = cut_citations(trim(text));
        text = cut_parentheses(trim(text));
        text = cut_quotes(trim(text));
        if text.len() == before {
            return text;
        }
    }
}

/// Cuts the longest tail of reference marks and bracket groups.
///
/// Read from the end: a tail is good if it is empty, or a mark before a good tail, or a group before a good
/// tail. A group ends at the first `]` after its `[`, so it is enough to remember whether a good tail follows
/// that `]`.
fn cut_citations(text: &str) -> &str {
    let mut cut = text.len();
    let mut next_good = true;
    let mut after_bracket: Option<usize> = None;
    for (at, c) in text.char_indices().rev() {
        let good = match c {
            '•' | '♦' | '†' | '‡' | '*' | '#' | '+' => next_good,
            ']' => {
                after_bracket = next_good.then_some(at);
                false
            }
            '[' => after_bracket.is_some_and(|close| at > 0 || is_number_of_a_note(&text[1..close])),
            _ => false,
        };
        if good {
            cut = at;
        } else if after_bracket.is_none() {
            break;
        }
        next_good = good;
    }
    &text[..cut]
}

/// A bracket group that opens the text is cut only if it is the number of a note.
fn is_number_of_a_note(inside: &str) -> bool {
    !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit())
}

/// Cuts the longest tail of parenthesis groups, each after exactly one blank, in the manner of
/// [`cut_citations`].
fn cut_parentheses(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut cut = text.len();
    let mut next_good = true;
    let mut good_after_close = false;
    for (at, &b) in bytes.iter().enumerate().rev() {
        let good = match b {
            b')' => {
                good_after_close = next_good;
                false
            }
            b' ' if bytes.get(at + 1) == Some(&b'(') => good_after_close,
            _ => false,
        };
        if good {
            cut = at;
        } else if !good_after_close {
            break;
        }
        next_good = good;
    }
    &text[..cut]
}

fn cut_quotes(text: &str) -> &str {
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) if !inside.contains('"') => inside,
        _ => text,
    }
}

fn append_folded_ascii(text: &str, out: &mut String) {
    out.reserve(text.len());
    let mut blank = false;
    for c in trim(text).chars() {
        if is_whitespace(c) {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        out.push(if c == '`' { '\'' } else { c.to_ascii_lowercase() });
    }
}

/// Appends the folded form of a range of `out` to `out` itself.
fn append_folded_within(range: std::ops::Range<usize>, out: &mut String) {
    let (mut at, end) = (range.start, range.end);
    let (mut begun, mut blank) = (false, false);
    while at < end {
        let Some(c) = out[at..end].chars().next() else {
            break;
        };
        at += c.len_utf8();
        if is_whitespace(c) {
            blank = begun;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        begun = true;
        out.push(lower(c));
    }
}

/// Undoes the escapes of WikiTableQuestions' tab-separated files: `\n` is a new line, `\p` a `|`, `\\` a
/// backslash.
///
/// As in the official reader one kind is replaced after the other, in that order, so the escapes are not
/// quite reversible: `\\n` becomes a backslash and a new line.
pub fn unescape(field: &str) -> Cow<'_, str> {
    if !field.contains('\\') {
        return Cow::Borrowed(field);
    }
    Cow::Owned(
        field
            .replace("\\n", "\n")
            .replace("\\p", "|")
            .replace("\\\\", "\\"),
    )
}

/// The items of a field that holds a list: separated by `|`, each [unescaped](unescape). An empty field is a
/// list of one empty item.
pub fn split_list(field: &str) -> Vec<String> {
    field.split('|').map(|item| unescape(item).into_owned()).collect()
}

/// Whether a text has the string, bounded by words.
pub fn has_bounded(text: &str, needle: &str) -> bool {
    let (Some(first), Some(last)) = (needle.chars().next(), needle.chars().next_back()) else {
        return false;
    };
    Finder::new(needle).find_iter(text.as_bytes()).any(|start| {
        let before = text[..start].chars().next_back();
        let after = text[start + needle.len()..].chars().next();
        !joins(before, Some(first)) && !joins(Some(last), after)
    })
}

/// Whether two neighbouring characters belong to one word.
fn joins(left: Option<char>, right: Option<char>) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    in_word(left) && in_word(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn becomes(text: &str, expected: &str) {
        assert_eq!(normalize(text), expected, "normal form of {text:?}");
    }

    #[test]
    fn decomposes_and_drops_only_nonspacing_marks() {
        becomes("Café", "cafe");
        becomes("й", "и");
        becomes("ガ", "カ");
        becomes("x\u{903}", "x\u{903}"); // Mc
        becomes("x\u{20dd}", "x\u{20dd}"); // Me
        becomes("a\u{b4}b", "a b"); // an acute accent alone is a blank and a mark
        becomes("a\u{a0}b", "a b");
        becomes("½", "1\u{2044}2");
    }

    #[test]
    fn plains_quotes_and_dashes_but_no_others() {
        becomes("a\u{2018}b\u{2019}c`d", "a'b'c'd");
        becomes("a`b", "a'b");
        becomes("x \u{201c}y\u{201d}", "x \"y\"");
        becomes("a\u{2010}b\u{2012}c\u{2013}d\u{2014}e\u{2212}f", "a-b-c-d-e-f");
        becomes("a\u{2015}b\u{2032}\u{201e}", "a\u{2015}b\u{2032}\u{201e}");
    }

    #[test]
    fn cuts_citations_and_marks_at_the_end() {
        becomes("foo[1]", "foo");
        becomes("foo[]", "foo");
        becomes("foo[a[b]", "foo");
        becomes("foo[a]b]", "foo[a]b]");
        becomes("foo[1]*[note 2]†", "foo");
        becomes("foo[1] [2]", "foo");
        becomes("foo[1\n2]", "foo");
        becomes("***", "");
        becomes("c++ #", "c");
    }

    #[test]
    fn keeps_a_bracket_group_that_opens_the_text_unless_it_is_a_number() {
        becomes("[12]", "");
        becomes("[a]", "[a]");
        becomes("[]", "[]");
        becomes("[a][b]", "[a]");
        becomes("[1][b]", "");
        becomes("[١]", "[١]");
    }

    #[test]
    fn cuts_parentheses_after_one_blank() {
        becomes("foo (bar)", "foo");
        becomes("foo (bar) (baz)", "foo");
        becomes("foo (a (b)", "foo");
        becomes("foo (a (b))", "foo (a (b))");
        becomes("foo(bar)", "foo(bar)");
        becomes("foo\t(bar)", "foo (bar)");
        becomes("(bar)", "(bar)");
        becomes("foo (bar)[2] (x)", "foo");
    }

    #[test]
    fn drops_outer_quotes_and_one_full_stop() {
        becomes("\"foo\"", "foo");
        becomes("\"foo\" \"bar\"", "\"foo\" \"bar\"");
        becomes("\"", "\"");
        becomes("\"\"", "");
        becomes("foo.", "foo");
        becomes("foo..", "foo.");
        becomes("Foo (x).", "foo (x)");
        becomes("foo .", "foo");
    }

    #[test]
    fn folds_case_and_white_space() {
        becomes("  A \t\n B\u{1c}c  ", "a b c");
        becomes("ΣΑΣ", "σασ");
        becomes("Straße", "straße");
        becomes("a\u{200b}\u{feff}b", "a\u{200b}\u{feff}b");
        becomes("İ", "i");
    }

    #[test]
    fn appends_behind_what_is_there() {
        let mut out = String::from("kept ");
        append_normalized(" «Ünder» (x)", &mut out);
        append_normalized(" Ascii.", &mut out);
        assert_eq!(out, "kept «under»ascii");
        normalize_into("É", &mut out);
        assert_eq!(out, "e");
    }

    #[test]
    fn folds_without_cutting_and_writes_in_one_line() {
        assert_eq!(fold("São  Paulo (Brazil)[1]"), "sao paulo (brazil)[1]");
        let mut line = String::new();
        append_in_one_line("a\tb\r\nc", &mut line);
        assert_eq!(line, "a b  c");
    }

    #[test]
    fn unescapes_one_kind_after_the_other() {
        assert_eq!(unescape("plain"), "plain");
        assert_eq!(unescape(r"a\nb\pc\\d"), "a\nb|c\\d");
        assert_eq!(unescape(r"\\n"), "\\\n");
        assert_eq!(split_list(r"a\pb|c"), ["a|b", "c"]);
        assert_eq!(split_list(""), [""]);
    }

    /// The rules once more, as plainly as they can be written.
    fn by_the_book(text: &str) -> String {
        fn is_tail(tail: &[char], first: bool, brackets: bool) -> bool {
            let Some((&c, rest)) = tail.split_first() else {
                return true;
            };
            let (open, close) = if brackets { ('[', ']') } else { ('(', ')') };
            if brackets && "•♦†‡*#+".contains(c) {
                return is_tail(rest, false, brackets);
            }
            let group = match (brackets, c, rest.split_first()) {
                (true, '[', _) => rest,
                (false, ' ', Some((&c, group))) if c == open => group,
                _ => return false,
            };
            let Some(end) = group.iter().position(|&c| c == close) else {
                return false;
            };
            let digits = end > 0 && group[..end].iter().all(char::is_ascii_digit);
            (!first || !brackets || digits) && is_tail(&group[end + 1..], false, brackets)
        }
        fn cut(text: &str, brackets: bool) -> String {
            let chars: Vec<char> = trim(text).chars().collect();
            let start = (0..=chars.len()).find(|&i| is_tail(&chars[i..], i == 0, brackets));
            chars[..start.unwrap()].iter().collect()
        }
        let mut x: String = text
            .nfkd()
            .filter(|&c| !is_nonspacing_mark(c))
            .map(plain_punctuation)
            .collect();
        loop {
            let old = x.clone();
            x = cut(&cut(&x, true), false);
            x = trim(&x).to_owned();
            if x.len() >= 2 && x.starts_with('"') && x.ends_with('"') && x.matches('"').count() == 2 {
                x = x[1..x.len() - 1].to_owned();
            }
            if x == old {
                break;
            }
        }
        if x.ends_with('.') {
            x.pop();
        }
        let words: Vec<&str> = x.split(is_whitespace).filter(|w| !w.is_empty()).collect();
        words.join(" ").chars().map(lower).collect()
    }

    proptest! {
        #[test]
        fn agrees_with_the_rules_on_decorated_text(text in r#"[ab1 \t\[\]()"'`.*+†–ÉＡ\u{a0}]{0,14}"#) {
            prop_assert_eq!(normalize(&text), by_the_book(&text));
        }

        #[test]
        fn agrees_with_the_rules_on_plain_text(text in r#"[ -~]{0,3}[aB1 (\[\])"`.]{0,8}"#) {
            prop_assert_eq!(normalize(&text), by_the_book(&text));
        }

        #[test]
        fn agrees_with_the_rules_on_any_text(text in any::<String>()) {
            prop_assert_eq!(normalize(&text), by_the_book(&text));
        }

        #[test]
        fn has_no_upper_case_ascii_and_no_outer_white_space(text in any::<String>()) {
            let normal = normalize(&text);
            prop_assert_eq!(trim(&normal), &normal);
            prop_assert!(!normal.contains(|c: char| c.is_ascii_uppercase()));
        }
    }
}
