//! What a policy may know of a task before it acts.

use std::ops::Range;

use mapo_core::{Action, Env};

/// An environment that tells its task as tokens. That is all a policy sees of it, beside the actions taken so
/// far and those that are valid next.
///
/// Tokens are words of the author's choice, the same word for the same thing in every task: what held for a
/// word in training is expected of it again. A word that training never met is *unknown*.
pub trait Observed: Env {
    /// The task.
    fn context(&self) -> Vec<String>;

    /// Parts of the context that actions can stand for, as places of tokens. The actions of all tasks come
    /// first, [`Settings::actions`](crate::Settings::actions) many; the one after them takes the first
    /// mention, and so on. A policy knows such an action by its tokens, so that it need not have met it.
    fn mentions(&self) -> Vec<Range<usize>> {
        Vec::new()
    }
}

impl<E: Observed + ?Sized> Observed for Box<E> {
    fn context(&self) -> Vec<String> {
        (**self).context()
    }

    fn mentions(&self) -> Vec<Range<usize>> {
        (**self).mentions()
    }
}

/// Any environment, with its task as tokens.
///
/// ```
/// use mapo_core::Action;
/// use mapo_neural::{ByPrefix, Look, Observed, Observing};
///
/// let coins = ByPrefix::new(|laid: &[Action]| match laid {
///     [] => Look::Open(vec![Action(0), Action(1)]),
///     [coin] => Look::Finished(f32::from(coin.0)),
///     _ => Look::Open(Vec::new()),
/// });
/// let task = Observing::new(["heads", "wins"], coins);
/// assert_eq!(task.context(), ["heads", "wins"]);
/// ```
#[derive(Clone, Debug)]
pub struct Observing<E> {
    env: E,
    context: Vec<String>,
    mentions: Vec<Range<usize>>,
}

impl<E> Observing<E> {
    /// An environment whose task is `context`.
    pub fn new<T: Into<String>>(context: impl IntoIterator<Item = T>, env: E) -> Self {
        Self {
            env,
            context: context.into_iter().map(Into::into).collect(),
            mentions: Vec::new(),
        }
    }

    /// The same with parts of the context that actions can stand for.
    pub fn mentioning(self, mentions: Vec<Range<usize>>) -> Self {
        Self { mentions, ..self }
    }
}

impl<E: Env> Observed for Observing<E> {
    fn context(&self) -> Vec<String> {
        self.context.clone()
    }

    fn mentions(&self) -> Vec<Range<usize>> {
        self.mentions.clone()
    }
}

impl<E: Env> Env for Observing<E> {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        self.env.actions(valid);
    }

    fn step(&mut self, action: Action) {
        self.env.step(action);
    }

    fn rewind(&mut self, len: usize) {
        self.env.rewind(len);
    }

    fn is_finished(&self) -> bool {
        self.env.is_finished()
    }

    fn reward(&mut self) -> f32 {
        self.env.reward()
    }
}
