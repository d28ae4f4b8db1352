//! One module for each command.

pub mod ask;
pub mod calibrate;
pub mod compare;
pub mod compose;
pub mod correct;
pub mod data;
pub mod demo;
pub mod eval;
pub mod explore;
pub mod fleet;
pub mod language;
pub mod learn;
pub mod model;
pub mod pack;
pub mod rank;
pub mod read_upload;
pub mod reproduce;
pub mod run;
pub mod score;
pub mod search;
pub mod serve;
pub mod sql;
pub mod study;
pub mod train;
pub mod weigh;
pub mod words;
