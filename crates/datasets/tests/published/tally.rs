//! Counting differences by cause.

use super::quirk::{Quirk, Quirks};
use std::collections::BTreeMap;

/// How often things were compared, and why they differed.
#[derive(Default)]
pub struct Tally {
    pub compared: usize,
    /// How often each set of quirks was needed, with some of the things that needed it.
    causes: BTreeMap<Quirks, (usize, Vec<String>)>,
    /// Things that the plain implementation does not get as it should, with the first few.
    wrong: Vec<String>,
}

impl Tally {
    /// Notes one comparison: `published` with `ours`, which the plain implementation gives under a set of
    /// quirks.
    pub fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        what: impl Fn() -> String,
        published: &T,
        ours: &T,
        mut plain: impl FnMut(Quirks) -> T,
    ) {
        self.compared += 1;
        let plain_published = plain(Quirks::ALL);
        if plain_published != *published {
            self.note(what(), "published", published, &plain_published);
            return;
        }
        let plain_ours = plain(Quirks::NONE);
        if plain_ours != *ours {
            self.note(what(), "ours", ours, &plain_ours);
            return;
        }
        if published != ours {
            let needed = Quirks::needed_for(|quirks| plain(quirks) == *published);
            let (count, examples) = self.causes.entry(needed).or_default();
            *count += 1;
            if examples.len() < EXAMPLES {
                examples.push(format!(
                    "{}: {} here, {} there",
                    what(),
                    short(ours),
                    short(published)
                ));
            }
        }
    }

    fn note(
        &mut self,
        what: String,
        whose: &str,
        theirs: &impl std::fmt::Debug,
        plain: &impl std::fmt::Debug,
    ) {
        let (theirs, plain) = (short(theirs), short(plain));
        self.wrong
            .push(format!("{what}: {whose} {theirs}; the plain one says {plain}"));
    }

    pub fn add(&mut self, other: Tally) {
        self.compared += other.compared;
        for (quirks, (more, others)) in other.causes {
            let (count, examples) = self.causes.entry(quirks).or_default();
            *count += more;
            examples.extend(others);
            examples.truncate(EXAMPLES);
        }
        self.wrong.extend(other.wrong);
    }

    fn differ(&self) -> usize {
        self.causes.values().map(|(count, _)| count).sum()
    }

    /// Prints the counts as a table; fails if anything was left unexplained, or if the causes are not these.
    #[track_caller]
    pub fn report(&self, title: &str, causes: &[Quirk]) {
        let differ = self.differ();
        let mut text = format!(
            "\n{title}: {} compared, {} equal, {differ} differ, {} unexplained\n",
            self.compared,
            self.compared - differ - self.wrong.len(),
            self.wrong.len()
        );
        if differ > 0 {
            text += "\n| the published code | differences |\n|---|---|\n";
        }
        let mut rows: Vec<_> = self.causes.iter().collect();
        rows.sort_by_key(|(quirks, _)| (quirks.len(), **quirks));
        for (quirks, (count, _)) in &rows {
            let says: Vec<&str> = quirks.iter().map(Quirk::says).collect();
            text += &format!("| {} | {count} |\n", says.join("; and "));
        }
        if std::env::var_os("MAPO_EXAMPLES").is_some() {
            for (quirks, (_, examples)) in &rows {
                let names: Vec<String> = quirks.iter().map(|quirk| format!("{quirk:?}")).collect();
                text += &format!("\n{}\n  {}\n", names.join(" and "), examples.join("\n  "));
            }
        }
        eprintln!("{text}");
        assert!(self.compared > 0, "{title}: nothing was compared");
        let some: Vec<&String> = self.wrong.iter().take(12).collect();
        assert!(
            some.is_empty(),
            "{title}: {} unexplained, such as\n{some:#?}",
            self.wrong.len()
        );
        let found = self.causes.keys().fold(Quirks::NONE, |all, quirks| all | *quirks);
        assert_eq!(found, Quirks::of(causes), "{title}: the causes have changed");
    }
}

/// How many examples of each cause are kept; `MAPO_EXAMPLES=1` prints them.
const EXAMPLES: usize = 5;

fn short(thing: &impl std::fmt::Debug) -> String {
    format!("{thing:?}").chars().take(700).collect()
}
