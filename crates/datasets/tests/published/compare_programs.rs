//! Programs: results, rewards, extra work, and the tokens offered before each token.

use super::answers::{Answer, Right};
use super::compare_columns::wikisql_tables;
use super::data::{self, PublishedProgram, PublishedQuestion, TaggedTable};
use super::ours::ours;
use super::programs::{Held, extra_work};
use super::questions::Source;
use super::quirk::Quirk;
use super::tables;
use super::tally::Tally;
use super::worlds::{Asked, Worlds, places, sorted};
use mapo_datasets::scoring::wikisql::Target;
use mapo_datasets::scoring::wtq;
use mapo_datasets::sources::wikisql as wikisql_files;
use mapo_language::Program;
use rayon::prelude::*;
use std::collections::HashMap;

/// What is compared of programs.
#[derive(Default)]
struct Tallies {
    results: Tally,
    rewards: Tally,
    extra_work: Tally,
    offered: Tally,
}

/// Compares all programs of a question.
fn compare(asked: &Asked<'_>) -> Tallies {
    let mut tallies = Tallies::default();
    let mut worlds = Worlds::new(asked);
    let ordered = asked.example.language.like_sql;
    for published in &asked.programs {
        let what = || format!("{} {}", published.id, published.program);
        let program: Program = published.program.parse().unwrap();
        let ours = ours(asked.example, &program, ordered);
        let count = program.expressions.len();

        let result = Some(Answer::published(published, ordered));
        tallies.results.compare(what, &result, &ours.result, |quirks| {
            worlds
                .run(&program, quirks)
                .get(count - 1)
                .map(|held| Answer::of(held, ordered))
        });
        tallies
            .extra_work
            .compare(what, &Some(published.extra_work), &ours.extra_work, |quirks| {
                let held = worlds.run(&program, quirks).len();
                (held == count).then(|| extra_work(&program))
            });
        tallies
            .rewards
            .compare(what, &Some(published.reward), &ours.reward, |quirks| {
                let right = |held: &Held| asked.target.is_right(held, quirks) && !extra_work(&program);
                worlds
                    .run(&program, quirks)
                    .get(count - 1)
                    .map(|held| u8::from(right(held)))
            });
        let Some(valid) = &published.valid else { continue };
        let places = places(&program);
        assert_eq!(places.len(), valid.len(), "{}", what());
        for (index, (place, valid)) in places.into_iter().zip(valid).enumerate() {
            let what = || format!("{} token {index}", what());
            let valid = Some(sorted(valid.clone()));
            tallies
                .offered
                .compare(what, &valid, &ours.offered[index], |quirks| {
                    worlds.offered(&program, place, quirks)
                });
        }
    }
    tallies
}

