//! The reader of the user's files: `deadheat.toml`, every `variant.toml` and the contract become a
//! [`Configuration`](super::Configuration), or every mistake in all of them is told at once.
//!
//! The reader walks the parsed TOML by hand instead of through serde, because serde stops at the first mistake.

mod contract_file;
mod deadheat_file;
mod expect;
mod field;
mod links;
mod mistake;
mod protocol;
mod quantity;
mod reader;
mod request;
mod section;
mod sources;
mod suites;
mod syntax;
mod variant_file;
mod words;

pub use mistake::{Mistake, Mistakes, Place};
pub use quantity::{parse_cpus, parse_duration, parse_percent, parse_rate};
pub use reader::{locations, read, read_settings};
pub use sources::{Content, ContractSources, FileText, Locations, Sources};

#[cfg(test)]
pub(super) use deadheat_file::is_judged;

/// The keys that the reader asks for, by the kind of table, in files that hold every kind of table.
#[cfg(test)]
pub(super) fn accepted_keys(
    sources: &Sources,
) -> std::collections::BTreeMap<&'static str, std::collections::BTreeSet<&'static str>> {
    let notes = section::Notes::default();
    assert!(reader::read_noting(sources, &notes).is_some());
    assert_eq!(*notes.mistakes.borrow(), []);
    notes.accepted.into_inner()
}
