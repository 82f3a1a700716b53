//! `variant.toml`.

use super::field::{At, Field};
use super::protocol::PAIRINGS;
use super::section::Section;
use super::suites::{Suites, suites};
use super::words::{environment, passed_variables, refuse_key};
use crate::model::{Pairing, Role, RuntimeName, ScenarioName, ServiceName, VariantName};
use crate::plan::{Runtime, Variant};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a `variant.toml` says, and the names in it that other files must know.
pub(super) struct VariantFile {
    pub(super) name: Option<At<VariantName>>,
    /// None where the name can't be read, or the contract has no scenario to be ready by.
    pub(super) variant: Option<Variant>,
    pub(super) floor: Option<At<VariantName>>,
    pub(super) services: Vec<At<ServiceName>>,
    pub(super) was: Vec<At<VariantName>>,
    pub(super) ready: Option<At<ScenarioName>>,
}

/// Reads the file of a directory, which is written relative to that of `deadheat.toml`. `first` is the contract's
/// first scenario, for a file that names none.
pub(super) fn variant_file(section: Section<'_, '_>, directory: &str, first: Option<&ScenarioName>) -> VariantFile {
    let name = section.required("name", "name = \"fastify\"").and_then(|field| field.name(VariantName::new));
    let label = section.optional("label").and_then(|field| field.line(80, "NestJS (Fastify)"));
    let role = section.optional("role");
    let role = role.and_then(|field| field.choice(&[("subject", Role::Subject), ("reference", Role::Reference)]));
    let floor = section.optional("floor").and_then(|field| field.name(VariantName::new));
    let build = section.optional("build").map(|field| field.command_lines()).unwrap_or_default();
    let inputs = section.optional("inputs").map_or_else(|| vec![PathBuf::from(".")], |field| inputs(&field, directory));
    let about =
        section.optional("about").and_then(|field| field.table("about", "about = { router = \"find-my-way\" }"));
    let about = about.as_ref().map(columns).unwrap_or_default();
    let services = names(section.optional("services"), "redis", ServiceName::new);
    let pass_env = section.optional("pass_env").as_ref().map(passed_variables).unwrap_or_default();
    let pairing: Option<Pairing> = section.optional("pair").and_then(|field| field.choice(&PAIRINGS));
    let versions = section.optional("versions").map(|field| field.lines(214, "fastify")).unwrap_or_default();
    let env = section.optional("env").and_then(|field| field.table("env", "env = { NODE_ENV = \"production\" }"));
    let env = env.as_ref().map(environment).unwrap_or_default();
    let was = names(section.optional("was"), "earlier-name", VariantName::new);
    let suite = section.optional("suite").and_then(|field| field.table("[suite]", "[suite.boot]"));
    let Suites { ready, process, build: clean_build } = suite.map(|table| suites(table, &build)).unwrap_or_default();
    let runtimes = runtimes(&section, process.is_none() && clean_build.is_none());
    if let Some(process) = &process
        && runtimes.len() > 1
    {
        let label = "its command names its own program";
        let help = "make a variant for each runtime, or leave the others out".to_owned();
        process.source.note(&process.span, "[suite.process] runs on one runtime", label, Some(help));
    }
    section.finish();

    let ready_name = ready.as_ref().map(|ready| &ready.value).or(first).cloned();
    let variant = name.as_ref().zip(ready_name).map(|(name, ready)| Variant {
        directory: PathBuf::from(directory),
        label: label.map_or_else(|| name.value.to_string(), str::to_owned),
        name: name.value.clone(),
        role: role.unwrap_or_default(),
        floor: floor.as_ref().map(|floor| floor.value.clone()),
        build,
        inputs,
        about,
        services: services.iter().map(|service| service.value.clone()).collect(),
        pass_env,
        pairing: pairing.unwrap_or_default(),
        versions,
        env,
        was: was.iter().map(|was| was.value.clone()).collect(),
        runtimes,
        ready,
        process: process.map(|process| process.value),
        clean_build,
    });
    VariantFile { name, variant, floor, services, was, ready }
}

fn names<T>(
    field: Option<Field<'_, '_>>,
    example: &str,
    new: impl Fn(String) -> Result<T, crate::model::InvalidName>,
) -> Vec<At<T>> {
    let Some(field) = field else { return Vec::new() };
    let elements = field.list("a list of names", &format!("{} = [\"{example}\"]", field.key)).unwrap_or_default();
    elements.iter().filter_map(|element| element.name(&new)).collect()
}

/// They may lie outside of the variant, but not of the directory of `deadheat.toml`.
fn inputs(field: &Field<'_, '_>, directory: &str) -> Vec<PathBuf> {
    let elements = field.list("a list of paths", "inputs = [\".\"]").unwrap_or_default();
    if elements.is_empty() && field.value.is_array() {
        field.invalid::<()>("name at least one path, such as \".\"");
    }
    let checked = elements.iter().filter(|element| element.path(directory, ".").is_some());
    checked.filter_map(|element| element.value.as_str()).map(PathBuf::from).collect()
}

fn columns(table: &Section<'_, '_>) -> BTreeMap<String, String> {
    let mut columns = BTreeMap::new();
    for field in table.entries() {
        if field.key.trim().is_empty() || field.key.chars().any(char::is_control) || field.key.chars().count() > 40 {
            refuse_key(&field, "invalid column", "use 1 to 40 characters on one line");
        } else if let Some(text) = field.line(200, "Fastify") {
            columns.insert(field.key.clone(), text.to_owned());
        }
    }
    columns
}

/// `serves`: without a server the variant would have nothing that is measured.
fn runtimes(section: &Section<'_, '_>, serves: bool) -> Vec<Runtime> {
    const EXAMPLE: &str = "runtime.node.start = [\"node\", \"server.mjs\"]";
    let Some(field) = section.required("runtime", EXAMPLE) else { return Vec::new() };
    let Some(table) = field.table("[runtime]", "[runtime.node]") else { return Vec::new() };
    let entries = table.entries();
    if entries.is_empty() {
        field.refuse::<()>("no runtime", "name at least one below it", &format!("add for example `{EXAMPLE}`"));
    }
    let mut runtimes = Vec::new();
    for field in entries {
        let name = match RuntimeName::new(field.key.as_str()) {
            Ok(name) => name,
            Err(error) => {
                refuse_key(&field, "invalid runtime", error.rule);
                continue;
            }
        };
        let Some(table) = field.table("[runtime.NAME]", "[runtime.node]") else { continue };
        let example = "start = [\"node\", \"server.mjs\"]";
        let start = if serves { table.required("start", example) } else { table.optional("start") };
        let start = start.and_then(|field| field.arguments());
        let build = table.optional("build").map(|field| field.command_lines()).unwrap_or_default();
        table.finish();
        runtimes.push(Runtime { name, start: start.unwrap_or_default(), build });
    }
    runtimes
}
