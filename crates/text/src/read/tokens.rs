//! The tokeniser: the first stage of reading.
//!
//! It cuts English text as the Penn Treebank convention does (`didn't` is `did` + `n't`, `bell's` is `bell` +
//! `'s`, punctuation stands alone, numbers and abbreviations stay whole), with the one change that the tokens
//! of WikiTableQuestions have: a hyphen before a letter separates words and disappears, so `a-league` is `a`
//! + `league` while `2004-05` stays one token. Brackets and quotation marks stay the characters they are.

use std::ops::Range;

/// A token and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// The token in lower case.
    pub text: String,
    /// Where it starts in the original text, in bytes.
    pub start: usize,
    /// Where it ends in the original text, in bytes.
    pub end: usize,
}

/// The tokens of a text.
///
/// ```
/// use mapo_text::read::tokenize;
/// let texts: Vec<String> = tokenize("Didn't the U.S. win 10,000 (2004-05)?").into_iter().map(|t| t.text).collect();
/// assert_eq!(texts, ["did", "n't", "the", "u.s.", "win", "10,000", "(", "2004-05", ")", "?"]);
/// ```
pub fn tokenize(text: &str) -> Vec<Token> {
    Spans::new(text)
        .map(|span| Token {
            text: text[span.clone()].to_lowercase(),
            start: span.start,
            end: span.end,
        })
        .collect()
}

/// The number of tokens of a text, counted no further than `limit`; nothing is allocated.
pub(crate) fn count_tokens(text: &str, limit: usize) -> usize {
    Spans::new(text).take(limit).count()
}

/// The byte ranges of the tokens, left to right.
pub(crate) struct Spans<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Spans<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Spans { text, at: 0 }
    }

    fn skip_blanks(&mut self) {
        while let Some(c) = char_at(self.text, self.at) {
            let hyphen = c == '-' && char_at(self.text, self.at + 1).is_some_and(|c| c.is_alphabetic());
            if !(hyphen || is_blank(c)) {
                break;
            }
            self.at += c.len_utf8();
        }
    }
}

impl Iterator for Spans<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        self.skip_blanks();
        let start = self.at;
        let first = char_at(self.text, start)?;
        self.at = token_end(self.text, start, first);
        Some(start..self.at)
    }
}

/// The end of the token that starts at `start` with the character `first`: the longest of what may start
/// there.
fn token_end(text: &str, start: usize, first: char) -> usize {
    if first == '&'
        && let Some(end) = entity_end(text, start)
    {
        return end;
    }
    if first.is_ascii_digit() {
        return word_end(text, start).max(number_end(text, start).unwrap_or(start));
    }
    if is_word_char(first) {
        return word_end(text, start);
    }
    if let Some(end) = number_end(text, start) {
        // `-7` and `.5` are numbers, but the comma and colon of `a:5` are only taken along where digits
        // follow at once.
        return end;
    }
    if let Some(end) = clitic_end(text, start) {
        return end;
    }
    let after = start + first.len_utf8();
    match first {
        // Repeated marks of the same kind are one token.
        '.' => {
            let end = run_end(text, start, |c| c == '.');
            if end - start >= 2 { end } else { after }
        }
        '?' | '!' => run_end(text, start, |c| c == '?' || c == '!'),
        '-' | '_' | '*' | '=' | '~' => run_end(text, start, |c| c == first),
        '\'' if text[after..].starts_with('\'') => after + 1,
        _ => after,
    }
}

/// The end of a word: letters and digits, and what may join them.
fn word_end(text: &str, start: usize) -> usize {
    let mut end = start;
    loop {
        let piece = end;
        end = letters_end(text, end);
        if let Some(cut) = contraction_cut(text, piece, end) {
            return cut;
        }
        let Some(mark) = char_at(text, end) else { break };
        let next = char_at(text, end + mark.len_utf8());
        match mark {
            '\'' | '’'
                if next.is_some_and(|c| c.is_ascii_alphabetic()) && joins_by_apostrophe(text, piece, end) => {
            }
            '.' => match period(text, start, piece, end) {
                Period::Joins => {}
                Period::Belongs => return end + 1,
                Period::Ends => break,
            },
            '/' | '_' | '@' if next.is_some_and(is_word_char) => {}
            '-' if next.is_some_and(|c| c.is_ascii_digit()) => {}
            _ => break,
        }
        end += mark.len_utf8();
    }
    // `cannot` is two words without a blank between them.
    if text[start..end].eq_ignore_ascii_case("cannot") {
        return start + 3;
    }
    end
}

