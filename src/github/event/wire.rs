//! Payloads as GitHub writes them, with the few fields that are used.

use crate::github::runs::WireRun;
use crate::github::wire::{WireAccount, WireRepo};
use crate::model::CommitSha;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The repository that an event belongs to.
#[derive(Deserialize)]
pub(super) struct WireHome {
    #[serde(default)]
    pub(super) default_branch: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct WireLabel {
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct WirePullEvent {
    pub(super) action: String,
    #[serde(default)]
    pub(super) label: Option<WireLabel>,
    pub(super) pull_request: WirePull,
}

#[derive(Deserialize)]
pub(super) struct WirePull {
    pub(super) number: u64,
    #[serde(default)]
    pub(super) draft: Option<bool>,
    #[serde(default)]
    pub(super) labels: Vec<WireLabel>,
    pub(super) head: WireEnd,
    pub(super) base: WireEnd,
}

#[derive(Deserialize)]
pub(super) struct WireEnd {
    pub(super) sha: CommitSha,
    #[serde(rename = "ref")]
    pub(super) branch: String,
    #[serde(default)]
    pub(super) repo: Option<WireRepo>,
}

#[derive(Deserialize)]
pub(super) struct WirePush {
    pub(super) before: CommitSha,
    pub(super) after: CommitSha,
    #[serde(rename = "ref")]
    pub(super) reference: String,
    #[serde(default)]
    pub(super) deleted: bool,
    #[serde(default)]
    pub(super) forced: bool,
    pub(super) repository: WireHome,
}

#[derive(Deserialize)]
pub(super) struct WireDispatch {
    #[serde(default)]
    pub(super) inputs: Option<BTreeMap<String, Value>>,
    #[serde(rename = "ref")]
    pub(super) reference: String,
    #[serde(default)]
    pub(super) repository: Option<WireHome>,
}

#[derive(Deserialize)]
pub(super) struct WireRunEvent {
    pub(super) action: String,
    pub(super) workflow_run: WireRun,
}

#[derive(Deserialize)]
pub(super) struct WireCommentEvent {
    pub(super) action: String,
    pub(super) issue: WireIssue,
    pub(super) comment: WireComment,
}

#[derive(Deserialize)]
pub(super) struct WireIssue {
    pub(super) number: u64,
    #[serde(default)]
    pub(super) pull_request: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct WireComment {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) body: Option<String>,
    #[serde(default)]
    pub(super) user: Option<WireAccount>,
}

#[derive(Deserialize)]
pub(super) struct WireMergeEvent {
    pub(super) action: String,
    pub(super) merge_group: WireMergeGroup,
}

#[derive(Deserialize)]
pub(super) struct WireMergeGroup {
    pub(super) head_sha: CommitSha,
    pub(super) head_ref: String,
    pub(super) base_sha: CommitSha,
    pub(super) base_ref: String,
}
