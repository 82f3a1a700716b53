//! One request, one answer: what the gate and the boot probe need. Not for load.

use super::reader::{AnswerReader, Step};
use super::{AnswerHead, PreparedRequest};
use std::io::{ErrorKind as Io, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How often a wait for an answer looks up to see whether it should go on.
const LOOK: Duration = Duration::from_millis(20);

/// Why no answer came.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Nobody accepts connections there, yet or any more.
    #[error("connection refused")]
    Refused,
    /// The connection ended before the answer did.
    #[error("connection closed before the answer was complete")]
    Closed,
    /// What came is no HTTP/1 answer.
    #[error("{0}")]
    NoHttp(String),
    /// It was told not to wait any longer.
    #[error("no answer in time")]
    GivenUp,
    /// The system's own words.
    #[error("connection failed: {0}")]
    Io(std::io::Error),
}

/// Sends `request` over a new connection and gives the whole answer to `look`. `go_on` is asked every few milliseconds
/// whether to go on waiting.
///
/// # Errors
/// [`AskError`].
pub fn ask<T>(
    address: SocketAddr,
    request: &PreparedRequest,
    mut go_on: impl FnMut() -> bool,
    look: impl FnOnce(&AnswerHead<'_>, &[u8]) -> T,
) -> Result<T, AskError> {
    let mut stream = TcpStream::connect(address).map_err(|error| match error.kind() {
        Io::ConnectionRefused | Io::ConnectionReset => AskError::Refused,
        _ => AskError::Io(error),
    })?;
    stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(LOOK))).map_err(AskError::Io)?;
    stream.write_all(request.as_bytes()).map_err(|_| AskError::Closed)?;
    let mut reader = AnswerReader::default();
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => {
                reader.end().ok_or(AskError::Closed)?;
                break;
            }
            Ok(length) => match reader.read(&buffer[..length], request.is_head(), || true) {
                Ok(Step::More) => {}
                Ok(Step::Complete(..)) => break,
                Err(bad) => return Err(AskError::NoHttp(bad.to_string())),
            },
            Err(error) if matches!(error.kind(), Io::WouldBlock | Io::TimedOut | Io::Interrupted) => {
                if !go_on() {
                    return Err(AskError::GivenUp);
                }
            }
            Err(_) => return Err(AskError::Closed),
        }
    }
    let sample = reader.take_sample().ok_or(AskError::Closed)?;
    sample.with(look).ok_or(AskError::Closed)
}
