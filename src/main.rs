//! Parse, run, print the error, exit code; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == "guard") {
        return deadheat::process::guard::run();
    }
    ExitCode::SUCCESS
}
