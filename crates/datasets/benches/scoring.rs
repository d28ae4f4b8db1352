//! How many answers a second are judged, by kind of answer: `cargo bench -p mapo-tables --bench scoring`.

use std::hint::black_box;
use std::time::Instant;

use mapo_datasets::scoring::wikisql;
use mapo_datasets::scoring::wikisql::Purpose;
use mapo_datasets::scoring::{Item, wtq};
use mapo_datasets::wikisql::engine::Answer;

fn measure(name: &str, mut judge: impl FnMut() -> bool) {
    const CALLS: u32 = 2_000_000;
    for _ in 0..CALLS / 10 {
        black_box(judge());
    }
    let start = Instant::now();
    for _ in 0..CALLS {
        black_box(judge());
    }
    let millions = f64::from(CALLS) / start.elapsed().as_secs_f64() / 1e6;
    println!("{name:<60} {millions:8.1} million/s");
}

fn main() {
    let strings = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>();
    let target = |items: &[&str], canon: &[&str]| wtq::Target::new(&strings(items), &strings(canon));
    let year = target(&["2004"], &["2004.0"]);
    let city = target(&["Bangkok, Thailand"], &["Bangkok, Thailand"]);
    let three = target(&["Fiji", "Tonga", "Samoa"], &["Fiji", "Tonga", "Samoa"]);
    let date = [Item::Date("2004-09-xx".parse().expect("a date"))];
    let cases: [(&str, &wtq::Target, &[Item<'_>]); 9] = [
        ("wtq: a right number", &year, &[Item::Number(2004.0)]),
        ("wtq: a wrong fraction", &year, &[Item::Number(2004.25)]),
        ("wtq: a wrong date", &year, &date),
        ("wtq: a year as text", &year, &[Item::Text("2004")]),
        ("wtq: a right text", &city, &[Item::Text("bangkok, thailand")]),
        (
            "wtq: a wrong text with accents",
            &city,
            &[Item::Text("São Paulo")],
        ),
        (
            "wtq: three right texts",
            &three,
            &[Item::Text("fiji"), Item::Text("tonga"), Item::Text("samoa")],
        ),
        (
            "wtq: too few texts",
            &three,
            &[Item::Text("fiji"), Item::Text("tonga")],
        ),
        (
            "wtq: twenty numbers where one is right",
            &year,
            &[Item::Number(2004.0); 20],
        ),
    ];
    let mut scratch = wtq::Scratch::default();
    for (name, target, items) in cases {
        measure(name, || {
            black_box(target).matches(black_box(items).iter().copied(), &mut scratch)
        });
    }
    let number = wikisql::Target::new(&[Answer::Number(1996.0)]);
    let text = wikisql::Target::new(&[Answer::Text("south australia".to_owned())]);
    let cases: [(&str, &wikisql::Target, &[Item<'_>]); 4] = [
        ("wikisql: a right number", &number, &[Item::Number(1996.0)]),
        ("wikisql: a number as text", &number, &[Item::Text("1996")]),
        ("wikisql: a fraction as text", &number, &[Item::Text("1996.1")]),
        ("wikisql: a right text", &text, &[Item::Text("South Australia")]),
    ];
    for (name, target, items) in cases {
        measure(name, || {
            black_box(target).matches(black_box(items).iter().copied(), Purpose::Training)
        });
    }
}
