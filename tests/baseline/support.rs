//! Records, stores and the program under test.

use deadheat::baseline::{BaselineRecord, CellFigures};
use deadheat::github::{Client, ClientSettings, Pace, RepositoryName, Token};
use deadheat::model::{CommitSha, Results};
use github_double::Double;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn sha(number: usize) -> CommitSha {
    // The first digits differ, as those of real ids do.
    CommitSha::new(format!("{:02x}{number:038x}", (number * 37) % 256)).unwrap()
}

/// A record of `sha`, raced at `started`.
pub(crate) fn record(sha: &CommitSha, started: &str) -> BaselineRecord {
    let mut results: Results = serde_json::from_str(include_str!("../../fixtures/results/unchanged.json")).unwrap();
    results.head.sha = sha.clone();
    started.clone_into(&mut results.started);
    let figures = CellFigures { rounds: 12, base: Some(20_000.0), head: Some(18_400.0), centre: Some(-0.083) };
    BaselineRecord::from_results(&results, &vec![figures; results.cells.len()]).unwrap()
}

/// Passes a thousandth of the time that it is told to.
#[derive(Debug)]
pub(crate) struct Hurried;

impl Pace for Hurried {
    fn wait<'a>(&'a self, duration: Duration, _: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(tokio::time::sleep(duration / 1000))
    }

    fn now(&self) -> u64 {
        1_790_000_000
    }

    fn jitter(&self) -> f64 {
        f64::from(getrandom::u32().unwrap()) / f64::from(u32::MAX)
    }
}

pub(crate) fn settings(double: &Double) -> ClientSettings {
    let repository = RepositoryName::parse(&double.repository()).unwrap();
    ClientSettings::new(double.url(), repository, Some(Token::new("ghs_test")))
}

pub(crate) fn client(settings: ClientSettings) -> Client {
    Client::new(settings, Arc::new(Hurried)).unwrap()
}

pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The program under test, without anything of Actions in its environment but `variables`.
pub(crate) fn deadheat(directory: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GITHUB_") {
            command.env_remove(name);
        }
    }
    command.current_dir(directory).args(arguments).envs(variables.iter().copied()).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
