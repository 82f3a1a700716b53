//! Compares the load generator with wrk, oha and autocannon, those that are on PATH, in interleaved rounds.
//!
//! ```sh
//! cargo build --release && cargo run --release --example load_comparison -- [ROUNDS] [SECONDS]
//! ```
//!
//! A bare server has CPU 0, the generators have CPU 1, each with 64 connections; the order turns from round to round.
//! Ratios are taken inside a round and shown as median (min to max). CPU time is what the kernel accounted to the whole
//! process, start included; memory is the peak.

mod server;
mod tools;

use procfs::process::Process;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const CONNECTIONS: u32 = 64;

/// One run of one tool.
struct Figures {
    rps: f64,
    cpu_us_per_request: f64,
    peak_mib: f64,
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == "serve") {
        pin(0)?;
        return server::serve();
    }
    let number = |place: usize, default: u32| arguments.get(place).map_or(Ok(default), |word| word.parse());
    let (rounds, seconds) = (number(0, 5)?, number(1, 3)?);

    let server = Command::new(std::env::current_exe()?).arg("serve").stdout(Stdio::piped()).spawn()?;
    let mut server = Killed(server);
    let mut port = String::new();
    BufReader::new(server.0.stdout.take().ok_or("no output of the server")?).read_line(&mut port)?;
    let tools = tools::find(&format!("http://127.0.0.1:{}/", port.trim()), seconds, CONNECTIONS)?;

    // Children inherit the CPU; the server has been started before.
    pin(1)?;
    let mut figures: BTreeMap<&str, Vec<Figures>> = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for round in 0..rounds {
        for place in 0..tools.len() {
            let tool = &tools[(place + round as usize) % tools.len()];
            let server_before = cpu_seconds(&server.0)?;
            let measured = measure(tool, seconds)?;
            let server_busy = (cpu_seconds(&server.0)? - server_before) / f64::from(seconds);
            writeln!(
                out,
                "round {round}  {:<11}{:>10.0} requests/s  {:>6.2} us CPU/request  {:>6.1} MiB  server {:>3.0} % busy",
                tool.name,
                measured.rps,
                measured.cpu_us_per_request,
                measured.peak_mib,
                server_busy * 100.0
            )?;
            figures.entry(tool.name).or_default().push(measured);
        }
    }
    let Some(own) = figures.get("deadheat") else { return Ok(()) };
    writeln!(out, "\ndeadheat: peak memory {} MiB", spread(own.iter().map(|one| one.peak_mib)))?;
    for (name, others) in figures.iter().filter(|(name, _)| **name != "deadheat") {
        let pairs = || own.iter().zip(others);
        let rps = spread(pairs().map(|(own, other)| own.rps / other.rps));
        let cpu = spread(pairs().map(|(own, other)| own.cpu_us_per_request / other.cpu_us_per_request));
        writeln!(out, "deadheat / {name:<11} requests/s {rps}, CPU/request {cpu}")?;
    }
    Ok(())
}

fn pin(cpu: usize) -> rustix::io::Result<()> {
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    sched_setaffinity(None::<Pid>, &cpus)
}

fn measure(tool: &tools::Tool, seconds: u32) -> Result<Figures, Box<dyn Error>> {
    let before = children_seconds()?;
    let mut child =
        Command::new(&tool.command[0]).args(&tool.command[1..]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut peak_kib = 0;
    while child.try_wait()?.is_none() {
        let status = Process::new(i32::try_from(child.id())?).and_then(|process| process.status());
        peak_kib = peak_kib.max(status.ok().and_then(|status| status.vmhwm).unwrap_or(0));
        sleep(Duration::from_millis(100));
    }
    let mut text = String::new();
    child.stdout.take().ok_or("no output")?.read_to_string(&mut text)?;
    let rps = (tool.read_rps)(&text).ok_or_else(|| format!("{} printed no requests/s: {text}", tool.name))?;
    let cpu = children_seconds()? - before;
    Ok(Figures { rps, cpu_us_per_request: cpu * 1e6 / (rps * f64::from(seconds)), peak_mib: peak_kib as f64 / 1024.0 })
}

/// CPU time of the children that have ended.
fn children_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = Process::myself()?.stat()?;
    Ok((stat.cutime + stat.cstime) as f64 / procfs::ticks_per_second() as f64)
}

fn cpu_seconds(child: &Child) -> Result<f64, Box<dyn Error>> {
    let stat = Process::new(i32::try_from(child.id())?)?.stat()?;
    Ok((stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64)
}

/// Median (min to max).
fn spread(values: impl Iterator<Item = f64>) -> String {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    match (sorted.first(), sorted.get(sorted.len() / 2), sorted.last()) {
        (Some(min), Some(median), Some(max)) => format!("{median:.2} ({min:.2} to {max:.2})"),
        _ => "not measured".to_owned(),
    }
}
