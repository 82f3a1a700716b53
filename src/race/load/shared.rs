//! What all connections of a generator share.

use super::Expectation;
use super::batch::Batch;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with, sockopt};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) epoll: OwnedFd,
    pub(super) address: SocketAddr,
    pub(super) batch: Batch,
    pub(super) expectation: Expectation,
    pub(super) pipelining: usize,
    pub(super) timeout: Duration,
    pub(super) clock: Clock,
}

impl Shared {
    /// Starts to connect without waiting; `number` names the connection in its events.
    pub(super) fn connect(&self, number: u64) -> Result<OwnedFd, Errno> {
        let family = if self.address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        match connect(&socket, &self.address) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        epoll::add(&self.epoll, &socket, EventData::new_u64(number), EventFlags::OUT)?;
        Ok(socket)
    }

    /// Changes what is watched. That fails only for a socket that is not watched, and each is from its start.
    pub(super) fn watch(&self, socket: BorrowedFd<'_>, number: u64, flags: EventFlags) {
        let changed = epoll::modify(&self.epoll, socket, EventData::new_u64(number), flags);
        debug_assert!(changed.is_ok(), "a socket is watched from its start");
    }

    pub(super) fn no_connection(&self, why: &str) -> String {
        format!("no connection to {}: {why}", self.address)
    }
}

/// Nanoseconds since the generator was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now(self) -> u64 {
        nanoseconds(self.0.elapsed())
    }
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) fn describe(errno: Errno) -> String {
    std::io::Error::from(errno).to_string()
}
