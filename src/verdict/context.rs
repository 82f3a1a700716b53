//! What is looked up for every cell of a run: its entry, its gate, its attempts, its family.

use super::decide::{Decision, decide};
use super::failing::{Attempts, Failing, UnmeasuredReason};
use super::family::Family;
use super::gate::{Findings, Standpoint, better, by_findings, by_presence, by_starts};
use super::limits::Limits;
use super::looks::{Critical, MIN_PAIRS};
use super::pairs::Pair;
use crate::model::{
    Case, CellKey, CellRecord, EntryName, EntryRecord, GateOutcome, Lineup, Metric, PerSide, Polarity, Presence,
    RegimeName, Results, Standing, Suite,
};
use std::collections::HashMap;
use std::rc::Rc;

type CaseKey<'a> = (&'a EntryName, Option<&'a RegimeName>, &'a Case);

/// The run as the judge looks things up in it.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    results: &'a Results,
    entries: HashMap<&'a EntryName, &'a EntryRecord>,
    gate: HashMap<(&'a EntryName, &'a Case), Findings>,
    starts: HashMap<&'a EntryName, Findings>,
    attempts: HashMap<CaseKey<'a>, Attempts>,
    families: Rc<Families>,
}

/// Both families of a run. They are fixed before its first round, so that whoever judges a run after every round of it
/// can keep them, and with them the quantiles that they have looked up.
#[derive(Debug)]
pub(crate) struct Families {
    judged: Family,
    controls: Family,
}

impl Families {
    fn of<'a>(
        judged: impl Iterator<Item = &'a CellKey>,
        controls: impl Iterator<Item = &'a CellKey>,
        level: f64,
    ) -> Rc<Self> {
        Rc::new(Self { judged: Family::of(judged, level), controls: Family::of(controls, level) })
    }
}

impl<'a> Context<'a> {
    /// Indexes `results`.
    pub(crate) fn new(results: &'a Results) -> Self {
        let level = results.judging.false_alarms;
        let context = Self::within(results, Families::of(std::iter::empty(), std::iter::empty(), level));
        let members = |standing| {
            let context = &context;
            results.cells.iter().filter(move |cell| context.standing(cell) == standing).map(|cell| &cell.key)
        };
        let families = Families::of(members(Standing::Judged), members(Standing::Control), level);
        Self { families, ..context }
    }

    /// The families that cells are judged in.
    pub(crate) fn families(&self) -> Rc<Families> {
        Rc::clone(&self.families)
    }

    /// Indexes `results`, whose cells are judged as members of `families`.
    pub(crate) fn within(results: &'a Results, families: Rc<Families>) -> Self {
        let mut context = Self {
            results,
            entries: results.entries.iter().map(|entry| (&entry.name, entry)).collect(),
            gate: HashMap::new(),
            starts: HashMap::new(),
            attempts: HashMap::new(),
            families,
        };
        for record in &results.gate {
            let finding = context.gate.entry((&record.entry, &record.case)).or_default();
            *finding.get_mut(record.side) = Some(record.outcome);
            if record.case.is_run() {
                continue;
            }
            let start = context.starts.entry(&record.entry).or_default().get_mut(record.side);
            *start = Some(better(*start, record.outcome));
        }
        for attempt in &results.attempts {
            let key = (&attempt.entry, attempt.regime.as_ref(), &attempt.case);
            context.attempts.entry(key).or_default().add(attempt);
        }
        context
    }

    /// As what a cell is judged. What is recorded as judged and is yet info, new or gone stands outside; all of that is
    /// known before the first round, so that the family never depends on what was measured.
    pub(crate) fn standing(&self, cell: &CellRecord) -> Standing {
        let info = cell.key.metric.polarity(cell.key.suite) == Polarity::Info;
        let derived = matches!(cell.key.case, Case::Mix(_) | Case::Category(_));
        // Files have no noise: their size is compared exactly.
        let exact = cell.key.metric == Metric::OutputSize;
        if info || derived || exact || (cell.standing == Standing::Judged && self.is_one_sided(&cell.key)) {
            return Standing::Outside;
        }
        cell.standing
    }

    fn is_one_sided(&self, key: &CellKey) -> bool {
        let findings = self.findings(key);
        let base_fails = matches!(findings.base, Some(GateOutcome::Failed | GateOutcome::NotAsked));
        self.entries.get(&key.entry).is_some_and(|entry| entry.presence != Presence::Both)
            || (base_fails
                && findings.head == Some(GateOutcome::Passed)
                && (matches!(key.case, Case::Scenario(_)) || key.case.is_run()))
    }

    fn findings(&self, key: &CellKey) -> Findings {
        let found = match &key.case {
            Case::Scenario(_) | Case::Process(_) | Case::Build(_) => self.gate.get(&(&key.entry, &key.case)),
            Case::Start => self.starts.get(&key.entry),
            Case::Mix(_) | Case::Category(_) => None,
        };
        found.copied().unwrap_or(PerSide { base: None, head: None })
    }

