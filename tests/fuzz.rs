//! Every parser of what deadheat did not write itself, fed with bytes without sense and with valid inputs that were
//! changed. None may panic, and what one accepts must keep its promises.
//!
//! The reader of HTTP answers is not public: `race/load/reader/tests.rs` feeds it likewise.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "hostile/page.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod page;
#[path = "hostile/zip.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod zip;

use deadheat::baseline::{BaselineRecord, CellFigures};
use deadheat::github::{
    ActionsContext, Budget, ConfigurationPath, Event, LEAD_LIMIT, Marker, RepositoryName, RunKey, SlashCommand,
    arrived, lead, past_verdicts,
};
use deadheat::model::{CommitSha, EntryName, PinnedAction, Results, VariantName};
use deadheat::plan::{
    Content, ContractSources, FileText, Sources, locations, parse_cpus, parse_duration, parse_percent, parse_rate,
    read, read_settings,
};
use deadheat::process::plain_text;
use deadheat::race::JournalFile;
use deadheat::race::load::HttpUrl;
use deadheat::report::{Format, TemplateOverrides, WebAddress, render_judged};
use deadheat::verdict::judge;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const RESULTS: [&str; 4] = [
    include_str!("../fixtures/results/alone.json"),
    include_str!("../fixtures/results/failing.json"),
    include_str!("../fixtures/results/hostile.json"),
    include_str!("../fixtures/results/mixed.json"),
];
const CONFIGURATION: &str = include_str!("../fixtures/configurations/valid-full/deadheat.toml");
const VARIANT: &str = include_str!("../fixtures/configurations/valid-full/bench/variants/nest/variant.toml");
const CONTRACT: &str = include_str!("../fixtures/configurations/valid-full/bench/contract/a.toml");
const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

/// A parser, inputs that it accepts, and what it does with one.
struct Parser {
    name: &'static str,
    valid: Vec<Vec<u8>>,
    feed: fn(&[u8]),
}

fn parser(name: &'static str, valid: &[&str], feed: fn(&[u8])) -> Parser {
    Parser { name, valid: valid.iter().map(|text| text.as_bytes().to_vec()).collect(), feed }
}

static PARSERS: LazyLock<Vec<Parser>> = LazyLock::new(|| {
    let archives = RESULTS.iter().flat_map(|text| {
        let text = text.as_bytes();
        [
            zip::Zip::of(text, true),
            zip::Zip::of(text, false),
            zip::Zip::streamed(text, true, false),
            zip::Zip::large(text),
        ]
    });
    let marker = format!("<!-- deadheat:bench%2Fx.toml head={SHA} run=12 attempt=1 -->\n");
    vec![
        Parser { name: "archive", valid: archives.map(|zip| zip.bytes()).collect(), feed: artifact },
        parser("results", &RESULTS, artifact),
        parser("deadheat.toml", &[CONFIGURATION], |bytes| {
            configuration([bytes, VARIANT.as_bytes(), CONTRACT.as_bytes()]);
        }),
        parser("variant.toml", &[VARIANT], |bytes| {
            configuration([CONFIGURATION.as_bytes(), bytes, CONTRACT.as_bytes()]);
        }),
        parser("contract", &[CONTRACT], |bytes| configuration([CONFIGURATION.as_bytes(), VARIANT.as_bytes(), bytes])),
        parser("event", &EVENTS, event),
        parser("environment of Actions", &[ENVIRONMENT], environment),
        parser("marker", &[&marker, &format!("{marker}text")], marked),
        parser(
            "slash command",
            &["/deadheat", "/deadheat variants=a,b suites=http,boot scenarios=x budget=1h20m runtimes=node"],
            slash,
        ),
        Parser { name: "baseline", valid: vec![baseline_text()], feed: baseline },
        Parser { name: "journal", valid: vec![journal_text()], feed: journal },
        parser("quantities", &["12m", "1h30m", "500ms", "1.5%", "5000/s", "0,2-3", "auto"], quantities),
        parser(
            "names",
            &["a", "fastify@bun", SHA, "o/r", "deadheat.toml", "./bench/deadheat.toml", "12/1", &format!("o/r@{SHA}")],
            names,
        ),
        parser(
            "addresses",
            &["http://127.0.0.1:3000/users/1?x=y", "http://[::1]:80", "https://github.com/o/r"],
            addresses,
        ),
        parser("log", &["\u{1b}[31mred\u{1b}[0m\r\nline\u{1b}]0;title\u{7}"], log),
    ]
});

