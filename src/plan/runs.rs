//! Commands that are run to their end: what the suites `process` and `build` of a variant ask for.

use super::{CommandLine, Variant};
use crate::model::{Case, CaseName};
use std::path::PathBuf;

/// One set of parameters of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCase {
    /// The parameters as a text.
    pub name: CaseName,
    /// Each parameter and its value: `{NAME}` in a command stands for the value.
    pub parameters: Vec<(String, String)>,
}

impl RunCase {
    /// The only case of a command without parameters.
    pub fn once() -> Self {
        Self { name: CaseName::once(), parameters: Vec::new() }
    }

    /// `text` with every parameter put in.
    pub fn fill(&self, text: &str) -> String {
        let put = |text: String, (name, value): &(String, String)| text.replace(&format!("{{{name}}}"), value);
        self.parameters.iter().fold(text.to_owned(), put)
    }
}

/// `[suite.process]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSuite {
    /// The argument list, run in the variant's directory.
    pub start: Vec<String>,
    /// At least one.
    pub cases: Vec<RunCase>,
}

/// `[suite.build]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildSuite {
    /// The timed command lines; the variant's whole build where the file names none.
    pub run: Vec<CommandLine>,
    /// What they leave, relative to the variant's directory: taken away before, and its size is measured.
    pub output: Vec<String>,
    /// At least one.
    pub cases: Vec<RunCase>,
}

/// One run of a command, with its parameters put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Suite and parameters.
    pub case: Case,
    /// What is run.
    pub command: RunCommand,
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunCommand {
    /// A process, by its argument list.
    Process(Vec<String>),
    /// A build from clean.
    Build {
        /// The timed command lines.
        run: Vec<CommandLine>,
        /// What they leave, relative to the variant's directory.
        output: Vec<PathBuf>,
    },
}

impl Variant {
    /// Whether it has a server, which scenarios are asked of.
    pub fn serves(&self) -> bool {
        self.runtimes.iter().any(|runtime| !runtime.start.is_empty())
    }

    /// Its commands' runs, processes first.
    pub fn runs(&self) -> Vec<Run> {
        let processes = self.process.iter().flat_map(|suite| {
            suite.cases.iter().map(|case| Run {
                case: Case::Process(case.name.clone()),
                command: RunCommand::Process(suite.start.iter().map(|word| case.fill(word)).collect()),
            })
        });
        let builds = self.clean_build.iter().flat_map(|suite| {
            let line =
                |case: &RunCase, line: &CommandLine| CommandLine(line.0.iter().map(|word| case.fill(word)).collect());
            suite.cases.iter().map(move |case| Run {
                case: Case::Build(case.name.clone()),
                command: RunCommand::Build {
                    run: suite.run.iter().map(|command| line(case, command)).collect(),
                    output: suite.output.iter().map(|path| PathBuf::from(case.fill(path))).collect(),
                },
            })
        });
        processes.chain(builds).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stand_in_for_their_names() {
        let case = RunCase {
            name: CaseName::new("providers=100, layers=10").unwrap(),
            parameters: vec![("providers".to_owned(), "100".to_owned()), ("layers".to_owned(), "10".to_owned())],
        };
        assert_eq!(case.fill("dist/{providers}/{layers}x{providers}{other}"), "dist/100/10x100{other}");
        assert_eq!(RunCase::once().fill("{providers}"), "{providers}");
    }
}
