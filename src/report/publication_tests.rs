//! What a published run says beyond a local one, and the short forms.

use super::sample;
use super::tests::large;
use super::*;
use crate::model::{CommitSha, NotRaced, NotRacedReason, Results, RunAttempt, Side, Standing};
use crate::verdict::{conclusion, judge, outcome};

fn sha(digit: char) -> CommitSha {
    CommitSha::new(digit.to_string().repeat(40)).unwrap()
}

fn past(digit: char, text: &str) -> PastVerdict {
    PastVerdict {
        head: sha(digit),
        text: text.to_owned(),
        url: WebAddress::new("https://github.com/o/r/actions/runs/7"),
    }
}

/// Everything that a publisher can know.
fn publication() -> Publication {
    Publication {
        from_fork: true,
        run_url: WebAddress::new("https://github.com/o/r/actions/runs/8"),
        attempt: Some(RunAttempt(2)),
        runner_minutes: Some(24),
        past: vec![past('8', "`fastify` `get-user` is slower: req/s −9.6 %"), past('7', "A dead heat")],
        trend: Some(TrendLine {
            commit: sha('c'),
            commits_before: Some(2),
            mean_pct: 1.24,
            lowest_pct: -0.8,
            highest_pct: 3.1,
            cells: 12,
        }),
        accepted_label: Some("perf-accepted".to_owned()),
        base_note: Some(BaseNote::MeasuredAncestor { commits_before: 3 }),
        takes_commands: true,
        notes: vec!["the head has moved since".to_owned()],
    }
}

fn published(results: &Results, publication: &Publication, format: Format) -> String {
    render_published(results, &judge(results), Some(publication), format, &TemplateOverrides::new()).unwrap()
}

fn comment(results: &Results, publication: &Publication) -> String {
    published(results, publication, Format::Markdown).replace('\u{a0}', " ")
}

fn on_commit(results: &Results, publication: &Publication) -> String {
    commit_comment(results, &judge(results), Some(publication), &TemplateOverrides::new()).unwrap()
}

fn not_raced(reason: NotRacedReason, message: &str) -> Results {
    let mut results = sample::unchanged();
    results.entries.clear();
    results.cells.clear();
    results.attempts.clear();
    results.rounds = 0;
    results.not_raced = Some(NotRaced { reason, message: message.to_owned() });
    results
}

#[test]
fn a_comment_says_what_its_publisher_knows() {
    insta::assert_snapshot!("published_comment", published(&sample::changed(), &publication(), Format::Markdown));
    insta::assert_snapshot!("commit_comment", on_commit(&sample::changed(), &publication()));
}

#[test]
fn each_part_is_there_only_where_it_is_known() {
    let changed = sample::changed();
    let plain = comment(&changed, &Publication::default());
    assert_eq!(
        plain,
        super::render(&changed, Format::Markdown, &TemplateOverrides::new()).unwrap().replace('\u{a0}', " ")
    );
    for (publication, wanted) in [
        (Publication { from_fork: true, ..Publication::default() }, "claims, not proofs, and the check stays neutral"),
        (
            Publication { run_url: publication().run_url, ..Publication::default() },
            "See [this run](https://github.com/o/r/actions/runs/8).",
        ),
        (Publication { runner_minutes: Some(1), ..Publication::default() }, "This run cost 1 runner minute."),
        (
            Publication { runner_minutes: Some(9), attempt: Some(RunAttempt(3)), ..Publication::default() },
            "Attempt 3 of this run cost 9 runner minutes.",
        ),
        (
            Publication { accepted_label: Some("a|b".to_owned()), ..Publication::default() },
            "The label `a¦b` accepts the regression",
        ),
        (
            Publication { base_note: Some(BaseNote::MeasuredAncestor { commits_before: 1 }), ..Publication::default() },
            "12 rounds. Base is head's parent.",
        ),
        (
            Publication { base_note: Some(BaseNote::NothingMeasured), ..Publication::default() },
            "Base was not measured before.",
        ),
        (
            Publication { trend: publication().trend, ..Publication::default() },
            "**Trend, not a proof:** req/s +1.2 % (−0.8 to +3.1 %, over 12 scenarios) since `ccccccc`, 2 commits before base, which another run on a like machine measured.",
        ),
        (
            Publication { past: vec![past('8', "A dead heat")], ..Publication::default() },
            "<details><summary>Earlier verdicts</summary>\n\n- [`8888888`](https://github.com/o/r/actions/runs/7): A dead heat.\n\n</details>",
        ),
    ] {
        let text = comment(&changed, &publication);
        assert!(text.contains(wanted) && !plain.contains(wanted), "{wanted}: {text}");
        assert!(text.lines().last().unwrap().starts_with("Run it again: `deadheat run --base a"), "{text}");
    }
    // A label accepts what is proved only, and a fork that raced nothing claims nothing.
    let accepted = Publication { accepted_label: Some("x".to_owned()), from_fork: true, ..Publication::default() };
    assert!(!comment(&sample::unchanged(), &accepted).contains("accepts"));
    assert!(!comment(&not_raced(NotRacedReason::NotAsked, "a draft"), &accepted).contains("claims"));
}

