//! Statistics and decisions. Pure: knows only the model.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
