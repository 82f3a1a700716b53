//! The sequential decision of one cell.
//!
//! A cell is judged once at each look that its count of valid pairs equals. At a look a change is asked for first and
//! sameness only afterwards; the first proof is final, so that appended rounds and recomputation never revise it.

use super::limits::Limits;
use super::looks::{Critical, LOOKS, Look, MIN_PAIRS, same_quantile};
use super::pairs::Pair;
use super::robust::{Robust, robust};
use super::signed_rank::signed_rank;
use super::walsh::hodges_lehmann;

/// The largest signed-rank p of a proved change.
const LARGEST_P: f64 = 0.002;

/// Where head's value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Above base's.
    Up,
    /// Below base's.
    Down,
}

/// What a cell's own rounds have proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing.
    Undecided,
    /// A difference.
    Changed {
        /// The number of pairs of the look that proved it.
        at: usize,
        /// Where head's value lies.
        direction: Direction,
    },
    /// That both sides lie within the band of each other.
    Same {
        /// The number of pairs of the look that proved it.
        at: usize,
    },
}

impl Decision {
    /// The number of pairs of the look that decided.
    pub fn decided_at(self) -> Option<usize> {
        match self {
            Self::Undecided => None,
            Self::Changed { at, .. } | Self::Same { at } => Some(at),
        }
    }

    /// Whether a difference is proved.
    pub fn is_changed(self) -> bool {
        matches!(self, Self::Changed { .. })
    }

    /// Whether sameness is proved.
    pub fn is_same(self) -> bool {
        matches!(self, Self::Same { .. })
    }
}

/// theta: the smallest |m| that these pairs could have proved, in log units; provisional where their count is no look
/// for a change. Absent below [`MIN_PAIRS`] pairs.
pub fn theta(found: &Robust, spread: f64, critical: &Critical) -> Option<f64> {
    (found.pairs >= MIN_PAIRS).then(|| critical.changed(found.pairs) * spread / found.root())
}

/// Judges `pairs` look by look.
pub fn decide(pairs: &[Pair], limits: &Limits, critical: &Critical) -> Decision {
    let mut sorted: Vec<f64> = Vec::with_capacity(pairs.len());
    for look in LOOKS.iter().take_while(|look| look.pairs <= pairs.len()) {
        sorted.extend(pairs[sorted.len()..look.pairs].iter().map(|pair| pair.ratio));
        sorted.sort_unstable_by(f64::total_cmp);
        let floor = limits.floor_of(&pairs[..look.pairs]);
        let decision = look_at(&sorted, floor, look, limits, critical);
        if decision != Decision::Undecided {
            return decision;
        }
    }
    Decision::Undecided
}

fn look_at(sorted: &[f64], floor: f64, look: &Look, limits: &Limits, critical: &Critical) -> Decision {
    let Some(found) = robust(sorted) else { return Decision::Undecided };
    let spread = found.spread(floor);
    if look.increment.is_some() && is_changed(sorted, &found, spread, limits, critical) {
        let direction = if found.mean > 0.0 { Direction::Up } else { Direction::Down };
        return Decision::Changed { at: look.pairs, direction };
    }
    if equivalence(&found, spread, limits) >= same_quantile(look.pairs) {
        return Decision::Same { at: look.pairs };
    }
    Decision::Undecided
}

fn is_changed(sorted: &[f64], found: &Robust, spread: f64, limits: &Limits, critical: &Critical) -> bool {
    // From cheap to dear: most looks end at the first comparison.
    theta(found, spread, critical).is_some_and(|theta| found.mean.abs() >= theta)
        && found.mean.abs() >= limits.relevant
        && hodges_lehmann(sorted).is_some_and(|centre| centre.abs() >= limits.relevant)
        && signed_rank(sorted).p <= LARGEST_P
}

/// (b - |m|) sqrt(n) / s.
fn equivalence(found: &Robust, spread: f64, limits: &Limits) -> f64 {
    (limits.band - found.mean.abs()) * found.root() / spread
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12, PLAIN, pairs_of, reference_critical, sorted};
    use super::*;

    fn decision(values: &[f64]) -> Decision {
        decide(&pairs_of(values), &PLAIN, &reference_critical())
    }

    #[test]
    fn reference_decisions() {
        assert_eq!(decision(&A12), Decision::Changed { at: 12, direction: Direction::Down });
        assert_eq!(decision(&A12[..8]), Decision::Undecided);
        assert_eq!(decision(&B12[..8]), Decision::Same { at: 8 });
        assert_eq!(decision(&B12), Decision::Same { at: 8 });
    }

    #[test]
    fn reference_statistics() {
        for (values, expected_theta, expected_equivalence) in [
            (&A12[..], Some(0.014_222_331_4), -0.540_616_141_7),
            (&B12[..], Some(0.013_334_930_1), 13.261_629_600_9),
            (&B12[..8], None, 10.434_169_800_3),
            (&A12[..8], None, -0.279_032_042_6),
        ] {
            let found = robust(&sorted(values)).unwrap();
            let spread = found.spread(PLAIN.floor);
            if let Some(expected) = expected_theta {
                assert!((theta(&found, spread, &reference_critical()).unwrap() - expected).abs() < 1e-10);
            }
            assert!((equivalence(&found, spread, &PLAIN) - expected_equivalence).abs() < 1e-9);
        }
        let few = robust(&sorted(&A12[..7])).unwrap();
        assert_eq!(theta(&few, 0.01, &reference_critical()), None);
    }

    #[test]
    fn a_count_between_looks_is_not_judged() {
        assert_eq!(decision(&A12[..11]), Decision::Undecided);
        assert_eq!(decision(&B12[..7]), Decision::Undecided);
        assert_eq!(decision(&[]), Decision::Undecided);
    }

    #[test]
    fn a_verdict_is_final() {
        let mut values = A12.to_vec();
        values.extend([0.05; 28]);
        assert_eq!(decision(&values), Decision::Changed { at: 12, direction: Direction::Down });
    }

    #[test]
    fn a_proved_difference_below_what_is_relevant_is_no_change() {
        let small: Vec<f64> = B12.iter().map(|value| 0.008 + value / 100.0).collect();
        let strict = Limits { floor: 0.0005, relevant: 0.01, band: 0.007, resolution: 0.0 };
        assert_eq!(decide(&pairs_of(&small), &strict, &reference_critical()), Decision::Undecided);
        let keen = Limits { relevant: 0.005, ..strict };
        let found = decide(&pairs_of(&small), &keen, &reference_critical());
        assert_eq!(found, Decision::Changed { at: 12, direction: Direction::Up });
    }
}
