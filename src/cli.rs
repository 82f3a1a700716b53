//! What a user can type.

mod baseline;
mod calibrate;
mod replay;

pub use baseline::{BaselineAction, BaselineArgs, BaselinePruneArgs, BaselineShowArgs, StoreChoice};
pub use calibrate::{CalibrateArgs, NoiseChoice, SimulationArgs};
pub use replay::{ReplayArgs, SlowedRuns, ToldRuns};

use crate::model::{PinnedAction, RuntimeName, ScenarioName, VariantName};
use crate::plan::{parse_duration, parse_rate};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Races the variants of an HTTP framework at a pull request's base and head, and says only what is proved.
///
/// Results go to standard output, everything else to standard error.
/// Exit codes: 0 done; 1 a proved regression, where the configuration says so; 2 configuration or usage; 3 an unusable run;
/// 4 infrastructure (git, network, disk); 130 interrupted.
#[derive(Parser, Debug)]
#[command(name = "deadheat", version, max_term_width = 100, verbatim_doc_comment)]
pub struct Cli {
    /// Options of every subcommand.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every subcommand.
#[derive(Args, Clone, Debug)]
pub struct GlobalArgs {
    /// Work in this directory instead of the current one
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// The configuration; without it deadheat.toml is looked for upwards
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Say nothing but errors and the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: every build step, every turn
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to colour
    #[arg(long, value_enum, default_value_t, global = true)]
    pub color: ColorChoice,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t, global = true)]
    pub progress: ProgressChoice,
}

/// When to colour.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How to show progress.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgressChoice {
    /// Bars on a terminal, plain lines elsewhere.
    #[default]
    Auto,
    /// Plain lines.
    Plain,
    /// Nothing.
    None,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Make a small repository with a pull request in a temporary folder, race it, and print the comment
    Demo(DemoArgs),
    /// Write deadheat.toml, a first variant and a contract, and the workflows for GitHub Actions
    Init(InitArgs),
    /// Read everything, print the plan, build, and gate every entry once; measure nothing
    Check(CheckArgs),
    /// Build, gate, race and judge base and head; write results.json, comment.md and journal.ndjson
    Run(RunArgs),
    /// Render a results file; verdicts are recomputed, never read
    Report(ReportArgs),
    /// Judge the same rounds by other tools' published rules, beside deadheat's own
    Replay(ReplayArgs),
    /// List, show and prune the stored results per commit
    Baseline(BaselineArgs),
    /// Publish a race on GitHub: comment, check run and baseline, as the event asks
    Publish(PublishArgs),
    /// Load one URL and report requests per second and latency
    Load(LoadArgs),
    /// Measure what this machine can prove: false alarms, pair noise, the smallest difference per budget; or the rule
    /// alone on simulated rounds
    Calibrate(Box<CalibrateArgs>),
    /// Print the JSON Schema of a file
    Schema(SchemaArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Supervise children; deadheat starts this by itself
    #[command(hide = true)]
    Guard,
    /// Relay to a server and slow it by a known amount; deadheat starts this by itself
    #[command(hide = true)]
    PassThrough(PassThroughArgs),
}

impl Command {
    /// Whether standard output is for one document or product, and all else has to go elsewhere.
    pub fn prints_document(&self) -> bool {
        match self {
            Self::Demo(arguments) => arguments.json,
            Self::Check(arguments) => arguments.json,
            Self::Run(arguments) => arguments.json,
            Self::Calibrate(arguments) => arguments.json,
            Self::Init(_) | Self::Publish(_) => false,
            Self::Report(_)
            | Self::Replay(_)
            | Self::Baseline(_)
            | Self::Load(_)
            | Self::Schema(_)
            | Self::Completions { .. }
            | Self::Guard
            | Self::PassThrough(_) => true,
        }
    }
}

/// What `pass-through` is told.
#[derive(Args, Clone, Debug)]
pub struct PassThroughArgs {
    /// Nanoseconds of CPU time that every request costs more
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub delay_ns: u64,
    /// The server and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGV")]
    pub argv: Vec<String>,
}

/// What `demo` is told.
#[derive(Args, Clone, Debug)]
pub struct DemoArgs {
    /// Let the pull request change nothing that matters
    #[arg(long)]
    pub unchanged: bool,
    /// Keep the repository and the results in this directory, which must be empty or missing
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// By how many percent the pull request slows the route down, roughly
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=100), conflicts_with = "unchanged")]
    pub slowdown: u8,
    /// The route that it slows down
    #[arg(long, value_enum, default_value_t, conflicts_with = "unchanged")]
    pub route: DemoRoute,
    /// What the schedule is derived from; without it, from the clock
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The time for measuring
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    pub budget: Duration,
    /// Print the report as one JSON document instead of the comment
    #[arg(long)]
    pub json: bool,
}

/// What `init` is told.
#[derive(Args, Clone, Debug)]
pub struct InitArgs {
    /// The action that the workflows use, with the full commit that it is pinned to; by default this build's own
    #[arg(long, value_name = "OWNER/REPO@SHA")]
    pub action: Option<PinnedAction>,
}

/// A route of the demo's repository.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DemoRoute {
    /// GET /users/1
    #[default]
    GetUser,
    /// GET /hello
    Hello,
    /// GET /ping
    Ping,
}

