//! Beam search: the most probable programs.

use mapo_core::{Action, Env, Move, Policy};
use serde::{Deserialize, Serialize};

/// Where beam search walks about: whatever offers actions and knows when a program is whole.
pub trait Walk<E> {
    /// Goes to a program, begun or whole, all of whose actions were offered; says whether it is whole.
    ///
    /// # Errors
    /// If it cannot get there.
    fn visit(&mut self, program: &[Action]) -> Result<bool, E>;

    /// Appends the actions that may follow where it stands; none at a dead end.
    fn offered(&mut self, valid: &mut Vec<Action>);
}

/// How far beam search looks to both sides of the most probable program.
///
/// ```
/// use mapo_neural::Breadth;
/// // Twenty programs, but none that is less than a four-hundredth as probable as the best.
/// let wide = Breadth { width: 20, reach: Some(6.0) };
/// assert!(wide.reaches(-7.9, -2.0) && !wide.reaches(-8.1, -2.0));
/// assert!(Breadth::from(5).reaches(-100.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breadth {
    /// Partial programs of each length that go on.
    pub width: usize,
    /// By how much the logarithm of a program's probability may be below the best one's; any amount when not given.
    /// Where the network is certain little else is looked at, so that a wide beam costs hardly more than a
    /// narrow one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
}

impl Breadth {
    /// Whether a program is worth going on with beside the most probable one.
    pub fn reaches(&self, log_probability: f64, most: f64) -> bool {
        self.reach.is_none_or(|reach| log_probability >= most - reach)
    }
}

/// Looks at this many, however improbable.
impl From<usize> for Breadth {
    fn from(width: usize) -> Self {
        Self { width, reach: None }
    }
}

/// As in training and in the paper.
impl Default for Breadth {
    fn default() -> Self {
        Self::from(5)
    }
}

/// A whole program and log π of it.
pub type Found = (Vec<Action>, f64);

/// A program that is not finished.
struct Partial {
    task: usize,
    actions: Vec<Action>,
    log_probability: f64,
}

/// A partial program of a beam, by its row, with one action more.
struct Next {
    step: Move,
    log_probability: f64,
}

/// For each context its most probable programs, the best first: at each length as many partial programs as the
/// beam is broad go on, and those that end are kept. One of which every way was a dead end has none. The walks
/// may stand anywhere.
///
/// # Errors
/// Those of the policy and of the walks.
pub fn beam_search<X, P, W, E>(
    policy: &mut P,
    contexts: &[&X],
    walks: &mut [W],
    breadth: Breadth,
) -> Result<Vec<Vec<Found>>, E>
where
    X: ?Sized,
    P: Policy<X> + ?Sized,
    W: Walk<E>,
    E: From<P::Error>,
{
    let width = breadth.width.max(1);
    let mut done: Vec<Vec<Found>> = vec![Vec::new(); contexts.len()];
    let begun = |task| Partial {
        task,
        actions: Vec::new(),
        log_probability: 0.0,
    };
    let mut rows: Vec<Partial> = (0..contexts.len()).map(begun).collect();
    if !rows.is_empty() {
        policy.read(contexts)?;
        policy.start(&(0..contexts.len()).collect::<Vec<_>>())?;
    }
    let (mut valid, mut logs) = (Vec::new(), Vec::new());
    while !rows.is_empty() {
        let mut next: Vec<(Move, Partial)> = Vec::new();
        let mut from = 0;
        // The rows of a task stand together.
        for beam in rows.chunk_by(|one, other| one.task == other.task) {
            let task = beam[0].task;
            let (walk, done) = (&mut walks[task], &mut done[task]);
            let mut best: Vec<Next> = Vec::new();
            for (row, partial) in (from..).zip(beam) {
                walk.visit(&partial.actions)?;
                valid.clear();
                walk.offered(&mut valid);
                if !valid.is_empty() {
                    logs.clear();
                    policy.log_probabilities(row, &valid, &mut logs)?;
                    best.extend(valid.iter().zip(&logs).map(|(&action, &log)| Next {
                        step: Move { row, action },
                        log_probability: partial.log_probability + f64::from(log),
                    }));
                }
            }
            from += beam.len();
            most_probable(&mut best, width, |next| next.log_probability);
            let most = done
                .iter()
                .map(|(_, log_probability)| *log_probability)
                .chain(best.first().map(|next| next.log_probability))
                .fold(f64::NEG_INFINITY, f64::max);
            best.retain(|next| breadth.reaches(next.log_probability, most));
            for Next {
                step,
                log_probability,
            } in best
            {
                let mut actions = rows[step.row].actions.clone();
                actions.push(step.action);
                // Longer programs are less probable, so one that is behind `width` finished ones stays behind.
                let ahead = |(_, finished): &&Found| *finished >= log_probability;
                if walk.visit(&actions)? {
                    done.push((actions, log_probability));
                } else if done.iter().filter(ahead).count() < width {
                    let partial = Partial {
                        task,
                        actions,
                        log_probability,
                    };
                    next.push((step, partial));
                }
            }
        }
        let moves: Vec<Move> = next.iter().map(|(step, _)| *step).collect();
        if !moves.is_empty() {
            policy.advance(&moves)?;
        }
        rows = next.into_iter().map(|(_, partial)| partial).collect();
    }
    for found in &mut done {
        most_probable(found, width, |(_, log_probability)| *log_probability);
    }
    Ok(done)
}

/// Leaves the `most` most probable, the best first; those that are equally probable keep their order.
fn most_probable<T>(all: &mut Vec<T>, most: usize, log_probability: impl Fn(&T) -> f64) {
    all.sort_by(|one, other| log_probability(other).total_cmp(&log_probability(one)));
    all.truncate(most);
}

/// A whole program of an environment with its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The program.
    pub actions: Vec<Action>,
    /// log π of it.
    pub log_probability: f64,
    /// What it earns.
    pub reward: f32,
}

/// An environment, and where it stands.
struct Standing<'a, V> {
    env: &'a mut V,
    here: Vec<Action>,
}

impl<V: Env, E> Walk<E> for Standing<'_, V> {
    fn visit(&mut self, program: &[Action]) -> Result<bool, E> {
        self.env.go_to(&mut self.here, program);
        Ok(self.env.is_finished())
    }

    fn offered(&mut self, valid: &mut Vec<Action>) {
        self.env.actions(valid);
    }
}

/// For each task its most probable programs with what they earn, the best first, by [`beam_search`].
///
/// # Errors
/// Those of the policy.
pub fn best_programs<X, P, V>(
    policy: &mut P,
    contexts: &[&X],
    envs: &mut [V],
    width: usize,
) -> Result<Vec<Vec<Candidate>>, P::Error>
where
    X: ?Sized,
    P: Policy<X> + ?Sized,
    V: Env,
{
    envs.iter_mut().for_each(|env| env.rewind(0));
    let walks = envs.iter_mut().map(|env| Standing {
        env,
        here: Vec::new(),
    });
    let mut walks: Vec<Standing<'_, V>> = walks.collect();
    let found = beam_search::<X, P, _, P::Error>(policy, contexts, &mut walks, width.into())?;
    let earned = found.into_iter().zip(walks).map(|(found, mut walk)| {
        let candidate = |(actions, log_probability): Found| {
            walk.env.go_to(&mut walk.here, &actions);
            Candidate {
                reward: walk.env.reward(),
                actions,
                log_probability,
            }
        };
        found.into_iter().map(candidate).collect()
    });
    Ok(earned.collect())
}
