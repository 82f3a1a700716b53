//! What a user can tell `calibrate`.

use super::SelectionArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What `calibrate` is told. Without `--synthetic` it measures this machine with the user's own entries.
#[derive(Args, Clone, Debug)]
pub struct CalibrateArgs {
    /// What is raced; the time for measuring is 10 minutes unless another is asked for.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Rounds that race base against itself
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(8..=40))]
    pub rounds: u32,
    /// The known slowdown, in percent, that is to be found
    #[arg(long, value_name = "PCT", default_value_t = 5.0, value_parser = parse_percent)]
    pub slowdown: f64,
    /// What everything random is derived from; without it, from the clock
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where results and logs are written
    #[arg(long, value_name = "DIR", default_value = ".deadheat/calibration")]
    pub out: PathBuf,
    /// Measure nothing: judge simulated pull requests whose pairs scatter by this standard deviation, in percent
    #[arg(
        long, value_name = "SD", value_parser = parse_percent,
        conflicts_with_all = ["variants", "runtimes", "suites", "scenarios", "budget", "rounds", "slowdown", "out"]
    )]
    pub synthetic: Option<f64>,
    /// How the simulated pull requests are made.
    #[command(flatten)]
    pub simulation: SimulationArgs,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// How `calibrate --synthetic` makes its pull requests.
#[derive(Args, Clone, Debug)]
pub struct SimulationArgs {
    /// Slow one scenario's requests per second, p50 and CPU per request by so many percent; without it nothing is slowed
    #[arg(long, value_name = "PCT", requires = "synthetic", value_parser = parse_percent)]
    pub effect: Option<f64>,
    /// How many pull requests
    #[arg(
        long, value_name = "N", requires = "synthetic", default_value_t = 2000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub pulls: u32,
    /// How many cells each has: four to a scenario
    #[arg(
        long, value_name = "N", requires = "synthetic", default_value_t = 40,
        value_parser = clap::value_parser!(u32).range(1..=400)
    )]
    pub cells: u32,
    /// How the measurements scatter
    #[arg(long, value_enum, default_value_t, requires = "synthetic")]
    pub noise: NoiseChoice,
    /// The correlation of the log-ratios of a round's requests per second and p50. On a real machine it is negative: a
    /// round that is slow by chance answers less and takes longer. 0.8 is what the rule's reference was computed with;
    /// with -0.8 a slowdown of 2 % is found in about five pull requests of six, and nothing else differs
    #[arg(
        long, value_name = "R", requires = "synthetic", default_value_t = 0.8, allow_negative_numbers = true,
        value_parser = parse_correlation
    )]
    pub correlation: f64,
}

/// A way in which simulated measurements scatter.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoiseChoice {
    /// Normally.
    Gauss,
    /// Normally, five measurements of a hundred ten times as wide.
    #[default]
    Heavy,
    /// Normally, around one of two modes: some rounds of a side are slower throughout.
    Bimodal,
    /// Normally, on a machine that becomes slower and slower while it measures.
    Drift,
    /// At one of two points only.
    TwoPoint,
}

/// Reads a percentage above 0 and up to 100.
fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text.parse::<f64>().ok().filter(|percent| *percent > 0.0 && *percent <= 100.0);
    percent.ok_or_else(|| "write a number of percent above 0 and up to 100, such as 1.6".to_owned())
}

/// Reads a correlation.
fn parse_correlation(text: &str) -> Result<f64, String> {
    let correlation = text.parse::<f64>().ok().filter(|correlation| (-1.0..=1.0).contains(correlation));
    correlation.ok_or_else(|| "write a number from -1 to 1, such as -0.8".to_owned())
}
