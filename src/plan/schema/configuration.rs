//! `deadheat.toml`.
#![expect(dead_code, reason = "only the schema of these types is used")]

use super::texts::{CommandLine, Cpus, Duration, Line, Name, Percent, RelativePath};
use crate::model::Pairing;
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// What deadheat races and how. It lies at the root of the repository; every path is relative to it.
#[derive(JsonSchema)]
#[schemars(rename = "deadheat.toml", deny_unknown_fields)]
pub(super) struct DeadheatToml {
    /// The directory of variants: every directory below it that holds a `variant.toml` is one.
    variants: RelativePath,
    /// The directory of the contract: its `*.toml` hold the scenarios, files below it the golden answers.
    contract: RelativePath,
    /// What is built once per side before the variants.
    build: Option<Build>,
    /// How the race is run.
    protocol: Option<Protocol>,
    /// What the decision rule is told.
    verdict: Option<Verdict>,
    /// Named sets of connections, pipelining and CPUs; without one, the figures of `[protocol]` are used.
    regime: Option<Vec<Regime>>,
    /// What variants need beside them.
    service: Option<Vec<Service>>,
    /// When and where to comment.
    github: Option<Github>,
    /// Where baselines are kept.
    baseline: Option<Baseline>,
    /// One number over several scenarios: the weighted harmonic mean of their requests per second.
    mix: Option<Vec<Mix>>,
}

/// What the pull request changes.
#[derive(JsonSchema)]
#[schemars(rename = "[build]", deny_unknown_fields)]
struct Build {
    /// Command lines, run in order in the directory of `deadheat.toml`.
    run: Option<Vec<CommandLine>>,
    /// Globs of files that change nothing that is raced. A pattern without a slash matches at any depth.
    #[schemars(extend("default" = ["*.md", "docs/**"]))]
    ignore: Option<Vec<String>>,
    /// The time that one side's builds may take, its variants included.
    #[schemars(extend("default" = "20m"))]
    time_limit: Option<Duration>,
}

/// How the race is run.
#[derive(JsonSchema)]
#[schemars(rename = "[protocol]", deny_unknown_fields)]
struct Protocol {
    /// Time of measuring. Builds have their own limit.
    #[schemars(extend("default" = "12m"))]
    budget: Option<Duration>,
    /// How many rounds there are.
    rounds: Option<Rounds>,
    /// Connections per server.
    #[schemars(range(min = 1, max = 10_000), extend("default" = 64))]
    connections: Option<u32>,
    /// Requests in flight per connection.
    #[schemars(range(min = 1, max = 1000), extend("default" = 1))]
    pipelining: Option<u32>,
    /// Load that is discarded, once per fresh process and scenario.
    #[schemars(extend("default" = "500ms"))]
    warmup: Option<Duration>,
    /// Measured load per side, scenario and round.
    #[schemars(extend("default" = "1s"))]
    measure: Option<Duration>,
    /// Alternating slices that `measure` is split into: an even number, each of at least a millisecond, or 1, where waiting
    /// for so many requests in flight before and after each slice takes longer than the slices do.
    #[schemars(range(min = 1, max = 1000), extend("default" = 16, "anyOf" = [{ "const": 1 }, { "multipleOf": 2 }]))]
    slices: Option<u32>,
    /// CPUs of servers.
    #[schemars(extend("default" = "auto"))]
    server_cpus: Option<Cpus>,
    /// CPUs of the load generator.
    #[schemars(extend("default" = "auto"))]
    load_cpus: Option<Cpus>,
    /// The time in which a started server must give its first good answer.
    #[schemars(extend("default" = "10s"))]
    start_limit: Option<Duration>,
}

/// How many rounds there are.
#[derive(JsonSchema)]
#[schemars(rename = "rounds", deny_unknown_fields)]
struct Rounds {
    /// Nobody leaves before this many.
    #[schemars(range(min = 8, max = 40), extend("default" = 8))]
    min: Option<u32>,
    /// The race ends after this many.
    #[schemars(range(min = 12, max = 40), extend("default" = 40))]
    max: Option<u32>,
}

/// What the decision rule is told.
#[derive(JsonSchema)]
#[schemars(rename = "[verdict]", deny_unknown_fields)]
struct Verdict {
    /// The chance that a pull request that changes nothing gets any flag at all: above 0, up to 0.2.
    #[schemars(range(max = 0.2), extend("default" = 0.01, "exclusiveMinimum" = 0))]
    false_alarms: Option<f64>,
    /// Below it a proved difference is not worth a word. Absent metrics keep the rule's own.
    relevant: Option<Relevant>,
    /// Whether a proved regression makes the run fail.
    #[schemars(extend("default" = "never"))]
    fail_on: Option<FailOn>,
    /// A pull request with this label passes with a proved regression, and says so.
    #[schemars(length(max = 50), extend("default" = "perf-accepted"))]
    accepted_label: Option<Line>,
}

