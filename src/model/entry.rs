//! Entries and scenarios as the results file records them.

use super::{CategoryName, EntryName, RuntimeName, ScenarioName, VariantName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether the pull request can change a variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The pull request can change it.
    #[default]
    Subject,
    /// It can not: a release of a rival, a hand-wired server.
    Reference,
}

/// On which sides an entry or a scenario exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// On both.
    Both,
    /// Only on head.
    New,
    /// Only on base.
    Gone,
}

/// How an entry takes part in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lineup {
    /// Base against head, every round.
    Paired,
    /// The same build against itself, every round, on one scenario.
    Control,
    /// Head's build alone, for the standings.
    OneSided,
    /// Not raced: gone from head, or it did not build or pass the gate.
    Absent,
}

/// An entry of the race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryRecord {
    /// Its name.
    pub name: EntryName,
    /// The variant.
    pub variant: VariantName,
    /// The runtime.
    pub runtime: RuntimeName,
    /// Earlier names of the variant, under which its history goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<VariantName>,
    /// The variant's name as people write it.
    pub label: String,
    /// Subject or reference.
    pub role: Role,
    /// The entry on whose HTTP layer it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<EntryName>,
    /// On which sides it exists.
    pub presence: Presence,
    /// How it takes part.
    pub lineup: Lineup,
    /// The subject of whose base build this is a second copy, raced as the control because no reference is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<EntryName>,
    /// Whether files below the variant's own directory differ between the sides.
    #[serde(default)]
    pub own_files_changed: bool,
    /// Columns of the table of what is raced.
    #[serde(default)]
    pub about: BTreeMap<String, String>,
    /// Versions of packages found in its lock file.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
}

/// A scenario of the contract, as far as a reader of results needs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRecord {
    /// Its name.
    pub name: ScenarioName,
    /// Its category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<CategoryName>,
    /// The request's method.
    pub method: String,
    /// The request's path.
    pub path: String,
    /// Requests per second of the open loop, where the scenario has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}
