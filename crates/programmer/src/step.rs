//! Next-token distributions for partial programs: sampling and beam search.

use crate::batch::Example;
use crate::error::{Error, Result};
use crate::kernels::rows::Rows;
use crate::layers::lstm::Lstm;
use crate::layers::pointer;
use crate::layers::slots::{SlotMemory, SlotRow};
use crate::matrix::Matrix;
use crate::network::Network;
use crate::passes::decoder::{AdvanceScratch, States, advance};
use crate::passes::encoder::EncoderTape;

/// A token chosen for a partial program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextToken {
    /// The partial program that is continued: a row of the [`Stepper`]. Several moves may continue the same
    /// row (a beam), and rows that no move continues are dropped.
    pub row: u32,
    /// The chosen slot.
    pub slot: u32,
    /// Whether the decoder's output at the step that chose it becomes the next variable of the program.
    pub defines: bool,
}

/// Partial programs of some examples, all advanced by one token at a time. One thread runs a stepper; several
/// threads have one each.
#[derive(Debug, Default)]
pub struct Stepper {
    encoder: EncoderTape,
    memory: SlotMemory,
    rows: Programs,
    /// The rows after the move that is being prepared.
    next: Programs,
    /// (row, slot) of the variables that a move defines.
    defined: Vec<(u32, u32)>,
    candidates: Vec<u32>,
    states: [States; 2],
    scratch: AdvanceScratch,
    inputs: Inputs,
    output: Matrix,
    next_output: Matrix,
    current: usize,
    /// How many examples were read.
    read: usize,
}

/// What belongs to each partial program.
#[derive(Debug, Default)]
struct Programs {
    example: Vec<u32>,
    /// Slots of the variables, packed, and where each row's end.
    variables: Vec<u32>,
    ends: Vec<usize>,
    parents: Vec<u32>,
    slots: Vec<u32>,
}

impl Programs {
    fn clear(&mut self) {
        let Self {
            example,
            variables,
            ends,
            parents,
            slots,
        } = self;
        [example, variables, parents, slots]
            .into_iter()
            .for_each(Vec::clear);
        ends.clear();
    }

    /// The slots of a row's variables.
    fn variables(&self, row: usize) -> &[u32] {
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.variables[from..self.ends[row]]
    }
}

const NONE: u32 = u32::MAX;

/// What the decoder's first layer makes of the slots that programs chose. Most programs choose the same few
/// tokens, so each slot is projected once, when the first program needs it.
#[derive(Debug, Default)]
struct Inputs {
    /// The row of each slot in `projected`, or none yet.
    row_of: Vec<u32>,
    projected: Matrix,
    /// The slots that are projected now.
    new: Vec<u32>,
    /// The row of each program's slot.
    rows: Vec<u32>,
}

impl Inputs {
    /// Forgets all slots.
    fn clear(&mut self) {
        self.row_of.clear();
        self.projected.shape(0, self.projected.cols());
    }

    /// The projections of the slots that some programs chose.
    fn of(&mut self, first: &Lstm, slots: &Matrix, chosen: &[u32]) -> Rows<'_> {
        let known = self.projected.rows();
        self.row_of.resize(slots.rows(), NONE);
        self.new.clear();
        self.rows.clear();
        for &slot in chosen {
            let row = &mut self.row_of[slot as usize];
            if *row == NONE {
                *row = (known + self.new.len()) as u32;
                self.new.push(slot);
            }
            self.rows.push(*row);
        }
        let all = known + self.new.len();
        self.projected.shape(all, first.gate_width());
        first.project(
            Rows::indexed(slots, &self.new),
            self.projected.span_mut(known, all),
        );
        Rows::indexed(&self.projected, &self.rows)
    }
}

impl Stepper {
    /// A stepper without programs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of partial programs.
    pub fn rows(&self) -> usize {
        self.rows.example.len()
    }

    /// The example of a row.
    pub fn example(&self, row: usize) -> usize {
        self.rows.example[row] as usize
    }

    /// Reads the examples; there are no programs until the next [`start`](Self::start).
    ///
    /// # Errors
    /// [`Error::Example`] names the example that breaks an invariant.
    pub fn read(&mut self, network: &Network, examples: &[&Example]) -> Result<()> {
        network.check_whole()?;
        for (position, example) in examples.iter().enumerate() {
            example.check(network.config(), network.words().len(), position)?;
        }
        let ids: Vec<u32> = (0..examples.len() as u32).collect();
        self.rows.clear();
        self.read = examples.len();
        if !examples.is_empty() {
            self.encoder
                .forward(network, examples, &ids, None, &mut self.memory);
        }
        Ok(())
    }

