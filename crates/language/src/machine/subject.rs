//! What programs are about: a table and the constants of a question, with what is found out about them once.

use super::relation::{Given, Relation, mark_codes, mark_texts};
use mapo_tables::Constant;
use mapo_tables::rows::{RowSet, words_for};
use mapo_tables::{Column, ColumnId, ColumnKind, NO_VALUE, Table, Value};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Which constant of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantId(pub u16);

/// A table and constants. It is shared by all programs about them.
#[derive(Debug)]
pub(crate) struct Subject {
    table: Arc<Table>,
    constants: Vec<Constant>,
    all_rows: RowSet,
    like_sql: bool,
    /// The rows in which a column stands in a relation to a constant, by constant, column and relation;
    /// found when first asked for.
    constant_rows: Vec<OnceLock<RowSet>>,
    /// The rows in which a text column contains a value of a text column; for small tables only.
    text_rows: Option<TextRows>,
    /// The same for the rows in which it is the value.
    whole_rows: OnceLock<Option<TextRows>>,
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

impl Subject {
    pub fn new(table: Arc<Table>, constants: Vec<Constant>, like_sql: bool) -> Self {
        let masks = constants.len() * table.columns().len() * Relation::COUNT;
        Subject {
            all_rows: RowSet::all(table.rows()),
            constant_rows: (0..masks).map(|_| OnceLock::new()).collect(),
            text_rows: TextRows::new(&table),
            whole_rows: OnceLock::new(),
            constants,
            like_sql,
            table,
        }
    }

    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// Whether results are those of SQL.
    pub fn like_sql(&self) -> bool {
        self.like_sql
    }

    pub fn all_rows(&self) -> &RowSet {
        &self.all_rows
    }

    pub fn column(&self, id: ColumnId) -> &Column {
        self.table.column(id)
    }

    pub fn constant(&self, id: ConstantId) -> &Constant {
        &self.constants[id.0 as usize]
    }

    /// The rows of the table in which the column stands in the relation to the constant.
    pub fn constant_rows(&self, constant: ConstantId, column: ColumnId, relation: Relation) -> &RowSet {
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

    /// The rows in which a text column contains a value of a text column, or is it; `None` in tables too large
    /// to keep it.
    pub fn text_rows(&self, value: (ColumnId, u32), column: ColumnId, relation: Relation) -> Option<&RowSet> {
        let kept = match relation {
            Relation::Is => self.whole_rows.get_or_init(|| TextRows::new(&self.table)),
            _ => &self.text_rows,
        };
        let kept = kept.as_ref()?;
        let (source, code) = value;
        let place =
            (kept.starts[source.0 as usize] + code as usize) * kept.width + kept.places[column.0 as usize];
        Some(kept.grid[place].get_or_init(|| {
            let needle = self.column(source).decode(code);
            related_rows(self.column(column), relation, std::iter::once(needle))
        }))
    }
}

/// The rows of a table that have something in a column, by column: in one of texts those whose text is not
/// empty. Kept beside the table.
#[derive(Debug)]
struct Filled(Vec<OnceLock<RowSet>>);

/// The rows of a table that have something in a column: a number, a date, a text that is not empty.
pub(crate) fn filled(table: &Table, id: ColumnId) -> &RowSet {
    let column = table.column(id);
    if column.kind() != ColumnKind::Text {
        return column.present();
    }
    let Filled(kept) = table.derived(|table| Filled(vec![OnceLock::new(); table.columns().len()]));
    kept[id.0 as usize].get_or_init(|| {
        let forms = column.forms();
        RowSet::where_true(column.rows(), |row| !forms.get(column.text(row)).is_empty())
    })
}

/// The rows of the table in which a column stands in the relation to the given values.
fn related_rows<'a>(column: &Column, relation: Relation, given: impl Given<'a>) -> RowSet {
    let is_text = column.kind() == ColumnKind::Text;
    if is_text && !relation.is_of_texts() {
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
        true => mark_texts(column, relation, given, mark),
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
