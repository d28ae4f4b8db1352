//! Finding the strings of a question that occur in cells.

use crate::everyday;
use crate::exact::grow;
use crate::haystack::Haystack;
use crate::linking::Linking;
use crate::lists::{join_alternatives, lists};
use crate::mention::Mention;
use crate::wide::Wide;
use crate::words::Words;
use mapo_tables::Constant;
use mapo_tables::Table;

/// The strings of the question that occur in the table, from left to right, with those around an "or" joined.
/// None overlap but, in wide linking, a list of two around an "and" with its parts; in everyday linking also a
/// whole cell with something longer that begins with it.
pub(crate) fn link(text: &str, tokens: &[String], table: &Table, linking: Linking) -> Vec<Mention> {
    if linking == Linking::Everyday {
        return everyday::link(text, tokens, table);
    }
    let haystack = Haystack::new(table);
    let wide = (linking == Linking::Wide).then(|| Wide::new(tokens, Words::of(table), haystack));
    link_in(tokens, haystack, wide)
}

fn link_in(tokens: &[String], haystack: Haystack<'_>, wide: Option<Wide<'_>>) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        mapo_stopping::check();
        let exact = grow(tokens, at, haystack);
        let found = match &wide {
            None => exact,
            Some(wide) => {
                let exact = exact.filter(|mention| !is_punctuation(&mention.constant));
                let length = exact.as_ref().map_or(0, |mention| mention.span.len());
                wide.near(at, length).or(exact)
            }
        };
        match found {
            Some(mention) => {
                at = mention.span.end;
                mentions.push(mention);
            }
            None => at += 1,
        }
    }
    let lists = match wide {
        None => Vec::new(),
        Some(_) => lists(tokens, &mentions),
    };
    join_alternatives(tokens, &mut mentions);
    mentions.extend(lists);
    mentions
}

/// Whether nothing in a constant is a letter or a digit.
fn is_punctuation(constant: &Constant) -> bool {
    match constant {
        Constant::Strings(strings) => !strings.iter().any(|text| text.contains(char::is_alphanumeric)),
        Constant::Numbers(_) | Constant::Dates(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::toy::{SEED, Split, generate};
    use mapo_datasets::{Dataset, Example, Selection};
    use mapo_tables::TableBuilder;

    fn table() -> Table {
        let mut builder = TableBuilder::new("t", ["Team", "League"]);
        builder.push_row(["Los Angeles", "USL A-League"]);
        builder.push_row(["Newark 21", "2012-present"]);
        builder.push_row(["São Paulo (Brazil)", "or"]);
        builder.finish()
    }

    fn linked(question: &str) -> Vec<String> {
        let tokens: Vec<String> = question.split(' ').map(str::to_owned).collect();
        link("", &tokens, &table(), Linking::Paper)
            .iter()
            .map(|mention| mention.constant.to_string())
            .collect()
    }

    /// What a question links to as in a small table, and as in a large one.
    fn both_ways(tokens: &[String], table: &Table) -> [Vec<Mention>; 2] {
        [Words::new(table, false), Words::new(table, true)].map(|words| {
            let joined = match words.is_searched() {
                true => None,
                false => crate::haystack::joined_texts(table),
            };
            let haystack = Haystack { table, joined };
            link_in(tokens, haystack, Some(Wide::new(tokens, &words, haystack)))
        })
    }

    /// Questions about invented and, where they are found, real tables.
    fn questions(invented: usize, real: usize) -> Vec<Example> {
        let invented = generate(Split::Train, SEED, invented)
            .into_iter()
            .map(Example::from);
        let mut examples: Vec<Example> = invented.collect();
        let data = std::env::var("MAPO_DATA").unwrap_or_else(|_| "../../../shared/data".to_owned());
        let dataset: Dataset = format!("wtq:{data}/WikiTableQuestions").parse().unwrap();
        let selection = Selection {
            split: Some("random-split-1-dev".to_owned()),
            limit: Some(real),
            ..Selection::default()
        };
        match dataset.examples(&selection) {
            Ok(found) => examples.extend(found.map(|example| example.unwrap())),
            Err(error) => eprintln!("SKIPPED on WikiTableQuestions: {error}"),
        }
        examples
    }

    #[test]
    fn an_index_finds_what_searching_all_texts_does() {
        let examples = questions(300, 700);
        let mut found = 0;
        for example in &examples {
            let mut tokens = example.question.tokens.clone();
            // Slips of the pen too.
            if let Some(long) = tokens
                .iter_mut()
                .find(|token| token.len() > 7 && token.is_ascii())
            {
                long.remove(4);
            }
            for tokens in [&example.question.tokens, &tokens] {
                let [small, large] = both_ways(tokens, &example.table);
                assert_eq!(small, large, "{} {tokens:?}", example.id);
                found += small.len();
            }
        }
        assert!(found > examples.len(), "{found}");
    }

    #[test]
    fn strings_grow_and_are_bounded_by_words() {
        assert_eq!(
            linked("did los angeles play in the usl a league"),
            ["['los angeles']", "['usl a-league']"]
        );
        assert!(linked("did the new team score 1 goal in are").is_empty());
        assert_eq!(
            linked("from são paulo in 2012-present"),
            ["['sao paulo']", "['2012-present']"]
        );
    }

    #[test]
    fn strings_do_not_swallow_what_has_no_normal_form() {
        let tokens = ["los", "angeles", "."].map(str::to_owned);
        let mentions = link("", &tokens, &table(), Linking::Paper);
        assert_eq!(mentions.len(), 1);
        assert_eq!(mentions[0].span, 0..2);
    }

    #[test]
    fn or_joins_strings() {
        assert_eq!(
            linked("is it los angeles or newark 21 ?"),
            ["['los angeles', 'newark 21']"]
        );
        assert_eq!(
            linked("los angeles a b c or newark"),
            ["['los angeles']", "['newark']"]
        );
    }
}
