//! The file as serde writes and reads it.
//!
//! Readers accept unknown fields and pass over cells that they can't read (of a metric or a suite that came later), so
//! that a file of a later minor version is still read; a later `schema` number is refused.

use super::error::RecordError;
use super::record::{BaselineCell, BaselineEntry, BaselineRecord, CellFigures};
use super::samples::Samples;
use crate::model::{
    Case, CellKey, CommitSha, EntryName, Fingerprint, Metric, ProtocolRecord, RegimeName, Role, RuntimeName,
    ScenarioRecord, Suite, VariantName,
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

/// The version of the file's shape; raised when an older reader would misread a newer file.
const SCHEMA: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct WireRecord {
    schema: u32,
    deadheat: String,
    sha: CommitSha,
    when: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against: Option<CommitSha>,
    fingerprint: Fingerprint,
    protocol: ProtocolRecord,
    rounds: u32,
    entries: Vec<WireEntry>,
    scenarios: Vec<ScenarioRecord>,
    #[serde(deserialize_with = "known_cells")]
    cells: Vec<WireCell>,
    samples: WireSamples,
}

#[derive(Serialize, Deserialize)]
struct WireEntry {
    name: EntryName,
    variant: VariantName,
    runtime: RuntimeName,
    role: Role,
}

#[derive(Serialize, Deserialize)]
struct WireCell {
    entry: EntryName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    regime: Option<RegimeName>,
    suite: Suite,
    case: Case,
    metric: Metric,
    rounds: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    centre: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WireSamples {
    GzipBase64(String),
    LeftOut { bytes: u64 },
}

/// The cells that this version knows.
fn known_cells<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<WireCell>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum AnyCell {
        Known(WireCell),
        Later(IgnoredAny),
    }
    let cells = Vec::<AnyCell>::deserialize(reader)?;
    let known = cells.into_iter().filter_map(|cell| match cell {
        AnyCell::Known(cell) => Some(cell),
        AnyCell::Later(_) => None,
    });
    Ok(known.collect())
}

/// The one field that every version has.
#[derive(Deserialize)]
struct WireVersion {
    schema: u32,
}

/// The text of a record, whatever its size.
pub(super) fn to_text(record: &BaselineRecord) -> Result<String, RecordError> {
    let cell = |cell: &BaselineCell| {
        let CellKey { entry, regime, suite, case, metric } = cell.key.clone();
        let CellFigures { rounds, base, head, centre } = cell.figures;
        WireCell { entry, regime, suite, case, metric, rounds, base, head, centre }
    };
    let entry = |entry: &BaselineEntry| {
        let BaselineEntry { name, variant, runtime, role } = entry.clone();
        WireEntry { name, variant, runtime, role }
    };
    let wire = WireRecord {
        schema: SCHEMA,
        deadheat: record.deadheat.clone(),
        sha: record.sha.clone(),
        when: record.started.to_string(),
        against: record.against.clone(),
        fingerprint: record.fingerprint.clone(),
        protocol: record.protocol.clone(),
        rounds: record.rounds,
        entries: record.entries.iter().map(entry).collect(),
        scenarios: record.scenarios.clone(),
        cells: record.cells.iter().map(cell).collect(),
        samples: match &record.samples {
            Samples::Kept(packed) => WireSamples::GzipBase64(packed.clone()),
            Samples::LeftOut { bytes } => WireSamples::LeftOut { bytes: *bytes },
        },
    };
    serde_json::to_string(&wire).map(|text| text + "\n").map_err(RecordError::Json)
}

impl WireRecord {
    /// Reads a record of this version or an earlier one.
    pub(super) fn read(text: &[u8]) -> Result<BaselineRecord, RecordError> {
        let wire = serde_json::from_slice::<Self>(text);
        // What a later version wrote may not even parse: then its number says more than the first field that is missing.
        let schema = match &wire {
            Ok(wire) => wire.schema,
            Err(_) => serde_json::from_slice::<WireVersion>(text).map_or(0, |version| version.schema),
        };
        if schema > SCHEMA {
            return Err(RecordError::Later { schema, known: SCHEMA });
        }
        let wire = wire.map_err(|error| RecordError::Broken(error.to_string()))?;
        let started = wire.when.parse().map_err(|_| RecordError::Started(wire.when.clone()))?;
        let entry = |WireEntry { name, variant, runtime, role }| BaselineEntry { name, variant, runtime, role };
        let cell = |WireCell { entry, regime, suite, case, metric, rounds, base, head, centre }| {
            let key = CellKey { entry, regime, suite, case, metric };
            BaselineCell { key, figures: CellFigures { rounds, base, head, centre } }
        };
        Ok(BaselineRecord {
            deadheat: wire.deadheat,
            sha: wire.sha,
            started,
            against: wire.against,
            fingerprint: wire.fingerprint,
            protocol: wire.protocol,
            rounds: wire.rounds,
            entries: wire.entries.into_iter().map(entry).collect(),
            scenarios: wire.scenarios,
            cells: wire.cells.into_iter().map(cell).collect(),
            samples: match wire.samples {
                WireSamples::GzipBase64(packed) => Samples::Kept(packed),
                WireSamples::LeftOut { bytes } => Samples::LeftOut { bytes },
            },
        })
    }
}
