//! How soon work stops whose time is over, on tables that make it long.
//!
//! `cargo bench -p mapo-answering --bench stopping -- [--tries 40] [--rows 1000000] [NAME …]` does each work
//! once to its end, and then gives it a time that ends at a random moment of it, again and again, each time on
//! a table that nobody has asked yet. It prints how long after that moment the work came back: half of the
//! tries, and the latest. The exit code is 1 if one was later than a tenth of a second.

#![allow(
    clippy::unwrap_used,
    reason = "a mistake in a bench is seen by whoever runs it"
)]

use mapo_answering::Answerer;
use mapo_language::HandWritten;
use mapo_stopping::{Flag, until};
use mapo_tables::{LoadOptions, Table};
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// No later than this a question is to stop.
const WANTED: Duration = Duration::from_millis(100);
/// Of work that takes longer only the beginning is tried.
const LONGEST: Duration = Duration::from_secs(20);

/// Numbers that look random, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn word(&mut self, letters: u64) -> String {
        let letter = |random: &mut Self| char::from(b'a' + (random.next() % 26) as u8);
        (0..3 + self.next() % letters).map(|_| letter(self)).collect()
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        (self.next() % 1_000_000) as f64 / 1e6
    }
}

/// As many different dates as there are, each once: with the default of rows, 4.4 MB and more.
fn dates(rows: usize) -> String {
    let mut text = String::from("D\n");
    for row in 0..rows {
        let (day, month, year) = (row % 28 + 1, row / 28 % 12 + 1, row / (28 * 12));
        writeln!(text, "{year:04}-{month:02}-{day:02}").unwrap();
    }
    text
}

fn strings(rows: usize) -> String {
    let mut random = Random(1);
    let mut text = String::from("Name\n");
    (0..rows).for_each(|row| writeln!(text, "{}{row}", random.word(6)).unwrap());
    text
}

/// Rows of prose, 21 MB for each million of rows.
fn prose(rows: usize) -> String {
    let mut random = Random(2);
    let known: Vec<String> = (0..20_000).map(|_| random.word(8)).collect();
    let mut text = String::from("Remark,Place (of it)\n");
    for row in 0..rows / 5 {
        for _ in 0..12 {
            let word = &known[random.next() as usize % known.len()];
            write!(text, "{word} ").unwrap();
        }
        writeln!(text, "{row},{} ({})", random.word(8), random.word(4)).unwrap();
    }
    text
}

/// What offices keep: names, numbers, amounts, dates, kinds, with gaps.
fn office(rows: usize) -> String {
    let mut random = Random(3);
    let mut text = String::from("Number,Client,City,Kind,Opened,Amount,Share,Remark\n");
    let cities: Vec<String> = (0..300).map(|_| random.word(8)).collect();
    for row in 0..rows {
        let city = &cities[random.next() as usize % cities.len()];
        let (day, month, year) = (
            random.next() % 28 + 1,
            random.next() % 12 + 1,
            1990 + random.next() % 35,
        );
        let kind = ["open", "closed", "waiting"][random.next() as usize % 3];
        let (amount, share) = (random.next() % 10_000_000, random.next() % 1000);
        let client = random.word(9);
        writeln!(
            text,
            "{row},{client} {city},{city},{kind},{day:02}/{month:02}/{year},{}.{:02},{}.{} %,",
            amount / 100,
            amount % 100,
            share / 10,
            share % 10
        )
        .unwrap();
    }
    text
}

