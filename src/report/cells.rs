//! The cells of a run with their verdicts, as the formats need them: finite figures only, percentages instead of logs.

use super::publication::Publication;
use super::{label, number};
use crate::model::{CellKey, CellRecord, Results, Standing};
use crate::verdict::{CellVerdict, Needed, RunVerdict, UnmeasuredReason, Word};

/// A cell with its verdict.
pub(super) struct Cell<'a> {
    /// Which cell.
    pub(super) key: &'a CellKey,
    /// Whether it is judged, as the results record it.
    pub(super) standing: Standing,
    /// What was measured.
    pub(super) record: &'a CellRecord,
    /// The rule's findings.
    pub(super) verdict: &'a CellVerdict,
}

/// A run with everything that a report is made of.
pub(super) struct Run<'a> {
    /// What was measured.
    pub(super) results: &'a Results,
    /// What is proved.
    pub(super) verdict: &'a RunVerdict,
    /// What its publisher knows besides, where it has one.
    pub(super) publication: Option<&'a Publication>,
    /// The cells, in the order of the results.
    pub(super) cells: Vec<Cell<'a>>,
}

impl<'a> Run<'a> {
    /// Joins the results and their verdicts.
    pub(super) fn new(results: &'a Results, verdict: &'a RunVerdict) -> Self {
        let join = |(record, verdict): (&'a CellRecord, &'a CellVerdict)| Cell {
            key: &record.key,
            standing: record.standing,
            record,
            verdict,
        };
        let cells = results.cells.iter().zip(&verdict.cells).map(join).collect();
        Self { results, verdict, publication: None, cells }
    }

    /// The same with what its publisher knows.
    pub(super) fn published(self, publication: Option<&'a Publication>) -> Self {
        Self { publication, ..self }
    }

    /// Whether two sides were compared at all.
    pub(super) fn compares(&self) -> bool {
        self.results.base.is_some() && self.results.not_raced.is_none()
    }

    /// Whether differences may be called proved.
    pub(super) fn proves(&self) -> bool {
        self.compares() && !self.results.quick && self.verdict.usable
    }

    /// The judged cells that are proved to have changed, in the order of the results; none where nothing may be proved.
    pub(super) fn changed(&self) -> impl Iterator<Item = &Cell<'a>> {
        let proves = self.proves();
        self.judged().filter(move |cell| proves && cell.direction().is_some())
    }

    /// The cells of the pull request's family.
    pub(super) fn judged(&self) -> impl Iterator<Item = &Cell<'a>> {
        self.cells.iter().filter(|cell| cell.standing == Standing::Judged)
    }

    /// The cells of the controls' family.
    pub(super) fn controls(&self) -> impl Iterator<Item = &Cell<'a>> {
        self.cells.iter().filter(|cell| cell.standing == Standing::Control)
    }
}

/// Whether a proved difference is one to fear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Direction {
    /// A regression.
    Worse,
    /// An improvement.
    Better,
}

impl Cell<'_> {
    /// The direction of a proved difference.
    pub(super) fn direction(&self) -> Option<Direction> {
        let word = self.verdict.word;
        if word.is_regression() { Some(Direction::Worse) } else { word.is_improvement().then_some(Direction::Better) }
    }

    /// The estimated log-ratio, where it is a number.
    pub(super) fn log(&self) -> Option<f64> {
        self.verdict.centre.filter(|log| log.is_finite())
    }

    /// The difference in percent.
    pub(super) fn change_pct(&self) -> Option<f64> {
        self.log().map(number::log_to_percent).filter(|percent| percent.is_finite())
    }

    /// The difference beside what the control did in the same rounds, in percent.
    pub(super) fn beside_control_pct(&self) -> Option<f64> {
        self.verdict.beside_control.map(number::log_to_percent).filter(|percent| percent.is_finite())
    }

    /// The interval of the log-ratio, of this cell alone.
    pub(super) fn log_interval(&self) -> Option<(f64, f64)> {
        self.verdict.interval.map(|i| (i.low, i.high)).filter(|(low, high)| low.is_finite() && high.is_finite())
    }

    /// The interval in percent.
    pub(super) fn interval_pct(&self) -> Option<(f64, f64)> {
        self.log_interval()
            .map(|(low, high)| (number::log_to_percent(low), number::log_to_percent(high)))
            .filter(|(low, high)| low.is_finite() && high.is_finite())
    }

    /// The noise threshold in log units.
    pub(super) fn log_threshold(&self) -> Option<f64> {
        self.verdict.noise_threshold.map(|threshold| threshold.share.ln_1p()).filter(|threshold| threshold.is_finite())
    }

    /// The noise threshold in percent.
    pub(super) fn threshold_pct(&self) -> Option<f64> {
        self.verdict.noise_threshold.map(|threshold| threshold.share * 100.0).filter(|percent| percent.is_finite())
    }

    /// Whether the noise threshold is only what the coming look would ask for.
    pub(super) fn is_provisional(&self) -> bool {
        self.verdict.noise_threshold.is_some_and(|threshold| threshold.provisional)
    }

    /// The band of equivalence in percent.
    pub(super) fn band_pct(&self) -> f64 {
        self.verdict.band_share() * 100.0
    }

    /// Base's median, where it is a number.
    pub(super) fn base(&self) -> Option<f64> {
        self.verdict.base.filter(|value| value.is_finite())
    }

    /// Head's median, where it is a number.
    pub(super) fn head(&self) -> Option<f64> {
        self.verdict.head.filter(|value| value.is_finite())
    }

    /// Rounds that gave head a figure, with or without a pair.
    pub(super) fn head_rounds(&self) -> usize {
        self.record.rounds.iter().filter(|value| value.head.is_some_and(f64::is_finite)).count()
    }

    /// The rounds that would decide an undecided cell; absent where they are too many or not known.
    pub(super) fn needed_rounds(&self) -> Option<usize> {
        match self.verdict.needed {
            Some(Needed::Pairs(rounds)) => Some(rounds),
            Some(Needed::Over) | None => None,
        }
    }

    /// Whether it has no other side to be compared with, because it is new or gone.
    pub(super) fn is_of_one_side(&self) -> bool {
        matches!(self.verdict.unmeasured, Some(UnmeasuredReason::New | UnmeasuredReason::Gone))
    }

    /// The word that may be said of it in `run`.
    pub(super) fn word_in(&self, run: &Run) -> Word {
        let word = self.verdict.word;
        let claims = self.direction().is_some() || word == Word::Same;
        if claims && self.standing == Standing::Judged && !run.proves() { Word::Undecided } else { word }
    }

    /// Why it is failing or unmeasured.
    pub(super) fn reason(&self) -> Option<&'static str> {
        let failing = self.verdict.failing.map(|failing| label::cause(failing.cause));
        failing.or_else(|| self.verdict.unmeasured.map(label::reason))
    }
}
