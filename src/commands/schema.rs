//! `deadheat schema NAME`: prints a JSON Schema.

use crate::plan::{self, SchemaName};
use std::io::{self, Write};

/// Writes the schema of a file, indented, with a newline at the end.
///
/// # Errors
/// Whatever the writer says.
pub fn schema(name: SchemaName, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:#}", plan::schema(name))
}
