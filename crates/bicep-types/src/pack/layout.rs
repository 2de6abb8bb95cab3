//! The header and the sections behind it.

use std::ops::Range;

use super::bytes::read_u32;
use crate::error::PackError;

/// The first bytes of every pack. The first one is not ASCII and the last one is a line break, so that a transfer
/// in text mode is noticed.
const MAGIC: [u8; 8] = *b"\x89BTPACK\n";

/// The version of the layout. A change of any encoding is a new version; there is no reading of other versions,
/// because a pack is made from its source at any time.
pub(crate) const VERSION: u32 = 1;

pub(super) const SECTIONS: usize = 11;
const TABLE: usize = 16;
const CHECKSUM: usize = TABLE + SECTIONS * 12;
pub(super) const HEADER: usize = CHECKSUM + 4;

/// The sections, in the order in which they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Strings,
    Chunks,
    Blocks,
    Files,
    Resources,
    Functions,
    Namespace,
    TextLists,
    TextBlocks,
    TextTable,
    Texts,
}

impl Section {
    pub(crate) const ALL: [Section; SECTIONS] = [
        Section::Strings,
        Section::Chunks,
        Section::Blocks,
        Section::Files,
        Section::Resources,
        Section::Functions,
        Section::Namespace,
        Section::TextLists,
        Section::TextBlocks,
        Section::TextTable,
        Section::Texts,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Section::Strings => "strings",
            Section::Chunks => "chunks",
            Section::Blocks => "blocks",
            Section::Files => "files",
            Section::Resources => "resources",
            Section::Functions => "functions",
            Section::Namespace => "namespace",
            Section::TextLists => "text lists",
            Section::TextBlocks => "text blocks",
            Section::TextTable => "text table",
            Section::Texts => "texts",
        }
    }
}

pub(crate) fn damaged(section: Section) -> PackError {
    PackError::Damaged { section: section.name() }
}

pub(crate) fn narrow(value: usize, section: Section) -> Result<u32, PackError> {
    u32::try_from(value).map_err(|_| PackError::TooLarge { section: section.name() })
}

/// Where each section lies.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    sections: [(Range<usize>, u32); SECTIONS],
}

impl Layout {
    /// Checks the header of a pack of `length` bytes; takes the same time for every pack.
    pub(crate) fn read(bytes: &[u8], length: usize) -> Result<Layout, PackError> {
        const DAMAGED: PackError = PackError::Damaged { section: "header" };
        if bytes.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(PackError::NotAPack);
        }
        let header = bytes.get(..HEADER).ok_or(PackError::Length { expected: HEADER, found: length })?;
        let field = |at: usize| read_u32(header, at).ok_or(DAMAGED);
        // The version comes before the checksum: another version may have its checksum elsewhere.
        let found = field(8)?;
        if found != VERSION {
            return Err(PackError::Version { found, expected: VERSION });
        }
        if header.get(..CHECKSUM).map(crc32fast::hash) != Some(field(CHECKSUM)?) {
            return Err(DAMAGED);
        }
        let size = |at: usize| field(at).and_then(|value| usize::try_from(value).map_err(|_| DAMAGED));
        let expected = size(12)?;
        if length != expected {
            return Err(PackError::Length { expected, found: length });
        }
        let mut sections = [const { (0..0, 0) }; SECTIONS];
        for (position, section) in sections.iter_mut().enumerate() {
            let entry = TABLE + position * 12;
            let start = size(entry)?;
            let end = start.checked_add(size(entry + 4)?).ok_or(DAMAGED)?;
            if end > length {
                return Err(DAMAGED);
            }
            *section = (start..end, field(entry + 8)?);
        }
        Ok(Layout { sections })
    }

    /// Where a section lies.
    pub(crate) fn range(&self, section: Section) -> Range<usize> {
        self.sections.get(section as usize).map_or(0..0, |(range, _)| range.clone())
    }

    /// The bytes of one section.
    pub(crate) fn section<'a>(&self, bytes: &'a [u8], section: Section) -> &'a [u8] {
        bytes.get(self.range(section)).unwrap_or_default()
    }

    /// Compares every section with its checksum; takes time in proportion to the size of the pack.
    pub(crate) fn verify(&self, bytes: &[u8]) -> Result<(), PackError> {
        for (section, (range, checksum)) in Section::ALL.into_iter().zip(&self.sections) {
            if bytes.get(range.clone()).map(crc32fast::hash) != Some(*checksum) {
                return Err(damaged(section));
            }
        }
        Ok(())
    }
}

/// Puts a header before the sections, which come in the order of [`Section::ALL`].
pub(crate) fn assemble(sections: [Vec<u8>; SECTIONS]) -> Result<Vec<u8>, PackError> {
    let total = HEADER + sections.iter().map(Vec::len).sum::<usize>();
    let too_large = || PackError::TooLarge { section: "sections" };
    let number = |value: usize| u32::try_from(value).map_err(|_| too_large());
    let mut out = Vec::with_capacity(total);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(number(total)?.to_le_bytes());
    let mut offset = HEADER;
    for section in &sections {
        out.extend(number(offset)?.to_le_bytes());
        out.extend(number(section.len())?.to_le_bytes());
        out.extend(crc32fast::hash(section).to_le_bytes());
        offset += section.len();
    }
    out.extend(crc32fast::hash(&out).to_le_bytes());
    sections.iter().for_each(|section| out.extend(section));
    Ok(out)
}
