//! One slice as `deadheat load` shows it.

use super::{ErrorCounts, LoadSettings, Pace, SliceReport, Waiting};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// Percentiles in microseconds, with three significant digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LatencySummary {
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
    pub p99_9: u64,
    pub max: u64,
}

/// The figures of a slice; its JSON is what `deadheat load --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadSummary {
    /// Good answers.
    pub requests: u64,
    /// Seconds that were measured.
    pub duration_s: f64,
    /// Good answers per second.
    pub rps: f64,
    /// Bytes received per second.
    pub bytes_per_s: f64,
    /// Latency of good answers.
    pub latency_us: LatencySummary,
    /// CPU time of the generator itself per answer; busy polling counts, so that on a CPU of its own this is little more
    /// than the time between answers.
    pub cpu_us_per_request: f64,
    /// Errors by kind.
    pub errors: ErrorCounts,
    /// The first of them in words.
    pub first_error: Option<String>,
    /// How the generator waited.
    pub mode: Waiting,
    /// See [`SliceReport::self_check`].
    pub self_check: f64,
    /// Connections.
    pub connections: usize,
    /// Requests in flight per connection.
    pub pipelining: usize,
    /// Requests per second that were intended; absent in a closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Requests that were sent late; absent in a closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_sends: Option<u64>,
    /// Connections that had to be opened again.
    pub reopened: u64,
    /// The share of polls that found something.
    pub busy_polls: f64,
    /// The share of the time that went into answers; near 1, the generator is what limits the figures. Of a generator that
    /// sleeps it holds the sleep too, and says nothing.
    pub busy_time: f64,
}

impl LoadSummary {
    /// Sums a slice up; `cpu` is the generator's CPU time over it.
    pub fn new(settings: &LoadSettings, pace: Pace, report: &SliceReport, cpu: Duration) -> Self {
        let at = |quantile| report.latency.value_at_quantile(quantile);
        let rate = match pace {
            Pace::ClosedLoop => None,
            Pace::OpenLoop { rate } => Some(rate),
        };
        Self {
            requests: report.answers,
            duration_s: report.window.as_secs_f64(),
            rps: report.rps(),
            bytes_per_s: share(report.bytes as f64, report.window.as_secs_f64()),
            latency_us: LatencySummary {
                p50: at(0.5),
                p90: at(0.9),
                p99: at(0.99),
                p99_9: at(0.999),
                max: report.latency.max(),
            },
            cpu_us_per_request: share(cpu.as_secs_f64() * 1e6, report.all_answers as f64),
            errors: report.errors,
            first_error: report.first_error.clone(),
            mode: settings.waiting,
            self_check: report.self_check,
            connections: settings.connections,
            pipelining: settings.pipelining,
            rate,
            late_sends: rate.map(|_| report.late_sends),
            reopened: report.reopened,
            busy_polls: share(report.non_empty_polls as f64, report.polls as f64),
            busy_time: share(report.busy.as_secs_f64(), report.window.as_secs_f64()).min(1.0),
        }
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl fmt::Display for LoadSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LatencySummary { p50, p90, p99, p99_9, max } = self.latency_us;
        let mode = match self.mode {
            Waiting::Spin => "polling busily",
            Waiting::Sleep => "sleeping between answers",
        };
        writeln!(f, "  {} connections x {} in flight, {mode}", self.connections, self.pipelining)?;
        writeln!(f, "  requests        {:>12}  in {:.2} s", self.requests, self.duration_s)?;
        writeln!(f, "  requests/s      {:>12.0}", self.rps)?;
        if let (Some(rate), Some(late)) = (self.rate, self.late_sends) {
            writeln!(f, "  intended/s      {rate:>12.0}  {late} sent late")?;
        }
        writeln!(f, "  MB/s            {:>12.2}", self.bytes_per_s / 1e6)?;
        for (name, value) in [("p50", p50), ("p90", p90), ("p99", p99), ("p99.9", p99_9), ("max", max)] {
            writeln!(f, "  latency {name:<8}{value:>12}  us")?;
        }
        writeln!(f, "  CPU/request     {:>12.2}  us, of this generator", self.cpu_us_per_request)?;
        writeln!(f, "  self-check      {:>12.3}  (1 where no request was overlooked)", self.self_check)?;
        if self.reopened > 0 {
            writeln!(f, "  reopened        {:>12}  connections", self.reopened)?;
        }
        write!(f, "  errors          {:>12}", self.errors.total())?;
        if let Some(first) = &self.first_error {
            write!(f, "  {}; first: {first}", self.errors)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::load::ErrorKind;
    use hdrhistogram::Histogram;

    fn report() -> SliceReport {
        let mut latency = Histogram::new_with_max(60_000_000, 3).unwrap();
        (1..=1_000).for_each(|microseconds| latency.record(microseconds).unwrap());
        let mut errors = ErrorCounts::default();
        errors.add(ErrorKind::Status, 2);
        SliceReport {
            answers: 1_000,
            all_answers: 1_250,
            window: Duration::from_secs(2),
            bytes: 3_000_000,
            latency,
            errors,
            reopened: 3,
            late_sends: 4,
            polls: 1_000,
            non_empty_polls: 900,
            busy: Duration::from_millis(500),
            first_error: Some("status 500 instead of 200".to_owned()),
            self_check: 0.998,
        }
    }

    #[test]
    fn a_closed_loop_as_a_table() {
        let summary = LoadSummary::new(&LoadSettings::default(), Pace::ClosedLoop, &report(), Duration::from_millis(5));
        insta::assert_snapshot!(summary.to_string(), @"
          64 connections x 1 in flight, sleeping between answers
          requests                1000  in 2.00 s
          requests/s               500
          MB/s                    1.50
          latency p50              500  us
          latency p90              900  us
          latency p99              990  us
          latency p99.9            999  us
          latency max             1000  us
          CPU/request             4.00  us, of this generator
          self-check             0.998  (1 where no request was overlooked)
          reopened                   3  connections
          errors                     2  2 status; first: status 500 instead of 200
        ");
    }

    #[test]
    fn an_open_loop_as_json() {
        let settings = LoadSettings { connections: 8, waiting: Waiting::Spin, ..LoadSettings::default() };
        let pace = Pace::OpenLoop { rate: 500.0 };
        let summary = LoadSummary::new(&settings, pace, &report(), Duration::from_millis(5));
        insta::assert_json_snapshot!(summary, @r#"
        {
          "requests": 1000,
          "duration_s": 2.0,
          "rps": 500.0,
          "bytes_per_s": 1500000.0,
          "latency_us": {
            "p50": 500,
            "p90": 900,
            "p99": 990,
            "p99_9": 999,
            "max": 1000
          },
          "cpu_us_per_request": 4.0,
          "errors": {
            "connect": 0,
            "reset": 0,
            "timeout": 0,
            "parse": 0,
            "status": 2,
            "length": 0,
            "body": 0
          },
          "first_error": "status 500 instead of 200",
          "mode": "spin",
          "self_check": 0.998,
          "connections": 8,
          "pipelining": 1,
          "rate": 500.0,
          "late_sends": 4,
          "reopened": 3,
          "busy_polls": 0.9,
          "busy_time": 0.25
        }
        "#);
    }
}
