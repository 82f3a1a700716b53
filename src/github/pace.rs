//! How the client passes time between two tries; tests pass none.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// Waiting, and the clock that waits are counted by.
pub trait Pace: Send + Sync {
    /// Waits; `why` is told to people where the wait is long.
    fn wait<'a>(&'a self, duration: Duration, why: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
    /// Seconds since 1970, to hold a rate limit's reset against.
    fn now(&self) -> u64;
    /// A share of at most 1 by which a wait is stretched, so that those who collided once don't collide again.
    fn jitter(&self) -> f64;
}

/// Real time.
#[derive(Debug, Default)]
pub struct RealPace;

impl Pace for RealPace {
    fn wait<'a>(&'a self, duration: Duration, _why: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn now(&self) -> u64 {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs()
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}
