//! How long single threads ran and how long they waited for a CPU, to the nanosecond.

use super::Roots;
use super::file::KernelFile;
use nix::sys::time::TimeValLike;
use nix::time::ClockId;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// So many threads of a set of processes are watched, those that ran most; each is an open file.
const MOST: usize = 48;

/// What a thread did since its beginning, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadTimes {
    /// It ran.
    pub run: u64,
    /// It could have run, and waited for a CPU.
    pub waited: u64,
    /// How often it was given a CPU; not a time.
    pub turns: u64,
}

impl ThreadTimes {
    /// What came since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            run: self.run.saturating_sub(earlier.run),
            waited: self.waited.saturating_sub(earlier.waited),
            turns: self.turns.saturating_sub(earlier.turns),
        }
    }
}

/// Reads the times of given threads. A thread that ended keeps its last times; one that began later is not known.
#[derive(Debug)]
pub struct ThreadReader {
    proc: PathBuf,
    threads: Vec<Thread>,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Thread {
    id: u32,
    file: KernelFile,
    last: ThreadTimes,
}

impl ThreadReader {
    /// A reader of no thread.
    pub fn new(roots: &Roots) -> Self {
        Self { proc: roots.proc.clone(), threads: Vec::new(), buffer: Vec::new() }
    }

    /// Adds the threads of these processes that are not known yet. Of very many, those that ran least are left out.
    pub fn watch(&mut self, pids: &[u32]) {
        for pid in pids {
            let Ok(threads) = fs::read_dir(self.proc.join(format!("{pid}/task"))) else { continue };
            for thread in threads.flatten() {
                let Some(id) = thread.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
                if self.threads.iter().all(|known| known.id != id) {
                    self.add(id, &thread.path().join("schedstat"));
                }
            }
            self.threads.sort_by_key(|thread| std::cmp::Reverse(thread.last.run));
            self.threads.truncate(MOST);
        }
    }

    /// Adds the calling thread.
    pub fn watch_this_thread(&mut self) {
        let path = self.proc.join("thread-self/schedstat");
        self.add(0, &path);
    }

    /// Adds the only thread of a process, such as one of the kernel's.
    pub fn watch_single(&mut self, pid: u32) {
        let path = self.proc.join(format!("{pid}/schedstat"));
        self.add(pid, &path);
    }

    fn add(&mut self, id: u32, path: &Path) {
        let Some(file) = KernelFile::open(path) else { return };
        if let Some(last) = file.read(&mut self.buffer).and_then(parse) {
            self.threads.push(Thread { id, file, last });
        }
    }

    /// The times of all known threads so far, always in the same order between two calls of `watch`; empty where the
    /// kernel keeps none.
    pub fn read(&mut self) -> Vec<ThreadTimes> {
        let Self { threads, buffer, .. } = self;
        let one = |thread: &mut Thread| {
            if let Some(now) = thread.file.read(buffer).and_then(parse) {
                thread.last = now;
            }
            thread.last
        };
        threads.iter_mut().map(one).collect()
    }
}

/// `run waited timeslices`.
fn parse(text: &str) -> Option<ThreadTimes> {
    let mut fields = text.split_ascii_whitespace().map(|field| field.parse().ok());
    Some(ThreadTimes { run: fields.next()??, waited: fields.next()??, turns: fields.next()?? })
}

/// CPU time of the calling thread.
pub fn this_threads_cpu_time() -> Duration {
    let now = ClockId::CLOCK_THREAD_CPUTIME_ID.now().ok();
    Duration::from_nanos(now.and_then(|now| u64::try_from(now.num_nanoseconds()).ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::super::testing::copy;
    use super::*;

    fn times(run: u64, waited: u64, turns: u64) -> ThreadTimes {
        ThreadTimes { run, waited, turns }
    }

    #[test]
    fn the_threads_of_processes_are_read_and_the_ended_keep_their_times() {
        let (folder, roots) = copy(&[
            ("proc/12/task/12/schedstat", "9000 300 5\n"),
            ("proc/12/task/13/schedstat", "500 20 1\n"),
            ("proc/30/task/30/schedstat", "70000 1 2\n"),
            ("proc/31/task/31/schedstat", "nonsense\n"),
            ("proc/31/task/self/schedstat", "1 1 1\n"),
            ("proc/7/schedstat", "40 4 1\n"),
            ("proc/thread-self/schedstat", "8 9 1\n"),
        ]);
        let mut reader = ThreadReader::new(&roots);
        reader.watch(&[12, 30, 31, 99]);
        assert_eq!(reader.read(), [times(70_000, 1, 2), times(9000, 300, 5), times(500, 20, 1)]);
        std::fs::write(folder.path().join("proc/12/task/12/schedstat"), "").unwrap();
        std::fs::write(folder.path().join("proc/12/task/13/schedstat"), "600 25 1\n").unwrap();
        reader.watch(&[12]);
        assert_eq!(reader.read(), [times(70_000, 1, 2), times(9000, 300, 5), times(600, 25, 1)]);
        reader.watch_single(7);
        reader.watch_this_thread();
        assert_eq!(reader.read()[3..], [times(40, 4, 1), times(8, 9, 1)]);
    }

    #[test]
    fn a_kernel_that_keeps_none_gives_none() {
        let (_folder, roots) = copy(&[("proc/12/task/12/stat", "12 (a) S")]);
        let mut reader = ThreadReader::new(&roots);
        reader.watch(&[12]);
        reader.watch_this_thread();
        assert_eq!(reader.read(), []);
    }

    #[test]
    fn of_very_many_threads_those_that_ran_most_are_kept() {
        let files: Vec<(String, String)> =
            (1..=100).map(|id| (format!("proc/1/task/{id}/schedstat"), format!("{} 0 1", id * 10))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_folder, roots) = copy(&files);
        let mut reader = ThreadReader::new(&roots);
        reader.watch(&[1]);
        let found = reader.read();
        assert_eq!((found.len(), found[0].run, found[MOST - 1].run), (MOST, 1000, 1000 - 10 * (MOST as u64 - 1)));
    }

    #[test]
    fn own_time_grows() {
        let mut reader = ThreadReader::new(&Roots::default());
        reader.watch_this_thread();
        let (before, clock) = (reader.read(), this_threads_cpu_time());
        while this_threads_cpu_time() < clock + Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        let after = reader.read();
        assert!(
            after.iter().zip(&before).all(|(after, before)| after.run > before.run && after.waited >= before.waited)
        );
    }

    proptest::proptest! {
        #[test]
        fn reading_any_text_never_panics(text in "\\PC*") {
            let _ = parse(&text);
        }
    }
}
