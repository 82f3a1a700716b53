//! Git worktrees, build steps, and a cache by content.

mod ancestry;
mod clean_build;
mod copy_tree;
mod fetch;
#[cfg(test)]
mod fetch_tests;
mod git;
mod ignored;
mod programs;
mod steps;
mod versions;
mod workshop;

pub use clean_build::{BuildCost, CleanBuild};
pub use git::{GitError, Repository};
pub use ignored::{BadPattern, relevant_files};
pub use programs::{program_versions, runtime_versions};
pub use steps::StepFailure;
pub use versions::resolved_versions;
pub use workshop::{BuildError, BuildWatch, Built, Premises, Workshop};
