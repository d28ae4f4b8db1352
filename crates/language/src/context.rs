//! What a program can talk about: a table, the constants of a question and the functions allowed.

use super::function::{Argument, Function, FunctionSet};
use super::relation::{Relation, mark_codes, mark_texts};
use super::symbol::{ConstantId, Symbol, Token};
use mapo_tables::Constant;
use mapo_tables::rows::{RowSet, words_for};
use mapo_tables::{Column, ColumnId, ColumnKind, NO_VALUE, Table, Value};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

/// Where a value must stand in a column, or a column have a value, for a function to be offered with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// In the rows that the function is given, as in the paper: no program finds nothing where that can be foreseen.
    #[default]
    Rows,
    /// Anywhere in the table. Conditions that no row meets together can be written, and so can one that leaves a
    /// single row as it was; the answer may be nothing.
    Table,
}

impl FromStr for Fit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "rows" => Ok(Fit::Rows),
            "table" => Ok(Fit::Table),
            _ => Err(format!("there is no fit '{name}'; it is rows or table")),
        }
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fit::Rows => "rows",
            Fit::Table => "table",
        })
    }
}

/// Which programs are programs: the functions, the length, what is offered and what the results are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// The functions that may be used.
    pub functions: FunctionSet,
    /// How many expressions a program may have.
    pub expressions: usize,
    /// Where values must stand to be offered.
    pub fit: Fit,
    /// Whether results are those of SQL: `hop` gives one value for each row instead of each value once, and the sum of
    /// nothing is nothing instead of 0.
    pub like_sql: bool,
}

impl Language {
    /// Changes whenever a program could mean something else than before, so that stored programs are not read
    /// with another meaning.
    pub const VERSION: u32 = 2;

    /// All functions, three expressions: the setting of WikiTableQuestions.
    pub const WIKITABLEQUESTIONS: Language = Language {
        functions: FunctionSet::ALL,
        expressions: 3,
        fit: Fit::Rows,
        like_sql: false,
    };

    /// The ten functions and four expressions that WikiSQL needs.
    pub fn wikisql() -> Language {
        use Function::*;
        let functions = [
            Hop,
            FilterEqual,
            FilterIn,
            FilterGreater,
            FilterLess,
            Count,
            Max,
            Min,
            Average,
            Sum,
        ]
        .into_iter()
        .collect();
        Language {
            functions,
            expressions: 4,
            fit: Fit::Rows,
            like_sql: true,
        }
    }
}

/// The longest programs that an interpreter holds, in expressions.
pub const MOST_EXPRESSIONS: usize = 16;

/// What the programs for one question can talk about. Tokens are numbered in this order: `<END>`, `(`, `)`, the
/// functions, `all_rows`, the table's columns, the question's constants, the variables.
#[derive(Debug)]
pub struct Context {
    table: Arc<Table>,
    constants: Vec<Constant>,
    /// How many of the constants are offered; the others can only be used.
    offered_constants: u16,
    language: Language,
    all_rows: RowSet,
    joins_rows: bool,
    /// The rows in which a column stands in a relation to a constant, by constant, column and relation; found
    /// when first asked for.
    constant_rows: Vec<OnceLock<RowSet>>,
    /// The rows in which a text column contains a value of a text column; for small tables only.
    text_rows: Option<TextRows>,
}

/// For each value of each text column, and each text column, the rows that contain the value.
#[derive(Debug)]
struct TextRows {
    /// Where the values of each column start, in rows of the grid.
    starts: Vec<usize>,
    /// Which text column each column is, in columns of the grid.
    places: Vec<usize>,
    width: usize,
    grid: Vec<OnceLock<RowSet>>,
}

impl TextRows {
    /// More cells than this would take longer to keep than to find again.
    const LARGEST: usize = 1 << 16;

    fn new(table: &Table) -> Option<Self> {
        let (mut starts, mut places, mut values, mut width) = (Vec::new(), Vec::new(), 0, 0);
        for column in table.columns() {
            starts.push(values);
            places.push(width);
            if column.kind() == ColumnKind::Text {
                values += table.raw_texts(column.source()).len();
                width += 1;
            }
        }
        let size = values
            .checked_mul(width)
            .filter(|size| *size <= TextRows::LARGEST)?;
        Some(TextRows {
            starts,
            places,
            width,
            grid: (0..size).map(|_| OnceLock::new()).collect(),
        })
    }
}

const FUNCTIONS: u16 = 3;
const ALL_ROWS: u16 = FUNCTIONS + FunctionSet::COUNT as u16;
const COLUMNS: u16 = ALL_ROWS + 1;

