//! `deadheat pass-through`: the relay as a process, with the server as its child.

use super::relay::{Relay, Woken};
use crate::process::{PortPicker, now_ns, parent_environment};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a server that has ended said before is passed on for so long.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// A signal to the whole group has reached the server as well, and some take a second for "at once": it is passed on
/// only when the server is still there after this time.
const PASS_SIGNAL_AFTER: Duration = Duration::from_millis(100);
/// A server that is still there after this time is killed.
const KILL_AFTER: Duration = Duration::from_secs(5);

/// Starts what follows in such a way that, on waking up, it takes the CPU from nobody (`SCHED_BATCH`). Without it, server
/// and relay interrupt each other the more often the more one of them burns, and that costs more than what is burnt. It is
/// a program of util-linux, because no call of this kind is to be had without unsafe code.
const BATCH: [&str; 3] = ["chrt", "--batch", "0"];

/// The argument list of a server behind the pass-through of `binary`, which is deadheat's own; the program that makes both
/// patient is left out where it is not in one of the directories `path`.
pub fn argv(binary: &Path, delay_ns: u64, server: &[String], path: Option<&str>) -> Vec<String> {
    let patient = is_patient(path);
    let own = [binary.display().to_string(), "pass-through".to_owned(), "--delay-ns".to_owned(), delay_ns.to_string()];
    let first = BATCH.into_iter().filter(|_| patient).map(str::to_owned);
    first.chain(own).chain(["--".to_owned()]).chain(server.iter().cloned()).collect()
}

/// Whether server and pass-through can be kept from interrupting each other.
pub fn is_patient(path: Option<&str>) -> bool {
    path.is_some_and(|path| std::env::split_paths(path).any(|directory| directory.join(BATCH[0]).is_file()))
}

/// Why there is no relay.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("failed to read PORT from the environment: it must be a number between 1 and 65535")]
    NoPort,
    #[error("failed to start a server: the command line is empty")]
    NoServer,
    #[error("failed to start {program}: {error}")]
    Spawn { program: String, error: io::Error },
    #[error("failed to listen on {address}: {error}")]
    Listen { address: SocketAddr, error: io::Error },
    #[error("failed to find a port for the server: {0}")]
    Port(#[from] crate::process::NoFreePort),
    #[error("failed to relay: {0}")]
    Kernel(#[from] io::Error),
}

/// Starts `argv` behind a relay that listens on the PORT of its environment, and relays until it ends. Every request
/// burns `delay_ns` of CPU time. Ends with the status of the server, or with 4 where it could not work.
pub fn run(delay_ns: u64, argv: &[String]) -> ExitCode {
    match serve(&parent_environment(), delay_ns, argv) {
        Ok(status) => exit_code(status),
        Err(error) => {
            // Nobody is left to tell when even this fails.
            let _ = writeln!(io::stderr(), "deadheat: the pass-through failed: {error}");
            ExitCode::from(4)
        }
    }
}

/// As a shell says it: 128 and the signal's number where a signal ended it.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

fn serve(environment: &BTreeMap<String, String>, delay_ns: u64, argv: &[String]) -> Result<ExitStatus, Failed> {
    let port = environment.get("PORT").and_then(|port| port.parse::<u16>().ok()).filter(|&port| port > 0);
    let port = port.ok_or(Failed::NoPort)?;
    let host = environment.get("HOST").and_then(|host| host.parse().ok());
    let host: IpAddr = host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let (program, arguments) = argv.split_first().ok_or(Failed::NoServer)?;
    // Before the server is there, so that its end is not missed.
    let signals = Signals::take()?;
    let inner = PortPicker::new(u64::from(port) << 32 | u64::from(std::process::id())).pick()?;
    let address = SocketAddr::new(host, port);
    let relay = Relay::listen(address, SocketAddr::new(host, inner), delay_ns);
    let relay = relay.map_err(|error| Failed::Listen { address, error })?;
    let server = Command::new(program).args(arguments).env("PORT", inner.to_string()).spawn();
    let server = server.map_err(|error| Failed::Spawn { program: program.clone(), error })?;
    let mut server = Server(server);
    relay_until_the_end(relay, &signals, &mut server)
}

fn relay_until_the_end(mut relay: Relay, signals: &Signals, server: &mut Server) -> Result<ExitStatus, Failed> {
    relay.watch(&signals.wakes)?;
    let mut told_to_end: Option<u64> = None;
    let mut passed_on = false;
    loop {
        // Nothing ticks unless the end has begun.
        let limit = told_to_end.map(|_| Duration::from_millis(20));
        if relay.step(limit)? == Woken::Outside {
            signals.quieten()?;
        }
        if let Some(status) = server.0.try_wait()? {
            last_words(relay)?;
            return Ok(status);
        }
        if told_to_end.is_none() && signals.terminate.load(Ordering::Relaxed) {
            relay.stop_listening();
            told_to_end = Some(now_ns());
        }
        let Some(since) = told_to_end.map(|told| Duration::from_nanos(now_ns().saturating_sub(told))) else { continue };
        if since > KILL_AFTER {
            server.0.kill()?;
        } else if since > PASS_SIGNAL_AFTER && !passed_on {
            passed_on = true;
            server.signal(Signal::TERM);
        }
    }
}

/// Passes on what the server said before it ended.
fn last_words(mut relay: Relay) -> io::Result<()> {
    let until = now_ns().saturating_add(u64::try_from(LAST_WORDS.as_nanos()).unwrap_or(0));
    relay.server_ended();
    while !relay.is_idle() {
        let left = until.saturating_sub(now_ns());
        if left == 0 {
            return Ok(());
        }
        relay.step(Some(Duration::from_nanos(left)))?;
    }
    Ok(())
}

/// The server; an error of the relay does not leave it behind.
struct Server(Child);

impl Server {
    fn signal(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            // That it has just ended shows at once.
            let _ = kill_process(pid, signal);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

/// The signals that matter: a child's end, and being told to end.
struct Signals {
    wakes: UnixStream,
    terminate: Arc<AtomicBool>,
}

impl Signals {
    fn take() -> io::Result<Self> {
        let (wakes, write) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        let terminate = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&terminate))?;
            signal_hook::low_level::pipe::register(signal, write.try_clone()?)?;
        }
        signal_hook::low_level::pipe::register(SIGCHLD, write)?;
        Ok(Self { wakes, terminate })
    }

    fn quieten(&self) -> io::Result<()> {
        let mut bytes = [0_u8; 64];
        match (&self.wakes).read(&mut bytes) {
            Ok(_) => Ok(()),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
