//! The one request of a generator, as bytes.

/// A request that cannot be sent, with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("prepare the request: invalid {what} {text:?}: {rule}")]
pub struct InvalidRequest {
    /// Which part: `method`, `path`, `host`, `header name`, `header value`.
    pub what: &'static str,
    /// The offending text.
    pub text: String,
    /// What would be right.
    pub rule: &'static str,
}

/// The bytes of one request, made once and sent many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedRequest {
    bytes: Vec<u8>,
    is_head: bool,
}

/// The characters of a token (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())
}

fn invalid(what: &'static str, text: &str, rule: &'static str) -> InvalidRequest {
    InvalidRequest { what, text: text.to_owned(), rule }
}

impl PreparedRequest {
    /// Prepares a request to `host` (as in the `Host` header: `127.0.0.1:8080`) for `path` (with its query, if any).
    /// `Host` is added unless `headers` hold one, and `Content-Length` where there is a body or the method usually has
    /// one. A cookie is a `Cookie` header like any other.
    ///
    /// # Errors
    /// [`InvalidRequest`] where a part could not be sent as it is, above all where a line break would start another
    /// header or request.
    pub fn new(
        host: &str,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Option<&[u8]>,
    ) -> Result<Self, InvalidRequest> {
        if !is_token(method) {
            return Err(invalid("method", method, "use one word such as GET"));
        }
        if method == "CONNECT" {
            return Err(invalid("method", method, "a tunnel cannot be measured; use another method"));
        }
        if !is_visible(path) || !(path.starts_with('/') || path == "*") {
            return Err(invalid("path", path, "start with / and percent-encode spaces and non-ASCII characters"));
        }
        if !is_visible(host) {
            return Err(invalid("host", host, "use host or host:port without spaces"));
        }
        let mut bytes = format!("{method} {path} HTTP/1.1\r\n").into_bytes();
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            bytes.extend_from_slice(format!("Host: {host}\r\n").as_bytes());
        }
        for (name, value) in headers {
            if !is_token(name) {
                return Err(invalid("header name", name, "use letters, digits and hyphens"));
            }
            if name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding") {
                return Err(invalid("header name", name, "leave it out: it follows from the body"));
            }
            let value = value.trim_matches([' ', '\t']);
            if value.bytes().any(|b| (b < b' ' && b != b'\t') || b == 0x7f) {
                return Err(invalid("header value", value, "use one line without control characters"));
            }
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        if body.is_some() || matches!(method, "POST" | "PUT" | "PATCH") {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.map_or(0, <[u8]>::len)).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body.unwrap_or_default());
        Ok(Self { bytes, is_head: method == "HEAD" })
    }

    /// What is sent.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Whether it is a HEAD request, whose answer has no body whatever its headers say.
    pub fn is_head(&self) -> bool {
        self.is_head
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(method: &str, headers: &[(&str, &str)], body: Option<&[u8]>) -> Result<String, InvalidRequest> {
        let headers: Vec<_> = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        PreparedRequest::new("127.0.0.1:80", method, "/a?b=c", &headers, body)
            .map(|request| String::from_utf8_lossy(request.as_bytes()).into_owned())
    }

    #[test]
    fn a_request_holds_what_http_needs_and_nothing_else() {
        assert_eq!(text("GET", &[], None).unwrap(), "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n");
        assert_eq!(
            text("POST", &[("Cookie", " a=1; b=2 "), ("Content-Type", "application/json")], Some(b"{}")).unwrap(),
            "POST /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:80\r\nCookie: a=1; b=2\r\nContent-Type: application/json\r\n\
             Content-Length: 2\r\n\r\n{}"
        );
        assert_eq!(
            text("PUT", &[("host", "x.test")], None).unwrap(),
            "PUT /a?b=c HTTP/1.1\r\nhost: x.test\r\nContent-Length: 0\r\n\r\n"
        );
    }

    #[test]
    fn nothing_can_be_smuggled_in() {
        for bad in ["", "GE T", "GET\r\n", "CONNECT", "G\u{e9}T"] {
            assert_eq!(text(bad, &[], None).unwrap_err().what, "method", "{bad:?}");
        }
        for bad in ["", "a", "/a b", "/a\r\nX: y", "/\u{e9}", "http://x/"] {
            assert_eq!(PreparedRequest::new("h", "GET", bad, &[], None).unwrap_err().what, "path", "{bad:?}");
        }
        for bad in ["", "h\r\nX: y", "a b"] {
            assert_eq!(PreparedRequest::new(bad, "GET", "/", &[], None).unwrap_err().what, "host", "{bad:?}");
        }
        for bad in ["", "a b", "a:", "a\r\nb", "content-length", "Transfer-Encoding"] {
            assert_eq!(text("GET", &[(bad, "v")], None).unwrap_err().what, "header name", "{bad:?}");
        }
        for bad in ["a\r\nb: c", "a\nb", "a\0", "\u{7f}"] {
            assert_eq!(text("GET", &[("a", bad)], None).unwrap_err().what, "header value", "{bad:?}");
        }
    }
}
