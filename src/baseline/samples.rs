//! Every sample of a run in little room: its results file, gzipped and in base64.

use super::error::RecordError;
use crate::model::Results;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};

/// No results file is larger, unpacked.
const UNPACKED_UP_TO: u64 = 256 * 1024 * 1024;

/// The samples of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Samples {
    /// The whole results file, packed.
    Kept(String),
    /// They would have made the file too large.
    LeftOut {
        /// How large they would have been.
        bytes: u64,
    },
}

impl Samples {
    /// Packs `results`, where they fit into `room` bytes.
    pub(super) fn pack(results: &Results, room: usize) -> Result<Self, RecordError> {
        let text = serde_json::to_vec(results).map_err(RecordError::Json)?;
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        let packed = packer.write_all(&text).and_then(|()| packer.finish());
        let packed = STANDARD.encode(packed.map_err(|error| RecordError::Samples(error.to_string()))?);
        Ok(if packed.len() <= room { Self::Kept(packed) } else { Self::LeftOut { bytes: packed.len() as u64 } })
    }

    /// The text of the results file.
    ///
    /// # Errors
    /// [`RecordError`] where they were left out, are broken, or unpack to more than any results file has.
    pub fn unpack(&self) -> Result<String, RecordError> {
        self.unpack_up_to(UNPACKED_UP_TO)
    }

    fn unpack_up_to(&self, most: u64) -> Result<String, RecordError> {
        let packed = match self {
            Self::Kept(packed) => packed,
            Self::LeftOut { bytes } => return Err(RecordError::SamplesLeftOut(*bytes)),
        };
        let broken = |error: &dyn std::fmt::Display| RecordError::Samples(error.to_string());
        let packed = STANDARD.decode(packed).map_err(|error| broken(&error))?;
        let mut text = String::new();
        let mut unpacked = GzDecoder::new(&packed[..]).take(most + 1);
        unpacked.read_to_string(&mut text).map_err(|error| broken(&error))?;
        if text.len() as u64 > most {
            return Err(RecordError::Samples(format!("they hold more than {most} bytes")));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(content: &[u8]) -> Samples {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(content).unwrap();
        Samples::Kept(STANDARD.encode(packer.finish().unwrap()))
    }

    #[test]
    fn what_is_no_packed_text_is_an_error() {
        let cut = match packed(&[b'a'; 5000]) {
            Samples::Kept(text) => Samples::Kept(STANDARD.encode(&STANDARD.decode(text).unwrap()[..30])),
            left_out @ Samples::LeftOut { .. } => left_out,
        };
        for samples in [
            Samples::Kept(String::new()),
            Samples::Kept("no base64!".to_owned()),
            Samples::Kept(STANDARD.encode("no gzip")),
            packed(&[0xff, 0xfe]),
            cut,
        ] {
            assert!(matches!(samples.unpack(), Err(RecordError::Samples(_))), "{samples:?}");
        }
        assert!(matches!(Samples::LeftOut { bytes: 7 }.unpack(), Err(RecordError::SamplesLeftOut(7))));
    }

    #[test]
    fn a_bomb_is_unpacked_up_to_the_cap_only() {
        let bomb = packed(&vec![b' '; 100_000]);
        assert!(matches!(bomb.unpack_up_to(99_999), Err(RecordError::Samples(_))));
        assert_eq!(bomb.unpack_up_to(100_000).unwrap().len(), 100_000);
    }
}
