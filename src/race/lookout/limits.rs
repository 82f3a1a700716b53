//! What counts say about the harm done to a slice or a unit, and the limits, fixed before any race: arithmetic only.

use crate::process::ThreadTimes;

/// A slice or unit is disturbed when others took more than this share of its time. A pair of slices of identical servers
/// scatters by about that much by itself, and the median over a round's pairs bears one of them.
pub(super) const LIMIT: f64 = 0.05;
/// Less than this is never a disturbance, however short the slice: it is what the kernel's own housekeeping takes.
pub(super) const LEAST_NS: u64 = 2_000_000;
/// Stolen time is counted in ticks of 10 ms that may have gathered for a while: one alone says nothing about this unit.
pub(super) const LEAST_STOLEN_NS: u64 = 20_000_000;
/// A thread that is woken waits for its CPU to wake up too, up to this long in a virtual machine.
const WAKING_NS: u64 = 50_000;
/// Nanoseconds of a tick.
const TICK_NS: f64 = 1e7;
/// Ticks are samples: of `n` on a CPU that is busy for a share `u`, the count has a variance of at most n u (1 - u). So
/// many of its standard deviations are nobody's doing.
const SCATTER: f64 = 2.0;

/// What a slice's counters say, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SliceCounts {
    /// Its time.
    pub(super) wall: u64,
    /// How many CPUs the servers have.
    pub(super) cpus: usize,
    /// The threads that want those CPUs: the asked server's, and the generator's where it shares them. Empty where the
    /// kernel does not say.
    pub(super) threads: Vec<ThreadTimes>,
    /// What all of ours ran there: both servers, services, the kernel's network threads.
    pub(super) ours: u64,
    /// The generator's thread on a CPU of its own.
    pub(super) generator: Option<ThreadTimes>,
    /// What ran beside it of ours.
    pub(super) beside_generator: u64,
}

/// What a thread waited for others, its own waking up taken off.
fn waited(thread: &ThreadTimes) -> u64 {
    thread.waited.saturating_sub(thread.turns.saturating_mul(WAKING_NS))
}

impl SliceCounts {
    /// For how long others kept the server from running, at least. On one CPU a thread waits while another runs: what it
    /// waited beyond all that the rest of ours ran was for others. On several CPUs that can't be told from here.
    pub(super) fn server_delay(&self) -> u64 {
        if self.cpus != 1 {
            return 0;
        }
        let beyond = |thread: &ThreadTimes| waited(thread).saturating_sub(self.ours.saturating_sub(thread.run));
        self.threads.iter().map(beyond).max().unwrap_or(0)
    }

    /// For how long others kept the generator from running.
    pub(super) fn generator_delay(&self) -> u64 {
        self.generator.as_ref().map_or(0, |thread| waited(thread).saturating_sub(self.beside_generator))
    }

    /// What the threads on the servers' CPUs waited, for each other or for others; absent where the kernel does not say.
    pub(super) fn waited(&self) -> Option<u64> {
        (!self.threads.is_empty()).then(|| self.threads.iter().map(waited).sum())
    }
}

/// What a unit's counters say, in nanoseconds, of the servers' CPUs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitCounts {
    /// Its time.
    pub(super) wall: u64,
    /// How many CPUs the servers have.
    pub(super) cpus: usize,
    /// What all of ours ran there.
    pub(super) ours: u64,
    /// What our threads waited; see [`SliceCounts::waited`].
    pub(super) waited: Option<u64>,
    /// What anybody ran there, in ticks.
    pub(super) busy: Option<u64>,
    /// What anybody ran there, to the nanosecond.
    pub(super) run: Option<u64>,
}

