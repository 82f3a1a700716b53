//! Names and sentences that try to mention, to link and to break what they stand in.

use super::figures::Numbers;
use super::page::{is_invisible, outline};
use deadheat::model::{EntryRecord, NotRaced, NotRacedReason, Results, Seed};
use deadheat::report::{
    Format, PastVerdict, Publication, TemplateOverrides, WebAddress, check_output, commit_comment, plain_headline,
    render_published, short_verdict,
};
use deadheat::verdict::{conclusion, judge, outcome};
use std::collections::BTreeMap;

/// What names are put together from.
const PIECES: &[&str] = &[
    "a|b",
    "<T>",
    "`x`",
    "``",
    "`",
    "```",
    "::",
    "@team",
    "@octocat",
    "@org/team",
    "#1",
    "GH-1",
    "[l](http://e)",
    "![i](http://e.example/x.png)",
    "http://e.example",
    "www.e.example",
    "ftp://e.example",
    "https://github.com/o/r/pull/1",
    "a@b.example",
    "mailto:a@b.example",
    "xmpp:a@b.example",
    "<b>",
    "</details>",
    "<details><summary>x</summary>",
    "<img src=x onerror=alert(1)>",
    "<!--",
    "-->",
    "<!-- deadheat:x -->",
    "<script>",
    "<style>",
    "<a href=x>",
    "<?php ?>",
    "<![CDATA[",
    "]]>",
    "\n",
    "\r\n",
    "\r",
    "\n\n# T",
    "\n- ",
    "\n1. ",
    "\n> ",
    "\n> [!CAUTION]\n> x",
    "\n```\n",
    "\n~~~\n",
    "\n---\n",
    "\n===\n",
    "\n|a|b|\n|-|-|\n|1|2|\n",
    "|---|",
    "\n    code",
    "***",
    "**b**",
    "*e*",
    "__u__",
    "_e_",
    "~~s~~",
    "$x$",
    "$`x`$",
    "$$",
    "\\(x\\)",
    ":tada:",
    ":+1:",
    "[^1]",
    "\n[^1]: x\n",
    "\n[x]: http://e.example\n",
    "[x]",
    "&lt;",
    "&#64;team",
    "&commat;team",
    "&#124;",
    "\\",
    "\\|",
    "\\`",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{ad}",
    "\u{e0041}",
    "\0",
    "\t",
    "\u{1b}[31m",
    "\u{9b}31m",
    "\u{2028}",
    "\u{85}",
    "deadbeef1",
    "1234567",
    "0123456789abcdef0123456789abcdef01234567",
    "owner/repo#1",
    "owner@deadbeef1",
    "JIRA-1",
    "- [ ] t",
    "- [x]",
    "1. x",
    "# T",
    "> q",
    "+ x",
    "::error::x",
    "::set-output name=x::y",
    "::stop-commands::x",
    "##[error]x",
    "%0A",
    "{{headline}}",
    "{{{x}}}",
    "{{> footer}}",
    "closes #1",
    "fixes GH-1",
    " ",
    "  ",
    "    ",
    "a",
    "b c",
    "é",
    "漢字",
    "🏁",
    "e\u{301}",
    "\u{fffd}",
    "'",
    "\"",
    ".",
    ",",
    ";",
    "-",
    "--",
    "(",
    ")",
];

/// Names without end, each of up to eight pieces; never blank, so that what stands around them is the same.
struct Names {
    numbers: Numbers,
    made: usize,
}

impl Names {
    fn next(&mut self) -> String {
        self.made += 1;
        // The first ones are each piece on its own.
        if let Some(piece) = PIECES.get(self.made - 1) {
            return if piece.trim().is_empty() { "x".to_owned() } else { (*piece).to_owned() };
        }
        let pieces = 1 + self.numbers.below(8);
        let name: String = (0..pieces).map(|_| PIECES[self.numbers.below(PIECES.len())]).collect();
        if name.trim().is_empty() { "x".to_owned() } else { name }
    }
}

