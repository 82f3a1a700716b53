//! What the files say of each other: names that are used twice, and names that nothing bears.

use super::contract_file::ScenarioTable;
use super::deadheat_file::DeadheatFile;
use super::field::At;
use super::mistake::{Mistake, Place, quote};
use super::section::{Notes, nearest};
use super::variant_file::VariantFile;
use crate::model::{CategoryName, ScenarioName, ServiceName, VariantName};
use std::collections::{BTreeMap, BTreeSet};

/// The names that can be referred to. A set that is not known whole, because a file of it can't be read, is absent:
/// then nothing is said against a name that is missing in it.
pub(super) struct Names {
    pub(super) variants: Option<BTreeSet<VariantName>>,
    pub(super) scenarios: Option<BTreeSet<ScenarioName>>,
    pub(super) categories: Option<BTreeSet<CategoryName>>,
    pub(super) services: Option<BTreeSet<ServiceName>>,
}

/// Notes a mistake at a place; none for what can be said of no place.
pub(super) fn note(notes: &Notes, place: Option<Place>, message: &str, label: &str, help: Option<&str>) {
    if let Some(place) = place {
        let (message, label, help) = (message.to_owned(), label.to_owned(), help.map(str::to_owned));
        notes.mistakes.borrow_mut().push(Mistake { place, message, label, help, also: None });
    }
}

pub(super) fn check(
    file: &DeadheatFile,
    scenarios: &[ScenarioTable],
    variants: &[VariantFile],
    names: &Names,
    notes: &Notes,
) {
    let scenario_names = scenarios.iter().filter_map(|scenario| scenario.name.as_ref());
    unique(notes, "scenario", scenario_names.map(|at| (at.value.to_string(), &at.place)));
    unique(notes, "regime", file.regimes.iter().map(|at| (at.value.name.to_string(), &at.place)));
    unique(notes, "service", file.services.iter().map(|at| (at.value.name.to_string(), &at.place)));
    unique(notes, "mix", file.mixes.iter().map(|at| (at.value.name.to_string(), &at.place)));
    // An earlier name that another variant bears would give it a foreign history.
    let current = variants.iter().filter_map(|variant| variant.name.as_ref());
    let earlier = variants.iter().flat_map(|variant| &variant.was);
    unique(notes, "variant", current.chain(earlier).map(|at| (at.value.to_string(), &at.place)));

    for category in &file.weighted {
        known(notes, "category", category, names.categories.as_ref(), "no scenario bears it");
    }
    for variant in variants {
        for service in &variant.services {
            known(notes, "service", service, names.services.as_ref(), "no [[service]] of deadheat.toml bears it");
        }
        if let Some(ready) = &variant.ready {
            known(notes, "scenario", ready, names.scenarios.as_ref(), "no scenario of the contract bears it");
        }
        if let Some(floor) = &variant.floor {
            known(notes, "variant", floor, names.variants.as_ref(), "no variant.toml bears it");
        }
    }
    floors(variants, notes);
}

/// Notes every name that was given before, with both places.
fn unique<'p>(notes: &Notes, what: &str, names: impl Iterator<Item = (String, &'p Place)>) {
    let mut first: BTreeMap<String, &Place> = BTreeMap::new();
    for (name, place) in names {
        let Some(earlier) = first.get(&name) else {
            first.insert(name, place);
            continue;
        };
        let mistake = Mistake {
            place: place.clone(),
            message: format!("two {what} names are {}", quote(&name)),
            label: "rename this one".to_owned(),
            help: None,
            also: Some(((*earlier).clone(), "the other is here".to_owned())),
        };
        notes.mistakes.borrow_mut().push(mistake);
    }
}

/// Notes a name that nothing bears.
fn known<T: Ord + ToString>(notes: &Notes, what: &str, at: &At<T>, names: Option<&BTreeSet<T>>, label: &str) {
    let Some(names) = names.filter(|names| !names.contains(&at.value)) else { return };
    let name = at.value.to_string();
    let all: Vec<String> = names.iter().map(ToString::to_string).collect();
    let similar = nearest(&name, all.iter().map(String::as_str)).map(|similar| format!("did you mean `{similar}`?"));
    let help = similar.unwrap_or_else(|| match all.len() {
        0 => format!("there is no {what} at all"),
        1 => format!("the only one is {}", all[0]),
        2..=12 => format!("use one of {}", all.join(", ")),
        many => format!("use one of {} or {} more", all[..6].join(", "), many - 6),
    });
    note(notes, Some(at.place.clone()), &format!("unknown {what} {}", quote(&name)), label, Some(&help));
}

/// Notes every circle of variants that stand on each other, once.
fn floors(variants: &[VariantFile], notes: &Notes) {
    let named = |variant: &'_ VariantFile| variant.name.as_ref().map(|name| name.value.clone());
    let below: BTreeMap<VariantName, &At<VariantName>> =
        variants.iter().filter_map(|variant| named(variant).zip(variant.floor.as_ref())).collect();
    let mut reported: BTreeSet<&VariantName> = BTreeSet::new();
    for (start, floor) in &below {
        let mut path = vec![start];
        let mut next = &floor.value;
        while !path.contains(&next) {
            path.push(next);
            match below.get(next) {
                Some(floor) => next = &floor.value,
                None => break,
            }
        }
        if next != start || reported.contains(start) {
            continue;
        }
        reported.extend(&path);
        let circle: Vec<&str> = path.iter().map(|name| name.as_str()).chain([start.as_str()]).collect();
        let label = if path.len() == 1 { "a variant can't stand on itself" } else { "these stand on each other" };
        note(notes, Some(floor.place.clone()), &format!("floors in a circle: {}", circle.join(" -> ")), label, None);
    }
}
