//! The user's configuration as domain types: `deadheat.toml`, every `variant.toml`, and the contract, read and checked.

use super::{BuildSuite, ProcessSuite};
use crate::model::{
    CategoryName, Metric, MixName, Pairing, RegimeName, Role, RuntimeName, ScenarioName, ServiceName, VariantName,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that the user's files say. Paths are relative to the directory that holds `deadheat.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Every variant, by name.
    pub variants: Vec<Variant>,
    /// The scenarios, in the order of the contract's files and of the tables in them; at least one.
    pub scenarios: Vec<Scenario>,
    /// What is built once per side before the variants.
    pub build: SideBuild,
    /// How the race is run.
    pub protocol: Protocol,
    /// What the decision rule is told.
    pub judging: Judging,
    /// Named regimes; empty where [`Protocol`]'s figures are the only ones.
    pub regimes: Vec<Regime>,
    /// Services by name.
    pub services: Vec<Service>,
    /// Mixes.
    pub mixes: Vec<Mix>,
    /// When and where to comment.
    pub github: GithubSettings,
    /// Where baselines are kept.
    pub baseline: BaselineStore,
    /// The directory of the contract.
    pub contract_directory: PathBuf,
    /// The directory below which variants are found.
    pub variants_directory: PathBuf,
}

/// What `deadheat.toml` says to whoever publishes a race: everything that needs no variant and no contract.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// What the decision rule is told.
    pub judging: Judging,
    /// When and where to comment.
    pub github: GithubSettings,
    /// Where baselines are kept.
    pub baseline: BaselineStore,
}

/// A command line, split into words as a shell would split it, run without one. At least one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine(pub Vec<String>);

/// `[build]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SideBuild {
    /// Run in order in the directory of `deadheat.toml`.
    pub run: Vec<CommandLine>,
    /// Globs of files that change nothing that is raced. A pattern without a slash matches at any depth.
    pub ignore: Vec<String>,
    /// The time that one side's builds may take, its variants included.
    pub time_limit: Duration,
}

/// CPUs as the user chose them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum CpuChoice {
    /// Halve the machine, never sharing a core.
    #[default]
    Auto,
    /// These logical CPUs, sorted, without duplicates, at least one.
    List(Vec<usize>),
}

/// `[protocol]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Protocol {
    /// Time of measuring.
    pub budget: Duration,
    /// Nobody leaves before this many rounds.
    pub rounds_min: u32,
    /// The race ends after this many, 12 to 40.
    pub rounds_max: u32,
    /// Connections per server.
    pub connections: u32,
    /// Requests in flight per connection.
    pub pipelining: u32,
    /// Discarded load per fresh process and scenario.
    pub warmup: Duration,
    /// Measured load per side, scenario and round.
    pub measure: Duration,
    /// Alternating slices that `measure` is split into.
    pub slices: u32,
    /// CPUs of servers.
    pub server_cpus: CpuChoice,
    /// CPUs of the load generator.
    pub load_cpus: CpuChoice,
    /// The time in which a started server must give its first good answer.
    pub start_limit: Duration,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            budget: Duration::from_mins(12),
            rounds_min: 8,
            rounds_max: 40,
            connections: 64,
            pipelining: 1,
            warmup: Duration::from_millis(500),
            measure: Duration::from_secs(1),
            slices: 16,
            server_cpus: CpuChoice::Auto,
            load_cpus: CpuChoice::Auto,
            start_limit: Duration::from_secs(10),
        }
    }
}

/// `[verdict]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Judging {
    /// Chance that a pull request that changes nothing gets any flag at all.
    pub false_alarms: f64,
    /// As a share (0.01 for 1 %): below it a proved difference is not worth a word.
    pub relevant: BTreeMap<Metric, f64>,
    /// Whether a proved regression makes `run` exit with 1.
    pub fail_on_regression: bool,
    /// A pull request with this label passes with a proved regression.
    pub accepted_label: String,
}

/// `[[regime]]`; what it leaves out is [`Protocol`]'s.
#[derive(Clone, Debug, PartialEq)]
pub struct Regime {
    /// Its name.
    pub name: RegimeName,
    /// Connections per server.
    pub connections: u32,
    /// Requests in flight per connection.
    pub pipelining: u32,
    /// CPUs of servers.
    pub server_cpus: CpuChoice,
    /// CPUs of the load generator.
    pub load_cpus: CpuChoice,
    /// Whether pairs run together; a variant's own `apart` wins.
    pub pairing: Pairing,
}

