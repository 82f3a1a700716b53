//! What of the race is still open.

use crate::model::{Case, ScenarioName};
use std::collections::{BTreeMap, BTreeSet};

/// What of a lane is still undecided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// Scenarios that are still in.
    pub scenarios: BTreeSet<ScenarioName>,
    /// How many more rounds would likely decide a scenario; absent where none would, or nothing can be said yet.
    pub rounds_left: BTreeMap<ScenarioName, usize>,
    /// Whether its starts are.
    pub boot: bool,
    /// Its commands' runs that are still in.
    pub runs: BTreeSet<Case>,
}
