//! The trimmed mean and its spread, from the winsorised values (Yuen 1974).

use super::looks::degrees_of_freedom;

/// Location and scatter of a cell's log-ratios, an eighth trimmed from each end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Robust {
    /// Number of values.
    pub pairs: usize,
    /// m: the mean of the values that trimming leaves.
    pub mean: f64,
    /// se: the standard error of that mean, from the winsorised values.
    pub standard_error: f64,
    /// Degrees of freedom of the statistic.
    pub df: u32,
}

impl Robust {
    /// s = sqrt(n se2 + f2): the scatter of one pair, never below what the instrument resolves.
    pub fn spread(&self, floor: f64) -> f64 {
        (self.pairs as f64 * self.standard_error * self.standard_error + floor * floor).sqrt()
    }

    /// sqrt(n), by which the spread of one pair becomes the spread of the mean.
    pub(crate) fn root(&self) -> f64 {
        (self.pairs as f64).sqrt()
    }
}

/// The trimmed mean of ascending values; absent where fewer than two values are left after trimming.
pub fn robust(sorted: &[f64]) -> Option<Robust> {
    let n = sorted.len();
    let trimmed = n / 8;
    let kept = n - 2 * trimmed;
    if kept < 2 {
        return None;
    }
    let middle = &sorted[trimmed..n - trimmed];
    let mean = middle.iter().sum::<f64>() / kept as f64;
    let (low, high) = (middle[0], middle[kept - 1]);
    let ends = trimmed as f64;
    let winsorised_mean = (middle.iter().sum::<f64>() + ends * (low + high)) / n as f64;
    let square = |value: f64| (value - winsorised_mean).powi(2);
    let squares = middle.iter().copied().map(square).sum::<f64>() + ends * (square(low) + square(high));
    let standard_error = (squares / (kept as f64 * (kept as f64 - 1.0))).sqrt();
    Some(Robust { pairs: n, mean, standard_error, df: degrees_of_freedom(n) })
}

/// The median; of an even count the mean of the middle two. Absent where there are no values. Reorders them.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if !even {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, upper))
}

/// The robust standard deviation: 1.4826 times the median distance from the median.
pub fn robust_deviation(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    let centre = median(&mut values)?;
    for value in &mut values {
        *value = (*value - centre).abs();
    }
    median(&mut values).map(|distance| 1.4826 * distance)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12, sorted};
    use super::*;

    #[test]
    fn reference_values() {
        for (values, mean, error, spread) in [
            (&A12[..], -0.0313, 0.001_923_297_708, 0.008_329_999_333),
            (&B12[..], -0.0001, 0.001_732_050_808, 0.007_810_249_676),
            (&B12[..8], -0.000_166_666_7, 0.002_247_220_505, 0.008_087_026_648),
            (&A12[..8], -0.030_666_666_7, 0.001_607_275_127, 0.006_757_711_644),
        ] {
            let found = robust(&sorted(values)).unwrap();
            assert!((found.mean - mean).abs() < 1e-10, "{found:?}");
            assert!((found.standard_error - error).abs() < 1e-12, "{found:?}");
            assert!((found.spread(0.005) - spread).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn the_statistic_and_its_tail() {
        let a = robust(&sorted(&A12)).unwrap();
        let statistic = a.mean * a.root() / a.spread(0.005);
        assert!((statistic - -13.016_373_257_5).abs() < 1e-9);
        let p = 2.0 * super::super::student::upper_tail(statistic.abs(), a.df);
        assert!((p - 3.841_241_223_7e-7).abs() < 1e-16, "{p}");
        let b = robust(&sorted(&B12)).unwrap();
        assert!((b.mean * b.root() / b.spread(0.005) - -0.044_353_276_3).abs() < 1e-10);
    }

    #[test]
    fn too_few_values_have_no_spread() {
        assert!(robust(&[]).is_none() && robust(&[0.1]).is_none());
        assert!(robust(&[0.1, 0.2]).is_some());
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(robust_deviation(&[1.0, 2.0, 3.0, 4.0, 100.0]), Some(1.4826));
    }
}
