//! Past verdicts: what a sticky comment said before, kept in its second line where machines alone read it.
//!
//! Nothing is ever taken from the visible text of an old comment: it holds outputs of failed children, which are a
//! stranger's. What is read here is bounded, and a line that is broken in any way is an empty history.

use super::marker::{Marker, RunKey};
use crate::model::{CommitSha, RunAttempt, RunId};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// How many verdicts are kept.
pub const KEPT_VERDICTS: usize = 5;
/// The most characters of a verdict's text.
pub const VERDICT_LIMIT: usize = 160;
/// The most characters of the two lines that lead a body, their ends included; older verdicts give way first.
pub const LEAD_LIMIT: usize = 4_096;

const ADDRESS_LIMIT: usize = 400;
const START: &str = "<!-- deadheat-verdicts:";
const END: &str = " -->";

/// What a comment said about an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastVerdict {
    /// The commit that was raced.
    pub head: CommitSha,
    /// The run that raced it.
    pub run: RunId,
    /// The attempt of that run.
    pub attempt: RunAttempt,
    /// The headline, one line of at most [`VERDICT_LIMIT`] characters. Whoever shows it makes it safe to show.
    pub text: String,
    /// Where the run is to be seen: plain `http(s)`, without a character that Markdown knows.
    pub url: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireVerdict {
    head: CommitSha,
    run: RunId,
    attempt: RunAttempt,
    text: String,
    url: String,
}

impl PastVerdict {
    /// A verdict, its text made one line and cut to [`VERDICT_LIMIT`]; an address that is not plain is left out.
    pub fn new(marker: &Marker, text: &str, url: &str) -> Self {
        let words: Vec<&str> =
            text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|w| !w.is_empty()).collect();
        let line = words.join(" ");
        let text = match line.char_indices().nth(VERDICT_LIMIT) {
            None => line,
            Some(_) => line.chars().take(VERDICT_LIMIT - 1).chain(['…']).collect(),
        };
        let url = if is_plain_address(url) { url.to_owned() } else { String::new() };
        Self { head: marker.head.clone(), run: marker.run, attempt: marker.attempt, text, url }
    }

    /// What results are ordered by.
    pub fn key(&self) -> RunKey {
        RunKey { run: self.run, attempt: self.attempt }
    }

    fn of_wire(wire: WireVerdict) -> Option<Self> {
        let WireVerdict { head, run, attempt, text, url } = wire;
        let fits = text.chars().count() <= VERDICT_LIMIT && !text.chars().any(char::is_control);
        let verdict = Self { head, run, attempt, text, url };
        (fits && (verdict.url.is_empty() || is_plain_address(&verdict.url))).then_some(verdict)
    }
}

/// An address that can stand inside `(...)` or `<...>` of Markdown and leads to the web.
fn is_plain_address(url: &str) -> bool {
    url.len() <= ADDRESS_LIMIT
        && (url.starts_with("https://") || url.starts_with("http://"))
        && url.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~:/?#=&%+".contains(&b))
}

/// The past verdicts in the second line of a body that starts with a marker. Older first; empty where anything about
/// the line is not as it is written here.
pub fn past_verdicts(body: &str) -> Vec<PastVerdict> {
    read(body).unwrap_or_default()
}

fn read(body: &str) -> Option<Vec<PastVerdict>> {
    let (_, rest) = Marker::split(body)?;
    let line = rest.lines().next()?;
    let encoded = line.strip_prefix(START)?.strip_suffix(END)?;
    if encoded.len() > LEAD_LIMIT {
        return None;
    }
    let wires: Vec<WireVerdict> = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(encoded).ok()?).ok()?;
    let verdicts: Vec<PastVerdict> = wires.into_iter().map(PastVerdict::of_wire).collect::<Option<_>>()?;
    let ordered = verdicts.windows(2).all(|two| two[0].key() < two[1].key());
    (ordered && verdicts.len() <= KEPT_VERDICTS).then_some(verdicts)
}

/// The two lines that lead a body of ours, each with its end: the marker, and `past` with `current` after it.
///
/// Never longer than [`LEAD_LIMIT`] characters, all of them ASCII.
pub fn lead(marker: &Marker, past: &[PastVerdict], current: Option<&PastVerdict>) -> String {
    let first = format!("{marker}\n");
    let mut verdicts: Vec<&PastVerdict> = past.iter().chain(current).collect();
    verdicts.sort_by_key(|verdict| verdict.key());
    // Of two with one key the later one stays, which is the current one.
    verdicts.reverse();
    verdicts.dedup_by_key(|verdict| verdict.key());
    verdicts.truncate(KEPT_VERDICTS);
    verdicts.reverse();
    loop {
        let line = second_line(&verdicts);
        if first.len() + line.len() <= LEAD_LIMIT || verdicts.is_empty() {
            return first + &line;
        }
        verdicts.remove(0);
    }
}

