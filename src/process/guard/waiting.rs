//! Waiting: self-pipes of signals, timeouts, and children that have ended.

use rustix::event::Timespec;
use rustix::process::{WaitOptions, WaitStatus, wait};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;

/// Reaps one child that has ended, if there is one.
pub(super) fn reap_one() -> Option<(u32, WaitStatus)> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => return Some((pid.as_raw_pid().unsigned_abs(), status)),
            Err(rustix::io::Errno::INTR) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

pub(super) fn nanoseconds(duration: u64) -> Timespec {
    let whole = i64::try_from(duration / 1_000_000_000).unwrap_or(i64::MAX);
    // The remainder is below 10^9 and fits whatever the field's width is.
    Timespec { tv_sec: whole, tv_nsec: i64::try_from(duration % 1_000_000_000).unwrap_or(0) }
}

/// A socket that becomes readable when `signal` arrives. The handler does not outlive an exec: children get the default.
pub(super) fn self_pipe(signal: i32) -> io::Result<UnixStream> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal, write)?;
    Ok(read)
}

/// Empties a self-pipe.
pub(super) fn drain(mut pipe: &UnixStream) -> io::Result<()> {
    let mut bytes = [0_u8; 64];
    loop {
        match pipe.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
