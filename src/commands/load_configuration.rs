//! Finds `deadheat.toml`, collects the files it names, and has them read.
//!
//! The files may be those of any checkout: a work tree is loaded by the path of the `deadheat.toml` in it. Directories
//! that are symbolic links are not entered, so that no loop is; directories named `node_modules`, `target` or `dist`,
//! or hidden, hold no variants.

use crate::plan::{self, Configuration, Content, ContractSources, FileText, Mistakes, Sources};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The name of the configuration at the root of the user's repository.
pub(super) const CONFIGURATION_NAME: &str = "deadheat.toml";

const LARGEST_TOML: u64 = 1 << 20;
const LARGEST_GOLDEN: u64 = 8 << 20;
const MOST_GOLDEN_BYTES: u64 = 64 << 20;
const MOST_ENTRIES: usize = 100_000;
const DEEPEST: usize = 16;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no `deadheat.toml` at or above a directory.
    #[error(
        "failed to find {CONFIGURATION_NAME} in {} or any directory above it: run `deadheat init` to write a first one, \
         or name the file with --config",
        start.display()
    )]
    NotFound {
        /// Where the search began.
        start: PathBuf,
    },
    /// A file that the user named isn't there.
    #[error(
        "failed to find the configuration {}: check --config, or run `deadheat init` to write a first one",
        file.display()
    )]
    NoSuchFile {
        /// The file.
        file: PathBuf,
    },
    /// The files are there and can't be used.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
}

/// A configuration with the place it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The directory of `deadheat.toml`, to which all paths of the configuration are relative.
    pub root: PathBuf,
    /// What the files say.
    pub configuration: Configuration,
}

/// The nearest `deadheat.toml`, in a directory or above it.
pub fn find_configuration(start: &Path) -> Option<PathBuf> {
    start.ancestors().map(|directory| directory.join(CONFIGURATION_NAME)).find(|file| file.is_file())
}

/// Loads the file that the user named, relative to `start`, or the nearest `deadheat.toml`. `start` is absolute.
///
/// # Errors
/// [`LoadError`] where there is no such file, or any file of the configuration has mistakes.
pub fn find_and_load(start: &Path, named: Option<&Path>) -> Result<Loaded, LoadError> {
    match named {
        Some(file) => load_configuration(&start.join(file)),
        None => match find_configuration(start) {
            Some(file) => load_configuration(&file),
            None => Err(LoadError::NotFound { start: start.to_owned() }),
        },
    }
}

/// Loads a `deadheat.toml` and everything it names.
///
/// # Errors
/// [`LoadError`] where there is no such file, or any file of the configuration has mistakes.
pub fn load_configuration(file: &Path) -> Result<Loaded, LoadError> {
    let name = file.file_name().filter(|_| file.is_file());
    let name = name.ok_or_else(|| LoadError::NoSuchFile { file: file.to_owned() })?;
    let root = file.parent().unwrap_or(Path::new("")).to_owned();
    let sources = collect(&root, &name.to_string_lossy());
    Ok(Loaded { configuration: plan::read(&sources)?, root })
}

fn collect(root: &Path, name: &str) -> Sources {
    let configuration = read_file(root, name.to_owned(), LARGEST_TOML);
    let locations = plan::locations(&configuration);
    Sources {
        variants: locations.variants.and_then(|directory| variants(root, &directory)),
        contract: locations.contract.and_then(|directory| contract(root, &directory)),
        configuration,
    }
}

fn variants(root: &Path, directory: &str) -> Option<Vec<FileText>> {
    let enter = |name: &str| !name.starts_with('.') && !matches!(name, "node_modules" | "target" | "dist");
    let found = walk(root, directory, &enter)?;
    let read = |found| match found {
        Found::File(path) if path.rsplit('/').next() == Some("variant.toml") => {
            Some(read_file(root, path, LARGEST_TOML))
        }
        Found::File(_) => None,
        Found::Unreadable(path, why) => Some(FileText { path, content: Content::Unreadable(why) }),
    };
    Some(found.into_iter().filter_map(read).collect())
}

