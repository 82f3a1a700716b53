//! `deadheat load`: the load generator on its own.

use super::CommandError;
use crate::cli::LoadArgs;
use crate::race::load::{
    Expectation, Generator, HttpUrl, InvalidRequest, InvalidUrl, LoadError, LoadSettings, LoadSummary, Pace,
    PreparedRequest, StatusRule, Waiting,
};
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use std::io::Write;
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
    #[error("run on CPU {cpu}: {source}; look at the CPUs that this process may use (taskset -p $$)")]
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
    /// The report could not be written.
    #[error("write the report: {0}")]
    Output(#[from] std::io::Error),
}

impl From<LoadCommandError> for CommandError {
    fn from(error: LoadCommandError) -> Self {
        use LoadCommandError::{Address, Body, Generator, Header, NoAnswer, Output, Pin, Request, Url};
        match error {
            Url(_) | Request(_) | Header(_) | Body { .. } | Pin { .. } => Self::usage(error),
            Address { .. } | Generator(_) | NoAnswer { .. } | Output(_) => Self::infrastructure(error),
        }
    }
}

/// Loads one URL and writes what came of it.
///
/// # Errors
/// [`LoadCommandError`]; errors of single requests are part of the report, unless there was nothing else.
pub fn run(args: &LoadArgs, out: &mut dyn Write) -> Result<(), LoadCommandError> {
    let url: HttpUrl = args.url.parse()?;
    let headers = args.header.iter().map(|header| split_header(header)).collect::<Result<Vec<_>, _>>()?;
    let body = args.body.as_deref().map(read_body).transpose()?;
    let request = PreparedRequest::new(url.authority(), &args.method, url.path(), &headers, body.as_deref())?;
    let address = url.resolve().map_err(|source| LoadCommandError::Address { url: url.clone(), source })?;
    if let Some(cpu) = args.cpu {
        pin(cpu).map_err(|source| LoadCommandError::Pin { cpu, source })?;
    }
    let settings = LoadSettings {
        connections: usize::from(args.connections),
        pipelining: usize::from(args.pipelining),
        waiting: if args.cpu.is_some() && !args.sleep { Waiting::Spin } else { Waiting::Sleep },
        timeout: args.timeout,
    };
    let pace = args.rate.map_or(Pace::ClosedLoop, |rate| Pace::OpenLoop { rate });
    let mut generator = Generator::new(address, request, Expectation::of_status(StatusRule::Success), &settings)?;
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
    let summary = LoadSummary::new(&settings, pace, &report, cpu);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &summary).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{url}\n{summary}")?;
    }
    Ok(())
}

fn split_header(text: &str) -> Result<(String, String), LoadCommandError> {
    let (name, value) = text.split_once(':').ok_or_else(|| LoadCommandError::Header(text.to_owned()))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn read_body(text: &str) -> Result<Vec<u8>, LoadCommandError> {
    match text.strip_prefix('@') {
        Some(path) => std::fs::read(path).map_err(|source| LoadCommandError::Body { path: path.to_owned(), source }),
        None => Ok(text.as_bytes().to_vec()),
    }
}

fn pin(cpu: u16) -> std::io::Result<()> {
    let cpu = usize::from(cpu);
    if cpu >= CpuSet::MAX_CPU {
        return Err(std::io::Error::from(std::io::ErrorKind::InvalidInput));
    }
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    sched_setaffinity(None, &cpus).map_err(std::io::Error::from)
}

/// CPU time of this thread, which is the generator's.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
