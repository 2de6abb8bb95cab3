//! Makes a pack.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::bytes::{write_row, write_text, write_varint, zigzag};
use super::chunk::LONGEST_CHUNK;
use super::layout::{Section, assemble, narrow};
use super::record::Encoder;
use super::texts::TextWriter;
use crate::catalog::{CatalogTable, Location};
use crate::error::{Error, PackError, Result};
use crate::index::{IndexBuilder, TypeIndex};
use crate::json::read_types;
use crate::model::{Type, TypeId};
use crate::tables::{IndexTables, Namespace};
use crate::type_files::TypeFiles;

/// Packs the files at `paths`, which `source` reads one at a time. Without an index one is made by looking into
/// the files, as [`IndexBuilder`] does.
pub fn pack(paths: &[SmolStr], source: &dyn TypeFiles, index: Option<&TypeIndex>) -> Result<Vec<u8>> {
    PackBuilder::new().pack(paths, source, index)
}

/// Makes a pack file by file.
#[derive(Default)]
pub struct PackBuilder {
    leaves_out_descriptions: bool,
    files: FxHashMap<SmolStr, FileEntry>,
    found: IndexBuilder,
    strings: Strings,
    chunks: Chunks,
    texts: TextWriter,
    text_lists: TextLists,
}

struct FileEntry {
    types: u32,
    chunks: Vec<ChunkUse>,
}

/// A chunk in a file.
struct ChunkUse {
    chunk: usize,
    types: u64,
    text_list: Option<usize>,
}

impl PackBuilder {
    /// A pack of nothing.
    pub fn new() -> PackBuilder {
        PackBuilder::default()
    }

    /// Leaves out all descriptions: the pack gets smaller, and only editors miss them.
    #[must_use]
    pub fn without_descriptions(mut self) -> PackBuilder {
        self.leaves_out_descriptions = true;
        self
    }

    /// Adds the files at `paths` and finishes; see [`pack`].
    pub fn pack(
        mut self,
        paths: &[SmolStr],
        source: &dyn TypeFiles,
        index: Option<&TypeIndex>,
    ) -> Result<Vec<u8>> {
        let mut paths: Vec<&SmolStr> = paths.iter().collect();
        // A file is mostly what its neighbour is, one version on. The newest version goes first, so that what is new is
        // together and the older ones refer to it.
        paths.sort_unstable_by(|one, other| other.cmp(one));
        paths.dedup();
        for path in paths {
            self.add_file(path, read_types(path, &source.read(path)?)?)?;
        }
        self.finish(index)
    }

    /// Adds a file; a file added again under the same path replaces the former.
    pub fn add_file(&mut self, path: &str, types: Vec<Type>) -> Result<()> {
        self.found.add(path, &types);
        let count = narrow(types.len(), Section::Files)?;
        let mut chunks = Vec::new();
        let mut chunk: Vec<Type> = Vec::new();
        let mut first = TypeId(0);
        for (id, ty) in (0..).map(TypeId).zip(types) {
            if chunk.len() >= TypeId(LONGEST_CHUNK).index() || starts_chunk(&ty) {
                chunks.extend(self.add_chunk(std::mem::take(&mut chunk), first)?);
            }
            if chunk.is_empty() {
                first = id;
            }
            let ends_chunk = matches!(ty, Type::Union(_));
            chunk.push(ty);
            if ends_chunk {
                chunks.extend(self.add_chunk(std::mem::take(&mut chunk), first)?);
            }
        }
        chunks.extend(self.add_chunk(chunk, first)?);
        self.files.insert(path.into(), FileEntry { types: count, chunks });
        Ok(())
    }

    fn add_chunk(&mut self, mut types: Vec<Type>, first: TypeId) -> Result<Option<ChunkUse>> {
        if types.is_empty() {
            return Ok(None);
        }
        let mut list = Vec::new();
        let mut described = false;
        for place in types.iter_mut().flat_map(Type::descriptions_mut) {
            let name = match place.take() {
                Some(text) if !self.leaves_out_descriptions => self.texts.add(text)? + 1,
                _ => 0,
            };
            described |= name != 0;
            write_varint(&mut list, name);
        }
        let text_list = described.then(|| self.text_lists.add(list));
        let count = types.len() as u64;
        let chunk = self.chunks.add(types, first, &mut self.strings);
        Ok(Some(ChunkUse { chunk, types: count, text_list }))
    }

