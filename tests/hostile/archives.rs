//! Archives: those of honest packers are read, and every lie is refused for what it is.

use super::zip::{Zip, deflated, large_sizes};
use deadheat::github::{ArchiveFault, ArrivalError, MAX_UNPACKED, arrived};
use deadheat::model::Results;
use std::io::Read;
use std::path::Path;

const RESULTS: &[u8] = include_bytes!("../../fixtures/results/alone.json");

fn expected() -> Results {
    serde_json::from_slice(RESULTS).unwrap()
}

fn fault(bytes: &[u8]) -> ArchiveFault {
    match arrived(bytes) {
        Err(ArrivalError::Archive(fault)) => fault,
        other => panic!("an archive's fault was expected, not {other:?}"),
    }
}

/// The tools that these were written with: archiver 8 (which packs artifacts), Info-ZIP 3.0 and Python's zipfile.
#[test]
fn what_honest_packers_write_is_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/arrivals");
    let mut read = 0;
    for file in std::fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        assert_eq!(arrived(&std::fs::read(&path).unwrap()), Ok(expected()), "{}", path.display());
        read += 1;
    }
    assert_eq!(read, 6);
}

#[test]
fn every_honest_form_is_read_here_and_by_another_reader() {
    let streamed = |mark, large| Zip::streamed(RESULTS, mark, large);
    let mut utf8 = Zip::of(RESULTS, true);
    utf8.set_flags(1 << 1 | 1 << 2 | 1 << 11);
    for zip in [
        Zip::of(RESULTS, true),
        Zip::of(RESULTS, false),
        Zip::large(RESULTS),
        streamed(true, false),
        streamed(false, false),
        streamed(true, true),
        streamed(false, true),
        utf8,
    ] {
        let bytes = zip.bytes();
        assert_eq!(arrived(&bytes), Ok(expected()), "{zip:?}");
        let mut other = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
        let mut text = Vec::new();
        other.by_name("results.json").unwrap().read_to_end(&mut text).unwrap();
        assert_eq!(text, RESULTS);
    }
}

type Change = fn(&mut Zip);

