//! Judging the result of a program takes no memory from the system once the scratch memory has grown:
//! exploration judges a million results a second.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use mapo_datasets::scoring::wikisql;
use mapo_datasets::scoring::wikisql::Purpose;
use mapo_datasets::scoring::{Item, wtq};
use mapo_datasets::wikisql::engine::Answer;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn judging_allocates_nothing_in_the_steady_state() {
    let strings = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>();
    let target = |items: &[&str]| wtq::Target::new(&strings(items), &[]);
    let targets = [
        target(&["2004"]),
        target(&["São Paulo", "2.5", "3 (x)"]),
        target(&["2004-09-xx"]),
    ];
    let predictions: [&[Item<'_>]; 6] = [
        &[Item::Number(2004.0)],
        &[Item::Text("2004"), Item::Text("2.5"), Item::Text("são paulo")],
        &[Item::Text("2.5"), Item::Number(3.0), Item::Text("sao paulo (x)")],
        &[Item::Date(mapo_text::Date {
            year: Some(2004),
            month: Some(9),
            day: None,
        })],
        &[Item::Text("2004-09-xx"), Item::Number(0.25)],
        &[],
    ];
    let mut scratch = wtq::Scratch::default();
    let mut judge = || {
        targets
            .iter()
            .flat_map(|t| predictions.map(|p| (t, p)))
            .fold(0, |right, (t, p)| {
                right + usize::from(t.matches(p.iter().copied(), &mut scratch))
            })
    };
    assert_eq!(judge(), 3);
    assert_eq!(allocations(|| assert_eq!(judge(), 3)), 0);

    let target = wikisql::Target::new(&[Answer::Number(1996.0), Answer::Text("South Australia".to_owned())]);
    let right = [Item::Text("1996.0"), Item::Text("SOUTH australia")];
    assert_eq!(
        allocations(|| assert!(target.matches(right, Purpose::Training))),
        0
    );
}