fn contract(root: &Path, directory: &str) -> Option<ContractSources> {
    let mut sources = ContractSources::default();
    let mut left = MOST_GOLDEN_BYTES;
    for found in walk(root, directory, &|name: &str| name != ".git")? {
        match found {
            Found::File(path) => {
                let own = path.strip_prefix(directory).unwrap_or(&path).trim_start_matches('/');
                if is_toml(own) && !own.contains('/') {
                    sources.files.push(read_file(root, path, LARGEST_TOML));
                    continue;
                }
                let golden = read_file(root, path, LARGEST_GOLDEN.min(left));
                if let Content::Bytes(bytes) = &golden.content {
                    left = left.saturating_sub(bytes.len() as u64);
                }
                sources.golden.push(golden);
            }
            Found::Unreadable(path, why) => sources.files.push(FileText { path, content: Content::Unreadable(why) }),
        }
    }
    Some(sources)
}

fn is_toml(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "toml")
}

/// What a walk comes by, by its path relative to the root.
enum Found {
    File(String),
    Unreadable(String, String),
}

/// Everything below a directory in the order of names; none where it is no directory.
fn walk(root: &Path, directory: &str, enter: &dyn Fn(&str) -> bool) -> Option<Vec<Found>> {
    if !root.join(directory).is_dir() {
        return None;
    }
    let mut found = Vec::new();
    let mut seen = 0;
    let mut open = vec![(directory.to_owned(), 0)];
    while let Some((directory, depth)) = open.pop() {
        let mut entries = match list(&root.join(&directory)) {
            Ok(entries) => entries,
            Err(error) => {
                found.push(Found::Unreadable(directory, error.to_string()));
                continue;
            }
        };
        seen += entries.len();
        if seen > MOST_ENTRIES || depth > DEEPEST {
            let why =
                format!("there are more than {MOST_ENTRIES} files below it, or directories deeper than {DEEPEST}");
            found.push(Found::Unreadable(directory, why));
            break;
        }
        entries.sort();
        for (name, is_directory) in entries {
            let path = if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            if !is_directory {
                found.push(Found::File(path));
            } else if enter(&name) {
                open.push((path, depth + 1));
            }
        }
    }
    found.sort_by(|a, b| a.path().cmp(b.path()));
    Some(found)
}

impl Found {
    fn path(&self) -> &str {
        match self {
            Self::File(path) | Self::Unreadable(path, _) => path,
        }
    }
}

/// The names in a directory, and whether each is a directory itself; a symbolic link to one is neither that nor a file.
fn list(directory: &Path) -> io::Result<Vec<(String, bool)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_directory = entry.file_type()?.is_dir();
        if is_directory || entry.path().is_file() {
            entries.push((entry.file_name().to_string_lossy().into_owned(), is_directory));
        }
    }
    Ok(entries)
}

fn read_file(root: &Path, path: String, largest: u64) -> FileText {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        fs::File::open(root.join(&path))?.take(largest + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let content = match read() {
        Ok(bytes) if bytes.len() as u64 > largest => {
            Content::Unreadable(format!("it is larger than {largest} bytes, or there are too many of its kind"))
        }
        Ok(bytes) => Content::Bytes(bytes),
        Err(error) => Content::Unreadable(error.to_string()),
    };
    FileText { path, content }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_configuration_is_found_upwards() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(find_configuration(&deep), None);
        let error = find_and_load(&deep, None).unwrap_err().to_string();
        assert!(error.contains("deadheat init"), "{error}");
        fs::write(root.path().join(CONFIGURATION_NAME), "").unwrap();
        assert_eq!(find_configuration(&deep), Some(root.path().join(CONFIGURATION_NAME)));
        let error = find_and_load(&deep, Some(Path::new("../other.toml"))).unwrap_err();
        assert!(matches!(error, LoadError::NoSuchFile { .. }));
    }

    #[test]
    fn installed_packages_loops_and_pipes_are_no_variants() {
        let root = tempfile::tempdir().unwrap();
        for directory in ["v/a/node_modules/x", "v/.git", "v/dist", "v/deep/er"] {
            fs::create_dir_all(root.path().join(directory)).unwrap();
            fs::write(root.path().join(directory).join("variant.toml"), "").unwrap();
        }
        std::os::unix::fs::symlink("..", root.path().join("v/a/up")).unwrap();
        let found = variants(root.path(), "v").unwrap();
        assert_eq!(found.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["v/deep/er/variant.toml"]);
    }

    #[test]
    fn a_large_file_is_not_read() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a"), [b'x'; 11]).unwrap();
        assert!(matches!(read_file(root.path(), "a".into(), 10).content, Content::Unreadable(_)));
        assert_eq!(read_file(root.path(), "a".into(), 11).content, Content::Bytes(vec![b'x'; 11]));
    }
}