/// Where a word must be cut because a contraction ends it: `did|n't`. The suffixes `'s`, `'re`… need no cut,
/// since they start with the apostrophe at which the word ends anyway.
fn contraction_cut(text: &str, start: usize, end: usize) -> Option<usize> {
    let stem = text[start..end]
        .strip_suffix(['n', 'N'])
        .filter(|stem| !stem.is_empty())?;
    let rest = text[end..].strip_prefix(['\'', '’'])?;
    let t = rest.strip_prefix(['t', 'T'])?;
    (!t.starts_with(char::is_alphanumeric)).then_some(start + stem.len())
}

/// Whether the apostrophe at `end` is inside a name (`o'connor`, `hawai'i`) rather than the start of a
/// suffix.
fn joins_by_apostrophe(text: &str, start: usize, end: usize) -> bool {
    let word = &text[start..end];
    let after = &text[end..];
    let suffix_start = end + after.chars().next().map_or(0, char::len_utf8);
    let suffix = &text[suffix_start..letters_end(text, suffix_start)];
    !suffix.is_empty()
        && word.bytes().all(|b| b.is_ascii_alphabetic())
        && !is_suffix(suffix)
        && !is_suffix_n(text, end)
}

/// `'n'` between two words, as in `r'n'b`.
fn is_suffix_n(text: &str, apostrophe: usize) -> bool {
    let mut chars = text[apostrophe..].chars();
    let (_, n, close) = (chars.next(), chars.next(), chars.next());
    matches!(n, Some('n' | 'N')) && matches!(close, Some('\'' | '’'))
}

fn is_suffix(suffix: &str) -> bool {
    ["s", "m", "d", "re", "ve", "ll"]
        .iter()
        .any(|s| suffix.eq_ignore_ascii_case(s))
}

/// A token that starts with an apostrophe: `'s`, `n't`, `'n'`, `'04`.
fn clitic_end(text: &str, start: usize) -> Option<usize> {
    let rest = text[start..].strip_prefix(['\'', '’'])?;
    let after = text.len() - rest.len();
    let end = letters_end(text, after);
    let word = &text[after..end];
    if is_suffix_n(text, start) {
        return Some(end + char_at(text, end).map_or(0, char::len_utf8));
    }
    let year = match word.as_bytes() {
        [a, b] | [a, b, b's' | b'S'] => a.is_ascii_digit() && b.is_ascii_digit(),
        _ => false,
    };
    (is_suffix(word) || year || word.eq_ignore_ascii_case("n")).then_some(end)
}

enum Period {
    /// It stands inside the word, which goes on.
    Joins,
    /// It is the last character of an abbreviation.
    Belongs,
    /// It is a full stop.
    Ends,
}

/// What the period at `end` is to the word `start..end`, whose last piece starts at `piece`.
fn period(text: &str, start: usize, piece: usize, end: usize) -> Period {
    let word = &text[piece..end];
    let one_letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    match char_at(text, end + 1) {
        Some(next) if next.is_alphabetic() => {
            if one_letter || word.bytes().all(|b| b.is_ascii_alphabetic()) {
                Period::Joins
            } else {
                Period::Ends
            }
        }
        Some(next) if next.is_ascii_digit() && !is_abbreviation(word) => Period::Ends,
        // `no.` is short for number only before one.
        _ if word.eq_ignore_ascii_case("no")
            && !text[end + 1..]
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Period::Ends
        }
        _ if one_letter || is_abbreviation(word) => {
            // The last letter of `u.s` takes the period too; the last of `g.skill` does not.
            if one_letter && piece > start && !text[start..piece].split('.').all(|p| p.chars().count() <= 1) {
                Period::Ends
            } else {
                Period::Belongs
            }
        }
        _ => Period::Ends,
    }
}

fn is_abbreviation(word: &str) -> bool {
    const ABBREVIATIONS: [&str; 61] = [
        "adm", "apr", "assn", "aug", "ave", "bldg", "blvd", "brig", "bros", "capt", "cmdr", "co", "col",
        "corp", "dec", "dept", "dr", "drs", "est", "etc", "feb", "fri", "ft", "gen", "gov", "hon", "inc",
        "jan", "jr", "jul", "jun", "lt", "ltd", "maj", "mar", "messrs", "mon", "mr", "mrs", "ms", "mt", "no",
        "nov", "oct", "ph", "pres", "prof", "rd", "rep", "rev", "sen", "sep", "sept", "sgt", "sr", "st",
        "thu", "tue", "vol", "vs", "wed",
    ];
    word.len() <= 6 && ABBREVIATIONS.iter().any(|a| word.eq_ignore_ascii_case(a))
}

/// The end of a number: a sign, digits, and groups of digits after `.`, `,` or `:`.
fn number_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = start;
    if matches!(bytes.get(end), Some(b'+' | b'-')) {
        end += 1;
    }
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    end += digits(end);
    while matches!(bytes.get(end), Some(b'.' | b',' | b':')) && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    bytes[start..end].iter().any(u8::is_ascii_digit).then_some(end)
}