impl Context {
    /// Programs over a table with these constants. Equal constants are one.
    pub fn new(
        table: Arc<Table>,
        constants: impl IntoIterator<Item = Constant>,
        language: Language,
    ) -> Context {
        Context::with_foreign(table, constants, [], language)
    }

    /// The same with constants that are never offered, only used: what a program from elsewhere mentions and the
    /// question does not.
    pub fn with_foreign(
        table: Arc<Table>,
        constants: impl IntoIterator<Item = Constant>,
        foreign: impl IntoIterator<Item = Constant>,
        language: Language,
    ) -> Context {
        let mut distinct: Vec<Constant> = Vec::new();
        let mut add = |mut constant: Constant| {
            if let Constant::Numbers(numbers) = &mut constant {
                // Adding zero makes one value of 0 and -0, which print differently.
                numbers.iter_mut().for_each(|number| *number += 0.0);
            }
            if !distinct.contains(&constant) {
                distinct.push(constant);
            }
            distinct.len()
        };
        let offered_constants = constants.into_iter().map(&mut add).last().unwrap_or(0) as u16;
        for constant in foreign {
            add(constant);
        }
        let masks = distinct.len() * table.columns().len() * Relation::COUNT;
        let takes_two = |function: Function| {
            let arguments = function.definition().arguments;
            arguments
                .iter()
                .filter(|argument| **argument == Argument::Rows)
                .count()
                > 1
        };
        Context {
            joins_rows: language.functions.iter().any(takes_two),
            all_rows: RowSet::all(table.rows()),
            constant_rows: (0..masks).map(|_| OnceLock::new()).collect(),
            text_rows: TextRows::new(&table),
            constants: distinct,
            offered_constants,
            language: Language {
                expressions: language.expressions.min(MOST_EXPRESSIONS),
                ..language
            },
            table,
        }
    }

    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The constants, those that are never offered last.
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The constants that are offered.
    pub fn offered_constants(&self) -> impl Iterator<Item = ConstantId> + use<> {
        (0..self.offered_constants).map(ConstantId)
    }

    /// Which programs are programs here.
    pub fn language(&self) -> Language {
        self.language
    }

    /// How many tokens there are, variables included.
    pub fn tokens(&self) -> usize {
        self.first_variable() as usize + self.language.expressions
    }

    /// The token of a symbol.
    pub fn token(&self, symbol: Symbol) -> Token {
        Token(match symbol {
            Symbol::End => 0,
            Symbol::Open => 1,
            Symbol::Close => 2,
            Symbol::Function(function) => FUNCTIONS + function as u16,
            Symbol::AllRows => ALL_ROWS,
            Symbol::Column(column) => COLUMNS + column.0,
            Symbol::Constant(constant) => self.first_constant() + constant.0,
            Symbol::Variable(variable) => self.first_variable() + u16::from(variable),
        })
    }

    /// The symbol of a token, if it is one of this context.
    pub fn symbol(&self, token: Token) -> Option<Symbol> {
        Some(match token.0 {
            0 => Symbol::End,
            1 => Symbol::Open,
            2 => Symbol::Close,
            number if number < ALL_ROWS => {
                Symbol::Function(Function::all().nth((number - FUNCTIONS) as usize)?)
            }
            ALL_ROWS => Symbol::AllRows,
            number if number < self.first_constant() => Symbol::Column(ColumnId(number - COLUMNS)),
            number if number < self.first_variable() => {
                Symbol::Constant(ConstantId(number - self.first_constant()))
            }
            number if (number as usize) < self.tokens() => {
                Symbol::Variable((number - self.first_variable()) as u8)
            }
            _ => return None,
        })
    }

    fn first_constant(&self) -> u16 {
        COLUMNS + self.table.columns().len() as u16
    }

    fn first_variable(&self) -> u16 {
        self.first_constant() + self.constants.len() as u16
    }

    /// Whether some function takes two arguments that hold rows.
    pub(super) fn joins_rows(&self) -> bool {
        self.joins_rows
    }

    pub(super) fn all_rows(&self) -> &RowSet {
        &self.all_rows
    }

    pub(super) fn column(&self, id: ColumnId) -> &Column {
        self.table.column(id)
    }

    pub(super) fn constant(&self, id: ConstantId) -> &Constant {
        &self.constants[id.0 as usize]
    }

