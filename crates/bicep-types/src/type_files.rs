//! Where type files come from.

use crate::error::Result;

/// Gives the contents of type files by the path that the index knows them by.
///
/// A function `|path| ...` is one; so is an [`Archive`](crate::Archive).
pub trait TypeFiles: Send + Sync {
    /// The bytes of the file at `path`; [`Error::MissingFile`](crate::Error::MissingFile) or
    /// [`Error::Unreadable`](crate::Error::Unreadable) if there are none.
    fn read(&self, path: &str) -> Result<Vec<u8>>;
}

impl<F: Fn(&str) -> Result<Vec<u8>> + Send + Sync> TypeFiles for F {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self(path)
    }
}
