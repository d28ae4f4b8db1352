//! What is asked: for each intent a program and the templates of its question.

use super::choices::Choices;
use super::domains::{Amount, Counted, Format, Kind, Tense, TimeForm};
use super::phrases::{self, Comparison, Shape};
use super::tables::{MONTHS, Sheet, SheetColumn};
use crate::Date;
use crate::language::Constant;
use crate::text::normalize;

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

/// A condition on rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Compare(Comparison),
    In,
    InEither,
    NotIn,
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
struct Slots(Vec<(&'static str, String)>);

impl Slots {
    fn set(&mut self, slot: &'static str, text: impl Into<String>) {
        self.0.push((slot, text.into()));
    }

    /// Fills a template. What fills a slot may have slots itself.
    fn fill(&self, template: &str) -> String {
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
    fn new(program: String, slots: Slots) -> Plan {
        Plan {
            program,
            one: Vec::new(),
            many: Vec::new(),
            speaks_of_many: false,
            slots,
        }
    }

    fn one(mut self, templates: &[&'static str]) -> Plan {
        self.one.extend(templates);
        self
    }

    fn many(mut self, templates: &[&'static str]) -> Plan {
        self.many.extend(templates);
        self
    }

    fn speaking_of_many(mut self) -> Plan {
        self.speaks_of_many = true;
        self
    }

    /// The question for so many answers, if it can be asked.
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

/// An ordered column, as a question speaks of it.
enum Measure<'a> {
    Amount(&'a SheetColumn, &'a Amount),
    /// The last is which of the counts in the cell.
    Counts(&'a SheetColumn, &'a Counted, usize),
    Time(&'a SheetColumn, &'static str, TimeForm),
}

impl<'a> Measure<'a> {
    fn all(sheet: &'a Sheet) -> Vec<Measure<'a>> {
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

    fn pick(sheet: &'a Sheet, choices: &mut Choices, fits: impl Fn(&Measure) -> bool) -> Option<Measure<'a>> {
        let mut measures = Measure::all(sheet);
        measures.retain(fits);
        let place = choices.below(measures.len());
        (place < measures.len()).then(|| measures.swap_remove(place))
    }

    fn shape(&self) -> Shape {
        match self {
            Measure::Amount(..) => Shape::Amount,
            Measure::Counts(..) => Shape::Counts,
            Measure::Time(..) => Shape::Time,
        }
    }

    fn column(&self) -> &'a SheetColumn {
        match self {
            Measure::Amount(column, _) | Measure::Counts(column, ..) | Measure::Time(column, ..) => column,
        }
    }

    /// The typed column in programs.
    fn name(&self) -> String {
        let kind = match self {
            Measure::Amount(..) | Measure::Counts(_, _, 0) => "num",
            Measure::Counts(..) => "num2",
            Measure::Time(_, _, TimeForm::Year) => "num",
            Measure::Time(..) => "date",
        };
        format!("r.{}-{kind}", self.column().name)
    }

    fn describe(&self, slots: &mut Slots) {
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
    fn number(&self, row: usize) -> Option<i64> {
        let cell = &self.column().cells[row];
        match self {
            Measure::Amount(..) => cell.numbers.first().copied(),
            Measure::Counts(_, _, place) => cell.numbers.get(*place).copied(),
            Measure::Time(..) => None,
        }
    }

    /// A value of the column: how a question says it, with the preposition for a time, and the constant.
    fn value(
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
            Some(word) if word.is_empty() => return None,
            Some(word) if in_words => (*word).to_owned(),
            _ => column.format.say(number, unit),
        };
        let typed = sheet.table.column(sheet.table.find(&self.name())?);
        let constant = match typed.value(row)? {
            crate::Value::Number(number) => Constant::number(number),
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
struct Said {
    text: String,
    on: &'static str,
    constant: Constant,
}

/// Small numbers in words; none for those that ask for a singular noun.
const NUMERALS: [&str; 13] = [
    "", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

fn said_time(date: Date, form: TimeForm, comparison: Comparison, choices: &mut Choices) -> Option<Said> {
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

/// A condition on rows: its expression over all rows, and its words.
struct Condition {
    filter: String,
    verb: String,
    with: String,
}

impl Condition {
    fn draw(test: Test, sheet: &Sheet, slots: &mut Slots, choices: &mut Choices) -> Option<Condition> {
        match test {
            Test::Compare(comparison) => Condition::compare(comparison, sheet, slots, choices),
            Test::In | Test::InEither | Test::NotIn => Condition::group(test, sheet, choices),
        }
    }

    fn compare(
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
        let (verb, with) = choices.pick(comparison.phrases(measure.shape()))?;
        measure.describe(slots);
        slots.set("n", value.text);
        slots.set("on", value.on);
        let filter = format!(
            "({} all_rows {} {})",
            comparison.function(),
            value.constant,
            measure.name()
        );
        Some(Condition {
            filter,
            verb: (*verb).to_owned(),
            with: (*with).to_owned(),
        })
    }

    fn group(test: Test, sheet: &Sheet, choices: &mut Choices) -> Option<Condition> {
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

fn pick_group<'a>(sheet: &'a Sheet, choices: &mut Choices) -> Option<(&'a SheetColumn, &'static str)> {
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

fn distinct(column: &SheetColumn) -> Vec<&str> {
    let mut values: Vec<&str> = column.cells.iter().map(|cell| cell.text.as_str()).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// `an audience`, `a budget`.
fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

impl Intent {
    /// A random question of this intent about the table, which may turn out not to be worth asking.
    pub fn plan(self, sheet: &Sheet, choices: &mut Choices) -> Option<Plan> {
        let mut slots = common_slots(sheet);
        let key = format!("r.{}-str", crate::column_name(sheet.key.header));
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

fn common_slots(sheet: &Sheet) -> Slots {
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
