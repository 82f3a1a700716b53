//! The store of results per commit: a directory, or a branch on GitHub.
//!
//! One small file per commit, under the same name in both stores. A file that can't be read is named and passed over in
//! lists, and an error where it is asked for. Figures of two commits are compared by [`trend()`] only, within one
//! fingerprint, and never as a proof.
//!
//! Known limits. A repository's commits are told apart by their id alone, so that two configurations in one repository
//! share a store and the newer run of a commit replaces the older. Pruning the branch frees its tree, not its history.

mod branch;
mod contest;
mod directory;
mod error;
mod file;
mod listing;
mod nearest;
mod record;
mod samples;
mod store;
mod trend;
mod wire;

#[cfg(test)]
mod directory_tests;
#[cfg(test)]
mod record_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod trend_tests;

pub use branch::{BRANCH, BranchStore};
pub use directory::DirectoryStore;
pub use error::{RecordError, StoreError};
pub use file::{file_of, sha_of};
pub use listing::{BrokenFile, Listed, Listing, Stored};
pub use nearest::{Nearest, nearest_measured};
pub use record::{BaselineCell, BaselineEntry, BaselineRecord, CellFigures};
pub use samples::Samples;
pub use store::Store;
pub use trend::{Trend, trend};
