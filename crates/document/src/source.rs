//! Text as callers have it: owned or borrowed, known to be UTF-8 or not yet.

use std::borrow::Cow;

use crate::error::{Fault, Problem, ReadError};
use crate::{FileId, Limits};

/// The text of a document before it is read. Owned text is kept without a copy.
#[derive(Clone, Debug)]
pub struct Source<'a>(Inner<'a>);

#[derive(Clone, Debug)]
enum Inner<'a> {
    Text(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
}

impl Source<'_> {
    /// Checks size and encoding, and takes the text.
    pub(crate) fn into_text(self, file: FileId, limits: &Limits) -> Result<String, ReadError> {
        let size = match &self.0 {
            Inner::Text(text) => text.len(),
            Inner::Bytes(bytes) => bytes.len(),
        };
        let limit = limits.bytes.min(u32::MAX as usize);
        if size > limit {
            let fault = Fault::new(0, 0, Problem::TooLarge { size, limit });
            return Err(fault.into_error("", file));
        }
        match self.0 {
            Inner::Text(text) => Ok(text.into_owned()),
            Inner::Bytes(bytes) => String::from_utf8(bytes.into_owned()).map_err(|error| {
                let offset = error.utf8_error().valid_up_to();
                let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
                let valid = error.as_bytes().get(..offset).and_then(|prefix| str::from_utf8(prefix).ok());
                let width = error.utf8_error().error_len().unwrap_or(1);
                Fault::new(offset, offset + width, Problem::InvalidUtf8 { offset, byte })
                    .hint("save the file as UTF-8")
                    .into_error(valid.unwrap_or_default(), file)
            }),
        }
    }
}

impl<'a> From<&'a str> for Source<'a> {
    fn from(text: &'a str) -> Self {
        Source(Inner::Text(text.into()))
    }
}

impl<'a> From<&'a String> for Source<'a> {
    fn from(text: &'a String) -> Self {
        Source(Inner::Text(text.into()))
    }
}

impl From<String> for Source<'_> {
    fn from(text: String) -> Self {
        Source(Inner::Text(text.into()))
    }
}

impl<'a> From<&'a [u8]> for Source<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Source(Inner::Bytes(bytes.into()))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Source<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Source(Inner::Bytes(bytes.as_slice().into()))
    }
}

impl From<Vec<u8>> for Source<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Source(Inner::Bytes(bytes.into()))
    }
}
