//! Racing one made-up pull request by the real rule.

use super::tally::Tally;
use crate::model::{Case, CellKey, Results, Standing};
use crate::verdict::context::{Context, Families};
use crate::verdict::leaving::{StillRacing, still_racing_within};
use crate::verdict::run::judge_within;
use std::rc::Rc;

/// Cells that are measured together: a scenario of an entry under a regime, or its start.
#[derive(Clone, Debug)]
pub(super) struct Heat {
    /// Any of its cells' keys.
    key: CellKey,
    /// Its cells, as places in the run's.
    pub(super) cells: Vec<usize>,
    /// Whether it is slowed.
    pub(super) slowed: bool,
    /// The rounds that it has raced.
    rounds: u32,
}

/// A run to be raced again and again with other rounds.
pub(super) struct Field {
    run: Results,
    families: Rc<Families>,
    heats: Vec<Heat>,
}

impl Field {
    /// Races `run`, whose own rounds are forgotten, and whose cells are judged in `families`; `slowed` says what is slowed.
    pub(super) fn new(run: Results, families: Rc<Families>, slowed: impl Fn(&CellKey) -> bool) -> Self {
        let mut heats: Vec<Heat> = Vec::new();
        for (index, cell) in run.cells.iter().enumerate() {
            let key = &cell.key;
            let same = |heat: &&mut Heat| {
                (&heat.key.case, &heat.key.entry, &heat.key.regime) == (&key.case, &key.entry, &key.regime)
            };
            match heats.iter_mut().find(same) {
                Some(heat) => heat.cells.push(index),
                None => heats.push(Heat { key: key.clone(), cells: vec![index], slowed: slowed(key), rounds: 0 }),
            }
        }
        Self { run, families, heats }
    }

    /// Races one pull request to its end and counts what became of it. `draw` adds the values of a round to the cells of a
    /// heat; it is asked round by round, for those who are still in.
    pub(super) fn race(&mut self, mut draw: impl FnMut(&mut Results, &Heat)) -> Tally {
        self.run.rounds = 0;
        self.run.cells.iter_mut().for_each(|cell| cell.rounds.clear());
        self.heats.iter_mut().for_each(|heat| heat.rounds = 0);
        let mut still = self.still_racing();
        while !still.done {
            let mut anybody = false;
            for heat in &mut self.heats {
                if is_in(&still, &heat.key) {
                    anybody = true;
                    heat.rounds += 1;
                    draw(&mut self.run, heat);
                }
            }
            if !anybody {
                break;
            }
            self.run.rounds += 1;
            // Nobody leaves before the fewest rounds, whatever was measured.
            let protocol = &self.run.protocol;
            if self.run.rounds >= protocol.rounds_min.min(protocol.rounds_max) {
                still = self.still_racing();
            }
        }
        self.count()
    }

    fn still_racing(&self) -> StillRacing {
        still_racing_within(&self.run, &Context::within(&self.run, Rc::clone(&self.families)))
    }

    fn count(&self) -> Tally {
        let verdict = judge_within(&self.run, &Context::within(&self.run, Rc::clone(&self.families)));
        let mut tally = Tally {
            pulls: 1,
            shifted: u32::from(verdict.shift.is_some()),
            unusable: u32::from(!verdict.usable),
            ..Tally::default()
        };
        let mut flagged = false;
        for heat in &self.heats {
            let cells = || heat.cells.iter().map(|&index| &verdict.cells[index]);
            if !cells().any(|cell| cell.standing == Standing::Judged) {
                continue;
            }
            if heat.slowed {
                tally.found |= u32::from(cells().any(|cell| cell.word.is_regression()));
                tally.slowed_scenarios += 1;
                tally.slowed_rounds += u64::from(heat.rounds);
            } else {
                flagged |= cells().any(|cell| cell.standing == Standing::Judged && cell.decision.is_changed());
                if matches!(heat.key.case, Case::Scenario(_)) {
                    tally.unchanged_scenarios += 1;
                    tally.unchanged_rounds += u64::from(heat.rounds);
                }
            }
        }
        tally.flagged = u32::from(flagged);
        tally
    }
}

fn is_in(still: &StillRacing, key: &CellKey) -> bool {
    still.find(&key.entry, key.regime.as_ref()).is_some_and(|entry| match &key.case {
        Case::Scenario(scenario) => entry.scenarios.contains(scenario),
        Case::Start => entry.is_in(),
        Case::Process(_) | Case::Build(_) => entry.runs.contains(&key.case),
        Case::Mix(_) | Case::Category(_) => false,
    })
}
