//! The steps that lead to the rows of a form.

use super::obstacle::{Obstacle, obstacle};
use super::patterns::*;
use super::{Form, Translator};
use mapo_language::{Atom, Context, Expression, Function, Interpreter, Program};
use mapo_tables::ColumnKind;
use mapo_tables::Constant;
use mapo_text::normalize;
use std::sync::Arc;

impl Translator<'_> {
    /// Writes the steps that lead to the rows of a form.
    pub(super) fn rows(&mut self, form: &Form) -> Result<Atom, Obstacle> {
        if is_all_rows(form) {
            return Ok(Atom::AllRows);
        }
        if let Some((column, of)) = relation(form) {
            return self.condition(Atom::AllRows, column, of);
        }
        let parts = form.items().get(1..).unwrap_or_default();
        match (form.head(), parts) {
            (Some("and"), [a, b]) => {
                // Conditions are applied to whatever else there is.
                let (first, then) = if is_condition(b) { (a, b) } else { (b, a) };
                let rows = self.rows(first)?;
                self.narrow(rows, then)
            }
            (Some(extreme @ ("argmax" | "argmin")), [_, _, of, by]) => {
                let largest = extreme == "argmax";
                if by.word() == Some("@index") {
                    let rows = self.rows(of)?;
                    let function = if largest { Function::Last } else { Function::First };
                    return Ok(self.push(function, vec![rows]));
                }
                let measure = match by.after("reverse").map(|parts| parts.first().map(Form::items)) {
                    Some(Some([_, Form::Word(_), measure])) => measure,
                    _ => return Err(obstacle(by)),
                };
                let by = values(measure).map_err(|_| obstacle(measure))?;
                if by.rows.head() != Some("var") {
                    return Err(obstacle(measure));
                }
                let rows = self.rows(of)?;
                let column = self.column(by.column, by.kind)?;
                let function = if largest {
                    Function::ArgMax
                } else {
                    Function::ArgMin
                };
                Ok(self.push(function, vec![rows, column]))
            }
            (Some("@next"), [of]) => {
                let rows = self.rows(of)?;
                Ok(self.push(Function::Previous, vec![rows]))
            }
            (Some("@!next"), [of]) => {
                let rows = self.rows(of)?;
                Ok(self.push(Function::Next, vec![rows]))
            }
            _ => Err(obstacle(form)),
        }
    }

    /// Of these rows, those that a condition keeps.
    pub(super) fn narrow(&mut self, rows: Atom, condition: &Form) -> Result<Atom, Obstacle> {
        if is_all_rows(condition) {
            return Ok(rows);
        }
        if let Some([a, b]) = condition.after("and") {
            let rows = self.narrow(rows, a)?;
            return self.narrow(rows, b);
        }
        match relation(condition) {
            Some((column, of)) => self.condition(rows, column, of),
            None if rows == Atom::AllRows => self.rows(condition),
            None => match obstacle(condition) {
                Obstacle::Other => Err(Obstacle::Intersection),
                found => Err(found),
            },
        }
    }

    /// Of these rows, those whose value in the column is one that the form names.
    pub(super) fn condition(&mut self, rows: Atom, column: &str, of: &Form) -> Result<Atom, Obstacle> {
        if let Some(names) = cells(of) {
            return self.cells_named(rows, column, &names, false);
        }
        let parts = of.items().get(1..).unwrap_or_default();
        match (of.head(), parts) {
            (Some("!="), [cell]) => {
                let names = cells(cell).ok_or_else(|| obstacle(cell))?;
                self.cells_named(rows, column, &names, true)
            }
            (Some("and"), [a, b]) => {
                let rows = self.condition(rows, column, a)?;
                self.condition(rows, column, b)
            }
            (Some("@p.part"), [parts]) => {
                let names = named(parts, "q.").ok_or(Obstacle::Parts)?;
                let texts = names.iter().map(|name| name.replace('_', " ").trim().to_owned());
                let constant = Constant::Strings(texts.collect());
                self.filter(Function::FilterIn, rows, constant, column, ColumnKind::Text)
            }
            (Some(reading), [quantity]) => match property_kind(reading) {
                Some(kind) => self.quantity(rows, column, kind, quantity),
                None => {
                    let values = values(of).map_err(|_| obstacle(of))?;
                    self.hop(&values)?;
                    let found = Atom::Variable(self.expressions.len() - 1);
                    let column = self.column(column, values.kind)?;
                    let function = match values.kind {
                        ColumnKind::Text => Function::FilterIn,
                        _ => Function::FilterEqual,
                    };
                    Ok(self.push(function, vec![rows, found, column]))
                }
            },
            _ => Err(obstacle(of)),
        }
    }

    /// Of these rows, those whose cell is one of those named, or none of them.
    fn cells_named(
        &mut self,
        rows: Atom,
        column: &str,
        names: &[&str],
        left_out: bool,
    ) -> Result<Atom, Obstacle> {
        if names.contains(&"null") {
            return Err(Obstacle::EmptyCells);
        }
        let text = self.table.find(&format!("{column}{}", ColumnKind::Text.suffix()));
        let source = self.table.column(text.ok_or(Obstacle::NoColumn)?).source();
        let is_named = |row: &usize, number_too: bool| {
            let name = cell_name(self.table.cell(*row, source));
            let same = |wanted: &&str| {
                let wanted = wanted.trim_matches('_');
                // The later of different cells with one name are numbered.
                let unnumbered = wanted
                    .rsplit_once('_')
                    .filter(|(_, number)| number_too && number.parse::<u32>().is_ok());
                wanted == name || unnumbered.is_some_and(|(wanted, _)| wanted == name)
            };
            names.iter().any(same)
        };
        let mut selected: Vec<usize> = (0..self.table.rows())
            .filter(|row| is_named(row, false))
            .collect();
        if selected.is_empty() {
            selected = (0..self.table.rows()).filter(|row| is_named(row, true)).collect();
        }
        if selected.is_empty() {
            return Err(Obstacle::NoCell);
        }
        let (constant, kind) = self.constant_selecting(column, &selected).unwrap_or_else(|| {
            self.from_question = false;
            let mut texts: Vec<String> = selected
                .iter()
                .map(|row| normalize(self.table.cell(*row, source)))
                .collect();
            texts.sort();
            texts.dedup();
            (Constant::Strings(texts), ColumnKind::Text)
        });
        let function = match (kind, left_out) {
            (ColumnKind::Text, false) => Function::FilterIn,
            (ColumnKind::Text, true) => Function::FilterNotIn,
            (_, false) => Function::FilterEqual,
            (_, true) => Function::FilterNotEqual,
        };
        let column = self.column(column, kind)?;
        Ok(self.push(function, vec![rows, Atom::Constant(constant), column]))
    }

    /// The constant of the question that selects just these rows of a column, and in which reading of it.
    fn constant_selecting(&self, column: &str, selected: &[usize]) -> Option<(Constant, ColumnKind)> {
        let mentions = self.example.question.mentions.iter();
        mentions
            .flat_map(|mention| ColumnKind::ALL.map(|kind| (&mention.constant, kind)))
            .find(|(constant, kind)| {
                let function = match (constant, kind) {
                    (Constant::Strings(_), ColumnKind::Text) => Function::FilterIn,
                    (Constant::Numbers(_), ColumnKind::Number | ColumnKind::SecondNumber) => {
                        Function::FilterEqual
                    }
                    (Constant::Dates(_), ColumnKind::Date) => Function::FilterEqual,
                    _ => return false,
                };
                let Ok(column) = self.column(column, *kind) else {
                    return false;
                };
                let arguments = vec![Atom::AllRows, Atom::Constant((*constant).clone()), column];
                self.rows_of(Expression::new(function, arguments)).as_deref() == Some(selected)
            })
            .map(|(constant, kind)| (constant.clone(), kind))
    }

    /// The rows that one filter selects of the whole table.
    fn rows_of(&self, expression: Expression) -> Option<Vec<usize>> {
        let program = Program {
            expressions: vec![expression],
        };
        let constants: Vec<Constant> = program.constants().cloned().collect();
        let context = Context::new(Arc::clone(self.table), constants, self.example.language);
        let tokens = context.encode(&program).ok()?;
        let mut interpreter = Interpreter::new(Arc::new(context));
        for token in tokens {
            interpreter.step(token).ok()?;
        }
        match interpreter.answer()? {
            mapo_language::Denotation::Rows(rows) => Some(rows.iter().collect()),
            _ => None,
        }
    }

    /// Of these rows, those whose number or date is one that the form names.
    pub(super) fn quantity(
        &mut self,
        rows: Atom,
        column: &str,
        kind: ColumnKind,
        of: &Form,
    ) -> Result<Atom, Obstacle> {
        if let Some(constant) = constant(of, kind) {
            return self.equal(rows, constant, column, kind);
        }
        let parts = of.items().get(1..).unwrap_or_default();
        let function = match of.head() {
            Some(">") => Function::FilterGreater,
            Some(">=") => Function::FilterAtLeast,
            Some("<") => Function::FilterLess,
            Some("<=") => Function::FilterAtMost,
            Some("!=") => Function::FilterNotEqual,
            Some("and") => {
                return parts
                    .iter()
                    .try_fold(rows, |rows, part| self.quantity(rows, column, kind, part));
            }
            Some("or") => {
                let constants: Option<Vec<Constant>> =
                    parts.iter().map(|part| constant(part, kind)).collect();
                let constant = join(constants.ok_or(Obstacle::Union)?).ok_or(Obstacle::Union)?;
                return self.equal(rows, constant, column, kind);
            }
            _ => return Err(obstacle(of)),
        };
        let [bound] = parts else {
            return Err(Obstacle::Other);
        };
        if let Some(constant) = constant(bound, kind) {
            return self.filter(function, rows, constant, column, kind);
        }
        let values = values(bound).map_err(|_| obstacle(bound))?;
        self.hop(&values)?;
        let found = Atom::Variable(self.expressions.len() - 1);
        let column = self.column(column, kind)?;
        Ok(self.push(function, vec![rows, found, column]))
    }

    /// A filter by a constant that the form gives, or by another of the question that selects the same rows.
    fn equal(
        &mut self,
        rows: Atom,
        constant: Constant,
        column: &str,
        kind: ColumnKind,
    ) -> Result<Atom, Obstacle> {
        if self.is_in_question(&constant) {
            return self.filter(Function::FilterEqual, rows, constant, column, kind);
        }
        let arguments = vec![
            Atom::AllRows,
            Atom::Constant(constant.clone()),
            self.column(column, kind)?,
        ];
        let selected = self
            .rows_of(Expression::new(Function::FilterEqual, arguments))
            .filter(|selected| !selected.is_empty());
        let other = selected.and_then(|selected| self.constant_selecting(column, &selected));
        match other {
            Some((constant, ColumnKind::Text)) => {
                self.filter(Function::FilterIn, rows, constant, column, ColumnKind::Text)
            }
            Some((constant, kind)) => self.filter(Function::FilterEqual, rows, constant, column, kind),
            None => self.filter(Function::FilterEqual, rows, constant, column, kind),
        }
    }

    fn filter(
        &mut self,
        function: Function,
        rows: Atom,
        constant: Constant,
        column: &str,
        kind: ColumnKind,
    ) -> Result<Atom, Obstacle> {
        let column = self.column(column, kind)?;
        self.from_question &= self.is_in_question(&constant);
        Ok(self.push(function, vec![rows, Atom::Constant(constant), column]))
    }

    fn is_in_question(&self, constant: &Constant) -> bool {
        let mut mentions = self.example.question.mentions.iter();
        mentions.any(|mention| mention.constant == *constant)
    }
}
