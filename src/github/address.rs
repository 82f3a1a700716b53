//! Where requests go: the API's root, paths below it, and queries, percent-encoded.

use super::error::ApiError;
use std::fmt::Write;
use std::net::IpAddr;

/// An address split after its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// `https://HOST`.
    pub(super) origin: String,
    /// What follows, without a slash at its end.
    pub(super) path: String,
    /// Whether it is on this machine.
    pub(super) loopback: bool,
}

impl Address {
    /// Reads an address that a token may be sent to: https, or http on this machine.
    pub(super) fn parse(text: &str, what: &str) -> Result<Self, ApiError> {
        // What stands before an `@` may be a secret.
        let shown = if text.contains('@') { what.to_owned() } else { format!("{what} `{}`", line(text)) };
        let unusable = |reason: &str| ApiError::Unusable { what: shown.clone(), reason: reason.to_owned() };
        let uri: http::Uri =
            text.trim().parse().map_err(|_| unusable("it is no address, such as https://api.github.com"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(unusable("it needs a scheme and a host, such as https://api.github.com"));
        };
        if authority.as_str().contains('@') || uri.query().is_some() {
            return Err(unusable("it may hold neither a user nor a query"));
        }
        let loopback = is_loopback(authority.host());
        if scheme != "https" && !(scheme == "http" && loopback) {
            return Err(unusable("it has to be https, since the token is sent there"));
        }
        Ok(Self {
            origin: format!("{scheme}://{authority}"),
            path: uri.path().trim_end_matches('/').to_owned(),
            loopback,
        })
    }

    /// The whole address of a path below this one.
    pub(super) fn join(&self, path: &str) -> String {
        format!("{}{}{path}", self.origin, self.path)
    }

    /// An address on this very server, given whole or from its root; nothing where it leads elsewhere.
    pub(super) fn own(&self, address: &str) -> Option<String> {
        let path = address.strip_prefix(&self.origin).unwrap_or(address);
        (path.starts_with('/') && !path.starts_with("//")).then(|| format!("{}{path}", self.origin))
    }

    /// Where GraphQL is answered by the server whose REST root this is.
    pub(super) fn graphql(&self) -> Self {
        // GitHub Enterprise Server: /api/v3 has /api/graphql beside it.
        let above = self.path.strip_suffix("/v3").unwrap_or(&self.path);
        Self { origin: self.origin.clone(), path: format!("{above}/graphql"), loopback: self.loopback }
    }
}

/// Whether a host is this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A path of one encoded segment per part. A slash inside a part is encoded too, as the REST description has it.
pub(super) fn path<S: AsRef<str>>(parts: &[S]) -> Result<String, ApiError> {
    let mut path = String::new();
    for part in parts {
        let part = part.as_ref();
        // Resolved by whoever parses the address, dots would name something else than was checked.
        if part.split('/').any(|piece| matches!(piece, "" | "." | "..")) {
            let reason = "a name may be neither empty nor a dot".to_owned();
            return Err(ApiError::Unusable { what: format!("`{}`", line(part)), reason });
        }
        path.push('/');
        encode(part, &mut path);
    }
    Ok(path)
}

/// A path with its query.
pub(super) fn with_query(path: &str, query: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    for (index, (key, value)) in query.iter().enumerate() {
        address.push(if index == 0 { '?' } else { '&' });
        encode(key, &mut address);
        address.push('=');
        encode(value, &mut address);
    }
    address
}

fn encode(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            into.push(char::from(byte));
        } else {
            let _ = write!(into, "%{byte:02X}");
        }
    }
}

/// A text as one short line without control characters, for a message.
pub(super) fn line(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut words: String = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    if let Some((cut, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(cut);
        words.push_str("...");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Address, ApiError> {
        Address::parse(text, "the API's root")
    }

    #[test]
    fn a_root_is_https_or_on_this_machine() {
        for (text, origin, path) in [
            ("https://api.github.com", "https://api.github.com", ""),
            ("https://api.github.com/", "https://api.github.com", ""),
            (" https://ghe.example.com:8443/api/v3/ ", "https://ghe.example.com:8443", "/api/v3"),
            ("http://127.0.0.1:3000/api/v3", "http://127.0.0.1:3000", "/api/v3"),
            ("http://[::1]:3000", "http://[::1]:3000", ""),
            ("http://localhost", "http://localhost", ""),
        ] {
            let address = parse(text).unwrap();
            assert_eq!((address.origin.as_str(), address.path.as_str()), (origin, path));
        }
        for text in [
            "",
            "api.github.com",
            "/api",
            "ftp://api.github.com",
            "http://api.github.com",
            "http://localhost.evil.com",
            "http://127.0.0.1.evil.com",
            "https://user:secret@api.github.com",
            "https://api.github.com?x",
            "https://a b",
            "https://api.github.com\r\nx: y",
            "http://127.0.0.1@evil.com",
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(!error.contains("secret") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn graphql_lies_beside_the_root() {
        for (root, graphql) in [
            ("https://api.github.com", "https://api.github.com/graphql"),
            ("https://ghe.example.com/api/v3", "https://ghe.example.com/api/graphql"),
        ] {
            assert_eq!(parse(root).unwrap().graphql().join(""), graphql);
        }
    }

    #[test]
    fn only_this_very_server_is_own() {
        let address = parse("https://api.github.com").unwrap();
        for own in ["https://api.github.com/repositories/1?x=y", "/repositories/1?x=y"] {
            assert_eq!(address.own(own).as_deref(), Some("https://api.github.com/repositories/1?x=y"));
        }
        for away in [
            "https://api.github.com.evil.com/",
            "https://api.github.com:444/",
            "http://api.github.com/",
            "//evil.com/x",
            "https://api.github.com@evil.com/",
            "https://api.github.com//evil.com",
            "",
            "x",
            "https://evil.com/",
        ] {
            assert_eq!(address.own(away), None, "{away}");
        }
    }

    #[test]
    fn a_line_is_one_and_short() {
        assert_eq!(line("  a\r\n\tb\u{0}c\u{2028}d  "), "a b c d");
        assert_eq!(line(&"é".repeat(400)), "é".repeat(300) + "...");
    }

    proptest! {
        #[test]
        fn every_name_comes_back_as_it_was(part in any::<String>(), value in any::<String>()) {
            let Ok(path) = path(&["repos", &part]) else {
                prop_assert!(part.split('/').any(|piece| matches!(piece, "" | "." | "..")));
                return Ok(());
            };
            let address = format!("https://api.github.com{}", with_query(&path, &[("q", &value)]));
            prop_assert!(address.is_ascii());
            address.parse::<http::Uri>().unwrap();
            // Read by another parser, which is the one that sends it.
            let url = reqwest::Url::parse(&address).unwrap();
            prop_assert_eq!(url.path_segments().unwrap().count(), 2);
            prop_assert_eq!(url.path(), path);
            let query: Vec<_> = url.query_pairs().into_owned().collect();
            prop_assert_eq!(query, vec![("q".to_owned(), value)]);
        }
    }
}
