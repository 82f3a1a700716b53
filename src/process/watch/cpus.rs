//! What single CPUs did since the machine's start.

use super::Roots;
use super::file::KernelFile;

/// Nanoseconds of a tick of `/proc/stat`: `USER_HZ` is 100 wherever Rust's standard library runs on Linux.
const TICK_NS: u64 = 10_000_000;

/// What one CPU did since the machine's start, in nanoseconds. A field is absent where the kernel does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// Running processes, in ticks of 10 ms. Interrupts are left out: they serve whoever runs, and whether they are
    /// charged to a process as well differs between kernels.
    pub busy: Option<u64>,
    /// Taken by the hypervisor for others, in ticks of 10 ms.
    pub stolen: Option<u64>,
    /// Running processes, to the nanosecond, as of the last switch from one to another.
    pub run: Option<u64>,
}

/// Reads what given CPUs did.
#[derive(Debug)]
pub struct CpuReader {
    cpus: Vec<usize>,
    stat: Option<KernelFile>,
    schedstat: Option<KernelFile>,
    buffer: Vec<u8>,
}

impl CpuReader {
    /// A reader of `cpus`.
    pub fn new(roots: &Roots, cpus: &[usize]) -> Self {
        let schedstat = KernelFile::open(&roots.proc.join("schedstat"));
        let mut buffer = Vec::new();
        // Fields have moved between versions; only those whose meaning is known are read.
        let known = |text: &str| text.lines().next().is_some_and(|line| KNOWN_VERSIONS.contains(&line.trim()));
        let schedstat = schedstat.filter(|file| file.read(&mut buffer).is_some_and(known));
        Self { cpus: cpus.to_vec(), stat: KernelFile::open(&roots.proc.join("stat")), schedstat, buffer }
    }

    /// The CPUs, in the order of what is read.
    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// What each did so far, in the order of [`Self::cpus`].
    pub fn read(&mut self) -> Vec<CpuTimes> {
        let mut times = vec![CpuTimes::default(); self.cpus.len()];
        if let Some(text) = self.stat.as_ref().and_then(|file| file.read(&mut self.buffer)) {
            // The lines of the CPUs come first; what follows is long on large machines.
            for (cpu, fields) in text.lines().map_while(cpu_line).filter_map(|(cpu, fields)| Some((cpu?, fields))) {
                let found = self.cpus.iter().position(|wanted| *wanted == cpu).and_then(|place| times.get_mut(place));
                let (Some(times), Some(ticks)) = (found, parse_stat(fields)) else { continue };
                times.busy = Some(ticks.0.saturating_mul(TICK_NS));
                times.stolen = Some(ticks.1.saturating_mul(TICK_NS));
            }
        }
        if let Some(text) = self.schedstat.as_ref().and_then(|file| file.read(&mut self.buffer)) {
            for (cpu, fields) in text.lines().filter_map(cpu_line).filter_map(|(cpu, fields)| Some((cpu?, fields))) {
                let found = self.cpus.iter().position(|wanted| *wanted == cpu).and_then(|place| times.get_mut(place));
                if let Some(times) = found {
                    times.run = fields.split_ascii_whitespace().nth(6).and_then(|field| field.parse().ok());
                }
            }
        }
        times
    }
}

/// Versions of `/proc/schedstat` in which the seventh field of a CPU is the time that tasks ran on it.
const KNOWN_VERSIONS: [&str; 3] = ["version 15", "version 16", "version 17"];

/// Splits `cpu0 1 2 3` into the CPU's number and the rest; the number is absent in the line of all CPUs together.
fn cpu_line(line: &str) -> Option<(Option<usize>, &str)> {
    let (name, fields) = line.strip_prefix("cpu")?.split_once(' ')?;
    if name.is_empty() { Some((None, fields)) } else { Some((Some(name.parse().ok()?), fields)) }
}

