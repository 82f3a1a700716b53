//! What this machine is, for the fingerprint.

use super::cpus::allowed_cpus;
use crate::model::Fingerprint;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// This machine and kernel, with the versions of `toolchains`. What can't be read stays empty.
pub fn fingerprint(toolchains: BTreeMap<String, String>) -> Fingerprint {
    fingerprint_below(Path::new("/"), allowed_cpus().map_or(0, |cpus| cpus.len()), toolchains)
}

fn fingerprint_below(root: &Path, cpus: usize, toolchains: BTreeMap<String, String>) -> Fingerprint {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let after = |text: &str, key: &str, separator: char| {
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(separator)?.1.trim().trim_matches('"').to_owned())
    };
    let cpuinfo = read("proc/cpuinfo");
    let model = after(&cpuinfo, "model name", ':').or_else(|| after(&cpuinfo, "CPU part", ':'));
    let memory = after(&read("proc/meminfo"), "MemTotal", ':');
    let kibibytes = memory.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Fingerprint {
        cpu: model.unwrap_or_default(),
        cpus,
        memory: kibibytes.unwrap_or(0) * 1024,
        kernel: read("proc/sys/kernel/osrelease").trim().to_owned(),
        system: after(&read("etc/os-release"), "PRETTY_NAME", '=').unwrap_or_default(),
        toolchains,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_read_and_what_it_does_not_say_stays_empty() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU @ 3 GHz\n"),
            ("proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n"),
            ("proc/sys/kernel/osrelease", "6.1.0\n"),
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 1\"\n"),
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = fingerprint_below(root.path(), 2, BTreeMap::new());
        assert_eq!((found.cpu.as_str(), found.memory), ("Test CPU @ 3 GHz", 2_097_152));
        assert_eq!((found.kernel.as_str(), found.system.as_str()), ("6.1.0", "Some Linux 1"));
        let empty = fingerprint_below(&root.path().join("none"), 2, BTreeMap::new());
        assert_eq!(empty, Fingerprint { cpus: 2, ..Fingerprint::default() });
    }
}
