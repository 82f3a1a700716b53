//! `deadheat run`: build, gate, race, judge; write results.json, comment.md and journal.ndjson.

use super::announce::{plan_text, standing};
use super::busy_machine::BusyMachine;
use super::deliver::Delivery;
use super::field::{Asked, ControlChoice, Field};
use super::keep;
use super::not_raced::Known;
use super::order::{Decision, decide};
use super::outcome::{CommandError, Finish, stopped};
use super::places::Places;
use super::prepare::{build, head_configuration};
use super::progress::{Display, minutes};
use super::referee::VerdictReferee;
use super::resume;
use super::scratch_builder::ScratchBuilder;
use super::sides::{Sides, seed};
use super::step::Step;
use super::surroundings::Surroundings;
use super::tracks::Tracks;
use crate::build::{Repository, Workshop};
use crate::cli::{RunArgs, SelectionArgs, SuiteChoice};
use crate::model::{NotRacedReason, ObservationKind, Results, Suite};
use crate::plan::{Configuration, Protocol, Selection};
use crate::process::{Supervisor, pin_this_thread};
use crate::race::{Ending, JournalFile, LaneCost, Race, Setup, Stable};
use crate::verdict::judge;
use std::time::Duration;

/// How a run ended that did what it was asked.
enum Ended {
    Raced { results: Box<Results>, accepted_by: Option<String> },
    NotRaced { reason: NotRacedReason, message: String },
}

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
    let delivery = Delivery::open(around.directory.join(&arguments.out), arguments.json, Step::of(around)?)?;
    if let Some(step) = &delivery.step {
        step.warn_of_credentials(around, &repository);
    }
    let mut known = Known::new(arguments.quick);
    known.head(&repository, None);
    let not_raced = match decided(around, arguments, &repository, &delivery, &mut known) {
        Ok(Ended::Raced { results, accepted_by }) => {
            let verdict = judge(&results);
            let publication = keep::publication(around, &repository, &results, &verdict);
            let finish = delivery.deliver(around, &results, &verdict, accepted_by.as_deref(), &publication)?;
            keep::keep_baseline(around, &repository, &results, &verdict);
            return Ok(finish);
        }
        Ok(Ended::NotRaced { reason, message }) => known.not_raced(reason, &message),
        Err(error) => {
            // Whoever reads the run's results hears of mistakes too; an interrupted race keeps what it has.
            let message = error.blame().filter(|_| delivery.step.is_some() && !arguments.resume);
            let results = message.and_then(|message| known.not_raced(NotRacedReason::Mistakes, message));
            if let Some(results) = results {
                delivery.deliver_reason(around, &results)?;
            }
            return Err(error);
        }
    };
    not_raced.map_or(Ok(Finish::Done), |results| delivery.deliver_reason(around, &results))
}