impl UnitCounts {
    /// For how long others kept the servers from running, where single slices don't show it: what others ran, and at most
    /// what ours waited. Where only ticks say what others ran, the scatter of ticks is taken off; where the kernel counts
    /// nanoseconds, ticks still have to agree, since that count has interrupts in it on some kernels.
    pub(super) fn server_delay(&self) -> u64 {
        if self.cpus == 1 && self.waited.is_some() {
            return 0;
        }
        let by_ticks = self.busy.map(|busy| {
            let (busy, ours, scatter) = (busy as f64, self.ours as f64, self.scatter_ns());
            let others = if self.run.is_some() { busy - ours + scatter } else { busy - ours - scatter };
            nanoseconds(others)
        });
        let by_run = self.run.map(|run| run.saturating_sub(self.ours));
        let others = match (by_ticks, by_run) {
            (Some(ticks), Some(run)) => ticks.min(run),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => 0,
        };
        others.min(self.waited.unwrap_or(u64::MAX))
    }

    fn scatter_ns(&self) -> f64 {
        let all = self.wall as f64 * self.cpus as f64;
        let share = if all > 0.0 { (self.ours as f64 / all).clamp(0.0, 1.0) } else { 0.0 };
        let deviation = (all / TICK_NS * share * (1.0 - share)).sqrt();
        // A tick at each end of the unit may be counted on either side of it, on every CPU.
        (self.cpus as f64 + SCATTER * deviation) * TICK_NS
    }
}

/// A difference of times as a time.
fn nanoseconds(value: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from f64 saturates")]
    let value = value.max(0.0) as u64;
    value
}

/// Whether so much of a stretch of time is a disturbance.
pub(super) fn is_disturbed(delay: u64, wall: u64) -> bool {
    delay >= LEAST_NS && delay as f64 > LIMIT * wall as f64
}

