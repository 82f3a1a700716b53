//! A run that raced nothing: its results say why, and travel like all others.

use super::field::{judging, now, protocol_record};
use super::sides::Sides;
use crate::build::Repository;
use crate::model::{
    CommitSha, GeneratorMode, JudgingRecord, NotRaced, NotRacedReason, Pairing, RegimeRecord, Results, SCHEMA_VERSION,
    Seed, SelectionRecord, SideRecord, TimeSpent,
};
use crate::plan::{Configuration, Judging, Protocol};
use crate::process::fingerprint;
use std::collections::BTreeMap;

/// More of a text is of no use to anybody.
const LONGEST: usize = 20_000;

/// What was known when it turned out that nothing is raced.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    base: Option<SideRecord>,
    head: Option<SideRecord>,
    judging: Option<JudgingRecord>,
    quick: bool,
}

impl Known {
    pub(super) fn new(quick: bool) -> Self {
        Self { quick, ..Self::default() }
    }

    /// The commit that an event is about, or what is checked out.
    pub(super) fn head(&mut self, repository: &Repository, commit: Option<CommitSha>) {
        let sha = commit.or_else(|| repository.resolve("HEAD").ok());
        self.head = sha.map(|sha| SideRecord { rev: sha.to_string(), sha, dirty: false, snapshot: None });
    }

    pub(super) fn sides(&mut self, sides: &Sides) {
        self.base.clone_from(&sides.base);
        self.head = Some(sides.head.clone());
    }

    pub(super) fn configuration(&mut self, configuration: &Configuration) {
        self.judging = Some(judging(&configuration.judging));
    }

    /// The results of a run that raced nothing; none where there is no commit to speak of.
    pub(super) fn not_raced(&self, reason: NotRacedReason, message: &str) -> Option<Results> {
        let protocol = Protocol::default();
        let cut = message.floor_char_boundary(LONGEST);
        let message = if cut < message.len() { format!("{}\n(and more)", &message[..cut]) } else { message.to_owned() };
        Some(Results {
            schema: SCHEMA_VERSION,
            deadheat: env!("CARGO_PKG_VERSION").to_owned(),
            quick: self.quick,
            started: now(),
            base: self.base.clone(),
            head: self.head.clone()?,
            seed: Seed(0),
            selection: SelectionRecord::default(),
            protocol: protocol_record(
                &protocol,
                vec![RegimeRecord {
                    name: None,
                    connections: protocol.connections,
                    pipelining: protocol.pipelining,
                    server_cpus: Vec::new(),
                    load_cpus: Vec::new(),
                    mode: GeneratorMode::Sleep,
                    pairing: Pairing::Together,
                }],
            ),
            judging: self.judging.clone().unwrap_or_else(|| judging(&Judging::default())),
            fingerprint: fingerprint(BTreeMap::new()),
            entries: Vec::new(),
            scenarios: Vec::new(),
            mixes: Vec::new(),
            cells: Vec::new(),
            gate: Vec::new(),
            attempts: Vec::new(),
            failures: Vec::new(),
            observations: Vec::new(),
            machine: None,
            calibration: None,
            configuration: None,
            rounds: 0,
            time: TimeSpent::default(),
            not_raced: Some(NotRaced { reason, message }),
            warnings: Vec::new(),
        })
    }
}