/// Finds out what is to be raced, and races it unless that is nothing.
fn decided(
    around: &Surroundings,
    arguments: &RunArgs,
    repository: &Repository,
    delivery: &Delivery,
    known: &mut Known,
) -> Result<Ended, CommandError> {
    let order = match decide(repository, arguments, delivery.step.as_ref().map(|step| &step.context))? {
        Decision::Race(order) => order,
        Decision::NotAsked { head, message } => {
            known.head(repository, head);
            return Ok(Ended::NotRaced { reason: NotRacedReason::NotAsked, message });
        }
    };
    let places = Places::find(around, repository, delivery.out.join("logs"))?;
    let supervisor = Supervisor::start(&around.binary).map_err(CommandError::infrastructure)?;
    let workshop = Workshop::enter(repository, &supervisor, places.premises(around), around.cancel.clone())?;
    let mut display = Display::new(around.show, standing);

    let resumed = if arguments.resume {
        Some(JournalFile::resume(&delivery.journal()).map_err(CommandError::usage)?)
    } else {
        None
    };
    let sides = match &resumed {
        Some((earlier, _)) => resume::sides(repository, earlier, workshop.directory())?,
        None => Sides::ordered(repository, &order, workshop.directory())?,
    };
    known.sides(&sides);
    let configuration = head_configuration(&workshop, &sides, &places, around.color)?;
    known.configuration(&configuration);
    if let Some(message) = order.pull.as_ref().and_then(|pull| pull.closed(&configuration.github)) {
        return Ok(Ended::NotRaced { reason: NotRacedReason::NotAsked, message });
    }
    if let Some(message) = sides.nothing_to_compare(&configuration.build.ignore, order.by_event)? {
        return Ok(Ended::NotRaced { reason: NotRacedReason::NothingToCompare, message });
    }
    let accepted_label = configuration.judging.accepted_label.clone();
    let selection = selection(&configuration, &order.selection)?;
    let earlier = resumed.as_ref().map(|(results, _)| results);
    let protocol = protocol(&configuration, arguments, &order.selection, earlier);
    let seed = earlier.map_or_else(|| seed(arguments.seed), |results| results.seed);
    let tracks = Tracks::of_machine(&configuration).map_err(CommandError::infrastructure)?;

    let busy = BusyMachine::look(&tracks, arguments.quick, &display);
    display.phase("build");
    let mut grid = build(around, &supervisor, &workshop, &sides, configuration, &selection, &display)?;
    display.phase("gate");
    let builder = ScratchBuilder::new(&supervisor, &around.cancel, grid.configuration.build.time_limit);
    let mut stable = Stable::new(&supervisor, seed.0, places.logs.clone(), around.cancel.clone(), &builder);
    grid.gate(&mut stable, &selection, &tracks, &sides, &display)?;
    grid.warnings.extend(order.warnings.iter().cloned().chain(busy.warning()));
    let copied = earlier.and_then(|results| results.entries.iter().find_map(|entry| entry.copy_of.clone()));
    let control = copied.map_or(ControlChoice::Anybody, ControlChoice::CopyOf);
    let asked = Asked { selection: &selection, protocol: &protocol, seed, quick: arguments.quick, control };
    let mut field = Field::line_up(&grid, &sides, &tracks, &asked);
    field.results.configuration = places.recorded();
    display.phase("race");
    display.say(&plan_text(&grid, &field, &protocol, selection.has_suite(Suite::Http)));

    let (mut results, mut journal) = match resumed {
        None => {
            let journal =
                JournalFile::create(&delivery.journal(), &field.results).map_err(CommandError::infrastructure)?;
            (field.results.clone(), journal)
        }
        Some((earlier, journal)) => {
            resume::check_same_race(&earlier, &field.results)?;
            display.say(&format!("resuming after round {} with seed {seed}", earlier.rounds));
            (earlier, journal)
        }
    };
    let ending = race(&supervisor, &field, &protocol, &selection, &mut results, stable, &mut journal, display, busy)?;
    close(&mut results, ending);
    let accepted = order.pull.is_some_and(|pull| pull.bears(&accepted_label));
    Ok(Ended::Raced { results: Box::new(results), accepted_by: accepted.then_some(accepted_label) })
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
    busy: BusyMachine,
) -> Result<Ending, CommandError> {
    let questions: Vec<_> = field.setup.questions.values().map(|question| question.scenario().clone()).collect();
    let cost = LaneCost::new(protocol, &questions, selection.has_suite(Suite::Http), field.run_times.clone());
    let referee = VerdictReferee;
    let race = Race { lanes: &field.lanes, cost: &cost, budget: protocol.budget, referee: &referee };
    leave_servers_cpus(supervisor, &field.setup);
    let mut course = stable.course(&field.setup);
    let ended = race.run(results, &mut course, journal, &mut busy.beside(&mut display));
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

/// Neither the guard nor any thread of this process may wake on a server's CPU.
pub(super) fn leave_servers_cpus(supervisor: &Supervisor, setup: &Setup) {
    if let Some(track) = setup.tracks.values().next() {
        // Refused pinning of servers is what a reader is warned of; it implies this one.
        let _ = supervisor.pin_guard(&track.load_cpus);
        let _ = pin_this_thread(&track.load_cpus);
    }
}

/// Adds what only shows at the end.
fn close(results: &mut Results, ending: Ending) {
    keep_steady_observations(results);
    if ending == Ending::Budget && results.rounds < 8 {
        results.warnings.push(format!(
            "the budget of {} ended the race after {} rounds; 8 are needed to prove that nothing changed and 12 to prove a change",
            minutes(Duration::from_secs_f64(results.protocol.budget_s)),
            results.rounds
        ));
    }
}

/// A stall or growth that is seen now and then is the machine's; one that is seen in most rounds is the server's.
pub(super) fn keep_steady_observations(results: &mut Results) {
    let rounds = results.rounds;
    results.observations.retain(|observation| {
        let often = observation.times * 2 >= rounds;
        match observation.kind {
            ObservationKind::Stalled | ObservationKind::MemoryGrew | ObservationKind::SelfCheckFailed => often,
            _ => true,
        }
    });
}

/// What the user asked to be raced, checked against the configuration.
pub(super) fn selection(configuration: &Configuration, arguments: &SelectionArgs) -> Result<Selection, CommandError> {
    let suite = |choice: &SuiteChoice| match choice {
        SuiteChoice::Http => Suite::Http,
        SuiteChoice::Boot => Suite::Boot,
        SuiteChoice::Process => Suite::Process,
        SuiteChoice::Build => Suite::Build,
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

fn protocol(
    configuration: &Configuration,
    arguments: &RunArgs,
    selection: &SelectionArgs,
    resumed: Option<&Results>,
) -> Protocol {
    let mut protocol = configuration.protocol.clone();
    if let Some(budget) = selection.budget {
        protocol.budget = budget;
    }
    if let Some(rounds) = arguments.rounds {
        (protocol.rounds_min, protocol.rounds_max) = (rounds, rounds);
    }
    if arguments.quick {
        protocol.warmup = Duration::from_millis(100);
        protocol.measure = Duration::from_millis(200);
        protocol.slices = protocol.slices.min(4);
        (protocol.rounds_min, protocol.rounds_max) = (2, 2);
    }
    if let Some(earlier) = resumed {
        resume::lengths(&mut protocol, earlier);
    }
    protocol
}