    /// Makes one empty program for each of some examples that were read, by their places there. Programs made
    /// before are gone; what was read is kept, so that this can be done many times.
    ///
    /// # Errors
    /// [`Error::Example`] names a place at which no example was read.
    pub fn start(&mut self, network: &Network, examples: &[u32]) -> Result<()> {
        if let Some(&example) = examples.iter().find(|&&example| example as usize >= self.read) {
            return Err(Error::Example {
                example: example as usize,
                reason: format!("only {} were read", self.read),
            });
        }
        self.rows.clear();
        if examples.is_empty() {
            return Ok(());
        }
        // Variables of programs that are gone; other programs will have other variables in their slots.
        self.inputs.clear();
        let fixed = self.memory.fixed_rows();
        self.memory.slots.shape(fixed, network.config().hidden);
        self.rows.example.extend_from_slice(examples);
        self.rows.ends.resize(examples.len(), 0);
        self.rows.parents.extend_from_slice(examples);
        self.rows.slots.resize(examples.len(), self.memory.start_row());
        self.current = 0;
        self.run(network, true);
        Ok(())
    }

    /// Continues programs: the new rows are the moves, in their order.
    ///
    /// # Errors
    /// [`Error::Move`] names the first move that cannot be made; nothing is changed then.
    pub fn advance(&mut self, network: &Network, moves: &[NextToken]) -> Result<()> {
        let Self {
            next,
            defined,
            rows,
            memory,
            ..
        } = self;
        next.clear();
        defined.clear();
        let mut new_slots = memory.slots.rows();
        for (index, m) in moves.iter().enumerate() {
            let fail = |reason: String| Err(Error::Move { index, reason });
            let row = m.row as usize;
            if row >= rows.example.len() {
                return fail(format!("row {row} of {}", rows.example.len()));
            }
            let variables = rows.variables(row);
            let slot = match memory.slot(rows.example[row] as usize, m.slot) {
                SlotRow::Fixed(slot) => slot,
                SlotRow::Variable(v) => match variables.get(v) {
                    Some(&slot) => slot,
                    None => return fail(format!("variable {v} of a program with {}", variables.len())),
                },
            };
            next.example.push(rows.example[row]);
            next.parents.push(m.row);
            next.slots.push(slot);
            next.variables.extend_from_slice(variables);
            if m.defines {
                // Moves that continue one row share the variable that its output becomes.
                let known = defined.iter().find(|&&(r, _)| r == m.row).map(|&(_, slot)| slot);
                let slot = known.unwrap_or(new_slots as u32);
                if known.is_none() {
                    defined.push((m.row, slot));
                    new_slots += 1;
                }
                next.variables.push(slot);
            }
            next.ends.push(next.variables.len());
        }
        self.memory.slots.shape(new_slots, network.config().hidden);
        for &(row, slot) in &*defined {
            self.memory
                .slots
                .row_mut(slot as usize)
                .copy_from_slice(self.output.row(row as usize));
        }
        std::mem::swap(&mut self.rows, &mut self.next);
        if !moves.is_empty() {
            self.run(network, false);
        }
        Ok(())
    }

    fn run(&mut self, network: &Network, first: bool) {
        let first_layer = &network.layers().decoder[0];
        let inputs = self.inputs.of(first_layer, &self.memory.slots, &self.rows.slots);
        let (one, two) = self.states.split_at_mut(1);
        let (before, after) = if self.current == 0 {
            (&one[0], &mut two[0])
        } else {
            (&two[0], &mut one[0])
        };
        let before = if first {
            (&self.memory.hidden[..], &self.memory.cell[..])
        } else {
            (&before.hidden[..], &before.cell[..])
        };
        advance(
            network,
            &self.memory,
            inputs,
            &self.rows.example,
            &self.rows.parents,
            before,
            after,
            &mut self.scratch,
            &mut self.next_output,
        );
        std::mem::swap(&mut self.output, &mut self.next_output);
        self.current = 1 - self.current;
    }

