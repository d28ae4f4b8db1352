//! Environments that are written in Python, explored by core. The thread that explores is attached to Python all the
//! while: to attach for each call would cost more than the calls.

use mapo_core::{Action, Env, Exploration, Explorer, Memory, Plan, Uniform};
use mapo_neural::{ByPrefix, Look};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::cell::RefCell;

/// What was found: programs with their rewards, how many were tried, dead ends, whether that is all.
type Found = (Vec<(Vec<u16>, f64)>, u64, u64, bool);

/// Programs that are scored together.
const LIST: usize = 4096;

/// The first exception of an environment. From there on it looks as if nothing could be done, and the walk ends.
#[derive(Default)]
struct Raised(RefCell<Option<PyErr>>);

impl Raised {
    fn is_there(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// What came out, unless it was an exception, which is kept.
    fn keep<T>(&self, result: PyResult<T>) -> Option<T> {
        result
            .map_err(|error| {
                self.0.borrow_mut().get_or_insert(error);
            })
            .ok()
    }

    fn raise(&self) -> PyResult<()> {
        self.0.borrow_mut().take().map_or(Ok(()), Err)
    }
}

/// Explores an environment that looks at one prefix at a time: `look(prefix)` gives the valid actions, and the reward if
/// the prefix is a whole program.
#[pyfunction]
pub fn explore_looking(
    py: Python<'_>,
    look: Bound<'_, PyAny>,
    programs: u64,
    seed: u64,
    example: u64,
) -> PyResult<Found> {
    let raised = Raised::default();
    let mut env = ByPrefix::new(|prefix: &[Action]| match raised.is_there() {
        true => Look::Open(Vec::new()),
        false => raised
            .keep(look_at(&look, prefix))
            .unwrap_or(Look::Open(Vec::new())),
    });
    let explored = explore(py, &mut env, &raised, programs, seed, example)?;
    Ok(found(&explored.memory, &explored))
}

/// Explores an environment in which a program takes one of `choices[i]` actions at step i, and whose programs are
/// scored in lists: `score(programs)` gives a reward for each.
#[pyfunction]
pub fn explore_scoring(
    py: Python<'_>,
    score: Bound<'_, PyAny>,
    choices: Vec<u16>,
    programs: u64,
    seed: u64,
    example: u64,
) -> PyResult<Found> {
    let raised = Raised::default();
    let mut env = Scoring {
        score,
        choices,
        prefix: Vec::new(),
        waiting: Vec::new(),
        memory: Memory::default(),
        raised: &raised,
    };
    let explored = explore(py, &mut env, &raised, programs, seed, example)?;
    env.score_waiting();
    raised.raise()?;
    Ok(found(&env.memory, &explored))
}

fn explore(
    py: Python<'_>,
    env: &mut impl Env,
    raised: &Raised,
    programs: u64,
    seed: u64,
    example: u64,
) -> PyResult<Exploration> {
    let plan = Plan {
        programs,
        seed,
        ..Plan::default()
    };
    let explored = Explorer::new(plan).explore(example, env, &mut Uniform, |_| {
        raised.keep(py.check_signals());
        !raised.is_there()
    });
    raised.raise()?;
    explored.ok_or_else(|| PyValueError::new_err("the exploration was given up"))
}

fn found(memory: &Memory, explored: &Exploration) -> Found {
    let program = |program: &[Action]| program.iter().map(|action| action.0).collect();
    let programs = memory.iter();
    let programs = programs.map(|(actions, earned)| (program(actions), reward_of(earned)));
    (
        programs.collect(),
        explored.tried,
        explored.dead_ends,
        explored.is_complete,
    )
}

/// A reward as Python has it. A tenth is to be a tenth there too, where numbers have more digits.
pub fn reward_of(reward: f32) -> f64 {
    reward.to_string().parse().unwrap_or(f64::from(reward))
}

/// What an environment says of a prefix.
pub fn look_at(look: &Bound<'_, PyAny>, prefix: &[Action]) -> PyResult<Look> {
    let tuple = PyTuple::new(look.py(), prefix.iter().map(|action| action.0))?;
    let seen = look.call1((tuple,))?;
    let wrong = |what: &str| {
        let prefix: Vec<u16> = prefix.iter().map(|action| action.0).collect();
        Err(PyValueError::new_err(format!(
            "look({prefix:?}) gives {what}; it gives (actions, None), or ([], reward) for a whole program"
        )))
    };
    let Ok((actions, reward)) = seen.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
        return wrong(&shown(&seen));
    };
    let Ok(reward) = reward.extract::<Option<f32>>() else {
        return wrong(&format!("the reward {}, which is no number", shown(&reward)));
    };
    let Ok(actions) = actions.extract::<Vec<u16>>().or_else(|_| each(&actions)) else {
        return wrong(&format!(
            "the actions {}, which are no whole numbers from 0 to 65535",
            shown(&actions)
        ));
    };
    match reward {
        Some(reward) if !reward.is_finite() => wrong("a reward that is not finite"),
        Some(_) if !actions.is_empty() => wrong("a reward and actions"),
        Some(reward) => Ok(Look::Finished(reward)),
        None => {
            let mut sorted = actions.clone();
            sorted.sort_unstable();
            match sorted.windows(2).any(|two| two[0] == two[1]) {
                true => wrong("an action twice"),
                false => Ok(Look::Open(actions.into_iter().map(Action).collect())),
            }
        }
    }
}

