//! Large tables: what is kept, indexed or done side by side there changes no result.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_language::{Assistance, Context, Denotation, Interpreter, Language, Program, Token};
use mapo_questions::{Linking, Question};
use mapo_tables::{Constant, Held, LoadOptions, Table, TableBuilder, Value};
use std::fmt::Write;
use std::sync::Arc;

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, many: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % many
    }
}

const TOWNS: [&str; 6] = ["Tulsa", "Omaha", "New York", "San José", "Waco", "York"];

/// A file of this many rows: numbers of their own, towns, days, amounts with gaps, and prose that hardly
/// repeats.
fn file(rows: usize) -> String {
    let mut random = Random(7);
    let mut text = String::from("Key,Town,Day,Amount,Note\n");
    for row in 0..rows {
        let town = TOWNS[random.below(TOWNS.len())];
        let (month, day) = (1 + random.below(12), 1 + random.below(28));
        let amount = match random.below(4) {
            0 => String::new(),
            _ => format!("\"{},{:03}\"", 1 + random.below(9), random.below(1000)),
        };
        let note = format!("\"Call {} from {town} (no {row}), answered\"", random.below(1000));
        writeln!(
            text,
            "{},{town},2015-{month:02}-{day:02},{amount},{note}",
            1_000_000 + row
        )
        .unwrap();
    }
    text
}

fn table(rows: usize) -> Arc<Table> {
    Arc::new(Table::from_reader("calls.csv", file(rows).as_bytes(), &LoadOptions::default()).unwrap())
}

fn answer(table: &Arc<Table>, program: &str) -> Vec<String> {
    let program: Program = program.parse().unwrap();
    let context = Context::new(
        Arc::clone(table),
        program.constants().cloned(),
        Language::WIKITABLEQUESTIONS,
    );
    let tokens = context.encode(&program).unwrap();
    let mut interpreter = Interpreter::new(Arc::new(context));
    tokens
        .into_iter()
        .for_each(|token| interpreter.step(token).unwrap());
    interpreter.answer().unwrap().to_strings()
}

#[test]
fn a_large_table_answers_as_its_cells_say() {
    let rows = 70_000;
    let table = table(rows);
    let count = |test: &dyn Fn(usize) -> bool| (0..rows).filter(|row| test(*row)).count().to_string();
    let in_york = count(&|row| table.cell(row, 1).contains("York"));
    assert_eq!(
        answer(&table, "(filter_in all_rows ['york'] r.town-str) (count v0)"),
        [in_york]
    );
    let notes =
        count(&|row| table.cell(row, 4).contains("call 77 ") || table.cell(row, 4).contains("Call 77 "));
    assert_eq!(
        answer(&table, "(filter_in all_rows ['call 77 '] r.note-str) (count v0)"),
        [notes]
    );
    let number = |row: usize| table.cell(row, 3).replace(',', "").parse::<f64>().ok();
    let above = count(&|row| number(row).is_some_and(|number| number > 5000.0));
    assert_eq!(
        answer(&table, "(filter> all_rows [5000] r.amount-num) (count v0)"),
        [above]
    );
    let largest = (0..rows).filter_map(number).fold(0.0, f64::max);
    assert_eq!(
        answer(&table, "(max all_rows r.amount-num)"),
        [largest.to_string()]
    );
    let key = answer(
        &table,
        "(filter_in all_rows ['1069999'] r.key-str) (hop v0 r.note-str)",
    );
    assert_eq!(key, [table.cell(69_999, 4)]);
    let towns = answer(&table, "(hop all_rows r.town-str)");
    assert_eq!(towns.len(), TOWNS.len());
    assert_eq!(answer(&table, "(hop all_rows r.key-str)").len(), rows);
    let same = answer(&table, "(first all_rows) (same_as v0 r.town-str) (count v1)");
    let others = count(&|row| row > 0 && table.cell(row, 1) == table.cell(0, 1));
    assert_eq!(same, [others]);
    // Rows without number would be offered in a moment if all were compared with all.
    assert_eq!(
        answer(&table, "(same_as all_rows r.town-str) (count v0)"),
        [rows.to_string()]
    );
    let column = table.column(table.find("r.note-str").unwrap());
    assert_eq!(column.holds(&Constant::string("call 77")), Held::Part);
    assert_eq!(column.holds(&Constant::string("call 7777")), Held::No);
}

