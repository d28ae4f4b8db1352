//! A fleet: actors, a learner and runs on many machines, which meet at a NATS server with JetStream.
//!
//! Core's actor and learner know three doors and nothing of where the others are. Here the doors are
//!
//! | door | on the server |
//! |---|---|
//! | queue of batches | a work queue, bounded, that refuses when it is full |
//! | store of policies | an object for each, and a key that moves by compare-and-set |
//! | store of memories | for each shard a log that only grows, written by whoever knows its last message |
//!
//! and beside them leases with a time to live say who works on which shard, and who learns. The clock decides
//! only who may try; what counts is decided by numbers that the server compares.
//!
//! * [`Server`] connects; tokio stays in it.
//! * [`lead`] lets actors elsewhere act for a training session, [`act()`] lets actors work for one.
//! * [`assist()`] finds gradients of further batches for its learner.
//! * [`evaluate()`] measures the models of a run while it goes on.
//! * [`replay()`] learns again from the batches that a learner has logged.
//! * [`status()`] says who takes part and how it goes; [`list`] names the runs of a server, [`forget`] takes one
//!   away.
//! * [`compare()`] and [`explore()`] let workers elsewhere do the runs of a comparison and the ranges of an
//!   exploration, [`work`] does them.
//! * [`Seal`] is what every message says of itself.
//!
//! docs/fleet.md says how a fleet is operated.

#![forbid(unsafe_code)]

mod act;
mod assist;
mod assistants;
mod digest;
mod error;
mod evaluate;
mod holding;
mod jobs;
mod learn;
mod learnt;
mod lease;
mod log;
mod memories;
mod message;
mod parcel;
mod pieces;
mod place;
mod policies;
mod presence;
mod queue;
mod record;
mod replay;
mod server;
mod shares;
mod status;

pub use act::{Acted, Acting, act};
pub use assist::{Assisted, Assisting, assist};
pub use assistants::{Applied, Assistance};
pub use digest::Digests;
pub use error::{Error, Result};
pub use evaluate::evaluate;
pub use jobs::{Comparison, Exploration, Job, JobStatus, Piece, Posting, TaskState, Work, Worked, Working};
pub use jobs::{compare, explore, forget_job, job_status, list_jobs, work};
pub use learn::{Learning, lead};
pub use memories::Round;
pub use message::{Kind, Seal, WrongMessage};
pub use parcel::Parameters;
pub use pieces::{About, Assembly, Portion};
pub use policies::{Parcel, Version};
pub use presence::{Leading, Presence};
pub use queue::Dropped;
pub use record::{Record, Terms, forget, list};
pub use replay::{Replayed, replay};
pub use server::{Address, PATIENCE, Server};
pub use status::{Status, found, status};
