//! One publisher: a client of the double, with a clock that lets no time pass.

use deadheat::github::{
    Client, ClientSettings, ConfigurationPath, Marker, Pace, PastVerdict, RepositoryName, Timeouts, Token, lead,
};
use deadheat::model::{CommitSha, PullNumber, RunAttempt, RunId};
use github_double::{Double, GitHub};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const PULL: PullNumber = PullNumber(7);
pub(crate) const BOT: &str = "github-actions[bot]";

/// Longer than the double takes on a machine with much to do, shorter than its hangs.
const PATIENCE: Duration = Duration::from_secs(1);

/// A fault that lasts longer than a client waits.
pub(crate) const FOREVER: Duration = Duration::from_mins(1);

#[derive(Default)]
struct NoTime(Mutex<Vec<Duration>>);

impl Pace for NoTime {
    fn wait<'a>(&'a self, duration: Duration, _why: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.0.lock().unwrap().push(duration);
        Box::pin(tokio::task::yield_now())
    }

    fn now(&self) -> u64 {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

/// One publisher.
pub(crate) struct Publisher {
    pub(crate) client: Client,
    pace: Arc<NoTime>,
    runtime: tokio::runtime::Runtime,
}

impl Publisher {
    /// A publisher to the double.
    pub(crate) fn new(github: &GitHub) -> Self {
        Self::with(github, |_| {})
    }

    /// A publisher that waits as long as in truth: beside many others its requests may take their time.
    pub(crate) fn patient(github: &GitHub) -> Self {
        Self::with(github, |settings| settings.timeouts = Timeouts::default())
    }

    /// A publisher with other settings.
    pub(crate) fn with(github: &GitHub, change: impl FnOnce(&mut ClientSettings)) -> Self {
        let repository = RepositoryName::parse(&github.repository()).unwrap();
        let mut settings = ClientSettings::new(github.url(), repository, Some(Token::new("ghs_token")));
        settings.timeouts = Timeouts { connect: PATIENCE, read: PATIENCE, total: PATIENCE, download: PATIENCE };
        change(&mut settings);
        let pace: Arc<NoTime> = Arc::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async { Client::new(settings, pace.clone()) }).unwrap();
        Self { client, pace, runtime }
    }

    /// Does something to its end.
    pub(crate) fn wait_for<'a, F: Future>(&'a self, work: impl FnOnce(&'a Client) -> F) -> F::Output {
        self.runtime.block_on(work(&self.client))
    }

    /// The longest wait so far.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.pace.0.lock().unwrap().iter().max().copied().unwrap_or_default()
    }
}

/// A commit of one digit.
pub(crate) fn sha(digit: char) -> CommitSha {
    CommitSha::new(digit.to_string().repeat(40)).unwrap()
}

/// The marker of a run that raced the commit `b...`.
pub(crate) fn marker(run: u64) -> Marker {
    let configuration = ConfigurationPath::new("deadheat.toml").unwrap();
    Marker { configuration, head: sha('b'), run: RunId(run), attempt: RunAttempt(1) }
}

/// What a run has to say.
pub(crate) fn body(marker: &Marker, past: &[PastVerdict]) -> String {
    let current = PastVerdict::new(marker, &format!("verdict of {}", marker.run), "");
    let before: Vec<&str> = past.iter().map(|verdict| verdict.text.as_str()).collect();
    format!("{}results of {}; before: {}", lead(marker, past, Some(&current)), marker.run, before.join(", "))
}

/// A double with the pull request 7 at `b...`, whose requests are kept under `name`.
pub(crate) fn double(name: &str) -> Double {
    let double = Double::start().recorded_as(name);
    double.pull(PULL.0).head(sha('b').as_str());
    double
}
