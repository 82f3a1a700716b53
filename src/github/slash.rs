//! `/deadheat` in a comment: from a body's first line to the inputs of a dispatched workflow. Pure.
//!
//! A command is only what stands on the first line that is not blank, from its first character on: quotes, code blocks,
//! indented lines and later lines are talk. Values are held to the characters and lengths that the command line takes,
//! become types, and leave as inputs of a workflow; no text of a comment ever reaches a shell.

use super::slash_mistake::{Reason, SlashMistake};
use crate::model::{RuntimeName, ScenarioName, Suite, VariantName};
use std::collections::BTreeMap;
use std::fmt;

/// The word that a command starts with.
const COMMAND: &str = "/deadheat";
/// The most characters of a command's line.
pub(super) const LINE_LIMIT: usize = 1_000;
/// The most names in one list.
pub(super) const LIST_LIMIT: usize = 32;
/// The longest budget: a job on a hosted runner lives six hours.
const BUDGET_LIMIT_MS: u64 = 6 * 3_600_000;

/// A time for measuring, such as `20m` or `1h30m`, kept as its checked text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget(String);

impl Budget {
    /// Checks `text`: whole numbers with `h`, `m` and `s`, each at most once and in that order, from 1 s to 6 h.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut total: u64 = 0;
        for (unit, milliseconds) in [('h', 3_600_000), ('m', 60_000), ('s', 1000)] {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let Some(after) = rest[digits..].strip_prefix(unit) else { continue };
            // Six digits are enough for six hours of seconds.
            if digits == 0 || digits > 6 {
                return None;
            }
            total += rest[..digits].parse::<u64>().ok()? * milliseconds;
            rest = after;
        }
        (rest.is_empty() && (1000..=BUDGET_LIMIT_MS).contains(&total)).then(|| Self(text.to_owned()))
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a comment asks for; an empty list leaves the choice to the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlashCommand {
    /// Only these variants.
    pub variants: Vec<VariantName>,
    /// Only these runtimes.
    pub runtimes: Vec<RuntimeName>,
    /// Only these suites: `http`, `boot`, `process` or `build`.
    pub suites: Vec<Suite>,
    /// Only these scenarios.
    pub scenarios: Vec<ScenarioName>,
    /// The time for measuring.
    pub budget: Option<Budget>,
}

impl SlashCommand {
    /// The command in the body of a comment; none where the comment is no command.
    ///
    /// # Errors
    /// A [`SlashMistake`] where it is meant as a command and cannot be read.
    pub fn parse(body: &str) -> Option<Result<Self, SlashMistake>> {
        let line = body.lines().find(|line| !line.trim().is_empty())?;
        let rest = line.strip_prefix(COMMAND)?;
        if rest.starts_with(|c: char| !c.is_whitespace()) {
            return None;
        }
        Some(Self::parse_arguments(rest))
    }

    fn parse_arguments(rest: &str) -> Result<Self, SlashMistake> {
        if rest.chars().count() > LINE_LIMIT {
            return Err(SlashMistake::new(rest.trim(), Reason::TooLong));
        }
        let mut command = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for part in rest.split_whitespace() {
            let (key, value) = part.split_once('=').ok_or_else(|| SlashMistake::new(part, Reason::NoValue))?;
            if seen.contains(&key) {
                return Err(SlashMistake::new(part, Reason::Twice));
            }
            match key {
                "variants" => command.variants = names(part, value, "variant", |text| VariantName::new(text).ok())?,
                "runtimes" => command.runtimes = names(part, value, "runtime", |text| RuntimeName::new(text).ok())?,
                "scenarios" => command.scenarios = names(part, value, "scenario", |text| ScenarioName::new(text).ok())?,
                "suites" => command.suites = names(part, value, "suite", suite)?,
                "budget" => {
                    command.budget =
                        Some(Budget::parse(value).ok_or_else(|| SlashMistake::new(part, Reason::NoBudget))?);
                }
                _ => return Err(SlashMistake::new(key, Reason::UnknownKey)),
            }
            seen.push(key);
        }
        Ok(command)
    }

