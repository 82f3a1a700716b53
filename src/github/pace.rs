//! How the client passes time between two tries; tests pass none.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Waits of this length and more are told to people.
const ANNOUNCED: Duration = Duration::from_secs(5);

/// How a long wait is told to people.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// Waiting, and the clock that waits are counted by.
pub trait Pace: Send + Sync {
    /// Waits; `why` is told to people where the wait is long.
    fn wait<'a>(&'a self, duration: Duration, why: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
    /// Seconds since 1970, to hold a rate limit's reset against.
    fn now(&self) -> u64;
    /// A share from 0 to 1 by which a wait is stretched, so that those who collided once don't collide again.
    fn jitter(&self) -> f64;
}

/// Real time.
#[derive(Clone, Default)]
pub struct RealPace {
    notice: Option<Notice>,
}

impl RealPace {
    /// Real time that tells of each long wait, such as `waiting 60 s: GitHub's secondary rate limit (GET /user)`.
    pub fn announcing(notice: Notice) -> Self {
        Self { notice: Some(notice) }
    }
}

impl fmt::Debug for RealPace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RealPace").field("announcing", &self.notice.is_some()).finish()
    }
}

impl Pace for RealPace {
    fn wait<'a>(&'a self, duration: Duration, why: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        if let Some(notice) = self.notice.as_ref().filter(|_| duration >= ANNOUNCED) {
            notice(&format!("waiting {} s: {why}", duration.as_secs_f64().ceil()));
        }
        Box::pin(tokio::time::sleep(duration))
    }

    fn now(&self) -> u64 {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs()
    }

    fn jitter(&self) -> f64 {
        // Without randomness waits only lose their scatter.
        getrandom::u32().map_or(0.5, |random| f64::from(random) / f64::from(u32::MAX))
    }
}
