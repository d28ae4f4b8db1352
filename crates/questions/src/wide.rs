//! Finding the strings of a question that stand in cells in another form: other endings, a country for its
//! people, a slip of the pen, a letter for a result, a text in parentheses.

use crate::haystack::Haystack;
use crate::mention::Mention;
use crate::nations::{NATIONS, Nation};
use crate::stop_words::is_stop_word;
use crate::words::{Forms, Standing, Words, words};
use mapo_tables::Constant;
use mapo_tables::Table;
use mapo_text::{has_bounded, normalize};
use std::collections::HashSet;
use std::ops::Range;

/// A word of a question with the token that it is part of.
struct Asked<'a> {
    word: &'a str,
    token: usize,
    /// Whether it is the first and the last word of its token.
    bounds: (bool, bool),
}

/// Looks for what stands in the cells in another form.
pub(crate) struct Wide<'a> {
    tokens: &'a [String],
    asked: Vec<Asked<'a>>,
    table: &'a Table,
    words: &'a Words,
    haystack: Haystack<'a>,
}

/// More texts than this are no constant but half a table.
const MOST_TEXTS: usize = 30;

/// The words for each result of a game; those of one letter stand in cells only.
const RESULTS: [&[&str]; 3] = [
    &["w", "win", "wins", "won", "winning", "victory", "victories"],
    &[
        "l", "loss", "losses", "lose", "loses", "lost", "defeat", "defeats", "defeated",
    ],
    &["d", "t", "draw", "draws", "drew", "drawn", "tie", "ties", "tied"],
];

impl<'a> Wide<'a> {
    pub fn new(tokens: &'a [String], words: &'a Words, haystack: Haystack<'a>) -> Self {
        let mut asked = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let first = asked.len();
            asked.extend(self::words(token).map(|(_, word)| Asked {
                word,
                token: index,
                bounds: (false, false),
            }));
            if let [begin, ..] = &mut asked[first..] {
                begin.bounds.0 = true;
            }
            if let [.., end] = &mut asked[first..] {
                end.bounds.1 = true;
            }
        }
        Wide {
            tokens,
            asked,
            table: haystack.table(),
            words,
            haystack,
        }
    }

    /// What begins at a token in another form than in the cells, where nothing longer than `exact` tokens is
    /// found as it is.
    pub fn near(&self, start: usize, exact: usize) -> Option<Mention> {
        let token = &self.tokens[start];
        if is_stop_word(token) || !token.contains(char::is_alphabetic) {
            return None;
        }
        let forms = self.other_endings(start, exact);
        if exact > 0 || forms.is_some() {
            return forms.or_else(|| self.misspelt(start, exact));
        }
        self.nation(start)
            .or_else(|| self.result(start))
            .or_else(|| self.parenthesis(start))
            .or_else(|| self.misspelt(start, 0))
    }

    /// What begins at a token with other endings than in the cells, if it is longer than `exact` tokens.
    pub fn other_endings(&self, start: usize, exact: usize) -> Option<Mention> {
        self.phrase(start, |word| self.words.forms(self.table, word), exact)
    }

    /// The longest run of words from a token on that stands in a cell, word for word in some form.
    fn phrase(&self, start: usize, forms: impl Fn(&str) -> Forms, exact: usize) -> Option<Mention> {
        let first = self.asked.iter().position(|asked| asked.token == start)?;
        let mut standing = self.words.standing(&forms(self.asked[first].word));
        let mut best: Option<(usize, Standing)> = None;
        let mut length = 1;
        while !standing.is_empty() {
            let last = &self.asked[first + length - 1];
            if last.bounds.1 && !is_stop_word(&self.tokens[last.token]) {
                best = Some((length, standing.clone()));
            }
            let Some(next) = self.asked.get(first + length) else {
                break;
            };
            let forms = forms(next.word);
            self.words.narrow(self.table, &mut standing, length, &forms);
            length += 1;
        }
        let (length, standing) = best?;
        let end = self.asked[first + length - 1].token + 1;
        if end - start <= exact {
            return None;
        }
        if length == 1 && self.words.in_headers(self.asked[first].word) {
            return None;
        }
        let texts = self.words.texts(self.table, &standing, length);
        mention(texts.iter().map(String::as_str), start..end)
    }

    /// The same with long words that are nowhere in the table taken for the one that they misspell.
    pub fn misspelt(&self, start: usize, exact: usize) -> Option<Mention> {
        let forms = |word: &str| match self.words.forms(self.table, word) {
            none if none.is_empty() => self.words.meant(word),
            forms => forms,
        };
        self.phrase(start, forms, exact)
    }

    /// A country for its people, and the other way round.
    fn nation(&self, start: usize) -> Option<Mention> {
        let (nation, end) = nation_at(self.tokens, start)?;
        // Two letters are a word of their own too often.
        let known = |name: &&&str| name.len() > 2 && self.haystack.has(name);
        let found: Vec<&str> = nation.iter().filter(known).copied().collect();
        // `south korea` is found where `korea` is, and then `korea` would say less.
        let says_less = |name: &str| found.iter().any(|other| *other != name && other.contains(name));
        let found = found.iter().copied().filter(|name| !says_less(name));
        mention(found, start..end)
    }

    /// `W 24-10`, `lost` and their like for wins, losses and draws: the texts that begin so.
    pub fn result(&self, start: usize) -> Option<Mention> {
        let result = RESULTS
            .iter()
            .find(|words| words.contains(&self.tokens[start].as_str()))?;
        let texts = result.iter().flat_map(|word| {
            let texts = self.words.beginning_with(self.table, word).into_iter();
            // A letter alone is in every other word, so the whole text stands for it.
            texts.map(move |text| if word.len() > 1 { (*word).to_owned() } else { text })
        });
        let texts: Vec<String> = texts.collect();
        mention(texts.iter().map(String::as_str), start..start + 1)
    }

    /// What the normal form of cells leaves out, as the cells that it is left out of.
    pub fn parenthesis(&self, start: usize) -> Option<Mention> {
        let has = |needle: &str| self.words.has_dropped(needle);
        let mut text = normalize(&self.tokens[start]);
        if self.words.in_headers(&text) || !has(&text) {
            return None;
        }
        let mut end = start + 1;
        while let Some(next) = self.tokens.get(end) {
            let longer = format!("{text} {}", normalize(next));
            if !has(&longer) {
                break;
            }
            text = longer;
            end += 1;
        }
        let cells = self
            .words
            .dropped()
            .iter()
            .filter(|(rest, _)| has_bounded(rest, &text));
        mention(
            cells.flat_map(|(_, normal)| normal.iter().map(String::as_str)),
            start..end,
        )
    }
}

