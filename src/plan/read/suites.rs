//! `[suite.*]` of `variant.toml`.

use super::field::{At, Field};
use super::mistake::quote;
use super::section::{Section, Source};
use super::words::{inside, refuse_key};
use crate::model::{CaseName, ScenarioName};
use crate::plan::{BuildSuite, CommandLine, ProcessSuite, RunCase};
use std::collections::BTreeSet;
use std::ops::Range;
use toml::de::DeValue;

/// More cases than this are no matrix that anybody reads.
const MOST_CASES: usize = 50;

/// What the tables say.
#[derive(Default)]
pub(super) struct Suites<'s> {
    pub(super) ready: Option<At<ScenarioName>>,
    pub(super) process: Option<Placed<'s, ProcessSuite>>,
    pub(super) build: Option<BuildSuite>,
}

/// A table's value, and where further mistakes about it are noted.
pub(super) struct Placed<'s, T> {
    pub(super) value: T,
    pub(super) source: Source<'s>,
    pub(super) span: Range<usize>,
}

/// Reads all of them. `steps` are the variant's own build.
pub(super) fn suites<'s>(table: Section<'s, '_>, steps: &[CommandLine]) -> Suites<'s> {
    let boot = table.optional("boot").and_then(|field| field.table("[suite.boot]", "[suite.boot]"));
    let ready = boot.and_then(|boot| {
        let ready = boot.optional("ready").and_then(|field| field.name(ScenarioName::new));
        boot.finish();
        ready
    });
    let process = table.optional("process").and_then(|field| field.table("[suite.process]", "[suite.process]"));
    let build = table.optional("build").and_then(|field| field.table("[suite.build]", "[suite.build]"));
    let suites =
        Suites { ready, process: process.map(process_suite), build: build.map(|table| build_suite(table, steps)) };
    table.finish();
    suites
}

fn process_suite<'s>(table: Section<'s, '_>) -> Placed<'s, ProcessSuite> {
    let start = table.required("start", "start = [\"node\", \"main.js\", \"{size}\"]");
    let cases = cases(&table);
    let mut words = Vec::new();
    if let Some(field) = &start {
        words = field.arguments().unwrap_or_default();
        known_parameters(field, &cases, &words);
    }
    let (source, span) = (table.source, table.span.clone());
    table.finish();
    Placed { value: ProcessSuite { start: words, cases }, source, span }
}

fn build_suite(table: Section<'_, '_>, steps: &[CommandLine]) -> BuildSuite {
    let cases = cases(&table);
    let run = if let Some(field) = table.optional("run") {
        let run = field.command_lines();
        if run.is_empty() && field.value.is_array() {
            field.invalid::<()>("name at least one command line");
        }
        let words: Vec<String> = run.iter().flat_map(|line| line.0.iter().cloned()).collect();
        known_parameters(&field, &cases, &words);
        run
    } else {
        if steps.is_empty() {
            table.lacks("run", "run = [\"npm run build\"]");
        }
        steps.to_vec()
    };
    let output = table.optional("output").map_or_else(|| vec!["dist".to_owned()], |field| output(&field, &cases));
    table.finish();
    BuildSuite { run, output, cases }
}

/// Paths inside of the variant, which are taken away before a build.
fn output(field: &Field<'_, '_>, cases: &[RunCase]) -> Vec<String> {
    let elements = field.list("a list of paths", "output = [\"dist\"]").unwrap_or_default();
    if elements.is_empty() && field.value.is_array() {
        field.invalid::<()>("name at least one path, such as \"dist\"");
    }
    let mut paths = Vec::new();
    for element in &elements {
        let Some(text) = element.line(1024, "dist") else { continue };
        // Whatever a parameter stands for, it is not to lead elsewhere.
        let stays = |case: &RunCase| {
            let path = case.fill(text);
            !path.starts_with('/') && inside("", &path).is_some_and(|path| !path.is_empty())
        };
        if cases.iter().all(stays) {
            paths.push(text.to_owned());
        } else {
            element.invalid::<()>("write a relative path below the variant's directory");
        }
    }
    let words: Vec<String> = paths.clone();
    known_parameters(field, cases, &words);
    paths
}

/// Notes every `{name}` that some case has no value for.
fn known_parameters(field: &Field<'_, '_>, cases: &[RunCase], words: &[String]) {
    let named: BTreeSet<&str> = words.iter().flat_map(|word| placeholders(word)).collect();
    for name in named {
        if cases.iter().any(|case| case.parameters.iter().all(|(known, _)| known != name)) {
            let message = format!("{} is no parameter of every case", quote(&format!("{{{name}}}")));
            field.refuse::<()>(message, "used here", &format!("add for example `cases = [{{ {name} = 100 }}]`"));
        }
    }
}

/// What stands in braces and could be a parameter's name.
fn placeholders(word: &str) -> impl Iterator<Item = &str> {
    word.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
        .filter(|name| is_parameter(name))
}

fn is_parameter(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= 40
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn cases(table: &Section<'_, '_>) -> Vec<RunCase> {
    const EXAMPLE: &str = "cases = [{ providers = 100 }, { providers = 1000 }]";
    let Some(field) = table.optional("cases") else { return vec![RunCase::once()] };
    let elements = field.list("a list of tables", EXAMPLE).unwrap_or_default();
    if field.value.is_array() && !(1..=MOST_CASES).contains(&elements.len()) {
        field.invalid::<()>(format!("name 1 to {MOST_CASES} cases"));
    }
    let mut cases: Vec<RunCase> = Vec::new();
    for element in &elements {
        let Some(case) = element.table("cases", EXAMPLE).and_then(|table| case(element, &table)) else { continue };
        if cases.iter().any(|known| known.name == case.name) {
            element.refuse::<()>(format!("the case {} is there twice", quote(case.name.as_str())), "again here", "");
        } else {
            cases.push(case);
        }
    }
    // A case that can't be read has its own mistake: what uses its parameters is not to have another.
    if cases.is_empty() { vec![RunCase::once()] } else { cases }
}

fn case(element: &Field<'_, '_>, table: &Section<'_, '_>) -> Option<RunCase> {
    let mut parameters = Vec::new();
    for field in table.entries() {
        if !is_parameter(&field.key) {
            refuse_key(&field, "invalid parameter", "use letters, digits, `_` or `-`, starting with a letter");
            return None;
        }
        let value = match field.value {
            DeValue::String(_) => field.line(64, "100").map(str::to_owned),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| field.invalid("write a smaller number"), |number| Some(number.to_string())),
            DeValue::Boolean(value) => Some(value.to_string()),
            _ => field.wrong_type("a whole number, a string, true or false", &format!("{} = 100", field.key)),
        };
        parameters.push((field.key.clone(), value?));
    }
    if parameters.is_empty() {
        return element.invalid("name at least one parameter");
    }
    let text = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ");
    match CaseName::new(text) {
        Ok(name) => Some(RunCase { name, parameters }),
        Err(error) => element.invalid(error.rule),
    }
}