/// One lie each about where, what and how many, all others true.
const LIES: &[(&str, Change, ArchiveFault)] = &[
    ("upwards", |zip| zip.set_name(b"../results.json"), ArchiveFault::Name),
    ("absolute", |zip| zip.set_name(b"/results.json"), ArchiveFault::Name),
    ("below", |zip| zip.set_name(b"a/results.json"), ArchiveFault::Name),
    ("backwards", |zip| zip.set_name(b"..\\results.json"), ArchiveFault::Name),
    ("a directory's name", |zip| zip.set_name(b"results.json/"), ArchiveFault::Name),
    ("another case", |zip| zip.set_name(b"Results.json"), ArchiveFault::Name),
    ("a zero behind", |zip| zip.set_name(b"results.json\0.sh"), ArchiveFault::Name),
    ("no name", |zip| zip.set_name(b""), ArchiveFault::Name),
    ("quick", |zip| zip.set_name(b"quick.json"), ArchiveFault::Name),
    (
        "two of one name",
        |zip| {
            zip.directory.push(zip.directory[0].clone());
            (zip.end.here, zip.end.entries) = (2, 2);
        },
        ArchiveFault::Entries(2),
    ),
    ("two that are called one", |zip| zip.directory.push(zip.directory[0].clone()), ArchiveFault::Layout),
    ("one that is called two", |zip| zip.end.entries = 2, ArchiveFault::Entries(2)),
    ("two here", |zip| zip.end.here = 2, ArchiveFault::Entries(2)),
    (
        "none",
        |zip| {
            zip.directory.clear();
            (zip.end.here, zip.end.entries) = (0, 0);
        },
        ArchiveFault::Entries(0),
    ),
    ("none that is called one", |zip| zip.directory.clear(), ArchiveFault::Layout),
    ("thousands", |zip| (zip.end.here, zip.end.entries) = (60_000, 60_000), ArchiveFault::Entries(60_000)),
    ("more than can be said", |zip| (zip.end.here, zip.end.entries) = (u16::MAX, u16::MAX), ArchiveFault::Kind),
    ("another disk", |zip| zip.end.disk = 1, ArchiveFault::Kind),
    ("a directory on another disk", |zip| zip.end.directory_disk = 1, ArchiveFault::Kind),
    ("an entry on another disk", |zip| zip.directory[0].disk = 1, ArchiveFault::Kind),
    (
        "a name of its own in the local header",
        |zip| zip.local.name = b"../evil.json".to_vec(),
        ArchiveFault::Contradiction("its two headers differ"),
    ),
    ("encrypted", |zip| zip.set_flags(1), ArchiveFault::Encrypted),
    ("encrypted strongly", |zip| zip.set_flags(1 << 6), ArchiveFault::Encrypted),
    ("masked", |zip| zip.set_flags(1 << 13), ArchiveFault::Encrypted),
    ("patched", |zip| zip.set_flags(1 << 5), ArchiveFault::Encrypted),
    ("encrypted in the local header", |zip| zip.local.flags = 1, ArchiveFault::Contradiction("its two headers differ")),
    ("AES", |zip| zip.set_method(99), ArchiveFault::Method),
    ("bzip2", |zip| zip.set_method(12), ArchiveFault::Method),
    ("Zstandard", |zip| zip.set_method(93), ArchiveFault::Method),
    ("shrunk", |zip| zip.set_method(1), ArchiveFault::Method),
    ("deflated in one header", |zip| zip.local.method = 0, ArchiveFault::Contradiction("its two headers differ")),
    (
        "deflated and called stored",
        |zip| zip.set_method(0),
        ArchiveFault::Contradiction("data that is not compressed has two sizes"),
    ),
    ("a link", |zip| zip.directory[0].external = 0o120_777 << 16, ArchiveFault::NotAFile),
    ("a directory", |zip| zip.directory[0].external = 0o040_755 << 16, ArchiveFault::NotAFile),
    ("a device", |zip| zip.directory[0].external = 0o020_666 << 16, ArchiveFault::NotAFile),
    ("a directory by DOS", |zip| zip.directory[0].external = 0x10, ArchiveFault::NotAFile),
    (
        "a link of who knows whom",
        |zip| {
            zip.directory[0].external = 0o120_777 << 16;
            zip.directory[0].made_by = 0;
        },
        ArchiveFault::NotAFile,
    ),
    (
        "longer than it says",
        |zip| zip.set_unpacked(100),
        ArchiveFault::Contradiction("the data is longer than it is said to be"),
    ),
    (
        "nothing in it",
        |zip| zip.set_unpacked(0),
        ArchiveFault::Contradiction("the data is longer than it is said to be"),
    ),
    (
        "shorter than it says",
        |zip| zip.set_unpacked(60_000_000),
        ArchiveFault::Contradiction("the data is not as long as it is said to be"),
    ),
    ("huge", |zip| zip.set_unpacked(0xffff_fffe), ArchiveFault::TooLarge(64)),
    ("a size elsewhere", |zip| zip.set_unpacked(u32::MAX), ArchiveFault::Kind),
    ("packed into less", |zip| zip.set_packed(zip.local.packed - 1), ArchiveFault::Layout),
    ("packed into more", |zip| zip.set_packed(zip.local.packed + 1), ArchiveFault::Layout),
    ("packed into everything", |zip| zip.set_packed(0xffff_fffe), ArchiveFault::Layout),
    ("sizes that differ", |zip| zip.local.unpacked += 1, ArchiveFault::Contradiction("its two headers differ")),
    (
        "another checksum",
        |zip| {
            zip.local.crc ^= 1;
            zip.directory[0].crc ^= 1;
        },
        ArchiveFault::Contradiction("the data does not have its checksum"),
    ),
    ("a checksum in one header", |zip| zip.local.crc ^= 1, ArchiveFault::Contradiction("its two headers differ")),
    ("an offset", |zip| zip.directory[0].offset = 1, ArchiveFault::Layout),
    ("an offset elsewhere", |zip| zip.directory[0].offset = u32::MAX, ArchiveFault::Kind),
    ("something before", |zip| zip.before = b"PK\x03\x04#!/bin/sh\n".to_vec(), ArchiveFault::Layout),
    (
        "something before, accounted for",
        |zip| {
            zip.before = b"PK\x03\x04#!/bin/sh\n".to_vec();
            zip.directory[0].offset = 14;
        },
        ArchiveFault::Layout,
    ),
    ("something between", |zip| zip.gap = vec![0; 7], ArchiveFault::Layout),
    ("something behind the directory", |zip| zip.late = vec![0; 7], ArchiveFault::Layout),
    (
        "a large end record",
        |zip| zip.late = [b"PK\x06\x06".as_slice(), &[44; 52], b"PK\x06\x07", &[0; 16]].concat(),
        ArchiveFault::Layout,
    ),
    ("a directory elsewhere", |zip| zip.end.offset = Some(u32::MAX), ArchiveFault::Kind),
    ("a directory in the data", |zip| zip.end.offset = Some(40), ArchiveFault::Layout),
    ("a directory past the end", |zip| zip.end.offset = Some(0xffff_fff0), ArchiveFault::Layout),
    ("a directory of another length", |zip| zip.end.size = Some(0), ArchiveFault::Layout),
    ("a comment", |zip| zip.end.comment = b"hello".to_vec(), ArchiveFault::NoEnd),
    ("a comment that is not there", |zip| zip.after = vec![0; 5], ArchiveFault::NoEnd),
    (
        "a comment with another archive in it",
        |zip| zip.end.comment = Zip::of(b"{}", true).bytes(),
        ArchiveFault::Layout,
    ),
    (
        "a comment with an end record",
        |zip| zip.end.comment = [b"PK\x05\x06".as_slice(), &[0; 18]].concat(),
        ArchiveFault::Entries(0),
    ),
    ("a comment of the entry", |zip| zip.directory[0].comment = b"hello".to_vec(), ArchiveFault::Layout),
    ("another archive behind", |zip| zip.after = Zip::of(RESULTS, true).bytes(), ArchiveFault::Layout),
    ("a descriptor that was not announced", |zip| zip.descriptor = vec![0; 16], ArchiveFault::Layout),
    ("garbage for data", |zip| zip.data.iter_mut().for_each(|byte| *byte = 0xff), ArchiveFault::Data),
];

