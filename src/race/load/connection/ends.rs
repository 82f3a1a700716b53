//! How connections end: by the server's wish, by its death, by a deadline, by an error.

use super::{Connection, Link};
use crate::race::load::ErrorKind;
use crate::race::load::shared::{Shared, describe, nanoseconds};
use crate::race::load::tally::Tally;
use rustix::io::Errno;

/// How long a connection rests after an error, in nanoseconds.
const REST: u64 = 10_000_000;

impl Connection {
    /// Looks for what never came.
    pub(in crate::race::load) fn check_deadline(&mut self, shared: &Shared, tally: &mut Tally, now: u64) {
        let timeout = nanoseconds(shared.timeout);
        match self.link {
            Link::Connecting { since, .. } if now.saturating_sub(since) >= timeout => {
                self.fail(ErrorKind::Connect, tally, now, || {
                    shared.no_connection(&format!("no answer within {:?}", shared.timeout))
                });
            }
            Link::Open { .. } if self.in_flight() > 0 && now.saturating_sub(self.waiting_since) >= timeout => {
                self.time_out(shared, tally, now);
            }
            _ => {}
        }
    }

    /// Gives up what is in flight.
    pub(in crate::race::load) fn time_out(&mut self, shared: &Shared, tally: &mut Tally, now: u64) {
        self.fail(ErrorKind::Timeout, tally, now, || format!("no whole answer within {:?}", shared.timeout));
    }

    /// The server takes no more requests on this connection: what comes next, and what was sent ahead, goes on a new one.
    /// The time it takes to connect belongs to these requests' latency.
    pub(super) fn close_after(&mut self, completed: usize, shared: &Shared, tally: &mut Tally, now: u64) {
        self.link = Link::Closed { rest_until: 0 };
        if tally.asks_again(now) {
            self.assign(completed, now, shared, now);
        }
        self.close(shared, tally, now);
    }

    /// Closes, and opens again where requests go on.
    pub(super) fn close(&mut self, shared: &Shared, tally: &mut Tally, now: u64) {
        self.link = Link::Closed { rest_until: 0 };
        self.reader.reset();
        if tally.keeps_connections(now) {
            self.open(shared, tally, now);
        } else {
            self.starts.clear();
        }
    }

    /// The server, or the kernel, ended the connection.
    pub(super) fn ended(&mut self, errno: Option<Errno>, shared: &Shared, tally: &mut Tally) {
        let now = shared.clock.now();
        if errno.is_none()
            && let Some(answer) = self.reader.end()
        {
            self.complete(answer, shared, tally, now);
            return self.close_after(1, shared, tally, now);
        }
        let how = errno.map_or_else(|| "closed by the server".to_owned(), describe);
        if !self.reader.is_untouched() {
            return self.fail(ErrorKind::Reset, tally, now, || format!("connection lost inside an answer: {how}"));
        }
        if !self.starts.is_empty() {
            self.silent_ends += 1;
            if self.silent_ends > 1 {
                let words = || format!("connection lost without an answer, twice in a row: {how}");
                return self.fail(ErrorKind::Reset, tally, now, words);
            }
        }
        self.close(shared, tally, now);
    }

    pub(super) fn fail(&mut self, kind: ErrorKind, tally: &mut Tally, now: u64, words: impl FnOnce() -> String) {
        tally.fail(kind, words);
        self.link = Link::Closed { rest_until: now + REST };
        self.starts.clear();
        self.reader.reset();
    }
}
