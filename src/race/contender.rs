//! What the race needs to know of an entry to start it, and of a scenario to ask for it.

use super::contract::{difference, fixed_length};
use super::load::{AnswerCheck, AnswerHead, ErrorKind, Expectation, InvalidRequest, PreparedRequest, StatusRule};
use crate::model::{Case, EntryName, GeneratorMode, Pairing, PerSide, RegimeName, ScenarioName};
use crate::plan::{Expect, RunCommand, Scenario, Service};
use crate::process::Environment;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// One side's build of an entry, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Startable {
    /// The server's argument list.
    pub argv: Vec<String>,
    /// The variant's directory.
    pub directory: PathBuf,
    /// Its environment without PORT and HOST.
    pub environment: Environment,
    /// The environment of its build steps.
    pub build_environment: Environment,
}

/// An entry on the starting line.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its name.
    pub entry: EntryName,
    /// Its builds; absent where a side has none.
    pub builds: PerSide<Option<Startable>>,
    /// Whether its pair may run together.
    pub pairing: Pairing,
    /// The scenario whose first good answer ends a start.
    pub ready: ScenarioName,
    /// What it needs beside it.
    pub services: Vec<Service>,
    /// Its commands' runs, by suite and parameters.
    pub runs: BTreeMap<Case, RunCommand>,
    /// Whether it has a server.
    pub serves: bool,
    /// The time that a start may take.
    pub start_limit: Duration,
}

/// A regime on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Its name.
    pub name: Option<RegimeName>,
    /// Connections per server.
    pub connections: usize,
    /// Requests in flight per connection.
    pub pipelining: usize,
    /// CPUs of servers.
    pub server_cpus: Vec<usize>,
    /// CPUs of the load generator.
    pub load_cpus: Vec<usize>,
    /// How the generator waits.
    pub mode: GeneratorMode,
    /// Whether pairs run together.
    pub pairing: Pairing,
}

/// A scenario, ready to be asked.
#[derive(Clone, Debug)]
pub struct Question {
    scenario: Scenario,
    expect: Arc<Expect>,
}

impl Question {
    /// A scenario of the contract.
    pub fn new(scenario: Scenario) -> Self {
        let expect = Arc::new(scenario.expect.clone());
        Self { scenario, expect }
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The request for a server on 127.0.0.1.
    ///
    /// # Errors
    /// [`InvalidRequest`] where a part could not be sent; a contract that was read has none.
    pub fn request(&self, port: u16) -> Result<PreparedRequest, InvalidRequest> {
        let request = &self.scenario.request;
        let host = format!("127.0.0.1:{port}");
        PreparedRequest::new(&host, &request.method, &request.path, &request.headers, request.body.as_deref())
    }

    /// What every answer is held against under load.
    pub fn expectation(&self) -> Expectation {
        Expectation {
            status: StatusRule::Exactly(self.expect.status),
            length: fixed_length(&self.expect, &self.scenario.request.method),
            check: Some(Arc::new(ContractCheck(Arc::clone(&self.expect)))),
        }
    }

    /// How an answer differs from the contract, in words; nothing where it does not.
    pub fn difference(&self, head: &AnswerHead<'_>, body: &[u8]) -> Option<String> {
        difference(&self.expect, head.status(), |name| head.header(name), body).map(|difference| difference.to_string())
    }
}

/// The full comparison of a sampled answer.
struct ContractCheck(Arc<Expect>);

impl AnswerCheck for ContractCheck {
    fn check(&self, head: &AnswerHead<'_>, body: &[u8]) -> Result<(), ErrorKind> {
        match difference(&self.0, head.status(), |name| head.header(name), body) {
            None => Ok(()),
            Some(super::contract::Difference::Status { .. }) => Err(ErrorKind::Status),
            Some(_) => Err(ErrorKind::Body),
        }
    }

    fn explain(&self, head: &AnswerHead<'_>, body: &[u8]) -> Option<String> {
        difference(&self.0, head.status(), |name| head.header(name), body).map(|difference| difference.to_string())
    }
}
