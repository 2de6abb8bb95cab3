//! Files of the machine: opened once, of a kind that is wanted, and never more of them than a limit.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::exit;

/// No source, template, interface or extension comes near; a larger file is something else.
pub(crate) const LARGEST: usize = 64 << 20;

/// How a file is written that only its owner can read.
pub(crate) fn private() -> OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file that only its owner can read.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    private().create(true).truncate(true).open(path)?.write_all(content)
}

/// Replaces a source as a whole or not at all, so that nothing is lost on the way; a link stays one, and what is read-only stays as it is.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let target = fs::canonicalize(path)?;
    let about = fs::metadata(&target)?;
    // Renaming asks only for rights on the folder.
    if about.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut name = target.file_name().unwrap_or_default().to_owned();
    // One file can be named twice, and is written by two threads then.
    name.push(format!(".{}.{}.new", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let draft = target.with_file_name(name);
    let written = fs::write(&draft, text)
        .and_then(|()| fs::set_permissions(&draft, about.permissions()))
        .and_then(|()| fs::rename(&draft, &target));
    written.inspect_err(|_| {
        // Whether the draft is there is not known.
        let _ = fs::remove_file(&draft);
    })
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

/// Reads what somebody named on the command line: a file, a pipe or a device.
pub(crate) fn read_any(path: &Path, limit: usize) -> Result<Vec<u8>, Unread> {
    let (file, about) = open(path)?;
    content(file, &about, limit)
}

pub(crate) fn read_standard_input(limit: usize) -> Result<Vec<u8>, Unread> {
    read_at_most(&mut io::stdin().lock(), 0, limit)
}

fn open(path: &Path) -> Result<(File, std::fs::Metadata), Unread> {
    let file = File::open(path).map_err(Unread::Failed)?;
    let about = file.metadata().map_err(Unread::Failed)?;
    if about.is_dir() { Err(Unread::Folder) } else { Ok((file, about)) }
}

fn content(mut file: File, about: &std::fs::Metadata, limit: usize) -> Result<Vec<u8>, Unread> {
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
