//! Copying a directory with all that is in it, and removing one.

use super::workshop::{BuildError, disk};
use crate::process::CancelFlag;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

/// Copies `from` to `to`, which must not be there, less what `leave_out` names by its path relative to `from`.
///
/// Symbolic links stay links; an absolute one that leads into `from` leads into `to` afterwards. Permissions and times of
/// modification are kept: build tools compare them. Sockets, pipes and devices are left out.
pub(super) fn copy_tree(
    from: &Path,
    to: &Path,
    leave_out: &dyn Fn(&Path) -> bool,
    cancel: &CancelFlag,
) -> Result<(), BuildError> {
    let mut open = vec![from.to_owned()];
    let mut directories = Vec::new();
    while let Some(directory) = open.pop() {
        let target = moved(&directory, from, to);
        fs::create_dir(&target).map_err(|source| disk("create", &target, source))?;
        for entry in fs::read_dir(&directory).map_err(|source| disk("read", &directory, source))? {
            if cancel.is_set() {
                return Err(BuildError::Interrupted);
            }
            let path = entry.map_err(|source| disk("read", &directory, source))?.path();
            if leave_out(path.strip_prefix(from).unwrap_or(&path)) {
                continue;
            }
            let metadata = path.symlink_metadata().map_err(|source| disk("look at", &path, source))?;
            if metadata.is_dir() {
                open.push(path);
            } else if metadata.is_symlink() || metadata.is_file() {
                let target = moved(&path, from, to);
                copy_one(&path, &target, &metadata, from, to).map_err(|source| disk("copy", &path, source))?;
            }
        }
        directories.push((directory, target));
    }
    // Last of all, and the innermost first: what is filled changes its time, and may not be allowed to be filled.
    for (directory, target) in directories.iter().rev() {
        let keep = || {
            let metadata = directory.metadata()?;
            fs::set_permissions(target, metadata.permissions())?;
            keep_time(target, &metadata)
        };
        keep().map_err(|source| disk("copy", directory, source))?;
    }
    Ok(())
}

fn copy_one(path: &Path, target: &Path, metadata: &Metadata, from: &Path, to: &Path) -> io::Result<()> {
    if metadata.is_symlink() {
        let leads_to = fs::read_link(path)?;
        symlink(moved(&leads_to, from, to), target)?;
    } else {
        fs::copy(path, target)?;
    }
    keep_time(target, metadata)
}

fn moved(path: &Path, from: &Path, to: &Path) -> std::path::PathBuf {
    path.strip_prefix(from).map_or_else(|_| path.to_owned(), |inside| to.join(inside))
}

fn keep_time(target: &Path, metadata: &Metadata) -> io::Result<()> {
    let time = Timespec { tv_sec: metadata.mtime(), tv_nsec: metadata.mtime_nsec() };
    let times = Timestamps { last_access: time, last_modification: time };
    Ok(utimensat(CWD, target, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Removes a file, a link, or a directory with all that is in it; that there is none is fine.
pub(super) fn remove_tree(path: &Path) -> Result<(), BuildError> {
    // A build may have made directories that nothing can be removed from.
    let removed = remove(path).or_else(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => make_writable(path).and_then(|()| remove(path)),
        _ => Err(error),
    });
    removed.map_err(|source| disk("remove", path, source))
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(()),
        _ => Err(error),
    })
}

fn make_writable(path: &Path) -> io::Result<()> {
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = path.symlink_metadata()?;
        if metadata.is_dir() {
            fs::set_permissions(&path, Permissions::from_mode(metadata.permissions().mode() | 0o700))?;
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_copy_is_alike_in_links_permissions_and_times() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("bin/empty")).unwrap();
        fs::create_dir(from.join("left out")).unwrap();
        fs::write(from.join("bin/run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.join("bin/run"), Permissions::from_mode(0o754)).unwrap();
        symlink("../bin/run", from.join("bin/relative")).unwrap();
        symlink("nowhere", from.join("broken")).unwrap();
        symlink(from.join("bin"), from.join("own")).unwrap();
        symlink("/", from.join("foreign")).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567_890_123);
        for path in ["bin/run", "bin", "."] {
            File::open(from.join(path)).unwrap().set_modified(old).unwrap();
        }
        fs::set_permissions(from.join("bin"), Permissions::from_mode(0o555)).unwrap();

        let left_out = |path: &Path| path == Path::new("left out");
        copy_tree(&from, &to, &left_out, &CancelFlag::new()).unwrap();
        for path in ["bin/run", "bin", "."] {
            assert_eq!(to.join(path).metadata().unwrap().modified().unwrap(), old, "{path}");
        }
        let mode = |path: &str| to.join(path).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("bin/run"), mode("bin")), (0o754, 0o555));
        assert!(to.join("bin/empty").is_dir() && !to.join("left out").exists());
        for (link, leads_to) in [
            ("bin/relative", "../bin/run".into()),
            ("broken", "nowhere".into()),
            ("own", to.join("bin")),
            ("foreign", "/".into()),
        ] {
            assert_eq!(fs::read_link(to.join(link)).unwrap(), leads_to, "{link}");
        }
        for path in [&to, &from, &to] {
            remove_tree(path).unwrap();
            assert!(!path.exists());
        }
    }

    #[test]
    fn it_does_not_write_into_what_is_there_and_can_be_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::write(from.join("a"), "").unwrap();
        let cancel = CancelFlag::new();
        let copy = |to: &Path| copy_tree(&from, to, &|_| false, &cancel);
        let error = copy(folder.path()).unwrap_err();
        assert!(error.to_string().starts_with("failed to create "), "{error}");
        let missing = copy_tree(&to, &folder.path().join("other"), &|_| false, &cancel).unwrap_err();
        assert!(missing.to_string().starts_with("failed to read "), "{missing}");
        cancel.set();
        assert!(matches!(copy(&to), Err(BuildError::Interrupted)));
    }
}