/// As many columns as there may be, with few rows.
fn wide(rows: usize) -> String {
    let mut random = Random(4);
    let columns = 10_000;
    let header: Vec<String> = (0..columns)
        .map(|column| format!("{} {column}", random.word(6)))
        .collect();
    let mut text = header.join(",") + "\n";
    for _ in 0..(rows / 50_000).max(2) {
        let cells: Vec<String> = (0..columns)
            .map(|column| match column % 3 {
                0 => random.next().to_string(),
                1 => format!("{}-0{}-11", 1900 + random.next() % 100, 1 + random.next() % 9),
                _ => random.word(6),
            })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn read(text: &str) -> Table {
    Table::from_reader("t.csv", text.as_bytes(), &LoadOptions::default()).unwrap()
}

fn run(table: &Arc<Table>, program: &str) {
    let ran = HandWritten::read(program, table).and_then(|program| program.explain());
    ran.unwrap_or_else(|error| panic!("{program}: {error}"));
}

/// A question of as many words as there may be, of which many stand in cells.
fn long_question(table: &Table) -> String {
    let mut random = Random(5);
    let cells: Vec<&str> = (0..table.rows().min(1000))
        .map(|row| table.cell(row, 0))
        .collect();
    let words: Vec<&str> = cells.iter().flat_map(|cell| cell.split(' ')).collect();
    let word = |_| words[random.next() as usize % words.len()];
    (0..299).map(word).collect::<Vec<_>>().join(" ")
}

/// Something that takes long with a table.
struct Work {
    name: &'static str,
    text: fn(usize) -> String,
    /// What is done with a fresh table; nothing is the loading itself.
    work: Option<fn(&Answerer, &Arc<Table>)>,
}

const WORKS: &[Work] = &[
    Work {
        name: "loading-office",
        text: office,
        work: None,
    },
    Work {
        name: "loading-prose",
        text: prose,
        work: None,
    },
    Work {
        name: "loading-dates",
        text: dates,
        work: None,
    },
    Work {
        name: "loading-wide",
        text: wide,
        work: None,
    },
    Work {
        name: "preparing",
        text: office,
        work: Some(|_, table| mapo_questions::prepare(table)),
    },
    Work {
        name: "chained-dates",
        text: dates,
        work: Some(|_, table| {
            let link = |place: usize| {
                format!(
                    "(filter<= all_rows v{} r.d-date) (hop v{} r.d-date)",
                    2 * place,
                    2 * place + 1
                )
            };
            let chain: Vec<String> = (0..7).map(link).collect();
            run(
                table,
                &format!("(hop all_rows r.d-date) {} (count all_rows)", chain.join(" ")),
            );
        }),
    },
    Work {
        name: "filter-in",
        text: strings,
        work: Some(|_, table| {
            run(
                table,
                "(hop all_rows r.name-str) (filter_in all_rows v0 r.name-str) (count v1)",
            );
        }),
    },
    Work {
        name: "filter-is",
        text: strings,
        work: Some(|_, table| {
            run(
                table,
                "(hop all_rows r.name-str) (filter_is all_rows v0 r.name-str) (count v1)",
            );
        }),
    },
    Work {
        name: "superlatives",
        text: office,
        work: Some(|_, table| {
            run(
                table,
                "(argmax all_rows r.amount-num) (mode all_rows r.client-str) (average all_rows r.share-num) (hop v0 r.client-str)",
            );
        }),
    },
    Work {
        name: "299-words",
        text: prose,
        work: Some(|answerer, table| {
            let _ = answerer.ask(table, &long_question(table));
        }),
    },
    Work {
        name: "a-question",
        text: office,
        work: Some(|answerer, table| {
            let _ = answerer.ask(
                table,
                "which client with kind waiting has the highest amount after 2003?",
            );
        }),
    },
    Work {
        name: "many-columns",
        text: wide,
        work: Some(|answerer, table| {
            let header = table.headers()[4000].clone();
            let _ = answerer.ask(table, &format!("what is the highest {header}?"));
        }),
    },
];

fn main() -> ExitCode {
    let (mut tries, mut rows, mut names) = (40, 1_000_000, Vec::new());
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tries" => tries = arguments.next().unwrap().parse().unwrap(),
            "--rows" => rows = arguments.next().unwrap().parse().unwrap(),
            name => names.push(name.to_owned()),
        }
    }
    let answerer = Answerer::boxed().unwrap();
    let mut random = Random(6);
    let mut all: Vec<Duration> = Vec::new();
    println!(
        "{:<16}{:>10}{:>12}{:>8}{:>10}{:>10}",
        "work", "file", "whole", "tries", "p50", "latest"
    );
    for work in WORKS
        .iter()
        .filter(|work| names.is_empty() || names.iter().any(|name| name == work.name))
    {
        let text = (work.text)(rows);
        let once = |time: Duration| {
            let table = work.work.map(|work| (work, Arc::new(read(&text))));
            let begun = Instant::now();
            let end = begun + time;
            let outcome = until(&Flag::at(end), || match &table {
                None => drop(read(&text)),
                Some((work, table)) => work(&answerer, table),
            });
            // What the table itself takes to be dropped is nobody's wait.
            (
                outcome.is_err(),
                begun.elapsed(),
                Instant::now().saturating_duration_since(end),
            )
        };
        let (was_stopped, whole, first) = once(LONGEST);
        let mut late: Vec<Duration> = if was_stopped { vec![first] } else { Vec::new() };
        let tries = if whole > Duration::from_secs(5) {
            tries / 4
        } else {
            tries
        };
        for _ in 0..tries {
            let (was_stopped, _, this) = once(whole.mul_f64(random.share()));
            if was_stopped {
                late.push(this);
            }
        }
        late.sort();
        let ms = |place: usize| {
            late.get(place).map_or("–".to_owned(), |late| {
                format!("{:.1} ms", late.as_secs_f64() * 1000.0)
            })
        };
        println!(
            "{:<16}{:>7} MB{:>10} ms{:>8}{:>10}{:>10}",
            work.name,
            text.len() / 1_000_000,
            whole.as_millis(),
            late.len(),
            ms(late.len() / 2),
            ms(late.len().saturating_sub(1))
        );
        all.extend(late);
    }
    all.sort();
    let Some(latest) = all.last() else {
        return ExitCode::SUCCESS;
    };
    println!(
        "all: {} stopped, p50 {:.1} ms, p99 {:.1} ms, latest {:.1} ms",
        all.len(),
        all[all.len() / 2].as_secs_f64() * 1000.0,
        all[all.len() * 99 / 100].as_secs_f64() * 1000.0,
        latest.as_secs_f64() * 1000.0
    );
    match *latest > WANTED {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
