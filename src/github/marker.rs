//! The marker: the first line of everything that deadheat writes on GitHub and finds again.
//!
//! It says which configuration, commit and run the text below it belongs to, in a comment that nobody sees. It is read
//! strictly and only at the very start of a body: text that merely quotes a marker never bears one. Who wrote the body
//! is for the caller to check; a marker alone proves nothing.

use crate::model::{CommitSha, InvalidName, RunAttempt, RunId};
use std::fmt;

/// The path of a configuration inside its repository, such as `deadheat.toml`: each has a comment of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigurationPath(String);

/// The most bytes of a configuration's path.
const PATH_LIMIT: usize = 255;

impl ConfigurationPath {
    /// Checks and wraps a path; leading `./` are left out, so that one file has one name.
    ///
    /// # Errors
    /// [`InvalidName`] where nothing is left of the path, or more than 255 bytes.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        let mut path = text;
        while let Some(rest) = path.strip_prefix("./") {
            path = rest.trim_start_matches('/');
        }
        if path.is_empty() || path.len() > PATH_LIMIT {
            let rule = "use a path of 1 to 255 bytes inside the repository";
            return Err(InvalidName { what: "path of a configuration", text: text.to_owned(), rule });
        }
        Ok(Self(path.to_owned()))
    }

    /// The path as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the check of what this configuration races: that of the tool, with the path where it is not the usual one.
    pub fn check_name(&self) -> String {
        match self.as_str() {
            "deadheat.toml" => "deadheat".to_owned(),
            other => format!("deadheat ({other})"),
        }
    }

    /// Whether `byte` stands for itself in a marker. A dash after a dash does not: two of them could end a comment.
    fn is_plain(byte: u8, before: Option<u8>) -> bool {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_' | b'/')
            || byte == b'-' && before.is_some_and(|before| before != b'-')
    }

    /// Percent-encoded, so that it holds neither spaces nor the end of a comment.
    fn encoded(&self) -> String {
        let bytes = self.0.as_bytes();
        let mut text = String::with_capacity(bytes.len());
        for (index, &byte) in bytes.iter().enumerate() {
            if Self::is_plain(byte, index.checked_sub(1).map(|before| bytes[before])) {
                text.push(char::from(byte));
            } else {
                text.extend(format!("%{byte:02X}").chars());
            }
        }
        text
    }

    /// Only what [`Self::encoded`] writes is read, so that no two texts mean one path.
    fn decode(text: &str) -> Option<Self> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, tail @ ..] = rest {
            if *first == b'%' {
                let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &tail[2..];
            } else {
                bytes.push(*first);
                rest = tail;
            }
        }
        let path = Self::new(&String::from_utf8(bytes).ok()?).ok()?;
        (path.encoded() == text).then_some(path)
    }
}

impl fmt::Display for ConfigurationPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which results are newer: those of a later run, and of one run those of a later attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey {
    /// The run.
    pub run: RunId,
    /// Its attempt.
    pub attempt: RunAttempt,
}

impl RunKey {
    /// `RUN/ATTEMPT`, as a check run's external id holds it.
    pub fn external_id(self) -> String {
        format!("{}/{}", self.run, self.attempt)
    }

    /// Reads what [`Self::external_id`] writes, and nothing else.
    pub fn of_external_id(text: &str) -> Option<Self> {
        let (run, attempt) = text.split_once('/')?;
        Self::of_texts(run, attempt)
    }

    fn of_texts(run: &str, attempt: &str) -> Option<Self> {
        let key = Self { run: RunId(run.parse().ok()?), attempt: RunAttempt(attempt.parse().ok()?) };
        // No plus sign and no leading zeros.
        (key.run.to_string() == run && key.attempt.to_string() == attempt).then_some(key)
    }
}

/// What a text of ours belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The configuration that was raced.
    pub configuration: ConfigurationPath,
    /// The commit that was raced.
    pub head: CommitSha,
    /// The run that raced it.
    pub run: RunId,
    /// The attempt of that run.
    pub attempt: RunAttempt,
}

impl Marker {
    /// What results are ordered by.
    pub fn key(&self) -> RunKey {
        RunKey { run: self.run, attempt: self.attempt }
    }

    /// `body` behind this marker: as it is where it starts with it, else with the marker before it. Without its marker
    /// a text would never be found again, and each publishing would post another.
    pub(super) fn leading(&self, body: &str) -> String {
        if Self::parse(body).as_ref() == Some(self) { body.to_owned() } else { format!("{self}\n{body}") }
    }

    /// The marker that `body` starts with. A marker that is indented, quoted, fenced or further below is none.
    pub fn parse(body: &str) -> Option<Self> {
        Self::split(body).map(|(marker, _)| marker)
    }