    /// Log-probabilities of the valid slots of a row, written to `out` in their order.
    ///
    /// # Errors
    /// [`Error::Move`] if a slot is not one of the row's program, or there is none.
    pub fn log_probabilities(&mut self, row: usize, valid: &[u32], out: &mut Vec<f32>) -> Result<()> {
        let fail = |reason: String| Err(Error::Move { index: row, reason });
        let Self {
            rows,
            memory,
            candidates,
            ..
        } = self;
        if row >= rows.example.len() || valid.is_empty() {
            return fail(format!(
                "{} valid slots in row {row} of {}",
                valid.len(),
                rows.example.len()
            ));
        }
        let variables = rows.variables(row);
        candidates.clear();
        for &slot in valid {
            match memory.slot(rows.example[row] as usize, slot) {
                SlotRow::Fixed(slot) => candidates.push(slot),
                SlotRow::Variable(v) => match variables.get(v) {
                    Some(&slot) => candidates.push(slot),
                    None => return fail(format!("variable {v} of a program with {}", variables.len())),
                },
            }
        }
        out.clear();
        out.resize(valid.len(), 0.0);
        let attention = self.scratch.attention(row);
        pointer::forward(memory, self.output.row(row), attention, candidates, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Batch, Program, WeightedProgram};
    use crate::random::Stream;
    use crate::reference::{Reference, sample};
    use crate::run::LossTerms;

    #[test]
    fn steps_give_the_scores_of_whole_programs() {
        check_steps(sample::config());
        check_steps(sample::linked());
    }

    fn check_steps(config: crate::Config) {
        let network = sample::network(config.clone(), 31);
        let mut random = Stream::new(31, 1);
        let examples: Vec<Example> = (0..3).map(|_| sample::example(&config, &mut random)).collect();
        let examples: Vec<&Example> = examples.iter().collect();
        let programs: Vec<(usize, Program)> = (0..9)
            .map(|i| (i % 3, sample::program(&config, examples[i % 3], &mut random)))
            .collect();
        let weighted: Vec<WeightedProgram<'_>> = programs
            .iter()
            .map(|(example, steps)| WeightedProgram {
                example: *example,
                weight: 0.0,
                steps,
            })
            .collect();
        let batch = Batch {
            examples: &examples,
            weighted: &weighted,
        };
        let terms = LossTerms {
            divisor: 1.0,
            entropy: 0.0,
            dropout: None,
        };
        let (_, scores) = Reference::new(&network).loss(&batch, &terms);

        let mut stepper = Stepper::new();
        stepper.read(&network, &examples).unwrap();
        assert!(stepper.start(&network, &[3]).is_err());
        // Programs can be started again, in any order of the examples, without reading anew.
        for order in [[0, 1, 2], [2, 0, 1]] {
            stepper.start(&network, &order).unwrap();
            let start = |e: usize| order.iter().position(|&o| o as usize == e);
            let mut row_of: Vec<Option<usize>> = programs.iter().map(|&(e, _)| start(e)).collect();
            let mut sums = vec![0.0f32; programs.len()];
            let mut out = Vec::new();
            for step in 0.. {
                let mut moves = Vec::new();
                for (p, (_, steps)) in programs.iter().enumerate() {
                    let Some(row) = row_of[p] else { continue };
                    let valid = steps.valid(step);
                    stepper.log_probabilities(row, valid, &mut out).unwrap();
                    assert!((out.iter().map(|l| l.exp()).sum::<f32>() - 1.0).abs() < 1e-5);
                    let chosen = steps.chosen(step);
                    sums[p] += out[valid.iter().position(|&s| s == chosen).unwrap()];
                    row_of[p] = None;
                    if step + 1 < steps.len() {
                        row_of[p] = Some(moves.len());
                        moves.push(NextToken {
                            row: row as u32,
                            slot: chosen,
                            defines: steps.defines(step),
                        });
                    }
                }
                if moves.is_empty() {
                    break;
                }
                stepper.advance(&network, &moves).unwrap();
            }
            for (sum, score) in sums.iter().zip(&scores) {
                assert!((f64::from(*sum) - score).abs() < 1e-4, "{sum} {score}");
            }
        }
    }

    #[test]
    fn impossible_moves_are_refused() {
        let config = sample::config();
        let network = sample::network(config.clone(), 31);
        let mut random = Stream::new(32, 1);
        let example = sample::example(&config, &mut random);
        let mut stepper = Stepper::new();
        stepper.read(&network, &[&example]).unwrap();
        stepper.start(&network, &[0]).unwrap();
        let slot = example.fixed_slots(&config) as u32;
        let refused = stepper.advance(
            &network,
            &[NextToken {
                row: 0,
                slot,
                defines: false,
            }],
        );
        assert_eq!(
            refused.unwrap_err().to_string(),
            "move 0: variable 0 of a program with 0"
        );
        assert!(
            stepper
                .advance(
                    &network,
                    &[NextToken {
                        row: 4,
                        slot: 0,
                        defines: false
                    }]
                )
                .is_err()
        );
        assert!(stepper.log_probabilities(0, &[slot], &mut Vec::new()).is_err());
        assert!(stepper.log_probabilities(0, &[], &mut Vec::new()).is_err());
        stepper
            .advance(
                &network,
                &[NextToken {
                    row: 0,
                    slot: 0,
                    defines: true,
                }],
            )
            .unwrap();
        stepper.log_probabilities(0, &[slot], &mut Vec::new()).unwrap();
    }
}
