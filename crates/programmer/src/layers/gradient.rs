//! The gradients of all parameters, from what the threads left.

use super::Source;
use crate::kernels::outer::{Columns, add_outer};
use crate::kernels::vector::{add_column_sums, add_scaled};
use crate::matrix::padded;
use crate::parameters::Entry;
use rayon::prelude::*;

/// Makes the gradients of all entries from their sources, on this many threads of the pool. Each takes its share
/// of the rows of every entry; entries follow each other without gaps.
pub fn collect(
    pool: &rayon::ThreadPool,
    threads: usize,
    entries: &[Entry],
    by_entry: &[Vec<Source<'_>>],
    gradient: &mut [f32],
) {
    let mut tasks: Vec<Vec<Task<'_>>> = (0..threads).map(|_| Vec::new()).collect();
    let mut rest = gradient;
    for (entry, sources) in entries.iter().zip(by_entry) {
        let (mut part, after) = rest.split_at_mut(entry.rows * entry.cols);
        rest = after;
        let row_like = entry.rows > 1;
        for (thread, tasks) in tasks.iter_mut().enumerate() {
            let (from, to) = if row_like {
                (thread * entry.rows / threads, (thread + 1) * entry.rows / threads)
            } else if thread == 0 {
                (0, entry.rows)
            } else {
                (0, 0)
            };
            let (mine, others) = part.split_at_mut((to - from) * entry.cols);
            part = others;
            if from < to {
                tasks.push(Task {
                    sources,
                    from,
                    to,
                    rows: entry.rows,
                    cols: entry.cols,
                    out: mine,
                });
            }
        }
    }
    pool.install(|| {
        tasks
            .into_par_iter()
            .with_max_len(1)
            .for_each(|tasks| tasks.into_iter().for_each(Task::run));
    });
}

/// Some rows of one entry's gradient.
struct Task<'a> {
    sources: &'a [Source<'a>],
    from: usize,
    to: usize,
    rows: usize,
    cols: usize,
    out: &'a mut [f32],
}

impl Task<'_> {
    fn run(self) {
        let Self {
            sources,
            from,
            to,
            rows,
            cols,
            out,
        } = self;
        out.fill(0.0);
        for source in sources {
            match *source {
                Source::Outer {
                    d_output,
                    input,
                    blocks,
                } => {
                    let block = rows / blocks;
                    for b in from / block..to.div_ceil(block) {
                        let (first, last) = (from.max(b * block), to.min((b + 1) * block));
                        let column = if blocks == 1 {
                            first
                        } else {
                            b * padded(block) + first - b * block
                        };
                        let a = Columns {
                            rows: d_output,
                            from: column,
                            count: last - first,
                        };
                        add_outer(
                            a,
                            input,
                            cols,
                            &mut out[(first - from) * cols..(last - from) * cols],
                        );
                    }
                }
                Source::Sum { d_output, blocks } => {
                    let block = cols / blocks;
                    for (b, out) in out.chunks_exact_mut(block).enumerate() {
                        add_column_sums(d_output, b * padded(block) * usize::from(blocks > 1), out);
                    }
                }
                Source::Rows(matrix, first) => {
                    for (r, out) in out.chunks_exact_mut(cols).enumerate() {
                        add_scaled(1.0, &matrix.row(first + from + r)[..cols], out);
                    }
                }
                Source::Plain(values) => add_scaled(1.0, &values[from * cols..to * cols], out),
                Source::Lookup(matrix, uses) => {
                    for &(word, row, factor) in uses {
                        if (from..to).contains(&(word as usize)) {
                            let out = &mut out[(word as usize - from) * cols..][..cols];
                            add_scaled(factor, &matrix.row(row as usize)[..cols], out);
                        }
                    }
                }
            }
        }
    }
}