    /// The marker that `body` starts with, and what follows its line.
    pub(super) fn split(body: &str) -> Option<(Self, &str)> {
        let (line, rest) = body.split_once('\n').unwrap_or((body, ""));
        let line = line.strip_suffix('\r').unwrap_or(line);
        let inside = line.strip_prefix("<!-- deadheat:")?.strip_suffix(" -->")?;
        let mut words = inside.split(' ');
        let configuration = ConfigurationPath::decode(words.next()?)?;
        let head = CommitSha::new(words.next()?.strip_prefix("head=")?).ok()?;
        let run = words.next()?.strip_prefix("run=")?;
        let attempt = words.next()?.strip_prefix("attempt=")?;
        let RunKey { run, attempt } = RunKey::of_texts(run, attempt)?;
        words.next().is_none().then_some((Self { configuration, head, run, attempt }, rest))
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { configuration, head, run, attempt } = self;
        write!(f, "<!-- deadheat:{} head={head} run={run} attempt={attempt} -->", configuration.encoded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

    fn marker(path: &str) -> Marker {
        Marker {
            configuration: ConfigurationPath::new(path).unwrap(),
            head: CommitSha::new(SHA).unwrap(),
            run: RunId(77),
            attempt: RunAttempt(2),
        }
    }

    #[test]
    fn a_marker_is_one_line_that_nothing_inside_can_end() {
        for (path, written) in [
            ("deadheat.toml", "deadheat.toml"),
            ("./bench/dead-heat.toml", "bench/dead-heat.toml"),
            ("a -->b", "a%20-%2D%3Eb"),
            ("-->", "%2D%2D%3E"),
            ("a--!>", "a-%2D%21%3E"),
            ("ü\n%41", "%C3%BC%0A%2541"),
        ] {
            let line = marker(path).to_string();
            assert_eq!(line, format!("<!-- deadheat:{written} head={SHA} run=77 attempt=2 -->"));
            assert_eq!(Marker::parse(&line), Some(marker(path)));
            assert_eq!(Marker::parse(&format!("{line}\r\nrest")), Some(marker(path)));
        }
    }

    #[test]
    fn only_a_whole_marker_at_the_very_start_counts() {
        let line = marker("deadheat.toml").to_string();
        for body in [
            format!("> {line}"),
            format!(" {line}"),
            format!("\n{line}"),
            format!("\u{feff}{line}"),
            format!("```\n{line}\n```"),
            format!("{line} and more"),
            format!("{line}\rmore"),
            line.replace("run=77", "run=077"),
            line.replace("run=77", "run=+77"),
            line.replace("run=77", "run=99999999999999999999999"),
            line.replace("attempt=2", "attempt=-2"),
            line.replace("attempt=2", "attempt=2 extra=1"),
            line.replace("attempt=2 ", "attempt=2  "),
            line.replace(" attempt=2", ""),
            line.replace("0123456789", "0123456"),
            line.replace("abcdef", "ABCDEF"),
            line.replace("deadheat.toml", ""),
            line.replace("deadheat.toml", "dead%68eat.toml"),
            line.replace("deadheat.toml", "./deadheat.toml"),
            line.replace("deadheat.toml", "a%2eb"),
            line.replace("deadheat.toml", "a%"),
            line.replace("deadheat.toml", "a%é"),
            line.replace("deadheat.toml", "a%FF"),
            line.replace("deadheat.toml", &"a".repeat(256)),
            String::new(),
        ] {
            assert_eq!(Marker::parse(&body), None, "{body:?}");
        }
    }

    #[test]
    fn a_path_is_bounded_and_has_one_name() {
        assert_eq!(ConfigurationPath::new("././/a.toml").unwrap().as_str(), "a.toml");
        for bad in ["", "./", ".//./", &"x".repeat(256)] {
            assert!(ConfigurationPath::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_later_run_is_newer_and_then_a_later_attempt() {
        let key = |run, attempt| RunKey { run: RunId(run), attempt: RunAttempt(attempt) };
        assert!(key(2, 1) > key(1, 9));
        assert!(key(1, 10) > key(1, 9));
        assert_eq!(RunKey::of_external_id("12/3"), Some(key(12, 3)));
        assert_eq!(key(12, 3).external_id(), "12/3");
        for bad in ["", "/", "12", "12/", "/3", "12/3/4", "012/3", "12/+3", " 12/3", "12/99999999999"] {
            assert_eq!(RunKey::of_external_id(bad), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(path in "[-%> a-c./\\PC\\n]{1,60}", run: u64, attempt: u32, rest in "\\PC{0,20}") {
            prop_assume!(ConfigurationPath::new(&path).is_ok());
            let marker = Marker { run: RunId(run), attempt: RunAttempt(attempt), ..marker(&path) };
            let line = marker.to_string();
            prop_assert!(!line.contains('\n'));
            let inside = line.strip_prefix("<!--").unwrap().strip_suffix("-->").unwrap();
            prop_assert!(!inside.contains("--") && !inside.contains('>'), "{}", line);
            prop_assert_eq!(Marker::parse(&format!("{line}\n{rest}")), Some(marker));
        }

        #[test]
        fn no_other_start_is_a_marker(before in "\\PC{1,8}|[ \\n>`]{1,3}", body in "\\PC{0,40}") {
            let line = marker("deadheat.toml").to_string();
            prop_assert_eq!(Marker::parse(&format!("{before}{line}\n")), None);
            prop_assert_eq!(Marker::parse(&body), None);
        }

        /// One character of a marker changed: it is a marker of other values that is written just so, or none.
        #[test]
        fn a_changed_marker_is_another_or_none(at in 0usize..90, with: char) {
            let line = marker("dead-heat.toml").to_string();
            let changed: String = line.chars().enumerate().map(|(index, c)| if index == at { with } else { c }).collect();
            if let Some(read) = Marker::parse(&changed) {
                prop_assert_eq!(read.to_string(), changed.lines().next().unwrap());
            }
        }
    }
}
