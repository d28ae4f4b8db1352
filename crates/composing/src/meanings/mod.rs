//! What columns mean, as far as their headers tell: data in which a line is a word that people use.

mod domains;
mod measures;
mod particulars;
mod topics;

pub use domains::{DOMAINS, Domain, Sort};
pub use measures::{MEASURES, Measure};
pub(crate) use particulars::{range, values};
pub use topics::{NamedBy, TOPICS, Topic};

/// What the words of a header measure: the longest header that stands among them, and of those the last.
pub fn measure(words: &[String]) -> Option<&'static Measure> {
    longest(words, MEASURES.iter().map(|measure| (measure, measure.headers)))
}

/// What the words of a header are about.
pub fn topic(words: &[String]) -> Option<&'static Topic> {
    longest(words, TOPICS.iter().map(|topic| (topic, topic.headers)))
}

fn longest<T>(
    words: &[String],
    known: impl Iterator<Item = (&'static T, &'static [&'static str])>,
) -> Option<&'static T> {
    let fits = known.flat_map(|(meaning, headers)| {
        let place = |header: &&str| {
            let header: Vec<&str> = header.split(' ').collect();
            let mut windows = words.windows(header.len());
            let place = windows.rposition(|window| window.iter().zip(&header).all(|(a, b)| a == b))?;
            Some((header.len(), place))
        };
        headers.iter().filter_map(place).max().map(|rank| (rank, meaning))
    });
    fits.max_by_key(|(rank, _)| *rank).map(|(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(header: &str) -> Vec<String> {
        header.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn headers_are_known_by_their_longest_words() {
        assert!(measure(&words("list price")).is_some_and(|measure| measure.most.contains(&"priciest")));
        assert!(
            measure(&words("population density"))
                .is_some_and(|measure| measure.most.contains(&"most crowded"))
        );
        assert!(measure(&words("year built")).is_some_and(|measure| measure.is_time));
        assert!(measure(&words("colour")).is_none());
        assert!(topic(&words("home country")).is_some_and(|topic| topic.with.contains(&"from {v}")));
    }

    #[test]
    fn invented_tables_use_known_headers_only_by_choice() {
        let known = |header: &&str| measure(&words(header)).is_some() || topic(&words(header)).is_some();
        let unknown: Vec<_> = DOMAINS
            .iter()
            .flat_map(|domain| domain.columns)
            .filter(|header| !known(header))
            .collect();
        // Some columns of which nothing is known, as in life.
        assert!(unknown.len() < 20, "{unknown:?}");
    }
}
