//! Programs drawn together: from the policy, or from what it is outside a memory.

use rand::Rng;

use crate::chance::choose;
use crate::program::{Action, PrefixTree, Steps};
use crate::roles::{Env, Move, Policy};

/// What to draw for one example.
pub(super) struct Request<'a> {
    /// The example's place in the batch.
    pub example: usize,
    /// How many programs.
    pub draws: usize,
    /// Programs that must not be drawn: their tree, and for each of its nodes which part of the mass below
    /// lies outside them.
    pub outside: Option<(&'a PrefixTree, &'a [f64])>,
}

/// Draws programs in lock-step; holds buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Locksteps {
    valid: Vec<Action>,
    log_probabilities: Vec<f32>,
    weights: Vec<f64>,
}

/// A program on its way.
struct Walker {
    /// The place of its request.
    request: usize,
    row: usize,
    /// The node of its prefix in the tree of what must not be drawn, as long as it is in there.
    node: Option<usize>,
    steps: Steps,
}

impl Locksteps {
    /// Draws what is requested, and gives each program with its reward to `drawn`, with the place of its
    /// request; all environments are left somewhere. At a dead end a program has earned nothing. Fewer
    /// programs than requested come only if none lies outside the tree.
    ///
    /// With π(c|q) the policy's probability of action c after the prefix q, and out(q) the part of the mass
    /// below q that lies outside B, π⁻ takes c with a probability proportional to π(c|q)·out(qc): the mass
    /// below each child, less that of B.
    pub fn draw<E, X, P, R>(
        &mut self,
        policy: &mut P,
        envs: &mut [&mut E],
        rngs: &mut [R],
        requests: &[Request<'_>],
        mut drawn: impl FnMut(usize, Steps, f32),
    ) -> Result<(), P::Error>
    where
        E: Env,
        X: ?Sized,
        P: Policy<X> + ?Sized,
        R: Rng,
    {
        let mut walkers = Vec::new();
        let mut examples = Vec::new();
        for (place, request) in requests.iter().enumerate() {
            let is_possible = request.outside.is_none_or(|(_, outside)| outside[0] > 0.0);
            if request.draws == 0 || !is_possible {
                continue;
            }
            envs[request.example].rewind(0);
            // All draws of an example begin in one row, and share rows as long as they agree.
            let row = examples.len();
            examples.push(request.example);
            walkers.extend((0..request.draws).map(|_| Walker {
                request: place,
                row,
                node: request.outside.map(|_| 0),
                steps: Steps::default(),
            }));
        }
        if walkers.is_empty() {
            return Ok(());
        }
        // Where each environment stands.
        let mut places: Vec<Vec<Action>> = vec![Vec::new(); envs.len()];
        let mut moves: Vec<Move> = Vec::new();
        policy.start(&examples)?;
        loop {
            moves.clear();
            let mut on_their_way = Vec::with_capacity(walkers.len());
            for mut walker in walkers {
                let request = &requests[walker.request];
                let env = &mut *envs[request.example];
                env.go_to(&mut places[request.example], walker.steps.actions());
                self.valid.clear();
                if !env.is_finished() {
                    env.actions(&mut self.valid);
                }
                if self.valid.is_empty() {
                    let reward = if env.is_finished() { env.reward() } else { 0.0 };
                    drawn(walker.request, walker.steps, reward);
                    continue;
                }
                self.log_probabilities.clear();
                policy.log_probabilities(walker.row, &self.valid, &mut self.log_probabilities)?;
                self.weigh(request, walker.node);
                let action = self.valid[choose(self.valid.len(), &self.weights, &mut rngs[request.example])];
                walker.steps.push(action, &self.valid);
                if let (Some(node), Some((tree, _))) = (walker.node, request.outside) {
                    walker.node = tree.child(node, action);
                }
                let next = Move {
                    row: walker.row,
                    action,
                };
                // Walkers of one example follow each other, so an equal move is not far.
                let known = (0..moves.len())
                    .rev()
                    .take(request.draws)
                    .find(|&row| moves[row] == next);
                walker.row = known.unwrap_or(moves.len());
                if known.is_none() {
                    moves.push(next);
                }
                on_their_way.push(walker);
            }
            walkers = on_their_way;
            if walkers.is_empty() {
                return Ok(());
            }
            policy.advance(&moves)?;
        }
    }

    /// Turns the log-probabilities of the valid actions into weights.
    fn weigh(&mut self, request: &Request<'_>, node: Option<usize>) {
        let probabilities = self.log_probabilities.iter().map(|&log| f64::from(log).exp());
        self.weights.clear();
        self.weights.extend(probabilities);
        if let (Some(node), Some((tree, outside))) = (node, request.outside) {
            for (action, weight) in self.valid.iter().zip(&mut self.weights) {
                *weight *= tree.child(node, *action).map_or(1.0, |child| outside[child]);
            }
        }
    }
}
