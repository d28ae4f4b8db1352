//! What is asked: for each intent a program and the templates of its question.

use super::conditions::{Condition, Test, pick_group};
use super::domains::{Amount, Format, Kind, TimeForm};
use super::measures::Measure;
use super::phrases::{self, Shape};
use super::plans::{Plan, Slots};
use super::tables::{Sheet, SheetColumn};
use mapo_composing::Choices;
use mapo_language::Comparison;
use mapo_tables::Constant;
use mapo_text::normalize;

/// Something that a question can be after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    LookUp,
    LookBack,
    List(Test),
    Count(Test),
    CountAll,
    Edge { last: bool, narrowed: bool },
    Neighbour { next: bool },
    Extreme { most: bool, narrowed: bool },
    Aggregate { of: Summary, narrowed: bool },
    Mode,
    Same,
    Difference,
}

/// One number from many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summary {
    Max,
    Min,
    Average,
    Sum,
}

/// How often each intent is asked, out of the sum of these numbers.
pub(super) const DECK: &[(Intent, usize)] = {
    use Comparison::*;
    use Intent::*;
    use Test::*;
    &[
        (LookUp, 6),
        (LookBack, 2),
        (List(Compare(Greater)), 2),
        (List(Compare(AtLeast)), 2),
        (List(Compare(Less)), 2),
        (List(Compare(AtMost)), 2),
        (List(Compare(Equal)), 3),
        (List(Compare(NotEqual)), 2),
        (List(In), 3),
        (List(InEither), 1),
        (List(NotIn), 2),
        (Intent::Count(Compare(Greater)), 2),
        (Intent::Count(Compare(AtLeast)), 2),
        (Intent::Count(Compare(Less)), 2),
        (Intent::Count(Compare(AtMost)), 2),
        (Intent::Count(Compare(Equal)), 1),
        (Intent::Count(Compare(NotEqual)), 2),
        (Intent::Count(In), 2),
        (Intent::Count(InEither), 1),
        (Intent::Count(NotIn), 2),
        (CountAll, 2),
        (
            Edge {
                last: false,
                narrowed: false,
            },
            3,
        ),
        (
            Edge {
                last: false,
                narrowed: true,
            },
            1,
        ),
        (
            Edge {
                last: true,
                narrowed: false,
            },
            3,
        ),
        (
            Edge {
                last: true,
                narrowed: true,
            },
            1,
        ),
        (Neighbour { next: false }, 4),
        (Neighbour { next: true }, 4),
        (
            Extreme {
                most: true,
                narrowed: false,
            },
            4,
        ),
        (
            Extreme {
                most: true,
                narrowed: true,
            },
            1,
        ),
        (
            Extreme {
                most: false,
                narrowed: false,
            },
            4,
        ),
        (
            Extreme {
                most: false,
                narrowed: true,
            },
            1,
        ),
        (
            Aggregate {
                of: Summary::Max,
                narrowed: false,
            },
            3,
        ),
        (
            Aggregate {
                of: Summary::Max,
                narrowed: true,
            },
            1,
        ),
        (
            Aggregate {
                of: Summary::Min,
                narrowed: false,
            },
            3,
        ),
        (
            Aggregate {
                of: Summary::Min,
                narrowed: true,
            },
            1,
        ),
        (
            Aggregate {
                of: Summary::Average,
                narrowed: false,
            },
            3,
        ),
        (
            Aggregate {
                of: Summary::Average,
                narrowed: true,
            },
            1,
        ),
        (
            Aggregate {
                of: Summary::Sum,
                narrowed: false,
            },
            3,
        ),
        (
            Aggregate {
                of: Summary::Sum,
                narrowed: true,
            },
            1,
        ),
        (Mode, 4),
        (Same, 5),
        (Difference, 5),
    ]
};

