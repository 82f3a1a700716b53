//! A cell: the unit that gets a verdict, and its values round by round.

use super::{CaseName, CategoryName, EntryName, Metric, MixName, RegimeName, ScenarioName, Suite};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What of an entry is measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// One scenario of the contract.
    Scenario(ScenarioName),
    /// A mix over scenarios.
    Mix(MixName),
    /// All scenarios of one category, equally weighted.
    Category(CategoryName),
    /// A start of the server.
    Start,
    /// A command run to its end, with these parameters.
    Process(CaseName),
    /// A build from clean, with these parameters.
    Build(CaseName),
}

impl Case {
    /// The suite of a command's run; nothing for what needs a server.
    pub fn suite_of_run(&self) -> Option<Suite> {
        match self {
            Self::Process(_) => Some(Suite::Process),
            Self::Build(_) => Some(Suite::Build),
            Self::Scenario(_) | Self::Mix(_) | Self::Category(_) | Self::Start => None,
        }
    }

    /// Whether it is a command's run, which needs no server.
    pub fn is_run(&self) -> bool {
        self.suite_of_run().is_some()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(name) => name.fmt(f),
            Self::Mix(name) => write!(f, "mix {name}"),
            Self::Category(name) => write!(f, "category {name}"),
            Self::Start => f.write_str("start"),
            Self::Process(name) => write!(f, "process {name}"),
            Self::Build(name) => write!(f, "build {name}"),
        }
    }
}

/// Entry x regime x suite x case x metric.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CellKey {
    /// The entry.
    pub entry: EntryName,
    /// The regime, where the configuration names some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<RegimeName>,
    /// The suite.
    pub suite: Suite,
    /// What of the entry.
    pub case: Case,
    /// Which quantity.
    pub metric: Metric,
}

/// Whether and as what a cell is judged; fixed before the first round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// A member of the family that shares the pull request's false alarms.
    Judged,
    /// A member of the controls' own family: its true difference is zero.
    Control,
    /// Shown with its interval and never flagged.
    Outside,
}

/// One round's values of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundValue {
    /// The round, counted from 0.
    pub round: u32,
    /// Base's value in the metric's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
    /// Head's value in the metric's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<f64>,
    /// ln(head / base) of the round: the median over its slices. Absent where a side is missing or not positive.
    /// For a layer's cost it is the ratio of the shares of the floor's rps that are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_ratio: Option<f64>,
}

/// A cell with all that was measured of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WireCell")]
pub struct CellRecord {
    /// Which cell.
    #[serde(flatten)]
    pub key: CellKey,
    /// Whether it is judged.
    pub standing: Standing,
    /// Its rounds, in the order in which they were raced; at most one value per round.
    pub rounds: Vec<RoundValue>,
}

/// A cell as it is read: flat, because a flattened struct makes serde hold every round twice.
#[derive(Deserialize, JsonSchema)]
struct WireCell {
    /// The entry.
    entry: EntryName,
    /// The regime, where the configuration names some.
    #[serde(default)]
    regime: Option<RegimeName>,
    /// The suite.
    suite: Suite,
    /// What of the entry.
    case: Case,
    /// Which quantity.
    metric: Metric,
    /// Whether it is judged.
    standing: Standing,
    /// Its rounds.
    rounds: Vec<RoundValue>,
}

impl From<WireCell> for CellRecord {
    fn from(wire: WireCell) -> Self {
        let WireCell { entry, regime, suite, case, metric, standing, rounds } = wire;
        Self { key: CellKey { entry, regime, suite, case, metric }, standing, rounds }
    }
}

impl CellRecord {
    /// The log-ratios of the valid rounds, in the order in which they were raced.
    pub fn log_ratios(&self) -> impl Iterator<Item = f64> + '_ {
        self.rounds.iter().filter_map(|value| value.log_ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_read_as_it_was_written() {
        let key = CellKey {
            entry: EntryName::new("a@bun").unwrap(),
            regime: Some(RegimeName::new("one-core").unwrap()),
            suite: Suite::Boot,
            case: Case::Start,
            metric: Metric::ColdStart,
        };
        let rounds = vec![RoundValue { round: 3, base: Some(0.1), head: None, log_ratio: None }];
        let cell = CellRecord { key, standing: Standing::Control, rounds };
        let text = serde_json::to_string(&cell).unwrap();
        assert!(text.starts_with(r#"{"entry":"a@bun","regime":"one-core","suite":"boot","case":"start""#), "{text}");
        assert_eq!(serde_json::from_str::<CellRecord>(&text).unwrap(), cell);
    }
}
