//! The user's files become a plan, and a seed becomes a schedule. Pure: knows only the model.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
