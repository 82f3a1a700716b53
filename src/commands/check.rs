//! `deadheat check`: read everything, print the plan, build, gate every entry once; measure nothing.

use super::announce::{plan_text, standing};
use super::field::{Asked, ControlChoice, Field};
use super::outcome::{CommandError, Finish};
use super::places::Places;
use super::prepare::{build, head_configuration};
use super::progress::Display;
use super::run::selection;
use super::scratch_builder::ScratchBuilder;
use super::sides::{Sides, seed};
use super::surroundings::Surroundings;
use super::tracks::Tracks;
use crate::build::{Repository, Workshop};
use crate::cli::CheckArgs;
use crate::model::{Failure, GateOutcome, GateRecord, Side, Suite};
use crate::process::Supervisor;
use crate::race::Stable;
use std::fmt::Write as _;
use std::path::Path;

/// Checks the work tree as it is.
///
/// # Errors
/// [`CommandError`]; an entry that does not pass is one too.
pub fn check(around: &mut Surroundings, arguments: &CheckArgs) -> Result<Finish, CommandError> {
    // The user's files first, as they lie here: their mistakes need no commit, no build and no git.
    let file = super::configured::configuration_file(around)?;
    let beside = file.parent().and_then(|directory| directory.strip_prefix(&around.directory).ok());
    super::configured::configuration_at(&file, beside.unwrap_or(Path::new("")), around.color)?;
    let repository = Repository::open(&around.directory)?;
    let logs = tempfile::tempdir().map_err(CommandError::infrastructure)?;
    let places = Places::find(around, &repository, logs.path().to_owned())?;
    let supervisor = Supervisor::start(&around.binary).map_err(CommandError::infrastructure)?;
    let workshop = Workshop::enter(&repository, &supervisor, places.premises(around), around.cancel.clone())?;
    let mut display = Display::new(around.show, standing);
    let sides = Sides::resolve(&repository, Some("none"), None, workshop.directory())?;
    let configuration = head_configuration(&workshop, &sides, &places, around.color)?;
    let selection = selection(&configuration, &arguments.selection)?;
    let mut protocol = configuration.protocol.clone();
    if let Some(budget) = arguments.selection.budget {
        protocol.budget = budget;
    }
    let tracks = Tracks::of_machine(&configuration).map_err(CommandError::infrastructure)?;
    display.phase("build");
    let mut grid = build(around, &supervisor, &workshop, &sides, configuration, &selection, &display)?;
    let seed = seed(Some(0));
    let builder = ScratchBuilder::new(&supervisor, &around.cancel, grid.configuration.build.time_limit);
    let mut stable = Stable::new(&supervisor, seed.0, places.logs.clone(), around.cancel.clone(), &builder);
    display.phase("gate");
    grid.gate(&mut stable, &selection, &tracks, &sides, &display)?;
    display.end();

    // A pull request's race is what the budget is for: the plan is shown as if base had built and passed likewise.
    let mut text = String::new();
    let asked =
        Asked { selection: &selection, protocol: &protocol, seed, quick: false, control: ControlChoice::Anybody };
    let compared = Sides { base: Some(sides.head.clone()), ..sides };
    for runner in &mut grid.runners {
        runner.runs.base = runner.runs.head;
    }
    let gate = grid.gate.clone();
    grid.gate.extend(gate.into_iter().map(|record| GateRecord { side: Side::Base, ..record }));
    let field = Field::line_up(&grid, &compared, &tracks, &asked);
    for warning in &field.results.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    let _ = writeln!(text, "{}", plan_text(&grid, &field, &protocol, selection.has_suite(Suite::Http)));
    let mut failed = 0;
    for runner in &grid.runners {
        let name = &runner.entry.name;
        let records: Vec<_> =
            grid.gate.iter().filter(|record| record.entry == *name && record.side == Side::Head).collect();
        let passed = records.iter().filter(|record| record.outcome == GateOutcome::Passed).count();
        let failures: Vec<&Failure> = grid.failures.iter().filter(|failure| failure.entry == *name).collect();
        if failures.is_empty() && passed == records.len() {
            let _ = writeln!(text, "ok      {name}: {passed} of {}", asked_of(&records));
            continue;
        }
        failed += 1;
        let _ = writeln!(text, "failed  {name}: {passed} of {}", asked_of(&records));
        for failure in failures {
            let scenario = failure.scenario.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
            let _ = writeln!(text, "        {scenario}{}", failure.message);
            for line in failure.output.iter().flat_map(|output| output.lines()) {
                let _ = writeln!(text, "        | {line}");
            }
        }
    }
    for seen in &grid.observations {
        let _ = writeln!(text, "note    {} ({}): {}", seen.entry, seen.side, seen.message);
    }
    if arguments.json {
        text = serde_json::to_string_pretty(&field.results).map_err(CommandError::infrastructure)? + "\n";
    }
    if arguments.json {
        around.print_json(&text)?;
    } else {
        around.print_text("plan", &text)?;
    }
    if failed > 0 {
        return Err(CommandError::usage(format!(
            "failed to pass the gate: {failed} of {} entries do not answer as the contract says",
            grid.runners.len()
        )));
    }
    Ok(Finish::Done)
}

/// How many scenarios and commands an entry was asked for.
fn asked_of(records: &[&GateRecord]) -> String {
    let commands = records.iter().filter(|record| record.case.is_run()).count();
    match (commands, records.len() - commands) {
        (0, scenarios) => format!("{scenarios} scenarios"),
        (commands, 0) => format!("{commands} commands"),
        _ => format!("{} scenarios and commands", records.len()),
    }
}
