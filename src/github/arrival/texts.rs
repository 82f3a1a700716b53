//! The free texts of a results file: each has a length that an honest one stays below. What they hold is the report's
//! concern, which shows every one of them as code.

use super::bounds::{Checked, SMALL_LIST, at_most, refuse};
use crate::model::{Results, SideRecord};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Bytes of a label, a version, a path, a revision.
const LINE: usize = 4 << 10;
/// Bytes of a message or a warning.
const SENTENCE: usize = 64 << 10;
/// Bytes of the tail of an output, or of all mistakes of the user's files.
const PAGE: usize = 256 << 10;
/// Earlier names of a variant.
const EARLIER_NAMES: usize = 100;
/// Warnings are of the run as a whole.
const WARNINGS: usize = 1_000;

/// Refuses texts that no honest race writes.
pub(super) fn check(results: &Results) -> Checked {
    let print = &results.fingerprint;
    for (place, text) in [
        ("deadheat", &results.deadheat),
        ("started", &results.started),
        ("fingerprint.cpu", &print.cpu),
        ("fingerprint.kernel", &print.kernel),
        ("fingerprint.system", &print.system),
    ] {
        at_most_bytes(place, text, LINE)?;
    }
    map("fingerprint.toolchains", &print.toolchains)?;
    let side = |name: &str, side: &SideRecord| at_most_bytes(format_args!("{name}.rev"), &side.rev, LINE);
    results.base.as_ref().map_or(Ok(()), |base| side("base", base))?;
    side("head", &results.head)?;
    for (at, entry) in results.entries.iter().enumerate() {
        let place = format!("entries[{at}]");
        at_most_bytes(&place, &entry.label, LINE)?;
        at_most(&place, entry.was.len(), EARLIER_NAMES)?;
        map(&place, &entry.about)?;
        map(&place, &entry.versions)?;
    }
    for (at, scenario) in results.scenarios.iter().enumerate() {
        let place = format!("scenarios[{at}]");
        at_most_bytes(&place, &scenario.method, LINE)?;
        at_most_bytes(&place, &scenario.path, SENTENCE)?;
    }
    for (at, failure) in results.failures.iter().enumerate() {
        let place = format!("failures[{at}]");
        at_most_bytes(&place, &failure.message, SENTENCE)?;
        at_most_bytes(&place, failure.output.as_deref().unwrap_or_default(), PAGE)?;
    }
    for (at, seen) in results.observations.iter().enumerate() {
        at_most_bytes(format_args!("observations[{at}]"), &seen.message, SENTENCE)?;
    }
    at_most("warnings", results.warnings.len(), WARNINGS)?;
    for (at, warning) in results.warnings.iter().enumerate() {
        at_most_bytes(format_args!("warnings[{at}]"), warning, SENTENCE)?;
    }
    let reason = results.not_raced.as_ref().map_or("", |not_raced| not_raced.message.as_str());
    at_most_bytes("not_raced.message", reason, PAGE)
}

fn map(place: &str, map: &BTreeMap<String, String>) -> Checked {
    at_most(place, map.len(), SMALL_LIST)?;
    let mut texts = map.iter().flat_map(|(key, value)| [key, value]);
    texts.try_for_each(|text| at_most_bytes(place, text, LINE))
}

fn at_most_bytes(place: impl Display, text: &str, most: usize) -> Checked {
    if text.len() > most { Err(refuse(place, format_args!("has a text of over {most} bytes"))) } else { Ok(()) }
}
