//! Work that takes the processor: so much at a time, so much waiting, and no longer than so long.

use crate::error::Problem;
use axum::http::StatusCode;
use mapo_stopping::{Flag, Stopped, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// A queue in front of a few workers.
#[derive(Debug)]
pub(crate) struct Work {
    /// What is done, for the sentences: "questions".
    what: &'static str,
    workers: Arc<Semaphore>,
    most_running: usize,
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// How much there is to do.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Load {
    pub running: usize,
    pub waiting: usize,
}

/// A place in the queue, given back when the turn comes or the client goes away.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Stops a job when nobody waits for it any more.
struct Raised(Flag);

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// A worker, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn(#[allow(dead_code)] OwnedSemaphorePermit);

/// When work must be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub end: Instant,
    time: Duration,
}

impl Due {
    /// In so much time from now.
    pub fn within(time: Duration) -> Self {
        Due {
            end: Instant::now() + time,
            time,
        }
    }

    /// What is said of work past its time.
    pub fn missed(self) -> Problem {
        let seconds = self.time.as_secs_f64();
        Problem::new(
            StatusCode::GATEWAY_TIMEOUT,
            format!("this took longer than {seconds} seconds and was given up; try something smaller"),
        )
    }
}

impl Work {
    pub fn new(what: &'static str, running: usize, waiting: usize) -> Self {
        let running = running.clamp(1, Semaphore::MAX_PERMITS);
        Work {
            what,
            workers: Arc::new(Semaphore::new(running)),
            most_running: running,
            waiting: AtomicUsize::new(0),
            most_waiting: waiting,
        }
    }

    pub fn load(&self) -> Load {
        Load {
            running: self.most_running - self.workers.available_permits(),
            waiting: self.waiting.load(Ordering::Relaxed),
        }
    }

    /// Does a job on a thread of its own when its turn comes.
    ///
    /// A job is stopped where it looks whether it shall (see [`mapo_stopping`]): past its time, or when the
    /// client has gone. It keeps its worker until then, so that there are never more at work than allowed.
    pub async fn run<T: Send + 'static>(
        &self,
        time: Duration,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let due = Due::within(time);
        let turn = self.turn(due).await?;
        self.work(turn, due, job).await
    }

    /// Waits for a worker.
    pub async fn turn(&self, due: Due) -> Result<Turn, Problem> {
        if let Ok(worker) = Arc::clone(&self.workers).try_acquire_owned() {
            return Ok(Turn(worker));
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _place = Place(&self.waiting);
        if before >= self.most_waiting {
            return Err(self.busy());
        }
        let turn = Arc::clone(&self.workers).acquire_owned();
        match timeout_at(due.end, turn).await {
            Ok(Ok(worker)) => Ok(Turn(worker)),
            _ => Err(self.busy()),
        }
    }

    /// Does a job on a thread of its own, now that its turn has come.
    pub async fn work<T: Send + 'static>(
        &self,
        turn: Turn,
        due: Due,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let flag = Flag::at(due.end.into_std());
        let raised = Raised(flag.clone());
        let job = tokio::task::spawn_blocking(move || {
            let done = until(&flag, job);
            drop(turn);
            done
        });
        let outcome = timeout_at(due.end, job).await;
        drop(raised);
        match outcome {
            Ok(Ok(Ok(done))) => Ok(done),
            // The job panicked: a mistake of ours, told as such; its worker is free again.
            Ok(Err(_)) => Err(Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "something went wrong inside mapo; this is a mistake of the program, not of the request",
            )),
            Ok(Ok(Err(Stopped))) | Err(_) => Err(due.missed()),
        }
    }

    fn busy(&self) -> Problem {
        Problem::busy(format!(
            "too many {} at the same time; try again in a moment",
            self.what
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use std::sync::mpsc;

    fn status<T>(outcome: Result<T, Problem>) -> u16 {
        match outcome {
            Ok(_) => 200,
            Err(problem) => problem.into_response().status().as_u16(),
        }
    }

    #[tokio::test]
    async fn work_over_the_limit_waits_and_beyond_the_queue_is_refused() {
        let work = Arc::new(Work::new("questions", 1, 1));
        let (release, held) = mpsc::channel::<()>();
        let second = Duration::from_secs(5);
        let first = {
            let work = Arc::clone(&work);
            tokio::spawn(async move { work.run(second, move || held.recv()).await.map(|_| ()) })
        };
        while work.load().running == 0 {
            tokio::task::yield_now().await;
        }
        let next = {
            let work = Arc::clone(&work);
            tokio::spawn(async move { work.run(second, || 7).await })
        };
        while work.load().waiting == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(status(work.run(second, || ()).await), 503);
        release.send(()).unwrap();
        assert_eq!(status(first.await.unwrap()), 200);
        assert_eq!(next.await.unwrap().ok(), Some(7));
        assert_eq!((work.load().running, work.load().waiting), (0, 0));
    }

    #[tokio::test]
    async fn what_takes_too_long_keeps_its_worker_until_it_ends() {
        let work = Work::new("questions", 1, 1);
        let (release, held) = mpsc::channel::<()>();
        let short = Duration::from_millis(30);
        assert_eq!(status(work.run(short, move || held.recv()).await), 504);
        assert_eq!(work.load().running, 1);
        // Waiting for a turn that does not come is the moment's fault.
        assert_eq!(status(work.run(short, || ()).await), 503);
        release.send(()).unwrap();
        assert_eq!(status(work.run(Duration::from_secs(5), || ()).await), 200);
    }

    #[tokio::test]
    async fn what_looks_at_the_time_stops_when_it_is_over_or_nobody_waits() {
        let work = Work::new("questions", 1, 1);
        let endless = || -> () {
            loop {
                mapo_stopping::check();
            }
        };
        assert_eq!(status(work.run(Duration::from_millis(30), endless).await), 504);
        let second = Duration::from_secs(50);
        assert_eq!(status(work.run(second, || ()).await), 200);
        {
            let goes = work.run(second, endless);
            tokio::select! { biased; _ = goes => {}, () = tokio::time::sleep(Duration::from_millis(20)) => {} }
        }
        assert_eq!(status(work.run(second, || ()).await), 200);
    }

    #[tokio::test]
    async fn a_panic_is_told_and_frees_its_worker() {
        let work = Work::new("questions", 1, 0);
        let second = Duration::from_secs(5);
        let panics = work.run(second, || -> () { std::panic::panic_any("broken on purpose") });
        assert_eq!(status(panics.await), 500);
        assert_eq!(status(work.run(second, || ()).await), 200);
    }

    #[tokio::test]
    async fn a_client_that_goes_away_leaves_the_queue() {
        let work = Work::new("questions", 1, 1);
        let (release, held) = mpsc::channel::<()>();
        let second = Duration::from_secs(5);
        let first = work.run(second, move || held.recv());
        let both = async {
            while work.load().running == 0 {
                tokio::task::yield_now().await;
            }
            {
                let waits = work.run(second, || ());
                tokio::select! { biased; _ = waits => {}, () = tokio::time::sleep(Duration::from_millis(20)) => {} }
            }
            assert_eq!(work.load().waiting, 0);
            release.send(()).unwrap();
        };
        let (done, ()) = tokio::join!(first, both);
        assert_eq!(status(done), 200);
    }
}
