//! The tasks: what was done to these lists? An environment that knows nothing of learning, nor of tables.

use mapo_core::{Action, Env, example_rng};
use mapo_neural::Observed;
use rand::{Rng, RngExt};

/// Digits, a few of them.
type List = Vec<u8>;

/// Functions that a program may have.
const LONGEST: usize = 4;
/// Pairs that are shown of a task, and pairs that are kept back.
const SHOWN: usize = 3;
const HIDDEN: usize = 10;
/// Digits in the list before.
const DIGITS: usize = 5;

/// A name, and what it does to a list.
type Function = (&'static str, fn(&mut List));

/// What can be done to a list. Each is an action, and so is ending the program, which comes last.
const FUNCTIONS: [Function; 10] = [
    ("reverse", |list| list.reverse()),
    ("sort", |list| list.sort_unstable()),
    ("drop the first", |list| {
        if !list.is_empty() {
            list.remove(0);
        }
    }),
    ("drop the last", |list| {
        list.pop();
    }),
    ("rotate", |list| {
        if !list.is_empty() {
            list.rotate_left(1);
        }
    }),
    ("add one", |list| {
        list.iter_mut().for_each(|digit| *digit = (*digit + 1) % 10)
    }),
    ("double", |list| {
        list.iter_mut().for_each(|digit| *digit = *digit * 2 % 10)
    }),
    ("keep the even", |list| list.retain(|digit| digit % 2 == 0)),
    ("keep the odd", |list| list.retain(|digit| digit % 2 == 1)),
    ("keep above four", |list| list.retain(|&digit| digit > 4)),
];
const END: Action = Action(FUNCTIONS.len() as u16);

/// The actions of all tasks.
pub const ACTIONS: usize = FUNCTIONS.len() + 1;

/// One task: lists before and after, and what has been done so far.
#[derive(Clone, Debug)]
pub struct Lists {
    shown: Vec<(List, List)>,
    /// The pairs that a program must get right to be rewarded.
    scored: Vec<(List, List)>,
    taken: Vec<Action>,
}

/// What becomes of a list.
fn apply(program: &[Action], list: &[u8]) -> List {
    let mut list = list.to_vec();
    for action in program {
        if let Some((_, function)) = FUNCTIONS.get(usize::from(action.0)) {
            function(&mut list);
        }
    }
    list
}

impl Lists {
    /// A task by its number: of all that have the same seed no two are drawn alike. It is rewarded by the pairs
    /// that are shown.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut rng = example_rng(seed, number);
        loop {
            let length = rng.random_range(1..=LONGEST);
            let program: Vec<Action> = (0..length)
                .map(|_| Action(rng.random_range(0..FUNCTIONS.len()) as u16))
                .collect();
            let mut pairs: Vec<(List, List)> =
                (0..SHOWN + HIDDEN).map(|_| pair(&program, &mut rng)).collect();
            let hidden = pairs.split_off(SHOWN);
            // What leaves nothing over, or changes nothing, shows nothing.
            let left = pairs.iter().map(|(_, after)| after.len()).max().unwrap_or(0);
            if left > 1 && pairs.iter().any(|(before, after)| before != after) {
                return Self {
                    scored: [&pairs[..], &hidden[..]].concat(),
                    shown: pairs,
                    taken: Vec::new(),
                };
            }
        }
    }

    /// The same task as it is trained on: whoever gets the shown pairs right is rewarded, by accident or not.
    pub fn shown_only(mut self) -> Self {
        self.scored.truncate(SHOWN);
        self
    }
}

fn pair(program: &[Action], rng: &mut impl Rng) -> (List, List) {
    let before: List = (0..DIGITS).map(|_| rng.random_range(0..10)).collect();
    let after = apply(program, &before);
    (before, after)
}

impl Observed for Lists {
    fn context(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        for (before, after) in &self.shown {
            // A digit and the one that stands in its place afterwards are one token.
            for place in 0..DIGITS {
                let digit = |list: &List| list.get(place).map_or("_".to_owned(), u8::to_string);
                tokens.push(format!("{}>{}", digit(before), digit(after)));
            }
            tokens.push(";".to_owned());
        }
        tokens
    }
}

impl Env for Lists {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        if self.is_finished() {
            return;
        }
        if self.taken.len() < LONGEST {
            valid.extend((0..END.0).map(Action));
        }
        if !self.taken.is_empty() {
            valid.push(END);
        }
    }

    fn step(&mut self, action: Action) {
        self.taken.push(action);
    }

    fn rewind(&mut self, len: usize) {
        self.taken.truncate(len);
    }

    fn is_finished(&self) -> bool {
        self.taken.last() == Some(&END)
    }

    fn reward(&mut self) -> f32 {
        let is_right = |(before, after): &(List, List)| apply(&self.taken, before) == *after;
        f32::from(u8::from(self.scored.iter().all(is_right)))
    }
}
