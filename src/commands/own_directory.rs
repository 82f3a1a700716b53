//! deadheat's own directory in a repository.

use std::fs;
use std::io;
use std::path::Path;

/// Its name.
const NAME: &str = ".deadheat";

/// Keeps deadheat's own directory out of git, where `path` lies in one.
pub(super) fn hide_from_git(path: &Path) -> io::Result<()> {
    let own = path.ancestors().find(|path| path.file_name().is_some_and(|name| name == NAME));
    match own.map(|own| own.join(".gitignore")).filter(|ignore| !ignore.exists()) {
        Some(ignore) => fs::write(ignore, "*\n"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deadheats_own_directory_is_hidden() {
        let root = tempfile::tempdir().unwrap();
        let inside = root.path().join(".deadheat/baselines/runs");
        fs::create_dir_all(&inside).unwrap();
        hide_from_git(&inside).unwrap();
        let ignore = root.path().join(".deadheat/.gitignore");
        assert_eq!(fs::read_to_string(&ignore).unwrap(), "*\n");
        fs::write(&ignore, "latest\n").unwrap();
        hide_from_git(&inside).unwrap();
        assert_eq!(fs::read_to_string(&ignore).unwrap(), "latest\n", "what the user wrote stays");
        let outside = root.path().join("out");
        fs::create_dir(&outside).unwrap();
        hide_from_git(&outside).unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert!(!root.path().join(".gitignore").exists());
    }
}
