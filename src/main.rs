//! Parse, run, print the error, exit code; nothing else.
fn main() {}
