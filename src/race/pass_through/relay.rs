//! The loop around the links: one thread, one epoll instance.

use super::burn::Burner;
use super::link::{End, Link};
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, accept_with, bind, connect, ipproto, listen, socket_with, sockopt,
};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// Events taken at once.
const MAX_EVENTS: usize = 256;
/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1_024;
/// After so long it is tried again to accept connections when there were no descriptors left for them.
const REST: Duration = Duration::from_millis(50);
/// The event of the listening socket, and of what else is watched.
const LISTENER: u64 = u64::MAX;
const OUTSIDE: u64 = u64::MAX - 1;

/// Why [`Relay::step`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Connections were served, or the time was over.
    Served,
    /// What [`Relay::watch`] was given can be read.
    Outside,
}

/// Passes bytes between clients and a server, both ways, unchanged and in order.
pub struct Relay {
    epoll: OwnedFd,
    listener: Option<OwnedFd>,
    /// Whether new connections are reported: not while there are no descriptors left for them.
    is_accepting: bool,
    server: SocketAddr,
    links: Vec<Option<Link>>,
    free: Vec<usize>,
    burner: Burner,
    events: Vec<epoll::Event>,
    /// The server has ended: what it has said is passed on, and nothing else.
    server_ended: bool,
}

impl Relay {
    /// Listens on `address` for clients of `server`; every request of theirs burns `delay` nanoseconds of CPU time.
    ///
    /// # Errors
    /// What the kernel says of listening there.
    pub fn listen(address: SocketAddr, server: SocketAddr, delay: u64) -> io::Result<Self> {
        let listener = tcp_socket(address)?;
        // Connections of an ended server that linger are no obstacle.
        sockopt::set_socket_reuseaddr(&listener, true)?;
        bind(&listener, &address)?;
        listen(&listener, BACKLOG)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        Ok(Self {
            epoll,
            listener: Some(listener),
            is_accepting: true,
            server,
            links: Vec::new(),
            free: Vec::new(),
            burner: Burner::new(delay),
            events: Vec::with_capacity(MAX_EVENTS),
            server_ended: false,
        })
    }

    /// Returns from [`Self::step`] when `descriptor` can be read.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn watch(&self, descriptor: impl AsFd) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, descriptor, EventData::new_u64(OUTSIDE), EventFlags::IN)?)
    }

    /// Waits until something happens, at most for `limit`, and deals with it.
    ///
    /// # Errors
    /// The kernel gives no events. What goes wrong with a connection ends that connection alone.
    pub fn step(&mut self, limit: Option<Duration>) -> io::Result<Woken> {
        self.accept_again();
        let limit = if self.is_accepting || self.listener.is_none() {
            limit
        } else {
            Some(limit.map_or(REST, |limit| limit.min(REST)))
        };
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut events), limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let mut woken = Woken::Served;
        for event in &events {
            match event.data.u64() {
                LISTENER => self.accept(),
                OUTSIDE => woken = Woken::Outside,
                token => self.notice(token, event.flags),
            }
        }
        self.events = events;
        Ok(woken)
    }

    /// Takes no more clients; those that are here are served on.
    pub fn stop_listening(&mut self) {
        self.listener = None;
    }

    /// Has what the server said passed on, now that it has ended, and nothing else.
    pub fn server_ended(&mut self) {
        self.stop_listening();
        self.server_ended = true;
        for slot in 0..self.links.len() {
            self.tidy(slot, Ok(()));
        }
    }

    /// Whether no connection is left.
    pub fn is_idle(&self) -> bool {
        self.links.iter().all(Option::is_none)
    }

    fn accept(&mut self) {
        // One per event, so that those that are served already wait for no crowd; the kernel reports the next at once.
        let Some(listener) = &self.listener else { return };
        match accept_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
            Ok(client) => self.welcome(client),
            Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => self.rest(),
            // A client that left before it was let in.
            Err(_) => {}
        }
    }

    /// A server that does not listen yet costs the client its connection: it is told as if nobody listened here.
    fn welcome(&mut self, client: OwnedFd) {
        let server = match connect_to(self.server) {
            Ok(server) => server,
            Err(Errno::MFILE | Errno::NFILE) => return self.rest(),
            Err(_) => return,
        };
        if sockopt::set_tcp_nodelay(&client, true).is_err() {
            return;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.links.push(None);
            self.links.len() - 1
        });
        let token = slot as u64 * 2;
        if let Some(place) = self.links.get_mut(slot) {
            *place = Some(Link::new(client, server, [token, token + 1]));
        }
        self.tidy(slot, Ok(()));
    }

    fn rest(&mut self) {
        if let Some(listener) = &self.listener {
            self.is_accepting = epoll::delete(&self.epoll, listener).is_err();
        }
    }

    fn accept_again(&mut self) {
        if let Some(listener) = self.listener.as_ref().filter(|_| !self.is_accepting) {
            let data = EventData::new_u64(LISTENER);
            self.is_accepting = epoll::add(&self.epoll, listener, data, EventFlags::IN).is_ok();
        }
    }

    fn notice(&mut self, token: u64, flags: EventFlags) {
        let end = if token.is_multiple_of(2) { End::Client } else { End::Server };
        let Ok(slot) = usize::try_from(token / 2) else { return };
        // An event of the same batch may be about a link that has ended meanwhile, or about its successor, which then
        // finds nothing to do.
        let Some(Some(link)) = self.links.get_mut(slot) else { return };
        let noticed = link.notice(end, flags, &mut self.burner);
        self.tidy(slot, noticed);
    }

    /// Removes a link that is over, and has the kernel report what matters of one that is not.
    fn tidy(&mut self, slot: usize, noticed: Result<(), Errno>) {
        let Some(place) = self.links.get_mut(slot) else { return };
        let Some(link) = place else { return };
        let ended = noticed.is_err() || link.is_over(self.server_ended) || link.watch(&self.epoll).is_err();
        if ended {
            *place = None;
            self.free.push(slot);
        }
    }
}

fn tcp_socket(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    socket_with(family, SocketType::STREAM, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, Some(ipproto::TCP))
}

fn connect_to(server: SocketAddr) -> Result<OwnedFd, Errno> {
    let socket = tcp_socket(server)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match connect(&socket, &server) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(socket),
        Err(errno) => Err(errno),
    }
}
