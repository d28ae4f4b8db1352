//! Questions with their tables and answers, from the benchmarks' files, from one's own or generated, and how
//! answers are judged.
//!
//! * [`Dataset`] names one, [`Selection`] says what of it, and a [`Reading`] how it is read; its [`Example`]s
//!   each have an [`Answer`];
//! * [`sources`] read the files of a dataset or, as [`toy`], make it: a kind of dataset is one module there;
//!   [`wikisql`] is that benchmark's own engine;
//! * [`corrections`] are what people say about answers, kept as a dataset of their own beside their tables;
//! * [`scoring`] is official scoring of the benchmarks;
//! * [`TableEnv`] is an example as an environment, in which programs are tried;
//! * [`agreement`] compares our reader with the annotation that WikiTableQuestions comes with.

#![forbid(unsafe_code)]

pub mod agreement;
pub mod corrections;
mod dataset;
mod environment;
mod example;
mod fingerprint;
mod known;
mod reading;
mod relevance;
pub mod scoring;
mod selection;
pub mod sources;
pub mod wikisql;

pub use dataset::Dataset;
pub use environment::{Pruning, TableEnv};
pub use example::{Answer, AnswerKind, Example, Known, Purpose};
pub use fingerprint::Fingerprint;
pub use reading::{Reader, Reading, ReadingChoice, ReadingDifference};
pub use relevance::Relevance;
pub use selection::{DatasetError, Examples, Selection};
pub use sources::{Source, jsonl, tables, toy};