    /// The inputs that the command adds to a dispatched workflow. What it does not name is left out, because GitHub
    /// refuses inputs that a workflow does not know, and fills in the defaults of those that it does.
    pub fn inputs(&self) -> BTreeMap<String, String> {
        fn joined<T: fmt::Display>(names: &[T]) -> String {
            names.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        }
        let budget = self.budget.as_ref().map(|budget| budget.as_str().to_owned()).unwrap_or_default();
        [
            ("variants", joined(&self.variants)),
            ("runtimes", joined(&self.runtimes)),
            ("suites", joined(&self.suites)),
            ("scenarios", joined(&self.scenarios)),
            ("budget", budget),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
    }
}

fn suite(text: &str) -> Option<Suite> {
    let asked = [Suite::Http, Suite::Boot, Suite::Process, Suite::Build];
    asked.into_iter().find(|suite| suite.as_str() == text)
}

/// The list in `value`, each name once.
fn names<T: PartialEq>(
    part: &str,
    value: &str,
    kind: &'static str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, SlashMistake> {
    let mut list = Vec::new();
    for text in value.split(',') {
        let name = read(text).ok_or_else(|| {
            if text.is_empty() {
                SlashMistake::new(part, Reason::EmptyName)
            } else {
                SlashMistake::new(text, Reason::NoName(kind))
            }
        })?;
        if !list.contains(&name) {
            list.push(name);
        }
    }
    if list.len() > LIST_LIMIT { Err(SlashMistake::new(part, Reason::TooMany)) } else { Ok(list) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inputs(body: &str) -> Vec<(String, String)> {
        SlashCommand::parse(body).unwrap().unwrap().inputs().into_iter().collect()
    }

    fn mistake(body: &str) -> String {
        SlashCommand::parse(body).unwrap().unwrap_err().to_string()
    }

    #[test]
    fn only_the_first_line_that_is_not_blank_is_a_command() {
        for body in ["/deadheat", "/deadheat ", "\n \r\n/deadheat\r\nplease", "/deadheat\tbudget=1h", "/deadheat\u{a0}"]
        {
            assert!(matches!(SlashCommand::parse(body), Some(Ok(_))), "{body:?}");
        }
        for body in [
            "",
            " \n",
            "please\n/deadheat",
            "> /deadheat",
            "> quoted\n/deadheat",
            ">/deadheat",
            "```\n/deadheat\n```",
            "`/deadheat`",
            " /deadheat",
            "    /deadheat",
            "\t/deadheat",
            "\\/deadheat",
            "- /deadheat",
            "/deadheatx",
            "/deadheat-now",
            "/deadheat,",
            "/Deadheat",
            "//deadheat",
            "\u{feff}/deadheat",
            "<!-- -->\n/deadheat",
        ] {
            assert_eq!(SlashCommand::parse(body), None, "{body:?}");
        }
    }

    #[test]
    fn what_is_asked_becomes_inputs() {
        assert_eq!(inputs("/deadheat"), []);
        let all = inputs(
            "/deadheat  variants=nest-fastify,express\tsuites=http,boot,http runtimes=bun scenarios=get-user budget=20m",
        );
        let expected = [
            ("budget", "20m"),
            ("runtimes", "bun"),
            ("scenarios", "get-user"),
            ("suites", "http,boot"),
            ("variants", "nest-fastify,express"),
        ];
        assert_eq!(all, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_budget_is_whole_numbers_with_units_in_order() {
        for good in ["1s", "90s", "20m", "1h", "6h", "1h30m", "1h30m5s", "5h60m", "21600s", "0h1s", "007m"] {
            assert_eq!(Budget::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "0s",
            "7h",
            "6h1s",
            "20",
            "m",
            "20 m",
            "20M",
            "1.5h",
            "-1h",
            "+1h",
            "1m1h",
            "1s1s",
            "500ms",
            "1h30",
            "999999999999s",
            "99999999999999999999999h",
            "²h",
            "1ｈ",
            "$(id)",
            "20m;id",
        ] {
            assert_eq!(Budget::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn every_kind_of_mistake_says_what_would_be_right() {
        let long = format!("/deadheat variants={}", "a".repeat(1_000));
        let many = format!("/deadheat variants={}", (0..33).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
        let texts: Vec<String> = [
            "/deadheat please",
            "/deadheat variants=a, b",
            "/deadheat --suites http",
            "/deadheat =a",
            "/deadheat variant=a",
            "/deadheat budget=1h budget=2h",
            "/deadheat variants=",
            "/deadheat variants=$(id)",
            "/deadheat suites=open-loop",
            "/deadheat budget=soon",
            &many,
            &long,
        ]
        .map(|body| mistake(body).lines().next().unwrap().to_owned())
        .into();
        insta::assert_snapshot!(texts.join("\n"));
        insta::assert_snapshot!(mistake("/deadheat pull=`@all`<b>\u{202e}"));
    }

    proptest! {
        /// Whatever is written, what leaves is made of characters that mean nothing anywhere.
        #[test]
        fn inputs_hold_nothing_but_plain_characters(
            rest in "( (variants|runtimes|suites|scenarios|budget|x)=([a-z0-9,.$`;|&(){}\\\\-]|http|20m){0,6}){0,4}|\\PC{0,60}"
        ) {
            if let Some(Ok(command)) = SlashCommand::parse(&format!("/deadheat {rest}")) {
                for (_, value) in command.inputs() {
                    let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-,".contains(&b));
                    prop_assert!(plain && !value.starts_with('-') && !value.contains(",-"), "{}", value);
                }
            }
        }

        /// A stranger's part stays inside its code span: without the spans, the text is ours.
        #[test]
        fn a_mistake_shows_its_part_in_one_span(part in "[`@#<>|\\[\\]()!*_ \\\\a-z\u{202e}\u{200b}-]{1,80}|\\PC{1,80}") {
            if let Some(Err(mistake)) = SlashCommand::parse(&format!("/deadheat {part}")) {
                let text = mistake.to_string();
                let first = text.lines().next().unwrap();
                prop_assert!(first.chars().count() < 300);
                prop_assert!(first.matches('`').count() % 2 == 0, "{}", first);
                let outside: String = first.split('`').step_by(2).collect();
                prop_assert!(outside.chars().all(|c| c.is_ascii_alphanumeric() || " .,;:'=".contains(c)), "{}", outside);
                prop_assert!(text.ends_with("budget=20m\n```"));
            }
        }

        #[test]
        fn no_other_start_is_a_command(before in "[^/\\s]|> |    ", rest in "\\PC{0,20}") {
            prop_assert_eq!(SlashCommand::parse(&format!("{before}/deadheat {rest}")), None);
        }
    }
}