impl Intent {
    /// A random question of this intent about the table, which may turn out not to be worth asking.
    pub fn plan(self, sheet: &Sheet, choices: &mut Choices) -> Option<Plan> {
        let mut slots = Slots::of(sheet);
        let key = format!("r.{}-str", mapo_tables::column_name(sheet.key.header));
        match self {
            Intent::LookUp => look_up(sheet, slots, &key, choices),
            Intent::LookBack => look_back(sheet, slots, &key, choices),
            Intent::List(test) => {
                let condition = Condition::draw(test, sheet, &mut slots, choices)?;
                slots.set("verb", condition.verb);
                slots.set("with", condition.with);
                let plan = Plan::new(format!("{} (hop v0 {key})", condition.filter), slots);
                Some(plan.one(phrases::LIST_ONE).many(phrases::LIST_MANY))
            }
            Intent::Count(test) => {
                let condition = Condition::draw(test, sheet, &mut slots, choices)?;
                slots.set("verb", condition.verb);
                slots.set("with", condition.with);
                let plan = Plan::new(format!("{} (count v0)", condition.filter), slots);
                Some(plan.one(phrases::COUNT).speaking_of_many())
            }
            Intent::CountAll => Some(
                Plan::new("(count all_rows)".to_owned(), slots)
                    .one(phrases::COUNT_ALL)
                    .speaking_of_many(),
            ),
            Intent::Edge { last, narrowed } => {
                let function = if last { "last" } else { "first" };
                let (before, rows) = narrow(narrowed, sheet, &mut slots, choices)?;
                let next = if narrowed { "v1" } else { "v0" };
                let plan = Plan::new(format!("{before}({function} {rows}) (hop {next} {key})"), slots);
                let edge = if last { phrases::BOTTOM } else { phrases::TOP };
                let plan = plan.one(if last { phrases::LAST } else { phrases::FIRST });
                Some(if narrowed { plan } else { plan.one(edge) })
            }
            Intent::Neighbour { next } => {
                let function = if next { "next" } else { "previous" };
                let row = choices.below(sheet.names.len());
                let find = find_row(sheet, row, "x", &mut slots, &key);
                let plan = Plan::new(format!("{find} ({function} v0) (hop v1 {key})"), slots);
                Some(plan.one(if next { phrases::NEXT } else { phrases::PREVIOUS }))
            }
            Intent::Extreme { most, narrowed } => {
                let function = if most { "argmax" } else { "argmin" };
                let (before, rows) = narrow(narrowed, sheet, &mut slots, choices)?;
                let measure = Measure::pick(sheet, choices, |_| true)?;
                measure.describe(&mut slots);
                let next = if narrowed { "v1" } else { "v0" };
                let program = format!(
                    "{before}({function} {rows} {}) (hop {next} {key})",
                    measure.name()
                );
                let templates = if most { phrases::argmax } else { phrases::argmin };
                let plan = Plan::new(program, slots).one(templates(measure.shape()));
                Some(match measure {
                    Measure::Amount(_, Amount { rows: Some(_), .. }) => plan.one(if most {
                        phrases::ROW_MOST
                    } else {
                        phrases::ROW_LEAST
                    }),
                    _ => plan,
                })
            }
            Intent::Aggregate { of, narrowed } => {
                let (before, rows) = narrow(narrowed, sheet, &mut slots, choices)?;
                let measure = Measure::pick(sheet, choices, |measure| of.fits(measure))?;
                measure.describe(&mut slots);
                let program = format!("{before}({} {rows} {})", of.function(), measure.name());
                let plan = Plan::new(program, slots).one(of.templates()(measure.shape()));
                Some(plan.speaking_of_many())
            }
            Intent::Mode => {
                let (column, _) = pick_group(sheet, choices)?;
                slots.set("noun", column.noun.clone());
                Some(Plan::new(format!("(mode all_rows r.{}-str)", column.name), slots).one(phrases::MODE))
            }
            Intent::Same => same(sheet, slots, &key, choices),
            Intent::Difference => difference(sheet, slots, &key, choices),
        }
    }
}

impl Summary {
    fn function(self) -> &'static str {
        match self {
            Summary::Max => "max",
            Summary::Min => "min",
            Summary::Average => "average",
            Summary::Sum => "sum",
        }
    }

    fn templates(self) -> fn(Shape) -> &'static [&'static str] {
        match self {
            Summary::Max => phrases::max,
            Summary::Min => phrases::min,
            Summary::Average => phrases::average,
            Summary::Sum => phrases::sum,
        }
    }

    /// Whether people ask for this of the measure, and would write the answer as a plain number.
    fn fits(self, measure: &Measure) -> bool {
        let plain = !matches!(measure.column().format, Format::Millions | Format::Clock);
        match measure {
            Measure::Amount(_, amount) => plain && (self != Summary::Sum || amount.adds_up),
            Measure::Counts(..) => true,
            Measure::Time(_, _, form) => {
                *form == TimeForm::Year && matches!(self, Summary::Max | Summary::Min)
            }
        }
    }
}

