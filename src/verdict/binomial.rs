//! The exact interval of a share that was counted.

use serde::Serialize;
use statrs::distribution::{Beta, ContinuousCDF};

/// The chance that the true share lies outside the interval.
const MISS: f64 = 0.05;

/// Where the true share lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BinomialInterval {
    /// The lower end, 0 to 1.
    pub low: f64,
    /// The upper end, 0 to 1.
    pub high: f64,
}

/// The interval of Clopper and Pearson (1934): `successes` of `trials` would have been as many or more with a chance of at
/// most 2.5 % were the share below it, and as few or fewer were it above. It covers the true share with at least 95 %.
/// Absent where there are no trials or fewer than there are successes.
///
/// The ends are quantiles of the Beta distribution, found by bisection of statrs' regularised incomplete beta function to
/// the last digits; statrs' own inverse stops at five.
pub fn binomial_interval(successes: u32, trials: u32) -> Option<BinomialInterval> {
    let failures = trials.checked_sub(successes).filter(|_| trials > 0)?;
    let (successes, failures) = (f64::from(successes), f64::from(failures));
    let low = if successes > 0.0 { quantile(successes, failures + 1.0, 0.5 * MISS)? } else { 0.0 };
    let high = if failures > 0.0 { quantile(successes + 1.0, failures, 1.0 - 0.5 * MISS)? } else { 1.0 };
    Some(BinomialInterval { low, high })
}

fn quantile(a: f64, b: f64, share: f64) -> Option<f64> {
    let beta = Beta::new(a, b).ok()?;
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return Some(middle);
        }
        if beta.cdf(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(successes: u32, trials: u32) -> (f64, f64) {
        let found = binomial_interval(successes, trials).unwrap();
        (found.low, found.high)
    }

    fn close(found: (f64, f64), low: f64, high: f64) {
        assert!((found.0 - low).abs() < 1e-9 && (found.1 - high).abs() < 1e-9, "{found:?} is not {low} to {high}");
    }

    /// With none or all of n the end solves (1 - p)^n = .025 or p^n = .025.
    #[test]
    fn none_and_all_by_hand() {
        for n in [1, 8, 800, 2000] {
            let end = 0.025_f64.powf(1.0 / f64::from(n));
            close(interval(0, n), 0.0, 1.0 - end);
            close(interval(n, n), end, 1.0);
        }
    }

    /// Each end by its definition: the tail of the binomial that sums to 2.5 % there.
    #[test]
    fn the_tails_at_the_ends_are_a_fortieth() {
        for (k, n) in [(1, 2), (1, 10), (3, 20), (10, 20), (19, 20), (5, 100)] {
            let (low, high) = interval(k, n);
            let chance = |p: f64, count: u32| {
                let choose = (0..count).fold(1.0, |product, i| product * f64::from(n - i) / f64::from(i + 1));
                choose * p.powf(f64::from(count)) * (1.0 - p).powf(f64::from(n - count))
            };
            let as_many: f64 = (k..=n).map(|count| chance(low, count)).sum();
            let as_few: f64 = (0..=k).map(|count| chance(high, count)).sum();
            assert!((as_many - 0.025).abs() < 1e-10 && (as_few - 0.025).abs() < 1e-10, "{k} of {n}: {low} to {high}");
        }
    }

    #[test]
    fn what_is_no_share_has_no_interval() {
        assert_eq!(binomial_interval(0, 0), None);
        assert_eq!(binomial_interval(3, 2), None);
        assert!(binomial_interval(1, u32::MAX).is_some());
    }
}
