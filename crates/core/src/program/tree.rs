//! Programs that share prefixes.

use super::{Action, Steps};

const NONE: u32 = u32::MAX;

/// The prefixes of some programs of one example, each of them once, with what is valid after it.
///
/// A node is a prefix. Node 0 is the empty one, and a node always comes after its parent.
#[derive(Clone, Debug)]
pub struct PrefixTree {
    nodes: Vec<Node>,
    /// The valid actions of the nodes, packed.
    valid: Vec<Action>,
    /// The last node of each program.
    ends: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// What leads here from the parent.
    action: Action,
    first_child: u32,
    next_sibling: u32,
    first_valid: u32,
    valid: u32,
}

impl Default for PrefixTree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::new(NONE, Action(0))],
            valid: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Node {
    fn new(parent: u32, action: Action) -> Self {
        Self {
            parent,
            action,
            first_child: NONE,
            next_sibling: NONE,
            first_valid: 0,
            valid: 0,
        }
    }
}

impl PrefixTree {
    /// The tree of some programs.
    pub fn of_steps<'a>(programs: impl IntoIterator<Item = &'a Steps>) -> Self {
        let mut tree = Self::default();
        for program in programs {
            let mut node = 0;
            for (action, valid) in program.iter() {
                if tree.valid(node).is_empty() {
                    tree.set_valid(node, valid);
                }
                node = tree.child_or_new(node, action);
            }
            tree.end_program(node);
        }
        tree
    }

    /// Adds a program, which ends at this prefix.
    pub(crate) fn end_program(&mut self, node: usize) {
        self.ends.push(node as u32);
    }

    /// Says what is valid after a prefix, of which nothing was known so far.
    pub(crate) fn set_valid(&mut self, node: usize, valid: &[Action]) {
        self.nodes[node].first_valid = self.valid.len() as u32;
        self.nodes[node].valid = valid.len() as u32;
        self.valid.extend_from_slice(valid);
    }

    /// The prefix that is longer by this action, made if need be.
    pub(crate) fn child_or_new(&mut self, node: usize, action: Action) -> usize {
        if let Some(child) = self.child(node, action) {
            return child;
        }
        let child = self.nodes.len();
        self.nodes.push(Node {
            next_sibling: self.nodes[node].first_child,
            ..Node::new(node as u32, action)
        });
        self.nodes[node].first_child = child as u32;
        child
    }

    /// The number of prefixes, whole programs included.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The number of programs.
    pub fn programs(&self) -> usize {
        self.ends.len()
    }

    /// The node of a whole program.
    ///
    /// # Panics
    /// If there is no such program.
    pub fn end(&self, program: usize) -> usize {
        self.ends[program] as usize
    }

    /// What is valid after a prefix; nothing after a whole program.
    pub fn valid(&self, node: usize) -> &[Action] {
        let Node {
            first_valid, valid, ..
        } = self.nodes[node];
        &self.valid[first_valid as usize..(first_valid + valid) as usize]
    }

    /// The prefixes that are longer by one action, with that action.
    pub fn children(&self, node: usize) -> impl Iterator<Item = (Action, usize)> {
        let mut next = self.nodes[node].first_child;
        std::iter::from_fn(move || {
            let child = *self.nodes.get(next as usize)?;
            let place = std::mem::replace(&mut next, child.next_sibling);
            Some((child.action, place as usize))
        })
    }

    /// The prefix that is longer by this action, if some program has it.
    pub fn child(&self, node: usize, action: Action) -> Option<usize> {
        self.children(node)
            .find_map(|(other, child)| (other == action).then_some(child))
    }

    /// A program with what was valid at each step.
    ///
    /// # Panics
    /// If there is no such program.
    pub fn steps(&self, program: usize) -> Steps {
        let mut path = Vec::new();
        let mut node = self.ends[program];
        while self.nodes[node as usize].parent != NONE {
            path.push(node);
            node = self.nodes[node as usize].parent;
        }
        let mut steps = Steps::default();
        for &node in path.iter().rev() {
            let Node { parent, action, .. } = self.nodes[node as usize];
            steps.push(action, self.valid(parent as usize));
        }
        steps
    }
}
