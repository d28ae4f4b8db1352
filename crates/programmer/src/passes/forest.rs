//! Programs as a forest of decoder steps.
//!
//! A node is a distinct prefix of an example's programs: one decoder step, however many programs have it.
//! Nodes are ordered by level, so that all programs of all examples advance together.

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::layers::lstm::Recurrence;
use crate::layers::slots::{SlotMemory, SlotRow};
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// Decoder steps in levels, and what each reads and writes. Examples and slots are those of a [`SlotMemory`].
#[derive(Clone, Debug, Default)]
pub struct Forest {
    /// Levels and the state that each node continues; the initial states are those of the examples.
    pub recurrence: Recurrence,
    /// The example of each node.
    pub example: Vec<u32>,
    /// The row of `inputs` that each node reads.
    pub input: Vec<u32>,
    /// The distinct slots that are read as inputs: first those that are there from the beginning, then
    /// variables in the order of the levels that define them.
    pub inputs: Vec<u32>,
    /// How many of `inputs` are there from the beginning, then how many are there after each level.
    pub inputs_after: Vec<usize>,
    /// Slots that are valid at each node, packed, and where each node's end.
    pub candidates: Vec<u32>,
    /// Where each node's candidates start, and the end of the last.
    pub candidate_starts: Vec<usize>,
    /// Choices made at each node: (position among its candidates, summed weight).
    pub choices: Vec<(u32, f32)>,
    /// Where each node's choices start, and the end of the last.
    pub choice_starts: Vec<usize>,
    /// How many programs pass through each node.
    pub count: Vec<f32>,
    /// The slot row that each node's output becomes, or none.
    pub variable: Vec<Option<u32>>,
    /// Where each node's attention probabilities start, and the end of the last.
    pub attention_starts: Vec<usize>,
    /// The program that made each node, by its place in the batch, for dropout masks.
    pub maker: Vec<u32>,
    /// Number of variables.
    pub variables: usize,
    /// For each program of the shard: (its place in the batch, end of its steps in `path`).
    pub programs: Vec<(u32, usize)>,
    /// The candidates that programs chose, as places in `candidates`.
    pub path: Vec<usize>,
    build: Build,
}

/// A node while the forest is built.
#[derive(Clone, Copy, Debug)]
struct Draft {
    level: u32,
    example: u32,
    parent: u32,
    /// The choice of the parent that leads here.
    chosen: u32,
    first_child: u32,
    next_sibling: u32,
    input: u32,
    program: u32,
    step: u32,
    variable: u32,
    first_candidate: u32,
    candidates: u32,
    first_choice: u32,
    count: f32,
}

/// A choice while the forest is built; those of a node are a list.
#[derive(Clone, Copy, Debug)]
struct Choice {
    position: u32,
    weight: f32,
    defines: bool,
    next: u32,
}

#[derive(Clone, Debug, Default)]
struct Build {
    drafts: Vec<Draft>,
    choices: Vec<Choice>,
    candidates: Vec<u32>,
    roots: Vec<u32>,
    steps: Vec<(u32, u32)>,
    variables: Vec<u32>,
    place: Vec<u32>,
    input_of: Vec<u32>,
    order: Vec<u32>,
}

