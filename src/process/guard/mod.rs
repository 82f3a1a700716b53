//! The guard: the one process that spawns, stops and reaps all children, and that outlives deadheat by a moment.
//!
//! It is subreaper, so that whatever its children leave behind is handed to it; it is alone in its process group, so
//! that a terminal's Ctrl-C does not reach it. It sleeps in `poll` until its input, a child's end or a signal wakes it:
//! a timer runs only while something is being stopped. When its input closes, because deadheat ended in whatever way,
//! it kills every descendant and ends.
//!
//! Signals: SIGINT and SIGHUP come from terminals and are deadheat's business; they are caught and dropped (not
//! ignored, because an ignored signal stays ignored in children). SIGTERM is taken like a closed input: whoever sends
//! it will send SIGKILL next, and nothing could be cleaned up after that.
//!
//! Known limit: a SIGKILL to the guard itself is repaired by deadheat, which then kills all that carries its marker;
//! if both are killed at the same moment, the children live on.

mod spawn;
mod stop;
mod waiting;

use super::accounting::reaped_usage;
use super::clock::now_ns;
use super::cpus;
use super::tree::{Root, Snapshot, has_marker, signal, to_pid};
use super::wire::{WireAnswer, WireExit, WireRequest, WireSpawn, line};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpid, kill_process_group, set_child_subreaper};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use spawn::Spawned;
use std::collections::BTreeMap;
use std::io::{self, Stdin, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stop::{Stopping, Verdict};
use waiting::{drain, nanoseconds, reap_one, self_pipe};

/// How often the tree is looked at while it is being killed.
const KILL_INTERVAL_NS: u64 = 5_000_000;
/// After so long a killed process is given up: the kernel does not let it go, or it is another user's.
const KILL_PATIENCE_NS: u64 = 10_000_000_000;

/// Runs the guard on standard input and output until the input closes.
pub fn run() -> ExitCode {
    let mut guard = match Guard::new() {
        Ok(guard) => guard,
        Err(error) => return complain(&error),
    };
    let served = guard.serve();
    guard.kill_everything();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error),
    }
}

fn complain(error: &io::Error) -> ExitCode {
    // Nobody is left to tell when even this fails.
    let _ = writeln!(io::stderr(), "deadheat: the guard process failed: {error}");
    ExitCode::from(4)
}

struct Tracked {
    root: Root,
    exit: Option<WireExit>,
    stopping: Option<Stopping>,
}

struct Guard {
    pid: u32,
    cpus: Vec<usize>,
    children: BTreeMap<u64, Tracked>,
    input: Stdin,
    unread: Vec<u8>,
    child_ended: UnixStream,
    terminate: UnixStream,
}

