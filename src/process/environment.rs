//! What a child may see of the environment: a fixed few names, what the manifest names, and nothing of the runner.

use std::collections::BTreeMap;
use thiserror::Error;

/// What every child gets where deadheat itself has it.
const INHERITED: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];
/// What a workflow runner puts there for itself: no child ever gets one of these, from whatever source.
const RESERVED: [&str; 4] = ["GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_"];
/// A name that holds one of these is taken for a credential and not handed on.
const CREDENTIALS: [&str; 7] = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "PRIVATE_KEY", "API_KEY"];
/// How GitHub's tokens begin.
const TOKEN_PREFIXES: [&str; 6] = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"];

/// The whole environment of a child. It can only be made by scrubbing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

/// A variable that a child may not get. The value is never shown.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EnvironmentError {
    /// It belongs to the runner.
    #[error(
        "{name} belongs to the workflow's runner and is never given to what a pull request starts: take it out of the manifest"
    )]
    Reserved {
        /// The variable.
        name: String,
    },
    /// It is named like a credential.
    #[error("{name} is named like a credential and is not passed on: set a value for the benchmark under env instead")]
    Credential {
        /// The variable.
        name: String,
    },
    /// Its value is a token of GitHub's.
    #[error("the value of {name} looks like a GitHub token and is never given to what a pull request starts")]
    Token {
        /// The variable.
        name: String,
    },
    /// No process could have such a variable.
    #[error("{name:?} can't be an environment variable: names are not empty and hold no = and no NUL, values no NUL")]
    Invalid {
        /// The variable.
        name: String,
    },
}

impl Environment {
    /// From the parent's variables: the fixed few, those that `pass` names where the parent has them, and `explicit`
    /// pairs, which win over both.
    pub fn scrubbed(
        parent: &BTreeMap<String, String>,
        pass: &[String],
        explicit: &BTreeMap<String, String>,
    ) -> Result<Self, EnvironmentError> {
        let mut environment = Self::default();
        let inherited = INHERITED.iter().copied();
        for (name, value) in inherited.filter_map(|name| parent.get_key_value(name)) {
            environment.set(name, value)?;
        }
        for name in pass {
            let upper = name.to_ascii_uppercase();
            // Asked for whether or not it is set here: the same manifest must not pass on one machine only.
            refuse_reserved(name)?;
            if CREDENTIALS.iter().any(|word| upper.contains(word)) {
                return Err(EnvironmentError::Credential { name: name.clone() });
            }
            if let Some(value) = parent.get(name) {
                environment.set(name, value)?;
            }
        }
        for (name, value) in explicit {
            environment.set(name, value)?;
        }
        Ok(environment)
    }

    /// Sets one variable, such as `PORT`.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), EnvironmentError> {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(EnvironmentError::Invalid { name: name.to_owned() });
        }
        refuse_reserved(name)?;
        if TOKEN_PREFIXES.iter().any(|prefix| value.contains(prefix)) {
            return Err(EnvironmentError::Token { name: name.to_owned() });
        }
        self.0.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All variables, by name.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

fn refuse_reserved(name: &str) -> Result<(), EnvironmentError> {
    if is_reserved(name) { Err(EnvironmentError::Reserved { name: name.to_owned() }) } else { Ok(()) }
}

/// Whether a workflow's runner puts a variable of this name there for itself.
pub fn is_reserved(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    RESERVED.iter().any(|prefix| upper.starts_with(prefix))
}

/// The environment of this process; variables that are no Unicode are left out.
pub fn parent_environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn runner() -> BTreeMap<String, String> {
        map(&[
            ("PATH", "/usr/bin"),
            ("HOME", "/home/runner"),
            ("LANG", "C.UTF-8"),
            ("GITHUB_TOKEN", "ghs_abc"),
            ("GITHUB_WORKSPACE", "/w"),
            ("ACTIONS_RUNTIME_TOKEN", "x"),
            ("RUNNER_TEMP", "/t"),
            ("INPUT_TOKEN", "x"),
            ("NODE_AUTH_TOKEN", "x"),
            ("CARGO_HOME", "/cargo"),
            ("MY_AUTH", "Bearer ghs_abc"),
            ("EDITOR", "vi"),
        ])
    }

    #[test]
    fn the_fixed_few_and_what_the_manifest_names() {
        let pass = ["CARGO_HOME".to_owned(), "NOT_SET_HERE".to_owned()];
        let environment = Environment::scrubbed(&runner(), &pass, &map(&[("NODE_ENV", "production"), ("LANG", "C")]));
        let expected = map(&[
            ("PATH", "/usr/bin"),
            ("HOME", "/home/runner"),
            ("LANG", "C"),
            ("CARGO_HOME", "/cargo"),
            ("NODE_ENV", "production"),
        ]);
        assert_eq!(environment.unwrap().variables(), &expected);
    }

    #[test]
    fn a_runners_variable_is_refused_even_by_name() {
        for name in [
            "GITHUB_TOKEN",
            "github_workspace",
            "ACTIONS_RUNTIME_TOKEN",
            "RUNNER_TEMP",
            "INPUT_TOKEN",
            "GITHUB_NOT_SET",
        ] {
            let reserved = Err(EnvironmentError::Reserved { name: name.to_owned() });
            assert_eq!(Environment::scrubbed(&runner(), &[name.to_owned()], &map(&[])), reserved);
            assert_eq!(Environment::scrubbed(&runner(), &[], &map(&[(name, "1")])), reserved);
        }
        for name in ["NODE_AUTH_TOKEN", "npm_config_token", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY"] {
            let refused = Err(EnvironmentError::Credential { name: name.to_owned() });
            assert_eq!(Environment::scrubbed(&runner(), &[name.to_owned()], &map(&[])), refused);
        }
    }

    #[test]
    fn a_token_under_another_name_is_refused_and_not_shown() {
        let error = Environment::scrubbed(&runner(), &["MY_AUTH".to_owned()], &map(&[])).unwrap_err();
        assert_eq!(error, EnvironmentError::Token { name: "MY_AUTH".to_owned() });
        assert!(!error.to_string().contains("ghs_"));
    }

    #[test]
    fn a_manifest_may_set_a_password_of_its_own() {
        let environment = Environment::scrubbed(&runner(), &[], &map(&[("DB_PASSWORD", "benchmark")])).unwrap();
        assert_eq!(environment.get("DB_PASSWORD"), Some("benchmark"));
    }

    #[test]
    fn impossible_names_are_refused() {
        let mut environment = Environment::default();
        for (name, value) in [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0y")] {
            assert!(matches!(environment.set(name, value), Err(EnvironmentError::Invalid { .. })), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_of_the_runner_gets_through(
            parent in proptest::collection::btree_map("(GITHUB_|ACTIONS_|RUNNER_|PATH|A)[A-Z]{0,4}", "[a-z_]{0,12}", 0..10),
            pass in proptest::collection::vec("(GITHUB_|ACTIONS_|A|)[A-Z]{0,4}", 0..4),
        ) {
            if let Ok(environment) = Environment::scrubbed(&parent, &pass, &BTreeMap::new()) {
                for name in environment.variables().keys() {
                    let known = INHERITED.contains(&name.as_str()) || pass.contains(name);
                    prop_assert!(known && !RESERVED.iter().any(|prefix| name.starts_with(prefix)));
                }
            }
        }
    }
}
