//! What the machine did besides, while it measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was seen of the machine while slices ran. Times are CPU seconds on the measuring CPUs, those of the servers and
/// of the load generator; a share is such a time over [`Self::watched_s`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineRecord {
    /// Pairs of slices that count.
    pub slice_pairs: u32,
    /// Pairs that were thrown away and measured again, because the machine was disturbed.
    pub repeated: u32,
    /// Pairs that count though the machine was disturbed, because no repeat was left.
    pub disturbed: u32,
    /// Seconds that were watched, times the number of measuring CPUs.
    pub watched_s: f64,
    /// Time that the hypervisor gave to others.
    pub steal_s: f64,
    /// Time that processes used which are neither deadheat's nor its servers'.
    pub foreign_s: f64,
    /// Seconds in which some process of the machine waited for a CPU; absent where the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure_s: Option<f64>,
    /// How often a CPU was slowed because of heat; absent where the machine does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermal_throttles: Option<u64>,
    /// Seconds in which a CPU quota held this process's group; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_throttled_s: Option<f64>,
}
