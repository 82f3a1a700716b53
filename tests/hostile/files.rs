//! Results files: every fixture is read, and every value that no race gives is refused where it stands.

use super::zip::Zip;
use deadheat::github::{ArrivalError, MAX_ARRIVED, arrived};
use deadheat::model::Results;
use serde_json::{Value, json};
use std::path::Path;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/results").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn refused(text: &str) -> String {
    match arrived(text.as_bytes()) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("this was taken: {}", text.chars().take(200).collect::<String>()),
    }
}

#[test]
fn every_honest_file_is_read_bare_and_packed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/results");
    let mut read = 0;
    for file in std::fs::read_dir(directory).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let expected: Results = serde_json::from_str(&text).unwrap();
        assert_eq!(arrived(text.as_bytes()).as_ref(), Ok(&expected));
        assert_eq!(arrived(format!("\n \t{text}\n").as_bytes()).as_ref(), Ok(&expected));
        assert_eq!(arrived(&Zip::of(text.as_bytes(), true).bytes()), Ok(expected));
        read += 1;
    }
    assert!(read >= 8, "{read}");
}

#[test]
fn fields_of_a_later_minor_version_are_passed_over() {
    let mut file: Value = serde_json::from_str(&fixture("changed.json")).unwrap();
    file["later"] = json!({"a": [1, {"b": null}]});
    file["cells"][0]["later"] = json!("x");
    assert!(arrived(file.to_string().as_bytes()).is_ok());
}

