//! Where the bytes of a pack come from: memory, or a file of which no more is read than is needed.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::layout::{HEADER, Layout, SECTIONS, Section};
use crate::error::PackError;

/// The bytes of a pack: a vector, a static slice, or a mapped file.
pub type PackBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A pack that is read piece by piece.
pub trait PackFile: Send + Sync {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Fills `into` with the bytes from an offset on; tells whether there were as many.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> bool;
}

/// How much of the texts is read at a time.
const PAGE: usize = 16 << 10;
/// How much further a page reaches, for texts that begin near its end.
const OVERLAP: usize = 1 << 10;
/// How much is read at first of what has no known end, and how much if that is not enough.
const WINDOWS: [usize; 2] = [8 << 10, 128 << 10];

pub(super) enum Source {
    Memory(PackBytes),
    File(Box<FileParts>),
}

/// The parts of a file that were needed so far.
pub(super) struct FileParts {
    file: Box<dyn PackFile>,
    sections: [OnceLock<Box<[u8]>>; SECTIONS],
    /// The texts, page by page.
    pages: Box<[OnceLock<Box<[u8]>>]>,
}

impl Source {
    /// Reads the header of a file, and nothing else.
    pub(super) fn open(file: Box<dyn PackFile>) -> Result<(Source, Layout), PackError> {
        let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
        let mut header = vec![0; HEADER.min(size)];
        if !file.read_at(0, &mut header) {
            return Err(PackError::NotAPack);
        }
        let layout = Layout::read(&header, size)?;
        let pages = layout.range(Section::Strings).len().div_ceil(PAGE);
        let parts = FileParts {
            file,
            sections: [const { OnceLock::new() }; SECTIONS],
            pages: (0..pages).map(|_| OnceLock::new()).collect(),
        };
        Ok((Source::File(Box::new(parts)), layout))
    }

    /// The whole of a section; empty where it cannot be read.
    pub(super) fn section<'s>(&'s self, layout: &Layout, section: Section) -> &'s [u8] {
        match self {
            Source::Memory(bytes) => layout.section((**bytes).as_ref(), section),
            Source::File(parts) => {
                let cell = parts.sections.get(section as usize);
                cell.map_or(&[], |cell| cell.get_or_init(|| parts.read(layout, section, 0, usize::MAX)))
            }
        }
    }

    /// The texts from an offset on: all of them, or a page. A text that does not fit its page is in the whole section.
    pub(super) fn texts_at<'s>(&'s self, layout: &Layout, at: usize) -> &'s [u8] {
        match self {
            Source::Memory(_) => self.section(layout, Section::Strings).get(at..).unwrap_or_default(),
            Source::File(parts) => {
                let Some(cell) = parts.pages.get(at / PAGE) else { return &[] };
                let start = at / PAGE * PAGE;
                let page = cell.get_or_init(|| parts.read(layout, Section::Strings, start, PAGE + OVERLAP));
                page.get(at % PAGE..).unwrap_or_default()
            }
        }
    }

    /// Reads something of unknown length at an offset of a section: from more and more bytes, until there are enough.
    pub(super) fn read_at<T>(
        &self,
        layout: &Layout,
        section: Section,
        at: usize,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Option<T> {
        if let Source::File(parts) = self {
            let from_window = |window| read(&parts.read(layout, section, at, window));
            if let Some(found) = WINDOWS.into_iter().find_map(from_window) {
                return Some(found);
            }
        }
        read(self.section(layout, section).get(at..).unwrap_or_default())
    }

    /// All bytes, in their order.
    pub(super) fn whole(&self) -> Cow<'_, [u8]> {
        match self {
            Source::Memory(bytes) => Cow::Borrowed((**bytes).as_ref()),
            Source::File(parts) => {
                let mut bytes = vec![0; usize::try_from(parts.file.size()).unwrap_or(0)];
                let complete = parts.file.read_at(0, &mut bytes);
                Cow::Owned(if complete { bytes } else { Vec::new() })
            }
        }
    }
}

impl FileParts {
    /// Reads at most so many bytes of a section; nothing where they cannot be read.
    fn read(&self, layout: &Layout, section: Section, at: usize, most: usize) -> Box<[u8]> {
        let range = layout.range(section);
        let mut bytes = vec![0; range.len().saturating_sub(at).min(most)];
        let complete = self.file.read_at((range.start + at) as u64, &mut bytes);
        if complete { bytes.into() } else { Box::default() }
    }
}
