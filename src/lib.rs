//! deadheat races the variants of an HTTP framework at a pull request's base and head, and says only what is proved.
//!
//! Data runs one way, and the rooms are named after it:
//! **plan -> build -> race -> results -> verdict -> report -> publish**.
//!
//! - [`model`]: the vocabulary: names, sides, metrics, cells, the results file. Pure; imports nobody.
//! - [`plan`]: the text of `deadheat.toml`, `variant.toml` and the contract becomes a plan; the seeded schedule. Pure.
//! - [`process`]: supervised children in groups of their own, pinned, with a scrubbed environment; accounting of a tree.
//! - [`build`]: a git worktree per side, build steps, and a cache by content.
//! - [`race`]: the rounds: servers, the gate, the suites, the load generator, the boot probe, the journal.
//! - [`verdict`]: statistics and decisions. Pure.
//! - [`report`]: views, templates and text plots. Pure.
//! - [`github`]: events, the API client, the sticky comment, the check run, results that arrive as an artifact.
//! - [`baseline`]: the results of a commit, kept in a directory or on a branch on GitHub.
//! - [`commands`]: one file per subcommand: the sequence of a use case. [`cli`]: what a user can type.
//!
//! Who may import whom: `model` nobody; `plan` and `verdict` only model; `report` model and verdict; `process` model;
//! `build` and `race` model, plan and process; `github` model; `baseline` model and github; `commands` all. `tests/house.rs` reads every file and holds it to this.

pub mod baseline;
pub mod build;
pub mod cli;
pub mod commands;
pub mod github;
pub mod model;
pub mod plan;
pub mod process;
pub mod race;
pub mod report;
pub mod verdict;
