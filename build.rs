//! Tells a release build which commit it is made from, so that `deadheat init` can pin the action to that commit.
//!
//! `DEADHEAT_REVISION` and `DEADHEAT_RELEASE` (a tag such as v0.1.0) win over git. Without them a debug build knows no
//! revision, since tests would be built again at every commit, and neither does a build of changed sources.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["DEADHEAT_REVISION", "DEADHEAT_RELEASE"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let given = env::var("DEADHEAT_REVISION").ok().filter(|revision| !revision.is_empty());
    let release_build = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let revision = given.or_else(|| if release_build { revision_of_sources() } else { None });
    if let Some(revision) = revision {
        println!("cargo::rustc-env=DEADHEAT_REVISION={revision}");
    }
}

fn revision_of_sources() -> Option<String> {
    // The next commit moves this log, and whether the sources are changed can change with any of them.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for file in [log.as_str(), "Cargo.toml", "Cargo.lock", "src", "templates"] {
        if Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    // Sources without a repository of their own may lie inside somebody else's.
    let top = Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    let here = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).canonicalize().ok()?;
    let clean = git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    if top == here && clean { git(&["rev-parse", "HEAD"]) } else { None }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
