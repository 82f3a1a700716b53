//! Git worktrees, build steps, and a cache by content.

mod git;
mod ignored;
mod versions;

pub use git::{GitError, Repository};
pub use ignored::{BadPattern, relevant_files};
pub use versions::resolved_versions;
