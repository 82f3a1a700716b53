//! What children, supervisor and the reader of the guard's answers share.

use super::child::{Exit, StopReport};
use super::error::GuardError;
use super::tree::{marked, signal};
use super::wire::{WireAnswer, WireRequest, line};
use rustix::process::Signal;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The guard answers within milliseconds; killing what does not want to die takes it ten seconds at most.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The pipe to the guard, and who waits for its answers.
#[derive(Debug)]
pub(super) struct Link {
    guard_pid: u32,
    /// Begins the marker of every child; unique on the machine.
    token: String,
    next: AtomicU64,
    to_guard: Mutex<Option<ChildStdin>>,
    slots: Mutex<Slots>,
    /// The supervisor was dropped: the guard's end is no accident.
    closing: AtomicBool,
}

#[derive(Debug, Default)]
struct Slots {
    open: HashMap<u64, Arc<Slot>>,
    gone: bool,
}

/// What the guard has said about one child.
#[derive(Debug, Default)]
pub(super) struct Slot {
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// Started, or failed to.
    spawned: Option<WireAnswer>,
    exit: Option<Exit>,
    stopped: Option<StopReport>,
    gone: bool,
}

/// Nothing here panics while it holds a lock, so a poisoned one is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    fn update(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut lock(&self.progress));
        self.changed.notify_all();
    }

    /// Waits until `find` finds something; nothing at `deadline`.
    fn wait_until<T>(&self, deadline: Instant, find: impl Fn(&Progress) -> Option<T>) -> Result<Option<T>, GuardError> {
        let mut progress = lock(&self.progress);
        loop {
            if let Some(found) = find(&progress) {
                return Ok(Some(found));
            }
            if progress.gone {
                return Err(GuardError::Gone);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            progress = self.changed.wait_timeout(progress, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the answer to a request to spawn.
    pub(super) fn wait_for_spawn(&self) -> Result<Option<WireAnswer>, GuardError> {
        self.wait_until(Instant::now() + PATIENCE, |progress| progress.spawned.clone())
    }

    pub(super) fn exit(&self) -> Result<Option<Exit>, GuardError> {
        let progress = lock(&self.progress);
        match progress.exit {
            None if progress.gone => Err(GuardError::Gone),
            exit => Ok(exit),
        }
    }

    pub(super) fn wait_for_exit(&self, deadline: Instant) -> Result<Option<Exit>, GuardError> {
        self.wait_until(deadline, |progress| progress.exit)
    }
}

impl Link {
    pub(super) fn new(guard_pid: u32, token: String, to_guard: Option<ChildStdin>) -> Self {
        Self {
            guard_pid,
            token,
            next: AtomicU64::new(1),
            to_guard: Mutex::new(to_guard),
            slots: Mutex::default(),
            closing: AtomicBool::new(false),
        }
    }

    pub(super) fn guard_pid(&self) -> u32 {
        self.guard_pid
    }

    /// The number and the marker of the next child.
    pub(super) fn name_child(&self) -> (u64, String) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        (id, format!("{}-{id}", self.token))
    }

    /// Closes the pipe: the guard kills all and ends.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        lock(&self.to_guard).take();
    }

    pub(super) fn open_slot(&self, id: u64) -> Result<Arc<Slot>, GuardError> {
        let mut slots = lock(&self.slots);
        if slots.gone {
            return Err(GuardError::Gone);
        }
        let slot = Arc::new(Slot::default());
        slots.open.insert(id, Arc::clone(&slot));
        Ok(slot)
    }

    pub(super) fn send(&self, request: &WireRequest) -> Result<(), GuardError> {
        let line = line(request).map_err(|_| GuardError::Gone)?;
        let mut to_guard = lock(&self.to_guard);
        let pipe = to_guard.as_mut().ok_or(GuardError::Gone)?;
        pipe.write_all(&line).map_err(|_| GuardError::Gone)
    }

    pub(super) fn stop(&self, id: u64, slot: &Slot, grace: Duration) -> Result<StopReport, GuardError> {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self.send(&WireRequest::Stop { id, grace_ms })?;
        let patience = grace.saturating_add(PATIENCE);
        let deadline = Instant::now().checked_add(patience).unwrap_or_else(|| Instant::now() + PATIENCE);
        let report = slot.wait_until(deadline, |progress| progress.stopped)?;
        report.ok_or(GuardError::Silent { seconds: patience.as_secs() })
    }

    /// Hands every answer to its child until the guard ends.
    pub(super) fn read(&self, mut answers: BufReader<ChildStdout>) {
        let mut line = Vec::new();
        while answers.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            match serde_json::from_slice(&line) {
                Ok(answer) => self.hand_over(answer),
                // Only a broken guard says what can't be read.
                Err(_) => break,
            }
            line.clear();
        }
        lock(&self.to_guard).take();
        if !self.closing.load(Ordering::SeqCst) {
            self.kill_marked();
        }
        let mut slots = lock(&self.slots);
        slots.gone = true;
        for (_, slot) in slots.open.drain() {
            slot.update(|progress| progress.gone = true);
        }
    }

    fn hand_over(&self, answer: WireAnswer) {
        let mut slots = lock(&self.slots);
        match answer {
            WireAnswer::Spawned { id, .. } => {
                if let Some(slot) = slots.open.get(&id) {
                    slot.update(|progress| progress.spawned = Some(answer));
                }
            }
            WireAnswer::SpawnFailed { id, .. } => {
                if let Some(slot) = slots.open.remove(&id) {
                    slot.update(|progress| progress.spawned = Some(answer));
                }
            }
            WireAnswer::Exited { id, exit } => {
                if let Some(slot) = slots.open.get(&id) {
                    slot.update(|progress| progress.exit = Some(exit.into()));
                }
            }
            WireAnswer::Stopped { id, killed, left_behind, survivors, exit, reaped_cpu, largest_rss } => {
                if let Some(slot) = slots.open.remove(&id) {
                    let exit = exit.map(Exit::from);
                    let reaped_cpu = Duration::from_nanos(reaped_cpu);
                    let report = StopReport { exit, killed, left_behind, survivors, reaped_cpu, largest_rss };
                    slot.update(|progress| progress.stopped = Some(report));
                }
            }
            WireAnswer::Unknown { id } => {
                if let Some(slot) = slots.open.remove(&id) {
                    slot.update(|progress| progress.gone = true);
                }
            }
            // A request that the guard could not read was never sent by this version: its sender gets no answer.
            WireAnswer::Ready { .. } | WireAnswer::BadRequest { .. } => {}
        }
    }

    /// The guard was killed and could not clean up: kills all that carries this run's marker.
    fn kill_marked(&self) {
        let prefix = format!("{}-", self.token);
        for _ in 0..200 {
            let living: Vec<_> = marked(&prefix).into_iter().filter(|process| !process.zombie).collect();
            if living.is_empty() {
                return;
            }
            for process in living {
                signal(process, Signal::KILL);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}
