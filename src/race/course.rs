//! The course: takes a lane's turn with real servers.

use super::contender::{Contender, Question, Track};
use super::lookout::Post;
use super::relay::Relay;
use super::rounds::{Stop, Track as TakesTurns};
use super::server::Launcher;
use super::turn::{Turn, TurnOutcome};
use crate::model::{EntryName, Pairing, RegimeName, ScenarioName};
use crate::process::{pin_this_thread, raise_open_files};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What all turns of a race share.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Entries by name.
    pub contenders: BTreeMap<EntryName, Contender>,
    /// Regimes by name.
    pub tracks: BTreeMap<Option<RegimeName>, Track>,
    /// Scenarios by name.
    pub questions: BTreeMap<ScenarioName, Question>,
    /// Discarded load per fresh process and scenario.
    pub warmup: Duration,
    /// Measured load per side and scenario.
    pub measure: Duration,
    /// Slices that it is split into.
    pub slices: u32,
}

/// Takes turns on this machine.
pub struct Course<'a> {
    pub(super) setup: &'a Setup,
    pub(super) launcher: Launcher<'a>,
    pub(super) post: Post,
    started: Instant,
}

impl<'a> Course<'a> {
    pub(super) fn new(setup: &'a Setup, launcher: Launcher<'a>) -> Self {
        raise_open_files();
        let post = Post::new(launcher.supervisor.guard_pid());
        Self { setup, launcher, post, started: Instant::now() }
    }

    pub(super) fn interrupted(&self) -> bool {
        self.launcher.cancel.is_set()
    }

    pub(super) fn check_interrupt(&self) -> Result<(), Stop> {
        if self.interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

impl TakesTurns for Course<'_> {
    fn take(&mut self, turn: &Turn) -> Result<TurnOutcome, Stop> {
        let setup = self.setup;
        let missing = || Stop::Broken(format!("failed to race {}: it is not among the contenders", turn.lane));
        let contender = setup.contenders.get(&turn.lane.entry).ok_or_else(missing)?;
        let track = setup.tracks.get(&turn.lane.regime).ok_or_else(missing)?;
        // Refused pinning is said once, before the race; here there is nothing to do about it.
        let _ = pin_this_thread(track.load_cpus.get(..1).unwrap_or_default());
        let mut relay = Relay::new(self, contender, track, turn);
        if !turn.needs_server() {
            // Commands alone.
        } else if turn.needs_base() && contender.pairing == Pairing::Together && track.pairing == Pairing::Together {
            relay.together()?;
        } else {
            relay.apart()?;
        }
        relay.commands()?;
        Ok(relay.finish())
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
