//! The lookout on this machine.

use super::limits::{SliceCounts, UnitCounts, is_disturbed, is_stolen};
use super::{Lookout, Used};
use crate::model::{MachineRecord, PerSide, Side};
use crate::process::{
    CpuReader, CpuTimes, ProcessSurvey, Roots, SignReader, Signs, ThreadReader, ThreadTimes, TreeClock,
};
use crate::race::contender::Track;

/// What a race's lookouts share.
#[derive(Debug)]
pub(in crate::race) struct Post {
    roots: Roots,
    /// The machine's processes when the race began, for the kernel's own.
    survey: ProcessSurvey,
    guard: u32,
}

impl Post {
    /// Where this machine is looked at from; `guard` is the guard process.
    pub(in crate::race) fn new(guard: u32) -> Self {
        let roots = Roots::default();
        Self { survey: ProcessSurvey::take(&roots), roots, guard }
    }
}

/// Looks at the CPUs of one track.
pub(in crate::race) struct MachineLookout {
    cpus: CpuReader,
    /// How many of them, from the first, are the servers'.
    server_cpus: usize,
    /// Whether the generator runs on one of those.
    shared: bool,
    signs: SignReader,
    before: Signs,
    /// The threads of each side's server, and the one that asks.
    servers: PerSide<ThreadReader>,
    generator: ThreadReader,
    /// The kernel's network threads on the servers' CPUs and on the generator's.
    network: ThreadReader,
    network_of_generator: ThreadReader,
    /// Services of the servers; this process and the guard.
    services: TreeClock,
    own: TreeClock,
    slice: Mark,
    unit: Unit,
    record: MachineRecord,
}

/// Counters at the beginning of a slice.
#[derive(Debug, Default)]
struct Mark {
    threads: Vec<ThreadTimes>,
    generator: Vec<ThreadTimes>,
    network: u64,
    network_of_generator: u64,
    services: u64,
    own: u64,
}

/// What has been seen of a unit.
#[derive(Debug, Default)]
struct Unit {
    cpus: Vec<CpuTimes>,
    wall: u64,
    ours: u64,
    waited: Option<u64>,
    delay: u64,
    disturbed: bool,
}

impl MachineLookout {
    /// A lookout for `track`; `services` are processes that work for its servers.
    pub(in crate::race) fn new(post: &Post, track: &Track, services: &[u32]) -> Self {
        let generator_cpu = track.load_cpus.first().copied();
        let shared = generator_cpu.is_none_or(|cpu| track.server_cpus.contains(&cpu));
        let mut cpus = track.server_cpus.clone();
        cpus.extend(generator_cpu.filter(|_| !shared));
        let network = |cpus: &[usize]| {
            let mut threads = ThreadReader::new(&post.roots);
            post.survey.network_threads(cpus).into_iter().for_each(|pid| threads.watch_single(pid));
            threads
        };
        let mut generator = ThreadReader::new(&post.roots);
        generator.watch_this_thread();
        let signs = SignReader::new(&post.roots, &cpus);
        Self {
            before: signs.read(),
            signs,
            server_cpus: track.server_cpus.len(),
            shared,
            servers: PerSide::from_fn(|_| ThreadReader::new(&post.roots)),
            generator,
            network: network(&track.server_cpus),
            network_of_generator: network(generator_cpu.as_slice()),
            services: TreeClock::new(services),
            own: TreeClock::new(&[std::process::id(), post.guard]),
            cpus: CpuReader::new(&post.roots, &cpus),
            slice: Mark::default(),
            unit: Unit::default(),
            record: MachineRecord::default(),
        }
    }

    fn mark(&mut self, side: Side) -> Mark {
        Mark {
            threads: self.servers.get_mut(side).read(),
            generator: self.generator.read(),
            network: run_of(&mut self.network),
            network_of_generator: run_of(&mut self.network_of_generator),
            services: self.services.read(),
            own: self.own.read(),
        }
    }

