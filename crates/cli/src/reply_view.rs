//! A reply as people read it: the answer first, then how sure it is, why, and the cells behind it.

use crate::terminal::{Style, clean, width};
use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table as View, presets};
use mapo_answering::{CellRef, Reply, Step};
use mapo_tables::Table;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// Items of an answer that are shown.
const MOST_ITEMS: usize = 20;
/// Rows of the table that are shown for their own sake.
const MOST_ROWS: usize = 10;
/// Characters of a cell that count when columns are chosen; longer cells are wrapped.
const WIDE_CELL: usize = 24;

/// The whole reply, with this many runners-up.
pub fn show(reply: &Reply, table: &Table, alternatives: usize, style: Style) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    for name in &reply.unknown {
        let said = format!("There is no '{}' in this table.", clean(name));
        let _ = writeln!(out, "{}", style.doubtful(said));
    }
    if reply.program.is_empty() {
        let note = reply.note.as_deref().unwrap_or("no program found");
        let said = format!("I cannot answer that: {}.", clean(note));
        let _ = writeln!(out, "{}", style.doubtful(said));
        for (place, question) in reply.suggestions.iter().enumerate() {
            let lead = if place == 0 {
                "\nYou can ask, for instance:\n"
            } else {
                ""
            };
            let _ = writeln!(out, "{lead}  {}", clean(question));
        }
        out += &left_out(reply, style);
        return out.trim_end().to_owned();
    }
    let answer = style.bold(items(&reply.shown, reply.answer_total));
    let percent = percent(reply.probability);
    let _ = match (reply.sure, reply.calibrated) {
        (true, true) => writeln!(
            out,
            "{answer}\n\n  {} {}",
            name("sure", style),
            style.good(percent)
        ),
        (true, false) => {
            let believed = format!("{percent} by the model's own belief, which was never checked");
            writeln!(
                out,
                "{answer}\n\n  {} {}",
                name("sure", style),
                style.good(believed)
            )
        }
        (false, _) => writeln!(
            out,
            "{} {answer}\n\n  {} {}",
            style.doubtful("I am not sure. My best guess:"),
            name("sure", style),
            style.doubtful(percent)
        ),
    };
    out += &reasons(&reply.english, &reply.program, &reply.sql, style);
    if let Some(rows) = rows(table, &reply.steps, &reply.cells, style) {
        let _ = write!(out, "\n{rows}\n");
    }
    for (place, other) in reply.alternatives.iter().take(alternatives).enumerate() {
        let answer = items(&other.shown, other.answer_total);
        let first = name(if place == 0 { "or" } else { "" }, style);
        let lead = if place == 0 { "\n" } else { "" };
        let percent = self::percent(other.probability);
        let _ = writeln!(
            out,
            "{lead}  {first} {answer} ({percent}): {}",
            style.dim(clean(&other.english))
        );
    }
    out += &notes(&reply.column_notes, style);
    out += &left_out(reply, style);
    out.trim_end().to_owned()
}

/// What to know about the columns behind an answer, a line each.
pub fn notes(notes: &[String], style: Style) -> String {
    let line = |note: &String| format!("\n  {} {}", name("note", style), style.dim(clean(note)));
    match notes {
        [] => String::new(),
        notes => notes.iter().map(line).chain(["\n".to_owned()]).collect(),
    }
}

/// What was left out of the table, in a line of its own.
fn left_out(reply: &Reply, style: Style) -> String {
    match &reply.left_out {
        Some(note) => {
            let said = format!("{}; --keep-totals keeps it", clean(note));
            format!("\n  {} {}\n", name("note", style), style.dim(said))
        }
        None => String::new(),
    }
}

/// The reasons of an answer: English, program, SQL.
pub fn reasons(english: &str, program: &str, sql: &str, style: Style) -> String {
    let mut out = format!("  {} {}\n", name("because", style), clean(english));
    let _ = writeln!(out, "  {} {}", name("program", style), clean(program));
    if !sql.is_empty() {
        for (place, line) in sql.lines().enumerate() {
            let first = name(if place == 0 { "SQL" } else { "" }, style);
            let _ = writeln!(out, "  {first} {}", style.dim(clean(line)));
        }
        let about = "-- for the table that mapo sql makes, not for the file (mapo sql --duckdb)";
        let _ = writeln!(out, "  {} {}", name("", style), style.dim(about));
    }
    out
}

fn name(name: &str, style: Style) -> String {
    style.dim(format_args!("{name:<8}"))
}