#[test]
fn every_lie_is_refused() {
    for (name, lie, expected) in LIES {
        let mut zip = Zip::of(RESULTS, true);
        lie(&mut zip);
        assert_eq!(fault(&zip.bytes()), *expected, "{name}");
    }
}

#[test]
fn what_stands_behind_the_data_must_be_true() {
    let announced = ArchiveFault::Contradiction("what follows the data differs from the directory");
    let headers = ArchiveFault::Contradiction("its two headers differ");
    let lies: [(Change, ArchiveFault); 8] = [
        (|zip| zip.descriptor.clear(), ArchiveFault::Layout),
        (|zip| zip.descriptor.truncate(13), ArchiveFault::Layout),
        (|zip| zip.descriptor[0] = b'Q', ArchiveFault::Layout),
        (|zip| zip.descriptor[4] ^= 1, announced),
        (|zip| zip.descriptor[8] ^= 1, announced),
        (|zip| zip.descriptor[12] ^= 1, announced),
        (|zip| zip.local.unpacked = 5, headers),
        (|zip| zip.local.crc = 5, headers),
    ];
    for (lie, expected) in lies {
        let mut zip = Zip::streamed(RESULTS, true, false);
        lie(&mut zip);
        assert_eq!(fault(&zip.bytes()), expected, "{zip:?}");
    }
}

