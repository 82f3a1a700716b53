//! One direction of a connection: a bounded buffer between two sockets.

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};

/// Bytes that are held at most in each direction: who sends faster than the other side reads has to wait.
const CAPACITY: usize = 32 << 10;

/// A buffer that is read into only when it is empty.
#[derive(Debug)]
pub(super) struct Pipe {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The sender has said that nothing more comes.
    ended: bool,
    /// The receiver has been told, or is gone.
    closed: bool,
}

impl Pipe {
    pub(super) fn new() -> Self {
        Self { buffer: vec![0; CAPACITY], start: 0, end: 0, ended: false, closed: false }
    }

    /// Whether bytes are wanted from the sender.
    pub(super) fn wants_bytes(&self) -> bool {
        !self.ended && !self.closed && self.start == self.end
    }

    /// Whether bytes wait for the receiver.
    pub(super) fn holds_bytes(&self) -> bool {
        self.start < self.end
    }

    /// Whether nothing more will pass.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Reads once from the sender; whether bytes came.
    ///
    /// # Errors
    /// What ended the sender, other than a proper end.
    pub(super) fn fill(&mut self, sender: &OwnedFd) -> Result<bool, Errno> {
        if !self.wants_bytes() {
            return Ok(false);
        }
        match recv(sender, &mut *self.buffer, RecvFlags::DONTWAIT) {
            Ok((0, _)) => {
                self.ended = true;
                Ok(false)
            }
            Ok((length, _)) => {
                (self.start, self.end) = (0, length);
                Ok(true)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// Passes on what is held, as far as the receiver takes it, and after the last byte the end.
    ///
    /// # Errors
    /// What ended the receiver.
    pub(super) fn pass_on(&mut self, receiver: &OwnedFd) -> Result<(), Errno> {
        while let Some(bytes) = self.buffer.get(self.start..self.end).filter(|bytes| !bytes.is_empty()) {
            match send(receiver, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => self.start += sent,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(errno) => return Err(errno),
            }
        }
        if self.ended && !self.closed {
            self.closed = true;
            // A receiver that is gone already needs no end.
            let _ = shutdown(receiver, Shutdown::Write);
        }
        Ok(())
    }

    /// Nothing more comes from the sender; what is held still passes.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// Nothing more reaches the receiver.
    pub(super) fn close(&mut self) {
        (self.start, self.end) = (0, 0);
        (self.ended, self.closed) = (true, true);
    }
}
