//! Who belongs to a child: descendants, members of its group, and orphans that carry its marker.
//!
//! A snapshot of `/proc` is not atomic: a process that forks while it is read can be missed. Whoever must find all of
//! them takes snapshots until one is empty.

use super::wire::MARKER;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// One process as `/proc/PID/stat` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) parent: u32,
    pub(super) group: u32,
    /// Start time in clock ticks since the machine's start: with the number it names a process for good.
    pub(super) started: u64,
    /// Dead, and not yet reaped by its parent.
    pub(super) zombie: bool,
}

/// The first process of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// Also the number of its group.
    pub(super) pid: u32,
    pub(super) started: u64,
    pub(super) marker: String,
}

/// Reads one line of `/proc/PID/stat`; the name in parentheses may itself hold parentheses and spaces.
fn parse_stat(text: &str) -> Option<Process> {
    let (pid, _) = text.split_once(" (")?;
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // Field 3 of the line is the state, hence offsets of 3 against the numbers in proc_pid_stat(5).
    Some(Process {
        pid: pid.parse().ok()?,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
    })
}

/// The process of this number, if there is one.
pub(super) fn read_process(pid: u32) -> Option<Process> {
    parse_stat(&String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

/// Whether a process has run a program since it was forked, by a flag of its `/proc/PID/stat`.
pub(super) fn runs_a_program(pid: u32) -> bool {
    /// `PF_FORKNOEXEC` of the kernel's sched.h.
    const FORKED_ONLY: u64 = 0x40;
    let flags = |text: &str| text.rsplit_once(')')?.1.split_ascii_whitespace().nth(6)?.parse::<u64>().ok();
    let stat = fs::read(format!("/proc/{pid}/stat")).ok();
    stat.and_then(|text| flags(&String::from_utf8_lossy(&text))).is_some_and(|flags| flags & FORKED_ONLY == 0)
}

/// The children of all threads of a process; nothing where it has ended or the kernel keeps no such lists. One that
/// ends meanwhile can hide another for a moment.
pub(super) fn children_of(pid: u32) -> Option<Vec<u32>> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let lists = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let mut found = None;
    for list in lists {
        let numbers = list.split_ascii_whitespace().filter_map(|number| number.parse::<u32>().ok());
        found.get_or_insert_with(Vec::new).extend(numbers);
    }
    found
}

/// Numbers of all processes.
fn all_pids() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// All processes of the machine at about one moment, zombies included.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    processes: BTreeMap<u32, Process>,
}

impl Snapshot {
    pub(super) fn take() -> Self {
        all_pids().into_iter().filter_map(read_process).collect()
    }

    /// All that descends from `from`, and `from` itself where it is alive.
    fn closure(&self, from: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for process in self.processes.values() {
            children.entry(process.parent).or_default().push(process.pid);
        }
        let mut found = BTreeSet::new();
        let mut open: Vec<u32> = from.into_iter().filter(|pid| self.processes.contains_key(pid)).collect();
        while let Some(pid) = open.pop() {
            if found.insert(pid) {
                open.extend(children.get(&pid).into_iter().flatten());
            }
        }
        found
    }

    fn members(&self, pids: &BTreeSet<u32>) -> Vec<Process> {
        pids.iter().filter_map(|pid| self.processes.get(pid)).copied().collect()
    }

    /// All that descends from `pid`, without `pid` itself.
    pub(super) fn descendants(&self, pid: u32) -> Vec<Process> {
        let mut pids = self.closure([pid]);
        pids.remove(&pid);
        self.members(&pids)
    }

    /// The tree of a child of `guard`. `adopt` says whether an orphan that the guard inherited belongs to it.
    pub(super) fn tree_of(&self, root: &Root, guard: u32, adopt: impl Fn(u32) -> bool) -> Vec<Process> {
        let guarded = self.closure([guard]);
        // A later process that was given the root's number is a stranger, and so is its group.
        let reused = self.processes.get(&root.pid).is_some_and(|process| process.started != root.started);
        let seeds = guarded.iter().copied().filter(|pid| {
            let Some(process) = self.processes.get(pid) else { return false };
            // The first process is in its group unless it made itself a session.
            let own = !reused && (process.pid == root.pid || process.group == root.pid);
            own || (process.parent == guard && process.pid != root.pid && adopt(process.pid))
        });
        self.members(&self.closure(seeds))
    }
}

impl FromIterator<Process> for Snapshot {
    fn from_iter<I: IntoIterator<Item = Process>>(processes: I) -> Self {
        Self { processes: processes.into_iter().map(|process| (process.pid, process)).collect() }
    }
}