/// An expression that finds a row by its name; the name fills a slot.
fn find_row(sheet: &Sheet, row: usize, slot: &'static str, slots: &mut Slots, key: &str) -> String {
    let name = &sheet.names[row];
    slots.set(slot, name.clone());
    format!("(filter_in all_rows {} {key})", Constant::string(normalize(name)))
}

/// The expression that narrows the rows, if any, and what the next one takes.
fn narrow(
    narrowed: bool,
    sheet: &Sheet,
    slots: &mut Slots,
    choices: &mut Choices,
) -> Option<(String, &'static str)> {
    if !narrowed {
        slots.set("of", "");
        return Some((String::new(), "all_rows"));
    }
    let condition = Condition::group(Test::In, sheet, choices)?;
    slots.set("of", condition.with);
    Some((format!("{} ", condition.filter), "v0"))
}

fn look_up(sheet: &Sheet, mut slots: Slots, key: &str, choices: &mut Choices) -> Option<Plan> {
    let row = choices.below(sheet.names.len());
    let find = find_row(sheet, row, "x", &mut slots, key);
    let column = choices.pick(&sheet.columns)?;
    let (kind, templates) = match column.kind {
        Kind::Counts { .. } => {
            let measure = Measure::pick(sheet, choices, |measure| measure.column().name == column.name)?;
            measure.describe(&mut slots);
            let kind = match measure {
                Measure::Counts(_, _, 1) => "num2",
                _ if column.cells[row].numbers.len() > 1 => "num",
                _ => "str",
            };
            (kind, phrases::LOOK_UP_COUNT)
        }
        Kind::Time { done, form, .. } => {
            slots.set("done", *done);
            slots.set(
                "when",
                if *form == TimeForm::Year {
                    "in what year"
                } else {
                    "on what date"
                },
            );
            ("str", phrases::LOOK_UP_TIME)
        }
        _ => {
            slots.set("noun", column.noun.clone());
            ("str", phrases::LOOK_UP)
        }
    };
    Some(Plan::new(format!("{find} (hop v0 r.{}-{kind})", column.name), slots).one(templates))
}

fn look_back(sheet: &Sheet, mut slots: Slots, key: &str, choices: &mut Choices) -> Option<Plan> {
    let details: Vec<&SheetColumn> = sheet
        .columns
        .iter()
        .filter(|column| matches!(column.kind, Kind::Detail(_)))
        .collect();
    let column = choices.pick(&details)?;
    let text = &choices.pick(&column.cells)?.text;
    slots.set("x", text.clone());
    slots.set("noun", column.noun.clone());
    let constant = Constant::string(normalize(text));
    let program = format!(
        "(filter_in all_rows {constant} r.{}-str) (hop v0 {key})",
        column.name
    );
    Some(Plan::new(program, slots).one(phrases::LOOK_BACK))
}

fn same(sheet: &Sheet, mut slots: Slots, key: &str, choices: &mut Choices) -> Option<Plan> {
    let row = choices.below(sheet.names.len());
    let find = find_row(sheet, row, "x", &mut slots, key);
    let program = |column: &str| format!("{find} (same_as v0 {column}) (hop v1 {key})");
    let counted = |measure: &Measure| measure.shape() == Shape::Counts;
    if choices.one_in(3) {
        let measure = Measure::pick(sheet, choices, counted)?;
        measure.describe(&mut slots);
        let plan = Plan::new(program(&measure.name()), slots);
        return Some(plan.one(phrases::SAME_ONE_COUNT).many(phrases::SAME_MANY_COUNT));
    }
    let (column, _) = pick_group(sheet, choices)?;
    slots.set("noun", column.noun.clone());
    let plan = Plan::new(program(&format!("r.{}-str", column.name)), slots);
    Some(plan.one(phrases::SAME_ONE).many(phrases::SAME_MANY))
}

fn difference(sheet: &Sheet, mut slots: Slots, key: &str, choices: &mut Choices) -> Option<Plan> {
    let measure = Measure::pick(sheet, choices, |measure| Summary::Average.fits(measure))?;
    measure.describe(&mut slots);
    let (a, b) = (choices.below(sheet.names.len()), choices.below(sheet.names.len()));
    let (more, less) = if measure.number(a)? > measure.number(b)? {
        (a, b)
    } else {
        (b, a)
    };
    let first = find_row(sheet, more, "x", &mut slots, key);
    let second = find_row(sheet, less, "y", &mut slots, key);
    let program = format!("{first} {second} (diff v0 v1 {})", measure.name());
    Some(Plan::new(program, slots).one(phrases::diff(measure.shape())))
}
