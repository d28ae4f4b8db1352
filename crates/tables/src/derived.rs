//! What others derive from a table and keep beside it.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::OnceLock;

/// Things made from a table when they are first asked for, one of each type: the words of its cells, its
/// layout for SQL. So whoever needs such a thing need not be known here, and the thing lives as long as the
/// table.
///
/// A chain, because there are few of them and a reference to one must stay good while others join.
#[derive(Default)]
pub(crate) struct Derived(OnceLock<Box<Link>>);

struct Link {
    of: TypeId,
    thing: OnceLock<Box<dyn Any + Send + Sync>>,
    next: Derived,
}

impl Derived {
    /// The thing of type `T`, made by `make` if there is none yet. Whoever asks meanwhile waits for it.
    pub fn get<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> &T {
        let of = TypeId::of::<T>();
        let link = self.0.get_or_init(|| {
            Box::new(Link {
                of,
                thing: OnceLock::new(),
                next: Derived::default(),
            })
        });
        if link.of != of {
            return link.next.get(make);
        }
        // Made when the link is there already: one thing may be derived from another.
        let thing = link.thing.get_or_init(|| Box::new(make()));
        match thing.downcast_ref() {
            Some(thing) => thing,
            None => unreachable!("a link holds a thing of its type"),
        }
    }
}

/// A copy of a table derives its own.
impl Clone for Derived {
    fn clone(&self) -> Self {
        Derived::default()
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_made_once_and_may_need_another() {
        let derived = Derived::default();
        let words = || derived.get(|| vec!["a", "b"]);
        let count: &usize = derived.get(|| words().len());
        assert_eq!(*count, 2);
        assert!(std::ptr::eq(words(), words()));
        assert_eq!(*derived.get(|| 9_usize), 2);
    }
}