    /// The pack of all files added. Every file that the index names must have been added.
    pub fn finish(self, index: Option<&TypeIndex>) -> Result<Vec<u8>> {
        let PackBuilder { files, found, mut strings, chunks, texts, text_lists, .. } = self;
        let found_index;
        let index = match index {
            Some(index) => index,
            None => {
                found_index = found.finish();
                &found_index
            }
        };
        let tables = IndexTables::new(index, files.keys().cloned().collect());
        let names = tables.resources.rows().iter().chain(tables.functions.rows());
        for text in names.flat_map(|row| [&row.name, &row.version]).chain(&tables.paths) {
            strings.number(text);
        }

        let (string_section, offsets) = strings.assign_offsets();
        let mut offset = |text: &str| offsets.get(text).copied().unwrap_or(0);
        let (chunk_section, chunk_offsets) = chunks.place(&mut offset);

        let mut blocks = Vec::new();
        let mut text_blocks = Vec::new();
        let mut file_rows = Vec::new();
        for path in &tables.paths {
            let file = files.get(path).ok_or_else(|| Error::MissingFile { file: path.to_string() })?;
            let row = [
                narrow_offset(offset(path))?,
                narrow(blocks.len(), Section::Blocks)?,
                narrow(text_blocks.len(), Section::TextBlocks)?,
                file.types,
            ];
            write_row(&mut file_rows, row);
            write_block(&mut blocks, &file.chunks, &chunk_offsets);
            write_text_block(&mut text_blocks, &file.chunks, &text_lists.offsets);
        }
        let resources = write_table(&tables.resources, &mut offset)?;
        let functions = write_table(&tables.functions, &mut offset)?;
        let (text_table, text_groups) = texts.finish()?;
        Ok(assemble([
            string_section,
            chunk_section,
            blocks,
            file_rows,
            resources,
            functions,
            write_namespace(&tables.namespace),
            text_lists.bytes,
            text_blocks,
            text_table,
            text_groups,
        ])?)
    }
}

/// Chunks begin at the types that hold others, because these, and what follows them, are what files share.
fn starts_chunk(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Object(_)
            | Type::DiscriminatedObject(_)
            | Type::Resource(_)
            | Type::ResourceFunction(_)
            | Type::Function(_)
            | Type::NamespaceFunction(_)
    )
}

/// The texts of names and values, with how often each is used.
#[derive(Default)]
struct Strings {
    numbers: FxHashMap<SmolStr, usize>,
    uses: Vec<u64>,
}

impl Strings {
    /// A number that stands for the text until its place is known.
    fn number(&mut self, text: &str) -> usize {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.uses.len();
        self.numbers.insert(text.into(), number);
        self.uses.push(0);
        number
    }

    fn count_use(&mut self, number: usize) {
        if let Some(uses) = self.uses.get_mut(number) {
            *uses += 1;
        }
    }

    /// All texts, the most used first, because low offsets are short; and the offset of each.
    fn assign_offsets(self) -> (Vec<u8>, FxHashMap<SmolStr, u64>) {
        let uses = self.uses;
        let mut texts: Vec<(SmolStr, usize)> = self.numbers.into_iter().collect();
        texts.sort_unstable_by_key(|(_, number)| {
            (std::cmp::Reverse(uses.get(*number).copied().unwrap_or(0)), *number)
        });
        let mut section = Vec::new();
        let mut offsets = FxHashMap::default();
        for (text, _) in texts {
            let offset = section.len() as u64;
            write_text(&mut section, &text);
            offsets.insert(text, offset);
        }
        (section, offsets)
    }
}

/// Runs of types, each kept once.
#[derive(Default)]
struct Chunks {
    /// By the encoding of the run with provisional numbers for texts.
    known: FxHashMap<Box<[u8]>, usize>,
    runs: Vec<(TypeId, Vec<Type>)>,
}

impl Chunks {
    fn add(&mut self, types: Vec<Type>, first: TypeId, strings: &mut Strings) -> usize {
        let mut key = Vec::new();
        let mut used = Vec::new();
        encode(&mut key, &types, first, &mut |text| {
            let number = strings.number(text);
            used.push(number);
            number as u64
        });
        if let Some(chunk) = self.known.get(key.as_slice()) {
            return *chunk;
        }
        used.into_iter().for_each(|number| strings.count_use(number));
        let chunk = self.runs.len();
        self.known.insert(key.into(), chunk);
        self.runs.push((first, types));
        chunk
    }

