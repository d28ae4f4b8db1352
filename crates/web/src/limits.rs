//! What one server allows.

use mapo_tables::Largest;
use std::time::Duration;

/// How much of everything a server takes before it says no.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Bytes of an uploaded table.
    pub body: usize,
    /// Rows of an uploaded table.
    pub rows: usize,
    /// Cells of an uploaded table.
    pub cells: usize,
    /// Bytes of text of an uploaded table.
    pub text: usize,
    /// Memory of the process that reads an upload.
    pub reading_memory: usize,
    /// Processor time of the process that reads an upload.
    pub reading_time: Duration,
    /// How long a question may take, with the time that it waits for its turn.
    pub question_time: Duration,
    /// How long learning from corrections may take.
    pub learning_time: Duration,
    /// How long an upload may take, until the table is ready.
    pub upload_time: Duration,
    /// How long a client may neither send nor take a byte that is due.
    pub stall: Duration,
    /// Questions that are worked on at the same time.
    pub questions: usize,
    /// Questions that may wait for their turn.
    pub queue: usize,
    /// Uploads at the same time.
    pub uploads: usize,
    /// Connections at the same time.
    pub connections: usize,
    /// Sessions that have tables.
    pub sessions: usize,
    /// Tables of one session.
    pub tables: usize,
    /// Bytes of all uploaded tables together.
    pub memory: usize,
    /// Bytes that are kept for corrections of uploaded tables, with the tables and what learnt from them.
    pub corrections: usize,
    /// How long a session is kept after its last request.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Limits {
            body: 64 << 20,
            rows: 2_000_000,
            cells: 20_000_000,
            text: 256 << 20,
            reading_memory: 2 << 30,
            reading_time: Duration::from_secs(10),
            question_time: Duration::from_secs(20),
            learning_time: Duration::from_secs(900),
            upload_time: Duration::from_secs(60),
            stall: Duration::from_secs(10),
            questions: cores,
            queue: 64,
            uploads: 2,
            connections: 256,
            sessions: 64,
            tables: 16,
            memory: 1 << 30,
            corrections: 1_000_000_000,
            idle: Duration::from_secs(30 * 60),
        }
    }
}

impl Limits {
    /// The largest table that may be uploaded.
    pub(crate) fn largest(&self) -> Largest {
        Largest {
            rows: self.rows,
            cells: self.cells,
            text: self.text,
        }
    }
}

/// Bytes as people read them.
pub(crate) fn bytes(count: usize) -> String {
    const UNITS: [(&str, f64); 3] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let wide = count as f64;
    match UNITS.iter().find(|(_, unit)| wide >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", wide / unit),
        None => format!("{count} bytes"),
    }
}
