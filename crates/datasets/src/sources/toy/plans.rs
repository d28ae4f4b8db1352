//! A program with the templates of its question, and how they are filled.

use super::domains::Tense;
use super::tables::Sheet;
use mapo_composing::Choices;

/// A program, and the question once it is known how many things answer it.
pub(super) struct Plan {
    pub program: String,
    /// Templates for one answer; none if there must be several.
    one: Vec<&'static str>,
    /// Templates for several answers; none if there must be one.
    many: Vec<&'static str>,
    /// Whether rows are counted or summed up, so that the templates speak of many though the answer is one.
    speaks_of_many: bool,
    slots: Slots,
}

/// What fills the templates.
#[derive(Default)]
pub(super) struct Slots(Vec<(&'static str, String)>);

impl Slots {
    /// What every question about a table may say.
    pub fn of(sheet: &Sheet) -> Slots {
        let mut slots = Slots::default();
        slots.set("key", sheet.key.one);
        slots.set("keys", sheet.key.many);
        slots.set("a key", with_article(sheet.key.one));
        let past = sheet.domain.tense == Tense::Past;
        for (slot, now, then) in [
            ("is", "is", "was"),
            ("has", "has", "had"),
            ("have", "have", "had"),
            ("does", "does", "did"),
        ] {
            slots.set(slot, if past { then } else { now });
        }
        slots
    }

    pub fn set(&mut self, slot: &'static str, text: impl Into<String>) {
        self.0.push((slot, text.into()));
    }

    /// Fills a template. What fills a slot may have slots itself.
    pub fn fill(&self, template: &str) -> String {
        let mut text = template.to_owned();
        for _ in 0..3 {
            for (slot, filling) in &self.0 {
                text = text.replace(&format!("{{{slot}}}"), filling);
            }
        }
        // A condition that is not there leaves its blanks behind.
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        words
            .join(" ")
            .replace(" ?", "?")
            .replace(" .", ".")
            .replace(" ,", ",")
    }
}

impl Plan {
    pub fn new(program: String, slots: Slots) -> Plan {
        Plan {
            program,
            one: Vec::new(),
            many: Vec::new(),
            speaks_of_many: false,
            slots,
        }
    }

    pub fn one(mut self, templates: &[&'static str]) -> Plan {
        self.one.extend(templates);
        self
    }

    pub fn many(mut self, templates: &[&'static str]) -> Plan {
        self.many.extend(templates);
        self
    }

    pub fn speaking_of_many(mut self) -> Plan {
        self.speaks_of_many = true;
        self
    }

    /// The question for this many answers, if it can be asked.
    pub fn question(mut self, answers: usize, sheet: &Sheet, choices: &mut Choices) -> Option<String> {
        let templates = if answers == 1 { &self.one } else { &self.many };
        let template = *choices.pick(templates)?;
        let many = answers > 1 || self.speaks_of_many;
        let past = sheet.domain.tense == Tense::Past;
        let slots = &mut self.slots;
        slots.set(
            "HAVE",
            if past {
                "had"
            } else if many {
                "have"
            } else {
                "has"
            },
        );
        slots.set(
            "DO",
            if past {
                "did"
            } else if many {
                "do"
            } else {
                "does"
            },
        );
        slots.set(
            "ARE",
            match (past, many) {
                (false, true) => "are",
                (false, false) => "is",
                (true, true) => "were",
                (true, false) => "was",
            },
        );
        slots.set("WERE", if many { "were" } else { "was" });
        slots.set("WON", if many { "{won_many}" } else { "{won}" });
        slots.set("DID", if many { "{did_many}" } else { "{did}" });
        let question = slots.fill(template);
        (!question.contains('{')).then_some(question)
    }
}

/// `an audience`, `a budget`.
pub(super) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}
