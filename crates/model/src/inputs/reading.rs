//! A question and the columns of its table as one sequence of word pieces, for a published encoder:
//!
//! ```text
//! [CLS] question [SEP] name | kind | cell [SEP] name | kind | cell [SEP] …
//! ```
//!
//! A column stands there once, whatever readings it has. Its cell is the string of the question that it holds, else
//! its first one. What is too long for [`LONGEST`] pieces loses first the cells of columns that the question does not
//! name, then their kinds, then the cells and kinds of the others, then columns, from the last on, those that the
//! question names after all others.

use mapo_programmer::{Pieces, Reading};
use mapo_questions::{Linking, Question, column_words};
use mapo_tables::{ColumnKind, Constant, Held, Table};
use std::ops::Range;

/// Pieces of a sequence; a question may have this part of them, and names and cells so many.
pub const LONGEST: usize = 160;
const LONGEST_QUESTION: usize = 96;
const LONGEST_NAME: usize = 12;
const LONGEST_CELL: usize = 6;

/// What an encoder is told of the columns of a table, whatever the question.
#[derive(Clone, Debug)]
pub(super) struct ColumnPieces {
    /// The sources of the typed columns, each once, in the table's order.
    sources: Vec<Source>,
    /// What stands between a name, a kind and a cell.
    between: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Source {
    source: usize,
    name: Vec<u32>,
    kind: Vec<u32>,
    cell: Vec<u32>,
}

/// How much is told of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Nothing,
    Name,
    Kind,
    Cell,
}

fn cut(pieces: &Pieces, text: &str, longest: usize) -> Vec<u32> {
    let mut ids = Vec::new();
    pieces.cut(text, &mut ids);
    ids.truncate(longest);
    ids
}

impl ColumnPieces {
    /// Looks at a table with the pieces of an encoder.
    pub(super) fn new(pieces: &Pieces, table: &Table, linking: Linking) -> Self {
        let mut sources: Vec<usize> = table.columns().iter().map(|column| column.source()).collect();
        sources.sort_unstable();
        sources.dedup();
        let look = |source: usize| {
            let readings = || table.columns().iter().filter(|column| column.source() == source);
            let has = |kind: ColumnKind| readings().any(|column| column.kind() == kind);
            let kind = match (has(ColumnKind::Date), has(ColumnKind::Number)) {
                (true, _) => "date",
                (false, true) => "number",
                (false, false) => "text",
            };
            let cells = || (0..table.rows()).map(|row| table.cell(row, source));
            let cell = cells().take(LOOKED_AT).find(|cell| !cell.trim().is_empty());
            let name = readings().next().into_iter();
            let name = name.flat_map(|column| column_words(table, column, linking));
            let name = name.collect::<Vec<_>>().join(" ");
            Source {
                source,
                name: cut(pieces, &name, LONGEST_NAME),
                kind: cut(pieces, kind, LONGEST_CELL),
                cell: cut(pieces, cell.unwrap_or(""), LONGEST_CELL),
            }
        };
        Self {
            sources: sources.into_iter().map(look).collect(),
            between: cut(pieces, "|", 1),
        }
    }
}

/// Cells among which the first that is not empty is looked for.
const LOOKED_AT: usize = 50;

/// A column as this question has it told.
struct Told<'a> {
    source: &'a Source,
    /// The string of the question that it holds, if there is one.
    held: Option<Vec<u32>>,
    named: bool,
    detail: Detail,
}

impl Told<'_> {
    fn cell(&self) -> &[u32] {
        self.held.as_deref().unwrap_or(&self.source.cell)
    }

    /// Its pieces, with the one that ends it.
    fn len(&self, between: usize) -> usize {
        let name = self.source.name.len();
        match self.detail {
            Detail::Nothing => 0,
            Detail::Name => name + 1,
            Detail::Kind => name + between + self.source.kind.len() + 1,
            Detail::Cell => name + 2 * between + self.source.kind.len() + self.cell().len() + 1,
        }
    }
}

/// The sequence for a question beside its table; `tokens` is how many the network reads of it.
pub(super) fn reading(
    pieces: &Pieces,
    question: &Question,
    tokens: usize,
    table: &Table,
    columns: &ColumnPieces,
) -> Reading {
    let mut sequence = vec![pieces.start()];
    let mut token_ranges: Vec<Range<u32>> = Vec::with_capacity(tokens);
    for token in &question.tokens {
        let start = sequence.len();
        pieces.cut(token, &mut sequence);
        sequence.truncate(LONGEST_QUESTION);
        token_ranges.push(start.min(sequence.len()) as u32..sequence.len() as u32);
    }
    token_ranges.resize(tokens, 0..0);
    sequence.push(pieces.separator());

    let mut told: Vec<Told<'_>> = columns
        .sources
        .iter()
        .map(|source| tell(pieces, question, table, source))
        .collect();
    shorten(&mut told, columns.between.len(), LONGEST - sequence.len());
    let mut names: Vec<(usize, Range<u32>)> = Vec::with_capacity(told.len());
    for column in told.iter().filter(|column| column.detail > Detail::Nothing) {
        let start = sequence.len() as u32;
        sequence.extend(&column.source.name);
        names.push((column.source.source, start..sequence.len() as u32));
        if column.detail > Detail::Name {
            sequence.extend(&columns.between);
            sequence.extend(&column.source.kind);
        }
        if column.detail > Detail::Kind {
            sequence.extend(&columns.between);
            sequence.extend(column.cell());
        }
        sequence.push(pieces.separator());
    }
    let range_of = |source: usize| {
        let found = names.iter().find(|(other, _)| *other == source);
        found.map_or(0..0, |(_, range)| range.clone())
    };
    let column_ranges = table.columns().iter().map(|column| range_of(column.source()));
    Reading::new(sequence, token_ranges, column_ranges.collect())
}