fn percent(probability: f64) -> String {
    match 100.0 * probability {
        // Nothing is certain.
        percent if percent > 99.0 => "over 99 %".to_owned(),
        percent if percent < 1.0 => "under 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// The items of an answer in a line, of a long one the first.
pub fn items(answer: &[String], total: usize) -> String {
    let shown: Vec<String> = answer.iter().take(MOST_ITEMS).map(|item| clean(item)).collect();
    let shown_count = shown.len();
    let shown = shown.join(", ");
    match total > shown_count {
        true => format!("{shown}, … ({total} in all)"),
        false => shown,
    }
}

/// The rows that matter with the cells of the answer and those that it rests on; nothing if there are none.
pub fn rows(table: &Table, steps: &[Step], answer: &[CellRef], style: Style) -> Option<String> {
    let answer: HashSet<CellRef> = answer.iter().copied().collect();
    let used: HashSet<CellRef> = steps.iter().flat_map(|step| step.cells.iter().copied()).collect();
    let marked = answer.iter().chain(&used);
    let mut matter: BTreeSet<usize> = answer.iter().map(|cell| cell.row).collect();
    if matter.is_empty() {
        matter = used.iter().map(|cell| cell.row).collect();
    }
    if matter.is_empty() {
        // A count of rows rests on no cell.
        let rows = steps.iter().rev().find_map(|step| step.rows.as_ref());
        matter = rows
            .into_iter()
            .flat_map(|rows| rows.iter().take(MOST_ROWS + 1))
            .collect();
    }
    let more = matter.len().saturating_sub(MOST_ROWS);
    let shown: BTreeSet<usize> = matter.into_iter().take(MOST_ROWS).collect();
    let (first, last) = (*shown.first()?, *shown.last()?);
    let around: BTreeSet<usize> = [first.checked_sub(1), Some(last + 1)]
        .into_iter()
        .flatten()
        .filter(|row| *row < table.rows())
        .chain(shown.iter().copied())
        .collect();
    let columns = columns(table, &around, &marked.map(|cell| cell.column).collect());
    let mut view = View::new();
    view.load_preset(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width().saturating_sub(2).clamp(40, 400) as u16);
    if style.is_coloured() {
        view.enforce_styling();
    } else {
        view.force_no_tty();
    }
    let headers = columns.iter().map(|column| clean(&table.headers()[*column]));
    view.set_header(std::iter::once(String::new()).chain(headers));
    let mut before: Option<usize> = None;
    for row in around {
        if before.is_some_and(|before| before + 1 < row) {
            view.add_row(["…"]);
        }
        before = Some(row);
        let cells = columns.iter().map(|&column| {
            let text = clean(table.cell(row, column));
            let cell = CellRef { row, column };
            mark(
                text,
                answer.contains(&cell),
                used.contains(&cell),
                shown.contains(&row),
                style,
            )
        });
        view.add_row(std::iter::once(Cell::new(row + 1)).chain(cells));
    }
    let mut out: String = view
        .lines()
        .map(|line| format!("  {}\n", line.trim_end()))
        .collect();
    let mut notes = Vec::new();
    if more > 0 {
        notes.push("more rows than shown".to_owned());
    }
    if columns.len() < table.headers().len() {
        notes.push(format!("{} of {} columns", columns.len(), table.headers().len()));
    }
    if !style.is_coloured() && !used.is_empty() {
        notes.push("[…] is behind the answer, *…* was looked at before".to_owned());
    }
    if !notes.is_empty() {
        let _ = writeln!(out, "  {}", style.dim(notes.join("; ")));
    }
    Some(out.trim_end().to_owned())
}

/// A cell of the table, marked.
fn mark(text: String, is_answer: bool, is_used: bool, matters: bool, style: Style) -> Cell {
    match (style.is_coloured(), is_answer, is_used) {
        (true, true, _) => Cell::new(text).fg(Color::Black).bg(Color::Green),
        (true, false, true) => Cell::new(text).fg(Color::Black).bg(Color::Yellow),
        (true, ..) if !matters => Cell::new(text).add_attribute(Attribute::Dim),
        (false, true, _) => Cell::new(format!("[{text}]")),
        (false, false, true) => Cell::new(format!("*{text}*")),
        _ => Cell::new(text),
    }
}

/// The columns to show: those with marked cells, and as many others as there is room for, in the order of the
/// file.
fn columns(table: &Table, rows: &BTreeSet<usize>, marked: &HashSet<usize>) -> Vec<usize> {
    let needs = |column: usize| {
        let cells = rows.iter().map(|row| table.cell(*row, column));
        let texts = cells.chain([table.headers()[column].as_str()]);
        let widest = texts.map(|text| text.chars().count()).max().unwrap_or(0);
        widest.min(WIDE_CELL) + 5 // borders, blanks and marks
    };
    let mut room = width().saturating_sub(8);
    let mut chosen = BTreeSet::new();
    let mut all: Vec<usize> = (0..table.headers().len()).collect();
    all.sort_by_key(|column| !marked.contains(column));
    for column in all {
        let needed = needs(column);
        if needed <= room || chosen.is_empty() {
            room = room.saturating_sub(needed);
            chosen.insert(column);
        } else if !marked.contains(&column) {
            break;
        }
    }
    chosen.into_iter().collect()
}
