//! `variant.toml`.
#![expect(dead_code, reason = "only the schema of these types is used")]

use super::texts::{CommandLine, Line, Name, RelativePath};
use crate::model::{Pairing, Role};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// One implementation to build and run. Its directory is where builds and servers are started.
#[derive(JsonSchema)]
#[schemars(rename = "variant.toml", deny_unknown_fields)]
pub(super) struct VariantToml {
    /// Its name.
    name: Name,
    /// Its name as people write it; `name` where absent.
    #[schemars(length(max = 80))]
    label: Option<Line>,
    /// Whether the pull request can change it (subject), or not (reference: a release of a rival).
    #[schemars(extend("default" = "subject"))]
    role: Option<Role>,
    /// The variant on whose HTTP layer it stands: the cost above it is the layer's cost.
    floor: Option<Name>,
    /// Command lines, run in order without a shell.
    build: Option<Vec<CommandLine>>,
    /// What a reference is built from, relative to its directory; hashed for the build cache.
    #[schemars(length(min = 1), extend("default" = ["."]))]
    inputs: Option<Vec<RelativePath>>,
    /// Columns of the table of what is raced.
    about: Option<BTreeMap<String, Line>>,
    /// Services that it needs, by the names of `deadheat.toml`.
    services: Option<Vec<Name>>,
    /// Variables passed on besides the scrubbed environment; never those of a runner, tokens or secrets.
    pass_env: Option<Vec<String>>,
    /// Whether the two sides of its pair are alive together, or one after the other (apart): for servers with a second
    /// fixed port or a lock.
    #[schemars(extend("default" = "together"))]
    pair: Option<Pairing>,
    /// Packages whose versions are looked up in the lock file, for the fingerprint.
    versions: Option<Vec<Line>>,
    /// Variables set for its builds and servers. PORT and HOST are deadheat's.
    env: Option<BTreeMap<String, String>>,
    /// Earlier names: history goes on.
    was: Option<Vec<Name>>,
    /// What it runs on, by name: node, bun, native. At least one.
    #[schemars(extend("minProperties" = 1))]
    runtime: BTreeMap<String, Runtime>,
    /// Settings of suites.
    suite: Option<Suites>,
}

/// What a variant runs on.
#[derive(JsonSchema)]
#[schemars(rename = "[runtime.NAME]", deny_unknown_fields)]
struct Runtime {
    /// An argument list, never a shell string. The server listens where PORT and HOST in its environment say. Only a
    /// variant with [suite.process] or [suite.build] may leave it out: it serves nothing then.
    #[schemars(length(min = 1))]
    start: Option<Vec<String>>,
    /// Command lines that only this runtime needs, run after the variant's.
    build: Option<Vec<CommandLine>>,
}

/// Settings of suites.
#[derive(JsonSchema)]
#[schemars(rename = "[suite]", deny_unknown_fields)]
struct Suites {
    /// From spawn to the first good answer.
    boot: Option<Boot>,
    /// A command run to its end.
    process: Option<Process>,
    /// The variant's build from clean.
    build: Option<Build>,
}

/// A command run to its end, in a fresh process each round. A line of JSON with numbers that it prints, such as
/// `{"create_ms": 20.4}`, gives figures of its own; the last such line counts.
#[derive(JsonSchema)]
#[schemars(rename = "[suite.process]", deny_unknown_fields)]
struct Process {
    /// An argument list, never a shell string; {NAME} stands for a parameter of the case.
    #[schemars(length(min = 1))]
    start: Vec<String>,
    /// Sets of named parameters; one run without any where absent.
    #[schemars(length(min = 1, max = 50))]
    cases: Option<Vec<Parameters>>,
}

/// The variant's build, timed in a fresh copy of its directory as it is after `build`, without `output`.
#[derive(JsonSchema)]
#[schemars(rename = "[suite.build]", deny_unknown_fields)]
struct Build {
    /// The timed command lines, {NAME} standing for a parameter of the case; the variant's whole `build` where absent.
    #[schemars(length(min = 1))]
    run: Option<Vec<CommandLine>>,
    /// What they leave, relative to the variant's directory: its size is measured.
    #[schemars(length(min = 1), extend("default" = ["dist"]))]
    output: Option<Vec<RelativePath>>,
    /// Sets of named parameters; one build without any where absent.
    #[schemars(length(min = 1, max = 50))]
    cases: Option<Vec<Parameters>>,
}

/// Named parameters of one case.
type Parameters = BTreeMap<String, Parameter>;

/// A parameter's value.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Parameter {
    /// A whole number.
    Number(i64),
    /// A line of text.
    Text(Line),
    /// True or false.
    Flag(bool),
}

/// From spawn to the first good answer.
#[derive(JsonSchema)]
#[schemars(rename = "[suite.boot]", deny_unknown_fields)]
struct Boot {
    /// The scenario whose first good answer ends a cold start; the contract's first where absent.
    ready: Option<Name>,
}