impl Forest {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.example.len()
    }

    /// The valid slots of a node.
    pub fn candidates(&self, node: usize) -> &[u32] {
        &self.candidates[self.candidate_starts[node]..self.candidate_starts[node + 1]]
    }

    /// Where a node's attention probabilities are.
    pub fn attention(&self, node: usize) -> Range<usize> {
        self.attention_starts[node]..self.attention_starts[node + 1]
    }

    /// The choices of a node.
    pub fn choices(&self, node: usize) -> &[(u32, f32)] {
        &self.choices[self.choice_starts[node]..self.choice_starts[node + 1]]
    }

    /// Builds the forest of the programs `programs` (places in the batch), whose examples have the places
    /// `local` in `memory`.
    ///
    /// # Errors
    /// [`Error::Program`] if two programs of an example share a prefix and differ in what is valid after
    /// it.
    pub fn build(
        &mut self,
        batch: &Batch<'_>,
        programs: &[u32],
        local: &[u32],
        memory: &SlotMemory,
    ) -> Result<()> {
        self.draft(batch, programs, local, memory)?;
        self.arrange(memory);
        Ok(())
    }

    fn draft(
        &mut self,
        batch: &Batch<'_>,
        programs: &[u32],
        local: &[u32],
        memory: &SlotMemory,
    ) -> Result<()> {
        let build = &mut self.build;
        build.drafts.clear();
        build.choices.clear();
        build.candidates.clear();
        build.steps.clear();
        build.roots.clear();
        build.roots.resize(memory.examples(), NONE);
        self.programs.clear();
        self.variables = 0;
        let fixed = memory.fixed_rows() as u32;
        build.order.clear();
        build.order.extend_from_slice(programs);
        build
            .order
            .sort_by_key(|&p| local[batch.weighted[p as usize].example]);
        for order in 0..build.order.len() {
            let program = build.order[order];
            let weighted = &batch.weighted[program as usize];
            let example = local[weighted.example];
            let steps = weighted.steps;
            build.variables.clear();
            let mut parent = NONE;
            let mut input = memory.start_row();
            for step in 0..steps.len() {
                let before = if step == 0 { NONE } else { steps.chosen(step - 1) };
                let node = match build.find(parent, before, example) {
                    Some(node) => {
                        let draft = build.drafts[node as usize];
                        let maker = batch.weighted[draft.program as usize].steps;
                        if maker.valid(draft.step as usize) != steps.valid(step) {
                            return Err(Error::Program {
                                program: program as usize,
                                step,
                                reason: format!(
                                    "other slots are valid than after the same prefix in program {}",
                                    draft.program
                                ),
                            });
                        }
                        node
                    }
                    None => {
                        let first_candidate = build.candidates.len() as u32;
                        for &slot in steps.valid(step) {
                            build.candidates.push(match memory.slot(example as usize, slot) {
                                SlotRow::Fixed(row) => row,
                                SlotRow::Variable(v) => {
                                    fixed + build.drafts[build.variables[v] as usize].variable
                                }
                            });
                        }
                        let draft = Draft {
                            level: step as u32,
                            example,
                            parent,
                            chosen: before,
                            first_child: NONE,
                            next_sibling: NONE,
                            input,
                            program,
                            step: step as u32,
                            variable: NONE,
                            first_candidate,
                            candidates: steps.valid(step).len() as u32,
                            first_choice: NONE,
                            count: 0.0,
                        };
                        build.insert(draft)
                    }
                };
                let chosen = steps.chosen(step);
                let position = steps.valid(step).iter().position(|&s| s == chosen).unwrap_or(0) as u32;
                build.drafts[node as usize].count += 1.0;
                build.steps.push((node, position));
                let same = build.choose(node, position, weighted.weight, steps.defines(step));
                if !same {
                    return Err(Error::Program {
                        program: program as usize,
                        step,
                        reason: "whether this step defines a variable differs from another program".into(),
                    });
                }
                input = match memory.slot(example as usize, chosen) {
                    SlotRow::Fixed(row) => row,
                    SlotRow::Variable(v) => fixed + build.drafts[build.variables[v] as usize].variable,
                };
                if steps.defines(step) {
                    let draft = &mut build.drafts[node as usize];
                    if draft.variable == NONE {
                        draft.variable = self.variables as u32;
                        self.variables += 1;
                    }
                    build.variables.push(node);
                }
                parent = node;
            }
            self.programs.push((program, build.steps.len()));
        }
        Ok(())
    }

    /// Puts the drafts in order of their levels; within a level the nodes of an example stay together.
    fn arrange(&mut self, memory: &SlotMemory) {
        let Self {
            build, recurrence, ..
        } = self;
        let nodes = build.drafts.len();
        let depth = build
            .drafts
            .iter()
            .map(|d| d.level as usize + 1)
            .max()
            .unwrap_or(0);
        recurrence.initial = memory.examples();
        recurrence.levels.clear();
        recurrence.levels.resize(depth + 1, 0);
        build
            .drafts
            .iter()
            .for_each(|d| recurrence.levels[d.level as usize + 1] += 1);
        (0..depth).for_each(|l| recurrence.levels[l + 1] += recurrence.levels[l]);
        let mut next: Vec<usize> = recurrence.levels.clone();
        build.place.clear();
        build.order.clear();
        build.order.resize(nodes, 0);
        for (draft, d) in build.drafts.iter().enumerate() {
            let place = next[d.level as usize];
            next[d.level as usize] += 1;
            build.place.push(place as u32);
            build.order[place] = draft as u32;
        }

        let fixed = memory.fixed_rows();
        build.input_of.clear();
        build.input_of.resize(fixed + self.variables, NONE);
        self.inputs.clear();
        for draft in &build.drafts {
            let slot = draft.input as usize;
            if build.input_of[slot] == NONE {
                // A variable is only marked as used: it gets its place when the level that defines it is
                // known.
                build.input_of[slot] = if slot < fixed { self.inputs.len() as u32 } else { 0 };
                if slot < fixed {
                    self.inputs.push(draft.input);
                }
            }
        }
        self.inputs_after.clear();
        self.inputs_after.push(self.inputs.len());
        for level in 0..depth {
            for node in recurrence.level(level) {
                let variable = build.drafts[build.order[node] as usize].variable;
                if variable != NONE && build.input_of[fixed + variable as usize] != NONE {
                    build.input_of[fixed + variable as usize] = self.inputs.len() as u32;
                    self.inputs.push(fixed as u32 + variable);
                }
            }
            self.inputs_after.push(self.inputs.len());
        }

        recurrence.parents.clear();
        self.example.clear();
        self.input.clear();
        self.candidates.clear();
        self.candidate_starts.clear();
        self.candidate_starts.push(0);
        self.choices.clear();
        self.choice_starts.clear();
        self.choice_starts.push(0);
        self.count.clear();
        self.variable.clear();
        self.maker.clear();
        self.attention_starts.clear();
        self.attention_starts.push(0);
        let mut attention = 0;
        for &draft in &build.order {
            let d = build.drafts[draft as usize];
            recurrence.parents.push(if d.parent == NONE {
                d.example
            } else {
                recurrence.initial as u32 + build.place[d.parent as usize]
            });
            self.example.push(d.example);
            self.input.push(build.input_of[d.input as usize]);
            let from = d.first_candidate as usize;
            self.candidates
                .extend_from_slice(&build.candidates[from..from + d.candidates as usize]);
            self.candidate_starts.push(self.candidates.len());
            let mut choice = d.first_choice;
            while choice != NONE {
                let c = build.choices[choice as usize];
                self.choices.push((c.position, c.weight));
                choice = c.next;
            }
            self.choice_starts.push(self.choices.len());
            self.count.push(d.count);
            self.variable
                .push((d.variable != NONE).then(|| fixed as u32 + d.variable));
            self.maker.push(d.program);
            attention += memory.tokens[d.example as usize + 1] - memory.tokens[d.example as usize];
            self.attention_starts.push(attention);
        }
        self.path.clear();
        let starts = &self.candidate_starts;
        self.path.extend(
            build
                .steps
                .iter()
                .map(|&(draft, position)| starts[build.place[draft as usize] as usize] + position as usize),
        );
    }
}

