//! What pushes ask for, decided in real clones.

use super::testing::{Forge, ZERO, git, not_asked, push, race, sides};
use std::fs;

#[test]
fn a_push_is_raced_against_the_nearest_commit_that_was_measured() {
    let forge = Forge::new();
    forge.commits(&["4", "5"]);
    forge.push("main");
    let event = push("refs/heads/main", &forge.sha("3"), &forge.sha("5"));
    for options in [&[][..], &["--depth=1"]] {
        let clone = forge.clone(options);
        let order = race(&clone, &event);
        assert_eq!(sides(&order), (forge.sha("4").as_str(), forge.sha("5").as_str()), "the parent, with {options:?}");
        assert_eq!(order.names.head.as_deref(), Some("main"));
        assert!(order.pull.is_none());
        fs::remove_dir_all(clone.root()).unwrap();
    }
    git(&forge.work(), &["checkout", "--quiet", "--orphan", "data"]);
    git(&forge.work(), &["rm", "-r", "--quiet", "--cached", "."]);
    for measured in ["1", "2", "b", "5"] {
        let sha = forge.sha(measured);
        let path = forge.work().join("runs").join(&sha[..2]);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(format!("{sha}.json")), "{}").unwrap();
    }
    fs::write(forge.work().join("runs/README"), "no commit").unwrap();
    git(&forge.work(), &["add", "runs"]);
    git(&forge.work(), &["commit", "--quiet", "-m", "data"]);
    forge.push("data:deadheat-data");
    for options in [&[][..], &["--depth=1"], &["--single-branch"]] {
        let clone = forge.clone(options);
        let order = race(&clone, &event);
        assert_eq!(sides(&order), (forge.sha("2").as_str(), forge.sha("5").as_str()), "with {options:?}");
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_first_commit_is_raced_alone() {
    let forge = Forge::new();
    let order = race(&forge.clone(&[]), &push("refs/heads/main", ZERO, &forge.sha("1")));
    assert_eq!(sides(&order), ("none", forge.sha("1").as_str()));
}

#[test]
fn pushes_elsewhere_ask_for_nothing() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let (two, b) = (forge.sha("2"), forge.sha("b"));
    for (reference, before, after, about) in [
        ("refs/heads/topic", &two, b.as_str(), &b),
        ("refs/tags/main", &two, b.as_str(), &b),
        ("refs/heads/main", &two, ZERO, &two),
        ("refs/heads/topic", &two, ZERO, &two),
    ] {
        let (head, message) = not_asked(&clone, &push(reference, before, after));
        assert_eq!(head.as_ref(), Some(about), "{reference}");
        assert!(message.contains(&format!("`{reference}`")), "{message}");
    }
}
