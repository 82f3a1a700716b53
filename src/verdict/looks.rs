//! When a cell is judged, and what each look may spend.

use super::student::upper_quantile;
use std::cell::OnceCell;
use std::sync::OnceLock;

/// Fewer valid pairs than this give neither a verdict nor a threshold.
pub const MIN_PAIRS: usize = 8;
/// Pairs after this many are not read: no look comes after it, and a race has no more rounds.
pub const MAX_PAIRS: usize = 40;

/// One look at a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The number of valid pairs at which it is taken.
    pub pairs: usize,
    /// The share of the cell's level that a proof of change may spend; none at the first look.
    pub increment: Option<f64>,
    /// The one-sided level of a proof of sameness.
    pub equivalence: f64,
}

/// All looks. The increments sum to 1.
pub const LOOKS: [Look; 7] = [
    Look { pairs: 8, increment: None, equivalence: 0.01 },
    Look { pairs: 12, increment: Some(0.3), equivalence: 0.005 },
    Look { pairs: 16, increment: Some(0.1), equivalence: 0.005 },
    Look { pairs: 20, increment: Some(0.1), equivalence: 0.005 },
    Look { pairs: 24, increment: Some(0.1), equivalence: 0.005 },
    Look { pairs: 30, increment: Some(0.15), equivalence: 0.0075 },
    Look { pairs: 40, increment: Some(0.25), equivalence: 0.0125 },
];

const TABLE: usize = super::remaining::HORIZON + 1;

/// The degrees of freedom at `n` pairs: those left after trimming, less one.
pub(crate) fn degrees_of_freedom(n: usize) -> u32 {
    u32::try_from((n - 2 * (n / 8)).saturating_sub(1)).unwrap_or(u32::MAX)
}

/// The increment that holds at `n` pairs: the one of the first look for a change that comes at or after `n`, and the
/// last one past all looks. Between looks it serves provisional thresholds and forecasts only.
fn increment(n: usize) -> f64 {
    let coming = LOOKS.iter().filter(|look| look.pairs >= n).find_map(|look| look.increment);
    coming.or(LOOKS[LOOKS.len() - 1].increment).unwrap_or(0.0)
}

fn equivalence(n: usize) -> f64 {
    LOOKS.iter().find(|look| look.pairs >= n).unwrap_or(&LOOKS[LOOKS.len() - 1]).equivalence
}

/// t(1 - e, df) at `n` pairs, which is the same for every cell. Infinite past the forecast's horizon.
pub(crate) fn same_quantile(n: usize) -> f64 {
    static QUANTILES: [OnceLock<f64>; TABLE] = [const { OnceLock::new() }; TABLE];
    QUANTILES.get(n).map_or(f64::INFINITY, |quantile| {
        *quantile.get_or_init(|| upper_quantile(equivalence(n), degrees_of_freedom(n)))
    })
}

/// The quantiles of cells that share one level; each is computed when it is first asked for.
#[derive(Clone, Debug)]
pub struct Critical {
    level: f64,
    changed: Vec<OnceCell<f64>>,
}

impl Critical {
    /// For cells of which each may spend `level` (weight x `false_alarms`) over all its looks.
    pub fn new(level: f64) -> Self {
        Self { level, changed: vec![OnceCell::new(); TABLE] }
    }

    /// The cell's alpha at `n` pairs.
    pub fn alpha(&self, n: usize) -> f64 {
        self.level * increment(n)
    }

    /// t(1 - alpha/2, df) at `n` pairs. Infinite past the forecast's horizon.
    pub fn changed(&self, n: usize) -> f64 {
        self.changed.get(n).map_or(f64::INFINITY, |quantile| {
            *quantile.get_or_init(|| upper_quantile(self.alpha(n) / 2.0, degrees_of_freedom(n)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_level_is_spent_and_no_more() {
        let spent: f64 = LOOKS.iter().filter_map(|look| look.increment).sum();
        assert!((spent - 1.0).abs() < 1e-12);
    }

    #[test]
    fn degrees_of_freedom_of_the_reference_table() {
        let found = LOOKS.map(|look| degrees_of_freedom(look.pairs));
        assert_eq!(found, [5, 9, 11, 15, 17, 23, 29]);
        assert_eq!(degrees_of_freedom(0), 0);
    }

    #[test]
    fn quantiles_of_one_of_eight_speed_cells() {
        let critical = Critical::new(0.075 * 0.01);
        for (n, alpha, changed, same) in [
            (12, 2.25e-4, 5.914_478_406_9, 3.249_835_541_6),
            (16, 7.5e-5, 6.121_925_646_1, 3.105_806_515_5),
            (20, 7.5e-5, 5.390_639_747_9, 2.946_712_883_5),
            (24, 7.5e-5, 5.182_068_414_2, 2.898_230_519_7),
            (30, 1.125e-4, 4.645_918_593_6, 2.629_046_713_8),
            (40, 1.875e-4, 4.277_402_080_9, 2.363_846_073_2),
        ] {
            assert!((critical.alpha(n) - alpha).abs() < 1e-15, "{n}");
            assert!((critical.changed(n) - changed).abs() < 1e-9, "{n}");
            assert!((same_quantile(n) - same).abs() < 1e-9, "{n}");
        }
        assert!((same_quantile(8) - 3.364_929_998_9).abs() < 1e-9);
    }

    #[test]
    fn between_looks_the_coming_one_counts_and_past_them_the_last() {
        let critical = Critical::new(1.0);
        for (n, alpha) in [(8, 0.3), (9, 0.3), (13, 0.1), (25, 0.15), (31, 0.25), (41, 0.25), (400, 0.25)] {
            assert!((critical.alpha(n) - alpha).abs() < 1e-15, "{n}");
        }
        assert!(critical.changed(401).is_infinite() && same_quantile(401).is_infinite());
    }
}