#[test]
fn large_sizes_must_be_there_and_true() {
    let unpacked = u64::try_from(RESULTS.len()).unwrap();
    let with = |extra: Vec<u8>| {
        let mut zip = Zip::large(RESULTS);
        zip.directory[0].extra.clone_from(&extra);
        zip.local.extra = extra;
        fault(&zip.bytes())
    };
    assert_eq!(with(Vec::new()), ArchiveFault::Kind);
    assert_eq!(with(b"\x01\x00\x08\x00\x00\x00".to_vec()), ArchiveFault::Layout);
    assert_eq!(with(large_sizes(u64::MAX, u64::MAX)), ArchiveFault::TooLarge(64));
    assert_eq!(with(large_sizes(1 << 63, 100)), ArchiveFault::TooLarge(64));
    assert_eq!(with(large_sizes(unpacked, 1 << 40)), ArchiveFault::Layout);
    let mut zip = Zip::large(RESULTS);
    zip.directory[0].extra = large_sizes(unpacked + 1, zip.data.len().try_into().unwrap());
    assert_eq!(fault(&zip.bytes()), ArchiveFault::Contradiction("its two headers differ"));
}

#[test]
fn streams_that_end_early_or_go_on_are_refused() {
    let with = |data: Vec<u8>| {
        let mut zip = Zip::of(RESULTS, true);
        zip.set_packed(data.len().try_into().unwrap());
        zip.data = data;
        fault(&zip.bytes())
    };
    let stream = deflated(RESULTS);
    assert_eq!(with(stream[..stream.len() - 3].to_vec()), ArchiveFault::Data);
    assert_eq!(with(Vec::new()), ArchiveFault::Data);
    let behind = ArchiveFault::Contradiction("something follows the compressed data");
    assert_eq!(with([stream.as_slice(), b"\0"].concat()), behind);
    assert_eq!(with([stream.as_slice(), &stream].concat()), behind);
}

#[test]
fn no_part_of_an_archive_is_one() {
    for zip in [Zip::of(RESULTS, true), Zip::streamed(RESULTS, true, true)] {
        let bytes = zip.bytes();
        for length in 2..bytes.len() {
            fault(&bytes[..length]);
        }
    }
}

#[test]
fn a_bomb_does_not_go_off() {
    let zeros = vec![0; MAX_UNPACKED + 1];
    let bomb = Zip::of(&zeros, true);
    let bytes = bomb.bytes();
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    assert_eq!(fault(&bytes), ArchiveFault::TooLarge(64));
    for claimed in [0, 1_000, u32::try_from(MAX_UNPACKED).unwrap()] {
        let mut liar = bomb.clone();
        liar.set_unpacked(claimed);
        assert!(matches!(fault(&liar.bytes()), ArchiveFault::Contradiction(_)), "{claimed}");
    }
    // What just fits is unpacked, and is no results file.
    let most = Zip::of(&zeros[..MAX_UNPACKED], true).bytes();
    assert!(matches!(arrived(&most), Err(ArrivalError::Text(_))));
    assert_eq!(
        arrived(&[b"PK".as_slice(), &zeros[..32 << 20]].concat()),
        Err(ArrivalError::TooLarge { what: "the archive", mebibytes: 32 })
    );
}

#[test]
fn an_error_says_what_is_wrong_and_that_nothing_is_published() {
    let mut texts = std::collections::BTreeSet::new();
    for (_, lie, _) in LIES {
        let mut zip = Zip::of(RESULTS, true);
        lie(&mut zip);
        texts.insert(arrived(&zip.bytes()).unwrap_err().to_string());
    }
    insta::assert_snapshot!(texts.into_iter().collect::<Vec<_>>().join("\n"));
}
