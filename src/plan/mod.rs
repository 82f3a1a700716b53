//! The user's files become a plan, and a seed becomes a schedule. Pure: knows only the model.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod configuration;

pub use configuration::{
    BaselineStore, CommandLine, CommentWhen, Configuration, CpuChoice, Expect, ExpectedBody, GithubSettings, Judging,
    Mix, Protocol, Regime, Request, Runtime, Scenario, Service, SideBuild, Variant,
};
