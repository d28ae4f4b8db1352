//! Counting differences by cause.

use super::quirk::{Quirk, Quirks};
use std::collections::BTreeMap;

/// How often things were compared, and why they differed.
#[derive(Default)]
pub struct Tally {
    pub compared: usize,
    causes: BTreeMap<Quirks, usize>,
    /// Things that the plain implementation does not get as it should, with the first few.
    wrong: Vec<String>,
}

impl Tally {
    /// Notes one comparison: `published` with `ours`, which the plain implementation gives under a set of quirks.
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
            *self.causes.entry(needed).or_default() += 1;
        }
    }

    fn note(
        &mut self,
        what: String,
        whose: &str,
        theirs: &impl std::fmt::Debug,
        plain: &impl std::fmt::Debug,
    ) {
        let short = |text: String| text.chars().take(700).collect::<String>();
        let (theirs, plain) = (short(format!("{theirs:?}")), short(format!("{plain:?}")));
        self.wrong
            .push(format!("{what}: {whose} {theirs}; the plain one says {plain}"));
    }

    pub fn add(&mut self, other: Tally) {
        self.compared += other.compared;
        for (quirks, count) in other.causes {
            *self.causes.entry(quirks).or_default() += count;
        }
        self.wrong.extend(other.wrong);
    }

    fn differ(&self) -> usize {
        self.causes.values().sum()
    }

    /// Prints the counts as a table, and fails if anything was left unexplained.
    #[track_caller]
    pub fn report(&self, title: &str) {
        let differ = self.differ();
        let mut text = format!(
            "\n{title}: {} compared, {} equal, {differ} differ, {} unexplained\n",
            self.compared,
            self.compared - differ - self.wrong.len(),
            self.wrong.len()
        );
        if differ > 0 {
            text += "\n| the published code | alone | with another cause |\n|---|---|---|\n";
        }
        for quirk in Quirk::ALL {
            let count = |alone: bool| -> usize {
                let causes = self.causes.iter();
                let causes = causes.filter(|(quirks, _)| quirks.has(quirk) && (quirks.len() == 1) == alone);
                causes.map(|(_, count)| count).sum()
            };
            let (alone, joint) = (count(true), count(false));
            if alone + joint > 0 {
                text += &format!("| {} | {alone} | {joint} |\n", quirk.says());
            }
        }
        let joint = self.causes.iter().filter(|(quirks, _)| quirks.len() > 1);
        for (quirks, count) in joint {
            let names: Vec<String> = quirks.iter().map(|quirk| format!("{quirk:?}")).collect();
            text += &format!("  {count} by {}\n", names.join(" and "));
        }
        eprintln!("{text}");
        assert!(self.compared > 0, "{title}: nothing was compared");
        let some: Vec<&String> = self.wrong.iter().take(12).collect();
        assert!(
            some.is_empty(),
            "{title}: {} unexplained, such as\n{some:#?}",
            self.wrong.len()
        );
    }
}
