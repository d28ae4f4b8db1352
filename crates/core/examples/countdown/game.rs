//! The game: an environment that knows nothing of learning, nor of tables.

use mapo_core::{Action, Env};

/// Numbers that may be given.
pub const MOST_NUMBERS: usize = 6;

/// A calculation is written as on a pocket calculator of old: first the numbers, then what to do with the
/// last two. Actions below `MOST_NUMBERS` push the number of that index.
const PLUS: Action = Action(10);
const MINUS: Action = Action(11);
const TIMES: Action = Action(12);
const DIVIDE: Action = Action(13);
const DONE: Action = Action(14);

/// One round: some numbers and a target.
pub struct Countdown {
    numbers: Vec<u32>,
    target: u32,
    /// One state per prefix, so that going back is dropping the last ones.
    states: Vec<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    stack: [u32; MOST_NUMBERS],
    height: usize,
    is_used: [bool; MOST_NUMBERS],
    is_done: bool,
}

impl State {
    /// The last two numbers.
    fn pair(&self) -> Option<(u32, u32)> {
        (self.height >= 2).then(|| (self.stack[self.height - 2], self.stack[self.height - 1]))
    }
}

/// The result, if the rules allow it: whole positive numbers only, and only one way to write what comes to
/// the same.
fn calculate(operation: Action, left: u32, right: u32) -> Option<u32> {
    match operation {
        PLUS if left >= right => left.checked_add(right),
        MINUS if left > right => Some(left - right),
        TIMES if left >= right && right > 1 => left.checked_mul(right),
        DIVIDE if right > 1 && left.is_multiple_of(right) => Some(left / right),
        _ => None,
    }
}

impl Countdown {
    /// A round at its start.
    pub fn new(target: u32, numbers: &[u32]) -> Self {
        Self {
            numbers: numbers.to_vec(),
            target,
            states: vec![State::default()],
        }
    }

    fn here(&self) -> &State {
        &self.states[self.states.len() - 1]
    }

    /// The calculation as one writes it.
    pub fn show(&self, program: &[Action]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for &action in program {
            let sign = match action {
                PLUS => "+",
                MINUS => "-",
                TIMES => "×",
                DIVIDE => "÷",
                DONE => break,
                Action(index) => {
                    parts.push(self.numbers[usize::from(index)].to_string());
                    continue;
                }
            };
            let right = parts.pop().unwrap_or_default();
            let left = parts.pop().unwrap_or_default();
            parts.push(format!("({left} {sign} {right})"));
        }
        let whole = parts.pop().unwrap_or_default();
        // The outermost parentheses say nothing.
        let bare = whole.strip_prefix('(').and_then(|whole| whole.strip_suffix(')'));
        bare.unwrap_or(&whole).to_owned()
    }
}

impl Env for Countdown {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        let state = self.here();
        if state.is_done {
            return;
        }
        for (index, number) in self.numbers.iter().enumerate() {
            // Of equal numbers take the first one left: the others would give the same calculation again.
            let is_first = (0..index).all(|other| state.is_used[other] || self.numbers[other] != *number);
            if !state.is_used[index] && is_first {
                valid.push(Action(index as u16));
            }
        }
        if let Some((left, right)) = state.pair() {
            let operations = [PLUS, MINUS, TIMES, DIVIDE].into_iter();
            valid.extend(operations.filter(|&operation| calculate(operation, left, right).is_some()));
        }
        if state.height == 1 {
            valid.push(DONE);
        }
    }

    fn step(&mut self, action: Action) {
        let mut state = *self.here();
        if action == DONE {
            state.is_done = true;
        } else if let Some(&number) = self.numbers.get(usize::from(action.0)) {
            state.is_used[usize::from(action.0)] = true;
            state.stack[state.height] = number;
            state.height += 1;
        } else if let Some((left, right)) = state.pair()
            && let Some(result) = calculate(action, left, right)
        {
            state.height -= 1;
            state.stack[state.height - 1] = result;
        }
        self.states.push(state);
    }

    fn rewind(&mut self, len: usize) {
        self.states.truncate(len + 1);
    }

    fn is_finished(&self) -> bool {
        self.here().is_done
    }

    fn reward(&mut self) -> f32 {
        if self.here().stack[0] == self.target {
            1.0
        } else {
            0.0
        }
    }
}
