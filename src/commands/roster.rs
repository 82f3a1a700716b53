//! How the results name who takes part.

use super::prepare::Runner;
use crate::model::{EntryName, EntryRecord, Lineup, Presence, Role, RuntimeName};
use std::collections::BTreeMap;

/// How the results name an entry.
pub(super) fn entry_record(runner: &Runner, lineup: Lineup) -> EntryRecord {
    let variant = &runner.entry.variant;
    EntryRecord {
        name: runner.entry.name.clone(),
        variant: variant.name.clone(),
        runtime: runner.entry.runtime.name.clone(),
        was: variant.was.clone(),
        label: variant.label.clone(),
        role: variant.role,
        floor: runner.entry.floor.clone(),
        presence: runner.presence,
        lineup,
        copy_of: None,
        own_files_changed: runner.own_files_changed,
        about: variant.about.clone(),
        versions: runner.versions.clone(),
    }
}

/// How the results name a variant that only base has.
pub(super) fn gone_record(variant: &crate::model::VariantName) -> EntryRecord {
    EntryRecord {
        name: EntryName::of(variant, None),
        variant: variant.clone(),
        // What base ran it on is of no interest any more; the name is never shown without the variant's.
        runtime: RuntimeName::new("gone").unwrap_or_else(|_| unreachable!("`gone` keeps to the rule of names")),
        was: Vec::new(),
        label: variant.to_string(),
        role: Role::Subject,
        floor: None,
        presence: Presence::Gone,
        lineup: Lineup::Absent,
        copy_of: None,
        own_files_changed: true,
        about: BTreeMap::new(),
        versions: BTreeMap::new(),
    }
}
