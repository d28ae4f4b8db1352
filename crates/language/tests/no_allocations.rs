//! Stepping allocates nothing once the interpreter's buffers have grown. Its own binary, because it counts
//! what the whole process allocates.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

// The plain evaluator is not needed here, only the random tables.
#[allow(dead_code)]
#[path = "support/naive.rs"]
mod naive;
#[allow(dead_code)]
#[path = "support/worlds.rs"]
mod worlds;

use mapo_language::{Assistance, Context, Interpreter, Language, Token};
use mapo_tables::{Constant, LoadOptions, Table, Value};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

struct Counting;

thread_local! {
    /// What this thread has allocated: the test harness has threads of its own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends there is nothing left to count with.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

/// Random numbers, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, many: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % many
    }
}

/// Walks through random programs, going back to a random place each time; gives the sum of their answers'
/// numbers, so that the answers are really looked at.
fn explore(
    interpreter: &mut Interpreter,
    offered: &mut Vec<Token>,
    random: &mut Random,
    programs: usize,
) -> f64 {
    let mut sum = 0.0;
    for _ in 0..programs {
        let length = random.below(interpreter.tokens().len() + 1);
        interpreter.rewind(length);
        loop {
            interpreter.offered_into(offered);
            if offered.is_empty() {
                break;
            }
            let token = offered[random.below(offered.len())];
            assert!(interpreter.offers(token));
            interpreter.step(token).expect("an offered token is taken");
        }
        for value in interpreter.answer_values() {
            if let Value::Number(number) = value {
                sum += number;
            }
        }
        if interpreter.extra_work() {
            interpreter.rewind(0);
        }
    }
    sum
}

/// Two walks of the same length with different choices: the first may allocate, the second may not.
fn assert_steady(context: Arc<Context>, what: &str) {
    for assistance in [Assistance::All, Assistance::Frugal] {
        let mut interpreter = Interpreter::with_assistance(Arc::clone(&context), assistance);
        let mut offered = Vec::with_capacity(context.tokens());
        let before = allocations();
        explore(&mut interpreter, &mut offered, &mut Random(0x9e37_79b9), 60_000);
        let warm = allocations();
        assert!(
            warm > before || assistance == Assistance::Frugal,
            "{what}: allocations are counted"
        );
        explore(&mut interpreter, &mut offered, &mut Random(0x2545_f491), 10_000);
        assert_eq!(allocations() - warm, 0, "{what}, {assistance:?}");
    }
}

#[test]
fn stepping_allocates_nothing_on_a_table_of_every_type() {
    let csv = "Player,Team,Points,Year,Record,Born\nAnne,Reds,12,2001,3-4,May 1980\nBob,Blues,15,2002,4-4,1981\n\
               Cleo,Reds,12,2003,0-1,June 3 1979\nDan,Greens,,2004,2-2,July 8\nEve,Blues,31,2005,5-1,May 2 1983\n";
    let table = Table::from_reader("players", csv.as_bytes(), &LoadOptions::default()).unwrap();
    let constants = [
        Constant::string("reds"),
        Constant::number(12.0),
        Constant::date("2003-xx-xx".parse().unwrap()),
    ];
    let table = Arc::new(table);
    for language in [Language::PEOPLE, Language::before_people(), Language::wikisql()] {
        assert_steady(
            Arc::new(Context::new(Arc::clone(&table), constants.clone(), language)),
            "players",
        );
    }
}

#[test]
fn stepping_allocates_nothing_on_random_tables() {
    let mut runner = TestRunner::deterministic();
    for index in 0..6 {
        let world = worlds::world(2usize..12, 3, 3)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        assert_steady(
            world.context(Language::WIKITABLEQUESTIONS),
            &format!("random table {index}"),
        );
    }
}
