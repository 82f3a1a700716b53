//! What a reader must keep in mind: everything that the data itself holds against the figures.

use super::super::disturbance;
use super::super::label::{self, Style};
use super::super::notes;
use super::super::number;
use super::super::safe;
use super::field::{Doubt, Field};
use super::series::{Series, Span};
use super::{tables, words};
use crate::model::{GeneratorMode, Lineup, Metric, Suite};
use std::collections::{BTreeMap, BTreeSet};

/// How many of the widest intervals are named, and from which half-width on, as a share.
const NOISY: usize = 3;
const WIDE: f64 = 0.05;
/// A percentile that rests on fewer slow requests than this a round is a rumour.
const SLOW_REQUESTS: f64 = 10.0;

/// All caveats, as sentences.
pub(super) fn caveats(field: &Field) -> Vec<String> {
    let run = field.run;
    let results = run.results;
    let mut caveats = vec![format!(
        "All figures are of one machine ({}). On another, the order may be another.",
        safe::code(&results.fingerprint.cpu)
    )];
    caveats.extend(results.warnings.iter().take(20).map(|warning| safe::sentence(warning)));
    caveats.extend(shared(field));
    caveats.extend(disturbance::caution(run));
    caveats.extend(disturbance::fact(run).map(|fact| format!("While it was measured: {fact}.")));
    if results.base.is_some() && !run.verdict.usable {
        caveats.push("The control moved, so something disturbed this run as a whole.".to_owned());
    }
    caveats.extend(few_rounds(field));
    caveats.extend(noisy(field));
    caveats.extend(doubts(field));
    caveats.extend(thin(field));
    caveats.extend(results.head.dirty.then(|| {
        "The tree was dirty: uncommitted changes were raced on top of the commit, so what was raced is no commit."
            .to_owned()
    }));
    caveats.extend(failed_under_way(field));
    caveats.extend(notes::observations(run));
    caveats
}

/// Servers and load generator on one CPU, and a generator that sleeps.
fn shared(field: &Field) -> Vec<String> {
    let mut sentences = Vec::new();
    for regime in &field.run.results.protocol.regimes {
        let both = regime.server_cpus.iter().filter(|cpu| regime.load_cpus.contains(cpu));
        let both: Vec<String> = both.map(usize::to_string).collect();
        let under =
            regime.name.as_ref().map(|name| format!(" under {}", safe::code(name.as_str()))).unwrap_or_default();
        if !both.is_empty() {
            sentences.push(format!("Servers and load generator shared CPU {}{under}.", words::listed(&both)));
        }
        if regime.mode == GeneratorMode::Sleep {
            sentences.push(format!(
                "The load generator slept between answers{under}, and waking it is work that servers pay for: these figures don't \
                 compare with those of one that polls."
            ));
        }
    }
    sentences
}

fn few_rounds(field: &Field) -> Option<String> {
    let lanes = || field.heats.iter().flat_map(|heat| heat.lanes.iter().flat_map(|lane| lane.figures.values()));
    let without = lanes().filter(|series| series.interval().is_none()).count();
    let all = lanes().count();
    if without == 0 {
        return None;
    }
    let how_many = if without == all {
        "All figures".to_owned()
    } else {
        format!("{} of {} figures", number::grouped(without), number::grouped(all))
    };
    Some(format!(
        "{how_many} come from fewer than six rounds or hold values of 0, and have no interval: nothing is claimed of them."
    ))
}

