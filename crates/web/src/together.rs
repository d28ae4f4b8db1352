//! Questions that wait for their turn are answered together.
//!
//! The network reads its weights once for all questions that it answers together, so that many at once take much less
//! time than one after the other. Nobody waits for company: whoever gets a turn takes along those who wait already.

use crate::error::Problem;
use crate::work::{Due, Work};
use mapo_answering::{Answerer, Error, Reply};
use mapo_tables::Table;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use tokio::time::timeout_at;

/// What comes of a question.
type Answer = Result<Reply, Error>;

/// Questions that are answered together at most. More make no answer faster and each wait longer.
const MOST: usize = 8;

/// Those who wait for their turn.
#[derive(Debug, Default)]
pub(crate) struct Together {
    waiting: Mutex<Vec<Waiting>>,
}

/// A question that waits.
#[derive(Debug)]
struct Waiting {
    /// By what its asker finds it again.
    number: Arc<()>,
    answerer: Arc<Answerer>,
    table: Arc<Table>,
    question: String,
    tell: oneshot::Sender<Answer>,
}

/// Takes a question back when its asker goes away.
struct Place<'a>(&'a Together, Arc<()>);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        drop(self.0.take(&self.1));
    }
}

impl Together {
    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a question out of those that wait, unless somebody has taken it along.
    fn take(&self, number: &Arc<()>) -> Option<Waiting> {
        let mut waiting = self.waiting();
        let place = waiting
            .iter()
            .position(|other| Arc::ptr_eq(&other.number, number))?;
        Some(waiting.remove(place))
    }

    /// Takes along those who have waited for the longest time and ask the same model.
    fn take_along(&self, answerer: &Arc<Answerer>, most: usize) -> Vec<Waiting> {
        let mut waiting = self.waiting();
        let mut count = 0;
        let mut taken: Vec<Waiting> = waiting
            .extract_if(.., |other| {
                let is_taken = count < most && Arc::ptr_eq(&other.answerer, answerer);
                count += usize::from(is_taken);
                is_taken
            })
            .collect();
        taken.retain(|other| !other.tell.is_closed());
        taken
    }

    /// Answers a question when its turn comes, or with somebody whose turn comes earlier.
    pub async fn ask(
        &self,
        answerer: &Arc<Answerer>,
        work: &Work,
        due: Due,
        table: &Arc<Table>,
        question: String,
    ) -> Result<Answer, Problem> {
        // A large table takes its time, which is nobody else's.
        if table.is_large() {
            return alone(answerer, work, due, table, question).await;
        }
        let (tell, mut told) = oneshot::channel();
        let number = Arc::new(());
        self.waiting().push(Waiting {
            number: Arc::clone(&number),
            answerer: Arc::clone(answerer),
            table: Arc::clone(table),
            question: question.clone(),
            tell,
        });
        let place = Place(self, Arc::clone(&number));
        let turn = tokio::select! {
            biased;
            answer = &mut told => match answer {
                Ok(answer) => return Ok(answer),
                // Whoever took it along has failed or gone.
                Err(_) => return alone(answerer, work, due, table, question).await,
            },
            turn = work.turn(due) => turn?,
        };
        let Some(mine) = self.take(&number) else {
            // It is being answered already.
            drop(turn);
            return match timeout_at(due.end, told).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(_)) => alone(answerer, work, due, table, question).await,
                Err(_) => Err(due.missed()),
            };
        };
        drop(place);
        let others = self.take_along(answerer, MOST - 1);
        let answerer = Arc::clone(answerer);
        let answered = work.work(turn, due, move || {
            let all: Vec<&Waiting> = std::iter::once(&mine).chain(&others).collect();
            let asked: Vec<(&Arc<Table>, &str)> = all
                .iter()
                .map(|one| (&one.table, one.question.as_str()))
                .collect();
            let mut answers = answerer.ask_all(&asked).into_iter();
            let first = answers.next().unwrap_or(Err(Error::NoQuestion));
            for (other, answer) in others.into_iter().zip(answers) {
                // One who has gone misses nothing.
                let _ = other.tell.send(answer);
            }
            first
        });
        answered.await
    }
}

/// Answers a question by itself.
async fn alone(
    answerer: &Arc<Answerer>,
    work: &Work,
    due: Due,
    table: &Arc<Table>,
    question: String,
) -> Result<Answer, Problem> {
    let turn = work.turn(due).await?;
    let (answerer, table) = (Arc::clone(answerer), Arc::clone(table));
    work.work(turn, due, move || answerer.ask(&table, &question))
        .await
}
