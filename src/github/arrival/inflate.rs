//! Inflating under a cap: the declared size is the most that is ever held.

use super::error::ArchiveFault;
use flate2::{Decompress, FlushDecompress, Status};

/// Room that is made at a time; a small archive that claims to be large gets no more memory than it fills.
const STEP: usize = 256 << 10;

/// Inflates the whole of `packed`, which must be one stream that gives at most `most` bytes.
pub(super) fn inflate(packed: &[u8], most: usize) -> Result<Vec<u8>, ArchiveFault> {
    let mut stream = Decompress::new(false);
    let mut data = Vec::new();
    loop {
        if data.len() > most {
            return Err(ArchiveFault::Contradiction("the data is longer than it is said to be"));
        }
        // One byte more than may come, so that a longer stream is seen without being inflated.
        data.reserve_exact(STEP.max(data.len()).min(most + 1 - data.len()));
        let used = usize::try_from(stream.total_in()).map_err(|_| ArchiveFault::Data)?;
        let before = data.len();
        let rest = packed.get(used..).unwrap_or_default();
        // Not `Finish`, with which one call must have room for everything.
        let status = stream.decompress_vec(rest, &mut data, FlushDecompress::None).map_err(|_| ArchiveFault::Data)?;
        let used_now = usize::try_from(stream.total_in()).map_err(|_| ArchiveFault::Data)?;
        match status {
            Status::StreamEnd if used_now == packed.len() => return Ok(data),
            Status::StreamEnd => return Err(ArchiveFault::Contradiction("something follows the compressed data")),
            Status::Ok | Status::BufError if used_now == used && data.len() == before => {
                return Err(ArchiveFault::Data);
            }
            Status::Ok | Status::BufError => {}
        }
    }
}
