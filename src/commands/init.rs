//! `deadheat init`: writes a first configuration, variant and contract that race as they are.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Each file with its text.
const FILES: [(&str, &str); 5] = [
    ("deadheat.toml", include_str!("../../templates/init/deadheat.toml")),
    ("bench/variants/hello/variant.toml", include_str!("../../templates/init/variant.toml")),
    ("bench/variants/hello/server.mjs", include_str!("../../templates/init/server.mjs")),
    ("bench/contract/first.toml", include_str!("../../templates/init/first.toml")),
    ("bench/contract/golden/hello.json", include_str!("../../templates/init/hello.json")),
];

/// Why nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// Files are there already; nothing was written.
    #[error("failed to write a first configuration, because these files exist already: {}", listed(files))]
    Exists {
        /// They, relative to the directory.
        files: Vec<PathBuf>,
    },
    /// A file could not be written.
    #[error("failed to write {}", file.display())]
    Write {
        /// It.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Writes the files into a directory, and gives their paths relative to it. Never overwrites: where one of them exists,
/// nothing is written.
///
/// # Errors
/// [`InitError`] where files exist already, or one can't be written.
pub fn init(directory: &Path) -> Result<Vec<PathBuf>, InitError> {
    let paths: Vec<PathBuf> = FILES.iter().map(|(path, _)| PathBuf::from(path)).collect();
    // A broken symbolic link counts as a file that is there.
    let exists = |path: &&PathBuf| directory.join(path).symlink_metadata().is_ok();
    let existing: Vec<PathBuf> = paths.iter().filter(exists).cloned().collect();
    if !existing.is_empty() {
        return Err(InitError::Exists { files: existing });
    }
    for (path, text) in FILES {
        write_new(&directory.join(path), text)
            .map_err(|source| InitError::Write { file: directory.join(path), source })?;
    }
    Ok(paths)
}

fn write_new(file: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::File::create_new(file)?.write_all(text.as_bytes())
}

/// What was written and what to do next, for people. Ends with a newline.
pub fn init_message(written: &[PathBuf]) -> String {
    let mut message = String::new();
    for file in written {
        // Writing to a string never fails.
        let _ = writeln!(message, "wrote {}", file.display());
    }
    message.push_str(
        "\nNext:\n  deadheat check    build the variant and hold its answers against the contract\n  \
         then put your own variants beside bench/variants/hello, and your routes into bench/contract/first.toml\n",
    );
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::load_configuration;

    #[test]
    fn what_is_written_is_a_configuration() {
        let root = tempfile::tempdir().unwrap();
        let written = init(root.path()).unwrap();
        let loaded = load_configuration(&root.path().join("deadheat.toml")).unwrap();
        assert_eq!(loaded.configuration.variants.len(), 1);
        assert_eq!(loaded.configuration.scenarios.len(), 1);
        insta::assert_snapshot!("init_message", init_message(&written));
    }

    #[test]
    fn nothing_is_overwritten() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("deadheat.toml"), "mine").unwrap();
        let error = init(root.path()).unwrap_err().to_string();
        assert!(error.ends_with("exist already: deadheat.toml"), "{error}");
        assert_eq!(fs::read_to_string(root.path().join("deadheat.toml")).unwrap(), "mine");
        assert!(!root.path().join("bench").exists());
    }
}
