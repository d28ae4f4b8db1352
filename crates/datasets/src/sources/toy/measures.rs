//! Ordered columns as questions speak of them: amounts, things counted, times.

use super::domains::{Amount, Counted, Kind, Tense, TimeForm};
use super::phrases::Shape;
use super::plans::{Slots, with_article};
use super::tables::{Sheet, SheetColumn};
use mapo_composing::Choices;
use mapo_language::Comparison;
use mapo_tables::Constant;
use mapo_text::Date;
use mapo_text::MONTHS;

/// An ordered column, as a question speaks of it.
pub(super) enum Measure<'a> {
    Amount(&'a SheetColumn, &'a Amount),
    /// The last is which of the counts in the cell.
    Counts(&'a SheetColumn, &'a Counted, usize),
    Time(&'a SheetColumn, &'static str, TimeForm),
}

impl<'a> Measure<'a> {
    pub fn all(sheet: &'a Sheet) -> Vec<Measure<'a>> {
        let mut measures = Vec::new();
        for column in &sheet.columns {
            match column.kind {
                Kind::Amount(amount) => measures.push(Measure::Amount(column, amount)),
                Kind::Counts { counted, .. } => {
                    measures.extend(
                        (0..)
                            .zip(*counted)
                            .map(|(place, counted)| Measure::Counts(column, counted, place)),
                    );
                }
                Kind::Time { done, form, .. } => measures.push(Measure::Time(column, done, *form)),
                Kind::Group { .. } | Kind::Detail(_) | Kind::Rank => {}
            }
        }
        measures
    }

    pub fn pick(
        sheet: &'a Sheet,
        choices: &mut Choices,
        fits: impl Fn(&Measure) -> bool,
    ) -> Option<Measure<'a>> {
        let mut measures = Measure::all(sheet);
        measures.retain(fits);
        let place = choices.below(measures.len());
        (place < measures.len()).then(|| measures.swap_remove(place))
    }

    pub fn shape(&self) -> Shape {
        match self {
            Measure::Amount(..) => Shape::Amount,
            Measure::Counts(..) => Shape::Counts,
            Measure::Time(..) => Shape::Time,
        }
    }

    pub fn column(&self) -> &'a SheetColumn {
        match self {
            Measure::Amount(column, _) | Measure::Counts(column, ..) | Measure::Time(column, ..) => column,
        }
    }

    /// The typed column in programs.
    pub fn name(&self) -> String {
        let kind = match self {
            Measure::Amount(..) | Measure::Counts(_, _, 0) => "num",
            Measure::Counts(..) => "num2",
            Measure::Time(_, _, TimeForm::Year) => "num",
            Measure::Time(..) => "date",
        };
        format!("r.{}-{kind}", self.column().name)
    }

    pub fn describe(&self, slots: &mut Slots) {
        match self {
            Measure::Amount(column, amount) => {
                slots.set("noun", column.noun.clone());
                slots.set("a noun", with_article(&column.noun));
                slots.set("most", amount.most);
                slots.set("least", amount.least);
                slots.set("more", amount.more);
                if let Some((most, least)) = amount.rows {
                    slots.set("rowmost", most);
                    slots.set("rowleast", least);
                }
            }
            Measure::Counts(_, counted, _) => {
                let verb = counted.verb;
                let (did, did_many) = if verb.tense == Tense::Past {
                    ("did", "did")
                } else {
                    ("does", "do")
                };
                slots.set("noun", counted.noun);
                slots.set("won", verb.one);
                slots.set("won_many", verb.many);
                slots.set("win", verb.base);
                slots.set("did", did);
                slots.set("did_many", did_many);
            }
            Measure::Time(_, done, _) => slots.set("done", *done),
        }
    }

    /// The number of a row, in smallest units.
    pub fn number(&self, row: usize) -> Option<i64> {
        let cell = &self.column().cells[row];
        match self {
            Measure::Amount(..) => cell.numbers.first().copied(),
            Measure::Counts(_, _, place) => cell.numbers.get(*place).copied(),
            Measure::Time(..) => None,
        }
    }

    /// A value of the column: how a question says it, with the preposition for a time, and the constant.
    pub fn value(
        &self,
        row: usize,
        comparison: Comparison,
        sheet: &Sheet,
        choices: &mut Choices,
    ) -> Option<Said> {
        if let Measure::Time(column, _, form) = self {
            let date = column.cells[row].date?;
            return said_time(date, *form, comparison, choices);
        }
        let number = self.number(row)?;
        let column = self.column();
        let unit = if let Measure::Amount(_, amount) = self {
            amount.unit
        } else {
            ""
        };
        let in_words =
            self.shape() == Shape::Counts && (comparison == Comparison::Equal || choices.one_in(2));
        let text = match usize::try_from(number)
            .ok()
            .and_then(|number| NUMERALS.get(number))
        {
            // "One goals" and "no goals" are for another template.
            Some(&"") => return None,
            Some(word) if in_words => (*word).to_owned(),
            _ => column.format.say(number, unit),
        };
        let typed = sheet.table.column(sheet.table.find(&self.name())?);
        let constant = match typed.value(row)? {
            mapo_tables::Value::Number(number) => Constant::number(number),
            _ => return None,
        };
        Some(Said {
            text,
            on: "in",
            constant,
        })
    }
}

/// A value in a question and in a program.
pub(super) struct Said {
    pub text: String,
    pub on: &'static str,
    pub constant: Constant,
}

/// Small numbers in words; none for those that ask for a singular noun.
const NUMERALS: [&str; 13] = [
    "", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

pub(super) fn said_time(
    date: Date,
    form: TimeForm,
    comparison: Comparison,
    choices: &mut Choices,
) -> Option<Said> {
    let year = date.year?;
    let said = |text: String, on, date| {
        Some(Said {
            text,
            on,
            constant: Constant::date(date),
        })
    };
    if form == TimeForm::Year {
        return Some(Said {
            text: year.to_string(),
            on: "in",
            constant: Constant::number(f64::from(year)),
        });
    }
    let month = date.month?;
    let name = MONTHS.get(usize::from(month) - 1)?;
    match (form, comparison) {
        (_, Comparison::Equal) if choices.one_in(2) => {
            said(format!("{name} {}, {year}", date.day?), "on", date)
        }
        (TimeForm::Season, _) => said(format!("{name} {year}"), "in", Date { day: None, ..date }),
        _ => said(year.to_string(), "in", Date::of_year(year)),
    }
}