/// `[[service]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name.
    pub name: ServiceName,
    /// Its argument list; `{port}` stands for the port that deadheat chose.
    pub start: Vec<String>,
    /// Given to the variants that name it; `{port}` as in `start`.
    pub env: BTreeMap<String, String>,
}

/// `[[mix]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    /// Its name.
    pub name: MixName,
    /// Positive weights by category; equal inside a category.
    pub weights: BTreeMap<CategoryName, f64>,
}

impl Default for Judging {
    fn default() -> Self {
        Self {
            false_alarms: 0.01,
            relevant: BTreeMap::new(),
            fail_on_regression: false,
            accepted_label: "perf-accepted".to_owned(),
        }
    }
}

/// When a comment is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommentWhen {
    /// For every run.
    #[default]
    Always,
    /// Only when something is proved.
    Changed,
    /// Never.
    Never,
}

/// `[github]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GithubSettings {
    /// When a comment is written.
    pub comment: CommentWhen,
    /// Race only pull requests that bear this label; empty for all.
    pub label: String,
    /// Whether drafts are raced.
    pub drafts: bool,
}

/// `[baseline]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaselineStore {
    /// In Actions the branch, elsewhere the directory.
    #[default]
    Auto,
    /// The branch `deadheat-data`.
    Branch,
    /// The directory `.deadheat/baselines`.
    Directory,
}

/// `variant.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its directory, relative to the directory of `deadheat.toml`.
    pub directory: PathBuf,
    /// Its name.
    pub name: VariantName,
    /// Its name as people write it; `name` where the file gives none.
    pub label: String,
    /// Subject or reference.
    pub role: Role,
    /// The variant on whose HTTP layer it stands.
    pub floor: Option<VariantName>,
    /// Its build steps, run in its directory.
    pub build: Vec<CommandLine>,
    /// What a reference is built from, relative to its directory.
    pub inputs: Vec<PathBuf>,
    /// Columns of the table of what is raced.
    pub about: BTreeMap<String, String>,
    /// Services that it needs.
    pub services: Vec<ServiceName>,
    /// Variables passed on besides the scrubbed environment.
    pub pass_env: Vec<String>,
    /// Whether its pair may run together.
    pub pairing: Pairing,
    /// Packages to look up in its lock file.
    pub versions: Vec<String>,
    /// Variables set for its builds and servers.
    pub env: BTreeMap<String, String>,
    /// Earlier names.
    pub was: Vec<VariantName>,
    /// Its runtimes, in the order of the file; at least one.
    pub runtimes: Vec<Runtime>,
    /// The scenario whose first good answer ends a cold start; the contract's first where the file names none.
    pub ready: ScenarioName,
    /// The command that the process suite runs.
    pub process: Option<ProcessSuite>,
    /// What the build suite builds from clean.
    pub clean_build: Option<BuildSuite>,
}

/// `[runtime.NAME]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Runtime {
    /// Its name.
    pub name: RuntimeName,
    /// The server's argument list, run in the variant's directory; empty where the variant serves nothing.
    pub start: Vec<String>,
    /// Build steps that only this runtime needs, run after the variant's.
    pub build: Vec<CommandLine>,
}

/// `[[scenario]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: ScenarioName,
    /// Its category.
    pub category: Option<CategoryName>,
    /// What is sent.
    pub request: Request,
    /// What must come back.
    pub expect: Expect,
    /// Requests per second, where it is also measured as an open loop.
    pub rate: Option<f64>,
}

/// A request, ready to be sent. Header names and values hold no line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method, in capitals.
    pub method: String,
    /// Path and query; starts with `/`.
    pub path: String,
    /// Headers in order, cookies and the body's content type included; never Host or Content-Length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<Vec<u8>>,
}

impl Request {
    /// Whether sending it twice leaves the server as it was, so that it may run before memory is taken.
    pub fn is_safe(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }
}

/// What an answer must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The status.
    pub status: u16,
    /// The media type without parameters, where it is compared.
    pub media_type: Option<String>,
    /// Headers that are compared, by lowercase name.
    pub headers: BTreeMap<String, String>,
    /// How the body is compared.
    pub body: ExpectedBody,
}

/// How a body is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedBody {
    /// Not at all.
    Anything,
    /// Byte for byte.
    Bytes(Vec<u8>),
    /// As a parsed JSON value, leaving out the JSON pointers named.
    Json {
        /// The golden value.
        value: Value,
        /// JSON pointers that are not compared.
        ignore: Vec<String>,
    },
}
