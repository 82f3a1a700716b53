//! The user's files become a plan, and a seed becomes a schedule. Pure: knows only the model.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod configuration;
mod lineup;
mod schedule;

pub use configuration::{
    BaselineStore, CommandLine, CommentWhen, Configuration, CpuChoice, Expect, ExpectedBody, GithubSettings, Judging,
    Mix, Protocol, Regime, Request, Runtime, Scenario, Service, SideBuild, Variant,
};
pub use lineup::{
    Entry, LanePlan, Selection, Standings, UnknownName, categories, choose_control, entries, expected_cells, lineup,
    mixes, regimes,
};
pub use schedule::{Lane, case_order, first_side, lane_order, slice_side};