#[test]
fn cells_that_hardly_repeat_are_values_once_all_the_same() {
    // The first repeat after equal cells are no longer looked for.
    let rows = 60_000;
    let mut builder = String::from("A,B\n");
    (0..rows).for_each(|row| writeln!(builder, "x{},{}", row % 50_000, row % 50_000).unwrap());
    let table = Arc::new(Table::from_reader("t.csv", builder.as_bytes(), &LoadOptions::default()).unwrap());
    for name in ["r.a-str", "r.b-str", "r.b-num"] {
        let column = table.column(table.find(name).unwrap());
        assert_eq!(column.values_len(), 50_000, "{name}");
        assert_eq!(column.values().count(), 50_000, "{name}");
    }
    assert_eq!(answer(&table, "(mode all_rows r.a-str)").len(), 10_000);
    assert_eq!(
        answer(&table, "(filter_in all_rows ['x9999'] r.a-str) (count v0)"),
        ["2"]
    );
}

#[test]
fn going_back_and_forth_gives_what_a_fresh_start_gives() {
    let table = table(20_000);
    let constants = [
        Constant::string("york"),
        Constant::string("call 7"),
        Constant::number(5000.0),
        Constant::date("2015-05-xx".parse().unwrap()),
    ];
    let context = Arc::new(Context::new(table, constants, Language::WIKITABLEQUESTIONS));
    let mut kept = Interpreter::with_assistance(Arc::clone(&context), Assistance::All);
    let mut random = Random(3);
    let mut programs: Vec<(Vec<Token>, Option<Denotation>)> = Vec::new();
    for _ in 0..60 {
        let length = random.below(kept.tokens().len() + 1);
        kept.rewind(length);
        while !kept.is_done() {
            let offered = kept.offered();
            if offered.is_empty() {
                break;
            }
            // Each result is looked at once from a fresh start.
            let mut fresh = Interpreter::with_assistance(Arc::clone(&context), Assistance::All);
            kept.tokens().iter().for_each(|token| fresh.step(*token).unwrap());
            assert_eq!(fresh.offered(), offered);
            kept.step(offered[random.below(offered.len())]).unwrap();
        }
        let mut fresh = Interpreter::new(Arc::clone(&context));
        kept.tokens().iter().for_each(|token| fresh.step(*token).unwrap());
        assert_eq!(kept.answer(), fresh.answer());
        assert_eq!(kept.value(0), fresh.value(0));
        programs.push((kept.tokens().to_vec(), kept.answer()));
    }
    // What was kept is found again.
    for (tokens, answer) in &programs {
        kept.rewind(0);
        tokens.iter().for_each(|token| kept.step(*token).unwrap());
        assert_eq!(kept.answer(), *answer);
    }
}

#[test]
fn questions_find_their_strings_in_a_large_table() {
    let table = table(40_000);
    let constants = |question: &str| -> Vec<String> {
        let question = Question::read(question, &table, Linking::Wide);
        question
            .mentions
            .iter()
            .map(|mention| mention.constant.to_string())
            .collect()
    };
    assert_eq!(
        constants("how many calls from san josé"),
        ["['call']", "['san jose']"]
    );
    assert_eq!(
        constants("what was answred by new york?"),
        ["['answered']", "['new york']"]
    );
    assert_eq!(
        constants("which is call 77 from waco"),
        ["['call 77 from waco']", "[77]"]
    );
    assert!(constants("nothing here is known").is_empty());
    let few = {
        let mut builder = TableBuilder::new("few", table.headers().to_vec());
        (0..1000).for_each(|row| builder.push_row((0..5).map(|column| table.cell(row, column))));
        builder.finish()
    };
    // The same cells of a small table, searched through.
    let small = Question::read("calls from yorks or omaha", &few, Linking::Wide);
    let large = Question::read("calls from yorks or omaha", &table, Linking::Wide);
    assert_eq!(small.mentions, large.mentions);
    let town = table.column(table.find("r.town-str").unwrap());
    assert!(matches!(town.value(0), Some(Value::Text(_))));
}
