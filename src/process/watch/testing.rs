//! Copies of the kernel's files.

use super::Roots;
use std::fs;

/// A folder that holds these files below `proc/` and `sys/`.
pub(super) fn copy(files: &[(&str, &str)]) -> (tempfile::TempDir, Roots) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let roots = Roots { proc: folder.path().join("proc"), sys: folder.path().join("sys") };
    (folder, roots)
}