fn compare_all(asked: &[Asked<'_>]) -> Tallies {
    let add = |mut all: Tallies, tallies: Tallies| {
        all.results.add(tallies.results);
        all.rewards.add(tallies.rewards);
        all.extra_work.add(tallies.extra_work);
        all.offered.add(tallies.offered);
        all
    };
    asked.par_iter().map(compare).reduce(Tallies::default, add)
}

impl Tallies {
    fn report(
        &self,
        dataset: &str,
        of_results: &[Quirk],
        of_rewards: &[Quirk],
        of_extra_work: &[Quirk],
        of_offers: &[Quirk],
    ) {
        let title = |what: &str| format!("{dataset}, {what}");
        self.results.report(&title("results of programs"), of_results);
        self.rewards.report(&title("rewards of programs"), of_rewards);
        self.extra_work
            .report(&title("extra work of programs"), of_extra_work);
        self.offered
            .report(&title("tokens offered, step by step"), of_offers);
    }
}

/// The programs of each question.
fn by_question(programs: &[PublishedProgram]) -> HashMap<&str, Vec<&PublishedProgram>> {
    let mut by_question: HashMap<&str, Vec<&PublishedProgram>> = HashMap::new();
    for program in programs {
        by_question.entry(&program.id).or_default().push(program);
    }
    by_question
}

#[test]
fn wtq_programs() {
    let Some(data) = data::folder() else { return };
    let programs: Vec<PublishedProgram> = data::vectors(&data, "wtq_programs.jsonl");
    let examples = data::wtq_examples(&data);
    let tagged = data::tagged_questions(&data);
    let asked: Vec<Asked<'_>> = by_question(&programs)
        .into_iter()
        .map(|(id, programs)| {
            let (example, question) = (&examples[id], &tagged[id]);
            let table = TaggedTable::open(&data, example.table.name());
            Asked {
                example,
                source: Source::Wtq(question),
                table: Box::new(move |quirks| tables::wtq(&table, quirks)),
                target: Right::Wtq(wtq::to_values(&question.answer, &question.canon)),
                programs,
            }
        })
        .collect();
    let tallies = compare_all(&asked);
    assert_eq!(tallies.results.compared, 24_416);
    let of_results = [
        Quirk::EmptyColumns,
        Quirk::EscapedCells,
        Quirk::NumbersMeetDates,
        Quirk::DatesOrderAsText,
        Quirk::DatesEqualAsText,
        Quirk::DatesAsDays,
    ];
    let of_rewards = [
        Quirk::EmptyColumns,
        Quirk::NumbersMeetDates,
        Quirk::DatesOrderAsText,
        Quirk::DatesAsDays,
    ];
    let of_offers = [
        Quirk::EmptyColumns,
        Quirk::EscapedCells,
        Quirk::PublishedTokens,
        Quirk::InsideWords,
        Quirk::Duplicates,
        Quirk::YearsAreNoValues,
        Quirk::YearRangesAreNoValues,
        Quirk::OnlyPlainNumbers,
        Quirk::FirstDigits,
        Quirk::NumbersMeetDates,
        Quirk::DatesEqualAsText,
        Quirk::DatesAsDays,
        Quirk::ArgumentsUnchecked,
        Quirk::FunctionsUnchecked,
    ];
    let of_extra_work = [Quirk::EmptyColumns]; // such programs cannot be written here
    tallies.report(
        "WikiTableQuestions",
        &of_results,
        &of_rewards,
        &of_extra_work,
        &of_offers,
    );
}

#[test]
fn wikisql_programs() {
    let Some(data) = data::folder() else { return };
    let programs: Vec<PublishedProgram> = data::vectors(&data, "wikisql_programs.jsonl");
    let questions: Vec<PublishedQuestion> = data::vectors(&data, "wikisql_questions.jsonl");
    let examples = data::wikisql_examples(&data, questions.iter().map(|question| question.id.clone()));
    let sources = wikisql_tables(&data);
    let mut answers = HashMap::new();
    for split in ["train", "dev"] {
        for asked in wikisql_files::questions(&data.join("wikisql"), split).unwrap() {
            answers.insert(asked.id, asked.answer);
        }
    }
    let published: HashMap<&str, &PublishedQuestion> = questions.iter().map(|q| (q.id.as_str(), q)).collect();
    let asked: Vec<Asked<'_>> = by_question(&programs)
        .into_iter()
        .map(|(id, programs)| {
            let (example, question) = (&examples[id], published[id]);
            let table = &sources[&question.table];
            Asked {
                example,
                source: Source::WikiSql {
                    text: &example.question.text,
                    tokens: &question.tokens,
                },
                table: Box::new(|_| tables::wikisql(table)),
                target: Right::WikiSql(Target::new(&answers[id])),
                programs,
            }
        })
        .collect();
    let tallies = compare_all(&asked);
    assert_eq!(tallies.results.compared, 13_860);
    let of_offers = [
        Quirk::PublishedTokens,
        Quirk::InsideWords,
        Quirk::NormalFormOnly,
        Quirk::Duplicates,
        Quirk::NumbersByToken,
        Quirk::ArgumentsUnchecked,
        Quirk::FunctionsUnchecked,
    ];
    tallies.report("WikiSQL", &[], &[Quirk::NullIsRewarded], &[], &of_offers);
}
