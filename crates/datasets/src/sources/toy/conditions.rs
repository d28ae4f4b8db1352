//! Conditions on rows: a filter and its words.

use super::domains::Kind;
use super::measures::Measure;
use super::phrases;
use super::plans::{Slots, with_article};
use super::tables::{Sheet, SheetColumn};
use mapo_composing::Choices;
use mapo_language::Comparison;
use mapo_tables::Constant;
use mapo_text::normalize;

/// A condition on rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Compare(Comparison),
    In,
    InEither,
    NotIn,
}

/// A condition on rows: its expression over all rows, and its words.
pub(super) struct Condition {
    pub filter: String,
    pub verb: String,
    pub with: String,
}

impl Condition {
    pub fn draw(test: Test, sheet: &Sheet, slots: &mut Slots, choices: &mut Choices) -> Option<Condition> {
        match test {
            Test::Compare(comparison) => Condition::compare(comparison, sheet, slots, choices),
            Test::In | Test::InEither | Test::NotIn => Condition::group(test, sheet, choices),
        }
    }

    pub fn compare(
        comparison: Comparison,
        sheet: &Sheet,
        slots: &mut Slots,
        choices: &mut Choices,
    ) -> Option<Condition> {
        // A row without a value is not known to have another one.
        let measure = Measure::pick(sheet, choices, |measure| {
            comparison != Comparison::NotEqual || measure.column().is_whole()
        })?;
        let value = measure.value(choices.below(sheet.names.len()), comparison, sheet, choices)?;
        let (verb, with) = choices.pick(phrases::compared(comparison, measure.shape()))?;
        measure.describe(slots);
        slots.set("n", value.text);
        slots.set("on", value.on);
        let filter = format!(
            "({} all_rows {} {})",
            phrases::filter_of(comparison),
            value.constant,
            measure.name()
        );
        Some(Condition {
            filter,
            verb: (*verb).to_owned(),
            with: (*with).to_owned(),
        })
    }

    pub fn group(test: Test, sheet: &Sheet, choices: &mut Choices) -> Option<Condition> {
        let (column, phrase) = pick_group(sheet, choices)?;
        let values = distinct(column);
        let first = choices.pick(&values)?.to_owned();
        let mut named = vec![first.to_owned()];
        if test == Test::InEither {
            let others: Vec<&str> = values.into_iter().filter(|value| *value != first).collect();
            // With two groups "either" would be all.
            let second = if others.len() > 1 {
                choices.pick(&others)
            } else {
                None
            };
            named.push((*second?).to_owned());
        }
        let function = if test == Test::NotIn {
            "filter_!in"
        } else {
            "filter_in"
        };
        let constant = Constant::Strings(named.iter().map(|name| normalize(name)).collect());
        let filter = format!("({function} all_rows {constant} r.{}-str)", column.name);
        let with = phrase.replace("{}", &named.join(" or "));
        // What a row is "with" it has, and what it is "from" it is from.
        let (verb, with) = match (with.strip_prefix("with "), test) {
            (Some(what), Test::NotIn) => (
                format!("{{DO}} not have {what}"),
                format!("with {} other than {first}", with_article(&column.noun)),
            ),
            (Some(what), _) => (format!("{{HAVE}} {what}"), with),
            (None, Test::NotIn) => (format!("{{ARE}} not {with}"), format!("not {with}")),
            (None, _) => (format!("{{ARE}} {with}"), with),
        };
        Some(Condition { filter, verb, with })
    }
}

pub(super) fn pick_group<'a>(
    sheet: &'a Sheet,
    choices: &mut Choices,
) -> Option<(&'a SheetColumn, &'static str)> {
    let groups: Vec<_> = sheet
        .columns
        .iter()
        .filter_map(|column| match column.kind {
            Kind::Group { phrase, .. } => Some((column, *phrase)),
            _ => None,
        })
        .collect();
    choices.pick(&groups).copied()
}

pub(super) fn distinct(column: &SheetColumn) -> Vec<&str> {
    let mut values: Vec<&str> = column.cells.iter().map(|cell| cell.text.as_str()).collect();
    values.sort_unstable();
    values.dedup();
    values
}
