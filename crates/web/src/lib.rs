//! The page and the JSON API of `mapo serve`.
//!
//! A [`Server`] answers questions about tables over HTTP: examples and tables of the command line, which all
//! see, and tables that people upload, which live in memory for one session and are forgotten. It also shows
//! the curves of training runs. Everything that a stranger can send is limited ([`Limits`]), and pages of
//! other sites cannot speak to it (see the module `guard`).

#![forbid(unsafe_code)]

mod api;
mod body;
mod error;
mod guard;
mod home;
mod learning;
mod learnt;
mod limits;
mod page;
mod reading;
mod runs;
mod server;
mod sessions;
mod shelf;
mod stream;
mod tables;
mod together;
mod turns;
mod view;
mod work;

pub use api::ROUTES;
pub use error::Error;
pub use limits::Limits;
pub use reading::{MEMORY_EXHAUSTED, read_for_server};
pub use runs::{Lines, Run, RunState, find_run, find_runs, read_metrics};
pub use server::{Options, Server};
pub use tables::{EXAMPLES, Example};
