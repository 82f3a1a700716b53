use super::keep::{figures, keep_baseline, publication};
use super::log::Log;
use super::surroundings::{Progress, Show, Surroundings};
use crate::baseline::{BaselineRecord, DirectoryStore, file_of};
use crate::build::Repository;
use crate::model::{CalibrationRecord, CommitSha, Results, VariantName};
use crate::process::CancelFlag;
use crate::verdict::judge;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// A repository whose `main` has four commits and `topic` one more.
struct Place {
    directory: tempfile::TempDir,
    around: Surroundings,
    repository: Repository,
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];
    let output = Command::new("git").arg("-C").arg(directory).args(identity).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        git(path, &["init", "--quiet", "--initial-branch=main"]);
        std::fs::write(path.join("deadheat.toml"), "variants = \"v\"\ncontract = \"c\"\n").unwrap();
        git(path, &["add", "--all"]);
        for message in ["first", "second", "third", "fourth"] {
            git(path, &["commit", "--quiet", "--allow-empty", "-m", message]);
        }
        git(path, &["checkout", "--quiet", "-b", "topic"]);
        git(path, &["commit", "--quiet", "--allow-empty", "-m", "topic"]);
        let around = Surroundings {
            stdout: Box::new(Vec::new()),
            directory: path.to_owned(),
            configuration: None,
            binary: "deadheat".into(),
            environment: BTreeMap::new(),
            cancel: CancelFlag::new(),
            show: Show { progress: Progress::Nothing, verbose: false, log: Log::Plain },
            color: false,
        };
        let repository = Repository::open(path).unwrap();
        Self { directory, around, repository }
    }

    fn sha(&self, rev: &str) -> CommitSha {
        self.repository.resolve(rev).unwrap()
    }

    /// A run of `head` against `base`.
    fn results(&self, base: &str, head: &str) -> Results {
        let mut results: Results = serde_json::from_str(include_str!("../../fixtures/results/unchanged.json")).unwrap();
        results.base.as_mut().unwrap().sha = self.sha(base);
        results.head.sha = self.sha(head);
        results
    }

    fn keep(&self, results: &Results) -> Vec<CommitSha> {
        keep_baseline(&self.around, &self.repository, results, &judge(results));
        self.store().measured().unwrap().into_iter().collect()
    }

    fn store(&self) -> DirectoryStore {
        DirectoryStore::new(self.directory.path().join(".deadheat/baselines"))
    }

    fn configure(&self, text: &str) {
        let whole = format!("variants = \"v\"\ncontract = \"c\"\n{text}");
        std::fs::write(self.directory.path().join("deadheat.toml"), whole).unwrap();
    }
}

#[test]
fn a_full_run_of_the_default_branch_is_kept_beside_the_configuration_and_out_of_git() {
    let place = Place::new();
    let results = place.results("main^", "main");
    assert_eq!(place.keep(&results), [place.sha("main")]);
    let record = place.store().get(&place.sha("main")).unwrap().unwrap();
    assert_eq!(record, BaselineRecord::from_results(&results, &figures(&judge(&results))).unwrap());
    assert_eq!(record.against, Some(place.sha("main^")));
    assert_eq!(git(place.directory.path(), &["status", "--porcelain"]), "", "the tree is as clean as before");
    // The figures are the verdict's: the first cell's base is 18420 in every round.
    assert_eq!((record.cells[0].figures.base, record.cells[0].figures.rounds), (Some(18420.0), 12));
}

#[test]
fn what_is_no_measure_for_later_runs_is_not_kept() {
    let place = Place::new();
    let on_main = place.results("main^", "main");
    assert!(place.keep(&place.results("main", "topic")).is_empty(), "a topic's commit");
    assert!(place.keep(&Results { quick: true, ..on_main.clone() }).is_empty(), "a quick run");
    let calibration = Some(CalibrationRecord::default());
    assert!(place.keep(&Results { calibration, ..on_main.clone() }).is_empty(), "a calibration");
    assert!(place.keep(&Results { rounds: 7, ..on_main.clone() }).is_empty(), "a few rounds");
    let mut dirty = on_main.clone();
    dirty.head.dirty = true;
    assert!(place.keep(&dirty).is_empty(), "uncommitted changes");
    let mut part = on_main.clone();
    part.selection.variants = vec![VariantName::new("fastify").unwrap()];
    assert!(place.keep(&part).is_empty(), "a part of the variants");
    let mut unusable: Results = serde_json::from_str(include_str!("../../fixtures/results/unusable.json")).unwrap();
    unusable.head.sha = place.sha("main");
    assert!(place.keep(&unusable).is_empty(), "a run whose control moved");
    place.configure("[baseline]\nstore = \"branch\"\n");
    assert!(place.keep(&on_main).is_empty(), "the branch is written by who publishes");
    place.configure("[baseline]\nstore = \"nonsense\"\n");
    assert!(place.keep(&on_main).is_empty(), "mistakes are said and fail no run");
    place.configure("");
    let mut inside = Place::new();
    inside.around.environment.insert("GITHUB_ACTIONS".to_owned(), "true".to_owned());
    assert!(inside.keep(&inside.results("main^", "main")).is_empty(), "in Actions the store is another job's");
    assert_eq!(place.keep(&on_main).len(), 1, "and otherwise it is");
}

#[test]
fn a_trend_is_told_from_the_nearest_measured_ancestor_of_base() {
    let place = Place::new();
    let line = |results: &Results| publication(&place.around, &place.repository, results, &judge(results)).trend;
    let of_topic = place.results("main", "topic");
    assert_eq!(line(&of_topic), None, "nothing is measured");
    for measured in ["main^^^", "main^^"] {
        place.keep(&place.results("main^^^", measured));
    }
    let found = line(&of_topic).unwrap();
    assert_eq!((found.commit, found.commits_before, found.cells), (place.sha("main^^"), Some(2), 2));
    assert!(found.mean_pct.abs() < 1e-9, "the same figures: {}", found.mean_pct);

    let mut elsewhere = of_topic.clone();
    elsewhere.fingerprint.kernel += "-other";
    assert_eq!(line(&elsewhere), None, "figures of two machines are not compared");
    assert_eq!(line(&Results { base: None, ..of_topic.clone() }), None, "head alone has no base");
    let broken = place.store().root().join(file_of(&place.sha("main^^")));
    std::fs::write(broken, "{").unwrap();
    assert_eq!(line(&of_topic), None, "a broken baseline is said and fails no run");
}