/// By metric.
#[derive(JsonSchema)]
#[schemars(rename = "relevant", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("patternProperties" = { "^figure:[a-z][a-z0-9_]{0,31}$": { "$ref": "#/$defs/Percent" } }))]
pub(super) struct Relevant {
    /// Answers per second.
    rps: Option<Percent>,
    /// Median latency.
    p50: Option<Percent>,
    /// 99th percentile of latency.
    p99: Option<Percent>,
    /// 99.9th percentile of latency, of an open loop.
    #[schemars(rename = "p99.9")]
    p999: Option<Percent>,
    /// Server CPU time per request.
    cpu_per_request: Option<Percent>,
    /// Memory under load.
    loaded_memory: Option<Percent>,
    /// From spawn to the first good answer.
    cold_start: Option<Percent>,
    /// CPU time up to the first good answer.
    boot_cpu: Option<Percent>,
    /// Memory after an idle pause.
    idle_memory: Option<Percent>,
    /// A command's wall time, or a build's.
    wall: Option<Percent>,
    /// A command's CPU time.
    cpu: Option<Percent>,
    /// A command's memory.
    peak_memory: Option<Percent>,
}

/// When the run fails.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum FailOn {
    /// Never.
    Never,
    /// When a regression is proved.
    Regression,
}

/// A named set of connections, pipelining and CPUs; what it leaves out is that of `[protocol]`.
#[derive(JsonSchema)]
#[schemars(rename = "[[regime]]", deny_unknown_fields)]
struct Regime {
    /// Its name.
    name: Name,
    /// Connections per server.
    #[schemars(range(min = 1, max = 10_000))]
    connections: Option<u32>,
    /// Requests in flight per connection.
    #[schemars(range(min = 1, max = 1000))]
    pipelining: Option<u32>,
    /// CPUs of servers.
    server_cpus: Option<Cpus>,
    /// CPUs of the load generator.
    load_cpus: Option<Cpus>,
    /// Whether the two sides of a pair are alive together, measured in alternating slices, or one after the other. A
    /// variant's own `apart` wins.
    #[schemars(extend("default" = "together"))]
    pair: Option<Pairing>,
}

/// Something that a variant needs beside it, started and supervised for both sides.
#[derive(JsonSchema)]
#[schemars(rename = "[[service]]", deny_unknown_fields)]
struct Service {
    /// Its name.
    name: Name,
    /// An argument list, never a shell string; `{port}` stands for the port that deadheat chose.
    #[schemars(length(min = 1))]
    start: Vec<String>,
    /// Given to the variants that name it; `{port}` as in `start`.
    env: Option<BTreeMap<String, String>>,
}

/// When and where to comment.
#[derive(JsonSchema)]
#[schemars(rename = "[github]", deny_unknown_fields)]
struct Github {
    /// When a comment is written.
    #[schemars(extend("default" = "always"))]
    comment: Option<Comment>,
    /// Race only pull requests that bear this label; empty for all.
    #[schemars(length(max = 50), extend("default" = ""))]
    label: Option<String>,
    /// Whether drafts are raced.
    #[schemars(extend("default" = false))]
    drafts: Option<bool>,
}

/// When a comment is written.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Comment {
    /// For every run.
    Always,
    /// Only when something is proved.
    Changed,
    /// Never.
    Never,
}

/// Where baselines are kept.
#[derive(JsonSchema)]
#[schemars(rename = "[baseline]", deny_unknown_fields)]
struct Baseline {
    /// `auto` is the branch in Actions and the directory elsewhere.
    #[schemars(extend("default" = "auto"))]
    store: Option<Store>,
}

/// Where baselines are kept.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Store {
    /// The branch in Actions, the directory elsewhere.
    Auto,
    /// The branch `deadheat-data`.
    Branch,
    /// The directory `.deadheat/baselines`.
    Directory,
}

/// One number over several scenarios.
#[derive(JsonSchema)]
#[schemars(rename = "[[mix]]", deny_unknown_fields)]
struct Mix {
    /// Its name.
    name: Name,
    /// Weights above zero, by category; equal inside a category.
    #[schemars(extend("minProperties" = 1))]
    weights: BTreeMap<String, Weight>,
}

/// A weight above zero.
#[derive(JsonSchema)]
struct Weight(#[schemars(extend("exclusiveMinimum" = 0))] f64);
