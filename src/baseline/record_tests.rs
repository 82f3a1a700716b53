use super::testing::{figures, record, results, sha};
use super::*;
use crate::model::{
    CalibrationRecord, Case, CellKey, EntryName, Fingerprint, Metric, NotRaced, NotRacedReason, RegimeName, Role,
    RuntimeName, Suite, VariantName,
};
use proptest::prelude::*;

fn text(record: &BaselineRecord) -> serde_json::Value {
    serde_json::from_str(&record.to_text().unwrap()).unwrap()
}

fn read(record: &BaselineRecord, value: &serde_json::Value) -> Result<BaselineRecord, RecordError> {
    BaselineRecord::read(&record.sha, value.to_string().as_bytes())
}

#[test]
fn a_record_holds_heads_own_figures_and_every_sample() {
    let results = results();
    let kept = BaselineRecord::from_results(&results, &figures(&results, |_, _| Some(1234.5))).unwrap();
    assert_eq!((&kept.sha, kept.against.as_ref()), (&results.head.sha, results.base.as_ref().map(|base| &base.sha)));
    assert_eq!((kept.started.to_string(), kept.rounds), (results.started.clone(), results.rounds));
    assert_eq!(kept.cells.len(), results.cells.len());
    assert_eq!(kept.cells[0].figures.head, Some(1234.5));
    let samples: crate::model::Results = serde_json::from_str(&kept.samples.unpack().unwrap()).unwrap();
    assert_eq!(samples, results);
    let file = text(&kept);
    assert_eq!((&file["schema"], &file["rounds"]), (&1.into(), &12.into()));
    assert_eq!(file["when"], results.started);
    assert_eq!(file["cells"][0]["case"]["scenario"], "get-user");
}

#[test]
fn what_stands_for_no_commit_is_not_kept() {
    type Change = fn(&mut crate::model::Results);
    let changes: [(Change, &str); 5] = [
        (|results| results.quick = true, "quick"),
        (|results| results.calibration = Some(CalibrationRecord::default()), "calibration"),
        (|results| results.head.dirty = true, "uncommitted"),
        (
            |results| {
                results.cells.clear();
                let message = "nothing".to_owned();
                results.not_raced = Some(NotRaced { reason: NotRacedReason::NothingToCompare, message });
            },
            "nothing of the commit was measured",
        ),
        (|results| results.started = "yesterday".to_owned(), "\"yesterday\""),
    ];
    for (change, words) in changes {
        let mut results = results();
        change(&mut results);
        let error = BaselineRecord::from_results(&results, &figures(&results, |_, _| Some(1.0))).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let mut uncommitted_base = results();
    uncommitted_base.base.as_mut().unwrap().dirty = true;
    let kept = BaselineRecord::from_results(&uncommitted_base, &figures(&uncommitted_base, |_, _| Some(1.0))).unwrap();
    assert_eq!(kept.against, None, "an ancestor is a commit");
}

#[test]
fn only_cells_with_a_figure_of_the_commit_are_kept() {
    let results = results();
    let figures = figures(&results, |entry, scenario| match (entry, scenario) {
        ("fastify", "get-user") => None,
        ("fastify", _) => Some(f64::NAN),
        _ => Some(5.0),
    });
    let kept = BaselineRecord::from_results(&results, &figures).unwrap();
    assert_eq!(kept.cells.len(), results.cells.len() - 2);
    let again = BaselineRecord::read(&kept.sha, kept.to_text().unwrap().as_bytes()).unwrap();
    assert_eq!(again, kept);
}

#[test]
fn samples_that_are_too_many_are_left_out_and_figures_that_are_too_many_refused() {
    let mut results = results();
    // Incompressible sentences, well over a mebibyte of them.
    let mut state: u64 = 1;
    results.warnings = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{state:x}")
    })
    .take(150_000)
    .collect();
    let without = BaselineRecord::from_results(&results, &figures(&results, |_, _| Some(1.0))).unwrap();
    assert!(matches!(without.samples, Samples::LeftOut { bytes } if bytes > 1_048_576), "said, with how much it was");
    let file = without.to_text().unwrap();
    assert!(file.len() < 100_000 && file.contains("left_out"));
    assert_eq!(BaselineRecord::read(&without.sha, file.as_bytes()).unwrap(), without);

    let mut large = without;
    large.cells = std::iter::repeat_n(large.cells[0].clone(), 40_000).collect();
    let error = large.to_text().unwrap_err();
    assert!(matches!(error, RecordError::TooLarge { bytes, most: 4_194_304 } if bytes > 4_194_304), "{error}");
}

#[test]
fn a_later_minor_version_is_read_and_a_later_schema_refused() {
    let kept = record(sha(1), "2026-11-02T10:00:00Z");
    let mut file = text(&kept);
    file["news"] = serde_json::json!({"a": [1, 2]});
    file["entries"][0]["colour"] = "blue".into();
    let mut later = file["cells"][0].clone();
    later["metric"] = "p99.99".into();
    file["cells"].as_array_mut().unwrap().extend([later, serde_json::json!("shorthand")]);
    assert_eq!(read(&kept, &file).unwrap(), kept);

    file["schema"] = 2.into();
    assert!(matches!(read(&kept, &file), Err(RecordError::Later { schema: 2, known: 1 })));
    let unlike = serde_json::json!({"schema": 9});
    assert!(matches!(read(&kept, &unlike), Err(RecordError::Later { schema: 9, .. })));
}

