//! Welch's test of two means (Welch 1947), which three of the rules rest on.

use super::samples::mean;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean, variance and size of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) size: f64,
}

impl Moments {
    /// Of a sample: squares are divided by n - 1. The variance of a single value is NaN.
    pub(super) fn sample(values: &[f64]) -> Self {
        Self::dividing_by(values, values.len() as f64 - 1.0)
    }

    /// Of a whole population: squares are divided by n.
    pub(super) fn population(values: &[f64]) -> Self {
        Self::dividing_by(values, values.len() as f64)
    }

    fn dividing_by(values: &[f64], divisor: f64) -> Self {
        let mean = mean(values);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self { mean, variance: squares / divisor, size: values.len() as f64 }
    }

    /// The squared standard error of the mean.
    pub(super) fn of_mean(self) -> f64 {
        self.variance / self.size
    }
}

/// The test's statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Welch {
    /// (mean of the first - mean of the second) / standard error.
    pub(super) t: f64,
    /// Degrees of freedom by Welch and Satterthwaite; NaN where nothing scatters.
    pub(super) df: f64,
    /// The standard error of the difference.
    pub(super) standard_error: f64,
}

impl Welch {
    pub(super) fn new(a: Moments, b: Moments) -> Self {
        let (first, second) = (a.of_mean(), b.of_mean());
        let both = first + second;
        let df = both.powi(2) / (first.powi(2) / (a.size - 1.0) + second.powi(2) / (b.size - 1.0));
        let standard_error = both.sqrt();
        Self { t: (a.mean - b.mean) / standard_error, df, standard_error }
    }

    /// Two-sided p; NaN where nothing scatters.
    pub(super) fn p(&self) -> f64 {
        if self.t.is_nan() || !self.df.is_finite() {
            return f64::NAN;
        }
        if self.t.is_infinite() {
            return 0.0;
        }
        StudentsT::new(0.0, 1.0, self.df).map_or(f64::NAN, |student| 2.0 * student.sf(self.t.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
    }

    /// Computed by `scipy.stats.ttest_ind(a, b, equal_var=False)` of `SciPy` 1.17.1.
    #[test]
    fn agrees_with_scipy() {
        let a = [1010.0, 1003.0, 998.0, 1021.0, 1007.0, 995.0];
        let b = [975.0, 990.0, 968.0, 1002.0, 981.0];
        let found = Welch::new(Moments::sample(&a), Moments::sample(&b));
        close(found.t, 3.188_409_951_397_587);
        close(found.df, 7.027_071_625_608_014);
        close(found.p(), 0.015_231_531_709_021_043);
    }

    #[test]
    fn nothing_that_scatters_has_no_p() {
        let of = |a: &[f64], b: &[f64]| Welch::new(Moments::sample(a), Moments::sample(b)).p();
        assert!(of(&[2.0, 2.0], &[3.0, 3.0]).is_nan());
        assert!(of(&[2.0], &[3.0]).is_nan());
        assert!(of(&[1e308, 1.0], &[1.0, 1e308]).is_nan());
        close(of(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
    }
}
