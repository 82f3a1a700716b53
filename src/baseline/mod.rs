//! The store of results per commit: a directory, or a branch on GitHub.
