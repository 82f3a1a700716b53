//! What `replay` is told: results files, in groups by what is known to be true of them.

use crate::model::{EntryName, ScenarioName};
use clap::builder::{StringValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use std::path::PathBuf;

const UNCHANGED: &str = "unchanged";
const SLOWED: &str = "slowed";

/// What `replay` is told.
#[derive(Args, Clone, Debug)]
pub struct ReplayArgs {
    /// Results files of which nothing is known: shows what each rule flags
    #[arg(value_name = "RESULTS", conflicts_with_all = [UNCHANGED, SLOWED])]
    pub results: Vec<PathBuf>,
    /// Results files of which the truth is known.
    #[command(flatten)]
    pub told: ToldRuns,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs of which the truth is known. `--slowed` takes a name and files, so that a shell's pattern can follow the name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToldRuns {
    /// Runs of a head that changes nothing.
    pub unchanged: Vec<PathBuf>,
    /// Runs of a head that is slower in one scenario, a group per time that the option was given.
    pub slowed: Vec<SlowedRuns>,
}

/// Runs of a head that is slower in one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowedRuns {
    /// Of this entry alone; of every one where none is named.
    pub entry: Option<EntryName>,
    /// The scenario.
    pub scenario: ScenarioName,
    /// By how many percent, for the headings.
    pub percent: Option<f64>,
    /// The results files.
    pub files: Vec<PathBuf>,
}

impl SlowedRuns {
    /// Reads `[ENTRY/]SCENARIO[:PERCENT%]`, with no files yet.
    fn named(text: &str) -> Result<Self, String> {
        let (name, percent) = match text.split_once(':') {
            Some((name, percent)) => (name, Some(percent)),
            None => (text, None),
        };
        let (entry, scenario) = match name.split_once('/') {
            Some((entry, scenario)) => (Some(entry), scenario),
            None => (None, name),
        };
        let percent = percent.map(|written| {
            let number = written.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
            number
                .filter(|number| number.is_finite() && *number > 0.0)
                .ok_or_else(|| format!("invalid percentage `{written}`: write one such as `3%`"))
        });
        Ok(Self {
            entry: entry.map(EntryName::new).transpose().map_err(|error| error.to_string())?,
            scenario: ScenarioName::new(scenario).map_err(|error| error.to_string())?,
            percent: percent.transpose()?,
            files: Vec::new(),
        })
    }
}

impl Args for ToldRuns {
    fn augment_args(command: Command) -> Command {
        command
            .arg(
                Arg::new(UNCHANGED)
                    .long(UNCHANGED)
                    .value_name("RESULTS")
                    .num_args(1..)
                    .action(ArgAction::Append)
                    .value_parser(ValueParser::path_buf())
                    .help("Runs of a head that changes nothing: every flag is a false alarm"),
            )
            .arg(
                Arg::new(SLOWED)
                    .long(SLOWED)
                    .value_names(["[ENTRY/]SCENARIO[:PERCENT%]", "RESULTS"])
                    .num_args(2..)
                    .action(ArgAction::Append)
                    .value_parser(StringValueParser::new())
                    .help(
                        "Runs of a head that is slower in this scenario and nowhere else, such as \
                         `--slowed get-user:3% runs/*.json`; can be given more than once",
                    ),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ToldRuns {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let unchanged = matches.get_many::<PathBuf>(UNCHANGED).into_iter().flatten().cloned().collect();
        let mut slowed = Vec::new();
        for mut values in matches.get_occurrences::<String>(SLOWED).into_iter().flatten() {
            let name = values.next().map_or("", String::as_str);
            let group = SlowedRuns::named(name).map_err(|reason| {
                Error::raw(ErrorKind::ValueValidation, format!("invalid value '{name}' for '--{SLOWED}': {reason}\n"))
            })?;
            slowed.push(SlowedRuns { files: values.map(PathBuf::from).collect(), ..group });
        }
        Ok(Self { unchanged, slowed })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command};
    use super::*;
    use clap::Parser;

    fn read(arguments: &str) -> Result<ReplayArgs, Error> {
        let cli = Cli::try_parse_from(["deadheat", "replay"].into_iter().chain(arguments.split_whitespace()))?;
        match cli.command {
            Command::Replay(arguments) => Ok(arguments),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn groups_keep_their_files() {
        let read =
            read("--unchanged a b --slowed app@node/get-user:3% c d --slowed hello e --unchanged f --json").unwrap();
        assert!(read.json && read.results.is_empty());
        assert_eq!(read.told.unchanged, ["a", "b", "f"].map(PathBuf::from));
        let [first, second] = &read.told.slowed[..] else { panic!("{read:?}") };
        assert_eq!(first.entry.as_ref().map(EntryName::as_str), Some("app@node"));
        assert_eq!((first.scenario.as_str(), first.percent), ("get-user", Some(3.0)));
        assert_eq!(first.files, ["c", "d"].map(PathBuf::from));
        assert_eq!((second.scenario.as_str(), second.percent, second.entry.is_none()), ("hello", None, true));
        assert_eq!(second.files, [PathBuf::from("e")]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (arguments, said) in [
            ("a --unchanged b", "cannot be used with"),
            ("a --slowed get b", "cannot be used with"),
            ("--slowed get", "2 values required"),
            ("--slowed get-user:3 a", "write one such as `3%`"),
            ("--slowed get-user:-3% a", "write one such as `3%`"),
            ("--slowed get-user:NaN% a", "write one such as `3%`"),
            ("--slowed runs/*.json a", "invalid scenario name"),
            ("--slowed a/b/c a", "invalid scenario name"),
        ] {
            let error = read(arguments).unwrap_err().to_string();
            assert!(error.contains(said), "{arguments}: {error}");
        }
        assert_eq!(read("a b").unwrap().results, ["a", "b"].map(PathBuf::from));
    }
}
