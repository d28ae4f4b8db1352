//! Finding the values that people name in questions about tables of their own.
//!
//! At each word everything that can begin there is found: the cells' texts as they are, with other endings, in
//! another order, under another name. The longest wins, whole cells before parts; then words that are in
//! cells by chance are left out. Columns that say yes or no are named by their headers.

mod generic;
mod numbers;
mod places;
mod shapes;
mod synonyms;

use crate::exact::{extend, found_form};
use crate::haystack::Haystack;
use crate::header_words::words_of_header;
use crate::lists::{join_alternatives, lists};
use crate::mention::Mention;
use crate::nations::Nation;
use crate::stop_words::is_stop_word;
use crate::wide::{Wide, mention, nation_at};
use crate::words::{Words, words};
use generic::is_generic;
use mapo_tables::{Constant, Table};
use mapo_text::fold;
use mapo_text::word_forms::{are_related, is_slip, stem};
use places::{CONTINENTS, COUNTRY_CODES, DIRECTIONS, STATE_CODES};
use shapes::{Quality, Shape, Shapes};
use std::ops::Range;
use synonyms::MEANINGS;

pub(crate) use numbers::numbers;

/// The strings of the question that are values of the table, from left to right, then lists of them, then
/// what overlaps another.
pub(crate) fn link(text: &str, tokens: &[String], table: &Table) -> Vec<Mention> {
    let raw = as_written(text, tokens);
    let tokens: Vec<String> = tokens.iter().map(|token| fold(token)).collect();
    let haystack = Haystack::new(table);
    let known = Words::of(table);
    let asked = Asked {
        tokens: &tokens,
        raw: &raw,
        table,
        haystack,
        wide: Wide::new(&tokens, known, haystack),
        shapes: Shapes::of(table),
    };
    let (mut mentions, mut beside) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        mapo_stopping::check();
        let mut found = asked.beginning_at(at);
        if let Some((quality, longest)) = found.first()
            && *quality < Quality::Whole
        {
            // "rated High" may stand in some remark, and `High` be a cell of its own.
            let within = (longest.span.start + 1..longest.span.end).flat_map(|at| asked.beginning_at(at));
            let whole: Vec<_> = within
                .filter(|(quality, _)| *quality >= Quality::Category)
                .collect();
            if *quality == Quality::Prose && !whole.is_empty() {
                found.clear();
            }
            found.extend(whole);
        }
        let mut found = found.into_iter().map(|(_, mention)| mention);
        match found.next() {
            Some(longest) => {
                at = longest.span.end;
                mentions.push(longest);
                beside.extend(found);
            }
            None => at += 1,
        }
    }
    let mut joined = mentions.clone();
    join_alternatives(&tokens, &mut joined);
    joined.retain(|list| !mentions.contains(list));
    let listed = lists(&tokens, &mentions);
    let said = asked.yes_and_no(&mentions);
    [mentions, joined, listed, beside, said].concat()
}

/// The tokens as the question writes them, capitals and all; as they are where they are not found.
fn as_written(text: &str, tokens: &[String]) -> Vec<String> {
    let mut rest = text;
    let written = tokens.iter().map(|token| {
        let found = rest.char_indices().find_map(|(at, _)| {
            let end = at + token.len();
            let here = rest.get(at..end)?;
            (here.to_lowercase() == *token).then_some((here, end))
        });
        match found {
            Some((here, end)) => {
                rest = &rest[end..];
                here.to_owned()
            }
            None => token.clone(),
        }
    });
    written.collect()
}

/// A question beside its table.
struct Asked<'a> {
    tokens: &'a [String],
    raw: &'a [String],
    table: &'a Table,
    haystack: Haystack<'a>,
    wide: Wide<'a>,
    shapes: &'a Shapes,
}

/// Tokens of a name that may be turned round.
const LONGEST_NAME: usize = 4;

