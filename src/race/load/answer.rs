//! What an answer must be, and how a sampled one is compared in full.

use super::ErrorKind;
use std::fmt;
use std::sync::Arc;

/// The head of an answer.
#[derive(Clone, Copy, Debug)]
pub struct AnswerHead<'a> {
    status: u16,
    headers: &'a [httparse::Header<'a>],
}

impl<'a> AnswerHead<'a> {
    /// A head that was parsed.
    pub fn new(status: u16, headers: &'a [httparse::Header<'a>]) -> Self {
        Self { status, headers }
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The value of the first header of that name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
    }

    /// All headers in the order of the answer.
    pub fn headers(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.headers.iter().map(|header| (header.name, header.value))
    }
}

/// The full comparison of an answer. It is asked for the first answer of each slice and for one in a thousand after it,
/// because only theirs are kept.
pub trait AnswerCheck {
    /// Compares a whole answer; `body` is decoded from chunks.
    ///
    /// # Errors
    /// The kind of the difference, mostly [`ErrorKind::Body`].
    fn check(&self, head: &AnswerHead<'_>, body: &[u8]) -> Result<(), ErrorKind>;

    /// Says in a lowercase fragment how an answer differs that [`check`](Self::check) refused, such as `body differs at
    /// byte 17`.
    fn explain(&self, head: &AnswerHead<'_>, body: &[u8]) -> Option<String> {
        let _ = (head, body);
        None
    }
}

/// Which status is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusRule {
    /// This one.
    Exactly(u16),
    /// Any from 200 to 399, for a request of which nothing is known.
    Success,
}

impl StatusRule {
    /// Whether the status is right.
    pub fn allows(self, status: u16) -> bool {
        match self {
            Self::Exactly(expected) => status == expected,
            Self::Success => (200..400).contains(&status),
        }
    }
}

impl From<u16> for StatusRule {
    fn from(status: u16) -> Self {
        Self::Exactly(status)
    }
}

impl fmt::Display for StatusRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(status) => status.fmt(f),
            Self::Success => f.write_str("2xx or 3xx"),
        }
    }
}

/// What every answer must be.
#[derive(Clone)]
pub struct Expectation {
    /// Checked on every answer.
    pub status: StatusRule,
    /// Bytes of the decoded body, checked on every answer where known.
    pub length: Option<u64>,
    /// The full comparison of sampled answers.
    pub check: Option<Arc<dyn AnswerCheck + Send + Sync>>,
}

impl Expectation {
    /// Expects a status and nothing else.
    pub fn of_status(status: impl Into<StatusRule>) -> Self {
        Self { status: status.into(), length: None, check: None }
    }
}

impl fmt::Debug for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expectation")
            .field("status", &self.status)
            .field("length", &self.length)
            .field("check", &self.check.is_some())
            .finish()
    }
}
