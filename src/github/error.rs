//! What can go wrong between deadheat and GitHub.

use http::StatusCode;

/// A request that failed for good.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// GitHub answered with an error.
    #[error("failed to {what}: GitHub answered {status}: {message}")]
    Status {
        /// What was tried, such as `GET /repos/o/r/pulls/1`.
        what: String,
        /// The status.
        status: StatusCode,
        /// GitHub's own words, cut to a line.
        message: String,
    },
    /// Nobody knows whether GitHub did what it was asked; the list has to be read again.
    #[error("failed to learn whether {what} was carried out: {reason}")]
    Uncertain {
        /// What was tried.
        what: String,
        /// Why the answer is missing.
        reason: String,
    },
}