    /// The difference of a unit's counters, summed over the servers' CPUs, and what was stolen from those and from the
    /// generator's.
    fn cpu_times(&mut self) -> (Option<u64>, Option<u64>, u64, u64) {
        let now = self.cpus.read();
        let since = |field: fn(&CpuTimes) -> Option<u64>, place: usize| {
            let (now, before) = (now.get(place).and_then(field)?, self.unit.cpus.get(place).and_then(field)?);
            Some(now.saturating_sub(before))
        };
        let servers = 0..self.server_cpus;
        let sum = |field| servers.clone().map(|place| since(field, place)).sum::<Option<u64>>();
        let stolen =
            |places: std::ops::Range<usize>| places.filter_map(|place| since(|times| times.stolen, place)).sum();
        (
            sum(|times| times.busy),
            sum(|times| times.run),
            stolen(servers.clone()),
            stolen(self.server_cpus..self.cpus.cpus().len()),
        )
    }
}

impl Lookout for MachineLookout {
    fn meet(&mut self, side: Side, pids: &[u32]) {
        self.servers.get_mut(side).watch(pids);
    }

    fn begin_unit(&mut self) {
        self.unit = Unit { cpus: self.cpus.read(), ..Unit::default() };
    }

    fn begin_slice(&mut self, side: Side) {
        self.slice = self.mark(side);
    }

    fn end_slice(&mut self, side: Side, used: Used) -> f64 {
        let now = self.mark(side);
        let before = std::mem::take(&mut self.slice);
        let mut threads = since(&now.threads, &before.threads);
        let mut generator = since(&now.generator, &before.generator).first().copied();
        let helpers = (now.own - before.own).saturating_sub(used.generator);
        let mut ours = used.server + used.partner + (now.services - before.services);
        ours += now.network.saturating_sub(before.network);
        if self.shared {
            ours += used.generator + helpers;
            if let Some(generator) = generator.take().filter(|_| !threads.is_empty()) {
                threads.push(generator);
            }
        }
        let counts = SliceCounts {
            wall: u64::try_from(used.wall.as_nanos()).unwrap_or(u64::MAX),
            cpus: self.server_cpus,
            threads,
            ours,
            generator,
            beside_generator: helpers + now.network_of_generator.saturating_sub(before.network_of_generator),
        };
        let delay = counts.server_delay().saturating_add(counts.generator_delay());
        let unit = &mut self.unit;
        unit.wall = unit.wall.saturating_add(counts.wall);
        unit.ours = unit.ours.saturating_add(ours);
        unit.waited = counts.waited().map(|waited| waited.saturating_add(unit.waited.unwrap_or(0)));
        unit.delay = unit.delay.saturating_add(delay);
        unit.disturbed |= is_disturbed(delay, counts.wall);
        if counts.wall > 0 { delay as f64 / counts.wall as f64 } else { 0.0 }
    }

    fn end_unit(&mut self) -> bool {
        let (busy, run, stolen, stolen_from_generator) = self.cpu_times();
        let unit = std::mem::take(&mut self.unit);
        let (wall, waited, cpus) = (unit.wall, unit.waited, self.server_cpus);
        let delay = UnitCounts { wall, cpus, ours: unit.ours, waited, busy, run }.server_delay();
        let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
        self.record.watched_s += seconds(wall) * self.cpus.cpus().len() as f64;
        self.record.foreign_s += seconds(unit.delay.saturating_add(delay));
        self.record.steal_s += seconds(stolen.saturating_add(stolen_from_generator));
        unit.disturbed || is_disturbed(delay, wall) || is_stolen(stolen, wall) || is_stolen(stolen_from_generator, wall)
    }

    fn end(&mut self) -> MachineRecord {
        let now = self.signs.read();
        let since = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
        let seconds = |now, before| since(now, before).map(|microseconds| microseconds as f64 / 1e6);
        let before = std::mem::replace(&mut self.before, now);
        MachineRecord {
            pressure_s: seconds(now.pressure_us, before.pressure_us),
            thermal_throttles: since(now.thermal_throttles, before.thermal_throttles),
            quota_throttled_s: seconds(now.quota_throttled_us, before.quota_throttled_us),
            ..std::mem::take(&mut self.record)
        }
    }
}

fn run_of(threads: &mut ThreadReader) -> u64 {
    threads.read().iter().map(|thread| thread.run).sum()
}

fn since(now: &[ThreadTimes], before: &[ThreadTimes]) -> Vec<ThreadTimes> {
    now.iter().zip(before).map(|(now, before)| now.since(*before)).collect()
}