fn results(name: &str) -> Results {
    let path = format!("{}/fixtures/results/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Puts a text of `next` wherever a results file has a free one. Each of a kind becomes as many as before.
fn name_all(results: &mut Results, next: &mut dyn FnMut() -> String) {
    let map = |next: &mut dyn FnMut() -> String| {
        (0..2).map(|at| (format!("{at}{}", next()), next())).collect::<BTreeMap<_, _>>()
    };
    // Digits that could be the start of a commit's name.
    results.seed = Seed(12_345_678_901_234_567);
    results.deadheat = next();
    results.started = next();
    results.head.rev = next();
    if let Some(base) = &mut results.base {
        base.rev = next();
    }
    let print = &mut results.fingerprint;
    for text in [&mut print.cpu, &mut print.kernel, &mut print.system] {
        *text = next();
    }
    print.toolchains = map(next);
    for EntryRecord { label, about, versions, .. } in &mut results.entries {
        *label = next();
        *about = map(next);
        *versions = map(next);
    }
    for scenario in &mut results.scenarios {
        (scenario.method, scenario.path) = (next(), next());
    }
    for failure in &mut results.failures {
        failure.message = next();
        failure.output = Some(next());
    }
    for seen in &mut results.observations {
        seen.message = next();
    }
    results.warnings = (0..9).map(|_| next()).collect();
    if let Some(not_raced) = &mut results.not_raced {
        not_raced.message = next();
    }
}

const RUN: &str = "https://github.com/o/r/actions/runs/1";

fn publication(next: &mut dyn FnMut() -> String) -> Publication {
    let url = WebAddress::new(RUN);
    let head = deadheat::model::CommitSha::new("c".repeat(40)).unwrap();
    let past = (0..3).map(|_| PastVerdict { head: head.clone(), text: next(), url: url.clone() }).collect();
    Publication {
        from_fork: true,
        run_url: url.clone(),
        past,
        accepted_label: Some(next()),
        notes: vec![next(), next()],
        ..Publication::default()
    }
}

/// Everything that a publisher writes about `results`, with its outline.
fn texts(results: &Results, publication: &Publication) -> Vec<Vec<String>> {
    let verdict = judge(results);
    let overrides = TemplateOverrides::new();
    let format = |format| render_published(results, &verdict, Some(publication), format, &overrides).unwrap();
    let check = conclusion(outcome(results, &verdict), true, false, false);
    let check = check_output(results, &verdict, check, Some(publication), &overrides).unwrap();
    for line in [plain_headline(results, &verdict), check.title] {
        assert!(!line.chars().any(is_invisible), "{line:?}");
    }
    let short = short_verdict(results, &verdict);
    assert!(!short.chars().any(is_invisible) && short.chars().count() <= 160, "{short:?}");
    let comments = [
        format(Format::Markdown),
        format(Format::Summary),
        check.summary,
        commit_comment(results, &verdict, Some(publication), &overrides).unwrap(),
        short,
    ];
    comments.iter().map(|comment| outline(comment, &[RUN])).collect()
}

/// Failures on both sides, a proved change, head alone, a quick run, and runs that raced nothing.
fn runs() -> Vec<Results> {
    let mut runs: Vec<Results> = ["failing", "changed", "alone", "quick", "unusable", "mixed"].map(results).to_vec();
    // As many outputs as a report shows.
    let failure = runs[0].failures[0].clone();
    runs[0].failures.extend(std::iter::repeat_n(failure, 10));
    for reason in [NotRacedReason::NothingToCompare, NotRacedReason::NotAsked, NotRacedReason::Mistakes] {
        let mut run = results("alone");
        run.not_raced = Some(NotRaced { reason, message: "x".to_owned() });
        (run.entries, run.cells) = (Vec::new(), Vec::new());
        runs.push(run);
    }
    runs
}

#[test]
fn three_thousand_names_stay_what_they_are() {
    let mut names = Names { numbers: Numbers(1), made: 0 };
    let tame: Vec<(Results, Vec<Vec<String>>)> = runs()
        .into_iter()
        .map(|mut run| {
            name_all(&mut run, &mut || "a name".to_owned());
            let outlines = texts(&run, &publication(&mut || "a name".to_owned()));
            (run, outlines)
        })
        .collect();
    let mut used = 0;
    while names.made < 3_500 {
        let (run, expected) = &tame[used % tame.len()];
        used += 1;
        let mut run = run.clone();
        name_all(&mut run, &mut || names.next());
        let publication = publication(&mut || names.next());
        let found = texts(&run, &publication);
        assert_eq!(&found, expected, "{run:?}");
    }
}
