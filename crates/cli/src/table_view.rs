//! Tables for the terminal.

use crate::terminal::clean;
use comfy_table::{CellAlignment, ContentArrangement, Table as View, presets};
use mapo_tables::Table;
use mapo_training::compare::Block;

/// The table with row numbers from 1; of a long one the first rows and how many more there are.
pub fn show(table: &Table, most_rows: usize) -> String {
    let mut view = View::new();
    view.load_preset(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic);
    view.set_header(std::iter::once(String::new()).chain(table.headers().iter().map(|header| clean(header))));
    for row in 0..table.rows().min(most_rows) {
        let cells = (0..table.headers().len()).map(|source| clean(table.cell(row, source)));
        view.add_row(std::iter::once((row + 1).to_string()).chain(cells));
    }
    match table.rows().saturating_sub(most_rows) {
        0 => view.to_string(),
        more => format!("{view}\n… and {more} more rows"),
    }
}

/// A report's table; nothing of any other part of it.
pub fn block(block: &Block) -> String {
    let Block::Table {
        columns,
        numbers,
        rows,
    } = block
    else {
        return String::new();
    };
    let mut view = View::new();
    view.load_preset(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(columns);
    for row in rows {
        view.add_row(row.iter().map(|cell| cell.text.as_str()));
    }
    for &column in numbers {
        if let Some(column) = view.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    view.to_string()
}
