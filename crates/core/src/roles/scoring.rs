//! How likely the programs of a memory are, and how much lies outside.

use super::{Move, Policy};
use crate::program::PrefixTree;

/// What a policy says about a [`PrefixTree`]: three numbers for each node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// log π of the prefix.
    log_probability: Vec<f64>,
    /// Probability of the step that leads to the prefix.
    step: Vec<f64>,
    /// Probability of leaving the tree at the next step.
    leaving: Vec<f64>,
}

impl Scores {
    /// All programs below a node are as likely as the prefix that it stands for.
    fn keep(&mut self, tree: &PrefixTree, node: usize) {
        for (_, child) in tree.children(node) {
            self.log_probability[child] = self.log_probability[node];
            self.keep(tree, child);
        }
    }

    /// log π(a) of every program, in the tree's order.
    pub fn programs(&self, tree: &PrefixTree) -> Vec<f64> {
        (0..tree.programs())
            .map(|program| self.log_probability[tree.end(program)])
            .collect()
    }

    /// For each node, which part of the mass that lies below it belongs to programs other than the `chosen`
    /// ones of the tree. At the root that is 1 − π(B), if all are chosen.
    ///
    /// Subtracting B's mass below each child comes to the same, but where nearly all of it is B's, rounding
    /// would make up an outside that is not there. Sums of what lies outside are zero only if nothing does.
    pub fn outside(&self, tree: &PrefixTree, chosen: impl IntoIterator<Item = usize>) -> Vec<f64> {
        let mut outside = self.leaving.clone();
        // A whole program of the tree that is not chosen lies outside, and is all that there is below itself.
        (0..tree.programs()).for_each(|program| outside[tree.end(program)] = 1.0);
        for program in chosen {
            outside[tree.end(program)] = 0.0;
        }
        for node in (0..tree.nodes()).rev() {
            let below: f64 = tree
                .children(node)
                .map(|(_, child)| self.step[child] * outside[child])
                .sum();
            outside[node] += below;
        }
        outside
    }
}

/// Scores trees, each with its example: one step for each distinct prefix, all examples together, level by
/// level. A prefix after which there is nothing to choose any more takes no step: the last action of a
/// program is often the only valid one. The rows of the policy are lost.
///
/// # Errors
/// Those of the policy.
pub fn score_by_level<X, P>(policy: &mut P, trees: &[(usize, &PrefixTree)]) -> Result<Vec<Scores>, P::Error>
where
    X: ?Sized,
    P: Policy<X> + ?Sized,
{
    let mut scores: Vec<Scores> = trees
        .iter()
        .map(|(_, tree)| Scores {
            log_probability: vec![0.0; tree.nodes()],
            step: vec![1.0; tree.nodes()],
            // A tree without programs is not walked; everything is outside.
            leaving: vec![f64::from(u8::from(tree.programs() == 0)); tree.nodes()],
        })
        .collect();
    let open: Vec<Vec<bool>> = trees.iter().map(|(_, tree)| open(tree)).collect();
    // The node of each row, and the place of its tree.
    let mut rows: Vec<(usize, usize)> = (0..trees.len())
        .filter(|&place| open[place][0])
        .map(|place| (place, 0))
        .collect();
    let examples: Vec<usize> = rows.iter().map(|&(place, _)| trees[place].0).collect();
    if !examples.is_empty() {
        policy.start(&examples)?;
    }
    let (mut next, mut moves, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    while !rows.is_empty() {
        next.clear();
        moves.clear();
        for (row, &(place, node)) in rows.iter().enumerate() {
            let (tree, scores) = (trees[place].1, &mut scores[place]);
            let valid = tree.valid(node);
            steps.clear();
            policy.log_probabilities(row, valid, &mut steps)?;
            for (&action, &step) in valid.iter().zip(&steps) {
                let step = f64::from(step);
                let Some(child) = tree.child(node, action) else {
                    scores.leaving[node] += step.exp();
                    continue;
                };
                scores.log_probability[child] = scores.log_probability[node] + step;
                scores.step[child] = step.exp();
                if open[place][child] {
                    next.push((place, child));
                    moves.push(Move { row, action });
                } else {
                    scores.keep(tree, child);
                }
            }
        }
        std::mem::swap(&mut rows, &mut next);
        if !rows.is_empty() {
            policy.advance(&moves)?;
        }
    }
    Ok(scores)
}

/// Which nodes still have a choice: at themselves, or at a node below.
fn open(tree: &PrefixTree) -> Vec<bool> {
    let mut open = vec![false; tree.nodes()];
    // A node comes after its parent.
    for node in (0..tree.nodes()).rev() {
        open[node] = tree.valid(node).len() > 1 || tree.children(node).any(|(_, child)| open[child]);
    }
    open
}
