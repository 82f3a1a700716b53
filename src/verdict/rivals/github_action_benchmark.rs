//! github-action-benchmark: a ratio of two single values.
//!
//! Source: benchmark-action/github-action-benchmark, `src/write.ts` at commit 019cbcb, `findAlerts` and `getRatio`: an
//! alert where what is worse is more than `alert-threshold` of what was before. `action.yml` has 200 % as the default;
//! 110 % stands in many workflows. It knows no alert for a value that is better.
//!
//! It sees one value per benchmark and run. Most of its readers (`src/extract.ts`: benchmark.js, pytest, Catch2, JMH,
//! .NET) take the mean that the tool printed, so the mean of each side's rounds stands in here.

use super::samples::{Finding, Samples, mean};

/// Alert where head is more than `threshold` times as bad as base: 2 by default.
pub fn github_action_benchmark(samples: &Samples<'_>, threshold: f64) -> Finding {
    let (base, head) = (mean(samples.base()), mean(samples.head()));
    let ratio = if samples.more_is_better() { base / head } else { head / base };
    if ratio > threshold { Finding::Worse } else { Finding::NotFlagged }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Polarity;

    #[test]
    fn the_ratio_of_the_means() {
        let judge = |base: &[f64], head: &[f64], polarity, threshold| {
            github_action_benchmark(&Samples::new(base, head, polarity).unwrap(), threshold)
        };
        // Means 100 and 200: exactly the threshold is no alert.
        assert_eq!(judge(&[90.0, 110.0], &[100.0, 300.0], Polarity::Down, 2.0), Finding::NotFlagged);
        assert_eq!(judge(&[90.0, 110.0], &[100.0, 301.0], Polarity::Down, 2.0), Finding::Worse);
        // 100 / 90 is 1.111.
        assert_eq!(judge(&[100.0], &[90.0], Polarity::Up, 1.1), Finding::Worse);
        assert_eq!(judge(&[100.0], &[91.0], Polarity::Up, 1.1), Finding::NotFlagged);
        assert_eq!(judge(&[100.0], &[1000.0], Polarity::Up, 1.1), Finding::NotFlagged);
    }
}