/// Whether a process was started with a marker that `accept` accepts. Environments of other users can't be read.
pub(super) fn has_marker(pid: u32, accept: impl Fn(&[u8]) -> bool) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    environment
        .split(|&byte| byte == 0)
        .any(|pair| pair.strip_prefix(MARKER.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")).is_some_and(&accept))
}

/// Every process of the machine whose marker begins with `prefix`, wherever it hangs.
pub(super) fn marked(prefix: &str) -> Vec<Process> {
    let ours = |pid: &u32| has_marker(*pid, |marker| marker.starts_with(prefix.as_bytes()));
    all_pids().into_iter().filter(ours).filter_map(read_process).collect()
}

/// Sends a signal to exactly this process: not to a later one that was given its number.
pub(super) fn signal(process: Process, signal: Signal) {
    let Some(pid) = to_pid(process.pid) else { return };
    // A pidfd keeps pointing at the process that was opened, so the start time is compared after opening.
    let descriptor = pidfd_open(pid, PidfdFlags::empty());
    if read_process(process.pid).is_none_or(|now| now.started != process.started) {
        return;
    }
    // That it is gone, or another user's, shows in the next snapshot.
    let _ = match descriptor {
        Ok(descriptor) => pidfd_send_signal(&descriptor, signal),
        Err(_) => kill_process(pid, signal),
    };
}

/// The number as the kernel's calls take it; absent for 0, which would mean the caller itself.
pub(super) fn to_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32, group: u32) -> Process {
        Process { pid, parent, group, started: u64::from(pid) * 10, zombie: false }
    }

    fn root(pid: u32) -> Root {
        Root { pid, started: u64::from(pid) * 10, marker: format!("run-{pid}") }
    }

    fn pids(processes: &[Process]) -> Vec<u32> {
        processes.iter().map(|process| process.pid).collect()
    }

    #[test]
    fn a_name_with_parentheses_and_spaces_is_no_obstacle() {
        let line =
            "4711 (a) b (c) S 12 4700 4600 0 -1 4194560 1 0 0 0 5 6 7 8 20 0 1 0 998877 1000 20 18446744073709551615";
        assert_eq!(
            parse_stat(line),
            Some(Process { pid: 4711, parent: 12, group: 4700, started: 998_877, zombie: false })
        );
        for broken in ["", "12", "12 (sh)", "12 (sh) S 1 2", "x (sh) S 1 2 3 0 -1 1 1 1 1 1 1 1 1 1 1 1 1 1 5"] {
            assert_eq!(parse_stat(broken), None, "{broken}");
        }
    }

    /// Guard 100; child 200 with 201 in its group and 202 in one of its own; child 300; orphans 203 and 301.
    fn machine() -> Snapshot {
        [
            process(1, 0, 1),
            process(100, 1, 100),
            process(200, 100, 200),
            process(201, 200, 200),
            process(202, 201, 202),
            process(300, 100, 300),
            process(203, 100, 203),
            process(204, 203, 203),
            process(301, 100, 301),
            process(900, 1, 900),
        ]
        .into_iter()
        .collect()
    }

    #[test]
    fn a_tree_holds_descendants_group_and_marked_orphans() {
        let tree = machine().tree_of(&root(200), 100, |pid| pid == 203);
        assert_eq!(pids(&tree), [200, 201, 202, 203, 204]);
        assert_eq!(pids(&machine().tree_of(&root(300), 100, |pid| pid == 301)), [300, 301]);
    }

    #[test]
    fn a_group_outlives_its_first_process() {
        let snapshot: Snapshot =
            [process(100, 1, 100), process(201, 100, 200), process(205, 201, 205)].into_iter().collect();
        assert_eq!(pids(&snapshot.tree_of(&root(200), 100, |_| false)), [201, 205]);
    }

    #[test]
    fn a_stranger_with_the_roots_number_is_left_alone() {
        let stranger = Process { started: 99_999, ..process(200, 1, 200) };
        let snapshot: Snapshot = [process(100, 1, 100), stranger].into_iter().collect();
        assert_eq!(pids(&snapshot.tree_of(&root(200), 100, |_| false)), [0_u32; 0]);
        let inherited = Process { parent: 100, ..stranger };
        let snapshot: Snapshot = [process(100, 1, 100), inherited].into_iter().collect();
        assert_eq!(pids(&snapshot.tree_of(&root(200), 100, |_| false)), [0_u32; 0]);
    }

    #[test]
    fn descendants_leave_the_ancestor_out() {
        assert_eq!(pids(&machine().descendants(201)), [202]);
        assert_eq!(pids(&machine().descendants(555)), [0_u32; 0]);
    }

    #[test]
    fn this_process_is_found_with_its_parent() {
        let me = read_process(std::process::id()).unwrap();
        assert_eq!(me.parent, std::os::unix::process::parent_id());
        assert!(pids(&Snapshot::take().descendants(me.parent)).contains(&me.pid));
    }

    proptest::proptest! {
        #[test]
        fn reading_any_text_never_panics(text in "[A-Za-z0-9():\t -]{0,120}", wild in "\\PC*") {
            let _ = parse_stat(&text);
            let _ = parse_stat(&wild);
        }
    }
}
