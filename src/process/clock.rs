//! The clock that the guard's times and deadheat's own compare on.

use rustix::time::{ClockId, clock_gettime};

/// `CLOCK_MONOTONIC` in nanoseconds: the same in every process of the machine since its start.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_goes_back_and_counts_from_the_machines_start() {
        let first = now_ns();
        assert!(now_ns() >= first);
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
        let seconds: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
        // The machine may have been suspended: then the uptime is larger, never smaller by more than its resolution.
        assert!(first as f64 / 1e9 <= seconds + 1.0, "{first} ns against {seconds} s");
    }
}
