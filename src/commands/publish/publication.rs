//! What a publisher knows of a run beyond its results: its page and cost, whether a fork ran it, the baseline beside it.

use super::conclude::Judged;
use super::office::Office;
use crate::baseline::{BranchStore, Nearest, nearest_measured, trend};
use crate::commands::keep::{figures, shown_trend};
use crate::github::{ApiError, Job, WorkflowRun};
use crate::model::CommitSha;
use crate::report::{BaseNote, Publication, TrendLine, WebAddress};

/// How many pages of 100 commits are looked through for a measured ancestor.
const PAGES: u32 = 3;

/// What is known of `run`, without anything that needs its results.
pub(super) async fn of_run(office: &Office, run: &WorkflowRun, from_fork: bool) -> Publication {
    // A cost that can't be had is left out; no publication fails for it.
    let minutes = office.client.jobs(run.id, run.attempt).await.ok().and_then(|jobs| runner_minutes(&jobs));
    Publication {
        from_fork,
        run_url: WebAddress::new(&run.url),
        attempt: Some(run.attempt),
        runner_minutes: minutes,
        notes: office.authority.notes.clone(),
        ..Publication::default()
    }
}

/// What the finished jobs of an attempt cost: GitHub counts each in whole minutes that it began.
fn runner_minutes(jobs: &[Job]) -> Option<u32> {
    let time = |text: &Option<String>| text.as_ref()?.parse::<jiff::Timestamp>().ok();
    let minutes: Vec<u32> = jobs
        .iter()
        .filter_map(|job| {
            let seconds = time(&job.completed_at)?.duration_since(time(&job.started_at)?).as_secs();
            u32::try_from(seconds).ok().map(|seconds| seconds.div_ceil(60).max(1))
        })
        .collect();
    (!minutes.is_empty()).then(|| minutes.iter().sum())
}

/// How head stands to the baseline of the nearest measured ancestor of base; nothing where there is none, or it was
/// measured under other circumstances.
pub(super) async fn trend_line(office: &Office, judged: &Judged) -> Result<Option<TrendLine>, String> {
    let Some(base) = &judged.results.base else { return Ok(None) };
    if !office.keeps_baselines() || judged.results.not_raced.is_some() {
        return Ok(None);
    }
    let store = BranchStore::new(&office.client);
    let measured = store.measured().await.map_err(|error| error.to_string())?;
    if measured.is_empty() {
        return Ok(None);
    }
    let ancestors = ancestors(office, &base.sha).await.map_err(|error| error.to_string())?;
    let Some(Nearest { sha, place }) = nearest_measured(&ancestors, &measured) else { return Ok(None) };
    let record = store.get(sha).await.map_err(|error| error.to_string())?;
    let found = record.and_then(|record| trend(&judged.results, &figures(&judged.verdict), &record));
    Ok(found.map(|found| shown_trend(found, place)))
}

async fn ancestors(office: &Office, sha: &CommitSha) -> Result<Vec<CommitSha>, ApiError> {
    office.client.ancestors(sha, PAGES).await
}

/// How the base of a push was chosen: how far behind head it is, and whether it was measured.
pub(super) async fn base_note(office: &Office, judged: &Judged) -> Result<Option<BaseNote>, String> {
    let Some(base) = &judged.results.base else { return Ok(None) };
    let measured = BranchStore::new(&office.client).measured().await.map_err(|error| error.to_string())?;
    let ancestors = ancestors(office, &judged.results.head.sha).await.map_err(|error| error.to_string())?;
    let before = ancestors.iter().position(|sha| *sha == base.sha);
    Ok(match (measured.contains(&base.sha), before) {
        (true, Some(commits_before)) => Some(BaseNote::MeasuredAncestor { commits_before }),
        (false, _) => Some(BaseNote::NothingMeasured),
        (true, None) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::CheckStatus;

    fn job(started: Option<&str>, completed: Option<&str>) -> Job {
        Job {
            id: 1,
            name: "race".to_owned(),
            status: CheckStatus::Completed,
            conclusion: None,
            started_at: started.map(str::to_owned),
            completed_at: completed.map(str::to_owned),
            url: String::new(),
        }
    }

    #[test]
    fn every_job_costs_the_minutes_that_it_began() {
        let jobs = [
            job(Some("2026-11-01T10:00:00Z"), Some("2026-11-01T10:14:01Z")),
            job(Some("2026-11-01T10:14:05Z"), Some("2026-11-01T10:14:06Z")),
            job(Some("2026-11-01T10:14:05Z"), None),
            job(Some("2026-11-01T10:14:05Z"), Some("2026-11-01T10:14:00Z")),
        ];
        assert_eq!(runner_minutes(&jobs), Some(16));
        assert_eq!(runner_minutes(&jobs[2..]), None);
    }
}