#[test]
fn hostile_files_are_errors() {
    let kept = record(sha(1), "2026-11-02T10:00:00Z");
    let mut other = text(&kept);
    other["sha"] = "f".repeat(40).into();
    assert!(matches!(read(&kept, &other), Err(RecordError::OtherCommit(_))));
    let mut never = text(&kept);
    never["when"] = "2026-13-40".into();
    assert!(matches!(read(&kept, &never), Err(RecordError::Started(_))));
    let whole = kept.to_text().unwrap();
    let infinite = whole.replacen("1000.0", "1e999", 1);
    let deep = "[".repeat(100_000);
    let cut = &whole[..whole.len() / 2];
    for text in ["", "{}", "null", "\u{feff}{}", cut, &infinite, &deep, "{\"schema\": -1}", "{\"schema\": 1}"] {
        assert!(matches!(BaselineRecord::read(&kept.sha, text.as_bytes()), Err(RecordError::Broken(_))), "{text:.40}");
    }
    assert!(matches!(BaselineRecord::read(&kept.sha, &[0xff, 0x00]), Err(RecordError::Broken(_))));
    let long = vec![b' '; 16 * 1024 * 1024 + 1];
    assert!(matches!(BaselineRecord::read(&kept.sha, &long), Err(RecordError::TooLargeToRead { .. })));
}

fn any_figure() -> impl Strategy<Value = Option<f64>> {
    proptest::option::of(prop_oneof![
        any::<f64>().prop_filter("JSON has no other numbers", |value| value.is_finite()),
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE),
    ])
}

fn any_cell() -> impl Strategy<Value = BaselineCell> {
    let metric = proptest::sample::select(Metric::ALL.to_vec());
    let suite = proptest::sample::select(vec![Suite::Http, Suite::OpenLoop, Suite::Boot]);
    let case = prop_oneof![
        "[a-z][a-z0-9-]{0,9}".prop_map(|name| Case::Scenario(crate::model::ScenarioName::new(name).unwrap())),
        "[a-z]{1,9}".prop_map(|name| Case::Mix(crate::model::MixName::new(name).unwrap())),
        Just(Case::Start),
    ];
    let regime = proptest::option::of("[a-z]{1,5}".prop_map(|name| RegimeName::new(name).unwrap()));
    let figures = (any::<u32>(), any_figure(), any_figure(), any_figure());
    ("[a-z]{1,5}(@[a-z]{1,4})?", regime, suite, case, metric, figures).prop_map(
        |(entry, regime, suite, case, metric, (rounds, base, head, centre))| BaselineCell {
            key: CellKey { entry: EntryName::new(entry).unwrap(), regime, suite, case, metric },
            figures: CellFigures { rounds, base, head, centre },
        },
    )
}

proptest! {
    #[test]
    fn a_record_is_read_as_it_was_written(
        second in -60_000_000_000_i64..200_000_000_000,
        against in proptest::option::of(0_usize..9),
        cpu in "\\PC*",
        memory in any::<u64>(),
        rounds in any::<u32>(),
        entry in ("[a-z]{1,9}", "[a-z]{1,9}", any::<bool>()),
        cells in proptest::collection::vec(any_cell(), 0..20),
        left_out in proptest::option::of(any::<u64>()),
    ) {
        let (variant, runtime, subject) = entry;
        let mut kept = record(sha(1), "2026-11-02T10:00:00Z");
        kept.started = jiff::Timestamp::from_second(second).unwrap();
        kept.against = against.map(sha);
        kept.fingerprint = Fingerprint { cpu, memory, ..kept.fingerprint };
        kept.rounds = rounds;
        kept.entries.push(BaselineEntry {
            name: EntryName::new(format!("{variant}@{runtime}")).unwrap(),
            variant: VariantName::new(variant).unwrap(),
            runtime: RuntimeName::new(runtime).unwrap(),
            role: if subject { Role::Subject } else { Role::Reference },
        });
        kept.cells = cells;
        if let Some(bytes) = left_out {
            kept.samples = Samples::LeftOut { bytes };
        }
        let text = kept.to_text().unwrap();
        prop_assert!(text.ends_with("}\n") && !text.trim_end().contains('\n'), "one line");
        prop_assert_eq!(BaselineRecord::read(&kept.sha, text.as_bytes()).unwrap(), kept);
    }

    #[test]
    fn no_file_makes_the_reader_panic(text in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = BaselineRecord::read(&sha(1), &text);
    }

    #[test]
    fn no_change_of_a_byte_makes_the_reader_panic(place in 0_usize..4000, byte in any::<u8>()) {
        let mut text = record(sha(1), "2026-11-02T10:00:00Z").to_text().unwrap().into_bytes();
        let place = place % text.len();
        text[place] = byte;
        let _ = BaselineRecord::read(&sha(1), &text);
    }
}
