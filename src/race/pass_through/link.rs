//! A client's connection and its connection to the server.

use super::burn::Burner;
use super::pipe::Pipe;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt;

/// Who of a link an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Client,
    Server,
}

#[derive(Debug)]
pub(super) struct Link {
    client: Watched,
    server: Watched,
    is_connected: bool,
    /// From the client to the server.
    up: Pipe,
    /// From the server to the client.
    down: Pipe,
    /// Whether the next bytes of the client begin a request: the server has answered since the last, or none was sent.
    is_answered: bool,
}

/// A socket and what the kernel was asked to report of it.
#[derive(Debug)]
struct Watched {
    socket: OwnedFd,
    token: u64,
    interest: EventFlags,
}

impl Watched {
    /// A socket in which nothing is of interest is not watched at all: the kernel would report its end again and again.
    fn watch(&mut self, epoll: &OwnedFd, interest: EventFlags) -> Result<(), Errno> {
        if self.interest == interest {
            return Ok(());
        }
        let data = EventData::new_u64(self.token);
        if interest.is_empty() {
            epoll::delete(epoll, &self.socket)?;
        } else if self.interest.is_empty() {
            epoll::add(epoll, &self.socket, data, interest)?;
        } else {
            epoll::modify(epoll, &self.socket, data, interest)?;
        }
        self.interest = interest;
        Ok(())
    }
}

impl Link {
    /// A link of a client to a server that is being connected to; the tokens name the two in events.
    pub(super) fn new(client: OwnedFd, server: OwnedFd, tokens: [u64; 2]) -> Self {
        let watched = |socket, token| Watched { socket, token, interest: EventFlags::empty() };
        let [client_token, server_token] = tokens;
        Self {
            client: watched(client, client_token),
            server: watched(server, server_token),
            is_connected: false,
            up: Pipe::new(),
            down: Pipe::new(),
            is_answered: true,
        }
    }

    /// Deals with what the kernel reports; an error ends the link.
    pub(super) fn notice(&mut self, end: End, flags: EventFlags, burner: &mut Burner) -> Result<(), Errno> {
        if !self.is_connected {
            sockopt::socket_error(&self.server.socket)??;
            self.is_connected = true;
            return Ok(());
        }
        let over = flags.intersects(EventFlags::HUP | EventFlags::ERR);
        let readable = over || flags.contains(EventFlags::IN);
        let writable = over || flags.contains(EventFlags::OUT);
        match end {
            End::Client => {
                let came = readable && self.up.fill(&self.client.socket)?;
                if came && std::mem::take(&mut self.is_answered) {
                    burner.burn();
                }
                self.pass_up();
                if writable && self.down.holds_bytes() {
                    self.down.pass_on(&self.client.socket)?;
                }
            }
            End::Server => {
                if readable {
                    match self.down.fill(&self.server.socket) {
                        Ok(came) => self.is_answered |= came,
                        // What came before the server ended so still passes.
                        Err(_) => self.server_is_gone(),
                    }
                    self.down.pass_on(&self.client.socket)?;
                }
                if writable && self.up.holds_bytes() {
                    self.pass_up();
                }
            }
        }
        Ok(())
    }

    /// A server that takes no more may have answered before: what it has said still passes.
    fn pass_up(&mut self) {
        if self.up.pass_on(&self.server.socket).is_err() {
            self.up.close();
        }
    }

    fn server_is_gone(&mut self) {
        self.up.close();
        self.down.end();
    }

    /// Whether nothing more can pass; `to_client`: in that direction, which is all that matters once the server is gone.
    pub(super) fn is_over(&self, to_client: bool) -> bool {
        self.down.is_closed() && (to_client || self.up.is_closed())
    }

    /// Asks the kernel to report what is of interest now.
    pub(super) fn watch(&mut self, epoll: &OwnedFd) -> Result<(), Errno> {
        let interest = |wants: bool, holds: bool| {
            let mut interest = EventFlags::empty();
            interest.set(EventFlags::IN, wants);
            interest.set(EventFlags::OUT, holds);
            interest
        };
        if !self.is_connected {
            return self.server.watch(epoll, EventFlags::OUT);
        }
        self.client.watch(epoll, interest(self.up.wants_bytes(), self.down.holds_bytes()))?;
        self.server.watch(epoll, interest(self.down.wants_bytes(), self.up.holds_bytes()))
    }
}
