//! The regimes on this machine: which CPUs, and how the load generator waits.

use crate::model::{GeneratorMode, Pairing, RegimeRecord};
use crate::plan::{Configuration, CpuChoice};
use crate::process::{Topology, allowed_cpus};
use crate::race::TrackSetup;
use std::collections::BTreeSet;
use std::path::Path;

/// The regimes, in the configuration's order.
pub(super) struct Tracks {
    pub(super) tracks: Vec<TrackSetup>,
    pub(super) warnings: BTreeSet<String>,
}

impl Tracks {
    /// Divides this machine's CPUs for every regime.
    pub(super) fn of_machine(configuration: &Configuration) -> Result<Self, String> {
        let allowed = allowed_cpus().map_err(|error| format!("failed to find the CPUs that may be used: {error}"))?;
        let topology = Topology::read(Path::new("/sys"), &allowed);
        let mut found = Self { tracks: Vec::new(), warnings: BTreeSet::new() };
        let protocol = &configuration.protocol;
        let plain = (None, protocol.connections, protocol.pipelining, &protocol.server_cpus, &protocol.load_cpus);
        let regimes: Vec<_> = if configuration.regimes.is_empty() {
            vec![(plain.0, plain.1, plain.2, plain.3, plain.4, Pairing::Together)]
        } else {
            let regimes = configuration.regimes.iter();
            regimes
                .map(|regime| {
                    let name = Some(regime.name.clone());
                    (
                        name,
                        regime.connections,
                        regime.pipelining,
                        &regime.server_cpus,
                        &regime.load_cpus,
                        regime.pairing,
                    )
                })
                .collect()
        };
        for (name, connections, pipelining, server, load, pairing) in regimes {
            let split = topology.divide(list(server), list(load));
            found.warnings.extend(split.warnings);
            found.tracks.push(TrackSetup {
                name,
                connections: connections as usize,
                pipelining: pipelining as usize,
                server_cpus: split.server,
                load_cpus: split.load,
                mode: if split.shared { GeneratorMode::Sleep } else { GeneratorMode::Spin },
                pairing,
            });
        }
        Ok(found)
    }

    /// The regime that the gate and boots use.
    pub(super) fn first(&self) -> Option<&TrackSetup> {
        self.tracks.first()
    }

    /// As the results file records them.
    pub(super) fn records(&self) -> Vec<RegimeRecord> {
        let tracks = self.tracks.iter();
        tracks
            .map(|track| RegimeRecord {
                name: track.name.clone(),
                connections: u32::try_from(track.connections).unwrap_or(u32::MAX),
                pipelining: u32::try_from(track.pipelining).unwrap_or(u32::MAX),
                server_cpus: track.server_cpus.clone(),
                load_cpus: track.load_cpus.clone(),
                mode: track.mode,
                pairing: track.pairing,
            })
            .collect()
    }
}

fn list(choice: &CpuChoice) -> Option<&[usize]> {
    match choice {
        CpuChoice::Auto => None,
        CpuChoice::List(cpus) => Some(cpus),
    }
}
