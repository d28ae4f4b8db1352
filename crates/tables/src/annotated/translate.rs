//! Lambda DCS forms in our language, where it has an equivalent.
//!
//! A form is a tree of sets; a program is a chain of steps. The translation walks the tree and writes a step for each
//! part that a function of the language stands for:
//!
//! | form | step |
//! |---|---|
//! | `(@type @row)` | `all_rows` |
//! | `(r.X c.cell)`, `(r.X (or c.a c.b))`, `(r.X (!= c.cell))` | `filter_in`, `filter_!in` |
//! | `(r.X (@p.num N))`, `(r.X (@p.date (>= D)))`, … | `filter=`, `filter>=`, … |
//! | `(and ROWS (r.X …))` | one filter after the other |
//! | `(argmin 1 1 ROWS @index)`, `argmax` | `first`, `last` |
//! | `(argmax 1 1 ROWS (reverse (lambda x (@!p.num (!r.X (var x))))))` | `argmax`, `argmin` |
//! | `(@!next ROWS)`, `(@next ROWS)` | `next`, `previous` |
//! | `(!r.X ROWS)`, `(@!p.num (!r.X ROWS))` | `hop` |
//! | `count`, `max`, `min`, `sum`, `avg` | `count`, `max`, `min`, `sum`, `average` |
//! | `(- V1 V2)` of one column in two rows | `diff` |
//! | `(argmax 1 1 VALUES …count…)` | `mode` |
//! | `(and VALUES (!= c.x))` | `filter_!in`, or `same_as` where the others with an equal value are asked for |
//!
//! A form names a whole cell; our filters look for a string of the question in it. So where some constant of the
//! question selects the same rows of the column, it is taken; where none does, the cell's own text is.

use super::form::Form;
use crate::Date;
use crate::datasets::Example;
use crate::language::{Atom, Constant, Context, Expression, Function, Interpreter, Program};
use crate::table::{ColumnKind, Table};
use crate::text::normalize;
use std::fmt;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// A form in our language.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The program.
    pub program: Program,
    /// Whether all its constants are in the question.
    pub from_question: bool,
}

/// Why a form has no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Obstacle {
    /// Sums and differences of other things than one column in two rows.
    Arithmetic,
    /// One set or another.
    Union,
    /// What is in two sets, neither of which is a plain condition.
    Intersection,
    /// Places in the table compared.
    Position,
    /// Items of a list within a cell.
    Parts,
    /// Cells with nothing in them.
    EmptyCells,
    /// A measure of each group of rows, other than the most common value.
    Groups,
    /// Two cells of one row compared.
    RowComparison,
    /// Runs of rows.
    Consecutive,
    /// A column that the table lacks, or a reading that too few of its cells have.
    NoColumn,
    /// A cell that the table lacks.
    NoCell,
    /// More expressions than a program may have.
    TooLong,
    /// Anything else.
    Other,
}

impl Obstacle {
    /// What stands in the way, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Obstacle::Arithmetic => "arithmetic on counts, sums or constants",
            Obstacle::Union => "union of two sets",
            Obstacle::Intersection => "intersection of two sets of values",
            Obstacle::Position => "places in the table compared",
            Obstacle::Parts => "items of a list within a cell",
            Obstacle::EmptyCells => "empty cells asked for",
            Obstacle::Groups => "a measure of each group of rows",
            Obstacle::RowComparison => "two cells of one row compared",
            Obstacle::Consecutive => "runs of consecutive rows",
            Obstacle::NoColumn => "a column or reading that the table lacks",
            Obstacle::NoCell => "a cell that the table lacks",
            Obstacle::TooLong => "more expressions than a program may have",
            Obstacle::Other => "another form",
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// Translates a form about an example's table.
///
/// # Errors
/// What stands in the way, if the language has no equivalent.
pub fn translate(form: &Form, example: &Example) -> Result<Translation, Obstacle> {
    let mut translator = Translator {
        example,
        table: &example.table,
        expressions: Vec::new(),
        from_question: true,
    };
    translator.answer(&without_reverse(form))?;
    if translator.expressions.len() > example.language.expressions {
        return Err(Obstacle::TooLong);
    }
    Ok(Translation {
        program: Program {
            expressions: translator.expressions,
        },
        from_question: translator.from_question,
    })
}

/// Writes `((reverse @p.num) X)` as `(@!p.num X)` and `((reverse r.x) X)` as `(!r.x X)`.
fn without_reverse(form: &Form) -> Form {
    let Form::List(items) = form else {
        return form.clone();
    };
    let mut items: Vec<Form> = items.iter().map(without_reverse).collect();
    let reversed = items.first().and_then(|head| match head.after("reverse")? {
        [Form::Word(relation)] => Some(match relation.strip_prefix('@') {
            Some(rest) => format!("@!{rest}"),
            None => format!("!{relation}"),
        }),
        _ => None,
    });
    if let Some(relation) = reversed {
        items[0] = Form::Word(relation);
    }
    Form::List(items)
}

/// The values of a column in some rows, as a form names them.
struct Values<'a> {
    column: &'a str,
    kind: ColumnKind,
    rows: &'a Form,
}

