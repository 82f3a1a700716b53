//! The course of a slice: when its connections have been taken, its window opens and its window ends.

use super::connection::Connection;
use super::shared::{Shared, nanoseconds};
use super::tally::{Loop, Phase, Tally};
use std::time::Duration;

/// Where the window of a closed loop has its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edges {
    /// Where the clock puts them.
    Clock,
    /// After as many answers as there are requests in flight, and any multiple of that.
    WholeRounds,
}

#[derive(Debug)]
pub(super) struct Course {
    edges: Edges,
    length: u64,
    timeout: u64,
    /// Answers of a round: as many as there are requests in flight.
    round: u64,
    /// Answers of the slice when rounds began to be counted.
    counted_from: u64,
    /// How many answers of the slice let its window end; not known before the window has lasted its time.
    awaited: Option<u64>,
    /// Until when a phase waits if no connection, or not every one, is open, and until when at all.
    patience: (u64, u64),
}

impl Course {
    /// Opens what is closed and asks the first requests of a slice whose `tally` is new.
    pub(super) fn begin(
        edges: Edges,
        length: Duration,
        connections: &mut [Connection],
        shared: &Shared,
        tally: &mut Tally,
        now: u64,
    ) -> Self {
        let (length, timeout) = (nanoseconds(length), nanoseconds(shared.timeout));
        let round = (connections.len() * shared.pipelining) as u64;
        let mut course = Self { edges, length, timeout, round, counted_from: 0, awaited: None, patience: (0, 0) };
        course.wait_from(now);
        if tally.kind == Loop::Closed && connections.iter().all(Connection::is_open) {
            course.load(connections, shared, tally, now);
        } else {
            for connection in connections {
                connection.is_answered = false;
                connection.open(shared, tally, now);
                connection.ask_first(shared, tally, now);
            }
        }
        course
    }

    /// Goes on to the next phase, up to the drain, if it is due.
    pub(super) fn advance(&mut self, connections: &mut [Connection], shared: &Shared, tally: &mut Tally, now: u64) {
        match tally.phase {
            Phase::Opening if tally.kind == Loop::Open => {
                if now >= self.patience.0 || connections.iter().all(Connection::is_open) {
                    self.open_window(tally, now);
                }
            }
            Phase::Opening => {
                if self.are_taken(connections, now) {
                    self.load(connections, shared, tally, now);
                }
            }
            Phase::LeadIn => {
                if self.have_come(self.counted_from + self.round, connections, tally, now) {
                    self.open_window(tally, now);
                }
            }
            Phase::Window if tally.ends == u64::MAX && now >= tally.opened.saturating_add(self.length) => {
                let awaited = self.awaited.unwrap_or_else(|| {
                    self.wait_from(now);
                    let rounds = (tally.all_answers - self.counted_from) / self.round + 1;
                    self.counted_from + rounds * self.round
                });
                self.awaited = Some(awaited);
                if self.have_come(awaited, connections, tally, now) {
                    tally.ends = now;
                }
            }
            Phase::Window | Phase::Drain => {}
        }
        if tally.phase != Phase::Drain && (now >= tally.ends || tally.is_broken_off()) {
            if tally.phase != Phase::Window {
                tally.opened = now;
            }
            tally.ends = tally.ends.min(now);
            tally.phase = Phase::Drain;
            if tally.kind == Loop::Closed {
                connections.iter_mut().for_each(Connection::forget_unsent);
            }
        }
    }

    fn wait_from(&mut self, now: u64) {
        let soon = self.length / 2;
        self.patience = (now.saturating_add(soon), now.saturating_add(self.timeout.max(soon)));
    }

    /// Lets every connection of a closed loop have its requests in flight.
    fn load(&mut self, connections: &mut [Connection], shared: &Shared, tally: &mut Tally, now: u64) {
        if self.edges == Edges::WholeRounds {
            tally.phase = Phase::LeadIn;
            self.wait_from(now);
        } else {
            self.open_window(tally, now);
        }
        self.counted_from = tally.all_answers;
        for connection in connections {
            connection.ask_first(shared, tally, now);
        }
    }

    fn open_window(&self, tally: &mut Tally, now: u64) {
        tally.phase = Phase::Window;
        tally.opened = now;
        if tally.kind == Loop::Open || self.edges == Edges::Clock {
            tally.ends = now.saturating_add(self.length);
        }
    }

    /// Whether every connection was answered, or waiting for the others makes no sense.
    fn are_taken(&self, connections: &[Connection], now: u64) -> bool {
        let (soon, latest) = self.patience;
        connections.iter().all(|connection| connection.is_answered)
            || now >= latest
            || (now >= soon && connections.iter().all(|connection| connection.is_answered || !connection.is_open()))
    }

    /// Whether the slice has that many answers, or waiting for them makes no sense.
    fn have_come(&self, answers: u64, connections: &[Connection], tally: &Tally, now: u64) -> bool {
        let (soon, latest) = self.patience;
        tally.all_answers >= answers || now >= latest || (now >= soon && !connections.iter().any(Connection::is_open))
    }
}
