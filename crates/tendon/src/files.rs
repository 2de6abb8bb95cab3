//! Files of the machine: opened once, of a kind that is wanted, and never more of them than a limit.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::exit;

/// No source, template, interface or extension comes near; a larger file is something else.
pub(crate) const LARGEST: usize = 64 << 20;

/// What tells two files apart whatever they are called: device and number, elsewhere the full path.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// The files that this process read as input, and under which names: the number of a file that is gone is given to another.
static INPUTS: Mutex<BTreeMap<Identity, PathBuf>> = Mutex::new(BTreeMap::new());

/// The files that this process has read as input, in the order of their names.
pub(crate) fn inputs() -> Vec<PathBuf> {
    let inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut names: Vec<PathBuf> = inputs.values().cloned().collect();
    names.sort();
    names
}

/// Whether this process read a file as input, under whatever name.
pub(crate) fn was_input(path: &Path, about: &Metadata) -> bool {
    let Some(it) = identity(path, about) else { return false };
    let inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    inputs.get(&it).is_some_and(|name| {
        fs::metadata(name).ok().and_then(|about| identity(name, &about)).is_some_and(|now| now == it)
    })
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere, the path may be gone")]
fn identity(_: &Path, about: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> Option<Identity> {
    fs::canonicalize(path).ok()
}

/// Why a file has no content to look at.
pub(crate) enum Unread {
    /// It could not be opened or read.
    Failed(io::Error),
    /// It is a folder.
    Folder,
    /// It is a device or a pipe where a regular file is wanted.
    Special,
    /// There is more of it than the limit allows.
    TooLarge {
        /// How many bytes there are, where that is known.
        size: Option<usize>,
        /// How many there may be.
        limit: usize,
    },
}

impl Unread {
    /// Whether there is no such file.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Unread::Failed(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Failed(error) => f.write_str(&exit::in_words(error)),
            Unread::Folder => f.write_str("it is a folder"),
            Unread::Special => f.write_str("it is not a regular file"),
            Unread::TooLarge { size: Some(size), limit } => {
                write!(f, "it has {size} bytes, and {limit} are the most that a file can have")
            }
            Unread::TooLarge { size: None, limit } => write!(f, "it has more than {limit} bytes"),
        }
    }
}

/// Reads a file that a program names: a regular one that is not too large.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Unread> {
    // A pipe would have to wait for a writer as soon as it is opened.
    let about = fs::metadata(path).map_err(Unread::Failed)?;
    if !about.is_file() && !about.is_dir() {
        return Err(Unread::Special);
    }
    let (file, about) = open(path)?;
    if !about.is_file() {
        return Err(Unread::Special);
    }
    content(file, &about, LARGEST)
}

/// Reads a former result that is about to be replaced: it is no input, which nothing may overwrite.
pub(crate) fn read_former(path: &Path) -> Result<Vec<u8>, Unread> {
    let about = fs::metadata(path).map_err(Unread::Failed)?;
    if !about.is_file() {
        return Err(Unread::Special);
    }
    content(File::open(path).map_err(Unread::Failed)?, &about, LARGEST)
}

/// Reads what somebody named on the command line: a file, a pipe or a device.
pub(crate) fn read_any(path: &Path, limit: usize) -> Result<Vec<u8>, Unread> {
    let (file, about) = open(path)?;
    content(file, &about, limit)
}

pub(crate) fn read_standard_input(limit: usize) -> Result<Vec<u8>, Unread> {
    read_at_most(&mut io::stdin().lock(), 0, limit)
}

fn open(path: &Path) -> Result<(File, Metadata), Unread> {
    let file = File::open(path).map_err(Unread::Failed)?;
    let about = file.metadata().map_err(Unread::Failed)?;
    if about.is_dir() {
        return Err(Unread::Folder);
    }
    if let Some(it) = identity(path, &about).filter(|_| about.is_file()) {
        INPUTS.lock().unwrap_or_else(PoisonError::into_inner).insert(it, path.to_owned());
    }
    Ok((file, about))
}

fn content(mut file: File, about: &Metadata, limit: usize) -> Result<Vec<u8>, Unread> {
    let size = usize::try_from(about.len()).unwrap_or(usize::MAX);
    if about.is_file() && size > limit {
        return Err(Unread::TooLarge { size: Some(size), limit });
    }
    read_at_most(&mut file, size.min(limit), limit)
}

/// Reads everything, or nothing if there is more than the limit.
fn read_at_most(source: &mut dyn Read, expected: usize, limit: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    // Two more than expected, so that the end is seen without growing.
    let room = bytes.try_reserve_exact(expected.saturating_add(2));
    room.map_err(|_| Unread::Failed(io::ErrorKind::OutOfMemory.into()))?;
    source.take((limit as u64).saturating_add(1)).read_to_end(&mut bytes).map_err(Unread::Failed)?;
    if bytes.len() > limit { Err(Unread::TooLarge { size: None, limit }) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_the_limit() {
        let read = |limit| read_at_most(&mut "12345".as_bytes(), 0, limit);
        assert!(matches!(read(5), Ok(bytes) if bytes == b"12345"));
        assert!(matches!(read(4), Err(Unread::TooLarge { size: None, limit: 4 })));
        assert!(matches!(read_at_most(&mut io::repeat(b'x'), 0, 10), Err(Unread::TooLarge { .. })));
    }

    #[test]
    fn programs_name_regular_files_alone() {
        assert!(matches!(read(Path::new(".")), Err(Unread::Folder)));
        assert!(matches!(read_any(Path::new("."), 10), Err(Unread::Folder)));
        assert!(read(Path::new("no such file")).is_err_and(|unread| unread.is_missing()));
        #[cfg(unix)]
        {
            assert!(matches!(read(Path::new("/dev/zero")), Err(Unread::Special)));
            assert!(matches!(read_any(Path::new("/dev/zero"), 10), Err(Unread::TooLarge { .. })));
        }
    }
}
