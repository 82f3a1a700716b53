//! What can go wrong between deadheat and GitHub.

use http::StatusCode;
use std::time::Duration;

/// A request that failed for good.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The settings or a name in a request cannot be used; nothing was sent.
    #[error("failed to address GitHub: {what}: {reason}")]
    Unusable {
        /// What cannot be used, such as `the API's root`.
        what: String,
        /// Why, and what would be right.
        reason: String,
    },
    /// GitHub answered with an error.
    #[error("failed to {what}: GitHub answered {status}: {message}{}", tail(.hint.as_deref()))]
    Status {
        /// What was tried, such as `GET /repos/o/r/pulls/1`.
        what: String,
        /// The status.
        status: StatusCode,
        /// GitHub's own words, cut to a line.
        message: String,
        /// What would probably help, such as ``the token needs `pull-requests: write` ``.
        hint: Option<String>,
    },
    /// Nobody knows whether GitHub did what it was asked; the list has to be read again.
    #[error("failed to learn whether {what} was carried out: {reason}")]
    Uncertain {
        /// What was tried.
        what: String,
        /// Why the answer is missing.
        reason: String,
    },
    /// No whole answer came, however often it was tried.
    #[error("failed to {what}: {reason} (tried {attempts} times)")]
    Unreachable {
        /// What was tried.
        what: String,
        /// Why the last try failed.
        reason: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// A rate limit holds for longer than deadheat waits.
    #[error(
        "failed to {what}: {message}; {why} holds until {until}, and at most {} min are spent waiting: run it again then",
        .cap.as_secs() / 60
    )]
    Limited {
        /// What was tried.
        what: String,
        /// Which limit.
        why: String,
        /// When it ends, in UTC.
        until: String,
        /// How long is waited at most.
        cap: Duration,
        /// GitHub's own words, cut to a line.
        message: String,
    },
    /// GitHub answered with something else than was asked for.
    #[error("failed to read the answer to {what}: {reason}")]
    Unreadable {
        /// What was tried.
        what: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// The answer was larger than allowed and was cut off.
    #[error("failed to read the answer to {what}: it is larger than the {limit} bytes that are allowed")]
    TooLarge {
        /// What was tried.
        what: String,
        /// How many bytes are allowed.
        limit: usize,
    },
    /// A list had more pages than are walked.
    #[error("failed to read all of {what}: it has more than {pages} pages")]
    TooLong {
        /// What was read.
        what: String,
        /// How many pages are walked.
        pages: u32,
    },
}

fn tail(hint: Option<&str>) -> String {
    hint.map(|hint| format!("; {hint}")).unwrap_or_default()
}

impl ApiError {
    /// The status that GitHub answered, where it did.
    pub fn status(&self) -> Option<StatusCode> {
        if let Self::Status { status, .. } = self { Some(*status) } else { None }
    }

    /// Whether what was asked for does not exist, or not for this token.
    pub fn is_not_found(&self) -> bool {
        matches!(self.status(), Some(StatusCode::NOT_FOUND | StatusCode::GONE))
    }

    /// Whether somebody else was faster: a branch that moved or exists already.
    pub fn is_conflict(&self) -> bool {
        matches!(self.status(), Some(StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY))
    }

    /// Whether the request may have been carried out all the same.
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Uncertain { .. })
    }
}
