//! The hot loops, each compiled for several instruction sets and chosen at run time.
//!
//! A kernel is written once over [`pulp::Simd`]; the macro `kernel!` gives it an ordinary function in front
//! that dispatches to AVX-512, AVX2 with FMA, NEON or plain code, whichever the processor has. So a default
//! release build is as fast as one made for the machine.

pub mod adam;
pub mod attention;
pub mod gates;
pub mod gelu;
pub mod math;
pub mod mixture;
pub mod norm;
pub mod outer;
pub mod product;
pub mod rows;
pub mod self_attention;
pub mod vector;

use std::sync::OnceLock;

/// The instruction set of this processor, detected once.
pub(crate) fn arch() -> pulp::Arch {
    #[cfg(test)]
    if let Some(forced) = FORCED.get() {
        return forced;
    }
    static ARCH: OnceLock<pulp::Arch> = OnceLock::new();
    *ARCH.get_or_init(pulp::Arch::new)
}

/// Defines a function whose body is compiled once per instruction set.
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$lt:lifetime>($simd:ident; $($arg:ident: $ty:ty),* $(,)?) -> $ret:ty $body:block) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name<$lt>($($arg: $ty),*) -> $ret {
            struct Op<$lt> {
                $($arg: $ty,)*
                marker: std::marker::PhantomData<&$lt ()>,
            }
            impl<$lt> pulp::WithSimd for Op<$lt> {
                type Output = $ret;
                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, $simd: S) -> $ret {
                    let Self { $($arg,)* marker: _ } = self;
                    $body
                }
            }
            $crate::kernels::arch().dispatch(Op { $($arg,)* marker: std::marker::PhantomData })
        }
    };
}
pub(crate) use kernel;

#[cfg(test)]
thread_local! {
    static FORCED: std::cell::Cell<Option<pulp::Arch>> = const { std::cell::Cell::new(None) };
}

/// Runs a test with the kernels of every instruction set that this processor has, on this thread.
#[cfg(test)]
pub(crate) fn on_every_arch(test: impl Fn()) {
    let mut sets = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        sets.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
        sets.extend(pulp::x86::V4::try_new().map(pulp::Arch::V4));
    }
    for set in sets {
        FORCED.set(Some(set));
        test();
    }
    FORCED.set(None);
}
