//! What a hostile job can hand to a publisher: archives, results files, figures and names, each made to break something.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archives;
mod figures;
mod files;
mod large;
mod names;
mod page;
mod zip;
