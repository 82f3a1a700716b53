//! A command line that can't be read, or that asks for help.

use super::log::Log;
use crate::github::in_actions;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Says what is wrong with the command line, or prints the help that it asks for.
pub fn misread(error: &clap::Error, environment: &BTreeMap<String, String>) -> ExitCode {
    if error.use_stderr() && in_actions(environment) {
        // It repeats what was typed, which may be text of others.
        Log::Actions.write(&error.render().to_string());
    } else {
        // Where the stream is gone, the exit code must be enough.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
