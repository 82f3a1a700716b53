//! One build under both names: what is chosen, and how it lines up.

use crate::commands::field::{Asked, Field};
use crate::commands::prepare::Grid;
use crate::commands::sides::Sides;
use crate::commands::tracks::Tracks;
use crate::model::{CalibrationRecord, GateRecord, Role, Side};
use crate::plan::{Configuration, Selection};

/// Whom the selection asks for: where it names no variant, the subjects, or everybody where nobody is one.
pub(super) fn chosen(configuration: &Configuration, selection: Selection) -> Selection {
    if !selection.variants.is_empty() {
        return selection;
    }
    let subjects = configuration.variants.iter().filter(|variant| variant.role == Role::Subject);
    Selection { variants: subjects.map(|variant| variant.name.clone()).collect(), ..selection }
}

/// Head against itself.
pub(super) fn against_itself(sides: Sides) -> Sides {
    Sides { base: Some(sides.head.clone()), ..sides }
}

/// Lets head's build stand on both sides, with what the gate found of it, and makes everybody a subject: what is chosen is
/// raced in pairs.
pub(super) fn stand_on_both_sides(grid: &mut Grid) {
    for runner in &mut grid.runners {
        runner.entry.variant.role = Role::Subject;
        runner.runs.base = runner.runs.head;
        runner.contender.builds.base.clone_from(&runner.contender.builds.head);
    }
    let heads: Vec<GateRecord> = grid.gate.iter().filter(|record| record.side == Side::Head).cloned().collect();
    grid.gate.retain(|record| record.side == Side::Head);
    grid.gate.extend(heads.into_iter().map(|record| GateRecord { side: Side::Base, ..record }));
}

/// Lines everybody up, and says in the results what was made of the builds.
pub(super) fn line_up(
    grid: &Grid,
    sides: &Sides,
    tracks: &Tracks,
    asked: &Asked<'_>,
    made: CalibrationRecord,
) -> Field {
    let mut field = Field::line_up(grid, sides, tracks, asked);
    field.results.calibration = Some(made);
    field
}