struct Translator<'a> {
    example: &'a Example,
    table: &'a Arc<Table>,
    expressions: Vec<Expression>,
    from_question: bool,
}

impl Translator<'_> {
    fn push(&mut self, function: Function, arguments: Vec<Atom>) -> Atom {
        self.expressions.push(Expression::new(function, arguments));
        Atom::Variable(self.expressions.len() - 1)
    }

    /// The typed column that a form calls `r.x`.
    fn column(&self, name: &str, kind: ColumnKind) -> Result<Atom, Obstacle> {
        let full = format!("{name}{}", kind.suffix());
        match self.table.find(&full) {
            Some(_) => Ok(Atom::Column(full)),
            None => Err(Obstacle::NoColumn),
        }
    }

    // Answers.

    /// Writes the steps that end with the form's value.
    fn answer(&mut self, form: &Form) -> Result<(), Obstacle> {
        if let Ok(values) = values(form) {
            return self.hop(&values);
        }
        let parts = form.items().get(1..).unwrap_or_default();
        match (form.head(), parts) {
            (Some("count"), [of]) => {
                // Different values are counted by the rows that have them; the answer shows whether that is the same.
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

    fn hop(&mut self, values: &Values<'_>) -> Result<(), Obstacle> {
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

    // Rows.

    /// Writes the steps that lead to the rows of a form.
    fn rows(&mut self, form: &Form) -> Result<Atom, Obstacle> {
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
    fn narrow(&mut self, rows: Atom, condition: &Form) -> Result<Atom, Obstacle> {
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
    fn condition(&mut self, rows: Atom, column: &str, of: &Form) -> Result<Atom, Obstacle> {
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
            crate::Denotation::Rows(rows) => Some(rows.iter().collect()),
            _ => None,
        }
    }

    /// Of these rows, those whose number or date is one that the form names.
    fn quantity(&mut self, rows: Atom, column: &str, kind: ColumnKind, of: &Form) -> Result<Atom, Obstacle> {
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

/// `(!r.X ROWS)`, or a reading of it such as `(@!p.num (!r.X ROWS))`.
fn values(form: &Form) -> Result<Values<'_>, Obstacle> {
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

fn reading_kind(head: &str) -> Option<ColumnKind> {
    property_kind(&head.replacen('!', "", 1)).filter(|_| head.starts_with("@!"))
}

fn property_kind(head: &str) -> Option<ColumnKind> {
    match head {
        "@p.num" => Some(ColumnKind::Number),
        "@p.num2" => Some(ColumnKind::SecondNumber),
        "@p.date" => Some(ColumnKind::Date),
        _ => None,
    }
}

/// `(r.X VALUES)`
fn relation(form: &Form) -> Option<(&str, &Form)> {
    match form.items() {
        [Form::Word(column), of] if column.starts_with("r.") => Some((column, of)),
        _ => None,
    }
}

/// `(r.X (!r.X ROW))`: all rows with the value that one has.
fn same_value(form: &Form) -> Option<(&str, &Form)> {
    let (column, of) = relation(form)?;
    let of = values(of).ok()?;
    (of.column == column && of.kind == ColumnKind::Text).then_some((column, of.rows))
}

fn is_condition(form: &Form) -> bool {
    relation(form).is_some()
        || is_all_rows(form)
        || form
            .after("and")
            .is_some_and(|parts| parts.iter().all(is_condition))
}

fn is_all_rows(form: &Form) -> bool {
    matches!(form.items(), [Form::Word(a), Form::Word(b)] if a == "@type" && b == "@row")
}

fn list_parts(form: &Form) -> bool {
    form.head() == Some("@!p.part")
}

/// The cells that `c.x` or `(or c.x c.y)` names.
fn cells(form: &Form) -> Option<Vec<&str>> {
    named(form, "c.")
}

fn named<'a>(form: &'a Form, prefix: &str) -> Option<Vec<&'a str>> {
    match form {
        Form::Word(word) => Some(vec![word.strip_prefix(prefix)?]),
        Form::List(_) => {
            let parts = form.after("or")?.iter().map(|part| named(part, prefix));
            Some(parts.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
        }
    }
}

/// A number, or `(date Y M D)` with -1 for what is unknown.
fn constant(form: &Form, kind: ColumnKind) -> Option<Constant> {
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
fn join(constants: Vec<Constant>) -> Option<Constant> {
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

/// What in a form that could not be translated has no equivalent.
fn obstacle(form: &Form) -> Obstacle {
    let words = words(form);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let has_prefix = |prefix: &str| words.iter().any(|word| word.starts_with(prefix));
    if has_prefix("fb:row.consecutive") || has_prefix("!fb:row.consecutive") {
        Obstacle::Consecutive
    } else if has(&["mark"]) {
        Obstacle::RowComparison
    } else if has(&["@index", "@!index"]) {
        Obstacle::Position
    } else if has(&["+", "-"]) {
        Obstacle::Arithmetic
    } else if has(&["@!p.part", "@p.part"]) {
        Obstacle::Parts
    } else if has(&["or"]) {
        Obstacle::Union
    } else {
        Obstacle::Other
    }
}

fn words(form: &Form) -> Vec<&str> {
    match form {
        Form::Word(word) => vec![word],
        Form::List(items) => items.iter().flat_map(words).collect(),
    }
}

/// The name that the dataset gives a cell: its letters and digits without accents, in lower case, joined by `_`.
fn cell_name(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::super::form::read_forms;
    use super::*;
    use crate::datasets::Answer;
    use crate::{Language, Linking, Question, TableBuilder};

    fn example(question: &str) -> Example {
        let mut builder = TableBuilder::new("ships", ["Name", "Port", "Speed", "Launched", "Score"]);
        builder.push_row([
            "Łódź (First)",
            "Auckland, New Zealand",
            "12 knots",
            "May 1, 2010",
            "3-4",
        ]);
        builder.push_row(["Águila", "Tulsa", "30 knots", "June 3, 2010", "2-2"]);
        builder.push_row(["Beta", "Auckland, New Zealand", "20 knots", "May 9, 2011", "1-0"]);
        builder.push_row(["Gamma", "", "7 knots", "July 2, 2012", "5-1"]);
        let table = Arc::new(builder.finish());
        Example {
            id: "q".to_owned(),
            question: Question::read(question, &table, Linking::Paper),
            table,
            answer: Answer::own(vec![]),
            language: Language::WIKITABLEQUESTIONS,
        }
    }

    fn translated(question: &str, form: &str) -> Result<(String, bool), Obstacle> {
        let form = read_forms(form).unwrap().remove(0).1;
        translate(&form, &example(question))
            .map(|translation| (translation.program.to_string(), translation.from_question))
    }

    #[test]
    fn forms_become_programs() {
        let cases = [
            (
                "who was in auckland?",
                "(!r.name (r.port c.auckland_new_zealand))",
                "(filter_in all_rows ['auckland'] r.port-str) (hop v0 r.name-str)",
                true,
            ),
            (
                "who was there?",
                "(!r.name (r.port c.auckland_new_zealand))",
                "(filter_in all_rows ['auckland, new zealand'] r.port-str) (hop v0 r.name-str)",
                false,
            ),
            (
                "how many were faster than 12 knots?",
                "(count (r.speed (@p.num (> 12))))",
                "(filter> all_rows [12] r.speed-num) (count v0)",
                true,
            ),
            (
                "first but tulsa?",
                "(!r.name (argmin 1 1 (r.port (!= c.tulsa)) @index))",
                "(filter_!in all_rows ['tulsa'] r.port-str) (first v0) (hop v1 r.name-str)",
                true,
            ),
            (
                "which is the fastest?",
                "(!r.name (argmax 1 1 (@type @row) (reverse (lambda x (@!p.num (!r.speed (var x)))))))",
                "(argmax all_rows r.speed-num) (hop v0 r.name-str)",
                true,
            ),
            (
                "which is faster, beta or gamma?",
                "(argmax 1 1 (or c.beta c.gamma) (reverse (lambda x (@!p.num (!r.speed (r.name (var x)))))))",
                "(filter_in all_rows ['beta', 'gamma'] r.name-str) (argmax v0 r.speed-num) (hop v1 r.name-str)",
                true,
            ),
            (
                "which port is most common?",
                "(argmax 1 1 (!r.port (@type @row)) (reverse (lambda x (count (r.port (var x))))))",
                "(mode all_rows r.port-str)",
                true,
            ),
            (
                "what came before beta?",
                "(!r.name (@next (r.name c.beta)))",
                "(filter_in all_rows ['beta'] r.name-str) (previous v0) (hop v1 r.name-str)",
                true,
            ),
            (
                "how much faster is beta than gamma?",
                "(- (@!p.num (!r.speed (r.name c.beta))) (@!p.num (!r.speed (r.name c.gamma))))",
                "(filter_in all_rows ['beta'] r.name-str) (filter_in all_rows ['gamma'] r.name-str) (diff v0 v1 r.speed-num)",
                true,
            ),
            (
                "which other has the port of beta?",
                "(and (!= c.beta) (!r.name (r.port (!r.port (r.name c.beta)))))",
                "(filter_in all_rows ['beta'] r.name-str) (same_as v0 r.port-str) (hop v1 r.name-str)",
                true,
            ),
            (
                "who besides beta was in auckland?",
                "(and (!r.name (r.port c.auckland_new_zealand)) (!= c.beta))",
                "(filter_in all_rows ['auckland'] r.port-str) (filter_!in v0 ['beta'] r.name-str) (hop v1 r.name-str)",
                true,
            ),
            (
                "how many in may 2010?",
                "(count (r.launched (@p.date (date 2010 5 -1))))",
                "(filter= all_rows [2010-05-xx] r.launched-date) (count v0)",
                true,
            ),
            (
                "total of the aguila?",
                "(sum ((reverse @p.num2) ((reverse r.score) (r.name c.aguila))))",
                "(filter_in all_rows ['aguila'] r.name-str) (sum v0 r.score-num2)",
                true,
            ),
        ];
        for (question, form, program, from_question) in cases {
            assert_eq!(
                translated(question, form),
                Ok((program.to_owned(), from_question)),
                "{form}"
            );
        }
    }

    #[test]
    fn what_has_no_equivalent_says_why() {
        let cases = [
            ("(- 1996 (@!p.num (!r.speed (@type @row))))", Obstacle::Arithmetic),
            (
                "(- (count (r.port c.tulsa)) (count (r.name c.beta)))",
                Obstacle::Arithmetic,
            ),
            ("(count (or (r.port c.tulsa) (r.name c.beta)))", Obstacle::Union),
            (
                "(and (!r.name (@type @row)) (!r.port (@type @row)))",
                Obstacle::Intersection,
            ),
            (
                "(!r.name (@index (< (@!index (r.name c.beta)))))",
                Obstacle::Position,
            ),
            ("(count (r.port c.null))", Obstacle::EmptyCells),
            (
                "(max (!fb:row.consecutive.port (r.port c.tulsa)))",
                Obstacle::Consecutive,
            ),
            ("(!r.name (r.colour c.red))", Obstacle::NoColumn),
            ("(max (@!p.num (!r.name (@type @row))))", Obstacle::NoColumn),
            ("(!r.name (r.port c.omaha))", Obstacle::NoCell),
            (
                "(argmin 1 1 (!r.port (@type @row)) (reverse (lambda x (count (r.port (var x))))))",
                Obstacle::Groups,
            ),
            (
                "(count (and (@type @row) (mark x (: (and (!r.name (var x)) (!r.port (var x)))))))",
                Obstacle::RowComparison,
            ),
            (
                "(!r.name (argmin 1 1 (and (r.speed (@p.num (> 1))) (and (r.speed (@p.num (> 2))) (r.speed (@p.num (> 3))))) @index))",
                Obstacle::TooLong,
            ),
        ];
        for (form, obstacle) in cases {
            assert_eq!(translated("which?", form), Err(obstacle), "{form}");
        }
    }
}