/// The end of a character reference such as `&#269;` or `&amp;`.
fn entity_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text.as_bytes()[start + 1..];
    let sign = usize::from(rest.first() == Some(&b'#'));
    // The longest names have eight letters or so; looking no further keeps the cut linear.
    let name = rest[sign..]
        .iter()
        .take(9)
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    let known = (1..=8).contains(&name) && rest.get(sign + name) == Some(&b';');
    known.then_some(start + 1 + sign + name + 1)
}

fn run_end(text: &str, start: usize, inside: impl Fn(char) -> bool) -> usize {
    text[start..]
        .find(|c| !inside(c))
        .map_or(text.len(), |n| start + n)
}

/// The character that starts at byte `at`, if any.
#[inline]
fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(b) if b.is_ascii() => Some(char::from(*b)),
        Some(_) => text.get(at..)?.chars().next(),
        None => None,
    }
}

/// The end of the letters and digits that start at `start`.
fn letters_end(text: &str, start: usize) -> usize {
    let ascii = text.as_bytes()[start..]
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    match text.as_bytes().get(start + ascii) {
        Some(b) if !b.is_ascii() => run_end(text, start + ascii, is_word_char),
        _ => start + ascii,
    }
}

#[inline]
fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    // Combining marks belong to the letter before them; raised digits and fractions stand alone.
    (c.is_alphanumeric() && !matches!(c, '²' | '³' | '¹' | '½' | '¼' | '¾'))
        || ('\u{300}'..='\u{36f}').contains(&c)
}

#[inline]
fn is_blank(c: char) -> bool {
    if c.is_ascii() {
        return c <= ' ' || c == '\u{7f}';
    }
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{2060}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cuts_as_the_treebank_does() {
        for (text, expected) in [
            ("", ""),
            (" \t\n", ""),
            (
                "How long did Grand Blanc participate for?",
                "how long did grand blanc participate for ?",
            ),
            ("the a-league", "the a league"),
            ("x-15 and u-502", "x-15 and u-502"),
            ("2004-05, 31-14", "2004-05 , 31-14"),
            ("tie-- on what", "tie -- on what"),
            ("his/her 11/09/2013", "his/her 11/09/2013"),
            ("didn't I'm you're", "did n't i 'm you 're"),
            ("bell's teams' '04", "bell 's teams ' '04"),
            ("o'connor d'or hawai'i", "o'connor d'or hawai'i"),
            ("r'n'b", "r 'n' b"),
            ("cannot", "can not"),
            ("the U.S. and U.K.?", "the u.s. and u.k. ?"),
            ("st. mary vs. jr.", "st. mary vs. jr."),
            ("at no. 1? no.", "at no. 1 ? no ."),
            ("james m. bell", "james m. bell"),
            ("b.i.g will.i.am", "b.i.g will.i.am"),
            ("(1990s)", "( 1990s )"),
            ("$8 billion, 7.4%", "$ 8 billion , 7.4 %"),
            ("1:00pm 3:00 p.m.", "1:00 pm 3:00 p.m."),
            ("-7 +10 .25", "-7 +10 .25"),
            ("-10pts 250cc 10,000m", "-10 pts 250cc 10,000 m"),
            ("game #9", "game # 9"),
            ("ibri&#269;i&#263;", "ibri &#269; i &#263;"),
            ("listen!!! what??", "listen !!! what ??"),
            ("so... ______ &", "so ... ______ &"),
            ("“quoted”", "“ quoted ”"),
            ("Gómez GONZÁLEZ", "gómez gonzález"),
            ("60°16′", "60 ° 16 ′"),
            ("km² ½", "km ² ½"),
        ] {
            let tokens = tokenize(text);
            let joined: Vec<&str> = tokens.iter().map(|t| t.text.as_str()).collect();
            assert_eq!(joined.join(" "), expected, "{text}");
            assert_eq!(count_tokens(text, 100), tokens.len(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_in_the_text_and_in_order(text in ".{0,60}|[a-z0-9'’.,:/&#;$%()½ -]{0,60}") {
            let mut end = 0;
            for token in tokenize(&text) {
                prop_assert!(end <= token.start && token.start < token.end);
                prop_assert_eq!(text[token.start..token.end].to_lowercase(), token.text);
                end = token.end;
            }
        }

        #[test]
        fn only_blanks_and_hyphens_are_left_out(text in "[a-zé0-9'.,:/&#;$%() -]{0,60}") {
            let kept: String = tokenize(&text).into_iter().map(|t| t.text).collect();
            let strip = |s: &str| s.replace([' ', '-'], "");
            prop_assert_eq!(strip(&kept), strip(&text));
        }
    }
}