/// The widest intervals among what is compared.
fn noisy(field: &Field) -> Option<String> {
    let mut wide: Vec<(f64, String)> = Vec::new();
    for heat in &field.heats {
        for metric in tables::judged(heat) {
            for (lane, series) in heat.ranked(metric) {
                let Some(Span { low, high }) = series.interval() else { continue };
                let width = (high / low).sqrt() - 1.0;
                if width.is_finite() && width >= WIDE {
                    let what = label::metric_of(heat.suite, metric);
                    let place = if heat.suite == Suite::Boot {
                        String::new()
                    } else {
                        format!(" in {}", words::case(heat, Style::Markdown))
                    };
                    let name = field.names.markdown(lane.entry);
                    let span = words::span(metric, Some(Span { low, high }));
                    wide.push((width, format!("{what} of {name}{place} ({span})")));
                }
            }
        }
    }
    if wide.is_empty() {
        return None;
    }
    wide.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let named: Vec<String> = wide.iter().take(NOISY).map(|(_, text)| text.clone()).collect();
    let intervals = number::count(wide.len(), "figure's interval is", "figures' intervals are");
    Some(format!(
        "Noise: {intervals} wider than ±{}; the widest: {}.",
        number::percent(WIDE * 100.0),
        words::listed(&named)
    ))
}

/// Where nothing is claimed because of what an entry went through.
fn doubts(field: &Field) -> Vec<String> {
    let told = |doubt: Doubt| {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for heat in field.heats.iter().filter(|heat| !tables::is_sum(heat.case)) {
            for lane in heat.lanes.iter().filter(|lane| lane.doubt == Some(doubt)) {
                places.entry(field.names.markdown(lane.entry)).or_default().push(words::case(heat, Style::Markdown));
            }
        }
        let parts: Vec<String> =
            places.into_iter().map(|(name, places)| format!("{name} in {}", words::listed(&places))).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    };
    let limited = told(Doubt::GeneratorLimited).map(|text| {
        format!("The load generator was the limit of {text}: the true speed is at least that, and nothing is claimed.")
    });
    let failing = told(Doubt::Failing).map(|text| format!("Failed too often for a claim: {text}."));
    limited.into_iter().chain(failing).collect()
}

/// Percentiles that rest on a handful of requests a round.
fn thin(field: &Field) -> Option<String> {
    let rare = |metric| if metric == Metric::P999 { 0.001 } else { 0.01 };
    let mut found: Vec<String> = Vec::new();
    for metric in [Metric::P99, Metric::P999] {
        let thin = field.heats.iter().flat_map(|heat| &heat.lanes).filter(|lane| {
            let requests = lane.figures.get(&Metric::Requests).and_then(Series::median);
            lane.figures.contains_key(&metric)
                && requests.is_some_and(|requests| requests * rare(metric) < SLOW_REQUESTS)
        });
        match thin.count() {
            0 => {}
            count => found.push(format!("{} in {}", label::metric(metric), number::count(count, "case", "cases"))),
        }
    }
    (!found.is_empty()).then(|| {
        format!(
            "Coarse, because less than {SLOW_REQUESTS:.0} requests a round lie above it: {}.",
            words::listed(&found)
        )
    })
}

fn failed_under_way(field: &Field) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for failure in field.run.results.failures.iter().filter(|failure| failure.round.is_some()) {
        let what = format!("{} {}", field.names.markdown(&failure.entry), label::failure(failure.kind));
        *counts.entry(what).or_default() += 1;
    }
    let parts: Vec<String> =
        counts.into_iter().map(|(what, count)| format!("{what} {}", number::count(count, "time", "times"))).collect();
    (!parts.is_empty()).then(|| format!("Failed in a round, which then gave no figure: {}.", parts.join("; ")))
}

/// Those of whom there is no figure at all though they were to be raced, one line each, where no failure says why.
pub(super) fn silent(field: &Field) -> Vec<String> {
    let results = field.run.results;
    let failed: BTreeSet<_> =
        results.failures.iter().filter(|failure| failure.round.is_none()).map(|failure| &failure.entry).collect();
    let measured: BTreeSet<_> = field.heats.iter().flat_map(|heat| &heat.lanes).map(|lane| lane.entry).collect();
    let entries = results.entries.iter().filter(|entry| entry.copy_of.is_none());
    entries
        .filter(|entry| !measured.contains(&entry.name) && !failed.contains(&entry.name))
        .map(|entry| {
            let why = if entry.lineup == Lineup::Absent { "was not raced" } else { "gave no figure" };
            format!("{} {why}.", field.names.markdown(&entry.name))
        })
        .collect()
}