fn tell<'a>(pieces: &Pieces, question: &Question, table: &Table, source: &'a Source) -> Told<'a> {
    let typed = table.columns().iter().zip(&question.column_features);
    let readings = || {
        typed
            .clone()
            .filter(|(column, _)| column.source() == source.source)
    };
    let constants = || question.mentions.iter().map(|mention| &mention.constant);
    let holds = |constant: &&Constant| readings().any(|(column, _)| column.holds(constant) != Held::No);
    let held = constants().filter(holds).find_map(|constant| match constant {
        Constant::Strings(strings) => strings.first(),
        Constant::Numbers(_) | Constant::Dates(_) => None,
    });
    Told {
        named: held.is_some()
            || readings().any(|(_, &mentioned)| mentioned > 0)
            || constants().any(|constant| holds(&constant)),
        held: held.map(|string| cut(pieces, string, LONGEST_CELL)),
        source,
        detail: Detail::Cell,
    }
}

/// Leaves out what there is no room for.
fn shorten(told: &mut [Told<'_>], between: usize, room: usize) {
    let fits = |told: &[Told<'_>]| told.iter().map(|column| column.len(between)).sum::<usize>() <= room;
    for (named, detail) in [
        (false, Detail::Kind),
        (false, Detail::Name),
        (true, Detail::Kind),
        (true, Detail::Name),
    ] {
        if fits(told) {
            return;
        }
        for column in told.iter_mut().filter(|column| column.named == named) {
            column.detail = detail;
        }
    }
    for named in [false, true] {
        for last in (0..told.len()).rev() {
            if fits(told) {
                return;
            }
            if told[last].named == named {
                told[last].detail = Detail::Nothing;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    fn pieces() -> Pieces {
        let words = [
            "[UNK]", "[CLS]", "[SEP]", "|", "which", "city", "was", "first", "host", "##s", "year", "date",
            "number", "text", "seoul", "athens", "##ed", "games", "1896", "col",
        ];
        Pieces::new(words.map(String::from).to_vec()).unwrap()
    }

    fn shown(pieces: &Pieces, ids: &[u32]) -> String {
        let names = ids.iter().map(|&id| pieces.names()[id as usize].as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    fn read(question: &str, table: &Table) -> (Pieces, Reading) {
        let pieces = pieces();
        let question = Question::read(question, table, Linking::Paper);
        let columns = ColumnPieces::new(&pieces, table, Linking::Paper);
        let reading = reading(&pieces, &question, question.tokens.len(), table, &columns);
        (pieces, reading)
    }

    #[test]
    fn a_question_and_its_columns_are_one_sequence() {
        let mut builder = TableBuilder::new("t", ["Year", "Host City", "Games"]);
        builder.push_row(["1896", "Athens", ""]);
        builder.push_row(["1988", "Seoul", "7"]);
        let table = builder.finish();
        let (pieces, reading) = read("which city hosted seoul", &table);
        let text = shown(&pieces, &reading.pieces);
        assert!(
            text.starts_with("[CLS] which city host ##ed seoul [SEP] year | "),
            "{text}"
        );
        assert!(
            text.contains("| 1896 [SEP] host city | text | seoul [SEP] games | number | [UNK] [SEP]"),
            "{text}"
        );
        assert_eq!(reading.tokens, [1..2, 2..3, 3..5, 5..6]);
        assert_eq!(reading.columns.len(), table.columns().len());
        for (column, range) in table.columns().iter().zip(&reading.columns) {
            let name = shown(&pieces, &reading.pieces[range.start as usize..range.end as usize]);
            assert_eq!(name, table.headers()[column.source()].to_lowercase());
        }
    }

    #[test]
    fn a_wide_table_loses_cells_before_kinds_before_columns_and_named_ones_last() {
        for (count, cells, kinds) in [
            (10, true, true),
            (26, false, true),
            (45, false, false),
            (300, false, false),
        ] {
            let mut headers = vec!["col".to_owned(); count];
            headers.push("City".into());
            headers.push("Year".into());
            let mut builder = TableBuilder::new("t", headers);
            builder.push_row(vec!["athens"; count + 2]);
            let table = builder.finish();
            let (pieces, reading) = read("which city was first", &table);
            assert!(reading.pieces.len() <= LONGEST);
            let text = shown(&pieces, &reading.pieces);
            assert_eq!(text.contains("col | text | athens"), cells, "{text}");
            assert_eq!(text.contains("col | text"), kinds, "{text}");
            assert!(text.contains("city | text | athens") || count == 300, "{text}");
            assert!(text.contains("[SEP] city "), "{text}");
            // What is left out is left out from the last on.
            assert_eq!(text.contains("year"), count < 300, "{text}");
            let told = reading.columns.iter().filter(|range| !range.is_empty()).count();
            assert_eq!(told == table.columns().len(), count < 300);
        }
    }

    #[test]
    fn a_long_question_leaves_room_for_columns() {
        let mut builder = TableBuilder::new("t", ["City"]);
        builder.push_row(["Athens"]);
        let table = builder.finish();
        let (pieces, reading) = read(&"which year ".repeat(100), &table);
        assert_eq!(reading.tokens.len(), 200);
        assert!(reading.tokens.iter().filter(|range| range.is_empty()).count() > 100);
        assert!(shown(&pieces, &reading.pieces).ends_with("city | text | athens [SEP]"));
    }
}
