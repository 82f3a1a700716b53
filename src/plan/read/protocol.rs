//! `[protocol]` and `[[regime]]`.

use super::field::At;
use super::quantity::positive_duration;
use super::section::Section;
use crate::model::{Pairing, RegimeName};
use crate::plan::{CpuChoice, Protocol, Regime, parse_cpus, parse_duration};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Connections per server.
pub(super) const CONNECTIONS: RangeInclusive<u32> = 1..=10_000;
/// Requests in flight per connection.
pub(super) const PIPELINING: RangeInclusive<u32> = 1..=1000;
/// Rounds before anyone may leave; the upper end is `rounds.max`'s.
pub(super) const ROUNDS_MIN: u32 = 8;
/// The decision rule's looks end at 40, and its first that can prove a change is 12.
pub(super) const ROUNDS_MAX: RangeInclusive<u32> = 12..=40;
/// Alternating slices.
pub(super) const SLICES: RangeInclusive<u32> = 1..=1000;

/// How pairs run.
pub(super) const PAIRINGS: [(&str, Pairing); 2] = [("together", Pairing::Together), ("apart", Pairing::Apart)];

pub(super) fn protocol(section: Option<Section<'_, '_>>) -> Protocol {
    let mut protocol = Protocol::default();
    let Some(section) = section else { return protocol };
    if let Some(field) = section.optional("budget") {
        protocol.budget = field.parsed("12m", positive_duration).unwrap_or(protocol.budget);
    }
    if let Some(table) = section.optional("rounds").and_then(|f| f.table("rounds", "rounds = { min = 8, max = 40 }")) {
        rounds(table, &mut protocol);
    }
    let load = Figures::of(&section);
    protocol.connections = load.connections.unwrap_or(protocol.connections);
    protocol.pipelining = load.pipelining.unwrap_or(protocol.pipelining);
    protocol.server_cpus = load.server_cpus.unwrap_or_default();
    protocol.load_cpus = load.load_cpus.unwrap_or_default();
    if let Some(field) = section.optional("warmup") {
        protocol.warmup = field.parsed("500ms", at_most_an_hour).unwrap_or(protocol.warmup);
    }
    slices(&section, &mut protocol);
    if let Some(field) = section.optional("start_limit") {
        protocol.start_limit = field.parsed("10s", positive_duration).unwrap_or(protocol.start_limit);
    }
    section.finish();
    protocol
}

fn at_most_an_hour(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text)?;
    if duration > Duration::from_hours(1) { Err("write at most \"1h\"".to_owned()) } else { Ok(duration) }
}

fn rounds(table: Section<'_, '_>, protocol: &mut Protocol) {
    let (min, max) = (table.optional("min"), table.optional("max"));
    if let Some(rounds) = max.and_then(|field| field.integer(ROUNDS_MAX, 40)) {
        protocol.rounds_max = rounds;
    }
    if let Some(rounds) = min.and_then(|field| field.integer(ROUNDS_MIN..=protocol.rounds_max, ROUNDS_MIN)) {
        protocol.rounds_min = rounds;
    }
    table.finish();
}

/// Reads `measure` and `slices`, which must fit each other.
fn slices(section: &Section<'_, '_>, protocol: &mut Protocol) {
    let field = section.optional("slices");
    if let Some(field) = &field
        && let Some(slices) = field.integer(SLICES, 16)
    {
        // With a single one the sides lead in turn from round to round, as the schedule has it.
        if slices == 1 || slices % 2 == 0 {
            protocol.slices = slices;
        } else {
            field.invalid::<()>("write 1 or an even number: in A B B A each side must lead as often as the other");
        }
    }
    let measure = section.optional("measure");
    if let Some(field) = &measure {
        protocol.measure = field.parsed("1s", at_most_an_hour).unwrap_or(protocol.measure);
    }
    if protocol.measure < Duration::from_millis(1) * protocol.slices
        && let Some(field) = measure.or(field)
    {
        let least = format!("{} slices of at least 1ms each do not fit into it", protocol.slices);
        field.refuse::<()>(
            format!("{:?} of measuring are too short", protocol.measure),
            least,
            "write for example `measure = \"1s\"`",
        );
    }
}

/// What `[protocol]` and `[[regime]]` both say.
struct Figures {
    connections: Option<u32>,
    pipelining: Option<u32>,
    server_cpus: Option<CpuChoice>,
    load_cpus: Option<CpuChoice>,
}

impl Figures {
    fn of(section: &Section<'_, '_>) -> Self {
        let cpus = |key| section.optional(key).and_then(|field| field.parsed("0,2-3", parse_cpus));
        Self {
            connections: section.optional("connections").and_then(|field| field.integer(CONNECTIONS, 64)),
            pipelining: section.optional("pipelining").and_then(|field| field.integer(PIPELINING, 1)),
            server_cpus: cpus("server_cpus"),
            load_cpus: cpus("load_cpus"),
        }
    }
}

pub(super) fn regime(section: Section<'_, '_>, protocol: &Protocol) -> Option<At<Regime>> {
    let name = section.required("name", "name = \"one-core\"").and_then(|field| field.name(RegimeName::new));
    let load = Figures::of(&section);
    let pairing = section.optional("pair").and_then(|field| field.choice(&PAIRINGS)).unwrap_or_default();
    section.finish();
    let At { value: name, place } = name?;
    let regime = Regime {
        name,
        connections: load.connections.unwrap_or(protocol.connections),
        pipelining: load.pipelining.unwrap_or(protocol.pipelining),
        server_cpus: load.server_cpus.unwrap_or_else(|| protocol.server_cpus.clone()),
        load_cpus: load.load_cpus.unwrap_or_else(|| protocol.load_cpus.clone()),
        pairing,
    };
    Some(At { value: regime, place })
}
