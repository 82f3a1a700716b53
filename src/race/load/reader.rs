//! Reads answers out of the bytes of a connection, however they are cut.
//!
//! A whole answer is read where it lies in the receive buffer. Only the start of a head that was cut is kept, and a body
//! only where the answer is sampled.

use super::chunked::Chunked;
use super::{AnswerHead, ErrorKind};
use httparse::{Header, ParserConfig, Response, Status};
use std::mem::MaybeUninit;

/// Longest head in bytes.
const MAX_HEAD: usize = 64 << 10;
/// Most header lines.
const MAX_HEADERS: usize = 128;
/// Longest body in bytes.
const MAX_BODY: u64 = 64 << 20;

/// An answer that cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadAnswer {
    #[error("not an HTTP/1 answer: {0}")]
    Head(httparse::Error),
    #[error("not a usable HTTP/1 answer: {0}")]
    Framing(&'static str),
    #[error("answer head of over 64 KiB")]
    HeadTooLong,
    #[error("answer body of over 64 MiB")]
    BodyTooLong,
}

impl BadAnswer {
    pub(super) fn kind(self) -> ErrorKind {
        if self == Self::BodyTooLong { ErrorKind::Length } else { ErrorKind::Parse }
    }
}

/// A complete answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Bytes of the decoded body.
    pub(super) length: u64,
    /// Whether the server takes no further request on this connection.
    pub(super) close: bool,
}

/// What the bytes so far amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// All were used and the answer is not complete.
    More,
    /// So many were used, and the answer is complete.
    Complete(usize, Answer),
}

/// A sampled answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    head: Vec<u8>,
    body: Vec<u8>,
}

impl Sample {
    /// Gives the answer to `look`, parsed once more.
    pub(super) fn with<T>(&self, look: impl FnOnce(&AnswerHead<'_>, &[u8]) -> T) -> Option<T> {
        let mut lines = [const { MaybeUninit::uninit() }; MAX_HEADERS];
        let mut response = Response::new(&mut []);
        ParserConfig::default()
            .parse_response_with_uninit_headers(&mut response, &self.head, &mut lines)
            .ok()
            .filter(Status::is_complete)?;
        Some(look(&AnswerHead::new(response.code?, response.headers), &self.body))
    }
}

#[derive(Clone, Copy, Debug)]
enum Framing {
    Sized(u64),
    Chunked(Chunked),
    UntilClose,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    length: usize,
    status: u16,
    close: bool,
    framing: Framing,
}

#[derive(Debug, Default)]
pub(super) struct AnswerReader {
    /// The head of the answer whose body is being read; none while a head is.
    head: Option<Head>,
    /// The start of a head that was cut.
    held: Vec<u8>,
    /// Decoded bytes of the body so far.
    length: u64,
    sample: Option<Sample>,
}

impl AnswerReader {
    /// Whether no byte of the next answer has been read.
    pub(super) fn is_untouched(&self) -> bool {
        self.head.is_none() && self.held.is_empty()
    }

    /// Forgets everything, for a new connection.
    pub(super) fn reset(&mut self) {
        self.head = None;
        self.held.clear();
        self.length = 0;
        self.sample = None;
    }

    /// The answer that was completed last, where it was sampled.
    pub(super) fn take_sample(&mut self) -> Option<Sample> {
        self.sample.take()
    }

    /// The answer that ends with the connection, where it is one of those.
    pub(super) fn end(&mut self) -> Option<Answer> {
        let head = self.head.filter(|head| matches!(head.framing, Framing::UntilClose))?;
        Some(self.complete(head))
    }

    /// Reads on. `sample` is asked once per answer, at its head, whether the answer is to be kept.
    pub(super) fn read(
        &mut self,
        input: &[u8],
        is_head: bool,
        mut sample: impl FnMut() -> bool,
    ) -> Result<Step, BadAnswer> {
        let mut used = 0;
        loop {
            let rest = &input[used..];
            let Some(mut head) = self.head else {
                let Some((taken, head)) = self.read_head(rest, is_head, &mut sample)? else { return Ok(Step::More) };
                used += taken;
                self.head = head;
                continue;
            };
            let (taken, complete) = self.read_body(&mut head.framing, rest)?;
            used += taken;
            if complete {
                return Ok(Step::Complete(used, self.complete(head)));
            }
            self.head = Some(head);
            return Ok(Step::More);
        }
    }

    fn complete(&mut self, head: Head) -> Answer {
        self.head = None;
        Answer { status: head.status, length: std::mem::take(&mut self.length), close: head.close }
    }

