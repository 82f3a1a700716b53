//! The archive of an artifact, read strictly: one entry, and nothing but it.
//!
//! What packs an artifact writes one local header, the data, one directory header and one end record, each right behind
//! the other. Readers of zips in general search for these parts and put up with much in between, and that is where two
//! readers of one file begin to disagree; here every byte has its place, and both headers, the data descriptor and the
//! data must say the same. Known limits: no comments, no archives that need the large (zip64) end record.

use super::arrived::{MAX_UNPACKED, RESULTS_FILE};
use super::error::ArchiveFault;
use super::inflate::inflate;
use flate2::Crc;

const LOCAL: u32 = 0x0403_4b50;
const DIRECTORY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;
const END_LENGTH: usize = 22;

/// Flags that change nothing of how the data is read: how hard the packer tried, and that names are UTF-8.
const HARMLESS: u16 = 1 << 1 | 1 << 2 | 1 << 11;
/// Sizes and checksum stand behind the data.
const DESCRIBED_BEHIND: u16 = 1 << 3;
/// Stands for a size that is in the extra field.
const IN_EXTRA: u32 = u32::MAX;
/// The extra field with sizes of 64 bits.
const LARGE_SIZES: u16 = 1;

/// The data of the archive's one entry.
pub(super) fn only_entry(archive: &[u8]) -> Result<Vec<u8>, ArchiveFault> {
    let end = archive.len().checked_sub(END_LENGTH).ok_or(ArchiveFault::NoEnd)?;
    let directory = end_record(archive, end)?;
    let entry = directory_header(archive.get(directory..end).ok_or(ArchiveFault::Layout)?)?;
    let packed = local_parts(archive.get(..directory).ok_or(ArchiveFault::Layout)?, &entry)?;
    let data = match entry.packing {
        Packing::Stored => packed.to_vec(),
        Packing::Deflated => inflate(packed, entry.sizes.unpacked)?,
    };
    if data.len() != entry.sizes.unpacked {
        return Err(ArchiveFault::Contradiction("the data is not as long as it is said to be"));
    }
    let mut crc = Crc::new();
    crc.update(&data);
    if crc.sum() != entry.crc {
        return Err(ArchiveFault::Contradiction("the data does not have its checksum"));
    }
    Ok(data)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Stored,
    Deflated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    packed: usize,
    unpacked: usize,
}

/// What the directory says of the entry.
#[derive(Debug)]
struct Entry {
    flags: u16,
    method: u16,
    packing: Packing,
    crc: u32,
    sizes: Sizes,
}

/// Where the directory begins, from the end record at `at`.
fn end_record(archive: &[u8], at: usize) -> Result<usize, ArchiveFault> {
    let mut fields = Fields(archive.get(at..).unwrap_or_default());
    if fields.u32()? != END {
        return Err(ArchiveFault::NoEnd);
    }
    let (disk, directory_disk, here, entries) = (fields.u16()?, fields.u16()?, fields.u16()?, fields.u16()?);
    let (size, offset, comment) = (fields.u32()?, fields.u32()?, fields.u16()?);
    if (disk, directory_disk) != (0, 0) || [here, entries].contains(&u16::MAX) || [size, offset].contains(&IN_EXTRA) {
        return Err(ArchiveFault::Kind);
    }
    if here != 1 || entries != 1 {
        return Err(ArchiveFault::Entries(here.max(entries)));
    }
    let (size, offset) = (length(size)?, length(offset)?);
    if comment != 0 || offset.checked_add(size) != Some(at) {
        return Err(ArchiveFault::Layout);
    }
    Ok(offset)
}

/// The directory's one header, which must fill it.
fn directory_header(directory: &[u8]) -> Result<Entry, ArchiveFault> {
    let mut fields = Fields(directory);
    if fields.u32()? != DIRECTORY {
        return Err(ArchiveFault::Layout);
    }
    let (_made_by, _needed, flags, method) = (fields.u16()?, fields.u16()?, fields.u16()?, fields.u16()?);
    let _modified = fields.u32()?;
    let (crc, packed, unpacked) = (fields.u32()?, fields.u32()?, fields.u32()?);
    let (name, extra, comment) = (fields.u16()?, fields.u16()?, fields.u16()?);
    let (disk, _internal, external, offset) = (fields.u16()?, fields.u16()?, fields.u32()?, fields.u32()?);
    let (name, extra) = (fields.take(name)?, fields.take(extra)?);
    if disk != 0 || offset == IN_EXTRA {
        return Err(ArchiveFault::Kind);
    }
    if offset != 0 || comment != 0 || !fields.0.is_empty() {
        return Err(ArchiveFault::Layout);
    }
    if name != RESULTS_FILE.as_bytes() {
        return Err(ArchiveFault::Name);
    }
    // The file type of Unix in the upper half, the directory bit of DOS in the lower.
    let regular = matches!(external >> 16 & 0o170_000, 0 | 0o100_000);
    if !regular || external & 0x10 != 0 {
        return Err(ArchiveFault::NotAFile);
    }
    if flags & !(HARMLESS | DESCRIBED_BEHIND) != 0 {
        return Err(ArchiveFault::Encrypted);
    }
    let packing = match method {
        0 => Packing::Stored,
        8 => Packing::Deflated,
        _ => return Err(ArchiveFault::Method),
    };
    let sizes = sizes(packed, unpacked, extra)?;
    if sizes.unpacked > MAX_UNPACKED {
        return Err(ArchiveFault::TooLarge(MAX_UNPACKED >> 20));
    }
    if packing == Packing::Stored && sizes.packed != sizes.unpacked {
        return Err(ArchiveFault::Contradiction("data that is not compressed has two sizes"));
    }
    Ok(Entry { flags, method, packing, crc, sizes })
}

