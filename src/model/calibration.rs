//! What tells the races of a calibration from a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a calibration made of its race, in which both sides are one build. Such results are no run: they are never
/// published, and no commit's baseline is made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationRecord {
    /// Nanoseconds of CPU time by which a pass-through slowed every request of head's down, where both sides stood behind
    /// one; absent where both ran as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ns: Option<u64>,
}
