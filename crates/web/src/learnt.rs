//! The models that answer: the server's own, and for tables whose corrections were learnt from the one beside them.

use crate::error::Problem;
use crate::home::Home;
use mapo_answering::Answerer;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Models beside tables that are held in memory at the same time.
const MOST: usize = 4;

/// All models.
#[derive(Debug)]
pub(crate) struct Models {
    own: Arc<Answerer>,
    /// Whether those beside tables are used: not where somebody said which model answers.
    uses_learnt: bool,
    /// The one used last at the end.
    beside: Mutex<Vec<Beside>>,
}

/// A model beside a table, as it was when it was read.
#[derive(Debug)]
struct Beside {
    file: PathBuf,
    stamp: Stamp,
    answerer: Arc<Answerer>,
}

/// When a file was written, and its size.
type Stamp = (Option<SystemTime>, u64);

fn stamp(file: &Path) -> Option<Stamp> {
    let about = std::fs::metadata(file).ok()?;
    Some((about.modified().ok(), about.len()))
}

impl Models {
    pub fn new(own: Arc<Answerer>, uses_learnt: bool) -> Self {
        Models {
            own,
            uses_learnt,
            beside: Mutex::default(),
        }
    }

    /// The server's own.
    pub fn own(&self) -> &Arc<Answerer> {
        &self.own
    }

    pub fn uses_learnt(&self) -> bool {
        self.uses_learnt
    }

    fn beside(&self) -> MutexGuard<'_, Vec<Beside>> {
        self.beside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model for a table with this home, if it is in memory: that it need not be looked for on a thread that may wait.
    pub fn at_hand(&self, home: Option<&Home>) -> Option<Arc<Answerer>> {
        let Some(file) = home.filter(|_| self.uses_learnt).and_then(Home::learnt) else {
            return Some(Arc::clone(&self.own));
        };
        let stamp = stamp(&file)?;
        let mut all = self.beside();
        let place = all
            .iter()
            .position(|known| known.file == file && known.stamp == stamp)?;
        let known = all.remove(place);
        let answerer = Arc::clone(&known.answerer);
        all.push(known);
        Some(answerer)
    }

    /// The same; it is read if it must be.
    pub fn of(&self, home: Option<&Home>) -> Result<Arc<Answerer>, Problem> {
        if let Some(answerer) = self.at_hand(home) {
            return Ok(answerer);
        }
        let Some(file) = home.and_then(Home::learnt) else {
            return Ok(Arc::clone(&self.own));
        };
        let Some(stamp) = stamp(&file) else {
            return Ok(Arc::clone(&self.own));
        };
        let read = Answerer::open(&file).map_err(|error| {
            let file = file.display();
            Problem::unusable(format!(
                "the model that learnt from corrections cannot be used: {error}; remove {file} or learn again"
            ))
        })?;
        let answerer = Arc::new(read);
        let mut all = self.beside();
        all.retain(|known| known.file != file);
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push(Beside {
            file,
            stamp,
            answerer: Arc::clone(&answerer),
        });
        Ok(answerer)
    }
}
