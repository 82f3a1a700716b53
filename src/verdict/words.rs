//! The words of a verdict.

use super::decide::{Decision, Direction};
use crate::model::{Metric, Polarity, Suite};
use serde::Serialize;
use std::fmt;

/// What is said about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Head takes longer, or answers less.
    Slower,
    /// Head takes less time, or answers more.
    Faster,
    /// Head uses more memory.
    More,
    /// Head uses less memory.
    Less,
    /// Head is proved worse in something else.
    Worse,
    /// Head is proved better in something else.
    Better,
    /// Both lie within the band of each other.
    Same,
    /// Neither a difference nor sameness is proved.
    Undecided,
    /// A side does not answer by the contract, or fails too often to be measured.
    Failing,
    /// There is nothing to compare.
    Unmeasured,
}

impl Word {
    /// The word as reports and files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::More => "more",
            Self::Less => "less",
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Same => "same",
            Self::Undecided => "undecided",
            Self::Failing => "failing",
            Self::Unmeasured => "unmeasured",
        }
    }

    /// The word for a decision about a metric. A metric that is only shown is never more than undecided.
    pub fn of(decision: Decision, suite: Suite, metric: Metric) -> Self {
        let worse = match (metric.polarity(suite), decision) {
            (Polarity::Info, _) | (_, Decision::Undecided) => return Self::Undecided,
            (_, Decision::Same { .. }) => return Self::Same,
            (Polarity::Up, Decision::Changed { direction, .. }) => direction == Direction::Down,
            (Polarity::Down, Decision::Changed { direction, .. }) => direction == Direction::Up,
        };
        let (bad, good) = match metric {
            Metric::Rps
            | Metric::P50
            | Metric::P90
            | Metric::P99
            | Metric::P999
            | Metric::Max
            | Metric::Mean
            | Metric::CpuPerRequest
            | Metric::ColdStart
            | Metric::BootCpu
            | Metric::Wall
            | Metric::Cpu => (Self::Slower, Self::Faster),
            Metric::LoadedMemory | Metric::IdleMemory | Metric::PeakMemory | Metric::OutputSize => {
                (Self::More, Self::Less)
            }
            Metric::Deviation
            | Metric::BytesPerSecond
            | Metric::Requests
            | Metric::Bytes
            | Metric::LateSends
            | Metric::LayerCost
            | Metric::Figure(_) => (Self::Worse, Self::Better),
        };
        if worse { bad } else { good }
    }

    /// Whether it says that head is proved worse.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Slower | Self::More | Self::Worse)
    }

    /// Whether it says that head is proved better.
    pub fn is_improvement(self) -> bool {
        matches!(self, Self::Faster | Self::Less | Self::Better)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polarity_turns_a_direction_into_a_word() {
        let word = |direction, suite, metric| Word::of(Decision::Changed { at: 12, direction }, suite, metric);
        for (suite, metric, up, down) in [
            (Suite::Http, Metric::Rps, Word::Faster, Word::Slower),
            (Suite::Http, Metric::P50, Word::Slower, Word::Faster),
            (Suite::OpenLoop, Metric::P999, Word::Slower, Word::Faster),
            (Suite::Http, Metric::CpuPerRequest, Word::Slower, Word::Faster),
            (Suite::Boot, Metric::ColdStart, Word::Slower, Word::Faster),
            (Suite::Boot, Metric::IdleMemory, Word::More, Word::Less),
            (Suite::Http, Metric::LayerCost, Word::Undecided, Word::Undecided),
            (Suite::OpenLoop, Metric::Rps, Word::Undecided, Word::Undecided),
        ] {
            assert_eq!(word(Direction::Up, suite, metric), up, "{metric}");
            assert_eq!(word(Direction::Down, suite, metric), down, "{metric}");
        }
        assert_eq!(Word::of(Decision::Same { at: 8 }, Suite::Http, Metric::Rps), Word::Same);
        assert_eq!(Word::of(Decision::Undecided, Suite::Http, Metric::Rps), Word::Undecided);
    }

    #[test]
    fn the_name_in_files_is_the_word() {
        for word in [Word::Slower, Word::Less, Word::Better, Word::Unmeasured] {
            assert_eq!(serde_json::to_value(word).unwrap(), word.as_str());
        }
    }
}
