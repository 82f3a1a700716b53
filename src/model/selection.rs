//! What of all that the configuration names was asked to be raced.

use super::{RuntimeName, ScenarioName, Suite, VariantName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the user asked to be raced; everything where a list is empty. Without it a run could not be repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectionRecord {
    /// Variants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantName>,
    /// Runtimes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runtimes: Vec<RuntimeName>,
    /// Suites; `http` stands for both loops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<Suite>,
    /// Scenarios.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<ScenarioName>,
}

impl SelectionRecord {
    /// Whether everything was asked for.
    pub fn is_everything(&self) -> bool {
        self.variants.is_empty() && self.runtimes.is_empty() && self.suites.is_empty() && self.scenarios.is_empty()
    }
}
