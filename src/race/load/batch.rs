//! The request repeated, so that several requests in flight leave in one system call.

use super::PreparedRequest;

/// Copies are made up to this many bytes.
const MAX_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    /// Bytes of one request.
    one: usize,
    is_head: bool,
}

/// How much of a stream of equal requests is still to be sent on one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outgoing {
    /// Bytes that are due and not sent.
    due: usize,
    /// Where inside a request the next byte lies.
    offset: usize,
}

impl Batch {
    pub(super) fn new(request: PreparedRequest, pipelining: usize) -> Self {
        let is_head = request.is_head();
        let mut bytes = request.into_bytes();
        let one = bytes.len();
        let copies = (MAX_BYTES / one).clamp(1, pipelining.max(1));
        if copies > 1 {
            bytes = bytes.repeat(copies);
        }
        Self { bytes, one, is_head }
    }

    pub(super) fn is_head(&self) -> bool {
        self.is_head
    }

    /// The next bytes to send; empty when nothing is due.
    pub(super) fn next(&self, outgoing: &Outgoing) -> &[u8] {
        let end = self.bytes.len().min(outgoing.offset + outgoing.due);
        &self.bytes[outgoing.offset..end]
    }
}

impl Outgoing {
    pub(super) fn add(&mut self, requests: usize, batch: &Batch) {
        self.due += requests * batch.one;
    }

    pub(super) fn sent(&mut self, bytes: usize, batch: &Batch) {
        self.due -= bytes;
        self.offset = (self.offset + bytes) % batch.one;
    }

    /// On a new connection every request in flight is sent from its start.
    pub(super) fn restart(&mut self, requests: usize, batch: &Batch) {
        *self = Self::default();
        self.add(requests, batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_cut_anywhere_stays_a_stream_of_requests() {
        let request = PreparedRequest::new("h", "GET", "/", &[], None).unwrap();
        let batch = Batch::new(request.clone(), 3);
        for step in 1..=request.as_bytes().len() * 4 {
            let mut outgoing = Outgoing::default();
            let mut sent = Vec::new();
            outgoing.add(5, &batch);
            loop {
                let bytes = batch.next(&outgoing);
                if bytes.is_empty() {
                    break;
                }
                let bytes = &bytes[..bytes.len().min(step)];
                sent.extend_from_slice(bytes);
                outgoing.sent(bytes.len(), &batch);
            }
            assert_eq!(sent, request.as_bytes().repeat(5), "{step} bytes at a time");
        }
    }
}