#[test]
fn a_later_schema_is_refused_with_a_sentence_even_where_nothing_else_is_known() {
    for text in [fixture("alone.json").replacen("\"schema\":1", "\"schema\":2", 1), r#"{"schema":2}"#.to_owned()] {
        assert_eq!(arrived(text.as_bytes()), Err(ArrivalError::LaterSchema { found: 2, known: 1 }));
    }
    assert!(refused(r#"{"schema":2}"#).ends_with("publish with the version that raced, or a later one"));
}

/// Where, what instead, and what is said of it.
#[test]
fn every_value_that_no_race_gives_is_refused_where_it_stands() {
    let round =
        |base: Value, head: Value, ratio: Value| json!({"round": 0, "base": base, "head": head, "log_ratio": ratio});
    let long = "x".repeat(5_000);
    let machine = |field: &str, value: Value| {
        let mut machine =
            json!({"slice_pairs": 16, "repeated": 0, "disturbed": 0, "watched_s": 4, "steal_s": 0, "foreign_s": 0});
        machine[field] = value;
        machine
    };
    let far = json!([round(json!(1), json!(1), json!(0)), {"round": 0, "head": 1}]);
    let back = json!([{"round": 3, "head": 1}, {"round": 2, "head": 1}]);
    for (place, value, text) in [
        ("/cells/0/rounds/0/base", json!(-1), "cells[0].rounds[0].base is not between 0 and 1e12"),
        ("/cells/1/rounds/2/head", json!(1e12), "cells[1].rounds[2].head is not between 0 and 1e11"),
        ("/cells/0/rounds/0/head", json!(1e300), "cells[0].rounds[0].head is not between 0 and 1e12"),
        ("/cells/0/rounds/0/log_ratio", json!(42.1), "cells[0].rounds[0].log_ratio is not between -42 and 4.2e1"),
        ("/cells/0/rounds/0/log_ratio", json!(-1e9), "cells[0].rounds[0].log_ratio is not between -42 and 4.2e1"),
        ("/cells/0/rounds/0/base", Value::Null, "cells[0].rounds[0] has a log-ratio, and not both values"),
        ("/cells/0/rounds/0/round", json!(40), "cells[0].rounds[0] is past the last round that the protocol allows"),
        ("/cells/0/rounds", far, "cells[0].rounds[1] is no later round than the one before it"),
        ("/cells/0/rounds", back, "cells[0].rounds[1] is no later round than the one before it"),
        ("/cells/0/entry", json!("nobody"), "cells[0] is of an entry that is not among the entries"),
        ("/cells/1/metric", json!("rps"), "cells[1] is there twice"),
        ("/attempts/3/entry", json!("nobody"), "attempts[3] is of an entry that is not among the entries"),
        ("/attempts/3/round", json!(400), "attempts[3] is of a round or a repetition that no race has"),
        ("/attempts/3/attempt", json!(10), "attempts[3] is of a round or a repetition that no race has"),
        ("/failures/0/round", json!(40), "failures[0] is of a round that no race has"),
        ("/failures/1/entry", json!("nobody"), "failures[1] is of an entry that is not among the entries"),
        ("/failures/0/message", json!("x".repeat(70_000)), "failures[0] has a text of over 65536 bytes"),
        ("/failures/0/output", json!("x".repeat(300_000)), "failures[0] has a text of over 262144 bytes"),
        ("/observations/0/entry", json!("nobody"), "observations[0] is of an entry that is not among the entries"),
        ("/observations/0/times", json!(1_000_000), "observations[0] was seen over 100000 times"),
        ("/gate/0/entry", json!("nobody"), "gate[0] is of an entry that is not among the entries"),
        ("/entries/1/name", json!("fastify"), "entries[1] is there twice"),
        ("/entries/1/label", json!(long), "entries[1] has a text of over 4096 bytes"),
        ("/entries/1/was", json!(vec!["a"; 101]), "entries[1] holds over 100 elements"),
        ("/entries/1/about", json!({"router": long}), "entries[1] has a text of over 4096 bytes"),
        ("/entries/1/versions", json!({long.as_str(): "1"}), "entries[1] has a text of over 4096 bytes"),
        ("/scenarios/1/name", json!("get-user"), "scenarios[1] is there twice"),
        ("/scenarios/1/path", json!("/".repeat(70_000)), "scenarios[1] has a text of over 65536 bytes"),
        ("/scenarios/1/rate", json!(-1), "scenarios[1].rate is not between 0 and 1e9"),
        ("/head/rev", json!(long), "head.rev has a text of over 4096 bytes"),
        ("/base/rev", json!(long), "base.rev has a text of over 4096 bytes"),
        ("/deadheat", json!(long), "deadheat has a text of over 4096 bytes"),
        ("/started", json!(long), "started has a text of over 4096 bytes"),
        ("/fingerprint/cpu", json!(long), "fingerprint.cpu has a text of over 4096 bytes"),
        ("/fingerprint/memory", json!(u64::MAX), "fingerprint is of a machine that there is none of"),
        ("/fingerprint/cpus", json!(200_000), "fingerprint is of a machine that there is none of"),
        ("/fingerprint/toolchains", json!({"node": long}), "fingerprint.toolchains has a text of over 4096 bytes"),
        ("/warnings", json!(["", "x".repeat(70_000)]), "warnings[1] has a text of over 65536 bytes"),
        ("/warnings", json!(vec![""; 1_001]), "warnings holds over 1000 elements"),
        ("/protocol/rounds_max", json!(401), "protocol allows, or the race had, over 400 rounds"),
        ("/protocol/rounds_min", json!(401), "protocol allows, or the race had, over 400 rounds"),
        ("/rounds", json!(4_000_000_000_u32), "protocol allows, or the race had, over 400 rounds"),
        ("/protocol/budget_s", json!(-1), "protocol.budget_s is not between 0 and 1e9"),
        ("/protocol/measure_ms", json!(1e13), "protocol.measure_ms is not between 0 and 1e12"),
        ("/protocol/regimes/0/server_cpus", json!(vec![0; 5_000]), "protocol.regimes[0] holds over 4096 elements"),
        ("/protocol/regimes/0/load_cpus", json!([1_234_567]), "protocol.regimes[0] has a number over 100000"),
        ("/protocol/regimes/0/pipelining", json!(1_234_567), "protocol.regimes[0] has a number over 100000"),
        ("/selection", json!({"scenarios": vec!["a"; 5_000]}), "selection.scenarios holds over 4096 elements"),
        ("/judging/false_alarms", json!(1.5), "judging.false_alarms is not between 0 and 1e0"),
        ("/judging/relevant", json!({"rps": -0.5}), "judging.relevant is not between 0 and 1e2"),
        ("/time/race_s", json!(1e10), "time.race_s is not between 0 and 1e9"),
        ("/machine", machine("watched_s", json!(-1)), "machine.watched_s is not between 0 and 1e9"),
        ("/machine", machine("steal_s", json!(1e10)), "machine.steal_s is not between 0 and 1e9"),
        ("/machine", machine("foreign_s", json!(-0.5)), "machine.foreign_s is not between 0 and 1e9"),
        ("/machine", machine("pressure_s", json!(1e300)), "machine.pressure_s is not between 0 and 1e9"),
        ("/machine", machine("quota_throttled_s", json!(-1)), "machine.quota_throttled_s is not between 0 and 1e9"),
        ("/machine", machine("thermal_throttles", json!(u64::MAX)), "machine has a count over 1000000000"),
        ("/machine", machine("slice_pairs", json!(u32::MAX)), "machine has a count over 1000000000"),
        ("/machine", machine("repeated", json!(u32::MAX)), "machine has a count over 1000000000"),
        ("/machine", machine("disturbed", json!(17)), "machine has more disturbed pairs than pairs"),
        (
            "/mixes",
            json!([{"name": "m", "categories": {"c": -1}, "scenarios": {}}]),
            "mixes[0] is not between 0 and 1e9",
        ),
        ("/calibration", json!({}), "calibration says that one build was raced against itself"),
        ("/not_raced", json!({"reason": "not-asked", "message": "x"}), "not_raced stands beside entries or cells"),
    ] {
        let mut file: Value = serde_json::from_str(&fixture("failing.json")).unwrap();
        let (parent, field) = place.rsplit_once('/').unwrap();
        let parent = file.pointer_mut(parent).unwrap();
        match field.parse::<usize>() {
            Ok(index) => parent[index] = value,
            Err(_) => parent[field] = value,
        }
        let found = arrived(file.to_string().as_bytes()).err().map(|error| error.to_string()).unwrap_or_default();
        let start = "failed to trust the results, so nothing of them is published: in results.json ";
        let rest = found.strip_prefix(start).unwrap_or_else(|| panic!("{place}: {found}"));
        assert!(rest.starts_with(text), "{place}: {rest}");
    }
}

#[test]
fn a_layer_may_cost_less_than_nothing() {
    let mut file: Value = serde_json::from_str(&fixture("alone.json")).unwrap();
    let cells = file["cells"].as_array_mut().unwrap();
    let cost = cells.iter_mut().find(|cell| cell["metric"] == "layer-cost").unwrap();
    cost["rounds"][0]["head"] = json!(-3.5);
    assert!(arrived(file.to_string().as_bytes()).is_ok());
}

#[test]
fn what_is_no_number_is_no_json() {
    let file = fixture("changed.json");
    for figure in
        ["NaN", "nan", "Infinity", "-Infinity", "1e999", "-1e999", "1e", "0x10", "1.", "+1", "01", "\"1\"", "[]", "{}"]
    {
        let text = file.replacen("\"base\":18420.0", &format!("\"base\":{figure}"), 1);
        assert_ne!(text, file);
        let found = refused(&text);
        assert!(found.contains("results.json is no results file: line 1, column "), "{figure}: {found}");
    }
    // What is too small for a float is zero, and too many digits are only rounded.
    for figure in ["1e-999", "-0.0", "1.00000000000000000000000000000000000001", "4.9e-324"] {
        let text = file.replacen("\"base\":18420.0", &format!("\"base\":{figure}"), 1);
        assert!(arrived(text.as_bytes()).is_ok(), "{figure}");
    }
}

#[test]
fn counts_have_caps() {
    let many = |list: &str, element: &Value, count: usize| {
        let mut file: Value = serde_json::from_str(&fixture("failing.json")).unwrap();
        file[list] = Value::Array(vec![element.clone(); count]);
        refused(&file.to_string())
    };
    let file: Value = serde_json::from_str(&fixture("failing.json")).unwrap();
    let mix = json!({"name": "m", "categories": {}, "scenarios": {}});
    for (list, element, count) in [
        ("entries", &file["entries"][0], 501),
        ("scenarios", &file["scenarios"][0], 1_001),
        ("mixes", &mix, 201),
        ("failures", &json!({"entry": "a", "phase": "load", "kind": "never-ready", "message": ""}), 100_001),
        ("observations", &file["observations"][0], 20_001),
    ] {
        let found = many(list, element, count);
        assert!(
            found.ends_with(&format!("in results.json {list} holds over {} elements", count - 1)),
            "{list}: {found}"
        );
    }
    let mut small = file["cells"][0].clone();
    small["rounds"] = json!([]);
    assert!(many("cells", &small, 50_001).ends_with("in results.json cells holds over 50000 elements"));
    let mut full = file["cells"][0].clone();
    full["rounds"] = (0..401).map(|round| json!({"round": round})).collect();
    let mut file = file;
    file["cells"][0] = full;
    assert!(refused(&file.to_string()).ends_with("in results.json cells[0].rounds holds over 400 elements"));
}

#[test]
fn texts_that_would_fill_memory_are_refused_before_they_are_read() {
    let start = fixture("alone.json");
    let start = start.trim_end().trim_end_matches('}');
    let list = |name: &str, element: &str, bytes: usize| {
        let mut text = format!("{start},\"{name}\":[");
        while text.len() < bytes {
            text.push_str(element);
            text.push(',');
        }
        refused(&text)
    };
    for (name, element, what) in [
        ("warnings", "\"\"", "holds over 500000 values below `other fields`"),
        ("later", "0", "holds over 500000 values below `other fields`"),
        ("later", "[[]]", "holds over 500000 values below `other fields`"),
        ("cells", r#"{"round":0}"#, "holds over 4000000 values below `cells`"),
        ("attempts", "{}", "holds over 2000000 values below `attempts`"),
    ] {
        assert!(list(name, element, 50_000_000).ends_with(&format!("results.json {what}")), "{name} {element}");
    }
    for open in ["[", "{\"a\":", "[{\"a\":"] {
        let deep = open.repeat((MAX_ARRIVED - 10) / open.len());
        assert!(refused(&deep).ends_with("results.json is nested over 32 levels deep"));
    }
    let long = format!("\"{}\"", "x".repeat(MAX_ARRIVED));
    assert!(refused(&long).ends_with("results.json is over 64 MiB"));
}

#[test]
fn nothing_of_the_file_is_in_an_error() {
    const EVIL: &str = "@octocat</details>";
    let file = fixture("failing.json");
    let value: Value = serde_json::from_str(&file).unwrap();
    for (place, evil) in [
        ("/cells/0/metric", json!(EVIL)),
        ("/cells/0/entry", json!(EVIL)),
        ("/cells/0/case", json!({EVIL: 1})),
        ("/entries/0/name", json!(EVIL)),
        ("/head/sha", json!(EVIL)),
        ("/seed", json!(EVIL)),
        ("/rounds", json!({EVIL: EVIL})),
        ("/gate/0/outcome", json!([EVIL])),
    ] {
        let mut value = value.clone();
        *value.pointer_mut(place).unwrap() = evil;
        let found = refused(&value.to_string());
        assert!(found.contains("results.json is no results file: line 1, column "), "{found}");
        assert!(!found.contains("octocat") && !found.contains(['@', '<']), "{found}");
    }
    let twice = file.replacen("\"rounds\":", "\"rounds\":[],\"rounds\":", 1);
    assert!(refused(&twice).ends_with(": `rounds` is there twice"), "{}", refused(&twice));
    let missing = file.replacen("\"judging\":", &format!("\"{EVIL}\":"), 1);
    assert!(refused(&missing).ends_with(": `judging` is missing"), "{}", refused(&missing));
}

#[test]
fn what_is_no_results_file_at_all_is_refused() {
    for text in ["", " ", "null", "[]", "{}", "1", "\"results\"", "<html>", "\u{feff}{}", "{", "PK", "P", "\0\0\0\0"] {
        assert!(arrived(text.as_bytes()).is_err(), "{text:?}");
    }
    let file = fixture("alone.json");
    assert!(refused(&format!("{file}{file}")).contains("it is no JSON there"));
    assert!(refused(&file[..file.len() - 2]).contains("it ends in the middle"));
    let mut bytes = file.into_bytes();
    let quote = bytes.iter().position(|byte| *byte == b':').unwrap();
    bytes.insert(bytes.len() - quote, 0xff);
    assert!(arrived(&bytes).is_err());
}
