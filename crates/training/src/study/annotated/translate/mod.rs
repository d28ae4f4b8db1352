//! Lambda DCS forms in our language, where it has an equivalent.
//!
//! A form is a tree of sets; a program is a chain of steps. The translation walks the tree and writes a step
//! for each part that a function of the language stands for:
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
//! A form names a whole cell; our filters look for a string of the question in it. So where some constant of
//! the question selects the same rows of the column, it is taken; where none does, the cell's own text is.

mod answers;
mod obstacle;
mod patterns;
mod rows;

pub use obstacle::Obstacle;

use super::form::Form;
use mapo_datasets::Example;
use mapo_language::{Atom, Expression, Function, Program};
use mapo_tables::{ColumnKind, Table};
use std::sync::Arc;

/// A form in our language.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The program.
    pub program: Program,
    /// Whether all its constants are in the question.
    pub from_question: bool,
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
}

#[cfg(test)]
mod tests {
    use super::super::form::read_forms;
    use super::*;
    use mapo_datasets::Answer;
    use mapo_language::Language;
    use mapo_questions::{Linking, Question};
    use mapo_tables::TableBuilder;

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
            known: None,
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
