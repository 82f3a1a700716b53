//! Results that arrive from a job that ran the pull request's code: hostile input until the last check has passed.
//!
//! [`arrived()`] takes the bytes of an artifact (a zip with exactly one entry, `results.json`) or of a bare results file,
//! and gives [`Results`](crate::model::Results) whose size, depth, counts and figures are bounded. Everything happens in
//! memory: nothing is written, and no name of the file's is used as a path. The bytes are read in four steps, each of
//! which trusts only what the earlier ones have shown: `archive` unpacks under a cap, `survey` counts what a reader
//! would have to hold, serde reads, and `bounds` looks at every value.
//!
//! Known limits: well-formed figures may still be lies; they are claims of whoever ran the job, and a fork's are shown as
//! such. `quick` stays set, and nothing takes a quick run as evidence. What the rule is told (`judging`) is the file's as
//! well: whoever publishes replaces it by the default branch's settings. Verdicts are recomputed, never read.

mod archive;
mod arrived;
mod bounds;
mod error;
mod inflate;
mod survey;
mod texts;

pub use arrived::{MAX_ARRIVED, MAX_UNPACKED, MAX_ZIP, RESULTS_FILE, arrived};
pub use error::{ArchiveFault, ArrivalError, TextFault};
