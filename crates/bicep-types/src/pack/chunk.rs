//! The types of one packed file, decoded chunk by chunk as they are asked for.

use std::sync::OnceLock;

use super::bytes::{Cursor, unzigzag};
use super::layout::{Section, damaged};
use super::open::Pack;
use super::record::Decoder;
use crate::error::PackError;
use crate::model::{Type, TypeId};

/// No chunk holds more types than this, so that asking for one type never decodes a whole file.
pub(super) const LONGEST_CHUNK: u32 = 256;

/// A file of a pack.
pub(crate) struct PackedFile {
    pack: Pack,
    types: u32,
    chunks: Box<[Chunk]>,
    text_block: usize,
    /// Read from the text block when the first description is asked for.
    text_lists: OnceLock<Box<[Option<usize>]>>,
}

struct Chunk {
    first: u32,
    count: u32,
    at: usize,
    types: OnceLock<Box<[Type]>>,
}

impl PackedFile {
    /// Reads the list of chunks, and nothing of the types themselves.
    pub(super) fn open(
        pack: Pack,
        block: usize,
        text_block: usize,
        types: u32,
    ) -> Result<PackedFile, PackError> {
        let chunks = pack.read_at(Section::Blocks, block, |cursor| read_chunks(cursor, types));
        let chunks = chunks.ok_or(damaged(Section::Blocks))?.into();
        Ok(PackedFile { pack, types, chunks, text_block, text_lists: OnceLock::new() })
    }

    /// How many types the file has.
    pub(crate) fn len(&self) -> usize {
        TypeId(self.types).index()
    }

    /// The type at a position, without descriptions; nothing if there is no such position.
    pub(crate) fn get(&self, id: TypeId) -> Result<Option<&Type>, PackError> {
        if id.0 >= self.types {
            return Ok(None);
        }
        let after = self.chunks.partition_point(|chunk| chunk.first <= id.0);
        let Some(chunk) = after.checked_sub(1).and_then(|position| self.chunks.get(position)) else {
            return Err(damaged(Section::Blocks));
        };
        let types = match chunk.types.get() {
            Some(types) => types,
            None => {
                let types = self.decode(chunk).ok_or(damaged(Section::Chunks))?;
                chunk.types.get_or_init(|| types)
            }
        };
        Ok(types.get(TypeId(id.0 - chunk.first).index()))
    }

    fn decode(&self, chunk: &Chunk) -> Option<Box<[Type]>> {
        self.pack.read_at(Section::Chunks, chunk.at, |cursor| {
            let mut decoder = Decoder { cursor, pack: &self.pack, types: self.types };
            let mut types = Vec::with_capacity(TypeId(chunk.count).index());
            for id in chunk.first..chunk.first + chunk.count {
                types.push(decoder.record(TypeId(id))?);
            }
            Some(types.into())
        })
    }

    /// The type at a position, with descriptions.
    pub(crate) fn documented(&self, id: TypeId) -> Result<Option<Type>, PackError> {
        let Some(ty) = self.get(id)? else { return Ok(None) };
        let mut ty = ty.clone();
        let places = ty.descriptions_mut();
        if places.is_empty() {
            return Ok(Some(ty));
        }
        let position = self.chunks.partition_point(|chunk| chunk.first <= id.0).saturating_sub(1);
        let Some(mut list) = self.text_list(position)? else { return Ok(Some(ty)) };
        // The list covers the whole chunk: pass over the members of the types before this one.
        let first = self.chunks.get(position).map_or(id.0, |chunk| chunk.first);
        let mut passed = 0;
        for before in first..id.0 {
            passed += self.get(TypeId(before))?.map_or(0, Type::description_count);
        }
        let fault = || damaged(Section::TextLists);
        for _ in 0..passed {
            list.varint().ok_or_else(fault)?;
        }
        for place in places {
            if let Some(name) = list.varint().ok_or_else(fault)?.checked_sub(1) {
                *place = Some(self.pack.description(name)?);
            }
        }
        Ok(Some(ty))
    }

    /// The text list of the chunk at a position.
    fn text_list(&self, position: usize) -> Result<Option<Cursor<'_>>, PackError> {
        let lists = match self.text_lists.get() {
            Some(lists) => lists,
            None => {
                let block = self.pack.section(Section::TextBlocks);
                let lists = read_text_lists(block, self.text_block, self.chunks.len())
                    .ok_or(damaged(Section::TextBlocks))?
                    .into();
                self.text_lists.get_or_init(|| lists)
            }
        };
        let at = lists.get(position).copied().flatten();
        Ok(at.map(|at| Cursor::at(self.pack.section(Section::TextLists), at)))
    }
}

/// Where the text list of each chunk is, for those that have one.
fn read_text_lists(blocks: &[u8], block: usize, chunks: usize) -> Option<Vec<Option<usize>>> {
    let mut cursor = Cursor::at(blocks, block);
    let mut at: i64 = 0;
    let mut lists = Vec::with_capacity(chunks);
    for _ in 0..chunks {
        lists.push(match cursor.varint()?.checked_sub(1) {
            None => None,
            Some(distance) => {
                at = at.checked_add(unzigzag(distance))?;
                Some(usize::try_from(at).ok()?)
            }
        });
    }
    Some(lists)
}

fn read_chunks(mut cursor: Cursor<'_>, types: u32) -> Option<Vec<Chunk>> {
    let count = cursor.count()?;
    let mut chunks = Vec::with_capacity(count.min(1 << 16));
    let mut first: u32 = 0;
    let mut at: i64 = 0;
    for _ in 0..count {
        at = at.checked_add(cursor.signed()?)?;
        let count = cursor.small()?;
        chunks.push(Chunk { first, count, at: usize::try_from(at).ok()?, types: OnceLock::new() });
        first = first.checked_add(count)?;
        if !(1..=LONGEST_CHUNK).contains(&count) || first > types {
            return None;
        }
    }
    (first == types).then_some(chunks)
}
