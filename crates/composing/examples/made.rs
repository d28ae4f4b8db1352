//! Prints questions about invented tables, with their programs and answers.
//!
//!     cargo run -p mapo-composing --example made -- 40

use mapo_composing::{Choices, Wishes, compose, invent};
use mapo_language::Language;
use mapo_questions::Linking;

fn main() {
    let count: usize = std::env::args()
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(20);
    let wishes = Wishes {
        linking: Linking::Everyday,
        language: Language::PEOPLE,
    };
    for seed in 0..count as u64 {
        let mut choices = Choices::new(seed, 0);
        let invented = invent(&mut choices);
        for made in compose(&invented.table, Some(invented.rows), 1, wishes, &mut choices) {
            let headers = invented.table.headers().join(", ");
            println!(
                "[{}: {headers}]\n  {} ({})\n  {}\n  {}",
                invented.rows.0,
                made.question,
                made.kind,
                made.program,
                made.answer.join(" | ")
            );
        }
    }
}
