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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn only_long_waits_are_told() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let pace = RealPace::announcing(Arc::new(move |text: &str| heard.lock().unwrap().push(text.to_owned())));
        for milliseconds in [0, 4_999, 5_000, 60_001] {
            // Begun, and never waited for.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let _inside = runtime.enter();
            drop(pace.wait(Duration::from_millis(milliseconds), "GitHub's rate limit"));
        }
        assert_eq!(*told.lock().unwrap(), ["waiting 5 s: GitHub's rate limit", "waiting 61 s: GitHub's rate limit"]);
    }

    #[test]
    fn jitter_is_a_share() {
        let shares: Vec<f64> = (0..50).map(|_| RealPace::default().jitter()).collect();
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        assert!(shares.iter().any(|share| share.to_bits() != shares[0].to_bits()));
    }
}
