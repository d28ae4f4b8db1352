//! Long work on a thread of its own, while Python listens to Ctrl-C and to what the work tells.

use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// So long Ctrl-C waits at the most.
const MOMENT: Duration = Duration::from_millis(50);

/// Does some work elsewhere. `hear` is given what it tells, and nothing every now and then, to look at how far it is.
/// What is raised meanwhile, Ctrl-C too, is answered by `stop`, and comes out when the work has ended.
pub fn attended<T: Send, M: Send>(
    py: Python<'_>,
    work: impl FnOnce(Sender<M>) -> T + Send,
    stop: impl Fn(),
    mut hear: impl FnMut(Python<'_>, Option<M>) -> PyResult<()>,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (tell, mut told) = channel();
        let worker = scope.spawn(move || work(tell));
        let mut raised = None;
        loop {
            let (receiver, news) = py.detach(move || wait(told));
            told = receiver;
            let heard = match news {
                Ok(news) => hear(py, Some(news)),
                Err(RecvTimeoutError::Timeout) => hear(py, None),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = heard.and_then(|()| py.check_signals()) {
                stop();
                raised.get_or_insert(error);
            }
        }
        let done = py.detach(move || worker.join());
        match (raised, done) {
            (Some(error), _) => Err(error),
            (None, Ok(done)) => Ok(done),
            (None, Err(panic)) => std::panic::resume_unwind(panic),
        }
    })
}

fn wait<M>(told: Receiver<M>) -> (Receiver<M>, Result<M, RecvTimeoutError>) {
    let news = told.recv_timeout(MOMENT);
    (told, news)
}
