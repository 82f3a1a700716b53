//! The user's files, read as they lie on disk: what is right is accepted, what is wrong is told with its place.

use deadheat::commands::{LoadError, init, load_configuration};
use deadheat::plan::{
    Content, ContractSources, CpuChoice, ExpectedBody, FileText, Mistakes, RunCommand, SchemaName, Sources, locations,
    read, schema,
};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

type Checked = Result<(), Box<dyn std::error::Error>>;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/configurations")
}

/// Every broken configuration with its mistakes.
fn broken() -> Result<Vec<(String, Mistakes)>, Box<dyn std::error::Error>> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(directory())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("valid") {
            continue;
        }
        match load_configuration(&entry.path().join("deadheat.toml")) {
            Err(LoadError::Mistakes(mistakes)) => cases.push((name, mistakes)),
            Err(other) => return Err(format!("{name}: {other}").into()),
            Ok(_) => return Err(format!("{name} was accepted").into()),
        }
    }
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(cases)
}

#[test]
fn mistakes_are_drawn_where_they_are() -> Checked {
    let cases = broken()?;
    assert!(cases.len() >= 20, "only {} broken configurations", cases.len());
    for (name, mistakes) in cases {
        insta::assert_snapshot!(name, mistakes.render(false));
    }
    Ok(())
}

#[test]
fn every_mistake_names_file_and_line() -> Checked {
    for (name, mistakes) in broken()? {
        let drawn = mistakes.render(false);
        for (mistake, line) in mistakes.iter().zip(mistakes.lines()) {
            let (row, column) = mistakes.position(&mistake.place);
            let place = format!("{}:{row}:{column}", mistake.place.file);
            assert!(drawn.contains(&format!("--> {place}\n")), "{name}: {place} is not in\n{drawn}");
            assert!(line.starts_with(&format!("{place}: ")) && !line.contains('\n'), "{name}: {line}");
            assert!(!mistake.message.ends_with('.') && !mistake.label.ends_with('.'), "{name}: {line}");
        }
        assert!(mistakes.render(true).contains("\u{1b}["), "{name}");
    }
    Ok(())
}