    /// All runs with the final offsets of texts, and where each begins.
    fn place(self, text: &mut dyn FnMut(&str) -> u64) -> (Vec<u8>, Vec<i64>) {
        let mut section = Vec::new();
        let mut offsets = Vec::with_capacity(self.runs.len());
        for (first, types) in &self.runs {
            offsets.push(signed(section.len()));
            encode(&mut section, types, *first, text);
        }
        (section, offsets)
    }
}

fn encode(out: &mut Vec<u8>, types: &[Type], first: TypeId, text: &mut dyn FnMut(&str) -> u64) {
    let mut encoder = Encoder { out, text };
    for (id, ty) in (first.0..).map(TypeId).zip(types) {
        encoder.record(ty, id);
    }
}

/// Lists of descriptions, each kept once.
#[derive(Default)]
struct TextLists {
    known: FxHashMap<Box<[u8]>, usize>,
    offsets: Vec<i64>,
    bytes: Vec<u8>,
}

impl TextLists {
    fn add(&mut self, list: Vec<u8>) -> usize {
        if let Some(number) = self.known.get(list.as_slice()) {
            return *number;
        }
        let number = self.offsets.len();
        self.offsets.push(signed(self.bytes.len()));
        self.bytes.extend(&list);
        self.known.insert(list.into(), number);
        number
    }
}

/// Lengths in memory fit; sections beyond 4 GiB are refused when the pack is put together.
fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn narrow_offset(offset: u64) -> std::result::Result<u32, PackError> {
    u32::try_from(offset).map_err(|_| PackError::TooLarge { section: Section::Strings.name() })
}

fn write_block(out: &mut Vec<u8>, chunks: &[ChunkUse], offsets: &[i64]) {
    write_varint(out, chunks.len() as u64);
    let mut last = 0;
    for chunk in chunks {
        let at = offsets.get(chunk.chunk).copied().unwrap_or(0);
        write_varint(out, zigzag(at - last));
        write_varint(out, chunk.types);
        last = at;
    }
}

fn write_text_block(out: &mut Vec<u8>, chunks: &[ChunkUse], offsets: &[i64]) {
    let mut last = 0;
    for chunk in chunks {
        match chunk.text_list.and_then(|list| offsets.get(list)) {
            None => write_varint(out, 0),
            Some(at) => {
                write_varint(out, zigzag(at - last) + 1);
                last = *at;
            }
        }
    }
}

fn write_table(
    table: &CatalogTable,
    offset: &mut dyn FnMut(&str) -> u64,
) -> std::result::Result<Vec<u8>, PackError> {
    let mut out = Vec::new();
    for row in table.rows() {
        let (name, version) = (narrow_offset(offset(&row.name))?, narrow_offset(offset(&row.version))?);
        write_row(&mut out, [name, version, row.location.file.0, row.location.id.0]);
    }
    Ok(out)
}

fn write_namespace(namespace: &Namespace) -> Vec<u8> {
    let mut out = Vec::new();
    write_location_if(&mut out, namespace.fallback_resource_type);
    write_varint(&mut out, namespace.functions.len() as u64);
    namespace.functions.iter().for_each(|function| write_location(&mut out, *function));
    out.push(u8::from(namespace.settings.is_some()));
    if let Some(settings) = &namespace.settings {
        write_text(&mut out, &settings.name);
        write_text(&mut out, &settings.version);
        out.push(u8::from(settings.is_singleton));
        for flag in [settings.is_preview, settings.is_deprecated] {
            out.push(u8::from(flag.is_some()));
            out.extend(flag.map(u8::from));
        }
        write_location_if(&mut out, namespace.configuration_type);
    }
    out
}

fn write_location_if(out: &mut Vec<u8>, location: Option<Location>) {
    out.push(u8::from(location.is_some()));
    location.iter().for_each(|location| write_location(out, *location));
}

fn write_location(out: &mut Vec<u8>, location: Location) {
    write_varint(out, u64::from(location.file.0));
    write_varint(out, u64::from(location.id.0));
}