/// The country that is named at a token, and where its name ends.
pub(crate) fn nation_at(tokens: &[String], start: usize) -> Option<(Nation, usize)> {
    let mut best: Option<(Nation, usize)> = None;
    for nation in NATIONS {
        for name in *nation {
            let length = name.split(' ').count();
            let Some(named) = tokens.get(start..start + length) else {
                continue;
            };
            let same = named.iter().zip(name.split(' ')).all(|(token, word)| {
                token.trim_end_matches('.') == word || token.strip_suffix('s') == Some(word) && word.len() > 3
            });
            if same && best.is_none_or(|(_, end)| end < start + length) {
                best = Some((nation, start + length));
            }
        }
    }
    best
}

/// A constant of the distinct texts; of two of which one contains the other only the shorter, which finds
/// both.
pub(crate) fn mention<'t>(texts: impl Iterator<Item = &'t str>, span: Range<usize>) -> Option<Mention> {
    let mut known = HashSet::new();
    let mut texts: Vec<(usize, &str)> = texts.filter(|text| known.insert(*text)).enumerate().collect();
    // A text can only contain a shorter one, so that those that come first in this order stay.
    texts.sort_by_key(|(_, text)| text.len());
    let mut kept: Vec<(usize, &str)> = Vec::new();
    for (place, text) in texts {
        if kept.iter().any(|(_, known)| text.contains(known)) {
            continue;
        }
        kept.push((place, text));
        if kept.len() > MOST_TEXTS {
            return None;
        }
    }
    kept.sort_unstable();
    let strings: Vec<String> = kept.into_iter().map(|(_, text)| text.to_owned()).collect();
    (!strings.is_empty()).then_some(Mention {
        constant: Constant::Strings(strings),
        span,
    })
}

