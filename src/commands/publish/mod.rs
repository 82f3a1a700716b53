//! `deadheat publish`: comment, check run, commit comment and baseline, as the event asks.
//!
//! Holds the token, and therefore executes nothing, checks out nothing, and takes nothing from the results on trust:
//! the pull request is found from the run, verdicts are recomputed, and settings and templates are the default branch's.

mod authority;
mod command;
mod completed;
mod conclude;
mod dispatched;
mod hand_in;
mod ledger;
mod office;
mod publication;
mod pull;
mod push;
mod subject;
mod summary;

pub use command::publish;
