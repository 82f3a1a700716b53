//! What is counted while a slice runs, and what may be sent.

use super::reader::{Answer, Sample};
use super::{ErrorCounts, ErrorKind, Expectation, SliceReport};
use hdrhistogram::Histogram;
use std::time::Duration;

/// After so many errors a slice is broken off.
pub(super) const MAX_ERRORS: u64 = 1_000;
/// After the first answer of a slice, one in so many is compared in full.
const SAMPLED_ONE_IN: u64 = 1_000;

/// Where a slice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Connections are opened; in a closed loop, each is asked once and not again before all have been answered.
    Opening,
    /// Before the window of a closed loop: every connection has its requests in flight and is answered once.
    LeadIn,
    /// Answers count.
    Window,
    /// After the window: what is outstanding is waited for.
    Drain,
}

/// What makes requests due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    /// Nothing: connections are looked after between slices.
    Idle,
    /// An answer.
    Closed,
    /// The clock.
    Open,
}

#[derive(Debug)]
pub(super) struct Tally {
    pub(super) kind: Loop,
    pub(super) phase: Phase,
    /// When the window opened and ends, in nanoseconds of the generator's clock; the end is known from the opening on.
    pub(super) opened: u64,
    pub(super) ends: u64,
    pub(super) answers: u64,
    pub(super) all_answers: u64,
    pub(super) bytes: u64,
    pub(super) errors: ErrorCounts,
    pub(super) first_error: Option<String>,
    pub(super) reopened: u64,
    pub(super) late_sends: u64,
    pub(super) polls: u64,
    pub(super) non_empty_polls: u64,
    /// Nanoseconds of the window in which it dealt with events.
    pub(super) busy_ns: u64,
    /// Whether the slice is to be broken off from outside.
    pub(super) is_stopped: bool,
    latency: Histogram<u64>,
    /// Nanoseconds that answered requests were in flight inside the window, summed over the requests.
    in_flight_ns: u64,
    heads: u64,
}

impl Tally {
    pub(super) fn new(latency: Histogram<u64>) -> Self {
        Self {
            kind: Loop::Idle,
            phase: Phase::Opening,
            opened: 0,
            ends: u64::MAX,
            answers: 0,
            all_answers: 0,
            bytes: 0,
            errors: ErrorCounts::default(),
            first_error: None,
            reopened: 0,
            late_sends: 0,
            polls: 0,
            non_empty_polls: 0,
            busy_ns: 0,
            is_stopped: false,
            latency,
            in_flight_ns: 0,
            heads: 0,
        }
    }

    /// Whether an answer makes the next request due.
    pub(super) fn asks_again(&self, now: u64) -> bool {
        self.asks(now) && self.phase != Phase::Opening
    }

    /// Whether connections of a closed loop that have nothing in flight are to be asked.
    pub(super) fn asks(&self, now: u64) -> bool {
        self.kind == Loop::Closed && self.phase != Phase::Drain && now < self.ends
    }

    /// Whether connections are to be opened, and requests that lost theirs to be sent again.
    pub(super) fn keeps_connections(&self, now: u64) -> bool {
        self.asks(now) || (self.kind == Loop::Open && !self.is_broken_off())
    }

    pub(super) fn is_broken_off(&self) -> bool {
        self.is_stopped || self.errors.total() > MAX_ERRORS
    }

    /// Whether the next answer is to be kept and compared in full.
    pub(super) fn samples_next(&mut self) -> bool {
        self.heads += 1;
        self.heads % SAMPLED_ONE_IN == 1
    }

    pub(super) fn fail(&mut self, kind: ErrorKind, words: impl FnOnce() -> String) {
        self.errors.add(kind, 1);
        self.first_error.get_or_insert_with(words);
    }

    pub(super) fn receive(&mut self, bytes: usize) {
        if self.phase == Phase::Window {
            self.bytes += bytes as u64;
        }
    }

    /// Counts a complete answer to a request that was sent (or intended) at `start`.
    pub(super) fn complete(
        &mut self,
        answer: Answer,
        sample: Option<Sample>,
        expectation: &Expectation,
        start: u64,
        now: u64,
    ) {
        self.all_answers += 1;
        if !expectation.status.allows(answer.status) {
            let expected = expectation.status;
            return self.fail(ErrorKind::Status, || format!("status {} instead of {expected}", answer.status));
        }
        if let Some(length) = expectation.length.filter(|length| *length != answer.length) {
            return self
                .fail(ErrorKind::Length, || format!("body of {} bytes instead of {length} bytes", answer.length));
        }
        if let (Some(check), Some(sample)) = (&expectation.check, sample) {
            let finding =
                sample.with(|head, body| check.check(head, body).map_err(|kind| (kind, check.explain(head, body))));
            if let Some(Err((kind, words))) = finding {
                return self
                    .fail(kind, || words.unwrap_or_else(|| format!("{kind} differs from the expected answer's")));
            }
        }
        if matches!(self.phase, Phase::Window | Phase::Drain) {
            self.in_flight_ns += now.min(self.ends).saturating_sub(start.max(self.opened));
        }
        let counts = match self.kind {
            Loop::Idle => false,
            Loop::Closed => self.phase == Phase::Window && now < self.ends,
            Loop::Open => true,
        };
        if counts {
            let nanoseconds = now.saturating_sub(start);
            self.answers += 1;
            self.latency.saturating_record((nanoseconds + 500) / 1_000);
        }
    }

    /// `in_flight`: what Little's law expects to be outstanding at any time; `intended`: requests of an open loop.
    pub(super) fn report(mut self, in_flight: f64, intended: u64) -> SliceReport {
        if self.all_answers == 0 && self.errors.total() == 0 && intended == 0 {
            self.fail(ErrorKind::Timeout, || "no connection and no answer in the whole slice".to_owned());
        }
        let window = Duration::from_nanos(self.ends.saturating_sub(self.opened));
        let self_check = match (self.kind, window.as_nanos()) {
            (Loop::Open, _) if intended > 0 => self.answers as f64 / intended as f64,
            (Loop::Closed, nanoseconds) if nanoseconds > 0 => {
                // Cut at the window's edges, so that it holds for slices of a few answers too.
                self.in_flight_ns as f64 / nanoseconds as f64 / in_flight
            }
            _ => 0.0,
        };
        SliceReport {
            answers: self.answers,
            all_answers: self.all_answers,
            window,
            bytes: self.bytes,
            latency: self.latency,
            errors: self.errors,
            reopened: self.reopened,
            late_sends: self.late_sends,
            polls: self.polls,
            non_empty_polls: self.non_empty_polls,
            busy: Duration::from_nanos(self.busy_ns),
            first_error: self.first_error,
            self_check,
        }
    }
}