#[test]
fn a_full_configuration_is_read_as_it_is_written() -> Checked {
    let loaded = load_configuration(&directory().join("valid-full/deadheat.toml"))?;
    let configuration = loaded.configuration;
    assert_eq!(configuration.contract_directory, Path::new("bench/contract"));
    assert_eq!(configuration.build.run[1].0, ["npm", "run", "build all"]);
    assert_eq!(configuration.protocol.budget, Duration::from_mins(90));
    assert_eq!(configuration.protocol.server_cpus, CpuChoice::List(vec![0, 2, 3]));
    let [one_core, all] = configuration.regimes.as_slice() else { return Err("two regimes".into()) };
    assert_eq!((one_core.connections, one_core.pipelining), (64, 1));
    assert_eq!((all.connections, all.pipelining, &all.server_cpus), (32, 4, &configuration.protocol.server_cpus));

    let [di, fastify, nest] = configuration.variants.as_slice() else { return Err("three variants".into()) };
    let cases: Vec<String> = di.runs().iter().map(|run| run.case.to_string()).collect();
    let expected = [
        "process providers=100, mode=eager",
        "process providers=1000, mode=lazy",
        "build providers=100",
        "build providers=1000",
    ];
    assert_eq!((di.serves(), fastify.serves(), cases), (false, true, expected.map(str::to_owned).to_vec()));
    let RunCommand::Process(start) = &di.runs()[1].command else { return Err("a process".into()) };
    assert_eq!(start.join(" "), "node dist/1000/main.js lazy");
    let RunCommand::Build { run, output } = &di.runs()[2].command else { return Err("a build".into()) };
    assert_eq!(run[0].0.join(" "), "npm run build -- --project tsconfig.100.json");
    assert_eq!(output, &["dist/100", "types"].map(PathBuf::from));
    assert_eq!((fastify.label.as_str(), fastify.ready.as_str()), ("fastify", "get-user"));
    assert_eq!(nest.directory, Path::new("bench/variants/nest"));
    assert_eq!(nest.runtimes.iter().map(|runtime| runtime.name.as_str()).collect::<Vec<_>>(), ["node", "bun"]);

    let [get, create, send] = configuration.scenarios.as_slice() else { return Err("three scenarios".into()) };
    let headers = [("accept", "application/json"), ("cookie", "session=abc; theme=dark")];
    assert_eq!(get.request.headers, headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(get.expect.body, ExpectedBody::Bytes(br#"{"id":1,"name":"Ada"}"#.to_vec()));
    assert_eq!((get.rate, get.expect.headers.get("vary").map(String::as_str)), (Some(5000.0), Some("accept")));
    let body = br#"{"name":"Ada","age":36,"tags":["a","b"],"ratio":0.5,"admin":false}"#;
    assert_eq!(create.request.body.as_deref(), Some(body.as_slice()));
    assert_eq!(create.request.headers, [("content-type".to_owned(), "application/json".to_owned())]);
    assert_eq!(send.expect.body, ExpectedBody::Bytes(b"thank you\n".to_vec()));
    Ok(())
}

#[test]
fn the_fixtures_that_are_raced_are_configurations() -> Checked {
    let configurations =
        [("frameworks", 8), ("misbehaving", 12), ("frameworks-app", 9), ("tiers", 4), ("saas-mix", 14), ("hello4", 5)];
    for (name, variants) in configurations {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
        let read = load_configuration(&root.join("deadheat.toml"));
        if let Err(LoadError::Mistakes(mistakes)) = &read {
            return Err(mistakes.render(false).into());
        }
        assert!(read?.configuration.variants.len() >= variants, "{name}");
        for (file, schema) in described(&root.join("variants"))?.into_iter().chain(described(&root.join("contract"))?) {
            let is_ours = schema != SchemaName::Contract || file.starts_with(root.join("contract"));
            assert!(!is_ours || objections(&file, schema)?.is_empty(), "{}", file.display());
        }
    }
    Ok(())
}

#[test]
fn a_minimal_configuration_has_defaults() -> Checked {
    let configuration = load_configuration(&directory().join("valid-minimal/deadheat.toml"))?.configuration;
    let protocol = &configuration.protocol;
    assert_eq!((protocol.rounds_min, protocol.rounds_max, protocol.slices), (8, 40, 16));
    assert_eq!((protocol.measure, protocol.warmup), (Duration::from_secs(1), Duration::from_millis(500)));
    assert_eq!(configuration.build.ignore, ["*.md", "docs/**"]);
    assert_eq!(configuration.scenarios[0].request.method, "GET");
    assert_eq!(configuration.variants[0].inputs, [Path::new(".")]);
    Ok(())
}

/// The files of a directory that a schema describes, each with it.
fn described(root: &Path) -> Result<Vec<(PathBuf, SchemaName)>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match name.as_str() {
                _ if path.is_dir() => open.push(path),
                "deadheat.toml" => files.push((path, SchemaName::Configuration)),
                "variant.toml" => files.push((path, SchemaName::Variant)),
                _ if path.extension().is_some_and(|extension| extension == "toml") => {
                    files.push((path, SchemaName::Contract));
                }
                _ => {}
            }
        }
    }
    Ok(files)
}

/// What a schema has against a file.
fn objections(file: &Path, name: SchemaName) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let value: serde_json::Value = toml::from_str(&std::fs::read_to_string(file)?)?;
    let validator = jsonschema::draft202012::new(&schema(name))?;
    Ok(validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect())
}

