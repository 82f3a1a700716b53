//! Words that nobody can foretell.

use std::fmt::Write as _;

/// 32 hexadecimal digits; none where the system has no random numbers.
pub(super) fn word() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().fold(String::new(), |mut word, byte| {
        // Writing to a string never fails.
        let _ = write!(word, "{byte:02x}");
        word
    }))
}