#[test]
fn what_is_published_is_as_safe_as_what_was_measured() {
    const EVIL: &str = "@octocat </details> | [a](http://e.vil) #1 `x";
    let evil = Publication {
        accepted_label: Some(EVIL.to_owned()),
        notes: vec![EVIL.to_owned(); 40],
        past: vec![past('8', EVIL); 40],
        ..publication()
    };
    for text in [comment(&sample::changed(), &evil), on_commit(&sample::changed(), &evil)] {
        let hits = text.matches("@octocat").count();
        assert!(hits > 0 && hits == text.matches("`` @octocat").count() + text.matches("``@octocat").count(), "{text}");
        assert_eq!(text.matches("\n</details>\n").count(), text.matches("<details><summary>").count(), "{text}");
    }
}

#[test]
fn the_past_and_the_trend_outlive_tables() {
    let mut results = large(400, 6, 12);
    results.warnings = vec!["w ".repeat(3_000); 500];
    let text = comment(&results, &publication());
    assert!(text.encode_utf16().count() <= 61_440);
    for part in
        ["Left out to fit: the outputs", "Earlier verdicts", "Trend, not a proof", "claims, not proofs", "cost 24"]
    {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn the_past_and_the_trend_are_cut_last() {
    let (results, publication) = (sample::changed(), publication());
    let verdict = judge(&results);
    let mut told = Vec::new();
    for room in (0..2_600).rev().step_by(40) {
        let overrides = TemplateOverrides::from([("headline".to_owned(), "x".repeat(61_440 - room))]);
        match render_published(&results, &verdict, Some(&publication), Format::Markdown, &overrides) {
            Ok(text) => {
                assert!(text.encode_utf16().count() <= 61_440);
                let cut = text.split("Left out to fit: ").nth(1).and_then(|rest| rest.split(". `").next());
                let last = cut.and_then(|cut| cut.rsplit(", ").next()).unwrap_or_default().to_owned();
                let has = |part: &str| text.contains(part);
                assert_eq!(has("Earlier verdicts"), !["earlier verdicts", "the trend"].contains(&last.as_str()));
                assert_eq!(has("Trend, not a proof"), last != "the trend");
                told.push(last);
            }
            Err(error) => {
                assert!(matches!(error, ReportError::TooLong { .. }));
                told.push("too long".to_owned());
            }
        }
    }
    told.dedup();
    let end = ["the table of what changed", "earlier verdicts", "the trend", "too long"];
    assert!(told.ends_with(&end.map(str::to_owned)), "{told:?}");
}

#[test]
fn a_run_that_raced_nothing_gives_its_reason() {
    let reasons = [
        not_raced(NotRacedReason::NothingToCompare, "all 3 changed files are ones that `[build] ignore` names"),
        not_raced(NotRacedReason::NotAsked, "the pull request is a draft"),
        not_raced(NotRacedReason::Mistakes, "error: a budget has a unit\n --> deadheat.toml:5:10\n```\n</details>"),
    ];
    for results in &reasons {
        for text in [
            published(results, &publication(), Format::Markdown),
            published(results, &publication(), Format::Summary),
            on_commit(results, &publication()),
        ] {
            for nonsense in
                ["\n|", "round", "**\n\n|", "Standings", "How it was raced", "seed", "claims", "Trend", "Base is"]
            {
                assert!(!text.contains(nonsense), "{nonsense}: {text}");
            }
            assert!(text.trim_start_matches("# deadheat\n\n").starts_with("**Nothing was raced"), "{text}");
        }
        let table = published(results, &publication(), Format::Csv);
        assert_eq!(table.lines().count(), 1);
        let json: serde_json::Value = serde_json::from_str(&published(results, &publication(), Format::Json)).unwrap();
        let headline = json["headline"].as_str().unwrap();
        assert!(headline.starts_with("Nothing was raced") && !headline.contains('\n'), "{headline}");
        assert_eq!(json["outcome"], json["not_raced"]["reason"]);
        assert_eq!(json["cells"], serde_json::json!([]));
    }
    insta::assert_snapshot!("documentation", published(&reasons[0], &Publication::default(), Format::Markdown));
    insta::assert_snapshot!("mistakes", published(&reasons[2], &publication(), Format::Markdown));
}

/// Every sample with what its check's title and its short verdict say.
fn short_forms() -> Vec<(Results, &'static str)> {
    let mut missing = sample::unchanged();
    missing.cells[0].rounds.clear();
    let mut undecided = sample::unchanged();
    undecided.cells[0].rounds.truncate(7);
    let mut broken_base = sample::alone();
    broken_base.base = sample::unchanged().base;
    let mut better = sample::unchanged();
    for cell in better.cells.iter_mut().filter(|cell| cell.standing == Standing::Judged).take(2) {
        let sign = if cell.key.metric == crate::model::Metric::Rps { -1.0 } else { 1.0 };
        *cell = sample::cell(cell.key.clone(), Standing::Judged, 1_000.0, &sample::A12.map(|ratio| ratio * sign));
    }
    let mut unbuilt = sample::failing();
    unbuilt.failures[0].side = Some(Side::Head);
    vec![
        (sample::changed(), "`fastify` `get-user` is slower: req/s -9.6 %"),
        (
            sample::unchanged(),
            "A dead heat: 13 comparisons are the same within 3 % (cold start, boot CPU within 10 %; p99 within 15 %)",
        ),
        (sample::unusable(), "This run is unusable: the control moved"),
        (unbuilt, "`hono` did not build on head, and 1 more"),
        (sample::alone(), "Head's standings, without a comparison"),
        (sample::quick(), "A quick run: nothing is judged"),
        (sample::mixed(), "`fastify` `get-user` under `pipelined` is slower: req/s -3.1 %, and 1 more"),
        (missing, "Not measured: 1 comparison"),
        (undecided, "No difference proved; 1 of 13 comparisons is undecided"),
        (broken_base, "Base does not build, start or answer"),
        (better, "`fastify` `get-user` is faster: req/s +3.2 %"),
        (large(300, 2, 12), "`variant-000` `scenario-0` is faster"),
        (not_raced(NotRacedReason::NotAsked, "a draft"), "Nothing was raced"),
        (not_raced(NotRacedReason::Mistakes, "x"), "Nothing was raced: the benchmark's own files have mistakes"),
    ]
}

#[test]
fn a_verdict_in_a_line() {
    for (results, wanted) in short_forms() {
        let verdict = judge(&results);
        let short = short_verdict(&results, &verdict);
        let plain = short.replace('\u{a0}', " ").replace('\u{2212}', "-");
        if results.cells.len() < 1_000 {
            assert_eq!(plain, wanted);
        }
        assert!(short.chars().count() <= 160, "{short}");
        // What was said is shown again as it was, not as one block of code.
        let shown = comment(&results, &Publication { past: vec![past('8', &plain)], ..Publication::default() });
        assert!(shown.contains(&format!("runs/7): {plain}")), "{plain}: {shown}");
        let check = conclusion(outcome(&results, &verdict), true, false, false);
        let output = check_output(&results, &verdict, check, Some(&publication()), &TemplateOverrides::new()).unwrap();
        assert!(output.title.is_ascii() && output.title.len() <= 120, "{}", output.title);
        assert!(!output.title.contains(['`', '*', '\n']), "{}", output.title);
        assert_eq!(output.title, wanted.replace('`', "").get(..output.title.len()).unwrap_or(&output.title));
        assert!(output.summary.starts_with(check.why));
        assert!(output.summary.encode_utf16().count() <= 65_535);
    }
}

#[test]
fn names_of_any_length_leave_a_title() {
    let mut results = sample::changed();
    let name = format!("{}@{}", "v".repeat(64), "r".repeat(64));
    for cell in results.cells.iter_mut().filter(|cell| cell.standing == Standing::Judged) {
        cell.key.entry = crate::model::EntryName::new(name.clone()).unwrap();
    }
    results.entries[0].name = crate::model::EntryName::new(name).unwrap();
    let verdict = judge(&results);
    let check = conclusion(outcome(&results, &verdict), true, false, false);
    let output = check_output(&results, &verdict, check, None, &TemplateOverrides::new()).unwrap();
    assert_eq!(output.title, "Proved worse: 3 figures");
    assert_eq!(short_verdict(&results, &verdict).replace('\u{a0}', " "), "Proved worse: 3 figures");
}
