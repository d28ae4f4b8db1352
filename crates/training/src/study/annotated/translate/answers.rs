//! The steps that end with a form's value.

use super::obstacle::{Obstacle, obstacle};
use super::patterns::*;
use super::{Form, Translator};
use mapo_language::{Atom, Function};
use mapo_tables::ColumnKind;

impl Translator<'_> {
    /// Writes the steps that end with the form's value.
    pub(super) fn answer(&mut self, form: &Form) -> Result<(), Obstacle> {
        if let Ok(values) = values(form) {
            return self.hop(&values);
        }
        let parts = form.items().get(1..).unwrap_or_default();
        match (form.head(), parts) {
            (Some("count"), [of]) => {
                // Different values are counted by the rows that have them; the answer shows whether that is
                // the same.
                let rows = match values(of) {
                    Ok(values) => self.rows(values.rows)?,
                    Err(_) => self.rows(of)?,
                };
                self.push(Function::Count, vec![rows]);
                Ok(())
            }
            (Some(name @ ("max" | "min" | "sum" | "avg")), [of]) => {
                let function = match name {
                    "max" => Function::Max,
                    "min" => Function::Min,
                    "sum" => Function::Sum,
                    _ => Function::Average,
                };
                let values = values(of)?;
                let rows = self.rows(values.rows)?;
                let column = self.column(values.column, values.kind)?;
                self.push(function, vec![rows, column]);
                Ok(())
            }
            (Some("-"), [a, b]) => {
                let (Ok(a), Ok(b)) = (values(a), values(b)) else {
                    return Err(Obstacle::Arithmetic);
                };
                if (a.column, a.kind) != (b.column, b.kind) || !a.kind.is_number() {
                    return Err(Obstacle::Arithmetic);
                }
                let (one, other) = (self.rows(a.rows)?, self.rows(b.rows)?);
                let column = self.column(a.column, a.kind)?;
                self.push(Function::Diff, vec![one, other, column]);
                Ok(())
            }
            (Some("+"), _) => Err(Obstacle::Arithmetic),
            (Some("or"), _) => Err(Obstacle::Union),
            (Some("and"), [a, b]) if values(a).is_ok() => self.narrowed(a, b),
            (Some("and"), [a, b]) => self.narrowed(b, a),
            (Some("argmax" | "argmin"), [_, _, of, by]) => {
                self.best_value(form.head() == Some("argmax"), of, by, None)
            }
            (Some(reading), [of]) if reading_kind(reading).is_some() => {
                match (of.head(), of.items().get(1..).unwrap_or_default()) {
                    (Some("argmax" | "argmin"), [_, _, values, by]) => {
                        self.best_value(of.head() == Some("argmax"), values, by, reading_kind(reading))
                    }
                    _ => Err(obstacle(form)),
                }
            }
            _ => Err(obstacle(form)),
        }
    }

    pub(super) fn hop(&mut self, values: &Values<'_>) -> Result<(), Obstacle> {
        let rows = self.rows(values.rows)?;
        let column = self.column(values.column, values.kind)?;
        self.push(Function::Hop, vec![rows, column]);
        Ok(())
    }

    /// The values of a column with one left out, or of only some.
    fn narrowed(&mut self, of: &Form, by: &Form) -> Result<(), Obstacle> {
        let values = values(of).map_err(|_| Obstacle::Intersection)?;
        let left_out = by.head() == Some("!=");
        let is_number = |form: &Form| constant(form, ColumnKind::Number).is_some();
        let numbers = values.kind.is_number() && by.after("or").is_some_and(|all| all.iter().all(is_number));
        if !left_out && !numbers && cells(by).is_none() {
            return Err(Obstacle::Intersection);
        }
        if let (true, Some((column, row))) = (left_out, same_value(values.rows)) {
            let rows = self.rows(row)?;
            let column = self.column(column, ColumnKind::Text)?;
            let others = self.push(Function::SameAs, vec![rows, column]);
            let column = self.column(values.column, values.kind)?;
            self.push(Function::Hop, vec![others, column]);
            return Ok(());
        }
        let rows = self.rows(values.rows)?;
        let rows = match values.kind {
            ColumnKind::Text => self.condition(rows, values.column, by)?,
            kind => self.quantity(rows, values.column, kind, by)?,
        };
        let column = self.column(values.column, values.kind)?;
        self.push(Function::Hop, vec![rows, column]);
        Ok(())
    }

    /// The value that a measure makes the best: of named cells, or of a column.
    fn best_value(
        &mut self,
        largest: bool,
        of: &Form,
        by: &Form,
        reading: Option<ColumnKind>,
    ) -> Result<(), Obstacle> {
        let measure = match by.after("reverse").map(|parts| parts.first().map(Form::items)) {
            Some(Some([lambda, Form::Word(_), measure])) if lambda.word() == Some("lambda") => measure,
            _ => return Err(obstacle(by)),
        };
        let argument = if largest {
            Function::ArgMax
        } else {
            Function::ArgMin
        };
        // The cell of the row with the best number: the measure is a column in the row of each value.
        if let Ok(by) = values(measure) {
            let Some((key, Form::List(variable))) = relation(by.rows) else {
                return Err(obstacle(measure));
            };
            if variable.first().and_then(Form::word) != Some("var") {
                return Err(obstacle(measure));
            }
            let rows = match values(of) {
                Ok(of) if of.column == key => self.rows(of.rows)?,
                Ok(_) => return Err(Obstacle::Other),
                Err(_) => self.condition(Atom::AllRows, key, of)?,
            };
            let column = self.column(by.column, by.kind)?;
            let best = self.push(argument, vec![rows, column]);
            let column = self.column(key, reading.unwrap_or(ColumnKind::Text))?;
            self.push(Function::Hop, vec![best, column]);
            return Ok(());
        }
        // The most common value.
        let Some([counted]) = measure.after("count") else {
            return Err(match measure.head() {
                Some("sum" | "avg" | "max" | "min") => Obstacle::Groups,
                _ => obstacle(measure),
            });
        };
        let of = values(of).map_err(|_| match list_parts(of) {
            true => Obstacle::Parts,
            false => Obstacle::Groups,
        })?;
        if !largest {
            return Err(Obstacle::Groups);
        }
        let (key, condition) = match counted.after("and") {
            Some([key, condition]) => (key, Some(condition)),
            _ => (counted, None),
        };
        if relation(key).map(|(column, _)| column) != Some(of.column) {
            return Err(Obstacle::Groups);
        }
        let mut rows = self.rows(of.rows)?;
        if let Some(condition) = condition {
            rows = self.narrow(rows, condition)?;
        }
        let column = self.column(of.column, reading.unwrap_or(of.kind))?;
        self.push(Function::Mode, vec![rows, column]);
        Ok(())
    }
}
