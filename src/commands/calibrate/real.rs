//! The calibration of this machine: identical builds raced against each other, and a slowdown that is known.

use super::drawn::{false_flags, provable};
use super::identical::{Identical, race_identical};
use super::one_build::{against_itself, chosen, stand_on_both_sides};
use super::slowed::{NotSlowed, race_slowed};
use super::stage::Stage;
use crate::build::{Repository, Workshop};
use crate::cli::CalibrateArgs;
use crate::commands::announce::standing;
use crate::commands::field::{Asked, ControlChoice};
use crate::commands::outcome::CommandError;
use crate::commands::own_directory::hide_from_git;
use crate::commands::places::Places;
use crate::commands::prepare::{build, head_configuration};
use crate::commands::progress::{Display, note};
use crate::commands::run::selection;
use crate::commands::scratch_builder::ScratchBuilder;
use crate::commands::sides::{Sides, seed};
use crate::commands::tracks::Tracks;
use crate::commands::{Finish, Surroundings};
use crate::plan::Protocol;
use crate::process::{Supervisor, allowed_cpus, pin_this_thread};
use crate::report::{CalibrationInput, SlowedInput, calibration_page, describe_calibration};
use std::fs;
use std::time::Duration;

/// The time for each of the two races, where none is asked for.
const BUDGET: Duration = Duration::from_mins(10);

/// Measures what this machine can prove, and prints the page.
///
/// # Errors
/// [`CommandError`].
pub(super) fn real(around: &mut Surroundings, arguments: &CalibrateArgs) -> Result<Finish, CommandError> {
    if !cfg!(target_os = "linux") {
        return Err(CommandError::usage(
            "failed to calibrate: deadheat measures on Linux only; --synthetic works here",
        ));
    }
    let out = around.directory.join(&arguments.out);
    let failed =
        |error: std::io::Error| CommandError::infrastructure(format!("failed to create {}: {error}", out.display()));
    fs::create_dir_all(out.join("logs")).map_err(failed)?;
    hide_from_git(&out).map_err(failed)?;
    let document = races(around, arguments, out.clone())?;
    let json = serde_json::to_string_pretty(&document).map_err(CommandError::infrastructure)? + "\n";
    let page = calibration_page(&document);
    for (name, text) in [("calibration.json", &json), ("calibration.md", &page)] {
        let path = out.join(name);
        fs::write(&path, text)
            .map_err(|error| CommandError::infrastructure(format!("failed to write {}: {error}", path.display())))?;
    }
    if arguments.json {
        around.print_json(&json)?;
    } else {
        around.print_text("calibration", &page)?;
    }
    note(around.show, &format!("aa.json, slowed.json, calibration.json and calibration.md are in {}", out.display()));
    Ok(Finish::Done)
}

fn races(
    around: &Surroundings,
    arguments: &CalibrateArgs,
    out: std::path::PathBuf,
) -> Result<crate::report::Calibration, CommandError> {
    let repository = Repository::open(&around.directory)?;
    let places = Places::find(around, &repository, out.join("logs"))?;
    let supervisor = Supervisor::start(&around.binary).map_err(CommandError::infrastructure)?;
    let workshop = Workshop::enter(&repository, &supervisor, places.premises(around), around.cancel.clone())?;
    let mut display = Display::new(around.show, standing);
    let sides = Sides::resolve(&repository, Some("none"), None, workshop.directory())?;
    let configuration = head_configuration(&workshop, &sides, &places, around.color)?;
    let selection = chosen(&configuration, selection(&configuration, &arguments.selection)?);
    let budget = arguments.selection.budget.unwrap_or(BUDGET);
    let configured = Protocol { budget, ..configuration.protocol.clone() };
    let tracks = Tracks::of_machine(&configuration).map_err(CommandError::infrastructure)?;
    let seed = seed(arguments.seed);
    let cpus = allowed_cpus().map_err(CommandError::infrastructure)?;
    let builder = ScratchBuilder::new(&supervisor, &around.cancel, configuration.build.time_limit);
    let stage = Stage {
        supervisor: &supervisor,
        logs: places.logs.clone(),
        cancel: around.cancel.clone(),
        binary: &around.binary,
        out,
        builder: &builder,
    };

    display.phase("build");
    let mut grid = build(around, &supervisor, &workshop, &sides, configuration, &selection, &display)?;
    display.phase("gate");
    grid.gate(&mut stage.stable(seed.0), &selection, &tracks, &sides, &display)?;
    stand_on_both_sides(&mut grid);
    let sides = against_itself(sides);

    display.phase("identical builds");
    let fixed = Protocol { rounds_min: arguments.rounds, rounds_max: arguments.rounds, ..configured.clone() };
    let asked = Asked { selection: &selection, protocol: &fixed, seed, quick: false, control: ControlChoice::Nobody };
    let Identical { results: identical, parts } = race_identical(&stage, &grid, &sides, &tracks, &asked, &mut display)?;
    stage.keep("aa.json", &identical)?;

    display.phase("known slowdown");
    let asked =
        Asked { selection: &selection, protocol: &configured, seed, quick: false, control: ControlChoice::Nobody };
    let share = arguments.slowdown / 100.0;
    let slowed = match race_slowed(&stage, &mut grid, &sides, &tracks, &asked, share, &mut display) {
        Ok(slowed) => {
            stage.keep("slowed.json", &slowed.results)?;
            Ok(slowed)
        }
        Err(NotSlowed::Because(reason)) => Err(reason),
        Err(NotSlowed::Stopped(error)) => return Err(error),
    };
    display.passing("drawing pull requests from the rounds");
    // Nothing is measured any more, so that this thread may have every CPU again.
    let _ = pin_this_thread(&cpus);
    let resampled = false_flags(&identical, seed, &around.cancel)?;
    let provable = provable(&identical, &parts, seed, &around.cancel)?;
    display.end();

    let known = slowed.as_ref().map_err(Clone::clone).map(|slowed| SlowedInput {
        results: &slowed.results,
        entry: &slowed.entry,
        scenario: &slowed.scenario,
        delay_ns: slowed.delay.delay_ns,
        request_us: slowed.delay.request_us,
        busy: slowed.busy,
    });
    Ok(describe_calibration(&CalibrationInput {
        identical: &identical,
        asked_rounds: arguments.rounds,
        parts: &parts,
        resampled,
        provable: &provable,
        slowed: known,
    }))
}
