//! What one process has for a time: it says so again and again, and who falls silent has lost it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Result;
use crate::server::Bucket;

/// The leases of a run.
#[derive(Clone)]
pub(crate) struct Leases<'s> {
    pub bucket: Bucket<'s>,
    /// Who we are; no two processes have the same.
    pub holder: String,
}

/// Something that we have.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub key: String,
    revision: u64,
}

impl Leases<'_> {
    /// Takes something that nobody has; nothing if somebody does.
    pub fn take(&self, key: &str) -> Result<Option<Held>> {
        let made = self.bucket.create(key, self.holder.as_bytes())?;
        let key = key.to_owned();
        Ok(made.map(|revision| Held { key, revision }))
    }

    /// Says that we still have it. False if we have lost it: also if we were silent for too long and nobody
    /// has taken it since; then it can be taken again.
    pub fn renew(&self, held: &mut Held) -> Result<bool> {
        let Some(entry) = self.bucket.get(&held.key)? else {
            return Ok(false);
        };
        // The answer to an earlier renewal may have been lost.
        if entry.value != self.holder.as_bytes() {
            return Ok(false);
        }
        let renewed = self
            .bucket
            .set(&held.key, self.holder.as_bytes(), entry.revision)?;
        if let Some(revision) = renewed {
            held.revision = revision;
        }
        Ok(renewed.is_some())
    }

    /// Gives it back at once.
    pub fn give_back(&self, held: &Held) -> Result<()> {
        match self.bucket.get(&held.key)? {
            Some(entry) if entry.value == self.holder.as_bytes() => {
                self.bucket.remove(&held.key, entry.revision)
            }
            _ => Ok(()),
        }
    }
}

/// A name for this process that no other has.
pub(crate) fn own_name() -> String {
    format!("{}-{}-{}", host(), std::process::id(), random_name())
}

/// A name that nothing else has.
pub(crate) fn random_name() -> String {
    format!("{:012x}", random_number() >> 16)
}

/// A number that nothing else has.
pub(crate) fn random_number() -> u64 {
    let mut bytes = [0; 8];
    // Without randomness the number of the process must do.
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => u64::from(std::process::id()) << 16,
    }
}

/// The name of this machine, as far as keys can hold it.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String = name
        .trim()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        .take(32)
        .collect();
    match name.is_empty() {
        true => "somewhere".to_owned(),
        false => name,
    }
}

/// How many of something there were a second, lately.
#[derive(Debug)]
pub(crate) struct Rate(Mutex<(Instant, u64, f64)>);

impl Default for Rate {
    fn default() -> Self {
        Self(Mutex::new((Instant::now(), 0, 0.0)))
    }
}

impl Rate {
    fn lock(&self) -> MutexGuard<'_, (Instant, u64, f64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// There was one.
    pub fn count(&self) {
        self.lock().1 += 1;
    }

    /// How many there were a second since this was last asked, smoothed.
    pub fn take(&self) -> f64 {
        let mut state = self.lock();
        let (began, counted, rate) = *state;
        let seconds = began.elapsed();
        if seconds < Duration::from_millis(200) {
            return rate;
        }
        let now = counted as f64 / seconds.as_secs_f64();
        let smooth = if rate == 0.0 { now } else { 0.5 * rate + 0.5 * now };
        *state = (Instant::now(), 0, smooth);
        smooth
    }
}
