//! Where the kernel's files are.

use std::path::PathBuf;

/// Where the kernel's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// `/proc`, or a copy of some of it.
    pub proc: PathBuf,
    /// `/sys`, or a copy of some of it.
    pub sys: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Self { proc: PathBuf::from("/proc"), sys: PathBuf::from("/sys") }
    }
}
