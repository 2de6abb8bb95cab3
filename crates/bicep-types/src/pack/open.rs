//! A pack that is ready for lookups.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use super::bytes::{Cursor, ROW, read_row};
use super::chunk::PackedFile;
use super::layout::{Layout, Section, damaged};
use super::source::{PackBytes, PackFile, Source};
use super::texts::TextCache;
use crate::catalog::{FileId, Location, Row, Rows};
use crate::error::PackError;
use crate::index::ExtensionManifest;
use crate::model::TypeId;
use crate::reference::FileRef;
use crate::tables::Namespace;

/// An opened pack. Clones share the bytes.
#[derive(Clone)]
pub struct Pack {
    inner: Arc<Inner>,
}

struct Inner {
    source: Source,
    layout: Layout,
    texts: TextCache,
}

impl fmt::Debug for Pack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pack").field("files", &self.file_count()).finish()
    }
}

impl Pack {
    /// Opens a pack, in a time that does not depend on its size.
    ///
    /// The header is checked here; everything else is checked for sense when it is read, so that damage is an
    /// error of the lookup that meets it. Damage that still makes sense, such as one letter for another, is
    /// only found by [`Pack::verify`].
    pub fn open(bytes: PackBytes) -> Result<Pack, PackError> {
        let whole = (*bytes).as_ref();
        let layout = Layout::read(whole, whole.len())?;
        Ok(Pack::new(Source::Memory(bytes), layout))
    }

    /// Opens a pack of which parts are read as they are needed, which is a small part of it for most programs.
    pub fn open_file(file: Box<dyn PackFile>) -> Result<Pack, PackError> {
        Source::open(file).map(|(source, layout)| Pack::new(source, layout))
    }

    fn new(source: Source, layout: Layout) -> Pack {
        Pack { inner: Arc::new(Inner { source, layout, texts: TextCache::default() }) }
    }

    /// Compares the whole pack with its checksums: what to do once, when a pack has been copied or fetched.
    pub fn verify(&self) -> Result<(), PackError> {
        self.inner.layout.verify(&self.inner.source.whole())
    }

    pub(super) fn section(&self, section: Section) -> &[u8] {
        self.inner.source.section(&self.inner.layout, section)
    }

    /// Reads something at an offset of a section, whose end nobody knows beforehand.
    pub(super) fn read_at<T>(
        &self,
        section: Section,
        at: usize,
        read: impl Fn(Cursor<'_>) -> Option<T>,
    ) -> Option<T> {
        self.inner.source.read_at(&self.inner.layout, section, at, |bytes| read(Cursor::at(bytes, 0)))
    }

    /// The text at an offset.
    pub(super) fn text_at(&self, at: usize) -> Option<&str> {
        let Inner { source, layout, .. } = &*self.inner;
        let near = Cursor::at(source.texts_at(layout, at), 0).text();
        near.or_else(|| Cursor::at(source.section(layout, Section::Strings), at).text())
    }

    fn text(&self, at: u32) -> Result<&str, PackError> {
        let at = usize::try_from(at).map_err(|_| damaged(Section::Strings))?;
        self.text_at(at).ok_or(damaged(Section::Strings))
    }

    pub(super) fn description(&self, name: u64) -> Result<Box<str>, PackError> {
        let (table, texts) = (self.section(Section::TextTable), self.section(Section::Texts));
        self.inner.texts.text(table, texts, name)
    }

    pub(crate) fn file_count(&self) -> usize {
        self.section(Section::Files).len() / ROW
    }

    fn file_row(&self, file: FileId) -> Result<[u32; 4], PackError> {
        read_row(self.section(Section::Files), file.index()).ok_or(damaged(Section::Files))
    }

    pub(crate) fn path(&self, file: FileId) -> Result<&str, PackError> {
        let [path, ..] = self.file_row(file)?;
        self.text(path)
    }

    pub(crate) fn file(&self, file: FileId) -> Result<PackedFile, PackError> {
        let [_, block, text_block, types] = self.file_row(file)?;
        let offset = |at: u32| usize::try_from(at).map_err(|_| damaged(Section::Files));
        PackedFile::open(self.clone(), offset(block)?, offset(text_block)?, types)
    }

    pub(crate) fn resources(&self) -> PackRows<'_> {
        PackRows { pack: self, section: Section::Resources }
    }

    pub(crate) fn functions(&self) -> PackRows<'_> {
        PackRows { pack: self, section: Section::Functions }
    }

    pub(crate) fn namespace(&self) -> Result<Namespace, PackError> {
        NamespaceReader { pack: self, cursor: Cursor::at(self.section(Section::Namespace), 0) }
            .read()
            .ok_or(damaged(Section::Namespace))
    }
}

/// A table of names in a pack.
#[derive(Clone)]
pub(crate) struct PackRows<'a> {
    pack: &'a Pack,
    section: Section,
}

impl<'a> Rows<'a> for PackRows<'a> {
    fn count(&self) -> usize {
        self.pack.section(self.section).len() / ROW
    }

    fn row(&self, position: usize) -> crate::Result<Row<'a>> {
        let [name, version, file, id] =
            read_row(self.pack.section(self.section), position).ok_or(damaged(self.section))?;
        Ok(Row {
            name: self.pack.text(name)?,
            version: self.pack.text(version)?,
            location: Location { file: FileId(file), id: TypeId(id) },
        })
    }
}

/// Reads what [`super::build`] wrote about the namespace.
struct NamespaceReader<'a> {
    pack: &'a Pack,
    cursor: Cursor<'a>,
}

impl NamespaceReader<'_> {
    fn read(mut self) -> Option<Namespace> {
        let fallback_resource_type = self.optional(Self::location)?;
        let count = self.cursor.count()?;
        let namespace_functions = (0..count).map(|_| self.location()).collect::<Option<_>>()?;
        let settings = self.optional(Self::settings)?;
        let configuration_type = match &settings {
            Some((_, configuration)) => *configuration,
            None => None,
        };
        Some(Namespace {
            settings: settings.map(|(settings, _)| settings),
            configuration_type,
            fallback_resource_type,
            functions: namespace_functions,
            decorators: Vec::new(),
        })
    }

    fn settings(&mut self) -> Option<(ExtensionManifest, Option<Location>)> {
        let name = SmolStr::from(self.cursor.text()?);
        let version = SmolStr::from(self.cursor.text()?);
        let is_singleton = self.flag()?;
        let is_preview = self.optional(Self::flag)?;
        let is_deprecated = self.optional(Self::flag)?;
        let location = self.optional(Self::location)?;
        let configuration_type = match location {
            Some(location) => Some(FileRef::new(self.pack.path(location.file).ok()?, location.id)),
            None => None,
        };
        let settings =
            ExtensionManifest { name, version, is_singleton, is_preview, is_deprecated, configuration_type };
        Some((settings, location))
    }

    fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Some(None) }
    }

    fn flag(&mut self) -> Option<bool> {
        match self.cursor.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn location(&mut self) -> Option<Location> {
        Some(Location { file: FileId(self.cursor.small()?), id: TypeId(self.cursor.small()?) })
    }
}
