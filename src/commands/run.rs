//! `deadheat run`: build, gate, race, judge; write results.json, comment.md and journal.ndjson.

use super::announce::{plan_text, standing, time_text};
use super::field::{Asked, Field};
use super::outcome::{CommandError, Finish, stopped};
use super::places::Places;
use super::prepare::{build, head_configuration};
use super::progress::{Display, minutes};
use super::referee::VerdictReferee;
use super::sides::{Sides, seed};
use super::surroundings::Surroundings;
use super::tracks::Tracks;
use crate::build::{Repository, Workshop};
use crate::cli::{RunArgs, SelectionArgs, SuiteChoice};
use crate::model::{ObservationKind, Results, Suite};
use crate::plan::{Configuration, Protocol, Selection};
use crate::process::{Supervisor, pin_this_thread};
use crate::race::{Ending, JournalFile, LaneCost, Race, Stable};
use crate::verdict::judge;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs a race as asked and prints its comment to standard output.
///
/// # Errors
/// [`CommandError`]; what was raced before is in the journal.
pub fn run(around: &mut Surroundings, arguments: &RunArgs) -> Result<Finish, CommandError> {
    if !cfg!(target_os = "linux") {
        return Err(CommandError::usage(
            "failed to measure: deadheat measures on Linux only; report, check of files and schema work here",
        ));
    }
    let repository = Repository::open(&around.directory)?;
    let out = around.directory.join(&arguments.out);
    prepare_out(&out)?;
    let places = Places::find(around, &repository, out.join("logs"))?;
    let supervisor = Supervisor::start(&around.binary).map_err(CommandError::infrastructure)?;
    let workshop = Workshop::enter(&repository, &supervisor, places.premises(around), around.cancel.clone())?;
    let display = Display::new(around.show, standing);

    let resumed = if arguments.resume {
        Some(JournalFile::resume(&journal_path(&out)).map_err(CommandError::usage)?)
    } else {
        None
    };
    let sides = sides(&repository, arguments, resumed.as_ref().map(|(results, _)| results), workshop.directory())?;
    let configuration = head_configuration(&workshop, &sides, &places, around.color)?;
    let same_asked = arguments.base.is_some() && sides.changed.is_empty();
    if let Some(reason) = sides.nothing_to_compare(&configuration.build.ignore)?.filter(|_| !same_asked) {
        around.print(&format!("{reason}\n"))?;
        return Ok(Finish::Done);
    }
    let selection = selection(&configuration, &arguments.selection)?;
    let protocol = protocol(&configuration, arguments, resumed.as_ref().map(|(results, _)| results));
    let seed = resumed.as_ref().map_or_else(|| seed(arguments.seed), |(results, _)| results.seed);
    let tracks = Tracks::of_machine(&configuration).map_err(CommandError::infrastructure)?;

    let mut grid = build(around, &supervisor, &workshop, &sides, configuration, &selection, &display)?;
    let mut stable = Stable::new(&supervisor, seed.0, places.logs.clone(), around.cancel.clone());
    grid.gate(&mut stable, &selection, &tracks, &sides, &display)?;
    let asked = Asked { selection: &selection, protocol: &protocol, seed, quick: arguments.quick };
    let field = Field::line_up(&grid, &sides, &tracks, &asked);
    display.say(&plan_text(&grid, &field, &protocol, selection.has_suite(Suite::Http)));

    let (mut results, mut journal) = match resumed {
        None => {
            let journal =
                JournalFile::create(&journal_path(&out), &field.results).map_err(CommandError::infrastructure)?;
            (field.results.clone(), journal)
        }
        Some((earlier, journal)) => {
            check_same_race(&earlier, &field.results)?;
            display.say(&format!("resuming after round {} with seed {seed}", earlier.rounds));
            (earlier, journal)
        }
    };
    let ending = race(&supervisor, &field, &protocol, &selection, &mut results, stable, &mut journal, display)?;
    finish(around, &repository, arguments, &out, results, ending)
}

