//! What is known to be true of a run, and how a rule does against it.

use super::replay::Replay;
use super::samples::Finding;
use crate::model::{Case, CellKey, EntryName, Metric, ScenarioName};

/// What is true of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Head does all that base does, as fast.
    Unchanged,
    /// Head is slower in one scenario, and as fast in all others.
    Slowed(SlowedScenario),
}

/// The scenario that is slower in head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowedScenario {
    /// Of this entry alone; of every one where none is named.
    pub entry: Option<EntryName>,
    /// The scenario.
    pub scenario: ScenarioName,
}

/// What the truth says about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Unchanged,
    Slower,
    /// Nothing: a slower scenario may need more memory, or less, and its server answers the other scenarios, too.
    Nothing,
}

impl SlowedScenario {
    /// Whether the cell is one of this scenario.
    pub fn holds(&self, key: &CellKey) -> bool {
        self.is_of_its_server(key) && matches!(&key.case, Case::Scenario(scenario) if *scenario == self.scenario)
    }

    /// Whether the cell is of a server that answers this scenario.
    fn is_of_its_server(&self, key: &CellKey) -> bool {
        self.entry.as_ref().is_none_or(|entry| *entry == key.entry)
    }
}

impl Truth {
    fn tells(&self, key: &CellKey) -> Told {
        match self {
            Self::Slowed(slowed) if slowed.is_of_its_server(key) => match key.metric {
                // All scenarios of a round are measured in one process, whose heap remembers what each of them did.
                Metric::LoadedMemory | Metric::IdleMemory => Told::Nothing,
                _ if slowed.holds(key) => Told::Slower,
                _ => Told::Unchanged,
            },
            _ => Told::Unchanged,
        }
    }
}

/// How one rule did in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Cells that it flags.
    pub flags: usize,
    /// Cells that it flags although nothing changed there, or in the wrong direction.
    pub false_flags: usize,
    /// Cells of the slowed scenario that it flags as worse.
    pub finds: usize,
    /// Cells with rounds that it can't judge.
    pub refused: usize,
}

/// How each rule of a replay did, in their order.
pub fn scores(replay: &Replay, truth: &Truth) -> Vec<Score> {
    let of = |findings: &[Finding]| {
        let mut score = Score::default();
        for (finding, key) in findings.iter().zip(&replay.cells) {
            match (finding, truth.tells(key)) {
                (Finding::NotFlagged | Finding::CannotJudge(_), _) => continue,
                (Finding::Worse, Told::Slower) => score.finds += 1,
                (_, Told::Nothing) => {}
                (Finding::Worse, Told::Unchanged) | (Finding::Better, _) => score.false_flags += 1,
            }
            score.flags += 1;
        }
        score
    };
    replay.rules.iter().map(|rule| Score { refused: rule.refused(), ..of(&rule.findings) }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{A12, B12, cell, results};
    use super::super::replay::replay;
    use super::*;

    #[test]
    fn flags_against_the_truth() {
        let replay = replay(&results(vec![
            cell("get", Metric::Rps, 1000.0, &A12),
            cell("get", Metric::P50, 1000.0, &A12),
            cell("get", Metric::LoadedMemory, 5e7, &A12.map(|ratio| -ratio)),
            cell("post", Metric::Rps, 1000.0, &A12),
            cell("post", Metric::LoadedMemory, 5e7, &A12),
            cell("put", Metric::Rps, 1000.0, &B12),
        ]));
        let slowed = |entry: Option<&str>, scenario: &str| {
            Truth::Slowed(SlowedScenario {
                entry: entry.map(|name| EntryName::new(name).unwrap()),
                scenario: ScenarioName::new(scenario).unwrap(),
            })
        };
        // get is slower by its rate and faster by its median latency, which is the wrong direction; post is not slowed. What
        // either does to memory tells nothing, unless it is of another server.
        let ours = |truth: &Truth| scores(&replay, truth)[0];
        assert_eq!(ours(&slowed(None, "get")), Score { flags: 5, false_flags: 2, finds: 1, refused: 0 });
        assert_eq!(ours(&slowed(Some("app"), "get")), Score { flags: 5, false_flags: 2, finds: 1, refused: 0 });
        assert_eq!(ours(&slowed(Some("other"), "get")), Score { flags: 5, false_flags: 5, finds: 0, refused: 0 });
        assert_eq!(ours(&Truth::Unchanged), Score { flags: 5, false_flags: 5, finds: 0, refused: 0 });
    }
}