/// Whether so much stolen time of a unit is one.
pub(super) fn is_stolen(stolen: u64, wall: u64) -> bool {
    stolen >= LEAST_STOLEN_NS && stolen as f64 > LIMIT * wall as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn thread(run: u64, waited: u64) -> ThreadTimes {
        ThreadTimes { run: run * MS, waited: waited * MS, turns: 0 }
    }

    fn slice(cpus: usize, threads: Vec<ThreadTimes>, ours: u64) -> SliceCounts {
        SliceCounts { wall: 60 * MS, cpus, threads, ours: ours * MS, ..SliceCounts::default() }
    }

    #[test]
    fn a_burner_on_the_servers_cpu_takes_what_the_server_waited() {
        // The server wanted its CPU all the time and got half of it.
        assert_eq!(slice(1, vec![thread(30, 30), thread(0, 0)], 30).server_delay(), 30 * MS);
        // With a helper of its own that ran 2 ms, during which it waited as well.
        assert_eq!(slice(1, vec![thread(29, 31), thread(2, 1)], 31).server_delay(), 29 * MS);
        // Three equal threads and a burner share the CPU in four: each waited 45 ms, 30 of them for its siblings.
        assert_eq!(slice(1, vec![thread(15, 45); 3], 45).server_delay(), 15 * MS);
    }

    #[test]
    fn waiting_for_its_own_threads_is_nobodys_harm() {
        // The collector's thread ran 10 ms while the main thread wanted to.
        assert_eq!(slice(1, vec![thread(50, 10), thread(10, 2)], 60).server_delay(), 0);
        assert_eq!(slice(1, vec![thread(20, 40); 3], 60).server_delay(), 0);
        // The idle partner works: ours too.
        assert_eq!(slice(1, vec![thread(50, 10)], 60).server_delay(), 0);
        // A thousand wake-ups of 40 us each.
        let woken = ThreadTimes { run: 10 * MS, waited: 40 * MS, turns: 1000 };
        assert_eq!(slice(1, vec![woken], 10).server_delay(), 0);
    }

    #[test]
    fn a_generator_waits_for_others_only_beyond_what_ran_beside_it() {
        let counts = |waited, beside| SliceCounts {
            generator: Some(thread(60 - waited, waited)),
            beside_generator: beside * MS,
            ..slice(1, Vec::new(), 0)
        };
        assert_eq!(counts(20, 0).generator_delay(), 20 * MS);
        assert_eq!(counts(20, 3).generator_delay(), 17 * MS);
        assert_eq!(counts(2, 3).generator_delay(), 0);
        assert_eq!(slice(1, Vec::new(), 0).generator_delay(), 0);
    }

    #[test]
    fn several_cpus_are_judged_by_what_others_ran_and_ours_waited() {
        // 130 ms on two CPUs: ours used 130 of 260 ms, others the rest.
        let burnt = UnitCounts {
            wall: 130 * MS,
            cpus: 2,
            ours: 130 * MS,
            waited: Some(200 * MS),
            busy: Some(260 * MS),
            run: None,
        };
        // Two ticks for the ends, and twice the deviation of 26 samples at one half: 2 x 2.55 ticks.
        let scatter = (20.0 + 2.0 * 10.0 * 6.5_f64.sqrt()) * 1e6;
        assert!((burnt.server_delay() as f64 - (130e6 - scatter)).abs() < 1.0);
        assert!(is_disturbed(burnt.server_delay(), burnt.wall));
        // Nanoseconds need no allowance.
        assert_eq!(UnitCounts { run: Some(250 * MS), ..burnt }.server_delay(), 120 * MS);
        // A count with interrupts in it is held against the ticks: 0.5 ticks and the scatter.
        let interrupts = UnitCounts { run: Some(250 * MS), busy: Some(135 * MS), ..burnt };
        assert!((interrupts.server_delay() as f64 - (5e6 + scatter)).abs() < 1.0);
        // Nobody of ours waited: others took what was idle.
        assert_eq!(UnitCounts { waited: Some(0), ..burnt }.server_delay(), 0);
        // Own threads waiting for each other on CPUs that nobody else used.
        assert_eq!(UnitCounts { ours: 255 * MS, ..burnt }.server_delay(), 0);
        // Without any count nothing is known.
        assert_eq!(UnitCounts { busy: None, ..burnt }.server_delay(), 0);
        // One CPU of which threads are known is judged slice by slice; where they are not, by ticks.
        assert_eq!(UnitCounts { cpus: 1, ..burnt }.server_delay(), 0);
        assert!(
            UnitCounts { cpus: 1, waited: None, ours: 65 * MS, busy: Some(130 * MS), ..burnt }.server_delay() > 7 * MS
        );
    }

    #[test]
    fn limits() {
        assert!(is_disturbed(31 * MS / 10, 60 * MS) && !is_disturbed(29 * MS / 10, 60 * MS));
        assert!(!is_disturbed(19 * MS / 10, 10 * MS));
        assert!(is_stolen(20 * MS, 130 * MS) && !is_stolen(10 * MS, 130 * MS) && !is_stolen(20 * MS, 500 * MS));
    }

    proptest! {
        #[test]
        fn harm_is_never_more_than_was_waited(
            threads in proptest::collection::vec((any::<u64>(), any::<u64>(), 0_u64..1000), 0..5),
            numbers in proptest::collection::vec(any::<u64>(), 5),
            cpus in 0_usize..4,
        ) {
            let threads: Vec<ThreadTimes> =
                threads.into_iter().map(|(run, waited, turns)| ThreadTimes { run, waited: waited / 8, turns }).collect();
            let generator = threads.first().copied();
            let slice = SliceCounts { wall: numbers[0], cpus, threads, ours: numbers[1], generator, beside_generator: numbers[2] };
            let all: u64 = slice.threads.iter().map(|thread| thread.waited).sum();
            prop_assert!(slice.server_delay() <= all);
            prop_assert!(slice.generator_delay() <= generator.map_or(0, |thread| thread.waited));
            let waited = slice.waited();
            let unit = UnitCounts { wall: numbers[0], cpus, ours: numbers[1], waited, busy: Some(numbers[3]), run: Some(numbers[4]) };
            prop_assert!(unit.server_delay() <= waited.unwrap_or(u64::MAX));
        }
    }
}
