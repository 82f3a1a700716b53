//! Git worktrees, build steps, and a cache by content.
