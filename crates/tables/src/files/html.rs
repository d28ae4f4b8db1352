//! Reading tables of web pages, and of the many programs that write a page into a file called `.xls`. What spans several
//! columns or rows stands in each of them, and names in several rows become one.

use super::grid::{Cell, Grid};
use super::source::{Source, content};
use super::told::Header;
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use crate::decisions::{Decisions, listed};
use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

/// Tables within tables are followed so far.
const DEEPEST: usize = 32;
/// No sensible cell spans more columns, or rows.
const WIDEST: usize = 1_000;
const TALLEST: usize = 65_534;

pub(super) fn read(
    source: Source<'_>,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let bytes = source.read_all()?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = super::separated::count_lines(&bytes[..error.valid_up_to()]) + 1;
            let (file, cell) = (name, 1);
            return Err(TableError::NotUtf8 { file, line, cell });
        }
    };
    let tables = tables(text);
    let table = chosen(&name, tables, options, decisions)?;
    table.build(&name, options, decisions)
}

/// The encoding that a page says it is in.
pub(super) fn declared(beginning: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&beginning[..beginning.len().min(2048)]).to_lowercase();
    let (_, after) = start.split_once("charset=")?;
    let label = after.trim_start_matches(['"', '\'']);
    let label: String = label
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
        .collect();
    (!label.is_empty()).then_some(label)
}

/// Whether a text is a page, or a part of one, as programs write into files that they call `.xls`.
pub(super) fn is_page(beginning: &[u8]) -> bool {
    let begins = |words: &[u8]| {
        let text = beginning.trim_ascii_start();
        text.get(..words.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(words))
    };
    let tags: [&[u8]; 7] = [
        b"<!doctype html",
        b"<html",
        b"<table",
        b"<head",
        b"<body",
        b"<meta",
        b"<div",
    ];
    tags.into_iter().any(begins)
        || begins(b"<?xml")
            && beginning
                .windows(5)
                .any(|window| window.eq_ignore_ascii_case(b"<html"))
}

/// A table of a page.
#[derive(Default)]
struct PageTable {
    /// Its caption, or the name that the page gives it.
    caption: String,
    id: String,
    rows: Vec<Vec<Spanning>>,
    /// Whether rows are being read that the page says are names.
    in_head: bool,
    /// How many of the first rows it says so of.
    head: usize,
}

/// A cell with how many columns and rows it spans.
struct Spanning {
    text: String,
    wide: usize,
    tall: usize,
    is_name: bool,
}