fn second_line(verdicts: &[&PastVerdict]) -> String {
    let wires: Vec<WireVerdict> = verdicts
        .iter()
        .map(|verdict| WireVerdict {
            head: verdict.head.clone(),
            run: verdict.run,
            attempt: verdict.attempt,
            text: verdict.text.clone(),
            url: verdict.url.clone(),
        })
        .collect();
    // Plain strings and numbers always have a JSON form.
    let json = serde_json::to_vec(&wires).unwrap_or_default();
    format!("{START}{}{END}\n", URL_SAFE_NO_PAD.encode(json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::marker::ConfigurationPath;
    use proptest::prelude::*;

    fn marker(run: u64) -> Marker {
        Marker {
            configuration: ConfigurationPath::new("deadheat.toml").unwrap(),
            head: CommitSha::new("0123456789abcdef0123456789abcdef01234567").unwrap(),
            run: RunId(run),
            attempt: RunAttempt(1),
        }
    }

    fn verdict(run: u64, text: &str) -> PastVerdict {
        PastVerdict::new(&marker(run), text, "https://github.com/o/r/actions/runs/1")
    }

    fn body_with(json: &str) -> String {
        format!("{}\n{START}{}{END}\nvisible", marker(9), URL_SAFE_NO_PAD.encode(json))
    }

    #[test]
    fn the_last_five_come_back_older_first() {
        let past: Vec<PastVerdict> = (1..=6).map(|run| verdict(run, &format!("verdict {run}"))).collect();
        let current = verdict(7, "now");
        let body = lead(&marker(7), &past, Some(&current)) + "visible\n";
        let texts: Vec<String> = past_verdicts(&body).into_iter().map(|verdict| verdict.text).collect();
        assert_eq!(texts, ["verdict 3", "verdict 4", "verdict 5", "verdict 6", "now"]);
        assert_eq!(body.lines().count(), 3);
    }

    #[test]
    fn the_current_verdict_replaces_its_own_earlier_wording() {
        let body = lead(&marker(2), &[verdict(1, "one"), verdict(2, "draft")], Some(&verdict(2, "final")));
        assert_eq!(past_verdicts(&body), [verdict(1, "one"), verdict(2, "final")]);
    }

    #[test]
    fn a_text_is_one_bounded_line_and_an_address_is_plain() {
        assert_eq!(verdict(1, " a\n\tb\u{0}c ").text, "a b c");
        assert_eq!(verdict(1, &"é".repeat(161)).text, "é".repeat(159) + "…");
        assert_eq!(verdict(1, &"é".repeat(160)).text, "é".repeat(160));
        for bad in
            ["javascript:alert(1)", "https://a b", "https://a)b", "https://a>b", "https://`", "ftp://x", "https://[x]"]
        {
            assert_eq!(PastVerdict::new(&marker(1), "", bad).url, "", "{bad}");
        }
        assert_eq!(PastVerdict::new(&marker(1), "", &format!("https://{}", "a".repeat(400))).url, "");
    }

    #[test]
    fn anything_broken_is_an_empty_history() {
        const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";
        let item = |run: u64, text: &str, url: &str| {
            format!(r#"{{"head":"{HEAD}","run":{run},"attempt":1,"text":"{text}","url":"{url}"}}"#)
        };
        let many = (1..=6).map(|run| item(run, "x", "")).collect::<Vec<_>>().join(",");
        assert_eq!(past_verdicts(&body_with(&format!("[{}]", item(1, "x", "")))).len(), 1);
        for json in [
            "",
            "{}",
            "[1]",
            "[{}]",
            &format!("[{}", item(1, "x", "")),
            &format!("[{}]", item(1, &"x".repeat(161), "")),
            &format!("[{}]", item(1, "a\\nb", "")),
            &format!("[{}]", item(1, "x", "javascript:x")),
            &format!("[{},{}]", item(2, "x", ""), item(1, "x", "")),
            &format!("[{},{}]", item(1, "x", ""), item(1, "x", "")),
            &format!("[{}]", item(1, "x", "").replace("0123", "XXXX")),
            &format!("[{}]", item(1, "x", "").replace(r#""run""#, r#""more":1,"run""#)),
            &format!("[{many}]"),
        ] {
            assert_eq!(past_verdicts(&body_with(json)), [], "{json}");
        }
        let good = body_with(&format!("[{}]", item(1, "x", "")));
        for body in [
            good.replace(START, " <!-- deadheat-verdicts:"),
            good.replace("visible", "").replace(&format!("{END}\n"), "="),
            good.replacen('\n', "\n\n", 1),
            good.replace("<!-- deadheat:", "<!-- other:"),
            format!("> {good}"),
            marker(1).to_string(),
            String::new(),
        ] {
            assert_eq!(past_verdicts(&body), [], "{body}");
        }
    }

    #[test]
    fn the_lead_keeps_its_limit_whatever_the_names_are() {
        let mut long = marker(u64::MAX);
        long.configuration = ConfigurationPath::new(&"ü".repeat(127)).unwrap();
        long.attempt = RunAttempt(u32::MAX);
        let address = format!("https://{}", "a".repeat(392));
        let past: Vec<PastVerdict> =
            (1..=5).map(|run| PastVerdict::new(&marker(run), &"\u{1f3c1}".repeat(160), &address)).collect();
        let text = lead(&long, &past, None);
        assert!(text.len() <= LEAD_LIMIT && text.is_ascii(), "{}", text.len());
        let kept = past_verdicts(&text);
        assert!(!kept.is_empty() && kept == past[5 - kept.len()..], "{}", kept.len());
    }

    proptest! {
        #[test]
        fn what_is_kept_is_read(texts in prop::collection::vec("\\PC{0,200}|[<>`\"\\\\\\n-]{0,9}", 0..8)) {
            let past: Vec<PastVerdict> = texts.iter().zip(1..).map(|(text, run)| verdict(run, text)).collect();
            let text = lead(&marker(100), &past, None);
            prop_assert_eq!(text.lines().count(), 2);
            prop_assert!(text.len() <= LEAD_LIMIT);
            prop_assert_eq!(Marker::parse(&text), Some(marker(100)));
            let kept = past_verdicts(&text);
            prop_assert_eq!(&kept[..], &past[past.len() - kept.len()..]);
            prop_assert!(kept.len() >= past.len().min(3));
        }

        #[test]
        fn no_second_line_makes_it_panic(line in "\\PC{0,80}|<!-- deadheat-verdicts:[A-Za-z0-9_=-]{0,80} -->") {
            past_verdicts(&format!("{}\n{line}\n", marker(1)));
        }
    }
}
