//! What a user can tell `baseline`.

use crate::plan::parse_duration;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// What `baseline` is told.
#[derive(Args, Clone, Debug)]
pub struct BaselineArgs {
    /// What to do with the store.
    #[command(subcommand)]
    pub action: BaselineAction,
    /// Where baselines are kept
    #[arg(long, value_enum, default_value_t, global = true)]
    pub store: StoreChoice,
}

/// What is done with the store of baselines.
#[derive(Subcommand, Clone, Debug)]
pub enum BaselineAction {
    /// List the commits with a baseline, the newest run first; on the branch this takes a request per commit
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show the baseline of one commit
    Show(BaselineShowArgs),
    /// Remove old baselines; with both limits, those that pass both
    Prune(BaselinePruneArgs),
}

/// What `baseline show` is told.
#[derive(Args, Clone, Debug)]
pub struct BaselineShowArgs {
    /// The commit: its id, the beginning of it, or a branch or tag of this repository
    pub commit: String,
    /// Print the stored file: one JSON document
    #[arg(long)]
    pub json: bool,
    /// Also write its samples to this file, as the results.json that they were
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
}

/// What `baseline prune` is told.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = true, args = ["keep", "older_than"])]
pub struct BaselinePruneArgs {
    /// Keep the newest N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep: Option<u32>,
    /// Remove only what was raced longer ago, such as 90d
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    pub older_than: Option<Duration>,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// A store of baselines.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreChoice {
    /// As deadheat.toml says; by default in GitHub Actions the branch, elsewhere the directory.
    #[default]
    Auto,
    /// The branch deadheat-data on GitHub.
    Branch,
    /// The directory .deadheat/baselines beside deadheat.toml.
    Directory,
}

/// Reads `90d`, or what every duration is written as.
fn parse_age(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    match days {
        Some(days) => Ok(Duration::from_hours(24 * u64::from(days))),
        None => parse_duration(text).map_err(|rule| format!("{rule}; or whole days, such as \"90d\"")),
    }
}
