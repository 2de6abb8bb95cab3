//! Extension archives: `types.tgz` with the index and its files, and the `.tgz` around it.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use smol_str::SmolStr;

use crate::error::{Error, Result};
use crate::index::TypeIndex;
use crate::json::read_index;
use crate::store::TypeStore;
use crate::type_files::TypeFiles;

/// The entry of an archive that holds the index.
pub const INDEX_FILE: &str = "index.json";
/// The entry of an extension package that holds the types.
const TYPES_FILE: &str = "types.tgz";
/// What the names of the entries that hold programs end with.
const BINARY_ENDING: &str = ".bin";

/// How much an archive may unpack to, because a small file can unpack to anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// The greatest number of entries.
    pub entries: usize,
    /// The greatest number of bytes, entry headers included.
    pub bytes: u64,
}

impl ArchiveLimits {
    /// Limits that every type archive known stays well below.
    pub const TYPES: ArchiveLimits = ArchiveLimits { entries: 65_536, bytes: 1 << 30 };
}

/// The files of an archive by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    files: BTreeMap<SmolStr, Vec<u8>>,
}

impl Archive {
    /// Unpacks a gzipped tar.
    pub fn read(bytes: &[u8], limits: ArchiveLimits) -> Result<Archive> {
        let fault = |error: io::Error| Error::Archive { message: error.to_string() };
        let unpacked = Limited { inner: MultiGzDecoder::new(bytes), left: limits.bytes, limit: limits.bytes };
        let mut archive = tar::Archive::new(unpacked);
        let mut files = BTreeMap::new();
        for entry in archive.entries().map_err(fault)? {
            let mut entry = entry.map_err(fault)?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            if files.len() >= limits.entries {
                let message = format!("it has more than {} entries", limits.entries);
                return Err(Error::Archive { message });
            }
            let path = entry_path(&entry.path_bytes())?;
            let mut contents = Vec::new();
            entry.read_to_end(&mut contents).map_err(fault)?;
            if files.insert(path.clone(), contents).is_some() {
                return Err(Error::Archive { message: format!("it has the entry `{path}` twice") });
            }
        }
        // What follows the last entry has nothing to say, but only its end tells that the file is whole.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(fault)?;
        Ok(Archive { files })
    }

    /// Unpacks an extension as it is published: the types alone, or a package with the types in it.
    pub fn read_extension(bytes: &[u8], limits: ArchiveLimits) -> Result<Archive> {
        let archive = Archive::read(bytes, limits)?;
        match archive.files.get(TYPES_FILE) {
            Some(types) if !archive.files.contains_key(INDEX_FILE) => Archive::read(types, limits),
            _ => Ok(archive),
        }
    }

    /// The contents of the file at a path.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// The paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(SmolStr::as_str)
    }

    /// The index in the archive.
    pub fn index(&self) -> Result<TypeIndex> {
        let json = self.get(INDEX_FILE).ok_or_else(|| Error::MissingFile { file: INDEX_FILE.to_owned() })?;
        read_index(INDEX_FILE, json)
    }

    /// The types in the archive, ready for lookups.
    pub fn into_store(self) -> Result<TypeStore> {
        let index = self.index()?;
        Ok(TypeStore::from_index(&index, self))
    }
}

impl TypeFiles for Archive {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let contents = self.get(path).ok_or_else(|| Error::MissingFile { file: path.to_owned() })?;
        Ok(contents.to_vec())
    }
}

/// Packs an index and the files it refers to as `types.tgz`: the index first, then each file. The same input
/// gives the same bytes.
pub fn write_types_archive(index_json: &[u8], files: &dyn TypeFiles) -> Result<Vec<u8>> {
    let paths = read_index(INDEX_FILE, index_json)?.paths();
    let mut entries = vec![(SmolStr::from(INDEX_FILE), index_json.to_vec())];
    for path in paths {
        let contents = files.read(&path)?;
        entries.push((path, contents));
    }
    write_archive(entries.iter().map(|(path, contents)| (path.as_str(), contents.as_slice())))
}

/// An extension as one file: its types, and the programs that run it, one per platform.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtensionPackage {
    /// The archive with the index and its files.
    pub types: Vec<u8>,
    /// Programs by platform, such as `linux-x64`.
    pub binaries: Vec<(SmolStr, Vec<u8>)>,
}

impl ExtensionPackage {
    /// Unpacks a package in memory; what goes beyond the limits is an error.
    pub fn read(bytes: &[u8], limits: ArchiveLimits) -> Result<ExtensionPackage> {
        let mut files = Archive::read(bytes, limits)?.files;
        let types =
            files.remove(TYPES_FILE).ok_or_else(|| Error::MissingFile { file: TYPES_FILE.to_owned() })?;
        let binaries = files.into_iter().filter_map(|(path, contents)| {
            Some((SmolStr::from(path.strip_suffix(BINARY_ENDING)?), contents))
        });
        Ok(ExtensionPackage { types, binaries: binaries.collect() })
    }

    /// Packs a package; the same input gives the same bytes.
    pub fn write(&self) -> Result<Vec<u8>> {
        let names: Vec<String> =
            self.binaries.iter().map(|(platform, _)| format!("{platform}{BINARY_ENDING}")).collect();
        let binaries =
            names.iter().zip(&self.binaries).map(|(name, (_, data))| (name.as_str(), data.as_slice()));
        write_archive(std::iter::once((TYPES_FILE, self.types.as_slice())).chain(binaries))
    }
}

/// A gzipped tar of files, in the order given, without anything that depends on when or where it is made.
fn write_archive<'a>(entries: impl Iterator<Item = (&'a str, &'a [u8])>) -> Result<Vec<u8>> {
    let fault = |error: io::Error| Error::Archive { message: error.to_string() };
    let gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let mut tar = tar::Builder::new(gzip);
    for (path, contents) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_size(contents.len() as u64);
        tar.append_data(&mut header, path, contents).map_err(fault)?;
    }
    let mut gzip = tar.into_inner().map_err(fault)?;
    gzip.flush().map_err(fault)?;
    gzip.finish().map_err(fault)
}

fn entry_path(bytes: &[u8]) -> Result<SmolStr> {
    let path = std::str::from_utf8(bytes)
        .map_err(|_| Error::Archive { message: "the name of an entry is not UTF-8".to_owned() })?;
    Ok(path.strip_prefix("./").unwrap_or(path).into())
}

/// Stops reading with an error beyond a number of bytes.
struct Limited<R> {
    inner: R,
    left: u64,
    limit: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| io::Error::other(format!("it unpacks to more than {} bytes", self.limit)))?;
        Ok(count)
    }
}