/// The numbers of whatever can be gone through, as an array of numpy's.
fn each<'py, T: FromPyObjectOwned<'py>>(numbers: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    let numbers = numbers.try_iter()?;
    numbers
        .map(|number| number?.extract().map_err(Into::into))
        .collect()
}

/// A value in an error, as Python writes it.
fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value
        .repr()
        .map_or_else(|_| "something".to_owned(), |text| text.to_string());
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Has as many actions at each step as is said, and lets Python score many programs at once. What they earn is known
/// later than the walk asks, so that they have a memory here.
struct Scoring<'a, 'py> {
    score: Bound<'py, PyAny>,
    choices: Vec<u16>,
    prefix: Vec<Action>,
    /// Programs that were not scored yet, one after the other.
    waiting: Vec<Action>,
    memory: Memory,
    raised: &'a Raised,
}

impl Scoring<'_, '_> {
    fn score_waiting(&mut self) {
        if !self.waiting.is_empty() && !self.raised.is_there() {
            let rewards = self.raised.keep(self.ask());
            let programs = self.waiting.chunks(self.choices.len());
            for (program, reward) in programs.zip(rewards.unwrap_or_default()) {
                if reward > 0.0 {
                    self.memory.insert(program, reward);
                }
            }
        }
        self.waiting.clear();
    }

    fn ask(&self) -> PyResult<Vec<f32>> {
        let py = self.score.py();
        let programs = self.waiting.chunks(self.choices.len());
        let programs = programs.map(|program| PyTuple::new(py, program.iter().map(|action| action.0)));
        let programs = PyList::new(py, programs.collect::<PyResult<Vec<_>>>()?)?;
        let wanted = programs.len();
        let scored = self.score.call1((programs,))?;
        let rewards = scored.extract::<Vec<f32>>().or_else(|_| each(&scored));
        let Ok(rewards) = rewards else {
            return Err(PyValueError::new_err(format!(
                "score gives {}; it gives a list with a number for each program",
                shown(&scored)
            )));
        };
        match (
            rewards.len() == wanted,
            rewards.iter().all(|reward| reward.is_finite()),
        ) {
            (true, true) => Ok(rewards),
            (false, _) => Err(PyValueError::new_err(format!(
                "score gives {} rewards for {wanted} programs; it gives one for each",
                rewards.len()
            ))),
            (_, false) => Err(PyValueError::new_err("score gives a reward that is not finite")),
        }
    }
}

impl Env for Scoring<'_, '_> {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        if let (Some(&choices), false) = (self.choices.get(self.prefix.len()), self.raised.is_there()) {
            valid.extend((0..choices).map(Action));
        }
    }

    fn step(&mut self, action: Action) {
        self.prefix.push(action);
    }

    fn rewind(&mut self, len: usize) {
        self.prefix.truncate(len);
    }

    fn is_finished(&self) -> bool {
        self.prefix.len() == self.choices.len()
    }

    fn reward(&mut self) -> f32 {
        self.waiting.extend_from_slice(&self.prefix);
        if self.waiting.len() >= LIST * self.choices.len() {
            self.score_waiting();
        }
        0.0
    }
}