/// What is raced, out of all that the configuration names.
#[derive(Args, Clone, Debug, Default)]
pub struct SelectionArgs {
    /// Only these variants
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = parse_name::<VariantName>)]
    pub variants: Vec<VariantName>,
    /// Only these runtimes
    #[arg(long, value_name = "NODE,BUN", value_delimiter = ',', value_parser = parse_name::<RuntimeName>)]
    pub runtimes: Vec<RuntimeName>,
    /// Only these suites
    #[arg(long, value_name = "HTTP,BOOT", value_delimiter = ',', value_enum)]
    pub suites: Vec<SuiteChoice>,
    /// Only these scenarios
    #[arg(long, value_name = "X,Y", value_delimiter = ',', value_parser = parse_name::<ScenarioName>)]
    pub scenarios: Vec<ScenarioName>,
    /// The time for measuring, such as 10m, instead of the configuration's
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
}

/// A suite to choose.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuiteChoice {
    /// Closed and open loop.
    Http,
    /// Cold start and idle memory.
    Boot,
    /// Commands run to their end.
    Process,
    /// Builds from clean.
    Build,
}

/// What `check` is told.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// What is checked.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Print what was found as one JSON document: results without rounds
    #[arg(long)]
    pub json: bool,
}

/// What `run` is told.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The commit to compare with, or `none` for head's standings alone; by default the merge base with the default
    /// branch, or head's parent where head is on that branch
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// The commit to judge; by default HEAD, with uncommitted changes if there are any
    #[arg(long, value_name = "REV")]
    pub head: Option<String>,
    /// What is raced.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Race exactly so many rounds (12 to 40 to prove a change), whatever is decided before
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=40))]
    pub rounds: Option<u32>,
    /// What the schedule is derived from; without it, from the clock
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The smallest run that exercises everything; it judges nothing and writes quick.json
    #[arg(long, conflicts_with_all = ["rounds", "resume"])]
    pub quick: bool,
    /// Go on with the interrupted run of this output directory, with the same seed and schedule
    #[arg(long, conflicts_with = "seed")]
    pub resume: bool,
    /// Where results.json, comment.md, journal.ndjson and logs are written
    #[arg(long, value_name = "DIR", default_value = ".deadheat/latest")]
    pub out: PathBuf,
    /// Print the report as one JSON document instead of the comment
    #[arg(long)]
    pub json: bool,
}

/// What `report` is told.
#[derive(Args, Clone, Debug)]
pub struct ReportArgs {
    /// A results.json
    pub results: PathBuf,
    /// The form
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// A directory whose *.hbs replace the templates of the same name
    #[arg(long, value_name = "DIR")]
    pub templates: Option<PathBuf>,
}

/// The forms of a report.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportFormat {
    /// The comment of a pull request.
    #[default]
    Markdown,
    /// A job summary.
    Summary,
    /// A benchmark page of head's entries side by side; with --out, with charts beside it.
    Page,
    /// The stable interface for scripts.
    Json,
    /// A row per cell.
    Csv,
}

/// What `publish` is told. It reads `GITHUB_REPOSITORY`, `GITHUB_TOKEN` and the event as Actions sets them.
#[derive(Args, Clone, Debug)]
pub struct PublishArgs {
    /// A results.json, or the zip of the artifact; without it the artifact of the run is fetched
    #[arg(long, value_name = "FILE|ZIP")]
    pub results: Option<PathBuf>,
    /// Print the requests that would be sent, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Publish this run of the workflow instead of the event's: how to publish again by hand
    #[arg(long, value_name = "ID")]
    pub run: Option<u64>,
    /// The pull request of a dispatched run
    #[arg(long, value_name = "NUMBER", requires = "run")]
    pub pr: Option<u64>,
    /// A directory of the default branch whose *.hbs replace the templates of the same name
    #[arg(long, value_name = "DIR")]
    pub templates: Option<String>,
}

/// What `schema` is told.
#[derive(Args, Clone, Debug)]
pub struct SchemaArgs {
    /// The file
    #[arg(value_enum)]
    pub name: SchemaChoice,
}

/// Files that have a schema.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaChoice {
    /// deadheat.toml
    Configuration,
    /// variant.toml
    Variant,
    /// A contract file.
    Contract,
    /// results.json
    Results,
}

fn parse_name<T: TryFrom<String>>(text: &str) -> Result<T, String>
where
    T::Error: std::fmt::Display,
{
    T::try_from(text.to_owned()).map_err(|error| error.to_string())
}

/// What `deadheat load` is told.
#[derive(Args, Clone, Debug)]
pub struct LoadArgs {
    /// What to ask, such as `http://127.0.0.1:3000/users/1`; only http:// is possible
    pub url: String,
    /// Connections, all kept open
    #[arg(short, long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// Requests in flight per connection
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub pipelining: u16,
    /// How long to measure, such as 5s
    #[arg(short, long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    pub duration: Duration,
    /// How long to load the server before measuring
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = parse_duration)]
    pub warmup: Duration,
    /// Open loop: send at fixed times, such as 5000/s, and count latency from then; without it, each answer triggers
    /// the next request
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// How long to wait for one answer
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    pub timeout: Duration,
    /// The method
    #[arg(long, short = 'X', value_name = "METHOD", default_value = "GET")]
    pub method: String,
    /// A header, such as `Cookie: session=1`; can be given more than once
    #[arg(long, short = 'H', value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// The body, or @FILE to read it from a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub body: Option<String>,
    /// Run on this CPU alone and poll busily on it; without it the generator sleeps between answers. Figures of the two
    /// are not comparable: a server spends CPU on waking a generator that sleeps
    #[arg(long, value_name = "N")]
    pub cpu: Option<u16>,
    /// Sleep between answers also on a CPU of its own
    #[arg(long, requires = "cpu")]
    pub sleep: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