#[cfg(test)]
mod tests {
    use crate::link::link;
    use crate::linking::Linking;
    use mapo_tables::{Table, TableBuilder};

    fn linked(question: &str, table: &Table) -> Vec<String> {
        let tokens: Vec<String> = question.split(' ').map(str::to_owned).collect();
        let link = link("", &tokens, table, Linking::Wide);
        link.iter().map(|mention| mention.constant.to_string()).collect()
    }

    fn table(rows: &[[&str; 2]]) -> Table {
        let mut builder = TableBuilder::new("t", ["Name", "Team"]);
        rows.iter().for_each(|row| builder.push_row(*row));
        builder.finish()
    }

    #[test]
    fn plurals_are_found_both_ways_and_words_of_headers_are_not() {
        let table = table(&[["Goalie", "Team A"], ["Silver medal", "Teachers"]]);
        assert_eq!(linked("how many goalies", &table), ["['goalie']"]);
        assert_eq!(linked("which teacher", &table), ["['teachers']"]);
        assert_eq!(linked("the silver medals", &table), ["['silver medal']"]);
        assert!(linked("how many teams", &table).is_empty());
    }

    #[test]
    fn a_country_stands_for_its_people_and_they_for_it() {
        let table = table(&[["Norway", "dutch"], ["United States", "Great Britain"]]);
        assert_eq!(linked("how many norwegians", &table), ["['norway']"]);
        assert_eq!(linked("from the netherlands", &table), ["['dutch']"]);
        assert_eq!(linked("the american who won", &table), ["['united states']"]);
        assert_eq!(linked("a british one", &table), ["['great britain']"]);
        assert!(linked("how many swedes", &table).is_empty());
    }

    #[test]
    fn a_long_word_may_be_misspelt_if_only_one_can_be_meant() {
        let table = table(&[["Liverpool", "Arnold Schwarzenegger"], ["Ashford", "Ashforth"]]);
        assert_eq!(linked("at liverpol", &table), ["['liverpool']"]);
        assert_eq!(
            linked("arnold schwarzeneger", &table),
            ["['arnold schwarzenegger']"]
        );
        assert!(linked("ashfoord or ashforrth", &table).len() <= 1);
        assert!(linked("the livers", &table).is_empty());
    }

    #[test]
    fn results_are_the_texts_that_say_so() {
        let table = table(&[
            ["W 21-7", "Reds"],
            ["L 3-10", "@ Blues"],
            ["W 14-3", "@ Greens"],
            ["Tie", "Whites"],
        ]);
        assert_eq!(linked("games won", &table), ["['w 21-7', 'w 14-3']"]);
        assert_eq!(linked("the losses", &table), ["['l 3-10']"]);
        assert_eq!(linked("how many draws", &table), ["['tie']"]);
    }

    #[test]
    fn what_the_normal_form_drops_leads_to_its_cells() {
        let table = table(&[
            ["São Paulo (Brazil)", "x"],
            ["Quito (Ecuador)", "y"],
            ["Rio (Brazil)", "z"],
        ]);
        assert_eq!(linked("in ecuador", &table), ["['quito']"]);
        assert_eq!(linked("in brazil", &table), ["['sao paulo', 'rio']"]);
    }

    #[test]
    fn and_makes_a_list_beside_its_parts_but_not_after_between() {
        let table = table(&[["Tulsa", "x"], ["Omaha", "y"], ["Waco", "z"]]);
        let parts = ["['tulsa']", "['omaha']"];
        let all = [&parts[..], &["['tulsa', 'omaha']"]].concat();
        assert_eq!(linked("tulsa and omaha", &table), all);
        assert_eq!(linked("the gap between tulsa and omaha", &table), parts);
        let three = linked("tulsa , omaha , and waco", &table);
        assert_eq!(three[3], "['tulsa', 'omaha', 'waco']");
    }

    #[test]
    fn punctuation_and_numbers_are_no_strings_in_another_form() {
        let table = table(&[["100 %", "a/b"], ["#1", "9"]]);
        assert!(linked("/ # % .9", &table).is_empty());
        assert_eq!(linked("9", &table), ["['9']"]);
        assert_eq!(linked("# 1", &table), ["['#1']"]);
    }
}