impl Asked<'_> {
    /// What begins at a token: the longest first, and beside it a whole cell that is shorter.
    fn beginning_at(&self, start: usize) -> Vec<(Quality, Mention)> {
        let token = &self.tokens[start];
        if !token.contains(char::is_alphanumeric) && token != "#" {
            return Vec::new();
        }
        let chain = self.growing(start);
        let exact = |(end, text): &(usize, String)| Mention {
            constant: Constant::string(text.clone()),
            span: start..*end,
        };
        let whole = chain.iter().rev().map(exact).find(|mention| {
            let is_whole = self.quality(&mention.constant) >= Quality::Whole;
            is_whole && mention.span.clone().any(|at| !is_stop_word(&self.tokens[at]))
        });
        if is_stop_word(token) {
            // "The God Delusion" is a name, but "the" alone is not.
            let whole = whole.filter(|mention| mention.span.len() > 1);
            return whole
                .map(|mention| (Quality::Whole, mention))
                .into_iter()
                .collect();
        }
        let part = chain.last().map(exact);
        let length = part.as_ref().map_or(0, |mention| mention.span.len());
        let has_letters = token.contains(char::is_alphabetic);
        let mut found: Vec<Mention> = [whole, part, self.turned(start)].into_iter().flatten().collect();
        if has_letters {
            let others = [
                self.wide.other_endings(start, length),
                (length > 0).then(|| self.wide.misspelt(start, length)).flatten(),
                self.place(start),
                self.meaning(start),
                self.initial(start),
            ];
            found.extend(others.into_iter().flatten());
        }
        let mut found = self.worth(found);
        if found.is_empty() && has_letters && !is_generic(token) && !self.shapes.is_named(token) {
            let others = [
                self.wide.result(start),
                self.wide.parenthesis(start),
                self.related(start),
                self.misspelt(start),
                self.slip(start),
                self.acronym(start),
            ];
            found = self.worth(others.into_iter().flatten().take(1).collect());
        }
        best(found)
    }

    /// What is worth offering, with its quality.
    fn worth(&self, found: Vec<Mention>) -> Vec<(Quality, Mention)> {
        let judged = found
            .into_iter()
            .map(|mention| (self.quality(&mention.constant), mention));
        judged
            .filter(|(quality, mention)| self.is_worth(*quality, mention))
            .collect()
    }

    /// How well the cells have one of the texts; columns of numbers have no texts.
    fn quality(&self, constant: &Constant) -> Quality {
        let columns = self.shapes.columns.iter().filter(|shape| !shape.is_numeric);
        let qualities = columns.map(|shape| {
            mapo_stopping::glance();
            let held = self.table.columns()[shape.column].holds(constant);
            Quality::of(shape, held)
        });
        qualities.max().unwrap_or(Quality::None)
    }

    /// Whether something is a value rather than words that stand in some cell by chance.
    fn is_worth(&self, quality: Quality, mention: &Mention) -> bool {
        let telling = mention.span.clone().filter(|at| !is_stop_word(&self.tokens[*at]));
        let least = telling.clone().map(|at| {
            let token = &self.tokens[at];
            if is_generic(token) {
                Quality::Category
            } else if self.shapes.is_named(token) || self.is_short(at) {
                Quality::Whole
            } else if self.is_plain(at) {
                Quality::Part
            } else {
                Quality::Prose
            }
        });
        let several = telling.count() > 1;
        match least.min() {
            // "Give me" and "paid by" stand in many a remark; three such words are a quotation.
            Some(Quality::Part) if quality == Quality::Prose => mention.span.len() > 2 && several,
            Some(Quality::Part) if several => quality > Quality::None,
            Some(Quality::Category) if several => quality >= Quality::Whole,
            Some(least) => quality >= least,
            None => quality >= Quality::Whole,
        }
    }

    /// Whether a token is a word of one or two letters.
    fn is_short(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        token.chars().count() < 3 && token.contains(char::is_alphabetic) && self.is_plain(at)
    }

    /// Whether a token is neither written with a capital, but at the beginning, nor with digits among letters.
    fn is_plain(&self, at: usize) -> bool {
        let raw = &self.raw[at];
        let is_name = at > 0 && raw.starts_with(char::is_uppercase);
        let is_code = raw.contains(char::is_alphabetic) && raw.contains(char::is_numeric);
        !is_name && !is_code
    }

    /// The strings from a token on that stand in cells as they are, each longer than the one before.
    fn growing(&self, start: usize) -> Vec<(usize, String)> {
        let mut chain = Vec::new();
        if found_form(&self.tokens[start], self.haystack).is_none() {
            return chain;
        }
        let mut text = self.tokens[start].clone();
        let mut end = start + 1;
        loop {
            if !self.tokens[end - 1].chars().all(|c| c.is_ascii_punctuation())
                && let Some(form) = found_form(&text, self.haystack)
            {
                chain.push((end, form));
            }
            let next = self.tokens.get(end);
            match next.and_then(|next| extend(&text, next, self.haystack)) {
                Some(longer) => text = longer,
                None => return chain,
            }
            end += 1;
        }
    }

    /// A name in another order: `Adams, Willie` for "Willie Adams" and the other way round.
    fn turned(&self, start: usize) -> Option<Mention> {
        let ends = start + 2..=(start + LONGEST_NAME).min(self.tokens.len());
        ends.rev().find_map(|end| {
            let tokens = &self.tokens[start..end];
            let is_word = |token: &String| token.starts_with(char::is_alphabetic) && !is_stop_word(token);
            let comma = tokens.iter().position(|token| token == ",");
            let is_name = |tokens: &[String]| !tokens.is_empty() && tokens.iter().all(is_word);
            let text = match comma {
                Some(comma) => {
                    let (last, first) = (&tokens[..comma], &tokens[comma + 1..]);
                    let turned = format!("{} {}", first.join(" "), last.join(" "));
                    (is_name(last) && is_name(first) && self.haystack.has(&turned)).then_some(turned)
                }
                None if is_name(tokens) => (1..tokens.len()).rev().find_map(|cut| {
                    let turned = format!("{}, {}", tokens[cut..].join(" "), tokens[..cut].join(" "));
                    self.haystack.has(&turned).then_some(turned)
                }),
                None => None,
            };
            text.map(|text| Mention {
                constant: Constant::string(text),
                span: start..end,
            })
        })
    }

    /// Whether a code is a cell of a column of codes.
    fn is_code(&self, code: &str) -> bool {
        let coded = self.shapes.columns.iter();
        let mut coded = coded.filter(|shape| shape.code_length == Some(code.len()));
        coded.any(|shape| shape.few.iter().any(|text| text == code))
    }

    /// Whether a word is a whole cell, or part of one of a category.
    fn is_value(&self, word: &str) -> bool {
        self.shapes.columns.iter().any(|shape: &Shape| {
            let held = self.table.columns()[shape.column].holds(&Constant::string(word));
            let quality = Quality::of(shape, held);
            quality >= Quality::Whole || quality == Quality::Part && shape.is_category
        })
    }

    /// A place by its other names and codes: a country for its people, a state for its letters.
    fn place(&self, start: usize) -> Option<Mention> {
        let is_upper = |raw: &String| raw.chars().all(char::is_uppercase);
        // `us` is a country only in capitals.
        let short = self.tokens[start].len() < 3;
        if short && !is_upper(&self.raw[start]) {
            return None;
        }
        let mut places = [
            self.nation(start),
            self.state(start),
            self.continent(start),
            self.code(start),
        ];
        let longest = places.iter_mut().flatten().max_by_key(|found| found.span.len());
        longest.cloned()
    }

    fn nation(&self, start: usize) -> Option<Mention> {
        let (nation, end) = nation_at(self.tokens, start)?;
        self.of_nation(nation, start..end)
    }

    /// A country by all names and codes that the cells have.
    fn of_nation(&self, nation: Nation, span: Range<usize>) -> Option<Mention> {
        let mut found: Vec<&str> = nation
            .iter()
            .copied()
            .filter(|name| self.is_value(name))
            .collect();
        if found.is_empty() {
            let known = |name: &&str| name.len() > 2 && self.haystack.has(name);
            found = nation.iter().copied().filter(known).collect();
        }
        // `south korea` is found where `korea` is, and then `korea` would say less.
        let says_less = |name: &str| found.iter().any(|other| *other != name && other.contains(name));
        let names = found.iter().copied().filter(|name| !says_less(name));
        let codes = COUNTRY_CODES.iter().find(|(name, _)| *name == nation[0]);
        let codes = codes.into_iter().flat_map(|(_, codes)| codes.split(' '));
        let codes = codes.filter(|code| self.is_code(code));
        strings(names.chain(codes), span)
    }

    /// A state of the United States by its code.
    fn state(&self, start: usize) -> Option<Mention> {
        let (code, end) = STATE_CODES.iter().find_map(|(name, code)| {
            let end = start + name.split(' ').count();
            let named = self.tokens.get(start..end)?;
            let same = named
                .iter()
                .zip(name.split(' '))
                .all(|(token, word)| token == word);
            same.then_some((code, end))
        })?;
        let is_named = self.is_value(&self.tokens[start..end].join(" "));
        (!is_named && self.is_code(code))
            .then(|| strings(std::iter::once(*code), start..end))
            .flatten()
    }

    /// A continent, or a part of it: "eastern European" for `Eastern Europe`.
    fn continent(&self, start: usize) -> Option<Mention> {
        let said = DIRECTIONS
            .iter()
            .find(|names| names.contains(&self.tokens[start].as_str()));
        let parts: &[&str] = said.copied().unwrap_or(&[""]);
        let from = start + usize::from(said.is_some());
        let (names, end) = CONTINENTS.iter().find_map(|names| {
            names.iter().find_map(|name| {
                let end = from + name.split(' ').count();
                let named = self.tokens.get(from..end)?;
                let same = named
                    .iter()
                    .zip(name.split(' '))
                    .all(|(token, word)| token == word || token.strip_suffix('s') == Some(word));
                same.then_some((names, end))
            })
        })?;
        let texts = parts
            .iter()
            .flat_map(|part| names.iter().map(move |name| format!("{part} {name}")));
        let texts: Vec<String> = texts.map(|text| text.trim_start().to_owned()).collect();
        let found = texts
            .iter()
            .map(String::as_str)
            .filter(|text| self.haystack.has(text));
        mention(found, start..end)
    }

    /// A country or state by its code in capitals, for its name in the cells.
    fn code(&self, start: usize) -> Option<Mention> {
        let raw = &self.raw[start];
        if !(2..=3).contains(&raw.len()) || !raw.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let token = self.tokens[start].as_str();
        let has_code = |codes: &str| codes.split(' ').any(|code| code == token);
        let state = STATE_CODES.iter().find(|(_, code)| *code == token);
        if let Some((name, _)) = state
            && self.is_value(name)
        {
            return strings(std::iter::once(*name), start..start + 1);
        }
        let (name, _) = COUNTRY_CODES.iter().find(|(_, codes)| has_code(codes))?;
        let nation = crate::nations::NATIONS.iter().find(|nation| nation[0] == *name)?;
        self.of_nation(nation, start..start + 1)
    }

    /// Another word of the same meaning.
    fn meaning(&self, start: usize) -> Option<Mention> {
        let token = self.tokens[start].as_str();
        let meanings = MEANINGS.iter().filter(|meaning| {
            // "Paid" says `payment` where that is a header.
            let is_named = |word: &&str| self.shapes.is_named(word);
            meaning.words.contains(&token) && !meaning.words.iter().any(is_named)
        });
        let found = meanings.flat_map(|meaning| {
            let words = meaning.words.iter().filter(|word| self.is_value(word));
            let codes = meaning.codes.iter().filter(|code| self.is_code(code));
            words.chain(codes).copied()
        });
        strings(found, start..start + 1)
    }

    /// A letter for a word of its column's name: `H` for a hardcover in `hard_or_soft`.
    fn initial(&self, start: usize) -> Option<Mention> {
        let token = &self.tokens[start];
        let letter = token.get(..1)?;
        let mut letters = self
            .shapes
            .columns
            .iter()
            .filter(|shape| shape.code_length == Some(1));
        letters.find_map(|shape| {
            let source = self.table.columns()[shape.column].source();
            let names = words_of_header(self.table, source);
            let is_named = names
                .iter()
                .any(|word| word.len() > 3 && token.starts_with(word.as_str()) && token.len() > word.len());
            let has = is_named && shape.few.iter().any(|text| text == letter);
            has.then(|| strings(std::iter::once(letter), start..start + 1))
                .flatten()
        })
    }

    /// What is misspelt, if it is a value or can only be a name.
    fn misspelt(&self, start: usize) -> Option<Mention> {
        let found = self.wide.misspelt(start, 0)?;
        let Constant::Strings(strings) = &found.constant else {
            return None;
        };
        // Most words are a letter away from one in some title.
        let is_sure =
            found.span.len() > 1 || !self.is_plain(start) || strings.iter().all(|text| self.is_value(text));
        is_sure.then_some(found)
    }

    /// The one word of the categories that has the same root.
    fn related(&self, start: usize) -> Option<Mention> {
        let token = &self.tokens[start];
        let related = self.shapes.beginning_like(token).iter();
        let related: Vec<&str> = related
            .map(String::as_str)
            .filter(|word| are_related(token, word))
            .collect();
        // Several words may be forms of one.
        let is_one = related.windows(2).all(|pair| are_related(pair[0], pair[1]));
        strings(related.into_iter().filter(|_| is_one), start..start + 1)
    }

    /// The one word of the categories that has the letters of a short one with a slip in typing.
    fn slip(&self, start: usize) -> Option<Mention> {
        let token = &self.tokens[start];
        let categories = self.shapes.columns.iter().filter(|shape| shape.is_category);
        let cells = categories.flat_map(|shape| &shape.few);
        let mut meant: Vec<&str> = cells
            .flat_map(|text| words(text).map(|(_, word)| word))
            .filter(|word| is_slip(token, word))
            .collect();
        meant.sort_unstable();
        meant.dedup();
        match meant[..] {
            [word] => strings(std::iter::once(word), start..start + 1),
            _ => None,
        }
    }

    /// The cells whose initials are a word in capitals: `United Nations` for "UN".
    fn acronym(&self, start: usize) -> Option<Mention> {
        let raw = &self.raw[start];
        if !(2..=6).contains(&raw.len()) || !raw.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let token = self.tokens[start].as_str();
        let is_meant = |text: &str| {
            let initials = |with_small: bool| {
                let words = words(text)
                    .map(|(_, word)| word)
                    .filter(|word| with_small || !is_stop_word(word));
                words.filter_map(|word| word.chars().next()).collect::<String>()
            };
            initials(true) == token || initials(false) == token
        };
        let cells = self.shapes.columns.iter().flat_map(|shape| &shape.few);
        let found: Vec<&str> = cells.map(String::as_str).filter(|text| is_meant(text)).collect();
        (found.len() <= 2)
            .then(|| strings(found.into_iter(), start..start + 1))
            .flatten()
    }

    /// For a column that says yes or no, or 1 and 0, and is named: what it says for yes, and for no where the
    /// question has a "not".
    fn yes_and_no(&self, found: &[Mention]) -> Vec<Mention> {
        const NOT: [&str; 9] = [
            "not", "n't", "no", "without", "never", "non", "false", "neither", "nor",
        ];
        let is_denied = self.tokens.iter().any(|token| NOT.contains(&token.as_str()));
        let is_free = |at: usize| found.iter().all(|mention| !mention.span.contains(&at));
        let same = |name: &str, token: &str| stem(name) == stem(token) || are_related(name, token);
        let named = |source: usize| {
            let names = words_of_header(self.table, source);
            let names = names.iter().filter(|name| !is_stop_word(name));
            let place = |name: &String| {
                let mut tokens = self.tokens.iter().enumerate();
                let at =
                    tokens.position(|(at, token)| !is_stop_word(token) && is_free(at) && same(name, token));
                (at, self.shapes.headers_with(name) == 1)
            };
            let places: Vec<(Option<usize>, bool)> = names.map(place).collect();
            // A word that other headers have too does not name this one alone.
            let is_named = places.iter().all(|(at, _)| at.is_some())
                || places.iter().any(|(at, only)| at.is_some() && *only);
            places.iter().find_map(|(at, _)| *at).filter(|_| is_named)
        };
        let mut said = Vec::new();
        let mut say = |constant: Constant, at: usize| {
            said.push(Mention {
                constant,
                span: at..at + 1,
            });
        };
        for shape in &self.shapes.columns {
            let Some((yes, no)) = &shape.truth else { continue };
            if let Some(at) = named(self.table.columns()[shape.column].source()) {
                let no = no.as_ref().filter(|_| is_denied);
                for text in [yes.as_ref(), no].into_iter().flatten() {
                    say(Constant::string(text.clone()), at);
                }
            }
        }
        for column in &self.shapes.flags {
            if let Some(at) = named(self.table.columns()[*column].source()) {
                say(Constant::number(1.0), at);
                if is_denied {
                    say(Constant::number(0.0), at);
                }
            }
        }
        said
    }
}

