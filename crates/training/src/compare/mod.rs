//! Comparing objectives, and any other settings: several variants, each trained with several seeds, in one
//! table.
//!
//! * a [`Variant`] is a name for settings, a [`Plan`] says what is compared and keeps a directory to one
//!   comparison;
//! * [`Runs`] trains a variant with a seed in an ordinary run directory, or goes on with it, and keeps its
//!   answers;
//! * [`Results`] is what came of it, with the [`statistics`] of every difference;
//! * [`report`] tells it as Markdown, HTML and charts, all from the same description.
//!
//! | in the directory | is |
//! |---|---|
//! | `compare.json` | what is compared |
//! | `explored-…jsonl` | the programs found before training, where no store was given |
//! | `VARIANT/seed-N/` | a run as `mapo train` makes it, with its answers in `predictions-dev.jsonl` |
//! | `results.json`, `report.md`, `report.html`, `curves.svg`, `clip_fraction.svg` | what came of it |

mod document;
mod plan;
pub(crate) mod plot;
pub mod report;
mod results;
mod runs;
pub mod statistics;
mod variant;

pub use document::{Block, Cell, Document};
pub use plan::{FileMark, Plan};
pub use results::{Point, Results, RunResult, VariantResult};
pub use runs::{DEV_PREDICTIONS, Here, Ran, Runs};
pub use variant::{PAPER, Variant, check_distinct, names};
