//! One connection: opened without blocking, kept, opened again when the server closed it.

use super::ErrorKind;
mod ends;

use super::batch::Outgoing;
use super::reader::{Answer, AnswerReader, Step};
use super::shared::{Shared, describe};
use super::tally::{Phase, Tally};
use rustix::event::epoll::EventFlags;
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};
use std::collections::VecDeque;

#[derive(Debug)]
enum Link {
    Closed { rest_until: u64 },
    Connecting { socket: OwnedFd, since: u64 },
    Open { socket: OwnedFd, blocked: bool },
}

#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    link: Link,
    /// When each request in flight was sent, or intended to be.
    starts: VecDeque<u64>,
    outgoing: Outgoing,
    reader: AnswerReader,
    /// Since when the oldest request in flight has been waited for.
    waiting_since: u64,
    /// How often in a row the connection ended without a byte of an answer.
    silent_ends: u32,
    was_open: bool,
    /// Whether an answer came in this slice.
    pub(super) is_answered: bool,
}

impl Connection {
    pub(super) fn new(number: usize) -> Self {
        Self {
            number: number as u64,
            link: Link::Closed { rest_until: 0 },
            starts: VecDeque::new(),
            outgoing: Outgoing::default(),
            reader: AnswerReader::default(),
            waiting_since: 0,
            silent_ends: 0,
            was_open: false,
            is_answered: false,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.link, Link::Open { .. })
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.link, Link::Closed { .. })
    }

    pub(super) fn in_flight(&self) -> usize {
        self.starts.len()
    }

    /// Opens the connection if it is closed and has rested.
    pub(super) fn open(&mut self, shared: &Shared, tally: &mut Tally, now: u64) {
        if !matches!(self.link, Link::Closed { rest_until } if rest_until <= now) {
            return;
        }
        self.reader.reset();
        tally.reopened += u64::from(std::mem::take(&mut self.was_open));
        match shared.connect(self.number) {
            Ok(socket) => self.link = Link::Connecting { socket, since: now },
            Err(errno) => self.fail(ErrorKind::Connect, tally, now, || shared.no_connection(&describe(errno))),
        }
    }

    /// Makes `count` requests due; they leave with the next [`flush`](Self::flush), or when the connection is open.
    pub(super) fn assign(&mut self, count: usize, start: u64, shared: &Shared, now: u64) {
        if self.starts.is_empty() {
            self.waiting_since = now;
        }
        self.starts.extend(std::iter::repeat_n(start, count));
        if self.is_open() {
            self.outgoing.add(count, &shared.batch);
        }
    }

    /// In a closed loop, makes the first requests of a connection due, unless it has some in flight or is closed; while
    /// connections are being opened that is a single one, and once.
    pub(super) fn ask_first(&mut self, shared: &Shared, tally: &Tally, now: u64) {
        let opening = tally.phase == Phase::Opening;
        if tally.asks(now) && self.starts.is_empty() && !self.is_closed() && !(opening && self.is_answered) {
            self.assign(if opening { 1 } else { shared.pipelining }, now, shared, now);
            self.flush(shared);
        }
    }

    /// Drops requests that still wait for their connection.
    pub(super) fn forget_unsent(&mut self) {
        if !self.is_open() {
            self.starts.clear();
        }
    }

    /// Sends what is due, as far as the socket takes it.
    pub(super) fn flush(&mut self, shared: &Shared) {
        let Link::Open { socket, blocked } = &mut self.link else { return };
        loop {
            let bytes = shared.batch.next(&self.outgoing);
            if bytes.is_empty() {
                if *blocked {
                    *blocked = false;
                    shared.watch(socket.as_fd(), self.number, EventFlags::IN);
                }
                return;
            }
            match send(&*socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => self.outgoing.sent(sent, &shared.batch),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if !*blocked {
                        *blocked = true;
                        shared.watch(socket.as_fd(), self.number, EventFlags::IN | EventFlags::OUT);
                    }
                    return;
                }
                // What the server sent before it closed can still be read; that tells how the connection ended.
                Err(_) => return,
            }
        }
    }

    /// Deals with what the kernel reports.
    pub(super) fn notice(&mut self, flags: EventFlags, shared: &Shared, tally: &mut Tally, buffer: &mut [u8]) {
        match &mut self.link {
            Link::Closed { .. } => {}
            Link::Connecting { .. } => self.finish_connecting(shared, tally),
            Link::Open { socket, .. } => {
                if flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR) {
                    match recv(&*socket, &mut *buffer, RecvFlags::DONTWAIT) {
                        Ok((0, _)) => self.ended(None, shared, tally),
                        Ok((length, _)) => self.receive(&buffer[..length], shared, tally),
                        Err(Errno::AGAIN | Errno::INTR) => {}
                        Err(errno) => self.ended(Some(errno), shared, tally),
                    }
                }
                if flags.contains(EventFlags::OUT) {
                    self.flush(shared);
                }
            }
        }
    }

    fn finish_connecting(&mut self, shared: &Shared, tally: &mut Tally) {
        let now = shared.clock.now();
        let Link::Connecting { socket, .. } = std::mem::replace(&mut self.link, Link::Closed { rest_until: 0 }) else {
            return;
        };
        match sockopt::socket_error(&socket) {
            Ok(Ok(())) => {
                shared.watch(socket.as_fd(), self.number, EventFlags::IN);
                self.link = Link::Open { socket, blocked: false };
                self.was_open = true;
                self.waiting_since = now;
                self.outgoing.restart(self.starts.len(), &shared.batch);
                self.flush(shared);
            }
            Ok(Err(errno)) | Err(errno) => {
                self.fail(ErrorKind::Connect, tally, now, || shared.no_connection(&describe(errno)));
            }
        }
    }

    fn receive(&mut self, bytes: &[u8], shared: &Shared, tally: &mut Tally) {
        let now = shared.clock.now();
        tally.receive(bytes.len());
        let mut rest = bytes;
        let mut completed = 0;
        let samples = shared.expectation.check.is_some();
        while !rest.is_empty() {
            if self.starts.is_empty() {
                // A server may say so before it closes a connection that was idle for long.
                if rest.starts_with(b"HTTP/1.1 408") {
                    return self.close(shared, tally, now);
                }
                return self.fail(ErrorKind::Parse, tally, now, || "bytes that no request asked for".to_owned());
            }
            match self.reader.read(rest, shared.batch.is_head(), || samples && tally.samples_next()) {
                Err(bad) => return self.fail(bad.kind(), tally, now, || bad.to_string()),
                Ok(Step::More) => break,
                Ok(Step::Complete(used, answer)) => {
                    rest = &rest[used..];
                    completed += 1;
                    self.complete(answer, shared, tally, now);
                    if answer.close {
                        return self.close_after(completed, shared, tally, now);
                    }
                }
            }
        }
        if completed > 0 && tally.asks_again(now) {
            self.assign(completed, now, shared, now);
            self.flush(shared);
        }
    }

    fn complete(&mut self, answer: Answer, shared: &Shared, tally: &mut Tally, now: u64) {
        let start = self.starts.pop_front().unwrap_or(now);
        self.silent_ends = 0;
        self.waiting_since = now;
        self.is_answered = true;
        tally.complete(answer, self.reader.take_sample(), &shared.expectation, start, now);
    }
}
