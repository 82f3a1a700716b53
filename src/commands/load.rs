//! `deadheat load`: the load generator on its own.

use super::{CommandError, Finish, Surroundings};
use crate::cli::LoadArgs;
use crate::process::{pin_this_thread, raise_open_files};
use crate::race::load::{
    Expectation, Generator, HttpUrl, InvalidRequest, InvalidUrl, LoadError, LoadSettings, LoadSummary, Pace,
    PreparedRequest, StatusRule, Waiting,
};
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::time::Duration;

/// Why nothing was loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadCommandError {
    /// The URL cannot be loaded.
    #[error(transparent)]
    Url(#[from] InvalidUrl),
    /// The request cannot be sent.
    #[error(transparent)]
    Request(#[from] InvalidRequest),
    /// A header that is none.
    #[error("read the header {0:?}: write it as `name: value`")]
    Header(String),
    /// The file of the body cannot be read.
    #[error("read the body from {path}: {source}")]
    Body {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The host has no address.
    #[error("find the address of {url}: {source}")]
    Address {
        /// The URL.
        url: HttpUrl,
        /// What the resolver said.
        source: std::io::Error,
    },
    /// The CPU cannot be used.
    #[error("run on CPU {cpu}: {source}; name a CPU that this process may use (taskset -cp $$ lists them)")]
    Pin {
        /// The CPU.
        cpu: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// The generator could not be made.
    #[error(transparent)]
    Generator(#[from] LoadError),
    /// There is nothing to report.
    #[error("get any good answer from {url}: {first_error}")]
    NoAnswer {
        /// The URL.
        url: HttpUrl,
        /// The first error.
        first_error: String,
    },
}

impl From<LoadCommandError> for CommandError {
    fn from(error: LoadCommandError) -> Self {
        use LoadCommandError::{Address, Body, Generator, Header, NoAnswer, Pin, Request, Url};
        let words = format!("failed to {error}");
        match error {
            Url(_) | Request(_) | Header(_) | Body { .. } | Pin { .. } => Self::Usage(words),
            Address { .. } | Generator(_) | NoAnswer { .. } => Self::Infrastructure(words),
        }
    }
}

/// Loads one URL and prints what came of it. Ctrl-C ends the load early; what was measured until then is still printed.
///
/// # Errors
/// [`CommandError`]; errors of single requests are part of the report, unless there was nothing else.
pub fn load(around: &mut Surroundings, args: &LoadArgs) -> Result<Finish, CommandError> {
    let summary = match measure(around, args) {
        Ok(summary) => summary,
        Err(_) if around.cancel.is_set() => {
            return Err(CommandError::Interrupted("interrupted before anything was measured".to_owned()));
        }
        Err(error) => return Err(error.into()),
    };
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&summary).map_err(CommandError::infrastructure)?)
    } else {
        format!("{}\n{summary}\n", args.url)
    };
    around.print(&text)?;
    if around.cancel.is_set() {
        let words = format!("interrupted after {:.1} of {:?}", summary.duration_s, args.duration);
        return Err(CommandError::Interrupted(words));
    }
    Ok(Finish::Done)
}

fn measure(around: &Surroundings, args: &LoadArgs) -> Result<LoadSummary, LoadCommandError> {
    raise_open_files();
    let url: HttpUrl = args.url.parse()?;
    let headers = args.header.iter().map(|header| split_header(header)).collect::<Result<Vec<_>, _>>()?;
    let body = args.body.as_deref().map(|body| read_body(body, &around.directory)).transpose()?;
    let request = PreparedRequest::new(url.authority(), &args.method, url.path(), &headers, body.as_deref())?;
    let address = url.resolve().map_err(|source| LoadCommandError::Address { url: url.clone(), source })?;
    if let Some(cpu) = args.cpu {
        let pinned = pin_this_thread(&[usize::from(cpu)]);
        pinned.map_err(|source| LoadCommandError::Pin { cpu, source })?;
    }
    let settings = LoadSettings {
        connections: usize::from(args.connections),
        pipelining: usize::from(args.pipelining),
        waiting: if args.cpu.is_some() && !args.sleep { Waiting::Spin } else { Waiting::Sleep },
        timeout: args.timeout,
    };
    let pace = args.rate.map_or(Pace::ClosedLoop, |rate| Pace::OpenLoop { rate });
    let mut generator = Generator::new(address, request, Expectation::of_status(StatusRule::Success), &settings)?;
    generator.stop_when(around.cancel.flag());
    if !args.warmup.is_zero() {
        generator.warm_up(args.warmup, pace);
    }
    let cpu_before = cpu_time();
    let report = generator.measure(args.duration, pace);
    let cpu = cpu_time().saturating_sub(cpu_before);
    if report.answers == 0 {
        let first_error = report.first_error.unwrap_or_else(|| "none came in time".to_owned());
        return Err(LoadCommandError::NoAnswer { url, first_error });
    }
    Ok(LoadSummary::new(&settings, pace, &report, cpu))
}

fn split_header(text: &str) -> Result<(String, String), LoadCommandError> {
    let (name, value) = text.split_once(':').ok_or_else(|| LoadCommandError::Header(text.to_owned()))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn read_body(text: &str, directory: &Path) -> Result<Vec<u8>, LoadCommandError> {
    match text.strip_prefix('@') {
        Some(path) => std::fs::read(directory.join(path))
            .map_err(|source| LoadCommandError::Body { path: path.to_owned(), source }),
        None => Ok(text.as_bytes().to_vec()),
    }
}

/// CPU time of this thread, which is the generator's.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
