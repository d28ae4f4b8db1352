//! The learner's side of its assistants: parameters go out, gradients come back, and their mean is taken.
//!
//! Nothing of it is stored on the server. Whoever does not answer in time is left out, and its batch is not lost: it
//! tries again at the next parameters, or the server hands the batch to somebody else.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::{Client, Subscriber};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use mapo_core::{Assistants, average};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::Result;
use crate::learnt::LearntFrom;
use crate::message::{Kind, Seal};
use crate::pieces::{About, Assembly, Portion};
use crate::record::{Names, Record};
use crate::server::Server;

/// Assistants may take so many times as long as the learner itself,
const PATIENCE: u32 = 3;
/// and so much longer, for what lies between them.
const WAY: Duration = Duration::from_millis(100);
/// Whoever is always too slow is waited for once in some thousand steps.
const MOST_MISSES: u32 = 12;

/// What has come of assistants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assistance {
    /// How many there are.
    pub assistants: u64,
    /// Gradients that were learnt from.
    pub gradients: u64,
    /// Gradients for parameters that are no more: of an earlier step, or of an earlier learner.
    pub late: u64,
    /// Gradients of a batch that was learnt from already, and messages that are none.
    pub wrong: u64,
}

/// The same, counted by one thread and read by others.
#[derive(Debug, Default)]
pub(crate) struct AssistanceCounts {
    assistants: AtomicU64,
    gradients: AtomicU64,
    late: AtomicU64,
    wrong: AtomicU64,
}

impl AssistanceCounts {
    pub fn get(&self) -> Assistance {
        Assistance {
            assistants: self.assistants.load(Relaxed),
            gradients: self.gradients.load(Relaxed),
            late: self.late.load(Relaxed),
            wrong: self.wrong.load(Relaxed),
        }
    }
}

/// What assistants are told after a step: the batches whose gradients went into it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// Shard and round of each.
    pub batches: Vec<(u32, u64)>,
}

/// An assistant, as far as it was heard of.
#[derive(Debug)]
struct Known {
    heard: Instant,
    /// Whether it did not answer in time and was not heard of since: it may be gone.
    is_silent: bool,
    /// How often in a row it did not answer in time,
    misses: u32,
    /// and for so many steps it is not waited for: whoever is too slow must not slow the learner down as well.
    spared: u64,
    /// What it has sent for the step that is being made.
    answer: Option<Assembly>,
    /// Whether it has said that it has nothing.
    has_passed: bool,
}

impl Known {
    fn new() -> Self {
        Self {
            heard: Instant::now(),
            is_silent: false,
            misses: 0,
            spared: 0,
            answer: None,
            has_passed: false,
        }
    }

    /// A step begins.
    fn begin(&mut self) {
        (self.answer, self.has_passed) = (None, false);
        self.spared = self.spared.saturating_sub(1);
    }

    fn is_waited_for(&self) -> bool {
        !self.is_silent && self.spared == 0 && !self.has_answered()
    }

    /// A step ends: its answer, if that is there. Whoever was waited for in vain is spared for twice as many steps as
    /// the last time.
    fn end(&mut self) -> Option<Assembly> {
        if self.has_answered() {
            (self.misses, self.spared) = (0, 0);
        } else if self.is_waited_for() {
            self.is_silent = true;
            self.misses = (self.misses + 1).min(MOST_MISSES);
            self.spared = 1 << self.misses;
        }
        self.answer.take().filter(Assembly::is_whole)
    }

    fn has_answered(&self) -> bool {
        self.has_passed || self.answer.as_ref().is_some_and(Assembly::is_whole)
    }
}

/// The assistants of a learner.
#[derive(Debug)]
pub(crate) struct Distant {
    client: Client,
    handle: Handle,
    incoming: Subscriber,
    names: Names,
    seal: Seal,
    epoch: u64,
    lease: Duration,
    is_half: bool,
    numbers: usize,
    reached: Arc<AtomicU64>,
    learnt: Arc<LearntFrom>,
    counts: Arc<AssistanceCounts>,
    here: HashMap<u64, Known>,
    /// The step that is being made, and since when; nothing while nobody assists.
    making: Option<(u64, Instant)>,
    joined: Vec<(u32, u64)>,
}

impl Distant {
    pub fn open(
        server: &Server,
        record: &Record,
        (epoch, reached): (u64, Arc<AtomicU64>),
        numbers: usize,
        learnt: Arc<LearntFrom>,
        counts: Arc<AssistanceCounts>,
    ) -> Result<Self> {
        let names = record.names();
        Ok(Self {
            client: server.client(),
            handle: server.handle(),
            incoming: server.subscribe(&names.gradient_subject())?,
            names,
            seal: record.seal(),
            epoch,
            lease: record.terms.lease(),
            is_half: record.terms.half,
            numbers,
            reached,
            learnt,
            counts,
            here: HashMap::new(),
            making: None,
            joined: Vec::new(),
        })
    }

