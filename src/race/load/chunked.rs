//! The chunked transfer coding (RFC 9112, section 7.1), decoded as the bytes come in.

/// Bytes of sizes, extensions and trailers that one body may hold.
const MAX_OVERHEAD: u64 = 1 << 20;

/// How far the decoder is. It may stop at any byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the digits of a size, of which there was at least one where `true`.
    Size(bool),
    /// In what follows a size up to the line's end.
    Extension,
    /// Before the line feed that ends a size line.
    SizeEnd,
    /// Inside a chunk.
    Data,
    /// After a chunk's data.
    DataReturn,
    /// Before the line feed after a chunk.
    DataEnd,
    /// At the start of a trailer line, or of the empty line that ends the body.
    TrailerStart,
    /// In a trailer line.
    Trailer,
    /// Before the line feed of a trailer line.
    TrailerEnd,
    /// Before the last line feed.
    LastEnd,
}

/// The decoder of one body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunked {
    place: Place,
    left: u64,
    overhead: u64,
}

impl Chunked {
    pub(super) fn new() -> Self {
        Self { place: Place::Size(false), left: 0, overhead: 0 }
    }

    /// Decodes on; `data` gets the body's bytes. Returns how many bytes were used and whether the body is complete.
    pub(super) fn decode(&mut self, input: &[u8], mut data: impl FnMut(&[u8])) -> Result<(usize, bool), &'static str> {
        let mut used = 0;
        while let Some(&byte) = input.get(used) {
            if self.place == Place::Data {
                let rest = &input[used..];
                let take = usize::try_from(self.left).map_or(rest.len(), |left| left.min(rest.len()));
                data(&rest[..take]);
                used += take;
                self.left -= take as u64;
                if self.left == 0 {
                    self.place = Place::DataReturn;
                }
                continue;
            }
            used += 1;
            self.overhead += 1;
            if self.overhead > MAX_OVERHEAD {
                return Err("chunk sizes, extensions and trailers of over 1 MiB");
            }
            if self.place == Place::LastEnd && byte == b'\n' {
                return Ok((used, true));
            }
            self.place = self.after(byte)?;
        }
        Ok((used, false))
    }

    fn after(&mut self, byte: u8) -> Result<Place, &'static str> {
        Ok(match (self.place, byte) {
            (Place::Size(_), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = u64::from(char::from(byte).to_digit(16).unwrap_or_default());
                let size = self.left.checked_mul(16).and_then(|size| size.checked_add(digit));
                self.left = size.filter(|size| *size < 1 << 60).ok_or("a chunk size that is out of range")?;
                Place::Size(true)
            }
            (Place::Size(true) | Place::Extension, b'\r') => Place::SizeEnd,
            (Place::Size(true), b';' | b' ' | b'\t') => Place::Extension,
            (Place::Extension, byte) if byte != b'\n' => Place::Extension,
            (Place::SizeEnd, b'\n') if self.left == 0 => Place::TrailerStart,
            (Place::SizeEnd, b'\n') => Place::Data,
            (Place::DataReturn, b'\r') => Place::DataEnd,
            (Place::DataEnd, b'\n') => Place::Size(false),
            (Place::TrailerStart, b'\r') => Place::LastEnd,
            (Place::Trailer, b'\r') => Place::TrailerEnd,
            (Place::TrailerStart | Place::Trailer, byte) if byte != b'\n' => Place::Trailer,
            (Place::TrailerEnd, b'\n') => Place::TrailerStart,
            _ => return Err("a broken chunk"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(input: &[u8]) -> Result<(Vec<u8>, usize, bool), &'static str> {
        let mut body = Vec::new();
        let (used, complete) = Chunked::new().decode(input, |data| body.extend_from_slice(data))?;
        Ok((body, used, complete))
    }

    #[test]
    fn bodies_are_decoded_up_to_their_end() {
        assert_eq!(decode(b"0\r\n\r\nHTTP").unwrap(), (vec![], 5, true));
        assert_eq!(
            decode(b"5\r\nhello\r\n0A;x=\"y\"\r\n, world...\r\n000\r\nA: b\r\nC: d\r\n\r\n").unwrap().0,
            b"hello, world..."
        );
        assert_eq!(decode(b"5 \r\nhel").unwrap(), (b"hel".to_vec(), 7, false));
    }

    #[test]
    fn broken_chunks_are_refused() {
        for bad in
            ["\r\n", "x\r\n", "5\n", ";\r\n", "1\r\nab", "1\r\na\rb", "5\rx", "0\r\n\n", "0\r\nA: b\rx", "0\r\n\rx"]
        {
            assert_eq!(decode(bad.as_bytes()), Err("a broken chunk"), "{bad:?}");
        }
        assert_eq!(decode(b"ffffffffffffffffff\r\n"), Err("a chunk size that is out of range"));
        assert!(decode(&[b"1;".as_slice(), &vec![b'x'; 1 << 21]].concat()).is_err());
    }
}
