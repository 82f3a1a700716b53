//! The published decision rules of other tools, applied to the rounds of a run.
//!
//! One file per rule: a pure function from the values of a cell's rounds to a finding, with its source, its documented
//! default and what stands in for what the tool would have measured itself. [`replay()`] judges a run by all of them and by
//! deadheat's own rule; [`scores`] holds that against a known truth.
//!
//! Known limits. The rules are replayed, not the tools: they see rounds that were raced alternately on a machine that was
//! watched, which is kinder to them than the two separate runs that most of them compare in practice. Every rule sees all
//! rounds that a cell has, and when a cell left the race was up to deadheat's own rule. Their settings are the documented
//! defaults, not the best for these rounds.

mod asv;
mod asv_interval;
mod autocannon_compare;
mod bencher;
mod codspeed;
mod github_action_benchmark;
mod node_compare;
mod replay;
mod rules;
mod samples;
mod tachometer;
mod truth;
mod welch;

pub use asv::asv_compare;
pub use autocannon_compare::autocannon_compare;
pub use bencher::bencher;
pub use codspeed::codspeed;
pub use github_action_benchmark::github_action_benchmark;
pub use node_compare::{Stars, node_compare};
pub use replay::{Replay, RuleReplay, replay};
pub use rules::{OURS, PublishedRule, RULES, RuleName};
pub use samples::{Finding, Reason, Samples};
pub use tachometer::tachometer;
pub use truth::{Score, SlowedScenario, Truth, scores};