/// The packed data out of everything before the directory: local header, data, and the descriptor where there is one.
fn local_parts<'a>(parts: &'a [u8], entry: &Entry) -> Result<&'a [u8], ArchiveFault> {
    let mut fields = Fields(parts);
    if fields.u32()? != LOCAL {
        return Err(ArchiveFault::Layout);
    }
    let (_needed, flags, method, _modified) = (fields.u16()?, fields.u16()?, fields.u16()?, fields.u32()?);
    let (crc, packed, unpacked) = (fields.u32()?, fields.u32()?, fields.u32()?);
    let (name, extra) = (fields.u16()?, fields.u16()?);
    let (name, extra) = (fields.take(name)?, fields.take(extra)?);
    if name != RESULTS_FILE.as_bytes() || flags != entry.flags || method != entry.method {
        return Err(ArchiveFault::Contradiction("its two headers differ"));
    }
    let behind = flags & DESCRIBED_BEHIND != 0;
    // What was not known yet when the header was written is left open there, and stands behind the data.
    let open = |field: u32, known: usize| [0, IN_EXTRA].contains(&field) || length(field) == Ok(known);
    let agrees = if behind {
        [0, entry.crc].contains(&crc) && open(packed, entry.sizes.packed) && open(unpacked, entry.sizes.unpacked)
    } else {
        crc == entry.crc && sizes(packed, unpacked, extra)? == entry.sizes
    };
    if !agrees {
        return Err(ArchiveFault::Contradiction("its two headers differ"));
    }
    if entry.sizes.packed > fields.0.len() {
        return Err(ArchiveFault::Layout);
    }
    let (data, rest) = fields.0.split_at(entry.sizes.packed);
    match (behind, rest.is_empty()) {
        (true, _) => descriptor(rest, entry)?,
        (false, true) => {}
        (false, false) => return Err(ArchiveFault::Layout),
    }
    Ok(data)
}

/// Checks the descriptor, which has its mark or not and sizes of 32 or 64 bits: four lengths, so none is ambiguous.
fn descriptor(bytes: &[u8], entry: &Entry) -> Result<(), ArchiveFault> {
    let mut fields = Fields(bytes);
    let (mark, large) = match bytes.len() {
        12 => (false, false),
        16 => (true, false),
        20 => (false, true),
        24 => (true, true),
        _ => return Err(ArchiveFault::Layout),
    };
    if mark && fields.u32()? != DESCRIPTOR {
        return Err(ArchiveFault::Layout);
    }
    let crc = fields.u32()?;
    let mut size = || if large { fields.u64() } else { fields.u32().map(u64::from) };
    let sizes = Sizes { packed: length(size()?)?, unpacked: length(size()?)? };
    if crc != entry.crc || sizes != entry.sizes {
        return Err(ArchiveFault::Contradiction("what follows the data differs from the directory"));
    }
    Ok(())
}

/// Both sizes of a header, those of 64 bits out of its extra field where the header points there.
fn sizes(packed: u32, unpacked: u32, extra: &[u8]) -> Result<Sizes, ArchiveFault> {
    let mut large = Fields(if [packed, unpacked].contains(&IN_EXTRA) { large_sizes(extra)? } else { &[] });
    let mut size = |size: u32| length(if size == IN_EXTRA { large.u64()? } else { u64::from(size) });
    // In the extra field the unpacked size comes first.
    let unpacked = size(unpacked)?;
    Ok(Sizes { packed: size(packed)?, unpacked })
}

/// The sizes of 64 bits in an extra field.
fn large_sizes(extra: &[u8]) -> Result<&[u8], ArchiveFault> {
    let mut fields = Fields(extra);
    while !fields.0.is_empty() {
        let (kind, size) = (fields.u16()?, fields.u16()?);
        let value = fields.take(size)?;
        if kind == LARGE_SIZES {
            return Ok(value);
        }
    }
    Err(ArchiveFault::Kind)
}

fn length(size: impl TryInto<usize>) -> Result<usize, ArchiveFault> {
    size.try_into().map_err(|_| ArchiveFault::Layout)
}

/// Little-endian fields, read one after the other; what is cut off is a fault of the layout.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: u16) -> Result<&'a [u8], ArchiveFault> {
        let (taken, rest) = self.0.split_at_checked(usize::from(length)).ok_or(ArchiveFault::Layout)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ArchiveFault> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(ArchiveFault::Layout)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u16(&mut self) -> Result<u16, ArchiveFault> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, ArchiveFault> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, ArchiveFault> {
        self.array().map(u64::from_le_bytes)
    }
}