impl PageTable {
    fn cells(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// What it is called; `number` counts from 1.
    fn name(&self, number: usize) -> String {
        match (self.caption.trim(), self.id.trim()) {
            ("", "") => format!("table {number}"),
            ("", id) => id.to_owned(),
            (caption, _) => caption.to_owned(),
        }
    }

    /// How many of the first rows are names: those in the head, or those of which every cell is one.
    fn names(&self) -> usize {
        let all = |row: &&Vec<Spanning>| !row.is_empty() && row.iter().all(|cell| cell.is_name);
        let marked = self.rows.iter().take_while(all).count();
        match self.head {
            0 => marked,
            head => head,
        }
    }

    fn build(
        self,
        name: &str,
        options: &LoadOptions,
        decisions: &mut Decisions,
    ) -> Result<TableBuilder, TableError> {
        let names = self.names();
        let known = LoadOptions {
            header: options
                .header
                .or((names > 0 && names < self.rows.len()).then_some(Header::Line(names as u64))),
            ..options.clone()
        };
        let mut grid = Grid::new(name, &known);
        let mut tall: Vec<(usize, usize, String)> = Vec::new();
        let mut groups: Vec<Vec<String>> = Vec::new();
        for (number, row) in (1..).zip(self.rows) {
            let mut cells: Vec<Cell> = Vec::new();
            let mut still = Vec::new();
            let mut given = row.into_iter();
            let mut column = 0;
            loop {
                if let Some(at) = tall.iter().position(|(place, _, _)| *place == column) {
                    let (place, left, text) = tall.swap_remove(at);
                    cells.push((column as u32, text.clone()));
                    if left > 1 {
                        still.push((place, left - 1, text));
                    }
                    column += 1;
                    continue;
                }
                let Some(cell) = given.next() else {
                    match tall
                        .iter()
                        .map(|(place, _, _)| *place)
                        .filter(|place| *place > column)
                        .min()
                    {
                        Some(next) => column = next,
                        None => break,
                    }
                    continue;
                };
                for _ in 0..cell.wide {
                    cells.push((column as u32, cell.text.clone()));
                    if cell.tall > 1 {
                        still.push((column, cell.tall - 1, cell.text.clone()));
                    }
                    column += 1;
                }
                options.largest.check(name, number as usize, 1, 0)?;
            }
            tall = still;
            if number < names as u64 && options.header.is_none() {
                let mut group = vec![String::new(); column];
                cells
                    .into_iter()
                    .for_each(|(place, text)| group[place as usize] = text);
                groups.push(group);
                continue;
            }
            if number == names as u64 && options.header.is_none() {
                cells
                    .iter_mut()
                    .for_each(|(place, text)| *text = joined(&groups, *place as usize, text));
            }
            grid.push(number, cells)?;
        }
        grid.finish(decisions)
    }
}

/// The name of a column with those above it, each once.
fn joined(above: &[Vec<String>], column: usize, own: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let above = above.iter().filter_map(|row| row.get(column)).map(String::as_str);
    for part in above.chain([own]) {
        if !part.is_empty() && parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    parts.join(" ")
}

/// The table that is asked for, by caption, name or number, or the largest.
fn chosen(
    name: &str,
    tables: Vec<PageTable>,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<PageTable, TableError> {
    let names: Vec<String> = (1..)
        .zip(&tables)
        .map(|(number, table)| table.name(number))
        .collect();
    let place = match &options.part {
        Some(asked) => {
            let by_name = names.iter().position(|name| name == asked);
            let by_id = || tables.iter().position(|table| table.id == *asked);
            let by_number = || asked.parse().ok().and_then(|number: usize| number.checked_sub(1));
            by_name
                .or_else(by_id)
                .or_else(by_number)
                .filter(|place| *place < tables.len())
        }
        None => (0..tables.len()).rev().max_by_key(|place| tables[*place].cells()),
    };
    let asked = options.part.as_deref();
    match place.and_then(|place| Some((place, tables.into_iter().nth(place)?))) {
        Some((place, table)) => {
            decisions.part = Some(names[place].clone());
            decisions.parts = names;
            Ok(table)
        }
        None if names.is_empty() => Err(content(
            name,
            None,
            "the page has no table; save the table itself, as CSV",
        )),
        None => {
            let asked = asked.unwrap_or_default();
            let problem = format!("the page has no table '{asked}'; it has {}", listed(&names));
            Err(content(name, None, problem))
        }
    }
}

/// All tables of a page with at least a row.
fn tables(text: &str) -> Vec<PageTable> {
    let mut emitter = DefaultEmitter::default();
    // So that scripts and styles are passed over.
    emitter.naively_switch_states(true);
    let mut page = Page::default();
    for token in Tokenizer::new_with_emitter(text, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => page.open(&tag),
            Token::EndTag(tag) => page.close(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => page.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    while !page.open.is_empty() {
        page.end_table();
    }
    page.done.retain(|table| table.cells() > 0);
    page.done
}

/// A page on its way in.
#[derive(Default)]
struct Page {
    done: Vec<PageTable>,
    /// The tables that are open, each within a cell of the one before.
    open: Vec<Open>,
    /// What is not shown: the tag, and how many of its kind are open.
    unseen: Option<(String, usize)>,
}

#[derive(Default)]
struct Open {
    table: PageTable,
    cell: Option<Spanning>,
    in_caption: bool,
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    let value = tag.attributes.get(name.as_bytes())?;
    Some(String::from_utf8_lossy(value).into_owned())
}

impl Page {
    fn open(&mut self, tag: &StartTag<()>) {
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        if let Some((unseen, depth)) = &mut self.unseen {
            *depth += usize::from(*unseen == name);
            return;
        }
        let style = attribute(tag, "style")
            .unwrap_or_default()
            .to_lowercase()
            .replace(' ', "");
        let is_void = matches!(
            name.as_str(),
            "br" | "img" | "input" | "hr" | "col" | "wbr" | "meta" | "link"
        );
        let is_unseen = matches!(name.as_str(), "script" | "style" | "template" | "noscript")
            || style.contains("display:none")
            || attribute(tag, "hidden").is_some();
        if is_unseen && !is_void && !tag.self_closing {
            self.unseen = Some((name, 1));
            return;
        }
        match name.as_str() {
            "table" if self.open.len() < DEEPEST => self.open.push(Open {
                table: PageTable {
                    id: attribute(tag, "id").unwrap_or_default(),
                    ..PageTable::default()
                },
                ..Open::default()
            }),
            "tr" => {
                self.end_cell();
                if let Some(open) = self.open.last_mut() {
                    open.table.head += usize::from(open.table.in_head);
                    open.table.rows.push(Vec::new());
                }
            }
            "td" | "th" => {
                self.end_cell();
                let span = |what: &str, most: usize| {
                    let given = attribute(tag, what).and_then(|text| text.trim().parse().ok());
                    given.unwrap_or(1).clamp(1, most)
                };
                if let Some(open) = self.open.last_mut() {
                    open.cell = Some(Spanning {
                        text: String::new(),
                        wide: span("colspan", WIDEST),
                        tall: span("rowspan", TALLEST),
                        is_name: name == "th",
                    });
                }
            }
            "thead" | "tbody" | "tfoot" => {
                self.end_cell();
                if let Some(open) = self.open.last_mut() {
                    open.table.in_head = name == "thead";
                }
            }
            "caption" => {
                if let Some(open) = self.open.last_mut() {
                    open.in_caption = true;
                }
            }
            "br" | "p" | "div" | "li" => self.text(" "),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if let Some((unseen, depth)) = &mut self.unseen {
            *depth -= usize::from(unseen == name);
            if *depth == 0 {
                self.unseen = None;
            }
            return;
        }
        match name {
            "table" => self.end_table(),
            "td" | "th" | "tr" => self.end_cell(),
            "thead" => {
                self.end_cell();
                if let Some(open) = self.open.last_mut() {
                    open.table.in_head = false;
                }
            }
            "caption" => {
                if let Some(open) = self.open.last_mut() {
                    open.in_caption = false;
                }
            }
            "p" | "div" | "li" => self.text(" "),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let (None, Some(open)) = (&self.unseen, self.open.last_mut()) else {
            return;
        };
        match &mut open.cell {
            Some(cell) => cell.text.push_str(text),
            None if open.in_caption => open.table.caption.push_str(text),
            None => {}
        }
    }

    fn end_cell(&mut self) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let Some(cell) = open.cell.take() else {
            return;
        };
        let text = cell.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let cell = Spanning { text, ..cell };
        match open.table.rows.last_mut() {
            Some(row) => row.push(cell),
            None => open.table.rows.push(vec![cell]),
        }
    }

    fn end_table(&mut self) {
        self.end_cell();
        if let Some(mut open) = self.open.pop() {
            open.table.rows.retain(|row| !row.is_empty());
            let caption = &mut open.table.caption;
            *caption = caption.split_whitespace().collect::<Vec<_>>().join(" ");
            self.done.push(open.table);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(html: &str) -> Vec<Vec<String>> {
        let table = crate::Table::from_reader("t.html", html.as_bytes(), &LoadOptions::default()).unwrap();
        let cells = |row| {
            (0..table.headers().len())
                .map(|column| table.cell(row, column).to_owned())
                .collect()
        };
        [table.headers().to_vec()]
            .into_iter()
            .chain((0..table.rows()).map(cells))
            .collect()
    }

    #[test]
    fn cells_that_span_stand_everywhere_and_tags_may_be_left_open() {
        let html = "<table><tr><th>Town<th>Year<tr><td rowspan=2>Ulm<td>1990<tr><td>1991</table>";
        assert_eq!(rows(html), [["Town", "Year"], ["Ulm", "1990"], ["Ulm", "1991"]]);
        let groups = "<table><thead><tr><th rowspan=2>Town</th><th colspan=2>2019</th></tr>\
                      <tr><th>Q1</th><th>Q2</th></tr></thead><tr><td>Ulm</td><td>3</td><td>4</td></tr></table>";
        assert_eq!(rows(groups), [["Town", "2019 Q1", "2019 Q2"], ["Ulm", "3", "4"]]);
    }

    #[test]
    fn what_nobody_sees_is_not_read() {
        let html = "<html><script>if (a<table) {}</script><table><tr><td>Name<td>Age</tr>\
                    <tr><td><span style='display: none'>zz</span>A &amp; B<br>C<td>7</table>";
        assert_eq!(rows(html), [["Name", "Age"], ["A & B C", "7"]]);
    }
}
