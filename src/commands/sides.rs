//! The two commits that are compared, and the seed that their race is derived from.

use super::order::Order;
use super::outcome::CommandError;
use crate::build::{Repository, relevant_files};
use crate::model::{CommitSha, Seed, SideRecord};
use std::path::Path;

/// The two commits, resolved.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    pub(super) base: Option<SideRecord>,
    pub(super) head: SideRecord,
    /// What is checked out for head: the snapshot where the tree is dirty.
    pub(super) head_tree: CommitSha,
    /// Files that differ, relative to the repository's root.
    pub(super) changed: Vec<String>,
}

impl Sides {
    /// Resolves what the user asked to be compared; `base` and `head` as on the command line.
    pub(super) fn resolve(
        repository: &Repository,
        base: Option<&str>,
        head: Option<&str>,
        scratch: &Path,
    ) -> Result<Self, CommandError> {
        let head_rev = head.unwrap_or("HEAD");
        let head_sha = repository.resolve(head_rev)?;
        let dirty = head.is_none() && repository.is_dirty()?;
        let head_tree = if dirty { repository.snapshot(scratch)? } else { head_sha.clone() };
        let base = match base {
            Some("none") => None,
            Some(rev) => {
                Some(SideRecord { sha: repository.resolve(rev)?, dirty: false, snapshot: None, rev: rev.to_owned() })
            }
            // Uncommitted changes are compared with the commit that they are made on.
            None if dirty && repository.default_base(&head_sha).is_err() => {
                Some(SideRecord { sha: head_sha.clone(), dirty: false, snapshot: None, rev: "HEAD".to_owned() })
            }
            None => {
                let sha = repository.default_base(&head_sha)?;
                Some(SideRecord { rev: sha.short().to_owned(), sha, dirty: false, snapshot: None })
            }
        };
        let changed = match &base {
            Some(base) => repository.changed_files(&base.sha, &head_tree)?,
            None => Vec::new(),
        };
        let snapshot = dirty.then(|| head_tree.clone());
        let head = SideRecord { sha: head_sha, dirty, snapshot, rev: head_rev.to_owned() };
        Ok(Self { base, head, head_tree, changed })
    }

    /// Resolves what an order says, and calls the commits what people call them.
    pub(super) fn ordered(repository: &Repository, order: &Order, scratch: &Path) -> Result<Self, CommandError> {
        let mut sides = Self::resolve(repository, order.base.as_deref(), order.head.as_deref(), scratch)?;
        if let Some(name) = &order.names.head {
            sides.head.rev.clone_from(name);
        }
        if let (Some(base), Some(name)) = (&mut sides.base, &order.names.base) {
            base.rev.clone_from(name);
        }
        Ok(sides)
    }

    /// Why there is nothing to race, where no changed file can change what is raced. Two commits of the same files are raced
    /// where somebody named them.
    pub(super) fn nothing_to_compare(&self, ignore: &[String], by_event: bool) -> Result<Option<String>, CommandError> {
        let Some(base) = &self.base else { return Ok(None) };
        let relevant = relevant_files(&self.changed, ignore).map_err(CommandError::usage)?;
        if self.changed.is_empty() {
            let (base, head) = (base.sha.short(), self.head.sha.short());
            return Ok(by_event.then(|| format!("nothing to compare: `{base}` and `{head}` hold the same files")));
        }
        if !relevant.is_empty() {
            return Ok(None);
        }
        let first = self.changed.first().map_or("", String::as_str);
        let files = match self.changed.len() {
            1 => format!("only `{first}` changed, which `[build] ignore` names"),
            count => format!("only {count} files changed, such as `{first}`, and `[build] ignore` names all of them"),
        };
        let (base, head) = (base.sha.short(), self.head.sha.short());
        Ok(Some(format!("nothing to compare: from `{base}` to `{head}` {files}")))
    }
}

/// A seed from the clock, where the user gave none.
pub(super) fn seed(asked: Option<u64>) -> Seed {
    Seed(asked.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        // Short enough to be typed again.
        u64::from(now.subsec_nanos()) ^ (now.as_secs() & 0xffff)
    }))
}