#[expect(clippy::too_many_arguments, reason = "everything that was prepared comes together here")]
fn race(
    supervisor: &Supervisor,
    field: &Field,
    protocol: &Protocol,
    selection: &Selection,
    results: &mut Results,
    stable: Stable<'_>,
    journal: &mut JournalFile,
    mut display: Display,
) -> Result<Ending, CommandError> {
    let questions: Vec<_> = field.setup.questions.values().map(|question| question.scenario().clone()).collect();
    let cost = LaneCost::new(protocol, &questions, selection.has_suite(Suite::Http));
    let referee = VerdictReferee;
    let race = Race { lanes: &field.lanes, cost: &cost, budget: protocol.budget, referee: &referee };
    if let Some(track) = field.setup.tracks.values().next() {
        // Neither the guard nor any thread of this process may wake on a server's CPU. Refused pinning of servers is
        // what a reader is warned of; it implies this one.
        let _ = supervisor.pin_guard(&track.load_cpus);
        let _ = pin_this_thread(&track.load_cpus);
    }
    let mut course = stable.course(&field.setup);
    let ended = race.run(results, &mut course, journal, &mut display);
    display.end();
    ended.map_err(|stop| {
        let kept = if results.rounds == 0 {
            "no round was finished".to_owned()
        } else {
            format!("{} finished rounds are kept in the journal", results.rounds)
        };
        stopped(stop, Some(&kept))
    })
}

/// Writes what was found and says it.
fn finish(
    around: &mut Surroundings,
    repository: &Repository,
    arguments: &RunArgs,
    out: &Path,
    mut results: Results,
    ending: Ending,
) -> Result<Finish, CommandError> {
    keep_steady_observations(&mut results);
    if ending == Ending::Budget && results.rounds < 8 {
        results.warnings.push(format!(
            "the budget of {} ended the race after {} rounds; 8 are needed to prove that nothing changed and 12 to prove a change",
            minutes(Duration::from_secs_f64(results.protocol.budget_s)),
            results.rounds
        ));
    }
    let name = if results.quick { "quick.json" } else { "results.json" };
    let text = serde_json::to_string(&results).map_err(CommandError::infrastructure)?;
    write(&out.join(name), &text)?;
    let verdict = judge(&results);
    let publication = super::keep::publication(around, repository, &results, &verdict);
    let comment = super::report::markdown(&results, &verdict, &publication)?;
    write(&out.join("comment.md"), &comment)?;
    around.print(&if arguments.json { super::report::json(&results)? } else { comment })?;
    let shown = out.join(name);
    super::progress::note(around.show, &format!("\n{}\nresults: {}", time_text(&results), shown.display()));
    super::keep::keep_baseline(around, repository, arguments, &results, &verdict);
    // A head that no longer answers as base does is worse than a slow one.
    let broken = verdict.cells.iter().any(|cell| cell.failing.is_some_and(|failing| failing.is_regression()));
    Ok(if !verdict.usable {
        Finish::Unusable
    } else if results.judging.fail_on_regression && (verdict.counts.regressions > 0 || broken) {
        Finish::Regression
    } else {
        Finish::Done
    })
}

/// A stall or growth that is seen now and then is the machine's; one that is seen in most rounds is the server's.
fn keep_steady_observations(results: &mut Results) {
    let rounds = results.rounds;
    results.observations.retain(|observation| {
        let often = observation.times * 2 >= rounds;
        match observation.kind {
            ObservationKind::Stalled | ObservationKind::MemoryGrew | ObservationKind::SelfCheckFailed => often,
            _ => true,
        }
    });
}

