//! One flag at which long work looks, and stops when its time is over.
//!
//! Whoever gives work a time calls [`until`]; the loops that can be long call [`check`] now and then: the
//! interpreter at each function, beam search at each step, linking at each search, filters at every few
//! thousand values. Where nobody has set a time, that costs nothing. Work that stops unwinds, as a panic
//! does but without its message, so that nothing on the way has to pass it on. Work that goes on on other threads
//! takes its flag along ([`carry`]).
//!
//! ```
//! use mapo_stopping::{Flag, check, until};
//! use std::time::{Duration, Instant};
//! let end = Flag::at(Instant::now() + Duration::from_millis(10));
//! let endless = until(&end, || -> () {
//!     loop {
//!         check();
//!     }
//! });
//! assert!(endless.is_err());
//! assert_eq!(until(&Flag::default(), || 7).ok(), Some(7));
//! ```

#![forbid(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Who is asked at each look whether work shall stop.
type Watcher = dyn Fn() -> bool + Send + Sync + RefUnwindSafe;

/// Says that work shall stop: at a moment, or when somebody raises it.
#[derive(Clone, Default)]
pub struct Flag {
    raised: Arc<AtomicBool>,
    end: Option<Instant>,
    watcher: Option<Arc<Watcher>>,
}

impl fmt::Debug for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flag {
            raised,
            end,
            watcher: _,
        } = self;
        f.debug_struct("Flag")
            .field("raised", raised)
            .field("end", end)
            .finish_non_exhaustive()
    }
}

impl Flag {
    /// A flag that is up from a moment on.
    pub fn at(end: Instant) -> Self {
        Flag {
            end: Some(end),
            ..Flag::default()
        }
    }

    /// A flag that asks `watcher`, on the thread that looks, whether it is up: to measure how often work looks.
    pub fn watched(watcher: impl Fn() -> bool + Send + Sync + RefUnwindSafe + 'static) -> Self {
        Flag {
            watcher: Some(Arc::new(watcher)),
            ..Flag::default()
        }
    }

    /// Stops the work now.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// Whether work shall stop.
    pub fn is_up(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
            || self.end.is_some_and(|end| Instant::now() >= end)
            || self.watcher.as_ref().is_some_and(|watcher| watcher())
    }
}

/// Work was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

thread_local! {
    /// The flag of the work that this thread does.
    static FLAG: RefCell<Option<Flag>> = const { RefCell::new(None) };
    /// How often this thread has glanced.
    static GLANCES: Cell<u8> = const { Cell::new(0) };
}

/// Gives the thread its earlier flag back, also when work ends by a panic.
struct Before(Option<Flag>);

impl Drop for Before {
    fn drop(&mut self) {
        let before = self.0.take();
        FLAG.with(|flag| *flag.borrow_mut() = before);
    }
}

/// Does work on this thread until it is done or the flag is up.
///
/// # Errors
/// If it was stopped.
pub fn until<T>(flag: &Flag, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let before = FLAG.with(|known| known.borrow_mut().replace(flag.clone()));
    let before = Before(before);
    // What the work has made is dropped with it; what others see too is made whole or not at all.
    let done = catch_unwind(AssertUnwindSafe(work));
    drop(before);
    done.or_else(|panic| match panic.downcast::<Stopped>() {
        Ok(stopped) => Err(*stopped),
        Err(panic) => resume_unwind(panic),
    })
}

/// Stops this thread's work if its flag is up.
pub fn check() {
    let is_up = FLAG.with(|flag| flag.borrow().as_ref().is_some_and(Flag::is_up));
    if is_up {
        // Without the message of a panic: nothing is wrong.
        resume_unwind(Box::new(Stopped));
    }
}

/// The same for loops that go round so fast that looking at the clock would cost: it looks every 256th time.
pub fn glance() {
    let glances = GLANCES.with(|glances| {
        glances.set(glances.get().wrapping_add(1));
        glances.get()
    });
    if glances == 0 {
        check();
    }
}

/// The flag of a thread's work, on its way to other threads.
#[derive(Clone, Debug)]
pub struct Carried(Option<Flag>);

/// Takes the flag of this thread's work along, for parts of the work that are done on other threads.
///
/// ```
/// use mapo_stopping::{Flag, carry, check, until};
/// let flag = Flag::default();
/// flag.raise();
/// let stopped = until(&flag, || {
///     let carried = carry();
///     let elsewhere = || carried.within(check);
///     std::thread::scope(|threads| {
///         if let Err(panic) = threads.spawn(elsewhere).join() {
///             std::panic::resume_unwind(panic);
///         }
///     });
/// });
/// assert!(stopped.is_err());
/// ```
pub fn carry() -> Carried {
    Carried(FLAG.with(|flag| flag.borrow().clone()))
}

impl Carried {
    /// Does a part of the work on this thread, if there is still time. It unwinds where it is stopped, which those who wait for the
    /// thread must pass on, as rayon does.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = FLAG.with(|known| std::mem::replace(&mut *known.borrow_mut(), self.0.clone()));
        let _before = Before(before);
        check();
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn work_stops_when_the_flag_is_up_and_not_before() {
        let flag = Flag::default();
        let mut steps = 0;
        let stopped = until(&flag, || {
            for step in 0..10 {
                if step == 5 {
                    flag.raise();
                }
                check();
                steps += 1;
            }
        });
        assert_eq!((stopped, steps), (Err(Stopped), 5));
        // Nobody stops work that has no flag.
        check();
    }

    #[test]
    fn who_watches_is_asked_at_every_look() {
        let looks = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&looks);
        let flag = Flag::watched(move || counted.fetch_add(1, Ordering::Relaxed) == 2);
        let stopped = until(&flag, || (0..10).for_each(|_| check()));
        assert_eq!((stopped, looks.load(Ordering::Relaxed)), (Err(Stopped), 3));
    }

    #[test]
    fn work_within_work_has_its_own_flag() {
        let outer = Flag::default();
        let done = until(&outer, || {
            let inner = Flag::default();
            inner.raise();
            let stopped = until(&inner, check);
            check();
            stopped
        });
        assert_eq!(done, Ok(Err(Stopped)));
    }

    #[test]
    fn a_flag_goes_along_and_comes_back() {
        let flag = Flag::default();
        let outcome = until(&flag, || {
            let (carried, nothing) = (carry(), Carried(None));
            flag.raise();
            nothing.within(|| (0..1000).for_each(|_| glance()));
            assert!(catch_unwind(|| carried.within(|| (0..256).for_each(|_| glance()))).is_err());
            check();
        });
        assert_eq!(outcome, Err(Stopped));
        check();
    }

    #[test]
    fn a_panic_stays_one() {
        let panicked = catch_unwind(|| until(&Flag::default(), || -> () { std::panic::panic_any("broken") }));
        assert_eq!(
            panicked
                .err()
                .and_then(|panic| panic.downcast_ref::<&str>().copied()),
            Some("broken")
        );
        check();
    }
}
