//! The table of what is raced.

use super::super::number::NONE;
use super::super::safe;
use super::super::table::{Align, Table};
use super::field::Field;
use super::names;
use crate::model::EntryRecord;

/// The columns that come first, where variants have them; others follow by name.
const FIRST: [&str; 5] = ["http", "router", "di", "validation", "build"];
/// How many columns of the variants' own there may be.
const ABOUT: usize = 10;
/// The most characters of one of their cells, and of a version.
const LONGEST: usize = 80;
const VERSIONS: usize = 12;

/// What is raced: versions, runtime, and what each says about itself.
pub(super) fn table(field: &Field) -> Table {
    let results = field.run.results;
    let entries: Vec<&EntryRecord> = results.entries.iter().filter(|entry| entry.copy_of.is_none()).collect();
    let mut about: Vec<&str> = Vec::new();
    let keys = || entries.iter().flat_map(|entry| entry.about.keys()).map(String::as_str);
    for key in FIRST.into_iter().filter(|first| keys().any(|key| key == *first)).chain(keys()) {
        if !about.contains(&key) {
            about.push(key);
        }
    }
    about.truncate(ABOUT);
    let layered = entries.iter().any(|entry| entry.floor.is_some());
    let titles: Vec<String> = about.iter().map(|key| heading(key)).collect();
    let mut columns =
        vec![("what", Align::Left), ("variant", Align::Left), ("versions", Align::Left), ("runtime", Align::Left)];
    columns.extend(titles.iter().map(|title| (title.as_str(), Align::Left)));
    if layered {
        columns.push(("a layer above", Align::Left));
    }
    let mut table = Table::new("", &columns);
    for entry in entries {
        let versions = entry.versions.iter().take(VERSIONS);
        let versions: Vec<String> =
            versions.map(|(name, version)| safe::code_of(&format!("{name} {version}"), LONGEST)).collect();
        let runtime = safe::code(entry.runtime.as_str());
        let mut row = vec![
            field.names.markdown(&entry.name),
            safe::code(entry.name.as_str()),
            if versions.is_empty() { NONE.to_owned() } else { versions.join(" ") },
            match results.fingerprint.toolchains.get(entry.runtime.as_str()) {
                Some(version) => format!("{runtime} {}", safe::code_of(version, LONGEST)),
                None => runtime,
            },
        ];
        row.extend(
            about.iter().map(|key| entry.about.get(*key).map_or_else(|| NONE.to_owned(), |text| names::label(text))),
        );
        if layered {
            row.push(entry.floor.as_ref().map_or_else(|| NONE.to_owned(), |floor| field.names.markdown(floor)));
        }
        table.push(&row);
    }
    table
}

fn heading(key: &str) -> String {
    match key {
        "http" => "HTTP".to_owned(),
        "di" => "DI".to_owned(),
        other => names::label(other),
    }
}
