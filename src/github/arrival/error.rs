//! Why results that arrived are refused. No text of theirs is repeated: an error ends up in logs and in check runs.

/// Why what arrived is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrivalError {
    /// It is larger than any honest file.
    #[error("failed to trust the results, so nothing of them is published: {what} is over {mebibytes} MiB")]
    TooLarge {
        /// What is.
        what: &'static str,
        /// The cap.
        mebibytes: usize,
    },
    /// It is no archive of exactly one results file.
    #[error("failed to trust the results, so nothing of them is published: the archive {0}")]
    Archive(#[from] ArchiveFault),
    /// It is no results file.
    #[error("failed to trust the results, so nothing of them is published: results.json {0}")]
    Text(#[from] TextFault),
    /// A later version of deadheat wrote it.
    #[error(
        "failed to trust the results, so nothing of them is published: results.json has schema {found}, and this deadheat knows \
         {known}; publish with the version that raced, or a later one"
    )]
    LaterSchema {
        /// The file's.
        found: u32,
        /// The newest that is known here.
        known: u32,
    },
    /// A value or a count that no honest race gives.
    #[error("failed to trust the results, so nothing of them is published: in results.json {place} {rule}")]
    OutOfBounds {
        /// Where, in field names and places counted from 0: `cells[3].rounds[0].base`.
        place: String,
        /// What is wrong there, as the rest of a sentence.
        rule: String,
    },
}

/// What is wrong with an archive, as the rest of a sentence that starts with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveFault {
    /// No end record stands at its very end.
    #[error("has no end record at its end: it was cut, or something follows it")]
    NoEnd,
    /// It is a part of several, or of a kind for huge archives.
    #[error("is of several disks or of the large format; a plain zip is expected")]
    Kind,
    /// It holds another number of entries than one.
    #[error("holds {0} entries; exactly one, results.json, is expected")]
    Entries(u16),
    /// Its parts do not lie one after the other from its first byte to its last.
    #[error("has something before, between or behind its parts, or they overlap")]
    Layout,
    /// The entry has another name.
    #[error("holds an entry of another name than results.json")]
    Name,
    /// The entry is no regular file.
    #[error("holds a directory, a link or a device in place of a file")]
    NotAFile,
    /// The entry is encrypted or patched.
    #[error("is encrypted or otherwise not plain")]
    Encrypted,
    /// The entry is compressed in another way than deflate.
    #[error("is compressed by a method that is neither deflate nor none")]
    Method,
    /// Two of its records contradict each other, or the data.
    #[error("contradicts itself: {0}")]
    Contradiction(&'static str),
    /// The data cannot be inflated.
    #[error("has data that cannot be inflated")]
    Data,
    /// It is larger inside than any honest file.
    #[error("holds over {0} MiB once it is unpacked")]
    TooLarge(usize),
}

/// What is wrong with a text, as the rest of a sentence that starts with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    /// It is nested too deeply.
    #[error("is nested over {0} levels deep")]
    TooDeep(usize),
    /// It holds too many values to be read into memory.
    #[error("holds over {most} values below `{below}`")]
    TooMany {
        /// The first-level field, or `other fields`.
        below: &'static str,
        /// The cap.
        most: usize,
    },
    /// It is no results file.
    #[error("is no results file: {0}")]
    Unreadable(String),
}