#[test]
fn schemas_accept_what_the_reader_accepts() -> Checked {
    let written = tempfile::tempdir()?;
    init(written.path(), None)?;
    for root in [directory().join("valid-full"), directory().join("valid-minimal"), written.path().to_owned()] {
        load_configuration(&root.join("deadheat.toml"))?;
        for (file, name) in described(&root)? {
            assert_eq!(objections(&file, name)?, Vec::<String>::new(), "{}", file.display());
        }
    }
    Ok(())
}

#[test]
fn schemas_refuse_what_is_wrong_within_a_file() -> Checked {
    let cases =
        ["unknown-keys", "wrong-types", "wrong-types-below", "words", "statuses", "missing-keys-below", "suites"];
    for case in cases {
        let root = directory().join(case);
        let Err(LoadError::Mistakes(mistakes)) = load_configuration(&root.join("deadheat.toml")) else {
            return Err(case.into());
        };
        for (file, name) in described(&root)? {
            let relative = file.strip_prefix(&root)?.display().to_string();
            let told = mistakes.iter().any(|mistake| mistake.place.file == relative);
            assert_eq!(told, !objections(&file, name)?.is_empty(), "{case}: {relative}");
        }
    }
    Ok(())
}

#[test]
fn every_schema_is_a_schema_and_is_printed() -> Checked {
    for name in SchemaName::ALL {
        let mut out = Vec::new();
        deadheat::commands::schema(name, &mut out)?;
        let printed: serde_json::Value = serde_json::from_slice(&out)?;
        jsonschema::meta::validate(&printed).map_err(|error| error.to_string())?;
        assert!(out.ends_with(b"}\n"));
    }
    Ok(())
}

fn sources(texts: [String; 4]) -> Sources {
    let [configuration, variant, contract, golden] = texts;
    let file = |path: &str, text: String| FileText { path: path.into(), content: Content::Bytes(text.into_bytes()) };
    Sources {
        configuration: file("deadheat.toml", configuration),
        variants: Some(vec![file("bench/variants/nest/variant.toml", variant)]),
        contract: Some(ContractSources {
            files: vec![file("bench/contract/a.toml", contract)],
            golden: vec![file("bench/contract/golden/create-user.json", golden)],
        }),
    }
}

const FULL: [&str; 4] = [
    include_str!("../fixtures/configurations/valid-full/deadheat.toml"),
    include_str!("../fixtures/configurations/valid-full/bench/variants/nest/variant.toml"),
    include_str!("../fixtures/configurations/valid-full/bench/contract/a.toml"),
    include_str!("../fixtures/configurations/valid-full/bench/contract/golden/create-user.json"),
];

/// A text in which a stretch is replaced.
fn mutated(text: &'static str) -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        ".{0,6}",
        r#"[\[\]{}="',.#\-\n0-9a-z]{0,6}"#,
        Just("\n[[scenario]]\n".to_owned()),
        Just("\"\"\"".to_owned()),
        Just(" = 99999999999999999999".to_owned()),
        Just("\u{0}\u{feff}\r".to_owned()),
    ];
    (0..=text.len(), 0_usize..40, pieces).prop_map(move |(start, length, piece)| {
        let start = text.floor_char_boundary(start);
        let end = text.floor_char_boundary((start + length).min(text.len()));
        format!("{}{piece}{}", &text[..start], &text[end..])
    })
}

fn holds(texts: [String; 4]) {
    let sources = sources(texts);
    let _ = locations(&sources.configuration);
    if let Err(mistakes) = read(&sources) {
        assert!(mistakes.len() > 0);
        assert_eq!(mistakes.lines().len(), mistakes.len());
        assert!(mistakes.render(false).contains("--> ") && mistakes.render(true).contains("error"));
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(texts in any::<[String; 4]>()) {
        holds(texts);
    }

    #[test]
    fn no_slip_makes_the_reader_panic(
        texts in (mutated(FULL[0]), mutated(FULL[1]), mutated(FULL[2]), mutated(FULL[3]))
    ) {
        holds([texts.0, texts.1, texts.2, texts.3]);
    }
}
