//! JSON Schemas of the files that the user writes and of the results file, for editors and for scripts.
//!
//! The reader has its own eyes (`plan::read`), because it tells every mistake with its line; `tests/configuration.rs`
//! and the tests of this room hold the two together. A schema can't say what two files say of each other.

mod configuration;
mod contract;
mod variant;

use crate::model::Results;
use schemars::{JsonSchema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// A file that a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaName {
    /// `deadheat.toml`.
    Configuration,
    /// `variant.toml`.
    Variant,
    /// A file of the contract.
    Contract,
    /// `results.json`.
    Results,
}

impl SchemaName {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Configuration, Self::Variant, Self::Contract, Self::Results];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Variant => "variant",
            Self::Contract => "contract",
            Self::Results => "results",
        }
    }
}

impl fmt::Display for SchemaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that no schema bears.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown schema `{0}`: use configuration, variant, contract or results")]
pub struct UnknownSchema(String);

impl FromStr for SchemaName {
    type Err = UnknownSchema;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|name| name.as_str() == text).ok_or_else(|| UnknownSchema(text.to_owned()))
    }
}

/// The schema of a file, as JSON Schema 2020-12.
pub fn schema(name: SchemaName) -> Value {
    match name {
        SchemaName::Configuration => of_toml::<configuration::DeadheatToml>(),
        SchemaName::Variant => of_toml::<variant::VariantToml>(),
        SchemaName::Contract => of_toml::<contract::ContractToml>(),
        SchemaName::Results => schemars::schema_for!(Results).to_value(),
    }
}

/// TOML has no null: what may be left out is left out.
fn of_toml<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(without_null));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn without_null(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            object.remove("anyOf");
            object.extend(only);
        }
    }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $pattern:literal;)*) => {$(
        $(#[$doc])*
        #[derive(schemars::JsonSchema)]
        #[expect(dead_code, reason = "only its schema is used")]
        pub(super) struct $name(#[schemars(regex(pattern = $pattern))] String);
    )*};
}

/// Kinds of text that several files use.
mod texts {
    texts! {
        /// 1 to 64 letters, digits, `.`, `_` or `-`, starting with a letter or digit.
        Name = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
        /// Whole numbers with h, m, s or ms, larger units first: `500ms`, `12m`, `1h30m`.
        Duration = r"^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$";
        /// A percentage above zero: `1%`, `0.5%`.
        Percent = r"^[0-9]+(\.[0-9]*)?%$";
        /// Requests per second: `5000/s`.
        Rate = r"^[0-9]+(\.[0-9]*)?/s$";
        /// `auto`, or a list of logical CPUs: `0`, `0,2-3`.
        Cpus = r"^(auto|\s*[0-9]+\s*(-\s*[0-9]+\s*)?(,\s*[0-9]+\s*(-\s*[0-9]+\s*)?)*)$";
        /// A path relative to the file's own directory, that of `deadheat.toml`, or that of the contract.
        RelativePath = r"^[^/]";
        /// One line of text.
        Line = r"^[^\n\r]+$";
        /// A command line, split into words and run without a shell.
        CommandLine = r"\S";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Metric;
    use crate::plan::read::{accepted_keys, is_judged};
    use crate::plan::{Content, ContractSources, FileText, Sources};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn names_go_there_and_back() {
        for name in SchemaName::ALL {
            assert_eq!(name.as_str().parse(), Ok(name));
        }
        assert!("Contract".parse::<SchemaName>().is_err());
    }

    #[test]
    fn no_schema_of_toml_mentions_null() {
        for name in TOML {
            assert!(!schema(name).to_string().contains("\"null\""), "{name}");
        }
    }

    const TOML: [SchemaName; 3] = [SchemaName::Configuration, SchemaName::Variant, SchemaName::Contract];

    /// Properties by the kind of table that they belong to.
    fn properties() -> BTreeMap<String, BTreeSet<String>> {
        let mut kinds = BTreeMap::new();
        for name in TOML {
            let root = schema(name);
            let title = root["title"].as_str().unwrap().to_owned();
            let definitions = root["$defs"].as_object().unwrap().clone();
            for (kind, object) in definitions.into_iter().chain([(title, root)]) {
                if let Some(properties) = object["properties"].as_object() {
                    assert_eq!(object["additionalProperties"], false, "{kind}");
                    kinds.insert(kind, properties.keys().cloned().collect());
                }
            }
        }
        kinds
    }

    #[test]
    fn schemas_have_exactly_the_keys_that_the_reader_takes() {
        macro_rules! full {
            ($path:literal) => {{
                let text = include_str!(concat!("../../../fixtures/configurations/valid-full/", $path));
                FileText { path: $path.to_owned(), content: Content::Bytes(text.into()) }
            }};
        }
        let sources = Sources {
            configuration: full!("deadheat.toml"),
            variants: Some(vec![
                full!("bench/variants/nest/variant.toml"),
                full!("bench/variants/fastify/variant.toml"),
                full!("bench/variants/di/variant.toml"),
            ]),
            contract: Some(ContractSources {
                files: vec![full!("bench/contract/a.toml"), full!("bench/contract/b.toml")],
                golden: vec![
                    full!("bench/contract/golden/get-user.json"),
                    full!("bench/contract/golden/create-user.json"),
                ],
            }),
        };
        let mut described = properties();
        // Its keys are looked up among the metrics that are judged.
        let judged = Metric::ALL.into_iter().filter(|metric| is_judged(*metric));
        assert_eq!(described.remove("relevant"), Some(judged.map(|metric| metric.to_string()).collect()));
        let owned = |keys: BTreeSet<&str>| keys.into_iter().map(str::to_owned).collect();
        let accepted: BTreeMap<String, BTreeSet<String>> =
            accepted_keys(&sources).into_iter().map(|(kind, keys)| (kind.to_owned(), owned(keys))).collect();
        assert_eq!(described, accepted);
    }
}
