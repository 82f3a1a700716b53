//! asv's 99 % interval of a median: from the order statistics, or, where so few values have none, from the posterior of
//! the location of Laplace noise.
//!
//! Source: `asv_runner/statistics.py` 0.3.2, `compute_stats`, `quantile_ci`, `LaplacePosterior`. The posterior's density
//! at b is proportional to (sum of |y - b|)^-n for n values. Only its tails outside the sample are ever needed, because
//! the interval never ends inside it.

/// One minus the coverage.
const ALPHA: f64 = 0.01;

/// An interval; its ends can be infinite where there is a single value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MedianInterval {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The interval of the median of `values`, of which there is at least one.
pub(super) fn median_interval(values: &[f64]) -> MedianInterval {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let (mut low, mut high) = (None, None);
    // The chance that at most as many as `place` of the values lie below the median, and that of exactly as many.
    let (mut chance, mut exactly) = (0.0, 0.5_f64.powf(count as f64));
    for (place, &value) in sorted.iter().enumerate() {
        chance += exactly;
        exactly *= (count - place) as f64 / (place + 1) as f64;
        if chance <= ALPHA / 2.0 {
            low = Some(value);
        }
        if chance >= 1.0 - ALPHA / 2.0 {
            high = Some(value);
            break;
        }
    }
    if count < 2 {
        return MedianInterval { low: low.unwrap_or(f64::NEG_INFINITY), high: high.unwrap_or(f64::INFINITY) };
    }
    let low = low.unwrap_or_else(|| posterior_low(&sorted));
    let high = high.unwrap_or_else(|| {
        // The upper tail is the lower one of the values seen from the other side.
        let mirrored: Vec<f64> = sorted.iter().rev().map(|value| -value).collect();
        -posterior_low(&mirrored)
    });
    MedianInterval { low, high }
}

/// The posterior's quantile of half of [`ALPHA`], or the smallest value where that lies above it.
fn posterior_low(sorted: &[f64]) -> f64 {
    let count = sorted.len();
    let middle = f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]);
    let scale: f64 = sorted.iter().map(|value| (value - middle).abs()).sum();
    if scale == 0.0 {
        return middle;
    }
    // Scaled, so that no power overflows.
    let scaled: Vec<f64> = sorted.iter().map(|value| (value - middle) / scale).collect();
    let n = count as f64;
    let nu = n - 1.0;
    let sum: f64 = scaled.iter().sum();
    // Below all values the distances sum to `sum` - n b, whose -n th power integrates to this.
    let tail = (sum - n * scaled[0]).powf(-nu) / (nu * n);
    let wanted = ALPHA / 2.0 * whole(&scaled);
    if wanted > tail {
        return sorted[0];
    }
    let quantile = (sum - (nu * n * wanted).powf(-1.0 / nu)) / n;
    (quantile * scale + middle).min(sorted[0])
}

/// The integral of (sum of |y - b|)^-n over all b, for n ascending values that are not all equal.
fn whole(sorted: &[f64]) -> f64 {
    let n = sorted.len() as f64;
    let nu = n - 1.0;
    let mut offset: f64 = sorted.iter().sum();
    let mut total = (offset - n * sorted[0]).powf(-nu) / (nu * n);
    for (below, ends) in (1..).zip(sorted.windows(2)) {
        // Between two neighbours the distances sum to slope b + offset.
        let slope = 2.0 * f64::from(below) - n;
        offset -= 2.0 * ends[0];
        let at = |b: f64| slope * b + offset;
        total += if slope == 0.0 {
            (ends[1] - ends[0]) * offset.powf(-n)
        } else {
            (at(ends[0]).powf(-nu) - at(ends[1]).powf(-nu)) / (nu * slope)
        };
    }
    let last = sorted[sorted.len() - 1];
    offset -= 2.0 * last;
    total + (n * last + offset).powf(-nu) / (nu * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: MedianInterval, low: f64, high: f64) {
        assert!((found.low - low).abs() < 1e-9 * low.abs().max(1.0), "{found:?} is not from {low}");
        assert!((found.high - high).abs() < 1e-9 * high.abs().max(1.0), "{found:?} is not to {high}");
    }

    /// The density's integral by the trapezium rule.
    #[test]
    fn the_whole_of_the_posterior() {
        for values in [&[-0.5, 0.5][..], &[-0.4, -0.1, 0.0, 0.5], &[0.0, 0.0, 1.0], &[-0.3, 0.1, 0.2, 0.2, 0.2]] {
            let density =
                |b: f64| values.iter().map(|value| (value - b).abs()).sum::<f64>().powf(-(values.len() as f64));
            // b = tan(x) takes the whole line to an interval.
            let steps = 400_000;
            let width = std::f64::consts::PI / f64::from(steps);
            let sum: f64 = (0..steps)
                .map(|step| (f64::from(step) + 0.5) * width - std::f64::consts::FRAC_PI_2)
                .map(|x| density(x.tan()) / x.cos().powi(2) * width)
                .sum();
            assert!((whole(values) / sum - 1.0).abs() < 1e-4, "{values:?}: {} is not {sum}", whole(values));
        }
    }

    #[test]
    fn of_two_values_by_hand() {
        // -1 and 1: the density is 1/4 between them and 1/(4 b^2) outside, the whole is 1/2 + 2/4 = 1, and the tail below
        // -b is 1/(4 b): .005 at 50.
        close(median_interval(&[1.0, -1.0]), -50.0, 50.0);
    }

    #[test]
    fn many_values_have_order_statistics() {
        // Of 8 values 2^-8 = .0039 lies beyond each end.
        close(median_interval(&[8.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), 1.0, 8.0);
        // Of 12: 1/4096, 13/4096 = .0032, 79/4096 = .0193.
        let twelve: Vec<f64> = (1..=12).map(f64::from).collect();
        close(median_interval(&twelve), 2.0, 11.0);
    }

    #[test]
    fn edges() {
        assert_eq!(median_interval(&[3.0]), MedianInterval { low: f64::NEG_INFINITY, high: f64::INFINITY });
        close(median_interval(&[3.0; 4]), 3.0, 3.0);
        assert!(median_interval(&[1e-300, 1e300, 1e307]).low.is_finite());
    }
}
