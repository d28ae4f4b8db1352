//! Compares the reader with CoreNLP's annotation and measures how fast it reads cells.
//!
//! ```sh
//! cargo run --release -p mapo-datasets --example reader_agreement -- DIR [PORTION]
//! ```
//!
//! DIR is the folder of WikiTableQuestions; PORTION is `pristine-seen-tables` unless given.

use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use mapo_datasets::agreement::agreement;
use mapo_text::read::read_cell;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("usage: reader_agreement DIR [PORTION]")?;
    let portion = arguments.next().unwrap_or_else(|| "pristine-seen-tables".into());
    // Not `println!`, which would panic when the reader of a pipe has seen enough.
    let mut out = std::io::stdout().lock();
    write!(out, "{}", agreement(Path::new(&dir), &portion)?)?;

    writeln!(out, "\nspeed of reading cells, one thread")?;
    for (what, cells) in [
        (
            "plain numbers",
            &["1914", "0", "22", "704", "2.25", "-14", "12935", "33.125"][..],
        ),
        (
            "names",
            &[
                "Imabari",
                "Grover Dale",
                "Generali Ladies Linz",
                "Annapolis Park Historic District",
                "Yes",
                "—",
            ],
        ),
        (
            "dates",
            &[
                "October 4, 2016",
                "30 December 1978",
                "2009-11-21",
                "July 1990",
                "11/28/2009",
            ],
        ),
        (
            "other numbers",
            &[
                "1,234.5",
                "$4.2m",
                "3rd",
                "12%",
                "1:23.45",
                "2004–05",
                "W 17–14",
                "3 1/2",
            ],
        ),
    ] {
        let rounds = 100_000 / cells.len();
        // The fastest of many short runs: what else the machine does only makes a run slower.
        let fastest = (0..20).map(|_| {
            let start = Instant::now();
            for cell in cells.iter().cycle().take(rounds * cells.len()) {
                black_box(read_cell(black_box(cell)));
            }
            start.elapsed()
        });
        let nanoseconds = fastest.min().unwrap_or_default().as_nanos() as f64 / (rounds * cells.len()) as f64;
        writeln!(out, "  {what:<24} {nanoseconds:6.0} ns a cell")?;
    }
    Ok(())
}
