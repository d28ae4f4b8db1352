//! What is asked: a function for each kind of question, which draws what it is about and says it.

mod differences;
mod groups;
mod look_ups;
mod selections;
mod superlatives;
mod totals;
mod yes_or_no;

use crate::choices::Choices;
use crate::conditions::Condition;
use crate::headers::{head, is_plural};
use crate::profile::{Facet, Profile, Role};
use crate::sketch::{From, Step};

/// A question with the program that is meant.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub question: String,
    pub steps: Vec<Step>,
}

/// Draws a question of a kind about a table; none if this time nothing suits.
type Intent = fn(&Profile<'_>, &mut Choices) -> Option<Draft>;

/// A kind of question: its name, how often it is asked, and what draws it.
pub(crate) struct Kind {
    pub name: &'static str,
    pub weight: usize,
    pub draw: Intent,
}

const fn kind(name: &'static str, weight: usize, draw: Intent) -> Kind {
    Kind { name, weight, draw }
}

/// All kinds. The weights are by hand: what people ask most, and of that more what is hard.
pub(crate) static KINDS: &[Kind] = &[
    kind("look up", 13, look_ups::look_up),
    kind("look up by two", 6, look_ups::look_up_by_two),
    kind("list", 5, selections::list),
    kind("count", 11, selections::count),
    kind("count all", 1, selections::count_all),
    kind("two conditions", 11, selections::count_by_two),
    kind("three conditions", 9, selections::count_by_three),
    kind("superlative", 12, superlatives::superlative),
    kind("superlative within", 15, superlatives::superlative_within),
    kind("extreme value", 5, superlatives::extreme_value),
    kind("top k", 4, superlatives::top_k),
    kind("k-th", 2, superlatives::kth),
    kind("average", 9, totals::average),
    kind("sum", 8, totals::sum),
    kind("most common", 3, groups::most_common),
    kind("best group", 5, groups::best_group),
    kind("per group", 3, groups::per_group),
    kind("different values", 4, groups::different_values),
    kind("difference", 4, differences::of_two_rows),
    kind("difference of columns", 2, differences::of_two_columns),
    kind("difference of groups", 2, differences::of_two_groups),
    kind("together", 1, differences::together),
    kind("share", 2, differences::share),
    kind("place", 3, look_ups::place_in_table),
    kind("is there", 2, yes_or_no::is_there),
    kind("is more", 2, yes_or_no::is_more),
    kind("is that so", 2, yes_or_no::is_so),
];

/// The steps that keep the rows of some conditions, one after another, and where the rows then are.
fn kept(conditions: &[Condition], before: usize) -> (Vec<Step>, From) {
    let mut from = From::All;
    let mut steps = Vec::new();
    for condition in conditions {
        steps.push(Step::Keep(from, condition.test.clone()));
        from = From::Step(before + steps.len() - 1);
    }
    (steps, from)
}

/// How rows are called in a program.
fn rows_of(from: From) -> String {
    match from {
        From::All => "all_rows".to_owned(),
        From::Step(step) => format!("${step}"),
    }
}

/// Some conditions on different columns.
fn conditions(
    profile: &Profile<'_>,
    count: usize,
    without: &[usize],
    choices: &mut Choices,
) -> Option<Vec<Condition>> {
    let mut drawn: Vec<Condition> = Vec::new();
    let mut without = without.to_vec();
    for _ in 0..count {
        let condition = Condition::draw(profile, &without, choices)?;
        without.push(condition.source);
        drawn.push(condition);
    }
    let meets = |row: &usize| drawn.iter().all(|condition| condition.rows.contains(row));
    let met = (0..profile.table.rows()).filter(meets).count();
    (met > 0).then_some(drawn)
}

/// Any column of some roles other than those.
fn facet<'a>(
    profile: &'a Profile<'_>,
    roles: &[Role],
    without: &[usize],
    choices: &mut Choices,
) -> Option<&'a Facet> {
    choices.pick(&profile.others_of_roles(roles, without)).copied()
}

/// The same for columns of which the most is asked: a place in an order is one of them, where words say which end is best.
fn ranked<'a>(profile: &'a Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<&'a Facet> {
    let mut facets = profile.others_of_roles(&[Role::Amount, Role::Count, Role::Time, Role::Rank], without);
    facets.retain(|facet| facet.role != Role::Rank || facet.alone && facet.measure.is_some());
    choices.pick(&facets).copied()
}

const ORDERED: &[Role] = &[Role::Amount, Role::Count, Role::Time];
const NUMBERS: &[Role] = &[Role::Amount, Role::Count];

/// The name of a column in programs.
fn column(profile: &Profile<'_>, id: mapo_tables::ColumnId) -> String {
    profile.table.column(id).name().to_owned()
}

/// The text of a column in programs.
fn text(profile: &Profile<'_>, facet: &Facet) -> String {
    column(profile, facet.text)
}

/// The numbers or dates of a column in programs.
fn ordered(profile: &Profile<'_>, facet: &Facet) -> Option<String> {
    Some(column(profile, facet.ordered?))
}

/// One of some templates with its slots filled.
fn say(choices: &mut Choices, templates: &[&str], slots: &[(&str, &str)]) -> Option<String> {
    let template = choices.pick(templates)?;
    Some(fill(template, slots))
}

/// The same of templates for all rows, or of those for rows within conditions.
fn say_within(
    choices: &mut Choices,
    conditions: &[Condition],
    plain: &[&str],
    within: &[&str],
    slots: &[(&str, &str)],
) -> Option<String> {
    say(choices, if conditions.is_empty() { plain } else { within }, slots)
}

fn fill(template: &str, slots: &[(&str, &str)]) -> String {
    let mut said = template.to_owned();
    for (slot, words) in slots {
        // Several are.
        if ["noun", "asked"].contains(slot) && is_plural(head(words)) {
            for (one, many) in [
                ("is the", "are the"),
                ("was the", "were the"),
                ("what's the", "what are the"),
            ] {
                said = said.replace(&format!("{one} {{{slot}}}"), &format!("{many} {{{slot}}}"));
            }
        }
        said = said.replace(&format!("{{{slot}}}"), words);
    }
    said
}
