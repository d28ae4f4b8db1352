//! Questions to begin with that the model is known to answer rightly: made from the table, each with its program, and
//! asked before they are suggested.

use crate::Answerer;
use mapo_composing::{Choices, Composed, Wishes, compose_neatly};
use mapo_tables::Table;
use std::sync::Arc;

/// Questions that are made for each one that is wanted: many are of one kind, and some are not answered rightly.
const MADE: usize = 8;
/// Questions that are asked at the same time.
const TOGETHER: usize = 8;
/// The longest that somebody would click on, in characters.
const LONGEST: usize = 90;
/// How probable it must be that the answer is right. Only of such do people learn what can be asked.
const LEAST: f64 = 0.9;

impl Answerer {
    /// Up to `count` questions about a table, each of another kind, that it answers as the program behind them does and is
    /// sure of. They are the same every time. There are none for a table of which nothing can be made.
    pub fn proven_suggestions(&self, table: &Arc<Table>, count: usize) -> Vec<String> {
        let reading = self.reading();
        let wishes = Wishes {
            linking: reading.linking,
            language: self.language(&reading),
        };
        let mut made = compose_neatly(table, count * MADE, wishes, &mut Choices::new(SEED, 0));
        made.retain(|made| made.question.chars().count() <= LONGEST);
        let mut found: Vec<Composed> = Vec::new();
        for some in made.chunks(TOGETHER) {
            let asked: Vec<_> = some.iter().map(|made| (table, made.question.as_str())).collect();
            for (made, reply) in some.iter().zip(self.ask_all(&asked)) {
                let is_right = reply.is_ok_and(|reply| {
                    reply.sure && reply.probability >= LEAST && reply.answer == made.answer
                });
                if is_right && found.iter().all(|known| known.kind != made.kind) {
                    found.push(made.clone());
                }
            }
            if found.len() >= count {
                break;
            }
        }
        found.truncate(count);
        found.into_iter().map(|made| made.question).collect()
    }
}

/// One table, one list.
const SEED: u64 = 1;
