//! What the figures let a page claim: few sentences, each with its uncertainty, and none where nothing can be told apart.

use super::super::label::Style;
use super::super::number;
use super::field::{Doubt, Field, Heat, Lane};
use super::layers;
use super::series::{Ratio, Series};
use super::words;
use crate::model::{Case, EntryName, Metric, Polarity, RegimeName, Suite};
use std::collections::BTreeMap;

/// Up to how many scenarios have a sentence each, where there is no mix that sums them up.
const SCENARIOS: usize = 4;
/// How many sentences there may be in all.
const CLAIMS: usize = 16;

/// All claims, the most important first.
pub(super) fn claims(field: &Field) -> Vec<String> {
    let mixes = field.of(Suite::Http, |case| matches!(case, Case::Mix(_)));
    let scenarios = field.of(Suite::Http, |case| matches!(case, Case::Scenario(_)));
    let mut claims: Vec<String> = mixes.iter().filter_map(|heat| of_heat(field, heat, Metric::Rps)).collect();
    if mixes.is_empty() && scenarios.len() <= SCENARIOS {
        claims.extend(scenarios.iter().filter_map(|heat| of_heat(field, heat, Metric::Rps)));
    } else {
        claims.extend(counted(field, &scenarios));
    }
    claims.extend(layers::claims(field));
    for heat in field.of(Suite::Boot, |_| true) {
        claims.extend([Metric::ColdStart, Metric::IdleMemory].iter().filter_map(|m| of_heat(field, heat, *m)));
    }
    claims.extend(of_runs(field, Suite::Process));
    claims.extend(of_runs(field, Suite::Build));
    claims.truncate(CLAIMS);
    claims
}

/// Who is ahead in one case by one metric, and by how much; nothing where fewer than two were measured in enough rounds for
/// an interval. Who was measured in fewer is left aside by name: nothing tells them from anybody.
fn of_heat(field: &Field, heat: &Heat, metric: Metric) -> Option<String> {
    let ranked = heat.ranked(metric);
    let topic = words::topic(heat, metric, Style::Markdown);
    if ranked.len() < 2 {
        return None;
    }
    if let Some(doubt) = heat.doubt(metric) {
        return Some(format!("{topic}: {}", doubted(field, heat, doubt)));
    }
    let up = metric.polarity(heat.suite) == Polarity::Up;
    let (first, own) = *ranked.iter().find(|(_, series)| series.interval().is_some())?;
    let against = |series: &Series| if up { own.ratio_to(series) } else { series.ratio_to(own) };
    let name = |lane: &Lane| field.names.markdown(lane.entry);
    let (others, aside): (Vec<_>, Vec<_>) = ranked
        .iter()
        .filter(|(lane, _)| lane.entry != first.entry)
        .partition(|(_, series)| against(series).is_some_and(|ratio| ratio.interval.is_some()));
    let (next, last) = (others.first()?, others.last()?);
    let topic = if aside.is_empty() {
        topic
    } else {
        let aside: Vec<String> = aside.iter().map(|(lane, _)| name(lane)).collect();
        format!("{topic}, {} left aside for too few rounds", words::listed(&aside))
    };
    let abreast: Vec<&(&Lane, &Series)> = others.iter().filter(|(_, other)| !own.is_apart_from(other)).collect();
    if let Some((_, series)) = abreast.last() {
        let mut names = vec![name(first)];
        names.extend(abreast.iter().map(|(lane, _)| name(lane)));
        let lead = if abreast.len() == others.len() { "" } else { "at the top, " };
        let between = if abreast.len() > 1 { "; between the first and the last of them" } else { "," };
        return Some(format!(
            "{topic}: {lead}{} can't be told apart{between} {}.",
            words::listed(&names),
            close(against(series)?)
        ));
    }
    let called =
        |lane: &Lane, place: &str| if others.len() > 1 { format!("{}, {place},", name(lane)) } else { name(lane) };
    let (nearest, lead) = (words::times(against(next.1)?), name(first));
    let mut text = if up {
        let next = called(next.0, "the next");
        format!("{topic}: **{lead}** answered {nearest} as many requests per second as {}", next.trim_end_matches(','))
    } else {
        let value = number::value_in_words(metric, own.median()?);
        format!("{topic}: **{lead}** had the lowest, {value}; {} had {nearest} that", called(next.0, "the next"))
    };
    if others.len() > 1 {
        let farthest = words::times(against(last.1)?);
        let last = name(last.0);
        text = if up {
            format!("{text}, and {farthest} as many as {last}, the last")
        } else {
            format!("{text}, and {last}, the last, {farthest}")
        };
    }
    text.push('.');
    Some(text)
}

