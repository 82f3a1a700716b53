//! When a request is sent again, and after how long: a pure rule.
//!
//! What may have been carried out and would make another thing is never repeated here.

use http::StatusCode;
use std::time::Duration;

/// How often a request is tried, and how long is waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryLimits {
    /// How often a request is sent at most.
    pub attempts: u32,
    /// The wait after the first failure; each further one is twice as long.
    pub first_wait: Duration,
    /// How long the client waits at most, for one request and for all of them together.
    pub cap: Duration,
}

impl Default for RetryLimits {
    fn default() -> Self {
        Self { attempts: 5, first_wait: Duration::from_secs(1), cap: Duration::from_mins(15) }
    }
}

/// Whether a request may be sent again when nobody knows if it was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Carried out twice it does no more than once: GET, PATCH, DELETE, and what git names by its content.
    Harmless,
    /// It makes something new each time.
    MakesAnother,
}

/// What GitHub's message says about limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitWords {
    /// Nothing.
    None,
    /// The hourly limit.
    Primary,
    /// Too much at once.
    Secondary,
}

/// The parts of an answer that decide about another try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs {
    pub(super) status: StatusCode,
    /// Seconds to wait, from `retry-after`.
    pub(super) retry_after: Option<u64>,
    /// Whether `x-ratelimit-remaining` is 0.
    pub(super) used_up: bool,
    /// Seconds until `x-ratelimit-reset`.
    pub(super) reset_in: Option<u64>,
    pub(super) words: LimitWords,
}

/// How a try ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// An answer came, whole.
    Answered(Signs),
    /// It certainly never arrived.
    Unsent,
    /// It was sent, and no whole answer came.
    Lost,
}

/// Why another try waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// GitHub is out of order or out of reach.
    Failure,
    /// The hourly limit is used up.
    PrimaryLimit,
    /// Too much at once.
    SecondaryLimit,
}

/// What is to be done after a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ruling {
    /// The answer stands, good or bad.
    Stands,
    /// Once more after this wait.
    Again(Duration, Why),
    /// The limit holds for this long, which is past the cap.
    TooLong(Duration, Why),
    /// It may have been carried out, and must not be repeated.
    Uncertain,
    /// The tries are used up.
    Exhausted,
}

const SECONDARY_WAIT: u64 = 60;

/// Rules on the try number `attempt` (from 1), after `waited` in earlier ones; `jitter` is a share from 0 to 1.
pub(super) fn rule(
    limits: &RetryLimits,
    repeat: Repeat,
    attempt: u32,
    outcome: Outcome,
    waited: Duration,
    jitter: f64,
) -> Ruling {
    let doubled = 1_u32 << attempt.saturating_sub(1).min(16);
    let (wait, why) = match outcome {
        Outcome::Answered(signs) => {
            if let Some((seconds, why)) = limit(signs, doubled) {
                (Duration::from_secs(seconds), why)
            } else if signs.status.is_server_error() || signs.status == StatusCode::REQUEST_TIMEOUT {
                if repeat == Repeat::MakesAnother {
                    return Ruling::Uncertain;
                }
                let asked = Duration::from_secs(signs.retry_after.unwrap_or(0)).min(limits.cap);
                (limits.first_wait.saturating_mul(doubled).max(asked), Why::Failure)
            } else {
                return Ruling::Stands;
            }
        }
        Outcome::Lost if repeat == Repeat::MakesAnother => return Ruling::Uncertain,
        Outcome::Lost | Outcome::Unsent => (limits.first_wait.saturating_mul(doubled), Why::Failure),
    };
    if attempt >= limits.attempts {
        return Ruling::Exhausted;
    }
    match why {
        _ if waited.saturating_add(wait) <= limits.cap => {
            Ruling::Again(wait.saturating_add(stretch(wait, jitter)), why)
        }
        // What is out of order names no time at which it will be well again.
        Why::Failure => Ruling::Exhausted,
        Why::PrimaryLimit | Why::SecondaryLimit => Ruling::TooLong(wait, why),
    }
}

/// At most a quarter of the wait and five seconds.
fn stretch(wait: Duration, jitter: f64) -> Duration {
    let most = (wait / 4).min(Duration::from_secs(5));
    most.mul_f64(if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 })
}

/// The seconds to wait where the answer is a rate limit: such a request was certainly not carried out.
fn limit(signs: Signs, doubled: u32) -> Option<(u64, Why)> {
    let too_many = signs.status == StatusCode::TOO_MANY_REQUESTS;
    let forbidden = signs.status == StatusCode::FORBIDDEN;
    let limited =
        too_many || forbidden && (signs.retry_after.is_some() || signs.used_up || signs.words != LimitWords::None);
    if !limited {
        return None;
    }
    let primary = signs.words == LimitWords::Primary || signs.used_up && signs.words == LimitWords::None;
    let why = if primary { Why::PrimaryLimit } else { Why::SecondaryLimit };
    let seconds = signs
        .retry_after
        // A second more, since times are cut to seconds.
        .or_else(|| signs.reset_in.filter(|_| primary).map(|seconds| seconds.saturating_add(1)))
        .unwrap_or_else(|| SECONDARY_WAIT.saturating_mul(u64::from(doubled)));
    Some((seconds.max(1), why))
}
