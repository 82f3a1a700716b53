//! What can go wrong under load, by kind, and what can keep a generator from existing.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What went wrong with a request or a connection under load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// No connection could be made, or not in time.
    Connect,
    /// The connection ended in the middle of an answer, or twice in a row without any byte of one.
    Reset,
    /// No whole answer came in time.
    Timeout,
    /// What came is not HTTP/1, or came without being asked for.
    Parse,
    /// The status is another than the expected one.
    Status,
    /// The body is longer or shorter than the expected one.
    Length,
    /// The body, or a header that is compared, differs from the expected one.
    Body,
}

impl ErrorKind {
    /// Every kind, in the order of a request's life.
    pub const ALL: [Self; 7] =
        [Self::Connect, Self::Reset, Self::Timeout, Self::Parse, Self::Status, Self::Length, Self::Body];

    /// The kind as one lowercase word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::Parse => "parse",
            Self::Status => "status",
            Self::Length => "length",
            Self::Body => "body",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How often each kind of error was seen. Serialised as a map that holds every kind, also those at zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<ErrorKind, u64>", into = "BTreeMap<ErrorKind, u64>")]
pub struct ErrorCounts([u64; ErrorKind::ALL.len()]);

impl ErrorCounts {
    /// Counts `times` more errors of a kind.
    pub fn add(&mut self, kind: ErrorKind, times: u64) {
        self.0[kind as usize] += times;
    }

    /// Adds what another slice counted.
    pub fn merge(&mut self, other: &Self) {
        for (kind, count) in other.iter() {
            self.add(kind, count);
        }
    }

    /// How often the kind was seen.
    pub fn get(&self, kind: ErrorKind) -> u64 {
        self.0[kind as usize]
    }

    /// Errors of all kinds.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Every kind with its count, also those at zero.
    pub fn iter(&self) -> impl Iterator<Item = (ErrorKind, u64)> + '_ {
        ErrorKind::ALL.into_iter().zip(self.0)
    }
}

impl From<BTreeMap<ErrorKind, u64>> for ErrorCounts {
    fn from(map: BTreeMap<ErrorKind, u64>) -> Self {
        let mut counts = Self::default();
        for (kind, count) in map {
            counts.add(kind, count);
        }
        counts
    }
}

impl From<ErrorCounts> for BTreeMap<ErrorKind, u64> {
    fn from(counts: ErrorCounts) -> Self {
        counts.iter().collect()
    }
}

/// `3 status, 1 reset`; `none` without errors.
impl fmt::Display for ErrorCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seen: Vec<String> =
            self.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{count} {kind}")).collect();
        f.write_str(if seen.is_empty() { "none" } else { "" })?;
        f.write_str(&seen.join(", "))
    }
}

/// Why a generator could not be made. What goes wrong later is counted, not returned.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The kernel gave no epoll instance.
    #[error("create the epoll instance of the load generator; look at the limit of open files (ulimit -n)")]
    Epoll(#[source] std::io::Error),
    /// A setting that leaves nothing to do.
    #[error("set up {connections} connections with {pipelining} requests in flight each; both must be at least 1")]
    NothingToDo {
        /// Connections asked for.
        connections: usize,
        /// Requests in flight per connection asked for.
        pipelining: usize,
    },
    /// The latency histogram could not be made.
    #[error("create the latency histogram: {0}")]
    Histogram(hdrhistogram::CreationError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_place_and_a_word_of_its_own() {
        let mut counts = ErrorCounts::default();
        for (place, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            counts.add(kind, 1 << place);
        }
        assert_eq!(counts.total(), 127);
        assert_eq!(counts.get(ErrorKind::Body), 64);
        assert_eq!(counts.to_string(), "1 connect, 2 reset, 4 timeout, 8 parse, 16 status, 32 length, 64 body");
        assert_eq!(ErrorCounts::default().to_string(), "none");
    }

    #[test]
    fn counts_survive_json() {
        let mut counts = ErrorCounts::default();
        counts.add(ErrorKind::Status, 3);
        let text = serde_json::to_string(&counts).unwrap();
        assert_eq!(text, r#"{"connect":0,"reset":0,"timeout":0,"parse":0,"status":3,"length":0,"body":0}"#);
        assert_eq!(serde_json::from_str::<ErrorCounts>(&text).unwrap(), counts);
        assert_eq!(serde_json::from_str::<ErrorCounts>(r#"{"status":3}"#).unwrap(), counts);
    }
}
