//! Views, templates and text plots. Pure: knows the model and the verdict.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
