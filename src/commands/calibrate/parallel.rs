//! Arithmetic shared between the threads that the machine has.

use crate::process::CancelFlag;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{available_parallelism, scope};

/// `each` of 0 up to and without `count`, on as many threads as the machine runs at once, in that order. Absent where it
/// was cancelled meanwhile.
pub(super) fn in_parallel<T: Send>(count: u32, cancel: &CancelFlag, each: impl Fn(u32) -> T + Sync) -> Option<Vec<T>> {
    let next = AtomicU32::new(0);
    let work = || {
        let mut done = Vec::new();
        while !cancel.is_set() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            done.push((index, each(index)));
        }
        done
    };
    let others = available_parallelism().map_or(0, |threads| threads.get() - 1);
    let mut done = scope(|scope| {
        let others: Vec<_> = (0..others).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            // What a thread did not finish is missing below.
            done.extend(other.join().unwrap_or_default());
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    let whole = u32::try_from(done.len()).is_ok_and(|done| done == count);
    whole.then(|| done.into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_once_and_in_order() {
        assert_eq!(in_parallel(100, &CancelFlag::new(), |index| index * 2), Some((0..200).step_by(2).collect()));
        assert_eq!(in_parallel(0, &CancelFlag::new(), |index| index), Some(Vec::new()));
    }

    #[test]
    fn a_cancelled_one_is_absent() {
        let cancel = CancelFlag::new();
        assert_eq!(in_parallel(100, &cancel, |_| cancel.set()), None);
    }
}
