//! From texts to a configuration: each file on its own, then what they say of each other.

use super::contract_file::{ScenarioTable, contract_file};
use super::deadheat_file::{DeadheatFile, deadheat_file};
use super::expect::Golden;
use super::links::{self, Names};
use super::mistake::Mistakes;
use super::section::Notes;
use super::sources::{Content, FileText, Locations, Sources};
use super::syntax::with_top;
use super::variant_file::{VariantFile, variant_file};
use crate::plan::{Configuration, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Where `deadheat.toml` says that the variants and the contract are; never fails, see [`Locations`].
pub fn locations(configuration: &FileText) -> Locations {
    let notes = Notes::default();
    let (file, _) = with_top(configuration, "deadheat.toml", &notes, deadheat_file);
    Locations { variants: file.variants.map(|at| at.value), contract: file.contract.map(|at| at.value) }
}

/// Reads what `deadheat.toml` says to whoever publishes a race.
///
/// # Errors
/// Every mistake in the file, also in the parts that are of no use here: a file that no race can use is no authority.
pub fn read_settings(configuration: &FileText) -> Result<Settings, Mistakes> {
    let notes = Notes::default();
    let (file, _) = with_top(configuration, "deadheat.toml", &notes, deadheat_file);
    let mistakes = notes.mistakes.into_inner();
    if mistakes.is_empty() {
        return Ok(Settings { judging: file.judging, github: file.github, baseline: file.baseline });
    }
    let text = match &configuration.content {
        Content::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Content::Unreadable(_) => String::new(),
    };
    Err(Mistakes::new(mistakes, BTreeMap::from([(configuration.path.clone(), text)])))
}

/// Reads everything that the user's files say.
///
/// # Errors
/// Every mistake in all files, where there is any.
pub fn read(sources: &Sources) -> Result<Configuration, Mistakes> {
    let notes = Notes::default();
    let configuration = read_noting(sources, &notes);
    let mistakes = notes.mistakes.into_inner();
    match configuration {
        Some(configuration) if mistakes.is_empty() => Ok(configuration),
        _ => Err(Mistakes::new(mistakes, texts(sources))),
    }
}

/// The texts by file, for drawing.
fn texts(sources: &Sources) -> BTreeMap<String, String> {
    let variants = sources.variants.iter().flatten();
    let contract = sources.contract.iter().flat_map(|contract| &contract.files);
    let files = std::iter::once(&sources.configuration).chain(variants).chain(contract);
    files
        .filter_map(|file| match &file.content {
            Content::Bytes(bytes) => Some((file.path.clone(), String::from_utf8_lossy(bytes).into_owned())),
            Content::Unreadable(_) => None,
        })
        .collect()
}

/// None only where a mistake was noted.
pub(super) fn read_noting(sources: &Sources, notes: &Notes) -> Option<Configuration> {
    let (file, whole) = with_top(&sources.configuration, "deadheat.toml", notes, deadheat_file);

    let (scenarios, contract_whole) = read_contract(sources, &file, notes);
    let first = scenarios.iter().find_map(|scenario| scenario.name.as_ref()).map(|name| &name.value);
    let mut variants = Vec::new();
    let mut variants_whole = true;
    for source in sources.variants.iter().flatten() {
        let directory = source.path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let (variant, is_toml) = with_top(source, "variant.toml", notes, |top| variant_file(top, directory, first));
        variants_whole &= is_toml && variant.name.is_some();
        variants.push(variant);
    }
    presence(sources, &file, notes);
    if contract_whole && scenarios.is_empty() && sources.contract.is_some() {
        let at = file.contract.as_ref().map(|at| at.place.clone());
        links::note(notes, at, "the contract has no scenario", "no `[[scenario]]` in a *.toml of this directory", None);
    }

    let names = Names {
        variants: variants_whole
            .then(|| variants.iter().filter_map(|v| v.name.as_ref()).map(|n| n.value.clone()).collect()),
        scenarios: contract_whole
            .then(|| scenarios.iter().filter_map(|s| s.name.as_ref()).map(|n| n.value.clone()).collect()),
        categories: contract_whole
            .then(|| scenarios.iter().filter_map(|s| s.category.clone()).collect::<BTreeSet<_>>()),
        services: whole.then(|| file.services.iter().map(|s| s.value.name.clone()).collect()),
    };
    links::check(&file, &scenarios, &variants, &names, notes);
    assemble(file, scenarios, variants)
}

fn read_contract(sources: &Sources, file: &DeadheatFile, notes: &Notes) -> (Vec<ScenarioTable>, bool) {
    let Some(contract) = &sources.contract else { return (Vec::new(), false) };
    let directory = file.contract.as_ref().map_or("", |at| at.value.as_str());
    let golden = Golden { directory, files: &contract.golden };
    let mut scenarios = Vec::new();
    let mut whole = true;
    for source in &contract.files {
        let (tables, is_toml) = with_top(source, "a contract file", notes, |top| contract_file(top, &golden));
        whole &= is_toml && tables.iter().all(|scenario| scenario.name.is_some());
        scenarios.extend(tables);
    }
    (scenarios, whole)
}

/// Notes directories that are named and not there, or hold nothing.
fn presence(sources: &Sources, file: &DeadheatFile, notes: &Notes) {
    if let Some(at) = &file.variants {
        let message = match &sources.variants {
            None => "no such directory of variants",
            Some(variants) if variants.is_empty() => "no variant found",
            Some(_) => "",
        };
        if !message.is_empty() {
            let label = "looked for variant.toml in the directories below it";
            links::note(notes, Some(at.place.clone()), message, label, Some("`deadheat init` writes a first one"));
        }
    }
    if let (Some(at), None) = (&file.contract, &sources.contract) {
        let label = "looked for *.toml with scenarios in it";
        links::note(
            notes,
            Some(at.place.clone()),
            "no such directory of the contract",
            label,
            Some("`deadheat init` writes a first one"),
        );
    }
}

fn assemble(file: DeadheatFile, scenarios: Vec<ScenarioTable>, variants: Vec<VariantFile>) -> Option<Configuration> {
    let mut variants = variants.into_iter().map(|file| file.variant).collect::<Option<Vec<_>>>()?;
    variants.sort_by(|a, b| a.name.cmp(&b.name));
    Some(Configuration {
        variants,
        scenarios: scenarios.into_iter().map(|table| table.scenario).collect::<Option<Vec<_>>>()?,
        build: file.build,
        protocol: file.protocol,
        judging: file.judging,
        regimes: file.regimes.into_iter().map(|at| at.value).collect(),
        services: file.services.into_iter().map(|at| at.value).collect(),
        mixes: file.mixes.into_iter().map(|at| at.value).collect(),
        github: file.github,
        baseline: file.baseline,
        contract_directory: PathBuf::from(file.contract?.value),
        variants_directory: PathBuf::from(file.variants?.value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CommentWhen;

    fn settings(text: &str) -> Result<Settings, Mistakes> {
        let content = Content::Bytes(text.as_bytes().to_vec());
        read_settings(&FileText { path: "deadheat.toml".to_owned(), content })
    }

    #[test]
    fn settings_need_no_variant_and_no_contract() {
        let text = "variants = \"v\"\ncontract = \"c\"\n[verdict]\nfail_on = \"regression\"\n[github]\ncomment = \"changed\"\n";
        let found = settings(text).unwrap();
        assert!(found.judging.fail_on_regression);
        assert_eq!((found.github.comment, found.judging.false_alarms), (CommentWhen::Changed, 0.01));
    }

    #[test]
    fn settings_tell_every_mistake_of_the_file() {
        let mistakes = settings("variants = 1\ncontract = \"c\"\n[verdict]\nfail_on = \"sometimes\"\n").unwrap_err();
        assert_eq!(mistakes.len(), 2);
        assert!(mistakes.render(false).contains("sometimes"));
    }
}
