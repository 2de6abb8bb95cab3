//! Descriptions: stored once, in groups that are compressed each on its own.
//!
//! A text is named by the number of its group and its offset in the group as it was before compression.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rustc_hash::FxHashMap;

use super::bytes::{Cursor, read_row, write_row, write_text};
use super::layout::{Section, damaged, narrow};
use crate::error::PackError;

/// The bits of a name that are the offset in a group.
const OFFSET_BITS: u32 = 16;
/// Every offset in a group is below this; a long text may end beyond it.
const GROUP: usize = 1 << OFFSET_BITS;
/// No group is longer than this when it is read; the longest description known has a few thousand bytes.
const LONGEST: u32 = 1 << 24;

/// Collects texts, each of them once, and numbers them.
#[derive(Default)]
pub(super) struct TextWriter {
    known: FxHashMap<Box<str>, u64>,
    group: Vec<u8>,
    groups: u64,
    table: Vec<u8>,
    texts: Vec<u8>,
}

impl TextWriter {
    /// The number that names the text.
    pub(super) fn add(&mut self, text: Box<str>) -> Result<u64, PackError> {
        if let Some(name) = self.known.get(&text) {
            return Ok(*name);
        }
        if self.group.len() >= GROUP {
            self.close_group()?;
        }
        let name = (self.groups << OFFSET_BITS) | self.group.len() as u64;
        write_text(&mut self.group, &text);
        self.known.insert(text, name);
        Ok(name)
    }

    /// The text table and the texts.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, Vec<u8>), PackError> {
        self.close_group()?;
        Ok((self.table, self.texts))
    }

    fn close_group(&mut self) -> Result<(), PackError> {
        let group = std::mem::take(&mut self.group);
        let start = self.texts.len();
        let mut encoder = DeflateEncoder::new(&mut self.texts, Compression::best());
        // Writing to memory does not fail; if it did, the pack would be refused when it is read.
        let written = encoder.write_all(&group).and_then(|()| encoder.finish().map(drop));
        written.map_err(|_| damaged(Section::Texts))?;
        if group.len() > usize::try_from(LONGEST).unwrap_or(usize::MAX) {
            return Err(PackError::TooLarge { section: Section::Texts.name() });
        }
        let row = [
            narrow(start, Section::Texts)?,
            narrow(self.texts.len() - start, Section::Texts)?,
            narrow(group.len(), Section::Texts)?,
            0,
        ];
        write_row(&mut self.table, row);
        self.groups += 1;
        Ok(())
    }
}

/// The groups that have been needed so far.
#[derive(Default)]
pub(super) struct TextCache {
    groups: Mutex<FxHashMap<usize, Arc<[u8]>>>,
}

impl TextCache {
    /// The text of that name.
    pub(super) fn text(&self, table: &[u8], texts: &[u8], name: u64) -> Result<Box<str>, PackError> {
        let fault = || damaged(Section::Texts);
        let number = usize::try_from(name >> OFFSET_BITS).map_err(|_| fault())?;
        let offset = usize::try_from(name & (GROUP as u64 - 1)).map_err(|_| fault())?;
        let group = self.group(table, texts, number)?;
        Cursor::at(&group, offset).text().map(Box::from).ok_or_else(fault)
    }

    fn group(&self, table: &[u8], texts: &[u8], number: usize) -> Result<Arc<[u8]>, PackError> {
        let known = self.groups.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
        if let Some(group) = known {
            return Ok(group);
        }
        let group: Arc<[u8]> = inflate(table, texts, number).ok_or(damaged(Section::Texts))?.into();
        self.groups.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::clone(&group));
        Ok(group)
    }
}

fn inflate(table: &[u8], texts: &[u8], number: usize) -> Option<Vec<u8>> {
    let [start, compressed, length, _] = read_row(table, number)?;
    let start = usize::try_from(start).ok()?;
    let bytes = texts.get(start..start.checked_add(usize::try_from(compressed).ok()?)?)?;
    if length > LONGEST {
        return None;
    }
    let mut group = Vec::new();
    DeflateDecoder::new(bytes).take(u64::from(length)).read_to_end(&mut group).ok()?;
    (group.len() == usize::try_from(length).ok()?).then_some(group)
}
