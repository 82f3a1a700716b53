//! The results of a run, as they arrive: a file at hand or the run's artifact, read as hostile input.

use crate::github::{ApiError, Artifact, Client, MAX_ARRIVED, MAX_ZIP, arrived};
use crate::model::{Results, RunAttempt, RunId};
use std::path::Path;

/// How the artifacts' names begin; the attempt follows.
const PREFIX: &str = "deadheat-results-";

/// What came of a run.
#[derive(Debug)]
pub(super) enum HandIn {
    /// Results that keep to every bound.
    Results(Box<Results>),
    /// No artifact.
    Missing,
    /// An artifact that is not to be believed, with the reason, which completes "failed to ...".
    Refused(String),
}

/// Fetches the results of an attempt at `run`, or of the latest before it that handed some in.
pub(super) async fn fetch(client: &Client, run: RunId, attempt: RunAttempt) -> Result<HandIn, ApiError> {
    let artifacts = client.artifacts(run).await?;
    let Some(artifact) = choose(&artifacts, attempt) else { return Ok(HandIn::Missing) };
    if artifact.size_bytes > MAX_ZIP as u64 {
        return Ok(HandIn::Refused(format!(
            "failed to take the results: the artifact holds {} bytes, and {MAX_ZIP} are the most",
            artifact.size_bytes
        )));
    }
    let bytes = client.download_artifact(artifact.id, MAX_ZIP).await?;
    Ok(read(&bytes))
}

/// Of the artifacts named `deadheat-results-N` the one with the highest N that is not past `attempt`: where only
/// the publishing job is run again, the results are those of an earlier attempt.
fn choose(artifacts: &[Artifact], attempt: RunAttempt) -> Option<&Artifact> {
    let number = |artifact: &Artifact| -> Option<u32> {
        let digits = artifact.name.strip_prefix(PREFIX)?;
        digits.parse().ok().filter(|number| (1..=attempt.0).contains(number))
    };
    artifacts
        .iter()
        .filter(|artifact| !artifact.expired)
        .filter_map(|artifact| Some((number(artifact)?, artifact)))
        .max_by_key(|(number, _)| *number)
        .map(|(_, artifact)| artifact)
}

/// Reads results from bytes.
pub(super) fn read(bytes: &[u8]) -> HandIn {
    match arrived(bytes) {
        Ok(results) => HandIn::Results(Box::new(results)),
        Err(error) => HandIn::Refused(error.to_string()),
    }
}

/// Reads a file at hand, never more of it than may arrive.
pub(super) fn read_file(path: &Path) -> std::io::Result<HandIn> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    // One byte more shows the reader that there is too much.
    std::fs::File::open(path)?.take(MAX_ARRIVED as u64 + 1).read_to_end(&mut bytes)?;
    Ok(read(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::ArtifactId;

    fn artifact(id: u64, name: &str, expired: bool) -> Artifact {
        Artifact { id: ArtifactId(id), name: name.to_owned(), size_bytes: 10, expired }
    }

    #[test]
    fn the_artifact_of_the_latest_attempt_that_handed_one_in_is_taken() {
        let artifacts = [
            artifact(1, "deadheat-results-1", false),
            artifact(2, "deadheat-results-2", false),
            artifact(3, "deadheat-results-4", false),
            artifact(4, "deadheat-results-3", true),
            artifact(5, "deadheat-results-03x", false),
            artifact(6, "results", false),
        ];
        let chosen = |attempt| choose(&artifacts, RunAttempt(attempt)).map(|artifact| artifact.id.0);
        assert_eq!([1, 2, 3, 4, 9].map(chosen), [Some(1), Some(2), Some(2), Some(3), Some(3)]);
        assert_eq!(choose(&artifacts[4..], RunAttempt(9)).map(|artifact| artifact.id.0), None);
    }
}
