//! Runs worth looking at, and what their publisher knows.

use deadheat::model::{
    CellRecord, CommitSha, EntryName, Lineup, NotRaced, NotRacedReason, Presence, Results, RunAttempt, Standing,
    VariantName,
};
use deadheat::report::{
    BaseNote, Format, PastVerdict, Publication, TemplateOverrides, TrendLine, WebAddress, commit_comment,
    render_published, short_verdict,
};
use deadheat::verdict::judge;
use std::collections::BTreeMap;
use std::error::Error;

type Scene = (&'static str, String);

const VARIANTS: [&str; 20] = [
    "axum",
    "actix",
    "elysia",
    "express",
    "fastify",
    "feathers",
    "h3",
    "hapi",
    "hono",
    "hyper-express",
    "koa",
    "moost",
    "nestjs-express",
    "nestjs-fastify",
    "node-http",
    "polka",
    "restify",
    "tinyhttp",
    "uwebsockets",
    "wooks",
];

fn fixture(text: &str) -> Result<Results, serde_json::Error> {
    serde_json::from_str(text)
}

/// Every scene with its Markdown.
pub(crate) fn scenes() -> Result<Vec<Scene>, Box<dyn Error>> {
    let changed = fixture(include_str!("../../fixtures/results/changed.json"))?;
    let unchanged = fixture(include_str!("../../fixtures/results/unchanged.json"))?;
    let published = publication(&changed, &unchanged)?;
    let fork = Publication { from_fork: true, accepted_label: None, ..published.clone() };
    let plain = Publication { past: Vec::new(), trend: None, ..published.clone() };
    let accepted = Publication { accepted_label: Some("perf-accepted".to_owned()), ..plain.clone() };
    let pushed = Publication { base_note: Some(BaseNote::MeasuredAncestor { commits_before: 3 }), ..plain.clone() };
    let comment = |results: &Results, publication: &Publication| {
        render_published(results, &judge(results), Some(publication), Format::Markdown, &TemplateOverrides::new())
    };
    Ok(vec![
        ("regression", comment(&changed, &plain)?),
        ("accepted", comment(&changed, &accepted)?),
        ("unchanged", comment(&unchanged, &published)?),
        ("fork", comment(&fixture(include_str!("../../fixtures/results/mixed.json"))?, &fork)?),
        ("unusable", comment(&fixture(include_str!("../../fixtures/results/unusable.json"))?, &plain)?),
        ("broken-head", comment(&fixture(include_str!("../../fixtures/results/failing.json"))?, &plain)?),
        ("broken-base", comment(&broken_base(&unchanged)?, &plain)?),
        ("standings", comment(&fixture(include_str!("../../fixtures/results/alone.json"))?, &plain)?),
        ("hostile", comment(&fixture(include_str!("../../fixtures/results/hostile.json"))?, &fork)?),
        ("documentation", comment(&not_raced(&unchanged, NotRacedReason::NothingToCompare, DOCUMENTATION), &plain)?),
        ("mistakes", comment(&not_raced(&unchanged, NotRacedReason::Mistakes, MISTAKES), &plain)?),
        ("twenty", comment(&twenty(&changed)?, &published)?),
        ("commit", commit_comment(&changed, &judge(&changed), Some(&pushed), &TemplateOverrides::new())?),
    ])
}

const DOCUMENTATION: &str = "all 3 changed files are ones that `[build] ignore` names, such as `README.md`";
const MISTAKES: &str = "error: a duration is a text with a unit
  --> deadheat.toml:5:10
   |
 5 | budget = 12
   |          ^^ write a duration such as \"12m\"
   |
error: no scenario is called `get-users`; there are: create-user, get-user
  --> bench/variants/fastify/variant.toml:9:9
   |
 9 | ready = \"get-users\"
   |         ^^^^^^^^^^^
";

fn publication(changed: &Results, unchanged: &Results) -> Result<Publication, Box<dyn Error>> {
    let url = WebAddress::new("https://github.com/fastify/fastify/actions/runs/18234567/attempts/2");
    let past = |digit: &str, results: &Results| -> Result<PastVerdict, Box<dyn Error>> {
        let head = CommitSha::new(digit.repeat(40))?;
        Ok(PastVerdict { head, text: short_verdict(results, &judge(results)), url: url.clone() })
    };
    Ok(Publication {
        run_url: url.clone(),
        attempt: Some(RunAttempt(2)),
        runner_minutes: Some(24),
        past: vec![past("8", changed)?, past("7", unchanged)?],
        trend: Some(TrendLine {
            commit: CommitSha::new("c".repeat(40))?,
            commits_before: Some(2),
            mean_pct: 1.24,
            lowest_pct: -0.8,
            highest_pct: 3.1,
            cells: 12,
        }),
        ..Publication::default()
    })
}

fn not_raced(like: &Results, reason: NotRacedReason, message: &str) -> Results {
    Results {
        entries: Vec::new(),
        cells: Vec::new(),
        attempts: Vec::new(),
        rounds: 0,
        not_raced: Some(NotRaced { reason, message: message.to_owned() }),
        ..like.clone()
    }
}

/// Base did not build: head is shown alone.
fn broken_base(like: &Results) -> Result<Results, Box<dyn Error>> {
    let failing = fixture(include_str!("../../fixtures/results/failing.json"))?;
    let mut results = like.clone();
    let subject = EntryName::new("fastify")?;
    for entry in results.entries.iter_mut().filter(|entry| entry.name == subject) {
        entry.lineup = Lineup::OneSided;
    }
    for cell in &mut results.cells {
        cell.standing = Standing::Outside;
        for value in &mut cell.rounds {
            (value.base, value.log_ratio) = (None, None);
        }
    }
    results.failures.extend(failing.failures.into_iter().take(1).map(|failure| deadheat::model::Failure {
        entry: subject.clone(),
        side: Some(deadheat::model::Side::Base),
        ..failure
    }));
    Ok(results)
}

/// Twenty subjects; three of them, one of which is new, have something to tell.
fn twenty(like: &Results) -> Result<Results, Box<dyn Error>> {
    let unchanged = fixture(include_str!("../../fixtures/results/unchanged.json"))?;
    let of_fastify = |results: &Results| -> Vec<CellRecord> {
        results.cells.iter().filter(|cell| cell.key.entry.as_str() == "fastify").cloned().collect()
    };
    let (moved, still) = (of_fastify(like), of_fastify(&unchanged));
    let mut results = like.clone();
    let control: Vec<CellRecord> =
        results.cells.iter().filter(|cell| cell.standing == Standing::Control).cloned().collect();
    let template = results.entries.first().cloned().ok_or("the fixture has no entry")?;
    results.entries.retain(|entry| entry.lineup == Lineup::Control);
    results.cells.clear();
    for name in VARIANTS.into_iter().filter(|name| *name != "express") {
        let mut entry = template.clone();
        entry.name = EntryName::new(name)?;
        entry.variant = VariantName::new(name)?;
        name.clone_into(&mut entry.label);
        entry.versions = BTreeMap::from([(name.to_owned(), "1.2.3".to_owned())]);
        if name == "wooks" {
            entry.presence = Presence::New;
        }
        let cells = if matches!(name, "nestjs-fastify" | "hyper-express" | "uwebsockets") { &moved } else { &still };
        for mut cell in cells.iter().cloned() {
            cell.key.entry = entry.name.clone();
            if name == "uwebsockets" {
                for value in &mut cell.rounds {
                    value.log_ratio = value.log_ratio.map(|ratio| -ratio);
                    std::mem::swap(&mut value.base, &mut value.head);
                }
            }
            results.cells.push(cell);
        }
        results.entries.push(entry);
    }
    results.cells.extend(control);
    results.rounds = 12;
    Ok(results)
}
