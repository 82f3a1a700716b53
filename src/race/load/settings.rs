//! How a generator works, and when it sends.

use super::Waiting;
use std::time::Duration;

/// How a generator works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadSettings {
    /// Connections, all kept open.
    pub connections: usize,
    /// Requests in flight per connection.
    pub pipelining: usize,
    /// Whether it polls busily, for which it needs a CPU of its own, or sleeps until something happens.
    pub waiting: Waiting,
    /// Time for one answer, and for a connection to be made.
    pub timeout: Duration,
}

impl Default for LoadSettings {
    fn default() -> Self {
        Self { connections: 64, pipelining: 1, waiting: Waiting::Sleep, timeout: Duration::from_secs(5) }
    }
}

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// The next one as soon as an answer came.
    ClosedLoop,
    /// At fixed times, whatever the answers do.
    OpenLoop {
        /// Requests per second.
        rate: f64,
    },
}
