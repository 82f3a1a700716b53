//! When a writer that was not the first tries again, and when it gives up.

use super::error::StoreError;
use crate::github::{ApiError, Pace};
use crate::model::CommitSha;
use std::time::Duration;

/// So many writers at once all come through: each loses at most once to each of the others.
const TRIES: u32 = 100;
/// A branch that refuses so often without having moved is not contested, but protected.
const TRIES_IN_PLACE: u32 = 6;
/// How long is waited at most before the second try; half as long again before each further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// One writer's tries at moving a branch.
#[derive(Debug)]
pub(super) struct Contest {
    what: String,
    tries: u32,
    in_place: u32,
    tip: Option<CommitSha>,
}

impl Contest {
    /// A contest about `what`, completing "failed to".
    pub(super) fn new(what: String) -> Self {
        Self { what, tries: 0, in_place: 0, tip: None }
    }

    /// Waits before the next try; the one that GitHub refused with `error` was built on `tip`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where there is no point in another.
    pub(super) async fn lost(
        &mut self,
        pace: &dyn Pace,
        tip: Option<CommitSha>,
        error: ApiError,
    ) -> Result<(), StoreError> {
        let moved = self.tries == 0 || self.tip != tip;
        self.in_place = if moved { 1 } else { self.in_place + 1 };
        self.tip = tip;
        self.tries += 1;
        if self.in_place >= TRIES_IN_PLACE || self.tries >= TRIES {
            return Err(StoreError::Refused { what: self.what.clone(), tries: self.tries, error: Box::new(error) });
        }
        // The whole wait is left to chance: those who collided would else collide again.
        pace.wait(longest(self.tries).mul_f64(pace.jitter().clamp(0.0, 1.0)), &self.what).await;
        Ok(())
    }
}

fn longest(tries: u32) -> Duration {
    let exponent = i32::try_from(tries).unwrap_or(i32::MAX).saturating_sub(1).min(30);
    FIRST_WAIT.mul_f64(1.5_f64.powi(exponent)).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{Future, ready};
    use std::pin::Pin;
    use std::sync::Mutex;

    /// Notes waits and passes none.
    #[derive(Default)]
    struct Notes(Mutex<Vec<Duration>>);

    impl Pace for Notes {
        fn wait<'a>(&'a self, duration: Duration, _: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
            self.0.lock().unwrap().push(duration);
            Box::pin(ready(()))
        }
        fn now(&self) -> u64 {
            0
        }
        fn jitter(&self) -> f64 {
            1.0
        }
    }

    fn refusal() -> ApiError {
        ApiError::Uncertain { what: "PATCH".to_owned(), reason: "it was refused".to_owned() }
    }

    /// How often `tips` may be lost in turn until it is given up.
    fn losses(tips: impl Iterator<Item = Option<CommitSha>>) -> (usize, Vec<Duration>) {
        let pace = Notes::default();
        let mut contest = Contest::new("keep it".to_owned());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let given_up = tips
            .map(|tip| runtime.block_on(contest.lost(&pace, tip, refusal())))
            .position(|lost| matches!(lost, Err(StoreError::Refused { .. })));
        (given_up.unwrap() + 1, pace.0.into_inner().unwrap())
    }

    fn sha(number: usize) -> Option<CommitSha> {
        CommitSha::new(format!("{number:040x}")).ok()
    }

    #[test]
    fn a_branch_that_moves_is_tried_more_often_than_one_that_stands() {
        assert_eq!(losses((0..).map(sha)).0, 100);
        assert_eq!(losses(std::iter::repeat_with(|| sha(1))).0, 6);
        assert_eq!(losses(std::iter::repeat_with(|| None)).0, 6);
        // Five times in place, moved, and six times in place again.
        let moved_once = std::iter::repeat_n(sha(1), 5).chain(std::iter::repeat_with(|| sha(2)));
        assert_eq!(losses(moved_once).0, 11);
    }

    #[test]
    fn waits_grow_up_to_a_limit() {
        let waits = losses((0..).map(sha)).1;
        let seconds: Vec<f64> = waits.iter().take(4).map(Duration::as_secs_f64).collect();
        assert_eq!(seconds, [0.2, 0.3, 0.45, 0.675]);
        assert_eq!((waits.len(), waits.last()), (99, Some(&Duration::from_secs(10))));
    }
}
