//! An interval as a line of text: `·····━━●━━···┊··│··┊······`.
//!
//! All plots of a table share one axis, symmetric around zero; what lies past its end is drawn as an arrow.

/// Cells to each side of zero.
const HALF: usize = 12;
/// The ends that an axis may have, in log units: from 3 % to a factor of 16.
const ENDS: [f64; 8] = [0.03, 0.06, 0.12, 0.24, 0.48, 0.96, 1.92, 2.77];

/// What one plot shows, in log units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// The estimate.
    pub(super) point: f64,
    /// Lower end.
    pub(super) low: f64,
    /// Upper end.
    pub(super) high: f64,
    /// The noise threshold, to be marked on both sides of zero.
    pub(super) threshold: Option<f64>,
}

/// The axis of a table's plots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    /// Where it ends on both sides, in log units.
    pub(super) end: f64,
}

impl Axis {
    /// The shortest axis that holds three quarters of the intervals, so that one outlier does not flatten the rest.
    pub(super) fn holding(intervals: impl Iterator<Item = Interval>) -> Self {
        let mut reaches: Vec<f64> =
            intervals.map(|i| i.low.abs().max(i.high.abs()).max(i.point.abs())).filter(|r| r.is_finite()).collect();
        reaches.sort_by(f64::total_cmp);
        let wanted = reaches.get((reaches.len() * 3).div_ceil(4).saturating_sub(1)).copied().unwrap_or(0.0);
        Self { end: ENDS.into_iter().find(|end| wanted <= *end).unwrap_or(ENDS[ENDS.len() - 1]) }
    }

    /// The cell of `value`: 0 to 2 x HALF, or outside of it.
    #[expect(clippy::cast_possible_truncation, reason = "clamped to a few cells before the cast")]
    fn cell(self, value: f64) -> isize {
        let reach = HALF as f64;
        let offset = (value / self.end * reach).round().clamp(-reach - 1.0, reach + 1.0);
        (offset + reach) as isize
    }

    /// Draws `interval`; `None` where a figure is no number.
    pub(super) fn draw(self, interval: Interval) -> Option<String> {
        let Interval { point, low, high, threshold } = interval;
        if ![point, low, high].into_iter().all(f64::is_finite) {
            return None;
        }
        let last = (2 * HALF).cast_signed();
        let mut cells = vec!['·'; 2 * HALF + 1];
        let mut put = |at: isize, mark: char| {
            if let Some(cell) = usize::try_from(at).ok().and_then(|at| cells.get_mut(at)) {
                *cell = mark;
            }
        };
        for at in self.cell(low).max(0)..=self.cell(high).min(last) {
            put(at, '━');
        }
        if let Some(threshold) = threshold.filter(|t| t.is_finite()) {
            // A threshold mark inside the zero cell would hide zero.
            for at in [self.cell(-threshold), self.cell(threshold)] {
                put(at, '┊');
            }
        }
        put(HALF.cast_signed(), '│');
        put(self.cell(point), '●');
        if self.cell(low) < 0 {
            put(0, '◄');
        }
        if self.cell(high) > last {
            put(last, '►');
        }
        Some(cells.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(low: f64, point: f64, high: f64, threshold: f64) -> Interval {
        Interval { point, low, high, threshold: Some(threshold) }
    }

    #[test]
    fn draws_bar_point_zero_and_thresholds() {
        let axis = Axis { end: 0.12 };
        let draw = |i| axis.draw(i).unwrap();
        assert_eq!(draw(interval(-0.11, -0.09, -0.07, 0.02)), "·━━●━━····┊·│·┊··········");
        assert_eq!(draw(interval(-0.01, 0.0, 0.01, 0.02)), "··········┊━●━┊··········");
        assert_eq!(draw(interval(0.05, 0.3, 0.5, 0.02)), "··········┊·│·┊··━━━━━━━►");
        assert_eq!(draw(interval(-0.5, -0.1, 0.5, 0.02)), "◄━●━━━━━━━┊━│━┊━━━━━━━━━►");
        assert_eq!(axis.draw(interval(f64::NAN, 0.0, 0.0, 0.1)), None);
    }

    #[test]
    fn one_outlier_does_not_flatten_the_rest() {
        let row = |x: f64| interval(x - 0.01, x, x + 0.01, 0.01);
        let axis = |rows: &[Interval]| Axis::holding(rows.iter().copied());
        assert_eq!(axis(&[row(-0.1)]), Axis { end: 0.12 });
        assert_eq!(axis(&[row(0.03), row(0.04), row(0.045), row(0.9)]), Axis { end: 0.06 });
        assert_eq!(axis(&[]), Axis { end: 0.03 });
        assert_eq!(axis(&[row(50.0)]), Axis { end: 2.77 });
    }

    proptest! {
        #[test]
        fn every_plot_is_equally_wide(low: f64, point: f64, high: f64, threshold: f64, end in 0usize..8) {
            if let Some(text) = (Axis { end: ENDS[end] }).draw(interval(low, point, high, threshold)) {
                prop_assert_eq!(text.chars().count(), 2 * HALF + 1);
            }
        }
    }
}
