//! Services: what a variant needs beside it, a fresh one for every server, stopped with it.

use super::contender::{Contender, Startable};
use super::rounds::Stop;
use super::server::{Launcher, NotRunning, died, local, output_of};
use crate::model::FailureKind;
use crate::plan::Service;
use crate::process::{Child, ChildSpec, Environment, now_ns};
use std::net::TcpStream;
use std::time::Duration;

/// Running services; dropping them stops them.
#[derive(Default)]
pub(super) struct Services(Vec<Child>);

impl Services {
    /// Starts what `contender` needs, waits until each accepts connections, and tells `build` where they are.
    pub(super) fn start(
        &mut self,
        launcher: &mut Launcher<'_>,
        contender: &Contender,
        build: &mut Startable,
        cpus: &[usize],
    ) -> Result<(), NotRunning> {
        for service in &contender.services {
            let (child, port) = start_one(launcher, contender, service, build, cpus)?;
            self.0.push(child);
            for (name, value) in &service.env {
                build
                    .environment
                    .set(name, &at_port(value, port))
                    .map_err(|error| failed(service, error.to_string(), None))?;
            }
        }
        Ok(())
    }

    /// Their processes now.
    pub(super) fn pids(&self) -> Vec<u32> {
        self.0.iter().flat_map(Child::pids).collect()
    }
}

fn at_port(text: &str, port: u16) -> String {
    text.replace("{port}", &port.to_string())
}

fn failed(service: &Service, message: impl std::fmt::Display, output: Option<String>) -> NotRunning {
    let message = format!("its service {} failed: {message}", service.name);
    NotRunning::Failed { kind: FailureKind::ServiceFailed, message, output }
}

fn start_one(
    launcher: &mut Launcher<'_>,
    contender: &Contender,
    service: &Service,
    build: &Startable,
    cpus: &[usize],
) -> Result<(Child, u16), NotRunning> {
    let port = launcher.ports.pick().map_err(|error| NotRunning::Stopped(Stop::Broken(error.to_string())))?;
    let log = launcher.logs.join(format!("{}-service-{}.log", contender.entry, service.name));
    let _ = std::fs::remove_file(&log);
    let mut env = Environment::default();
    for name in ["PATH", "HOME", "LANG", "TMPDIR"] {
        if let Some(value) = build.environment.get(name) {
            env.set(name, value).map_err(|error| failed(service, error.to_string(), None))?;
        }
    }
    let argv = service.start.iter().map(|word| at_port(word, port)).collect();
    let spec = ChildSpec { argv, cwd: build.directory.clone(), env, cpus: cpus.to_vec(), log: log.clone() };
    let child = launcher.supervisor.spawn(&spec).map_err(|error| failed(service, error.to_string(), None))?;
    loop {
        if let Some(exit) = child.try_exit()? {
            return Err(failed(service, died(exit.status, "before it accepted a connection"), output_of(&log)));
        }
        if launcher.cancel.is_set() {
            return Err(NotRunning::Stopped(Stop::Interrupted));
        }
        if TcpStream::connect(local(port)).is_ok() {
            return Ok((child, port));
        }
        if Duration::from_nanos(now_ns().saturating_sub(child.spawned_at())) > contender.start_limit {
            let message =
                format!("accepted no connection on port {port} within {} s", contender.start_limit.as_secs_f64());
            return Err(failed(service, message, output_of(&log)));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