impl Build {
    fn find(&self, parent: u32, chosen: u32, example: u32) -> Option<u32> {
        if parent == NONE {
            let root = self.roots[example as usize];
            return (root != NONE).then_some(root);
        }
        let mut child = self.drafts[parent as usize].first_child;
        while child != NONE {
            let draft = &self.drafts[child as usize];
            if draft.chosen == chosen {
                return Some(child);
            }
            child = draft.next_sibling;
        }
        None
    }

    fn insert(&mut self, mut draft: Draft) -> u32 {
        let node = self.drafts.len() as u32;
        if draft.parent == NONE {
            self.roots[draft.example as usize] = node;
        } else {
            let parent = &mut self.drafts[draft.parent as usize];
            draft.next_sibling = parent.first_child;
            parent.first_child = node;
        }
        self.drafts.push(draft);
        node
    }

    /// Adds a choice to a node; false if the same choice was said to define a variable and now is not, or the
    /// reverse.
    fn choose(&mut self, node: u32, position: u32, weight: f32, defines: bool) -> bool {
        let mut at = self.drafts[node as usize].first_choice;
        while at != NONE {
            let choice = &mut self.choices[at as usize];
            if choice.position == position {
                choice.weight += weight;
                return choice.defines == defines;
            }
            at = choice.next;
        }
        let next = self.drafts[node as usize].first_choice;
        self.drafts[node as usize].first_choice = self.choices.len() as u32;
        self.choices.push(Choice {
            position,
            weight,
            defines,
            next,
        });
        true
    }
}
