//! Node.js core's `benchmark/compare.R`: stars from Welch's test.
//!
//! Source: nodejs/node, `benchmark/compare.R` at commit 0ac6b81: R's `t.test` of the rates of both binaries, which is
//! Welch's, and stars for p below .05, .01 and .001. Its own comment: at least one star before an improvement may be
//! spoken of. The number of benchmarks is not corrected for.
//!
//! A round stands in for a run of the benchmark, a metric for the rate. With a single run there is no test, and R refuses
//! values that are essentially constant: both can't be judged.

use super::samples::{Finding, Reason, Samples};
use super::welch::{Moments, Welch};

/// How many stars a difference needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stars {
    /// p below .05.
    One,
    /// p below .01.
    Two,
    /// p below .001.
    Three,
}

impl Stars {
    fn level(self) -> f64 {
        match self {
            Self::One => 0.05,
            Self::Two => 0.01,
            Self::Three => 0.001,
        }
    }
}

/// Flagged where the difference has that many stars.
pub fn node_compare(samples: &Samples<'_>, stars: Stars) -> Finding {
    if samples.base().len() < 2 || samples.head().len() < 2 {
        return Finding::CannotJudge(Reason::TooFewRounds);
    }
    let (base, head) = (Moments::sample(samples.base()), Moments::sample(samples.head()));
    let test = Welch::new(head, base);
    if test.standard_error < 10.0 * f64::EPSILON * base.mean.max(head.mean) {
        return Finding::CannotJudge(Reason::NoScatter);
    }
    if test.p() < stars.level() { samples.flag(head.mean > base.mean) } else { Finding::NotFlagged }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Polarity;

    #[test]
    fn stars_by_the_level() {
        // p is .0152: one star, see the reference values of the test itself.
        let a = [1010.0, 1003.0, 998.0, 1021.0, 1007.0, 995.0];
        let b = [975.0, 990.0, 968.0, 1002.0, 981.0];
        let judge = |base, head, polarity, stars| node_compare(&Samples::new(base, head, polarity).unwrap(), stars);
        assert_eq!(judge(&a, &b, Polarity::Up, Stars::One), Finding::Worse);
        assert_eq!(judge(&b, &a, Polarity::Up, Stars::One), Finding::Better);
        assert_eq!(judge(&a, &b, Polarity::Down, Stars::One), Finding::Better);
        assert_eq!(judge(&a, &b, Polarity::Up, Stars::Three), Finding::NotFlagged);
    }

    #[test]
    fn what_r_refuses() {
        let judge =
            |base: &[f64], head: &[f64]| node_compare(&Samples::new(base, head, Polarity::Up).unwrap(), Stars::One);
        assert_eq!(judge(&[1.0], &[2.0, 3.0]), Finding::CannotJudge(Reason::TooFewRounds));
        assert_eq!(judge(&[1.0, 1.0], &[2.0, 2.0]), Finding::CannotJudge(Reason::NoScatter));
        assert_eq!(judge(&[1.0, 1.0], &[1.0, 1.0]), Finding::CannotJudge(Reason::NoScatter));
    }
}