    /// The cell's limits, with what the configuration says is relevant.
    pub(crate) fn limits(&self, key: &CellKey) -> Limits {
        let native = self.entries.get(&key.entry).is_some_and(|entry| entry.runtime.is_native());
        Limits::configured(key.suite, key.metric, native, &self.results.judging)
    }

    /// The quantiles of the cell's family; absent outside both.
    pub(crate) fn critical(&self, standing: Standing, key: &CellKey) -> Option<&Critical> {
        match standing {
            Standing::Judged => Some(self.families.judged.critical(key)),
            Standing::Control => Some(self.families.controls.critical(key)),
            Standing::Outside => None,
        }
    }

    /// What the cell's own pairs prove; nothing outside the families and in a quick run.
    pub(crate) fn decision(&self, standing: Standing, key: &CellKey, pairs: &[Pair]) -> Decision {
        match self.critical(standing, key) {
            Some(critical) if !self.results.quick => decide(pairs, &self.limits(key), critical),
            _ => Decision::Undecided,
        }
    }

    /// Whether the cell can be compared, given how many valid pairs it has.
    pub(crate) fn standpoint(&self, cell: &CellRecord, pairs: usize) -> Standpoint {
        if self.results.quick {
            return Standpoint::Unmeasured(UnmeasuredReason::Quick);
        }
        let before = self.before_the_rounds(cell, pairs);
        if before != Standpoint::Comparable {
            return before;
        }
        if let Some(failing) = self.failing(&cell.key, pairs) {
            return Standpoint::Failing(failing);
        }
        if self.is_generator_limited(&cell.key) {
            return Standpoint::Unmeasured(UnmeasuredReason::GeneratorLimited);
        }
        if pairs > 0 {
            return Standpoint::Comparable;
        }
        let one_sided = cell.rounds.iter().any(|value| value.base.is_some() != value.head.is_some());
        Standpoint::Unmeasured(if self.results.base.is_none() {
            UnmeasuredReason::NoBase
        } else if one_sided && self.lineup(&cell.key) == Some(Lineup::OneSided) {
            UnmeasuredReason::OneSided
        } else {
            UnmeasuredReason::NoRounds
        })
    }

    /// Whether the line-up or the gate keeps the cell from being compared, before any round of it is looked at.
    pub(crate) fn is_barred(&self, cell: &CellRecord, pairs: usize) -> bool {
        self.before_the_rounds(cell, pairs) != Standpoint::Comparable
    }

    /// Whether the attempts so far make the cell failing.
    pub(crate) fn is_failing(&self, key: &CellKey, pairs: usize) -> bool {
        self.failing(key, pairs).is_some()
    }

    /// Whether the cell is about speed, and the load generator was the limit in most of its rounds: what it then measured
    /// is the generator. CPU per request and memory are the server's own.
    pub(crate) fn is_generator_limited(&self, key: &CellKey) -> bool {
        let of_the_server = matches!(key.metric, Metric::CpuPerRequest | Metric::LoadedMemory);
        key.suite == Suite::Http
            && !of_the_server
            && matches!(key.case, Case::Scenario(_))
            && self.attempts.get(&(&key.entry, key.regime.as_ref(), &key.case)).is_some_and(Attempts::generator_limited)
    }

    fn lineup(&self, key: &CellKey) -> Option<Lineup> {
        self.entries.get(&key.entry).map(|entry| entry.lineup)
    }

    fn before_the_rounds(&self, cell: &CellRecord, pairs: usize) -> Standpoint {
        if self.results.base.is_none() && cell.standing != Standing::Control {
            // Head's standings alone: the gate has nothing to compare, whatever it found.
            return Standpoint::Comparable;
        }
        let presence = self.entries.get(&cell.key.entry).map_or(Presence::Both, |entry| entry.presence);
        let by_presence = by_presence(presence);
        // References are gated on head's build alone, which serves both sides.
        let one_build = matches!(self.lineup(&cell.key), Some(Lineup::Control | Lineup::OneSided));
        if by_presence != Standpoint::Comparable || one_build || cell.standing == Standing::Control {
            return by_presence;
        }
        let findings = self.findings(&cell.key);
        if findings.base.is_none() && pairs > 0 {
            return Standpoint::Comparable;
        }
        if cell.key.case == Case::Start { by_starts(findings) } else { by_findings(findings) }
    }

    /// The failing rule over the cell's own attempts; while a scenario lacks the pairs for a verdict, a server that fails
    /// to start fails it too.
    fn failing(&self, key: &CellKey, pairs: usize) -> Option<Failing> {
        let of = |case| self.attempts.get(&(&key.entry, key.regime.as_ref(), case)).and_then(Attempts::failing);
        let starts_matter = pairs < MIN_PAIRS && matches!(key.case, Case::Scenario(_));
        of(&key.case).or_else(|| starts_matter.then(|| of(&Case::Start)).flatten())
    }
}