impl Guard {
    fn new() -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        for dropped in [SIGINT, SIGHUP] {
            signal_hook::flag::register(dropped, Arc::new(AtomicBool::new(false)))?;
        }
        Ok(Self {
            pid: std::process::id(),
            cpus: cpus::allowed_cpus()?,
            children: BTreeMap::new(),
            input: io::stdin(),
            unread: Vec::new(),
            child_ended: self_pipe(SIGCHLD)?,
            terminate: self_pipe(SIGTERM)?,
        })
    }

    fn serve(&mut self) -> io::Result<()> {
        answer(&WireAnswer::Ready { pid: self.pid })?;
        loop {
            let [input, child_ended, terminate] = self.sleep()?;
            if terminate {
                return Ok(());
            }
            if child_ended {
                drain(&self.child_ended)?;
                self.reap()?;
            }
            if input && !self.read_requests()? {
                return Ok(());
            }
            self.go_on_stopping()?;
        }
    }

    /// Sleeps until the input, the end of a child, or SIGTERM; or until a stop needs its next step.
    fn sleep(&self) -> io::Result<[bool; 3]> {
        let now = now_ns();
        let next =
            self.children.values().filter_map(|child| child.stopping.as_ref()).map(|stop| stop.next_step(now)).min();
        let timeout = next.map(nanoseconds);
        let mut descriptors = [
            PollFd::new(&self.input, PollFlags::IN),
            PollFd::new(&self.child_ended, PollFlags::IN),
            PollFd::new(&self.terminate, PollFlags::IN),
        ];
        match poll(&mut descriptors, timeout.as_ref()) {
            Ok(_) => Ok(descriptors.map(|descriptor| !descriptor.revents().is_empty())),
            Err(rustix::io::Errno::INTR) => Ok([false; 3]),
            Err(error) => Err(error.into()),
        }
    }

    /// Handles all whole lines that have arrived; false at the end of the input.
    fn read_requests(&mut self) -> io::Result<bool> {
        let mut block = [0_u8; 8192];
        let length = match rustix::io::read(&self.input, &mut block) {
            Ok(length) => length,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        self.unread.extend(block.iter().take(length));
        while let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
            let rest = self.unread.split_off(end + 1);
            let request = std::mem::replace(&mut self.unread, rest);
            match serde_json::from_slice::<WireRequest>(&request) {
                Ok(WireRequest::Spawn(request)) => self.spawn(&request)?,
                Ok(WireRequest::Stop { id, grace_ms }) => self.begin_stop(id, grace_ms)?,
                Err(error) => answer(&WireAnswer::BadRequest { text: error.to_string() })?,
            }
        }
        Ok(length > 0)
    }

    fn spawn(&mut self, request: &WireSpawn) -> io::Result<()> {
        let id = request.id;
        match spawn::spawn(request, &self.cpus) {
            Ok(Spawned { root, at, pinning_refused }) => {
                let Root { pid, started, .. } = root;
                self.children.insert(id, Tracked { root, exit: None, stopping: None });
                answer(&WireAnswer::Spawned { id, pid, started, at, pinning_refused })
            }
            Err((reason, text)) => answer(&WireAnswer::SpawnFailed { id, reason, text }),
        }
    }

    /// Collects every child that has ended: roots, and orphans that were handed to the guard.
    fn reap(&mut self) -> io::Result<()> {
        let mut before = reaped_usage();
        while let Some((pid, status)) = reap_one() {
            let after = reaped_usage();
            let cpu = after.cpu.saturating_sub(before.cpu);
            before = after;
            let root = self.children.iter_mut().find(|(_, child)| child.root.pid == pid && child.exit.is_none());
            if let Some((&id, child)) = root {
                let exit = WireExit {
                    code: status.exit_status(),
                    signal: status.terminating_signal(),
                    at: now_ns(),
                    cpu,
                    largest_rss: after.largest_rss,
                };
                child.exit = Some(exit);
                answer(&WireAnswer::Exited { id, exit })?;
            }
        }
        Ok(())
    }

    fn begin_stop(&mut self, id: u64, grace_ms: u64) -> io::Result<()> {
        let snapshot = Snapshot::take();
        let tree = self.tree(id, &snapshot);
        match self.children.get_mut(&id) {
            Some(child) if child.stopping.is_none() => {
                let until = now_ns().saturating_add(grace_ms.saturating_mul(1_000_000));
                child.stopping = Some(Stopping::begin(&child.root, &tree, (grace_ms > 0).then_some(until)));
                Ok(())
            }
            Some(_) => Ok(()),
            None => answer(&WireAnswer::Unknown { id }),
        }
    }

    /// The living tree of a child. What nobody claims belongs to the last child that is left.
    fn tree(&self, id: u64, snapshot: &Snapshot) -> Vec<super::tree::Process> {
        let Some(child) = self.children.get(&id) else { return Vec::new() };
        let alone = self.children.len() == 1;
        let marker = child.root.marker.as_bytes();
        snapshot.tree_of(&child.root, self.pid, |orphan| alone || has_marker(orphan, |found| found == marker))
    }

    fn go_on_stopping(&mut self) -> io::Result<()> {
        let stopping: Vec<u64> =
            self.children.iter().filter(|(_, child)| child.stopping.is_some()).map(|(&id, _)| id).collect();
        for id in stopping {
            let tree = self.tree(id, &Snapshot::take());
            let Some(child) = self.children.get_mut(&id) else { continue };
            let Some(stopping) = child.stopping.as_mut() else { continue };
            if let Verdict::Done(report) = stopping.step(&child.root, &tree, child.exit.is_some(), now_ns()) {
                let exit = child.exit;
                self.children.remove(&id);
                let reaped = reaped_usage();
                answer(&WireAnswer::Stopped {
                    id,
                    killed: report.killed,
                    left_behind: report.left_behind,
                    survivors: report.survivors,
                    exit,
                    reaped_cpu: reaped.cpu,
                    largest_rss: reaped.largest_rss,
                })?;
            }
        }
        Ok(())
    }

    /// Kills all descendants until none is left.
    fn kill_everything(&self) {
        let until = now_ns().saturating_add(KILL_PATIENCE_NS);
        loop {
            while reap_one().is_some() {}
            let descendants = Snapshot::take().descendants(self.pid);
            if descendants.is_empty() || now_ns() > until {
                return;
            }
            for process in descendants {
                signal(process, Signal::KILL);
            }
            // Wakes at the end of a child; the timeout is for those that are handed over without a signal.
            let mut ended = [PollFd::new(&self.child_ended, PollFlags::IN)];
            let _ = poll(&mut ended, Some(&nanoseconds(KILL_INTERVAL_NS)));
            let _ = drain(&self.child_ended);
        }
    }
}

fn answer(answer: &WireAnswer) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(&line(answer)?)?;
    output.flush()
}

/// SIGTERM or SIGKILL to a whole group at once, so that no member can fork away meanwhile.
fn signal_group(group: u32, signal: Signal) {
    if let Some(group) = to_pid(group) {
        let _ = kill_process_group(group, signal);
    }
}