fn sides(
    repository: &Repository,
    arguments: &RunArgs,
    resumed: Option<&Results>,
    scratch: &Path,
) -> Result<Sides, CommandError> {
    let Some(earlier) = resumed else {
        return Sides::resolve(repository, arguments.base.as_deref(), arguments.head.as_deref(), scratch);
    };
    let base = earlier.base.as_ref().map_or("none", |base| base.sha.as_str());
    let head = (!earlier.head.dirty).then(|| earlier.head.sha.as_str());
    let mut sides = Sides::resolve(repository, Some(base), head, scratch)?;
    if sides.head.sha != earlier.head.sha || sides.head.snapshot != earlier.head.snapshot {
        return Err(CommandError::usage(format!(
            "failed to resume: head was {} with uncommitted changes, which are no longer what is checked out",
            earlier.head.sha.short()
        )));
    }
    sides.head.rev.clone_from(&earlier.head.rev);
    if let (Some(base), Some(before)) = (&mut sides.base, &earlier.base) {
        base.rev.clone_from(&before.rev);
    }
    Ok(sides)
}

/// A race is resumed only as what it was.
fn check_same_race(earlier: &Results, now: &Results) -> Result<(), CommandError> {
    let differs = |what: &str| {
        Err(CommandError::usage(format!(
            "failed to resume: {what} differ from those of the interrupted run; give the same options, or start anew without --resume"
        )))
    };
    if earlier.protocol != now.protocol || earlier.judging != now.judging {
        return differs("protocol or verdict settings");
    }
    let keys =
        |results: &Results| -> Vec<_> { results.cells.iter().map(|cell| (cell.key.clone(), cell.standing)).collect() };
    if keys(earlier) != keys(now) || earlier.entries != now.entries {
        return differs("entries or scenarios");
    }
    Ok(())
}

/// What the user asked to be raced, checked against the configuration.
pub(super) fn selection(configuration: &Configuration, arguments: &SelectionArgs) -> Result<Selection, CommandError> {
    let suite = |choice: &SuiteChoice| match choice {
        SuiteChoice::Http => Suite::Http,
        SuiteChoice::Boot => Suite::Boot,
    };
    let selection = Selection {
        variants: arguments.variants.clone(),
        runtimes: arguments.runtimes.clone(),
        suites: arguments.suites.iter().map(suite).collect(),
        scenarios: arguments.scenarios.clone(),
    };
    let unknown: Vec<String> = selection.unknown_names(configuration).iter().map(ToString::to_string).collect();
    if unknown.is_empty() { Ok(selection) } else { Err(CommandError::Usage(unknown.join("\n"))) }
}

fn protocol(configuration: &Configuration, arguments: &RunArgs, resumed: Option<&Results>) -> Protocol {
    let mut protocol = configuration.protocol.clone();
    if let Some(budget) = arguments.selection.budget {
        protocol.budget = budget;
    }
    if let Some(rounds) = arguments.rounds {
        (protocol.rounds_min, protocol.rounds_max) = (rounds, rounds);
    }
    if arguments.quick {
        protocol.warmup = Duration::from_millis(100);
        protocol.measure = Duration::from_millis(200);
        protocol.slices = 4;
        (protocol.rounds_min, protocol.rounds_max) = (2, 2);
    }
    if let Some(earlier) = resumed {
        protocol.budget = Duration::from_secs_f64(earlier.protocol.budget_s);
        (protocol.rounds_min, protocol.rounds_max) = (earlier.protocol.rounds_min, earlier.protocol.rounds_max);
    }
    protocol
}

fn journal_path(out: &Path) -> PathBuf {
    out.join("journal.ndjson")
}

/// Makes the output directory.
fn prepare_out(out: &Path) -> Result<(), CommandError> {
    let failed =
        |error: std::io::Error| CommandError::infrastructure(format!("failed to create {}: {error}", out.display()));
    fs::create_dir_all(out.join("logs")).map_err(failed)?;
    super::own_directory::hide_from_git(out).map_err(failed)
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    fs::write(path, text)
        .map_err(|error| CommandError::infrastructure(format!("failed to write {}: {error}", path.display())))
}