    /// Takes in a message from an assistant.
    fn hear(&mut self, message: &[u8]) {
        let read = self.seal.unwrap(Kind::Gradient, message);
        let read = read.and_then(|(epoch, content)| Ok((epoch, Portion::read(content)?)));
        let Ok((epoch, piece)) = read else {
            self.counts.wrong.fetch_add(1, Relaxed);
            return;
        };
        let known = self.here.entry(piece.about.sender).or_insert_with(Known::new);
        (known.heard, known.is_silent) = (Instant::now(), false);
        let is_current = epoch == self.epoch && self.making.is_some_and(|(step, _)| step == piece.about.step);
        if piece.numbers.is_empty() {
            known.has_passed |= is_current;
            return;
        }
        if !is_current {
            // Its other pieces say no more than the first.
            if piece.from == 0 {
                self.counts.late.fetch_add(1, Relaxed);
            }
            return;
        }
        let answer = known
            .answer
            .get_or_insert_with(|| Assembly::new(piece.about, self.numbers));
        if answer.about != piece.about {
            *answer = Assembly::new(piece.about, self.numbers);
        }
        answer.add(&piece);
    }

    /// Takes in what has come; waits for something until a moment, if one is given. False if nothing came.
    fn listen(&mut self, until: Option<Instant>) -> bool {
        let next = match self.incoming.next().now_or_never() {
            Some(next) => next,
            None => {
                let left = until.map(|until| until.saturating_duration_since(Instant::now()));
                let Some(left) = left.filter(|left| !left.is_zero()) else {
                    return false;
                };
                let incoming = &mut self.incoming;
                let waiting = async { tokio::time::timeout(left, incoming.next()).await };
                self.handle.block_on(waiting).unwrap_or_default()
            }
        };
        match next {
            Some(message) => {
                self.hear(&message.payload);
                true
            }
            None => false,
        }
    }

    fn send(&self, message: Vec<u8>) -> bool {
        let sent = self
            .client
            .publish(self.names.parameter_subject(), Bytes::from(message));
        self.handle.block_on(sent).is_ok()
    }
}

impl Assistants for Distant {
    fn begin(&mut self, step: u64, parameters: &[f32]) {
        self.making = None;
        while self.listen(None) {}
        let lease = self.lease;
        self.here.retain(|_, known| known.heard.elapsed() < lease);
        self.counts.assistants.store(self.here.len() as u64, Relaxed);
        // What is sent to a server that is away would only wait.
        if self.here.is_empty() || self.client.connection_state() != State::Connected {
            return;
        }
        self.here.values_mut().for_each(Known::begin);
        self.making = Some((step, Instant::now()));
        let about = About {
            step,
            reached: self.reached.load(Relaxed),
            ..About::default()
        };
        let most = self.client.server_info().max_payload.saturating_sub(Seal::LENGTH);
        for piece in Portion::cut(about, parameters, self.is_half, most) {
            if !self.send(self.seal.wrap(Kind::Parameters, self.epoch, &piece)) {
                return;
            }
        }
    }

    fn join(&mut self, gradient: &mut [f32]) -> usize {
        let Some((_, began)) = self.making else {
            return 0;
        };
        let until = Instant::now() + (PATIENCE - 1) * began.elapsed() + WAY;
        while self.here.values().any(Known::is_waited_for) {
            if !self.listen(Some(until)) {
                break;
            }
        }
        let mut answers: Vec<Assembly> = self.here.values_mut().filter_map(Known::end).collect();
        // The same gradients in any order of coming give the same mean.
        answers.sort_by_key(|answer| (answer.about.shard, answer.about.round));
        let (is_new, twice): (Vec<_>, Vec<_>) = answers
            .into_iter()
            .partition(|answer| self.learnt.enter(answer.about.shard, answer.about.round));
        self.counts.wrong.fetch_add(twice.len() as u64, Relaxed);
        // Whoever sent one that is known already shall not send it again.
        let all = is_new.iter().chain(&twice);
        self.joined = all
            .map(|answer| (answer.about.shard, answer.about.round))
            .collect();
        let others: Vec<Vec<f32>> = is_new.into_iter().map(Assembly::into_numbers).collect();
        average(gradient, &others);
        self.counts.gradients.fetch_add(others.len() as u64, Relaxed);
        others.len()
    }

    fn stepped(&mut self) {
        let batches = std::mem::take(&mut self.joined);
        if batches.is_empty() {
            return;
        }
        // If it is lost, the assistant sends the gradient of its batch again and hears of it then.
        if let Ok(message) = self.seal.pack(Kind::Applied, self.epoch, &Applied { batches }) {
            self.send(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a step in which an assistant answers, or does not, and says whether it was waited for.
    fn step(known: &mut Known, answers: bool) -> bool {
        known.begin();
        let is_waited_for = known.is_waited_for();
        known.has_passed = answers;
        assert!(known.end().is_none());
        // It is there, and says so all the time.
        known.is_silent = false;
        is_waited_for
    }

    #[test]
    fn whoever_is_always_too_slow_is_waited_for_ever_less_often() {
        let mut known = Known::new();
        let waited: Vec<u64> = (0..40).filter(|_| step(&mut known, false)).collect();
        assert_eq!(waited, [0, 2, 6, 14, 30]);
        // One that comes back in time is as good as any other.
        step(&mut known, true);
        assert!(step(&mut known, true));
        assert!(step(&mut known, false) && !step(&mut known, false) && step(&mut known, true));
    }
}
