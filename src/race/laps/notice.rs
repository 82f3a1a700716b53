//! What a reader should know about a side though it was measured, and whether the generator was the limit.

use super::lapping::Laps;
use crate::model::{GeneratorMode, ObservationKind, Side};
use crate::race::contender::Track;
use crate::race::values::median;
use std::time::Duration;

/// A partner that uses more of a CPU than this while only the other is asked is not idle.
const IDLE_SHARE: f64 = 0.05;
/// A generator that spends nearly all of its time on answers, or that hardly sleeps where it would, has no room left...
const SATURATED: f64 = 0.95;
/// ...which matters where the server has some: while it uses less of its CPUs than this.
const SERVER_BUSY: f64 = 0.9;
/// Little's law holds within this.
const SELF_CHECK: f64 = 0.05;
/// A pause is a stall when it is that long and that many times the median.
const STALL: (f64, f64) = (50_000.0, 20.0);

/// Sums over one side's slices: what concerns the partner and the connections over all, the rest over those that count.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// CPU time of this side while only the other was asked, and for how long that was.
    pub(super) partner_ns: u64,
    pub(super) partner_wall: Duration,
    pub(super) reopened: u64,
    pub(super) load: Load,
    pub(super) checks: Vec<f64>,
}

/// How busy both ends of the load were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) wall: Duration,
    pub(super) server_ns: u64,
    pub(super) generator_ns: u64,
    /// The windows of its slices, and how much of them went into answers.
    pub(super) window: Duration,
    pub(super) busy: Duration,
}

impl Load {
    pub(super) fn add(&mut self, other: &Self) {
        self.wall += other.wall;
        self.server_ns += other.server_ns;
        self.generator_ns += other.generator_ns;
        self.window += other.window;
        self.busy += other.busy;
    }

    /// In words, where the generator was the limit: it had no room left, and the server had some on its `cpus`.
    ///
    /// A generator that polls busily always uses its whole CPU: it has no room left when nearly all of its time goes into
    /// answers. (Counting polls would not do: a poll that finds nothing takes a thousandth of one that finds a large answer.)
    /// A server that has one thread on two CPUs never uses more than half of them, but where it is the limit its generator
    /// spends its time on polls that find nothing. A generator that sleeps has no room left when it hardly does.
    fn limited(&self, mode: GeneratorMode, cpus: usize) -> Option<String> {
        let busy = share(self.server_ns, self.wall) / cpus.max(1) as f64;
        let full = match mode {
            GeneratorMode::Spin => share(u64::try_from(self.busy.as_nanos()).unwrap_or(u64::MAX), self.window),
            GeneratorMode::Sleep => share(self.generator_ns, self.wall),
        };
        if full <= SATURATED || busy >= SERVER_BUSY {
            return None;
        }
        let how = match mode {
            GeneratorMode::Spin => format!("{:.0} % of its time went into answers", full.min(1.0) * 100.0),
            GeneratorMode::Sleep => format!("it used {:.0} % of a CPU", full * 100.0),
        };
        let whose = if cpus > 1 { format!("its {cpus} CPUs") } else { "a CPU".to_owned() };
        Some(format!("the load generator was saturated ({how}) while the server used {:.0} % of {whose}", busy * 100.0))
    }
}

pub(super) fn share(cpu_ns: u64, wall: Duration) -> f64 {
    let wall = wall.as_nanos() as f64;
    if wall > 0.0 { cpu_ns as f64 / wall } else { 0.0 }
}

/// Notes what a side's slices showed.
pub(super) fn notice(side: Side, track: &Track, sums: &Sums, laps: &mut Laps) {
    let idle_share = share(sums.partner_ns, sums.partner_wall);
    if idle_share > IDLE_SHARE {
        let message = format!("used {:.0} % of a CPU while only its partner was asked", idle_share * 100.0);
        laps.observations.push((side, ObservationKind::WorkedWhileIdle, message));
    }
    if let Some(message) = sums.load.limited(track.mode, track.server_cpus.len()) {
        laps.generator_limited = true;
        laps.observations.push((side, ObservationKind::GeneratorLimited, message));
    }
    if sums.reopened > 0 {
        let message = format!("closed {} connections, which were opened again", sums.reopened);
        laps.observations.push((side, ObservationKind::ClosedConnections, message));
    }
    if let Some(check) = median(sums.checks.iter().copied()).filter(|check| (check - 1.0).abs() > SELF_CHECK) {
        let message = format!(
            "requests/s x mean latency is {:.0} % of the connections, so that one of them is off",
            check * 100.0
        );
        laps.observations.push((side, ObservationKind::SelfCheckFailed, message));
    }
    let slices = laps.slices.get(side);
    let longest = slices.iter().map(|slice| slice.latency.max()).max().unwrap_or(0) as f64;
    let middle = median(slices.iter().filter_map(|slice| slice.percentile(0.5)));
    if let Some(middle) = middle.filter(|middle| longest > STALL.0 && longest > STALL.1 * middle) {
        let message = format!(
            "stood still for up to {:.0} ms; half of its answers take {:.1} ms",
            longest / 1000.0,
            middle / 1000.0
        );
        laps.observations.push((side, ObservationKind::Stalled, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(server: f64, generator: f64, busy_ms: u64) -> Load {
        let nanoseconds = |share: f64| u64::try_from(Duration::from_secs(1).mul_f64(share).as_nanos()).unwrap();
        Load {
            wall: Duration::from_secs(1),
            server_ns: nanoseconds(server),
            generator_ns: nanoseconds(generator),
            window: Duration::from_secs(1),
            busy: Duration::from_millis(busy_ms),
        }
    }

    #[test]
    fn a_busy_generator_is_the_limit_where_the_server_has_room_on_its_cpus() {
        use GeneratorMode::{Sleep, Spin};
        for (what, load, mode, cpus, limited) in [
            ("saturated against an idle server", load(0.5, 1.0, 990), Spin, 1, true),
            ("saturated against a full server", load(0.97, 1.0, 990), Spin, 1, false),
            ("room left", load(0.5, 1.0, 900), Spin, 1, false),
            ("a server that fills one of its two CPUs and could use the other", load(1.0, 1.0, 990), Spin, 2, true),
            ("a server of one thread on two CPUs that is the limit", load(1.0, 1.0, 60), Spin, 2, false),
            ("a server that fills both", load(1.9, 1.0, 990), Spin, 2, false),
            ("a generator that hardly sleeps", load(0.6, 0.97, 1000), Sleep, 2, true),
            ("one that shares its CPU with the server", load(0.5, 0.5, 1000), Sleep, 1, false),
            ("one that sleeps", load(0.3, 0.4, 1000), Sleep, 1, false),
            ("nothing measured", Load::default(), Spin, 1, false),
            ("nothing measured, asleep", Load::default(), Sleep, 1, false),
        ] {
            assert_eq!(load.limited(mode, cpus).is_some(), limited, "{what}");
        }
    }

    #[test]
    fn the_limit_is_said_with_its_figures() {
        assert_eq!(
            load(0.5, 1.0, 990).limited(GeneratorMode::Spin, 1).unwrap(),
            "the load generator was saturated (99 % of its time went into answers) while the server used 50 % of a CPU"
        );
        assert_eq!(
            load(1.0, 0.97, 1000).limited(GeneratorMode::Sleep, 2).unwrap(),
            "the load generator was saturated (it used 97 % of a CPU) while the server used 50 % of its 2 CPUs"
        );
    }
}
