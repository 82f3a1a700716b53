//! The texts that a configuration is read from.

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// Why it can't be read, as a lowercase fragment.
    Unreadable(String),
}

/// A file of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// Relative to the directory of `deadheat.toml`, with `/` between parts, without `.` and `..`.
    pub path: String,
    /// What it holds.
    pub content: Content,
}

/// The contract's directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractSources {
    /// Its `*.toml`, in the order of their names.
    pub files: Vec<FileText>,
    /// Every other file below it.
    pub golden: Vec<FileText>,
}

/// Everything that a configuration is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// `deadheat.toml`.
    pub configuration: FileText,
    /// Every `variant.toml` below the directory of variants; none where there is no such directory.
    pub variants: Option<Vec<FileText>>,
    /// The contract; none where there is no such directory.
    pub contract: Option<ContractSources>,
}

/// Where `deadheat.toml` says that the other files are, relative to its own directory. What it doesn't say, or says
/// wrongly, is absent here and a mistake when the configuration is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locations {
    /// Every directory below it that holds a `variant.toml` is a variant.
    pub variants: Option<String>,
    /// The directory of the contract.
    pub contract: Option<String>,
}
