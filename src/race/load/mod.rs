//! The load generator: one thread, one epoll instance, a fixed number of kept connections to one server.
//!
//! A [`Generator`] sends one [`PreparedRequest`] over and over and compares every answer with an [`Expectation`]. It works
//! in slices: a closed loop ([`Generator::slice`]) or an open loop at a fixed rate ([`Generator::open_loop_slice`]).
//! Connections stay open from slice to slice, and between slices nothing is outstanding, so that a server that is not being
//! asked can really be idle.
//!
//! Known limits: HTTP/1.1 and 1.0 without TLS; one request per generator; bodies are counted as they are sent, without
//! undoing a content encoding; a head may take 64 KiB and 128 lines, a body 64 MiB.

mod answer;
mod ask;
mod batch;
mod chunked;
mod connection;
mod course;
mod errors;
mod generator;
mod reader;
mod report;
mod request;
mod settings;
mod shared;
mod summary;
mod tally;
mod timetable;
mod url;

pub use crate::model::GeneratorMode as Waiting;
pub use answer::{AnswerCheck, AnswerHead, Expectation, StatusRule};
pub use ask::{AskError, ask};
pub use errors::{ErrorCounts, ErrorKind, LoadError};
pub use generator::Generator;
pub use report::SliceReport;
pub use request::{InvalidRequest, PreparedRequest};
pub use settings::{LoadSettings, Pace};
pub use summary::{LatencySummary, LoadSummary};
pub use url::{HttpUrl, InvalidUrl};
