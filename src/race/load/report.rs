//! What one slice gave.

use super::ErrorCounts;
use hdrhistogram::Histogram;
use std::time::Duration;

/// What one slice gave.
///
/// In a closed loop the figures of the window are those of answers that were completed inside it. In an open loop they are
/// those of requests that were intended inside it, whenever their answers came.
#[derive(Clone, Debug)]
pub struct SliceReport {
    /// Good answers of the window.
    pub answers: u64,
    /// All complete answers, good or not, with those of the lead-in and those drained: the divisor of CPU per request.
    pub all_answers: u64,
    /// Length of the window; shorter than asked for only where the slice was broken off because of errors.
    pub window: Duration,
    /// Bytes received inside the window, heads included.
    pub bytes: u64,
    /// Latencies of the good answers of the window, in microseconds, with three significant digits, up to 60 s.
    pub latency: Histogram<u64>,
    /// What went wrong in the whole slice, lead-in and drain included.
    pub errors: ErrorCounts,
    /// Connections that the server had closed, or that failed, and that were opened again.
    pub reopened: u64,
    /// Requests of an open loop that were sent a millisecond or more after their intended time.
    pub late_sends: u64,
    /// How often the generator asked for events inside the window.
    pub polls: u64,
    /// How many of these gave one.
    pub non_empty_polls: u64,
    /// How long these took together, with all that was done about their events. A generator that polls busily is saturated
    /// when nearly the whole window went into them; of one that sleeps it holds the sleep too, and says nothing.
    pub busy: Duration,
    /// The first error in words, such as `status 500 instead of 200`.
    pub first_error: Option<String>,
    /// Closed loop: Little's law, requests/s x mean latency / (connections x pipelining), where the latency of requests
    /// that were in flight at an edge of the window is cut there. It is 1 where every connection always had its requests
    /// in flight, each was answered well, and none was overlooked. Open loop: good answers by intended requests.
    pub self_check: f64,
}

impl SliceReport {
    /// Good answers per second of the window; 0 where there was no window.
    pub fn rps(&self) -> f64 {
        let seconds = self.window.as_secs_f64();
        if seconds > 0.0 { self.answers as f64 / seconds } else { 0.0 }
    }
}
