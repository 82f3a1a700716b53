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
    /// Time that processes used which are neither deadheat's nor its servers'; an estimate where the kernel only counts
    /// in ticks of 10 ms.
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

impl MachineRecord {
    /// Adds what was seen in another stretch of time. What only one of the two knows is kept as what is known.
    pub fn add(&mut self, other: &Self) {
        self.slice_pairs = self.slice_pairs.saturating_add(other.slice_pairs);
        self.repeated = self.repeated.saturating_add(other.repeated);
        self.disturbed = self.disturbed.saturating_add(other.disturbed);
        self.watched_s += other.watched_s;
        self.steal_s += other.steal_s;
        self.foreign_s += other.foreign_s;
        self.pressure_s = either(self.pressure_s, other.pressure_s, |a, b| a + b);
        self.thermal_throttles = either(self.thermal_throttles, other.thermal_throttles, u64::saturating_add);
        self.quota_throttled_s = either(self.quota_throttled_s, other.quota_throttled_s, |a, b| a + b);
    }

    /// Pairs that were measured, those that were thrown away included.
    pub fn measured(&self) -> u32 {
        self.slice_pairs.saturating_add(self.repeated)
    }

    /// The share of measured pairs that were disturbed, whether they were repeated or count; 0 where nothing was measured.
    pub fn disturbed_share(&self) -> f64 {
        let disturbed = f64::from(self.repeated.saturating_add(self.disturbed));
        if disturbed > 0.0 { disturbed / f64::from(self.measured()).max(1.0) } else { 0.0 }
    }

    /// The share of the measuring CPUs' time that `seconds` of it are; absent where nothing was watched.
    pub fn share(&self, seconds: f64) -> Option<f64> {
        let share = seconds / self.watched_s;
        (self.watched_s > 0.0 && share.is_finite()).then_some(share)
    }
}

fn either<T>(a: Option<T>, b: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_time_are_added_and_what_one_does_not_know_stays_known() {
        let mut all =
            MachineRecord { slice_pairs: 16, repeated: 2, watched_s: 4.0, steal_s: 0.5, ..Default::default() };
        assert_eq!((all.pressure_s, all.thermal_throttles, all.quota_throttled_s), (None, None, None));
        let more = MachineRecord {
            slice_pairs: 14,
            disturbed: 6,
            watched_s: 4.0,
            foreign_s: 2.0,
            thermal_throttles: Some(3),
            pressure_s: Some(0.25),
            ..Default::default()
        };
        all.add(&more);
        all.add(&more);
        assert_eq!((all.slice_pairs, all.repeated, all.disturbed, all.measured()), (44, 2, 12, 46));
        assert_eq!((all.watched_s, all.steal_s, all.foreign_s), (12.0, 0.5, 4.0));
        assert_eq!((all.pressure_s, all.thermal_throttles, all.quota_throttled_s), (Some(0.5), Some(6), None));
        assert!((all.disturbed_share() - 14.0 / 46.0).abs() < 1e-12);
        assert!((all.share(all.foreign_s).unwrap() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_watched_has_no_shares() {
        let nothing = MachineRecord::default();
        assert_eq!((nothing.disturbed_share().to_bits(), nothing.share(0.0), nothing.share(1.0)), (0, None, None));
        let full = MachineRecord { repeated: u32::MAX, disturbed: u32::MAX, slice_pairs: u32::MAX, ..nothing };
        assert!(full.disturbed_share() <= 1.0);
    }
}
