//! `CodSpeed`: a tenth of one value.
//!
//! Source: its documentation, "Customization", "Global regression threshold": by default 10 %, and the check fails for a
//! benchmark that is beyond it. Its published reports give the change as a change of speed, base's time over head's less
//! one (802 ns that became 1,145 ns: -30 %), and call what is as far on the other side an improvement.
//!
//! It sees one value per benchmark and run. Which statistic of repeated measurements that is, is not published: the
//! median of each side's rounds stands in here. Its instruments count instructions by default, whose noise is not that
//! of these rounds: the rule is replayed here, not the measurement.

use super::super::robust::median;
use super::samples::{Finding, Samples};

/// The default threshold.
const THRESHOLD: f64 = 0.1;

/// Flagged where the speed changed by more than a tenth of base's.
pub fn codspeed(samples: &Samples<'_>) -> Finding {
    let of = |values: &[f64]| median(&mut values.to_vec()).unwrap_or(f64::NAN);
    let (base, head) = (of(samples.base()), of(samples.head()));
    let change = if samples.more_is_better() { head / base } else { base / head } - 1.0;
    if change < -THRESHOLD {
        Finding::Worse
    } else if change > THRESHOLD {
        Finding::Better
    } else {
        Finding::NotFlagged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Polarity;

    #[test]
    fn a_tenth_of_the_speed() {
        let judge = |base: &[f64], head: &[f64], polarity| codspeed(&Samples::new(base, head, polarity).unwrap());
        // A time that grows by 11 % is 9.9 % of the speed, one that grows by 12 % is 10.7 %.
        assert_eq!(judge(&[100.0], &[111.0], Polarity::Down), Finding::NotFlagged);
        assert_eq!(judge(&[100.0], &[112.0], Polarity::Down), Finding::Worse);
        // 100 / 91 is 9.9 % faster, 100 / 90 is 11.1 %.
        assert_eq!(judge(&[100.0], &[91.0], Polarity::Down), Finding::NotFlagged);
        assert_eq!(judge(&[100.0], &[90.0], Polarity::Down), Finding::Better);
        assert_eq!(judge(&[100.0], &[89.0], Polarity::Up), Finding::Worse);
        assert_eq!(judge(&[100.0], &[112.0], Polarity::Up), Finding::Better);
        // One wild round moves no median.
        assert_eq!(judge(&[100.0, 101.0, 99.0], &[100.0, 100.0, 900.0], Polarity::Down), Finding::NotFlagged);
    }
}
