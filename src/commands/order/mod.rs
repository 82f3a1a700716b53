//! What a run is to race: what the command line says or, in Actions where it names no commit, what the event says.
//!
//! Commits are named by events and found in the clone, from which some may be missing: they are fetched. Whether a pull
//! request is raced also depends on the configuration, which is read from its head: [`PullGate`] is asked afterwards.

mod ancestors;
mod decide;
mod dispatch;
mod gate;
mod inputs;
mod pull_request;
mod push;

#[cfg(test)]
mod decide_tests;
#[cfg(test)]
mod dispatch_tests;
#[cfg(test)]
mod pull_request_tests;
#[cfg(test)]
mod push_tests;
#[cfg(test)]
mod testing;

pub(super) use decide::{Decision, Order, decide};
pub(super) use gate::PullGate;
