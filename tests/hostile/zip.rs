//! A zip, part by part, so that every part can lie.

use std::io::Write;

/// The fields of a local header or of a directory header.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) made_by: u16,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) unpacked: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) extra: Vec<u8>,
    pub(crate) comment: Vec<u8>,
    pub(crate) disk: u16,
    pub(crate) external: u32,
    pub(crate) offset: u32,
}

/// The end record.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) disk: u16,
    pub(crate) directory_disk: u16,
    pub(crate) here: u16,
    pub(crate) entries: u16,
    /// Where the directory is said to begin and how long it is; none for what is true.
    pub(crate) offset: Option<u32>,
    pub(crate) size: Option<u32>,
    pub(crate) comment: Vec<u8>,
}

/// A zip of which every part can be changed.
#[derive(Clone, Debug)]
pub(crate) struct Zip {
    pub(crate) before: Vec<u8>,
    pub(crate) local: Header,
    pub(crate) data: Vec<u8>,
    pub(crate) descriptor: Vec<u8>,
    /// Between what is local and the directory.
    pub(crate) gap: Vec<u8>,
    pub(crate) directory: Vec<Header>,
    /// Between the directory and the end record.
    pub(crate) late: Vec<u8>,
    pub(crate) end: End,
    pub(crate) after: Vec<u8>,
}

/// The raw deflate stream of `data`.
pub(crate) fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn crc(data: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(data);
    crc.sum()
}

fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap()
}

impl Zip {
    /// An honest one of `results.json`, stored or deflated.
    pub(crate) fn of(data: &[u8], deflate: bool) -> Self {
        let packed = if deflate { deflated(data) } else { data.to_vec() };
        let header = Header {
            made_by: 0x0314,
            flags: 0,
            method: if deflate { 8 } else { 0 },
            crc: crc(data),
            packed: size(packed.len()),
            unpacked: size(data.len()),
            name: b"results.json".to_vec(),
            extra: Vec::new(),
            comment: Vec::new(),
            disk: 0,
            external: 0o100_644 << 16,
            offset: 0,
        };
        let end =
            End { disk: 0, directory_disk: 0, here: 1, entries: 1, offset: None, size: None, comment: Vec::new() };
        Self {
            before: Vec::new(),
            local: header.clone(),
            data: packed,
            descriptor: Vec::new(),
            gap: Vec::new(),
            directory: vec![header],
            late: Vec::new(),
            end,
            after: Vec::new(),
        }
    }

    /// The same with its sizes behind the data, as whoever writes into a pipe has it.
    pub(crate) fn streamed(data: &[u8], mark: bool, large: bool) -> Self {
        let mut zip = Self::of(data, true);
        if mark {
            zip.descriptor.extend_from_slice(b"PK\x07\x08");
        }
        zip.descriptor.extend_from_slice(&zip.local.crc.to_le_bytes());
        for size in [zip.local.packed, zip.local.unpacked] {
            if large {
                zip.descriptor.extend_from_slice(&u64::from(size).to_le_bytes());
            } else {
                zip.descriptor.extend_from_slice(&size.to_le_bytes());
            }
        }
        zip.set_flags(1 << 3);
        (zip.local.crc, zip.local.packed, zip.local.unpacked) = (0, 0, 0);
        zip
    }

    /// The same with its sizes in extra fields of 64 bits.
    pub(crate) fn large(data: &[u8]) -> Self {
        let mut zip = Self::of(data, true);
        let extra = large_sizes(zip.local.unpacked.into(), zip.local.packed.into());
        for header in [&mut zip.local, &mut zip.directory[0]] {
            header.extra.clone_from(&extra);
            (header.packed, header.unpacked) = (u32::MAX, u32::MAX);
        }
        zip
    }

    pub(crate) fn set_flags(&mut self, flags: u16) {
        self.local.flags = flags;
        self.directory.iter_mut().for_each(|header| header.flags = flags);
    }

    pub(crate) fn set_method(&mut self, method: u16) {
        self.local.method = method;
        self.directory.iter_mut().for_each(|header| header.method = method);
    }

    pub(crate) fn set_name(&mut self, name: &[u8]) {
        self.local.name = name.to_vec();
        self.directory.iter_mut().for_each(|header| header.name = name.to_vec());
    }

    pub(crate) fn set_unpacked(&mut self, unpacked: u32) {
        self.local.unpacked = unpacked;
        self.directory.iter_mut().for_each(|header| header.unpacked = unpacked);
    }

    pub(crate) fn set_packed(&mut self, packed: u32) {
        self.local.packed = packed;
        self.directory.iter_mut().for_each(|header| header.packed = packed);
    }

    /// The bytes. Offsets that are not set are true.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.before.clone();
        let Header { flags, method, crc, packed, unpacked, name, extra, .. } = &self.local;
        bytes.extend_from_slice(b"PK\x03\x04\x14\x00");
        shorts(&mut bytes, &[*flags, *method, 0, 0x21]);
        longs(&mut bytes, &[*crc, *packed, *unpacked]);
        shorts(&mut bytes, &[short(name), short(extra)]);
        for part in [name, extra, &self.data, &self.descriptor, &self.gap] {
            bytes.extend_from_slice(part);
        }
        let start = bytes.len();
        for header in &self.directory {
            bytes.extend_from_slice(b"PK\x01\x02");
            shorts(&mut bytes, &[header.made_by, 20, header.flags, header.method, 0, 0x21]);
            longs(&mut bytes, &[header.crc, header.packed, header.unpacked]);
            shorts(&mut bytes, &[short(&header.name), short(&header.extra), short(&header.comment), header.disk, 0]);
            longs(&mut bytes, &[header.external, header.offset]);
            for part in [&header.name, &header.extra, &header.comment] {
                bytes.extend_from_slice(part);
            }
        }
        let directory = bytes.len() - start;
        bytes.extend_from_slice(&self.late);
        bytes.extend_from_slice(b"PK\x05\x06");
        shorts(&mut bytes, &[self.end.disk, self.end.directory_disk, self.end.here, self.end.entries]);
        let (offset, length) = (self.end.offset.unwrap_or(size(start)), self.end.size.unwrap_or(size(directory)));
        longs(&mut bytes, &[length, offset]);
        shorts(&mut bytes, &[short(&self.end.comment)]);
        bytes.extend_from_slice(&self.end.comment);
        bytes.extend_from_slice(&self.after);
        bytes
    }
}

/// An extra field with sizes of 64 bits.
pub(crate) fn large_sizes(unpacked: u64, packed: u64) -> Vec<u8> {
    // A field of another kind stands first, as packers write times.
    let mut extra = b"UT\x01\x00\x00\x01\x00\x10\x00".to_vec();
    extra.extend_from_slice(&unpacked.to_le_bytes());
    extra.extend_from_slice(&packed.to_le_bytes());
    extra
}

fn short(part: &[u8]) -> u16 {
    u16::try_from(part.len()).unwrap()
}

fn shorts(bytes: &mut Vec<u8>, fields: &[u16]) {
    for field in fields {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
}

fn longs(bytes: &mut Vec<u8>, fields: &[u32]) {
    for field in fields {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
}
