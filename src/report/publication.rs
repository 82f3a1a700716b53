//! What whoever publishes a run knows of it beyond its results. Plain data, and none of it is read from the results.

use crate::model::{CommitSha, RunAttempt};

/// An address of the web that can stand inside a Markdown link as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress(String);

impl WebAddress {
    /// Checks an address: `https://`, or `http://127.0.0.1` for a double, and no character that could end a link.
    pub fn new(text: &str) -> Option<Self> {
        const LIMIT: usize = 400;
        let rest =
            text.strip_prefix("https://").or_else(|| text.strip_prefix("http://").filter(|rest| is_loopback(rest)));
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#=&%+".contains(&b);
        let fits =
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && rest.bytes().all(plain));
        (fits && text.len() <= LIMIT).then(|| Self(text.to_owned()))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_loopback(rest: &str) -> bool {
    rest.strip_prefix("127.0.0.1").is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
}

/// What was said about an earlier head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastVerdict {
    /// The commit that was raced.
    pub head: CommitSha,
    /// One line, as [`super::short_verdict`] gave it; it is made safe again before it is shown.
    pub text: String,
    /// The run that raced it.
    pub url: Option<WebAddress>,
}

/// Head's requests per second beside those that are stored of an earlier commit: figures of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendLine {
    /// The earlier commit.
    pub commit: CommitSha,
    /// How many commits before base it is: 0 is base itself.
    pub commits_before: Option<usize>,
    /// The mean change in percent.
    pub mean_pct: f64,
    /// The lowest change of a cell.
    pub lowest_pct: f64,
    /// The highest.
    pub highest_pct: f64,
    /// How many cells both have.
    pub cells: usize,
}

/// How the base of a push was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseNote {
    /// The nearest ancestor that was measured.
    MeasuredAncestor {
        /// How many commits before head it is: 1 is the parent.
        commits_before: usize,
    },
    /// There are no stored results of it.
    NothingMeasured,
}

/// What whoever publishes a run knows of it beyond its results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Publication {
    /// Whether a job that ran a fork's own code measured the figures, which makes them claims.
    pub from_fork: bool,
    /// The page of the run.
    pub run_url: Option<WebAddress>,
    /// Which attempt at the run it was.
    pub attempt: Option<RunAttempt>,
    /// What the run cost, in minutes of a runner.
    pub runner_minutes: Option<u32>,
    /// Earlier verdicts on the same pull request, the newest first.
    pub past: Vec<PastVerdict>,
    /// How head stands to a stored baseline.
    pub trend: Option<TrendLine>,
    /// The label that lets a regression pass, where the pull request bears it.
    pub accepted_label: Option<String>,
    /// How base was chosen.
    pub base_note: Option<BaseNote>,
    /// Whether a comment with `/deadheat` starts a race here: on a pull request.
    pub takes_commands: bool,
    /// What else a reader should know, as plain sentences.
    pub notes: Vec<String>,
}

/// What a check run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOutput {
    /// One plain line of at most 120 characters.
    pub title: String,
    /// Markdown of at most 65,535 characters.
    pub summary: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_can_not_leave_its_link() {
        for good in [
            "https://github.com/o/r/actions/runs/1/attempts/2",
            "https://ghe.example:8443/o/r?x=1&y=%20#a",
            "http://127.0.0.1:8080/o/r",
            "http://127.0.0.1/o",
        ] {
            assert_eq!(WebAddress::new(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "https://",
            "https:///x",
            "http://example.com/",
            "http://127.0.0.1.example.com/",
            "http://127.0.0.1@example.com/",
            "javascript:alert(1)",
            "//example.com",
            " https://example.com",
            "https://example.com/a b",
            "https://example.com/)[x](y",
            "https://example.com/<b>",
            "https://example.com/\"x",
            "https://example.com/`x",
            "https://example.com/a|b",
            "https://example.com/a\\b",
            "https://example.com/@team",
            "https://example.com/*x*",
            "https://example.com/\n",
            "https://exämple.com/",
            &format!("https://example.com/{}", "a".repeat(400)),
        ] {
            assert_eq!(WebAddress::new(bad), None, "{bad:?}");
        }
    }
}
