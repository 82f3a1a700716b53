//! The user's files become a plan, and a seed becomes a schedule. Pure: knows only the model.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod configuration;
mod lineup;
mod read;
mod runs;
mod schedule;
mod schema;

pub use configuration::{
    BaselineStore, CommandLine, CommentWhen, Configuration, CpuChoice, Expect, ExpectedBody, GithubSettings, Judging,
    Mix, Protocol, Regime, Request, Runtime, Scenario, Service, Settings, SideBuild, Variant,
};
pub use lineup::{
    Entry, LanePlan, RunPlan, Selection, Standings, UnknownName, categories, choose_control, entries, expected_cells,
    lineup, mixes, regimes,
};
pub use read::{
    Content, ContractSources, FileText, Locations, Mistake, Mistakes, Place, Sources, locations, parse_cpus,
    parse_duration, parse_percent, parse_rate, read, read_settings,
};
pub use runs::{BuildSuite, ProcessSuite, Run, RunCase, RunCommand};
pub use schedule::{Lane, case_order, first_side, lane_order, slice_side};
pub use schema::{SchemaName, UnknownSchema, schema};

#[cfg(test)]
mod lineup_tests;
