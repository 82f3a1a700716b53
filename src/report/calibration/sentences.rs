//! The sentences of the page. None claims more than was measured.

use super::document::{Calibration, FlaggedCell, KnownMetric, KnownSlowdown, NoiseRow};
use super::page::fewest_for_a_change;
use crate::model::{EntryName, MachineRecord, Metric, RegimeName, RegimeRecord};
use crate::report::label::{self, Style};
use crate::report::number;
use std::fmt::Write as _;

/// Names, cells and warnings that are listed before the rest is counted.
const MOST: usize = 20;
/// Below this share the CPU was idle, or others', for longer than what accounting misses.
const BUSY_PCT: f64 = 90.0;

fn name(name: impl AsRef<str>) -> String {
    Style::Markdown.name(name.as_ref())
}

/// `a`, `a and b`, `a, b and c`, and how many more there are.
fn list(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST).cloned().collect();
    if names.len() > MOST {
        shown.push(format!("{} more", number::grouped(names.len() - MOST)));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn names(entries: &[EntryName]) -> String {
    list(&entries.iter().map(|entry| name(entry.as_str())).collect::<Vec<_>>())
}

fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// Who, how long, where.
pub(super) fn raced(found: &Calibration) -> String {
    let was = plural(found.entries.len(), "was raced against itself", "were raced against themselves");
    let dirty = if found.dirty { " with uncommitted changes" } else { "" };
    let rounds = number::count(found.rounds.raced as usize, "round", "rounds");
    let mut text = format!(
        "{} {was}, built once at {}{dirty}: {rounds} of {}.",
        names(&found.entries),
        name(found.commit.short()),
        number::duration(found.rounds.seconds)
    );
    if found.rounds.raced < found.rounds.asked {
        let _ = write!(
            text,
            " The budget of {} did not hold the {} that were asked for.",
            number::duration(found.protocol.budget_s),
            number::count(found.rounds.asked as usize, "round", "rounds")
        );
    }
    let print = &found.fingerprint;
    let _ = write!(
        text,
        " The machine: {}, {}, {}, kernel {}; {}.",
        name(&print.cpu),
        number::count(print.cpus, "CPU", "CPUs"),
        name(&print.system),
        name(&print.kernel),
        found.protocol.regimes.iter().take(MOST).map(regime).collect::<Vec<_>>().join("; ")
    );
    if !found.left_out.is_empty() {
        let does = plural(found.left_out.len(), "is left out: it does", "are left out: they do");
        let _ = write!(text, " {} {does} not build, start, or answer as the contract says.", names(&found.left_out));
    }
    text
}

fn regime(regime: &RegimeRecord) -> String {
    let cpus = |cpus: &[usize]| cpus.iter().take(MOST).map(usize::to_string).collect::<Vec<_>>().join(",");
    let named = regime.name.as_ref().map(|known| format!("under {} ", name(known.as_str()))).unwrap_or_default();
    format!(
        "{named}{}, servers on CPU {}, load generator on CPU {}",
        number::count(regime.connections as usize, "connection", "connections"),
        cpus(&regime.server_cpus),
        cpus(&regime.load_cpus)
    )
}

/// How pairs of identical builds scatter, a line per entry.
pub(super) fn noise(found: &Calibration) -> String {
    if found.noise.is_empty() {
        return String::new();
    }
    let mut text =
        "**Noise.** By so much a pair of measurements of the same build differs (robust standard deviation; where \
                    there are several scenarios, the quietest and the noisiest):\n"
            .to_owned();
    let mut last: Option<(&EntryName, Option<&str>)> = None;
    for row in &found.noise {
        let whose = (&row.entry, row.regime.as_ref().map(RegimeName::as_str));
        if last == Some(whose) {
            text.push_str(", ");
        } else {
            let under = whose.1.map(|regime| format!(" under {}", name(regime))).unwrap_or_default();
            let _ = write!(text, "\n- {}{under}: ", name(row.entry.as_str()));
            last = Some(whose);
        }
        text.push_str(&noise_of(row));
    }
    text
}

fn noise_of(row: &NoiseRow) -> String {
    let metric = label::metric_of(row.suite, row.metric);
    let (low, high) = (number::percent(row.lowest_pct), number::percent(row.highest_pct));
    if low == high { format!("{metric} {low}") } else { format!("{metric} {low} to {high}") }
}

/// Drawn from fewer rounds than these, unchanged pull requests were flagged several times as often as fresh ones.
const ENOUGH_TO_DRAW: u32 = 20;

/// What was flagged though nothing differs, and how often that would be.
pub(super) fn false_flags(found: &Calibration) -> String {
    let cells = number::count(found.judged, "cell", "cells");
    let flagged: Vec<String> = found.flagged.iter().map(flagged).collect();
    let mut text = match flagged.len() {
        _ if found.judged == 0 => "**False flags.** No cell of identical builds was measured.".to_owned(),
        0 => format!("**False flags.** In the race of identical builds no difference was proved in any of {cells}."),
        count => format!(
            "**False flags.** In the race of identical builds a difference was proved in {} of {cells}, though there is none: {}.",
            number::grouped(count),
            list(&flagged)
        ),
    };
    if found.failing > 0 {
        let failed = number::count(found.failing, "cell", "cells");
        let _ = write!(text, " {failed} failed too often to be measured.");
    }
    if found.shifted {
        text.push_str(" The race as a whole was called shifted, though it is not.");
    }
    if let Some(percent) = found.slot_effect_pct {
        let direction = if percent > 0.0 { "worse" } else { "better" };
        let _ = write!(
            text,
            " Who goes second in a pair is {direction} by {}, which cancels because both sides do in turn.",
            number::percent(percent.abs())
        );
    }
    if let Some(drawn) = &found.resampled {
        let _ = write!(
            text,
            " Of {} that change nothing, drawn from these rounds in blocks of two, {} got a flag: {} ({} with 95 % \
             confidence, as far as drawing goes); the rule is told to stay below {}.",
            number::count(drawn.pulls as usize, "pull request", "pull requests"),
            number::grouped(drawn.flagged as usize),
            number::percent(drawn.flagged_pct),
            range(drawn.interval_pct),
            number::percent(found.false_alarms_pct)
        );
        if found.rounds.raced < ENOUGH_TO_DRAW {
            text.push_str(" So few rounds repeat themselves in what is drawn, which makes the share rather too large.");
        }
    }
    text
}

fn range([low, high]: [f64; 2]) -> String {
    format!("{} to {}", number::percent(low), number::percent(high))
}

fn flagged(cell: &FlaggedCell) -> String {
    let case = cell.scenario.as_ref().map(|scenario| format!(" {}", name(scenario.as_str()))).unwrap_or_default();
    let change = cell.change_pct.map_or_else(|| number::NONE.to_owned(), number::signed_percent);
    format!("{}{case} {} {change}", name(cell.entry.as_str()), label::metric_of(cell.suite, cell.metric))
}

/// The known slowdown: made, found or not, known and measured.
pub(super) fn known_slowdown(found: &Calibration) -> String {
    let Some(known) = &found.slowdown else {
        let why = found.no_slowdown.as_deref().map(|reason| Style::Markdown.prose(reason)).unwrap_or_default();
        return format!("**A known slowdown.** None was raced: {why}.");
    };
    let under = known.regime.as_ref().map(|regime| format!(" under {}", name(regime.as_str()))).unwrap_or_default();
    let mut text = format!(
        "**A known slowdown.** For every request of {}{under} a pass-through before head of {} burnt {} of CPU time, {} of \
         what server and pass-through of base used for one. {} {}.",
        name(known.scenario.as_str()),
        name(known.entry.as_str()),
        microseconds(known.delay_ns as f64 / 1e3),
        number::percent(known.slower_pct),
        outcome(known),
        known.metrics.iter().map(measured).collect::<Vec<_>>().join("; ")
    );
    if let Some(busy) = known.busy_pct.filter(|busy| *busy < BUSY_PCT) {
        let _ = write!(
            text,
            " They used {} of their CPU's time; as far as it was idle for the rest, and not taken by others, what is known of \
             req/s and p50 is the most that could be seen.",
            number::percent(busy)
        );
    }
    text
}

fn outcome(known: &KnownSlowdown) -> String {
    match known.found_after {
        Some(rounds) => format!(
            "That was found after {}, as the only scenario of its race:",
            number::count(rounds, "round", "rounds")
        ),
        None => format!("That was not found within {}:", number::count(known.rounds as usize, "round", "rounds")),
    }
}

fn measured(metric: &KnownMetric) -> String {
    let figure = |percent: Option<f64>| percent.map_or_else(|| number::NONE.to_owned(), number::signed_percent);
    let interval = metric
        .interval_pct
        .map(|[low, high]| format!(" ({})", number::percent_interval(low, high)))
        .unwrap_or_default();
    let known = number::signed_percent(metric.known_pct);
    format!("{} measured {}{interval}, known {known}", label::metric(metric.metric), figure(metric.measured_pct))
}

fn microseconds(amount: f64) -> String {
    number::value(Metric::CpuPerRequest, amount)
}

/// What the machine did meanwhile, over both races.
pub(super) fn machine(found: &Calibration) -> String {
    let Some(machine) = &found.machine else { return String::new() };
    let records: Vec<&MachineRecord> = [&machine.identical, &machine.slowed].into_iter().flatten().collect();
    let sum = |of: fn(&MachineRecord) -> f64| records.iter().map(|record| of(record)).sum::<f64>();
    let watched = sum(|record| record.watched_s);
    if watched <= 0.0 {
        return String::new();
    }
    let share = |seconds: f64| number::percent(100.0 * seconds / watched);
    let count = |of: fn(&MachineRecord) -> u32| records.iter().map(|record| u64::from(of(record))).sum::<u64>();
    let grouped = |count: u64| number::grouped(usize::try_from(count).unwrap_or(usize::MAX));
    let mut text = format!(
        "**The machine.** While slices ran, other processes took {} of the measuring CPUs' time and the hypervisor {}. {} \
         of {} pairs of slices were thrown away and measured again because of that, and {} count though they were disturbed.",
        share(sum(|record| record.foreign_s)),
        share(sum(|record| record.steal_s)),
        grouped(count(|record| record.repeated)),
        grouped(count(|record| record.slice_pairs)),
        grouped(count(|record| record.disturbed)),
    );
    let throttled: u64 = records.iter().filter_map(|record| record.thermal_throttles).sum();
    if throttled > 0 {
        let _ = write!(text, " A CPU was slowed because of heat {} times.", grouped(throttled));
    }
    text
}

/// What the table shows.
pub(super) fn budgets(found: &Calibration) -> String {
    let fewest = fewest_for_a_change();
    let mut text = "**What a budget proves.** A budget holds so many rounds of all the above. Below it stands the smallest slowdown \
                    of one scenario that is found in 95 of 100 pull requests drawn from these rounds; a dash stands where none \
                    of those that were tried is."
        .to_owned();
    if found.provable.iter().flat_map(|row| &row.budgets).any(|budget| budget.rounds < fewest) {
        let _ = write!(text, " Fewer than {fewest} rounds prove no change at all.");
    }
    text
}

/// What else must be known.
pub(super) fn warnings(found: &Calibration) -> String {
    let shown = found.warnings.iter().take(MOST);
    shown.map(|warning| format!("- {}", Style::Markdown.prose(warning))).collect::<Vec<_>>().join("\n")
}
