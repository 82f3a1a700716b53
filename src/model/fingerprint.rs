//! What a figure depends on besides the code: absolute figures are compared within one fingerprint only.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Machine, kernel and toolchains of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// The CPU's model name.
    pub cpu: String,
    /// Logical CPUs that deadheat may use.
    pub cpus: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// Kernel release.
    pub kernel: String,
    /// Operating system, as its release file names it.
    pub system: String,
    /// Version line per runtime and tool: `node` -> `v20.20.2`.
    pub toolchains: BTreeMap<String, String>,
}
