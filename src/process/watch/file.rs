//! A file of the kernel that is read again and again.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Longer files of the kernel are read up to here: the lines of its CPUs come first in all that are read.
const LONGEST: usize = 1 << 20;

/// An open file of the kernel; each reading gives its content at that moment.
#[derive(Debug)]
pub(super) struct KernelFile(File);

impl KernelFile {
    /// Opens it; absent where it is missing or may not be read.
    pub(super) fn open(path: &Path) -> Option<Self> {
        File::open(path).ok().map(Self)
    }

    /// Reads it from its beginning. `buffer` is kept by the caller, so that nothing is allocated twice.
    pub(super) fn read<'b>(&self, buffer: &'b mut Vec<u8>) -> Option<&'b str> {
        if buffer.is_empty() {
            buffer.resize(4096, 0);
        }
        let mut length = 0;
        loop {
            let read = self.0.read_at(buffer.get_mut(length..)?, length as u64).ok()?;
            length += read;
            if read == 0 || length >= LONGEST {
                break;
            }
            if length == buffer.len() {
                buffer.resize(2 * length, 0);
            }
        }
        let text = buffer.get(..length)?;
        // What is cut in the middle of a character ends before it.
        Some(std::str::from_utf8(text).unwrap_or_else(|error| {
            let valid = text.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }))
    }
}