/// What arrives is refused, or can be judged and published.
fn artifact(bytes: &[u8]) {
    let Ok(results) = arrived(bytes) else { return };
    let verdict = judge(&results);
    let comment = render_judged(&results, &verdict, Format::Markdown, &TemplateOverrides::new()).unwrap();
    assert!(comment.encode_utf16().count() <= 65_536 - 4_096);
    page::outline(&comment, &[]);
}

fn configuration(files: [&[u8]; 3]) {
    let file = |path: &str, bytes: &[u8]| FileText { path: path.to_owned(), content: Content::Bytes(bytes.to_vec()) };
    let [configuration, variant, contract] = files;
    let sources = Sources {
        configuration: file("deadheat.toml", configuration),
        variants: Some(vec![file("bench/variants/nest/variant.toml", variant)]),
        contract: Some(ContractSources {
            files: vec![file("bench/contract/a.toml", contract)],
            golden: vec![file("bench/contract/golden/create-user.json", b"{}")],
        }),
    };
    let _ = locations(&sources.configuration);
    let mistakes = [read_settings(&sources.configuration).err(), read(&sources).err()];
    for mistakes in mistakes.into_iter().flatten() {
        assert!(!mistakes.render(false).is_empty() && !mistakes.lines().is_empty());
    }
}

const EVENTS: [&str; 6] = [
    r#"{"action":"labeled","label":{"name":"perf"},"number":7,"pull_request":{"number":7,"draft":false,"labels":[{"name":"perf"}],"head":{"sha":"0123456789abcdef0123456789abcdef01234567","ref":"topic","repo":{"id":5,"name":"r","owner":{"login":"f"}}},"base":{"sha":"0123456789abcdef0123456789abcdef01234567","ref":"main","repo":{"id":4,"name":"r","owner":{"login":"o"}}}}}"#,
    r#"{"ref":"refs/heads/main","before":"0000000000000000000000000000000000000000","after":"0123456789abcdef0123456789abcdef01234567","forced":false,"deleted":false,"repository":{"id":4,"name":"r","owner":{"name":"o","login":"o"},"default_branch":"main"}}"#,
    r#"{"inputs":{"base":"","head":"main","budget":"10m","pr":"7","sha":"0123456789abcdef0123456789abcdef01234567"},"ref":"refs/heads/main","repository":{"id":4,"name":"r","owner":{"login":"o"},"default_branch":"main"}}"#,
    r#"{"action":"completed","workflow_run":{"id":12,"run_attempt":1,"event":"pull_request","head_sha":"0123456789abcdef0123456789abcdef01234567","head_branch":"topic","status":"completed","conclusion":"success","name":"deadheat","path":".github/workflows/deadheat.yml","head_repository":{"id":5,"name":"r","owner":{"login":"f"}},"html_url":"https://github.com/o/r/actions/runs/12"},"repository":{"id":4,"name":"r","owner":{"login":"o"},"default_branch":"main"}}"#,
    r#"{"action":"created","issue":{"number":7,"pull_request":{}},"comment":{"id":1,"body":"/deadheat","user":{"login":"o","type":"User"}},"repository":{"id":4,"name":"r","owner":{"login":"o"},"default_branch":"main"}}"#,
    r#"{"action":"checks_requested","merge_group":{"head_sha":"0123456789abcdef0123456789abcdef01234567","base_sha":"0123456789abcdef0123456789abcdef01234567","base_ref":"refs/heads/main","head_ref":"refs/heads/gh-readonly-queue/main/pr-7"}}"#,
];

