//! The referee of a real race: the verdict's rule on who is still in.

use crate::model::Results;
use crate::plan::Lane;
use crate::race::{Open, Referee};
use crate::verdict::still_racing;
use std::collections::BTreeMap;

/// Asks [`still_racing`].
pub(super) struct VerdictReferee;

impl Referee for VerdictReferee {
    fn open(&self, results: &Results) -> BTreeMap<Lane, Open> {
        let still = still_racing(results).entries.into_iter().filter(|entry| !entry.control && entry.is_in());
        still
            .map(|entry| {
                (
                    Lane { entry: entry.entry, regime: entry.regime },
                    Open { scenarios: entry.scenarios, boot: entry.boot },
                )
            })
            .collect()
    }
}
