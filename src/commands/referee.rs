//! The referee of a real race: the verdict's rule on who is still in.

use crate::model::Results;
use crate::plan::Lane;
use crate::race::{Open, Referee};
use crate::verdict::{rounds_left, still_racing};
use std::collections::BTreeMap;

/// Asks [`still_racing`] and [`rounds_left`].
pub(super) struct VerdictReferee;

impl Referee for VerdictReferee {
    fn open(&self, results: &Results) -> BTreeMap<Lane, Open> {
        let still = still_racing(results).entries.into_iter().filter(|entry| !entry.control && entry.is_in());
        let mut left = rounds_left(results);
        still
            .map(|entry| {
                let rounds_left = left.remove(&(entry.entry.clone(), entry.regime.clone())).unwrap_or_default();
                let open = Open { scenarios: entry.scenarios, rounds_left, boot: entry.boot, runs: entry.runs };
                (Lane { entry: entry.entry, regime: entry.regime }, open)
            })
            .collect()
    }
}