fn event(bytes: &[u8]) {
    for name in ["pull_request", "push", "workflow_dispatch", "workflow_run", "issue_comment", "merge_group", "other"] {
        match Event::read(name, bytes) {
            Ok(Event::Dispatch(dispatch)) => {
                let _ = dispatch.inputs.pull();
            }
            Ok(Event::IssueComment(comment)) => {
                let _ = SlashCommand::parse(&comment.body);
            }
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

const ENVIRONMENT: &str = "GITHUB_ACTIONS=true\nGITHUB_API_URL=https://api.github.com\nGITHUB_SERVER_URL=https://github.com\nGITHUB_REPOSITORY=o/r\nGITHUB_EVENT_NAME=push\nGITHUB_EVENT_PATH=/nowhere\nGITHUB_RUN_ID=12\nGITHUB_RUN_ATTEMPT=1\nGITHUB_SHA=0123456789abcdef0123456789abcdef01234567\nGITHUB_REF=refs/heads/main";

fn environment(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let variables: BTreeMap<String, String> =
        text.lines().filter_map(|line| line.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    if let Ok(context) = ActionsContext::from_environment(&variables) {
        assert!(!context.event_name.is_empty());
    }
}

/// A marker and its verdicts are read only as they are written.
fn marked(bytes: &[u8]) {
    let body = String::from_utf8_lossy(bytes);
    let past = past_verdicts(&body);
    let Some(marker) = Marker::parse(&body) else {
        assert!(past.is_empty());
        return;
    };
    let written = lead(&marker, &past, None);
    assert!(written.is_ascii() && written.len() <= LEAD_LIMIT);
    assert_eq!(Marker::parse(&written), Some(marker));
}

/// No character of a comment reaches a workflow but those that names and budgets have.
fn slash(bytes: &[u8]) {
    let body = String::from_utf8_lossy(bytes);
    match SlashCommand::parse(&body) {
        Some(Ok(command)) => {
            for (name, value) in command.inputs() {
                let plain = |c: char| c.is_ascii_alphanumeric() || ".,_-".contains(c);
                assert!(value.chars().all(plain), "{name}: {value}");
            }
        }
        Some(Err(mistake)) => assert!(!mistake.to_string().is_empty()),
        None => {}
    }
    let _ = Budget::parse(&body);
}

fn record() -> BaselineRecord {
    let results: Results = serde_json::from_str(RESULTS[0]).unwrap();
    let figures: Vec<CellFigures> =
        judge(&results).cells.iter().map(|cell| CellFigures { head: cell.head, ..CellFigures::default() }).collect();
    BaselineRecord::from_results(&results, &figures).unwrap()
}

fn baseline_text() -> Vec<u8> {
    record().to_text().unwrap().into_bytes()
}

fn baseline(bytes: &[u8]) {
    let sha = CommitSha::new("b".repeat(40)).unwrap();
    if let Ok(record) = BaselineRecord::read(&sha, bytes) {
        let _ = record.samples.unpack();
        let _ = record.to_text();
    }
}

fn journal_text() -> Vec<u8> {
    let round = r#"{"round":12,"turns":[{"entry":"fastify","attempt":0,"outcome":{"values":[],"cases":[],"failures":[],"observations":[],"spent":{"warmup_s":1.0,"slices_s":1.0,"boot_s":1.0}}}],"elapsed_s":3.0}"#;
    format!("{}\n{round}\n", RESULTS[3].trim_end()).into_bytes()
}

fn journal(bytes: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.ndjson");
    std::fs::write(&path, bytes).unwrap();
    let _ = JournalFile::resume(&path);
}

fn quantities(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = parse_duration(&text);
    let _ = parse_cpus(&text);
    for value in [parse_percent(&text), parse_rate(&text)].into_iter().flatten() {
        assert!(value.is_finite() && value >= 0.0, "{text}");
    }
}

fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-@".contains(c));
    assert!(VariantName::new(text.as_str()).map_or(true, |name| plain(name.as_str())));
    assert!(EntryName::new(text.as_str()).map_or(true, |name| plain(name.as_str())));
    assert!(CommitSha::new(text.as_str()).map_or(true, |sha| plain(sha.as_str())));
    assert!(RepositoryName::parse(&text).is_none_or(|name| plain(&name.owner) && plain(&name.name)));
    assert!(RunKey::of_external_id(&text).is_none_or(|key| key.external_id() == text));
    let _ = ConfigurationPath::new(&text);
    let _ = text.parse::<PinnedAction>();
}

fn addresses(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = text.parse::<HttpUrl>();
    let safe = |c: char| c.is_ascii_graphic() && !"()<>[]\"'`|\\@*".contains(c);
    assert!(WebAddress::new(&text).is_none_or(|address| address.as_str().chars().all(safe)));
}

fn log(bytes: &[u8]) {
    assert!(!plain_text(bytes).chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
}

/// One change of an input; places are taken modulo its length.
#[derive(Clone, Debug)]
enum Change {
    Flip(usize, u8),
    Cut(usize, usize),
    Put(usize, Vec<u8>),
    Repeat(usize, usize),
    End(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let pieces = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..8),
        "\\PC{1,6}".prop_map(String::into_bytes),
        proptest::sample::select(vec![
            "\"",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "=",
            "\n",
            "\0",
            "\\",
            "\\u0000",
            "\\ud800",
            "null",
            "true",
            "-1",
            "1e999",
            "NaN",
            "0",
            "-0.0",
            "18446744073709551616",
            "99999999999999999999999999",
            "0.1e-400",
            "PK\u{1}\u{2}",
            "PK\u{5}\u{6}",
            "-->",
            "<!--",
            " ",
            "\u{feff}",
            "\u{202e}",
            "\u{1b}",
            "[[x]]",
            "../",
            "/",
            "%",
            "@",
            "#",
        ])
        .prop_map(|piece| piece.as_bytes().to_vec()),
    ];
    prop_oneof![
        4 => (any::<usize>(), 1..=255_u8).prop_map(|(at, by)| Change::Flip(at, by)),
        2 => (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        4 => (any::<usize>(), pieces).prop_map(|(at, piece)| Change::Put(at, piece)),
        1 => (any::<usize>(), 1..200_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        1 => any::<usize>().prop_map(Change::End),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len();
        let place = |at: usize| at % (length + 1);
        match change {
            Change::Flip(at, by) => {
                if let Some(byte) = bytes.get_mut(place(*at)) {
                    *byte ^= by;
                }
            }
            Change::Cut(at, cut) => {
                bytes.drain(place(*at)..(place(*at) + cut).min(length));
            }
            Change::Put(at, piece) => {
                bytes.splice(place(*at)..place(*at), piece.iter().copied());
            }
            Change::Repeat(at, part) => {
                let part = bytes[place(*at)..(place(*at) + part).min(length)].to_vec();
                bytes.splice(place(*at)..place(*at), part);
            }
            Change::End(at) => bytes.truncate(place(*at)),
        }
    }
    bytes
}

#[test]
fn valid_inputs_are_what_they_are_called() {
    let results: Result<Vec<Results>, _> = PARSERS
        .iter()
        .filter(|parser| ["archive", "results"].contains(&parser.name))
        .flat_map(|parser| &parser.valid)
        .map(|bytes| arrived(bytes))
        .collect();
    assert_eq!(results.map(|results| results.len()), Ok(20));
    let events = ["pull_request", "push", "workflow_dispatch", "workflow_run", "issue_comment", "merge_group"];
    for (name, payload) in events.into_iter().zip(EVENTS) {
        assert!(Event::read(name, payload.as_bytes()).is_ok(), "{name}: {:?}", Event::read(name, payload.as_bytes()));
    }
    let environment = ENVIRONMENT.lines().filter_map(|line| line.split_once('='));
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    assert!(ActionsContext::from_environment(&environment).is_ok());
    assert!(BaselineRecord::read(&CommitSha::new("b".repeat(40)).unwrap(), &baseline_text()).is_ok());
    for parser in PARSERS.iter() {
        parser.valid.iter().for_each(|bytes| (parser.feed)(bytes));
        (parser.feed)(b"");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, max_shrink_iters: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_change_makes_a_parser_panic(
        which in any::<proptest::sample::Index>(),
        valid in any::<proptest::sample::Index>(),
        changes in proptest::collection::vec(change(), 1..6),
    ) {
        let parser = which.get(PARSERS.as_slice());
        (parser.feed)(&changed(valid.get(parser.valid.as_slice()).clone(), &changes));
    }

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,80}") {
        for parser in PARSERS.iter() {
            (parser.feed)(&bytes);
            (parser.feed)(text.as_bytes());
        }
    }
}
