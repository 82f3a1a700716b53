//! `deadheat baseline`: lists, shows and prunes the stored results per commit.

use super::api::wait;
use super::baseline_text::{list_json, list_text, record_text};
use super::outcome::{CommandError, Finish};
use super::progress::note;
use super::stores::{self, OpenStore};
use super::surroundings::Surroundings;
use crate::baseline::{BaselineRecord, Listed, Listing};
use crate::build::Repository;
use crate::cli::{BaselineAction, BaselineArgs, BaselinePruneArgs, BaselineShowArgs};
use crate::model::CommitSha;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The shortest beginning of an id that is taken for one.
const SHORTEST: usize = 4;

/// Does what the arguments ask.
///
/// # Errors
/// [`CommandError`].
pub fn baseline(around: &mut Surroundings, arguments: &BaselineArgs) -> Result<Finish, CommandError> {
    let open = stores::open(around, arguments.store)?;
    match &arguments.action {
        BaselineAction::List { json } => list(around, &open, *json),
        BaselineAction::Show(arguments) => show(around, &open, arguments),
        BaselineAction::Prune(arguments) => prune(around, &open, arguments),
    }
}

fn list(around: &mut Surroundings, open: &OpenStore, json: bool) -> Result<Finish, CommandError> {
    let listing = wait(open.store().list())?;
    if json {
        around.print(&list_json(&open.place(), &listing).map_err(CommandError::infrastructure)?)?;
    } else {
        around.print(&list_text(&open.place(), &listing.baselines))?;
        name_broken(around, &listing);
    }
    Ok(Finish::Done)
}

fn show(around: &mut Surroundings, open: &OpenStore, arguments: &BaselineShowArgs) -> Result<Finish, CommandError> {
    let measured = wait(open.store().measured())?;
    let sha = find(around, &arguments.commit, &measured).map_err(|error| match error {
        Unfound::None => CommandError::usage(format!(
            "failed to find a baseline of `{}` in {}; `deadheat baseline list` shows what is there",
            arguments.commit,
            open.place()
        )),
        Unfound::Several(count) => CommandError::usage(format!(
            "failed to choose a baseline: {count} commits begin with `{}`; give more digits",
            arguments.commit
        )),
    })?;
    let gone = || CommandError::usage(format!("failed to find the baseline of {sha}: it was removed meanwhile"));
    let record = wait(open.store().get(&sha))?.ok_or_else(gone)?;
    if let Some(file) = &arguments.results {
        let path = around.directory.join(file);
        let failed = |error: &dyn std::fmt::Display| {
            CommandError::infrastructure(format!("failed to write {}: {error}", path.display()))
        };
        let text = record.samples.unpack().map_err(|error| failed(&error))?;
        std::fs::write(&path, text).map_err(|error| failed(&error))?;
    }
    let text = if arguments.json { json(&record)? } else { record_text(&record) };
    around.print(&text)?;
    Ok(Finish::Done)
}

fn json(record: &BaselineRecord) -> Result<String, CommandError> {
    record.to_text().map_err(|error| CommandError::infrastructure(format!("failed to print the baseline: {error}")))
}

/// Why a commit was not found.
enum Unfound {
    None,
    Several(usize),
}

/// The measured commit that the user means.
fn find(around: &Surroundings, text: &str, measured: &BTreeSet<CommitSha>) -> Result<CommitSha, Unfound> {
    let hexadecimal = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hexadecimal {
        let digits = text.to_ascii_lowercase();
        let found: Vec<&CommitSha> = measured.iter().filter(|sha| sha.as_str().starts_with(&digits)).collect();
        match found[..] {
            [] => {}
            [sha] => return Ok(sha.clone()),
            _ => return Err(Unfound::Several(found.len())),
        }
    }
    let named = Repository::open(&around.directory).and_then(|repository| repository.resolve(text)).ok();
    named.filter(|sha| measured.contains(sha)).ok_or(Unfound::None)
}

fn prune(around: &mut Surroundings, open: &OpenStore, arguments: &BaselinePruneArgs) -> Result<Finish, CommandError> {
    let listing = wait(open.store().list())?;
    name_broken(around, &listing);
    let kept_at_least = arguments.keep.map_or(0, |keep| usize::try_from(keep).unwrap_or(usize::MAX));
    let before = match arguments.older_than {
        None => Timestamp::MAX,
        Some(age) => Timestamp::now().checked_sub(age).map_err(|_| {
            CommandError::usage("failed to prune: --older-than reaches back further than time is counted")
        })?,
    };
    let old: Vec<&Listed> =
        listing.baselines.iter().skip(kept_at_least).filter(|listed| listed.started < before).collect();
    if !old.is_empty() && old.len() == listing.baselines.len() {
        return Err(CommandError::usage(format!(
            "failed to prune: all {} baselines are that old, and without any the next run has nothing to stand beside; add --keep 1",
            old.len()
        )));
    }
    let commits: Vec<CommitSha> = old.iter().map(|listed| listed.sha.clone()).collect();
    let removed = if arguments.dry_run { commits } else { wait(open.store().remove(&commits))? };
    let said = if arguments.dry_run { "would remove" } else { "removed" };
    let mut text = String::new();
    // Writing to a string never fails.
    for listed in old.iter().filter(|listed| removed.contains(&listed.sha)) {
        let _ = writeln!(text, "{said} {} of {}", listed.sha, listed.started);
    }
    let _ = writeln!(text, "{said} {} of {} baselines in {}", removed.len(), listing.baselines.len(), open.place());
    around.print(&text)?;
    Ok(Finish::Done)
}

fn name_broken(around: &Surroundings, listing: &Listing) {
    for broken in &listing.broken {
        note(around.show, &format!("passed over {}: {}", broken.place, broken.reason));
    }
}
