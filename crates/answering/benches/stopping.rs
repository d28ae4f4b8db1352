//! How soon work stops whose time is over, on tables that make it long.
//!
//! `cargo bench -p mapo-answering --bench stopping -- [--tries 40] [--rows 1000000] [NAME …]` does each work
//! once to its end, and then gives it a time that ends at a random moment of it, again and again, each time on
//! a table that nobody has asked yet. It prints how long after that moment the work came back: half of the
//! tries, and the latest. That is of the clock, which goes on while others have the processor. Of processor time, which
//! does not, it prints the longest that a thread did not look at the flag in all of the work, and the longest that it took to
//! come back from a look at which the flag was up: together they are the latest that work can be on a machine that has
//! time. The exit code is 1 if that is more than a tenth of a second for any work.
//! With `--where` it prints at which look each longest pause ended.

#![allow(
    clippy::unwrap_used,
    reason = "a mistake in a bench is seen by whoever runs it"
)]

use mapo_answering::Answerer;
use mapo_language::HandWritten;
use mapo_stopping::{Flag, until};
use mapo_tables::{LoadOptions, Table};
use rustix::time::{ClockId, clock_gettime};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
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

/// Two columns of strings of which none is one of the other column.
fn others(rows: usize) -> String {
    let mut random = Random(7);
    let mut text = String::from("Name,Code\n");
    (0..rows / 2).for_each(|row| {
        let (name, code) = (random.word(12), random.word(12));
        writeln!(text, "{name}{row},{row}{code}").unwrap();
    });
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
        name: "filter-in-others",
        text: others,
        work: Some(|_, table| {
            run(
                table,
                "(hop all_rows r.name-str) (filter_in all_rows v0 r.code-str) (count v1)",
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

/// The processor time that this thread has taken, or all of them.
fn taken(whose: ClockId) -> Duration {
    let time = clock_gettime(whose);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

const THREAD: ClockId = ClockId::ThreadCPUTime;
const ALL: ClockId = ClockId::ProcessCPUTime;

/// What is seen of the looks of all threads at one flag.
#[derive(Default)]
struct Looks {
    /// The longest that a thread did not look,
    pause: Duration,
    /// and where it looked then, if that is wanted.
    place: Option<Backtrace>,
    /// How many there were.
    count: usize,
    /// The flag is up from this one on.
    last: usize,
    /// When a thread first saw that, of the time of all.
    seen: Option<Duration>,
}

thread_local! {
    /// When this thread looked last, and at the flag of which work.
    static LOOKED: Cell<(usize, Duration)> = const { Cell::new((0, Duration::ZERO)) };
}

/// A flag that is up from a look on, and what is seen of it.
fn watched(last: usize, is_traced: bool) -> (Flag, Arc<Mutex<Looks>>) {
    let looks = Arc::new(Mutex::new(Looks {
        last,
        ..Looks::default()
    }));
    static WATCHED: AtomicUsize = AtomicUsize::new(1);
    let number = WATCHED.fetch_add(1, Ordering::Relaxed);
    let (watched, begun) = (Arc::clone(&looks), OnceLock::new());
    let flag = Flag::watched(move || {
        let now = taken(THREAD);
        // The first look at a flag, where a part of the work begins on this thread, ends no pause.
        let pause = match LOOKED.get() {
            (known, before) if known == number => now - before,
            _ => Duration::ZERO,
        };
        let mut looks = watched.lock().unwrap();
        if pause > looks.pause {
            looks.pause = pause;
            looks.place = is_traced.then(Backtrace::force_capture);
        }
        looks.count += 1;
        let is_up = looks.count > looks.last || begun.get_or_init(Instant::now).elapsed() > LONGEST;
        if is_up {
            looks.seen.get_or_insert_with(|| taken(ALL));
        }
        drop(looks);
        LOOKED.set((number, taken(THREAD)));
        is_up
    });
    (flag, looks)
}

fn main() -> ExitCode {
    let (mut tries, mut rows, mut names, mut is_traced) = (40, 1_000_000, Vec::new(), false);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tries" => tries = arguments.next().unwrap().parse().unwrap(),
            "--rows" => rows = arguments.next().unwrap().parse().unwrap(),
            "--where" => is_traced = true,
            name => names.push(name.to_owned()),
        }
    }
    let answerer = Answerer::boxed().unwrap();
    let mut random = Random(6);
    let mut all: Vec<Duration> = Vec::new();
    println!(
        "{:<18}{:>10}{:>12}{:>8}{:>10}{:>10}{:>11}{:>11}",
        "work", "file", "whole", "tries", "p50", "latest", "pause", "return"
    );
    let mut is_late = false;
    for work in WORKS
        .iter()
        .filter(|work| names.is_empty() || names.iter().any(|name| name == work.name))
    {
        let text = (work.text)(rows);
        let fresh = || work.work.map(|work| (work, Arc::new(read(&text))));
        let once = |flag: &Flag| {
            let table = fresh();
            // What comes of it does not matter here.
            let _ = until(flag, || {
                mapo_stopping::check();
                match &table {
                    None => drop(read(&text)),
                    Some((work, table)) => work(&answerer, table),
                }
                mapo_stopping::check();
            });
            taken(ALL)
        };
        let (flag, looks) = watched(usize::MAX, is_traced);
        once(&flag);
        let (count, pause, place) = {
            let looks = &mut *looks.lock().unwrap();
            (looks.count, looks.pause, looks.place.take())
        };
        let returned = (0..tries.min(10)).map(|_| {
            let (flag, looks) = watched((count as f64 * random.share()) as usize, false);
            let returned = once(&flag);
            let seen = looks.lock().unwrap().seen;
            seen.map_or(Duration::ZERO, |seen| returned.saturating_sub(seen))
        });
        let returned = returned.max().unwrap_or_default();
        let timed = |time: Duration| {
            let table = fresh();
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
        let (was_stopped, whole, first) = timed(LONGEST);
        let mut late: Vec<Duration> = if was_stopped { vec![first] } else { Vec::new() };
        let tries = if whole > Duration::from_secs(5) {
            tries / 4
        } else {
            tries
        };
        for _ in 0..tries {
            let (was_stopped, _, this) = timed(whole.mul_f64(random.share()));
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
            "{:<18}{:>7} MB{:>10} ms{:>8}{:>10}{:>10}{:>8.1} ms{:>8.1} ms",
            work.name,
            text.len() / 1_000_000,
            whole.as_millis(),
            late.len(),
            ms(late.len() / 2),
            ms(late.len().saturating_sub(1)),
            pause.as_secs_f64() * 1000.0,
            returned.as_secs_f64() * 1000.0
        );
        if let Some(place) = place {
            let ours = place.to_string();
            let ours = ours
                .lines()
                .filter(|line| line.contains("mapo_") && !line.contains("stopping"));
            ours.take(8).for_each(|line| println!("    {}", line.trim()));
        }
        is_late |= pause + returned > WANTED;
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
    match is_late {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