    /// The rows of the table in which the column stands in the relation to the constant.
    pub(super) fn constant_rows(
        &self,
        constant: ConstantId,
        column: ColumnId,
        relation: Relation,
    ) -> &RowSet {
        let place = constant.0 as usize * self.table.columns().len() + column.0 as usize;
        self.constant_rows[place * Relation::COUNT + relation as usize].get_or_init(|| {
            let column = self.column(column);
            match self.constant(constant) {
                Constant::Strings(strings) => {
                    related_rows(column, relation, strings.iter().map(|s| Value::Text(s)))
                }
                Constant::Numbers(numbers) => {
                    related_rows(column, relation, numbers.iter().map(|n| Value::Number(*n)))
                }
                Constant::Dates(dates) => {
                    related_rows(column, relation, dates.iter().map(|d| Value::Date(*d)))
                }
            }
        })
    }

    /// The rows in which a text column contains a value of a text column; `None` in tables too large to keep it.
    pub(super) fn text_rows(&self, value: (ColumnId, u32), column: ColumnId) -> Option<&RowSet> {
        let kept = self.text_rows.as_ref()?;
        let (source, code) = value;
        let place =
            (kept.starts[source.0 as usize] + code as usize) * kept.width + kept.places[column.0 as usize];
        Some(kept.grid[place].get_or_init(|| {
            let needle = self.column(source).decode(code);
            related_rows(self.column(column), Relation::Contains, std::iter::once(needle))
        }))
    }
}

/// The rows of the table in which a column stands in the relation to the given values.
fn related_rows<'a>(column: &Column, relation: Relation, given: impl super::relation::Given<'a>) -> RowSet {
    let is_text = column.kind() == ColumnKind::Text;
    if is_text && relation != Relation::Contains {
        return RowSet::empty(column.rows());
    }
    // Numbers that stand in a relation are neighbours; what is not is marked one by one.
    let mut only: Option<Range<u32>> = None;
    let mut marks: Vec<u64> = Vec::new();
    let mut mark = |codes: Range<u32>| {
        if codes.is_empty() {
            return;
        }
        let Some(first) = &only else {
            only = Some(codes);
            return;
        };
        if marks.is_empty() {
            let space = match is_text {
                true => column.forms().len(),
                false => column.code_space(),
            };
            marks.resize(words_for(space), 0);
            first
                .clone()
                .for_each(|code| marks[code as usize / 64] |= 1 << (code % 64));
        }
        codes.for_each(|code| marks[code as usize / 64] |= 1 << (code % 64));
    };
    let is_marked = |marks: &[u64], code: u32| marks[code as usize / 64] >> (code % 64) & 1 == 1;
    match is_text {
        true => mark_texts(column, given, mark),
        false => mark_codes(column, relation, given, &mut mark),
    }
    let Some(only) = only else {
        return RowSet::empty(column.rows());
    };
    match (is_text, marks.is_empty()) {
        (true, true) => RowSet::where_true(column.rows(), |row| only.contains(&column.texts()[row])),
        (true, false) => RowSet::where_true(column.rows(), |row| is_marked(&marks, column.texts()[row])),
        (false, one) => {
            let codes = column.codes();
            RowSet::where_true(column.rows(), |row| match codes.of(row) {
                NO_VALUE => false,
                code if one => only.contains(&code),
                code => is_marked(&marks, code),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interpreter;
    use mapo_tables::TableBuilder;

    #[test]
    fn foreign_constants_are_used_but_neither_offered_nor_a_reason_to_offer() {
        let mut builder = TableBuilder::new("people", ["Name"]);
        builder.push_row(["Anne"]);
        builder.push_row(["Bob"]);
        let (table, anne) = (Arc::new(builder.finish()), Constant::string("anne"));
        let offers = |context: Context| {
            let program = "(filter_in all_rows ['anne'] r.name-str)".parse().unwrap();
            let tokens = context.encode(&program).unwrap();
            let mut interpreter = Interpreter::new(Arc::new(context));
            let mut offers = |token: &Token| {
                let offers = interpreter.offers(*token);
                assert_eq!(interpreter.offered().contains(token), offers);
                interpreter.step(*token).unwrap();
                offers
            };
            let offers: Vec<bool> = tokens.iter().map(&mut offers).collect();
            assert_eq!(interpreter.answer().unwrap().to_strings(), ["0"]);
            offers
        };
        let language = Language::WIKITABLEQUESTIONS;
        let own = Context::new(Arc::clone(&table), [anne.clone()], language);
        assert_eq!(offers(own), [true; 7]);
        let again = Context::with_foreign(Arc::clone(&table), [anne.clone()], [anne.clone()], language);
        assert_eq!(offers(again), [true; 7]);
        let foreign = Context::with_foreign(table, [], [anne], language);
        // The function and its rows lead nowhere but through the constant.
        assert_eq!(offers(foreign), [true, false, false, false, true, true, true]);
    }
}
