//! The shapes that parts of a form have.

use super::obstacle::{Obstacle, obstacle};
use crate::study::annotated::form::Form;
use mapo_tables::ColumnKind;
use mapo_tables::Constant;
use mapo_text::Date;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The values of a column in some rows, as a form names them.
pub(super) struct Values<'a> {
    pub column: &'a str,
    pub kind: ColumnKind,
    pub rows: &'a Form,
}

/// `(!r.X ROWS)`, or a reading of it such as `(@!p.num (!r.X ROWS))`.
pub(super) fn values(form: &Form) -> Result<Values<'_>, Obstacle> {
    let [Form::Word(head), of] = form.items() else {
        return Err(obstacle(form));
    };
    if let Some(column) = head.strip_prefix('!').filter(|name| name.starts_with("r.")) {
        let kind = ColumnKind::Text;
        return Ok(Values {
            column,
            kind,
            rows: of,
        });
    }
    let kind = reading_kind(head).ok_or_else(|| obstacle(form))?;
    match values(of)? {
        values if values.kind == ColumnKind::Text => Ok(Values { kind, ..values }),
        _ => Err(Obstacle::Other),
    }
}

pub(super) fn reading_kind(head: &str) -> Option<ColumnKind> {
    property_kind(&head.replacen('!', "", 1)).filter(|_| head.starts_with("@!"))
}

pub(super) fn property_kind(head: &str) -> Option<ColumnKind> {
    match head {
        "@p.num" => Some(ColumnKind::Number),
        "@p.num2" => Some(ColumnKind::SecondNumber),
        "@p.date" => Some(ColumnKind::Date),
        _ => None,
    }
}

/// `(r.X VALUES)`
pub(super) fn relation(form: &Form) -> Option<(&str, &Form)> {
    match form.items() {
        [Form::Word(column), of] if column.starts_with("r.") => Some((column, of)),
        _ => None,
    }
}

/// `(r.X (!r.X ROW))`: all rows with the value that one has.
pub(super) fn same_value(form: &Form) -> Option<(&str, &Form)> {
    let (column, of) = relation(form)?;
    let of = values(of).ok()?;
    (of.column == column && of.kind == ColumnKind::Text).then_some((column, of.rows))
}

pub(super) fn is_condition(form: &Form) -> bool {
    relation(form).is_some()
        || is_all_rows(form)
        || form
            .after("and")
            .is_some_and(|parts| parts.iter().all(is_condition))
}

pub(super) fn is_all_rows(form: &Form) -> bool {
    matches!(form.items(), [Form::Word(a), Form::Word(b)] if a == "@type" && b == "@row")
}

pub(super) fn list_parts(form: &Form) -> bool {
    form.head() == Some("@!p.part")
}

/// The cells that `c.x` or `(or c.x c.y)` names.
pub(super) fn cells(form: &Form) -> Option<Vec<&str>> {
    named(form, "c.")
}

pub(super) fn named<'a>(form: &'a Form, prefix: &str) -> Option<Vec<&'a str>> {
    match form {
        Form::Word(word) => Some(vec![word.strip_prefix(prefix)?]),
        Form::List(_) => {
            let parts = form.after("or")?.iter().map(|part| named(part, prefix));
            Some(parts.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
        }
    }
}

/// A number, or `(date Y M D)` with -1 for what is unknown.
pub(super) fn constant(form: &Form, kind: ColumnKind) -> Option<Constant> {
    match form {
        Form::Word(number) if kind.is_number() => {
            let number = number.parse::<f64>().ok().filter(|number| number.is_finite())?;
            Some(Constant::number(number + 0.0))
        }
        Form::List(_) => {
            let parts = form.after("date")?.iter();
            let parts: Option<Vec<i32>> = parts.map(|part| part.word()?.parse().ok()).collect();
            let [year, month, day] = parts?[..] else {
                return None;
            };
            let small = |part: i32| u8::try_from(part).ok().filter(|part| *part > 0);
            Some(Constant::date(Date {
                year: (year >= 0).then_some(year),
                month: small(month),
                day: small(day),
            }))
        }
        Form::Word(_) => None,
    }
}

/// Several constants as one.
pub(super) fn join(constants: Vec<Constant>) -> Option<Constant> {
    constants.into_iter().reduce(|one, other| match (one, other) {
        (Constant::Numbers(mut one), Constant::Numbers(other)) => {
            one.extend(other);
            Constant::Numbers(one)
        }
        (Constant::Dates(mut one), Constant::Dates(other)) => {
            one.extend(other);
            Constant::Dates(one)
        }
        (one, _) => one,
    })
}

/// The name that the dataset gives a cell: its letters and digits without accents, in lower case, joined by
/// `_`.
pub(super) fn cell_name(text: &str) -> String {
    let mut name = String::new();
    for c in text.nfkd() {
        let c = c.to_ascii_lowercase();
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if c.is_alphanumeric() || c.general_category() == GeneralCategory::NonspacingMark {
            // Accents and letters of other scripts leave no trace.
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    name.truncate(name.trim_end_matches('_').len());
    match name.is_empty() {
        true => "null".to_owned(),
        false => name,
    }
}
