//! bencher: head's value against a boundary around base's.
//!
//! Source: bencherdev/bencher, `lib/bencher_boundary/src/limits/mod.rs` (`MetricsLimits::new_percentage`, `outlier`) and
//! `limits/limit.rs` (`percentage_lower`, `percentage_upper`): an alert where the metric lies beyond the mean of what is
//! known by more than a share of it. The recipe of its documentation for relative benchmarking
//! (`docs-how-to/track-benchmarks/run-main-relative.mdx`, `run-feature-relative.mdx` at commit 5950f5f) resets the branch
//! to base's one run and takes the test `percentage` with an upper boundary of 0.25 for latency. Throughput, where less is
//! worse, has a lower boundary instead (its page on thresholds). A boundary on the other side is not part of the recipe,
//! so nothing better is ever flagged.
//!
//! It sees one value per benchmark and run: the mean of each side's rounds stands in here, as its readers of repeated
//! measurements take it unless told otherwise.

use super::samples::{Finding, Samples, mean};

/// The recipe's boundary, as a share of base's value.
const BOUNDARY: f64 = 0.25;

/// Alert where head lies beyond base by more than a quarter of base, on the bad side.
pub fn bencher(samples: &Samples<'_>) -> Finding {
    let (base, head) = (mean(samples.base()), mean(samples.head()));
    let beyond = if samples.more_is_better() { head < base - base * BOUNDARY } else { head > base + base * BOUNDARY };
    if beyond { Finding::Worse } else { Finding::NotFlagged }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Polarity;

    #[test]
    fn a_quarter_of_base() {
        let judge = |base: &[f64], head: &[f64], polarity| bencher(&Samples::new(base, head, polarity).unwrap());
        assert_eq!(judge(&[80.0, 120.0], &[125.0], Polarity::Down), Finding::NotFlagged);
        assert_eq!(judge(&[80.0, 120.0], &[125.5], Polarity::Down), Finding::Worse);
        assert_eq!(judge(&[100.0], &[75.0], Polarity::Up), Finding::NotFlagged);
        assert_eq!(judge(&[100.0], &[74.5], Polarity::Up), Finding::Worse);
        assert_eq!(judge(&[100.0], &[1.0], Polarity::Down), Finding::NotFlagged);
    }
}