    /// How many bytes the head took, and the head unless it is an interim one; `None` while it is not complete.
    fn read_head(
        &mut self,
        input: &[u8],
        is_head: bool,
        sample: &mut impl FnMut() -> bool,
    ) -> Result<Option<(usize, Option<Head>)>, BadAnswer> {
        if input.is_empty() {
            return Ok(None);
        }
        let before = self.held.len();
        if before > 0 {
            self.held.extend_from_slice(input);
        }
        let bytes = if before > 0 { self.held.as_slice() } else { input };
        let Some(head) = parse_head(bytes, is_head)? else {
            if bytes.len() > MAX_HEAD {
                return Err(BadAnswer::HeadTooLong);
            }
            if before == 0 {
                self.held.extend_from_slice(input);
            }
            return Ok(None);
        };
        if head.length > MAX_HEAD {
            return Err(BadAnswer::HeadTooLong);
        }
        let interim = (100..200).contains(&head.status) && head.status != 101;
        if !interim {
            self.sample = sample().then(|| Sample { head: bytes[..head.length].to_vec(), body: Vec::new() });
        }
        self.held.clear();
        Ok(Some((head.length - before, (!interim).then_some(head))))
    }

    fn read_body(&mut self, framing: &mut Framing, input: &[u8]) -> Result<(usize, bool), BadAnswer> {
        let Self { length, sample, .. } = self;
        let mut keep = |data: &[u8]| {
            *length += data.len() as u64;
            if let Some(sample) = sample {
                sample.body.extend_from_slice(data);
            }
        };
        let (used, complete) = match framing {
            Framing::Sized(left) => {
                let used = usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
                keep(&input[..used]);
                *left -= used as u64;
                (used, *left == 0)
            }
            Framing::Chunked(chunked) => chunked.decode(input, &mut keep).map_err(BadAnswer::Framing)?,
            Framing::UntilClose => {
                keep(input);
                (input.len(), false)
            }
        };
        if *length > MAX_BODY { Err(BadAnswer::BodyTooLong) } else { Ok((used, complete)) }
    }
}

fn parse_head(bytes: &[u8], is_head: bool) -> Result<Option<Head>, BadAnswer> {
    let mut lines = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut response = Response::new(&mut []);
    let parsed = ParserConfig::default()
        .parse_response_with_uninit_headers(&mut response, bytes, &mut lines)
        .map_err(BadAnswer::Head)?;
    let (Status::Complete(length), Some(status)) = (parsed, response.code) else { return Ok(None) };
    let (framing, kept) = framing(status, is_head, response.headers)?;
    let close = match framing {
        Framing::UntilClose => true,
        _ => !kept.unwrap_or(response.version == Some(1)) || status == 101,
    };
    Ok(Some(Head { length, status, close, framing }))
}

/// How the body is delimited (RFC 9112, section 6.3), and whether the connection is kept, where the answer says so.
fn framing(status: u16, is_head: bool, headers: &[Header<'_>]) -> Result<(Framing, Option<bool>), BadAnswer> {
    let (mut size, mut coding, mut kept) = (None, None, None);
    for header in headers {
        // Comparing lengths first keeps this out of the way of the many headers that do not matter here.
        match header.name.len() {
            10 if header.name.eq_ignore_ascii_case("connection") => {
                for option in header.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    if option.eq_ignore_ascii_case(b"close") {
                        kept = Some(false);
                    } else if option.eq_ignore_ascii_case(b"keep-alive") && kept.is_none() {
                        kept = Some(true);
                    }
                }
            }
            14 if header.name.eq_ignore_ascii_case("content-length") => {
                let value = parse_size(header.value).ok_or(BadAnswer::Framing("a Content-Length that is no number"))?;
                if size.replace(value).is_some_and(|earlier| earlier != value) {
                    return Err(BadAnswer::Framing("two different Content-Lengths"));
                }
            }
            17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                let last = header.value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
                coding = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
            }
            _ => {}
        }
    }
    let framing = match (coding, size) {
        _ if is_head || status < 200 || status == 204 || status == 304 => Framing::Sized(0),
        (Some(true), _) => Framing::Chunked(Chunked::new()),
        (None, Some(size)) if size > MAX_BODY => return Err(BadAnswer::BodyTooLong),
        (None, Some(size)) => Framing::Sized(size),
        (Some(false), _) | (None, None) => Framing::UntilClose,
    };
    Ok((framing, kept))
}

fn parse_size(value: &[u8]) -> Option<u64> {
    let digits = value.trim_ascii();
    let plain = !digits.is_empty() && digits.len() < 19 && digits.iter().all(u8::is_ascii_digit);
    plain.then(|| digits.iter().fold(0, |size, digit| size * 10 + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests;
