//! An `http://` URL, taken apart.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// A URL that cannot be loaded, with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the URL {text:?}: {rule}")]
pub struct InvalidUrl {
    /// The offending text.
    pub text: String,
    /// What would be right.
    pub rule: &'static str,
}

/// Host, port, and path with its query. Whether the path can be sent is checked with the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpUrl {
    host: String,
    port: u16,
    authority: String,
    path: String,
}

impl HttpUrl {
    /// Host and port as written, for the `Host` header.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Path and query, at least `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Looks the host up; the first IPv4 address is preferred, because servers under test mostly listen on 127.0.0.1.
    ///
    /// # Errors
    /// What the resolver says; `NotFound` where it gives no address.
    pub fn resolve(&self) -> std::io::Result<SocketAddr> {
        let addresses: Vec<SocketAddr> = (self.host.as_str(), self.port).to_socket_addrs()?.collect();
        let first = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
        first.copied().ok_or_else(|| std::io::Error::new(std::io::ErrorKind::NotFound, "no address for this host"))
    }
}

impl FromStr for HttpUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        let invalid = |rule| InvalidUrl { text: text.to_owned(), rule };
        let scheme = text.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
        let rest = scheme
            .map(|scheme| &text[scheme.len()..])
            .ok_or_else(|| invalid("only http:// can be loaded, such as http://127.0.0.1:3000/users/1"))?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(invalid("leave user and password out and send an Authorization header"));
        }
        let after_host = authority.find(']').map_or(0, |end| end + 1);
        let colon = authority[after_host..].find(':').map(|colon| after_host + colon);
        let (host, port) = match colon {
            Some(colon) => {
                let digits = &authority[colon + 1..];
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
                let port = digits.parse().ok().filter(|port| plain && *port != 0);
                (&authority[..colon], port.ok_or_else(|| invalid("the port must be a number from 1 to 65535"))?)
            }
            None => (authority, 80),
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if bare.is_empty() || bare.contains(['[', ']']) || (bare.len() == host.len() && bare.contains(':')) {
            return Err(invalid("name a host, such as 127.0.0.1 or [::1]"));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { host: bare.to_owned(), port, authority: authority.to_owned(), path })
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> (String, u16, String, String) {
        let url: HttpUrl = text.parse().unwrap();
        (url.host, url.port, url.authority, url.path)
    }

    #[test]
    fn urls_are_taken_apart() {
        let own = |host: &str, port, authority: &str, path: &str| {
            (host.to_owned(), port, authority.to_owned(), path.to_owned())
        };
        assert_eq!(parts("http://127.0.0.1:3000/a/b?c=d:e#f"), own("127.0.0.1", 3000, "127.0.0.1:3000", "/a/b?c=d:e"));
        assert_eq!(parts("HTTP://localhost"), own("localhost", 80, "localhost", "/"));
        assert_eq!(parts("http://[::1]:81?q"), own("::1", 81, "[::1]:81", "/?q"));
        assert_eq!(parts("http://[::1]"), own("::1", 80, "[::1]", "/"));
    }

    #[test]
    fn everything_but_plain_http_is_refused() {
        let bad = [
            "",
            "127.0.0.1:3000",
            "https://x/",
            "ftp://x/",
            "http://",
            "http://:80/",
            "http:///x",
            "http://x:0/",
            "http://x:65536/",
            "http://x:+1/",
            "http://x:/",
            "http://a:b@x/",
            "http://::1/",
            "http://[::1",
            "http://[]/",
        ];
        for text in bad {
            assert!(text.parse::<HttpUrl>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(http://)?[\\PC\\[\\]:@/#?]{0,20}") {
            if let Ok(url) = text.parse::<HttpUrl>() {
                prop_assert_eq!(url.to_string().parse::<HttpUrl>(), Ok(url));
            }
        }
    }
}