/// A constant of some texts, each once, as they are.
fn strings<'t>(texts: impl Iterator<Item = &'t str>, span: Range<usize>) -> Option<Mention> {
    let mut strings: Vec<String> = Vec::new();
    for text in texts {
        if !strings.iter().any(|known| known == text) {
            strings.push(text.to_owned());
        }
    }
    (!strings.is_empty()).then_some(Mention {
        constant: Constant::Strings(strings),
        span,
    })
}

/// The longest, of several the best found, of several the first; and beside it the best if that is another and
/// better.
fn best(found: Vec<(Quality, Mention)>) -> Vec<(Quality, Mention)> {
    let mut longest: Option<&(Quality, Mention)> = None;
    let mut finest: Option<&(Quality, Mention)> = None;
    for one in &found {
        let key = |(quality, mention): &(Quality, Mention)| (mention.span.len(), *quality);
        if longest.is_none_or(|longest| key(one) > key(longest)) {
            longest = Some(one);
        }
        if finest.is_none_or(|finest| (one.0, one.1.span.len()) > (finest.0, finest.1.span.len())) {
            finest = Some(one);
        }
    }
    let beside = finest.filter(|finest| longest.is_some_and(|longest| finest.0 > longest.0));
    longest.into_iter().chain(beside).cloned().collect()
}