/// Ticks that processes ran, and ticks that were stolen, of `user nice system idle iowait irq softirq steal ...`. Kernels
/// from before there were hypervisors have no steal, and none is stolen there.
fn parse_stat(fields: &str) -> Option<(u64, u64)> {
    let mut fields = fields.split_ascii_whitespace().map(|field| field.parse::<u64>().ok());
    let mut next = || fields.next().flatten();
    let busy = next()?.saturating_add(next()?).saturating_add(next()?);
    let stolen = fields.nth(4).flatten().unwrap_or(0);
    Some((busy, stolen))
}

#[cfg(test)]
mod tests {
    use super::super::testing::copy;
    use super::*;

    const STAT: &str =
        "cpu  30 3 12 90 1 0 4 9 0 0\ncpu0 10 1 2 40 1 0 4 9 5 0\ncpu1 20 2 10 50 0 0 0 0 0 0\nintr 99 1\n";
    const SCHEDSTAT: &str =
        "version 15\ntimestamp 4295\ncpu0 0 0 1 2 3 4 123456789 5 6\ndomain0 3 1 2\ncpu1 0 0 0 0 0 0 7 8 9\n";

    fn read(files: &[(&str, &str)], cpus: &[usize]) -> Vec<CpuTimes> {
        let (_folder, roots) = copy(files);
        CpuReader::new(&roots, cpus).read()
    }

    #[test]
    fn each_cpu_is_read_in_the_order_that_was_asked_for() {
        let found = read(&[("proc/stat", STAT), ("proc/schedstat", SCHEDSTAT)], &[1, 0, 7]);
        let of = |busy, stolen, run| CpuTimes { busy: Some(busy), stolen: Some(stolen), run: Some(run) };
        assert_eq!(found, [of(320_000_000, 0, 7), of(130_000_000, 90_000_000, 123_456_789), CpuTimes::default()]);
    }

    #[test]
    fn what_is_missing_stays_absent() {
        assert_eq!(read(&[], &[0]), [CpuTimes::default()]);
        let ticks = CpuTimes { busy: Some(130_000_000), stolen: Some(90_000_000), run: None };
        assert_eq!(read(&[("proc/stat", STAT)], &[0]), [ticks]);
        // A kernel whose fields nobody knows yet, and one from before there was steal time.
        let later = SCHEDSTAT.replace("version 15", "version 99");
        assert_eq!(read(&[("proc/stat", STAT), ("proc/schedstat", &later)], &[0]), [ticks]);
        let old = CpuTimes { busy: Some(60_000_000), stolen: Some(0), run: None };
        assert_eq!(read(&[("proc/stat", "cpu 1 2 3 4\ncpu0 1 2 3 4\n")], &[0]), [old]);
    }

    #[test]
    fn nonsense_is_no_figure() {
        for text in
            ["cpu0\n", "cpu0 x y z\n", "cpu99999999999999999999999 1 2 3\n", "\n\n", "cpu0 1 2", "cpu0 -1 2 3 4\n"]
        {
            assert_eq!(read(&[("proc/stat", text), ("proc/schedstat", text)], &[0]), [CpuTimes::default()], "{text:?}");
        }
        let huge = format!("cpu0 {0} {0} {0} 0 0 0 0 {0}\n", u64::MAX);
        assert_eq!(read(&[("proc/stat", &huge)], &[0])[0].busy, Some(u64::MAX));
    }

    #[test]
    fn this_machines_counters_never_go_back() {
        let mut reader = CpuReader::new(&Roots::default(), &[0]);
        let (before, after) = (reader.read(), reader.read());
        assert!(before[0].busy.is_some() && before[0].busy <= after[0].busy);
        assert!(before[0].run <= after[0].run);
    }

    proptest::proptest! {
        #[test]
        fn reading_any_text_never_panics(text in "(cpu)?[0-9a-z \n-]{0,200}", wild in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            read(&[("proc/stat", &text), ("proc/schedstat", &format!("version 15\n{text}"))], &[0, 1]);
            let (folder, roots) = copy(&[]);
            std::fs::create_dir_all(folder.path().join("proc")).unwrap();
            std::fs::write(folder.path().join("proc/stat"), &wild).unwrap();
            CpuReader::new(&roots, &[0]).read();
        }
    }
}
