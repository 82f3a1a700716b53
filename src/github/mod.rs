//! GitHub: events, the API client, the sticky comment, the check run, and results that arrive as an artifact.
//!
//! Knows only the model. The API is reached through [`Client`], which waits and retries by rules of its own: what may
//! have been written is looked for before it is written again.

mod client;
mod error;
mod pace;

pub use client::{Call, Client, ClientSettings, Repeat, RepositoryName, Token, Written};
pub use error::ApiError;
pub use pace::{Pace, RealPace};