/// Commands that run to their end: what they print of themselves and their wall time, in the last case; the cases
/// before it are in the tables.
fn of_runs(field: &Field, suite: Suite) -> Vec<String> {
    let heats = field.of(suite, |_| true);
    let Some(heat) = heats.iter().rev().find(|heat| heat.lanes.len() > 1) else { return Vec::new() };
    let told = |metric: &Metric| matches!(metric, Metric::Figure(_) | Metric::Wall);
    heat.metrics().into_iter().filter(told).filter_map(|metric| of_heat(field, heat, metric)).collect()
}

/// How near two are to each other that can't be told apart.
fn close(ratio: Ratio) -> String {
    let times = words::times(ratio);
    match ratio.interval {
        Some(interval) if interval.low > 1.0 || interval.high < 1.0 => {
            format!("{times}, but their own intervals overlap")
        }
        _ => times,
    }
}

fn doubted(field: &Field, heat: &Heat, doubt: Doubt) -> String {
    let lanes = heat.lanes.iter().filter(|lane| lane.doubt == Some(doubt));
    let names = words::listed(&lanes.map(|lane| field.names.markdown(lane.entry)).collect::<Vec<_>>());
    match doubt {
        Doubt::GeneratorLimited => {
            format!("the load generator, not the server, was the limit of {names}, so nothing is claimed.")
        }
        Doubt::Failing => format!("{names} failed too often for a claim."),
    }
}

/// Who leads how many scenarios, a sentence for each regime.
fn counted(field: &Field, scenarios: &[&Heat]) -> Vec<String> {
    let mut regimes: Vec<Option<&RegimeName>> = Vec::new();
    for heat in scenarios {
        if !regimes.contains(&heat.regime) {
            regimes.push(heat.regime);
        }
    }
    regimes.into_iter().filter_map(|regime| count(field, scenarios, regime)).collect()
}

fn count(field: &Field, scenarios: &[&Heat], regime: Option<&RegimeName>) -> Option<String> {
    let heats: Vec<&&Heat> =
        scenarios.iter().filter(|heat| heat.regime == regime && heat.ranked(Metric::Rps).len() > 1).collect();
    let known = heats.iter().any(|heat| heat.ranked(Metric::Rps).iter().any(|(_, series)| series.interval().is_some()));
    if heats.len() < 2 || !known {
        return None;
    }
    let mut leads: BTreeMap<&EntryName, usize> = BTreeMap::new();
    for lane in heats.iter().filter_map(|heat| heat.leader(Metric::Rps)) {
        *leads.entry(lane.entry).or_default() += 1;
    }
    let open = heats.len() - leads.values().sum::<usize>();
    let mut leads: Vec<(&EntryName, usize)> = leads.into_iter().collect();
    leads.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut parts: Vec<String> = leads
        .iter()
        .map(|(entry, count)| format!("{} leads in {}", field.names.markdown(entry), number::grouped(*count)))
        .collect();
    if open > 0 && !leads.is_empty() {
        parts.push(format!("in {} none can be told to lead", number::grouped(open)));
    }
    let under = regime.map(|regime| format!(" under {}", Style::Markdown.name(regime.as_str()))).unwrap_or_default();
    let of = number::count(heats.len(), "scenario", "scenarios");
    Some(if leads.is_empty() {
        format!("In none of {of}{under} can an entry be told to lead by requests per second.")
    } else {
        format!("Of {of}{under}, by requests per second: {}.", words::listed(&parts))
    })
}
