//! Reading with libraries that panic where a file is damaged.

use mapo_stopping::Stopped;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is awaited.
    static IS_AWAITED: Cell<bool> = const { Cell::new(false) };
}

/// What a library reads, or nothing if it panicked. Nobody is told of the panic: whoever calls says what is wrong with the
/// file. It holds for this thread only, so work that a library does on others is to be caught there.
pub(super) fn caught<T>(read: impl FnOnce() -> T) -> Option<T> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_AWAITED.get() {
                others(panic);
            }
        }));
    });
    let before = IS_AWAITED.replace(true);
    // What was read until then is dropped.
    let read = catch_unwind(AssertUnwindSafe(read));
    IS_AWAITED.set(before);
    match read {
        Ok(read) => Some(read),
        // Whoever has stopped us hears of it.
        Err(panic) if panic.is::<Stopped>() => resume_unwind(panic),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_stopping::{Flag, check, until};

    #[test]
    fn panics_become_nothing_and_stopping_goes_on() {
        assert_eq!(caught(|| 3), Some(3));
        assert_eq!(caught(|| -> u8 { std::panic::panic_any("damaged") }), None);
        assert!(!IS_AWAITED.get());
        let flag = Flag::default();
        flag.raise();
        assert!(until(&flag, || caught(check)).is_err());
        assert!(!IS_AWAITED.get());
    }
}
