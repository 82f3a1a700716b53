//! How many files, and with them connections, this process may open at once.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to what the system allows anybody to raise it to, so that a thousand connections need no setting of the
/// shell. Children that are started by a guard keep the limit that they would have without deadheat.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // Where it is refused, a generator that runs out says so by name.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_the_system_allows() {
        raise_open_files();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
