//! Commits that were measured before, as the branch of baselines shows them to anybody who can read.

use crate::baseline::{BRANCH, sha_of};
use crate::build::Repository;
use crate::model::CommitSha;
use std::collections::BTreeSet;
use std::path::Path;

/// The commits that have a file on the branch of baselines, as far as it can be had.
pub(super) fn measured(repository: &Repository) -> BTreeSet<CommitSha> {
    let Some(tip) = repository.fetch_branch(BRANCH).ok().or_else(|| repository.tip(BRANCH)) else {
        return BTreeSet::new();
    };
    let files = repository.files(&tip, &[Path::new("runs")]).unwrap_or_default();
    files.iter().filter_map(|path| sha_of(path)).collect()
}
