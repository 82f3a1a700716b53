//! The far tail of Student's t.
//!
//! The tail probability is statrs' regularised incomplete beta function; the quantile is found on it by a bracketed
//! Newton iteration, because statrs' own inverse clamps its start and has been wrong in the far tail before.

use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};

/// P(T >= t) for t >= 0 at `df` degrees of freedom; NaN where `df` is 0.
pub(crate) fn upper_tail(t: f64, df: u32) -> f64 {
    StudentsT::new(0.0, 1.0, f64::from(df)).map_or(f64::NAN, |student| student.sf(t))
}

/// The t with P(T >= t) = `tail`: t(1 - `tail`, `df`).
///
/// 0 for tails of a half and more, infinite for a tail of 0, which no statistic reaches; NaN where `df` is 0.
pub(crate) fn upper_quantile(tail: f64, df: u32) -> f64 {
    let Ok(student) = StudentsT::new(0.0, 1.0, f64::from(df)) else { return f64::NAN };
    if tail >= 0.5 {
        return 0.0;
    }
    if tail.is_nan() || tail <= 0.0 {
        return f64::INFINITY;
    }
    let mut low = 0.0;
    let mut high = 1.0;
    while student.sf(high) > tail {
        low = high;
        high *= 2.0;
    }
    let mut t = 0.5 * (low + high);
    // The logarithm of the tail is nearly linear where the bracket is narrow; bisection takes over where a step leaves it.
    for _ in 0..100 {
        let at = student.sf(t);
        if at > tail {
            low = t;
        } else {
            high = t;
        }
        let newton = t + (at / tail).ln() * at / student.pdf(t);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - t).abs() <= 2.0 * f64::EPSILON * t {
            return next;
        }
        t = next;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64, relative: f64) {
        assert!((actual - expected).abs() <= relative * expected.abs(), "{actual} is not {expected}");
    }

    #[test]
    fn quantiles_of_the_reference_table() {
        for (alpha, df, expected) in [
            (2.25e-4, 9, 5.914_478_406_9),
            (7.5e-5, 11, 6.121_925_646_1),
            (7.5e-5, 15, 5.390_639_747_9),
            (7.5e-5, 17, 5.182_068_414_2),
            (1.125e-4, 23, 4.645_918_593_6),
            (1.875e-4, 29, 4.277_402_080_9),
        ] {
            close(upper_quantile(alpha / 2.0, df), expected, 1e-10);
        }
        for (e, df, expected) in [
            (0.01, 5, 3.364_929_998_9),
            (0.005, 9, 3.249_835_541_6),
            (0.005, 11, 3.105_806_515_5),
            (0.005, 15, 2.946_712_883_5),
            (0.005, 17, 2.898_230_519_7),
            (0.0075, 23, 2.629_046_713_8),
            (0.0125, 29, 2.363_846_073_2),
        ] {
            close(upper_quantile(e, df), expected, 1e-10);
        }
    }

    /// Computed with 40 digits by mpmath from the incomplete beta function.
    #[test]
    fn quantiles_far_out() {
        for (tail, df, expected) in [
            (1e-3, 1, 318.308_838_985_550_45),
            (1.125e-4, 9, 5.914_478_406_879_949),
            (1e-8, 5, 62.404_506_110_967_29),
            (1e-12, 9, 51.414_916_023_282_23),
            (1e-20, 5, 15_683.925_454_365_776),
            (1e-6, 299, 4.848_837_853_148_719),
            (0.3, 7, 0.549_109_657_947_285),
            (0.0125, 299, 2.252_746_924_962_859),
            (1e-5, 29, 5.085_504_702_010_262),
        ] {
            close(upper_quantile(tail, df), expected, 1e-12);
        }
    }

    #[test]
    fn tails_far_out() {
        close(upper_tail(13.016_373_257_5, 9), 1.920_620_611_835_803e-7, 1e-12);
        close(upper_tail(0.5, 5), 0.319_149_435_820_464_5, 1e-12);
        close(upper_tail(40.0, 299), 2.360_505_684_647_579e-122, 1e-11);
    }

    #[test]
    fn edges_are_no_panic() {
        assert!(upper_quantile(0.0, 9).is_infinite());
        assert!(upper_quantile(f64::NAN, 9).is_infinite());
        assert!(upper_quantile(0.01, 0).is_nan());
        assert!(upper_tail(1.0, 0).is_nan());
        assert_eq!(upper_quantile(0.7, 3).to_bits(), 0);
        assert!(upper_quantile(f64::MIN_POSITIVE, 1).is_finite());
    }
}
