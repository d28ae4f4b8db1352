//! Conditions on days, months and years of a column of dates.

use super::{Condition, Said};
use crate::choices::Choices;
use crate::headers::with_article;
use crate::profile::{Facet, Profile, Role};
use mapo_tables::{ColumnKind, Value};
use mapo_text::{Date, MONTHS};

impl Condition {
    /// What a row did at a time: "were built in 1999", "in 1999".
    pub(super) fn at(facet: &Facet, on: &str, choices: &mut Choices) -> Option<Said> {
        let own = facet.measure.filter(|_| facet.alone).map(|measure| measure.at);
        let said = match own.and_then(|own| choices.pick(own)) {
            Some(&"{on}") => Said::With(on.to_owned()),
            Some(did) => Said::That(did.replace("{on}", on)),
            None => {
                let noun = facet.noun(choices);
                let forms: &[&str] = match on.starts_with("in ") {
                    true => &["with {a noun} {on}", "whose {noun} is {on}"],
                    false => &["with the {noun} {at}", "whose {noun} is {at}"],
                };
                let form = choices.pick(forms)?;
                let at = on.trim_start_matches("on ");
                Said::With(
                    form.replace("{a noun}", &with_article(&noun))
                        .replace("{noun}", &noun)
                        .replace("{on}", on)
                        .replace("{at}", at),
                )
            }
        };
        Some(said)
    }

    /// A date is this day, or in this month or year: "on 4 May 2017", "in May 2017", "in 2017".
    pub fn dated(profile: &Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<Condition> {
        let facets = profile.others_of_roles(&[Role::Time], without);
        let facet = choices.pick(&facets)?;
        let column = profile.table.column(facet.ordered?);
        if column.kind() != ColumnKind::Date {
            return None;
        }
        let date = |row: usize| match column.value(row) {
            Some(Value::Date(date)) => Some(date),
            _ => None,
        };
        let dated: Vec<(usize, Date)> = (0..profile.table.rows())
            .filter_map(|row| Some((row, date(row)?)))
            .collect();
        let (row, meant) = *choices.pick(&dated)?;
        let (year, month, day) = (meant.year?, meant.month?, meant.day?);
        let name = MONTHS.get(usize::from(month).checked_sub(1)?)?;
        let in_year = |other: &Date| other.year == Some(year);
        let in_month = |other: &Date| in_year(other) && other.month == Some(month);
        let (on, rows): (String, Vec<usize>) = match choices.below(4) {
            0 | 1 => {
                let forms = [
                    profile.table.cell(row, facet.source).trim().to_owned(),
                    format!("{year}-{month:02}-{day:02}"),
                    format!("{day} {name} {year}"),
                    format!("{name} {day}, {year}"),
                ];
                let form = choices.pick(&forms)?;
                let same = dated.iter().filter(|(_, other)| *other == meant);
                (format!("on {form}"), same.map(|(row, _)| *row).collect())
            }
            2 => {
                let same = dated.iter().filter(|(_, other)| in_month(other));
                (format!("in {name} {year}"), same.map(|(row, _)| *row).collect())
            }
            _ => {
                let same = dated.iter().filter(|(_, other)| in_year(other));
                (format!("in {year}"), same.map(|(row, _)| *row).collect())
            }
        };
        Some(Condition::of_rows(
            facet.source,
            rows,
            Condition::at(facet, &on, choices)?,
        ))
    }
}
