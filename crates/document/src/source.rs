//! Text as callers have it: owned or borrowed, known to be UTF-8 or not yet.

use std::borrow::Cow;

use crate::error::{ReadError, ReadErrorKind, UnlocatedReadError};
use crate::{FileId, ReadLimits};

/// The text of a document before it is read. Owned text is kept without a copy.
#[derive(Clone, Debug)]
pub struct DocumentText<'a>(SourceText<'a>);

#[derive(Clone, Debug)]
enum SourceText<'a> {
    Text(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
}

impl DocumentText<'_> {
    /// Checks size and encoding, and takes the text.
    pub(crate) fn into_text(self, file: FileId, limits: &ReadLimits) -> Result<String, ReadError> {
        let size = match &self.0 {
            SourceText::Text(text) => text.len(),
            SourceText::Bytes(bytes) => bytes.len(),
        };
        let limit = limits.bytes.min(u32::MAX as usize);
        if size > limit {
            let fault = UnlocatedReadError::new(0, 0, ReadErrorKind::TooLarge { size, limit });
            return Err(fault.into_error("", file));
        }
        match self.0 {
            SourceText::Text(text) => Ok(text.into_owned()),
            SourceText::Bytes(bytes) => String::from_utf8(bytes.into_owned()).map_err(|error| {
                let offset = error.utf8_error().valid_up_to();
                let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
                let valid = error.as_bytes().get(..offset).and_then(|prefix| str::from_utf8(prefix).ok());
                let width = error.utf8_error().error_len().unwrap_or(1);
                UnlocatedReadError::new(offset, offset + width, ReadErrorKind::InvalidUtf8 { offset, byte })
                    .hint("save the file as UTF-8")
                    .into_error(valid.unwrap_or_default(), file)
            }),
        }
    }
}

impl<'a> From<&'a str> for DocumentText<'a> {
    fn from(text: &'a str) -> Self {
        DocumentText(SourceText::Text(text.into()))
    }
}

impl<'a> From<&'a String> for DocumentText<'a> {
    fn from(text: &'a String) -> Self {
        DocumentText(SourceText::Text(text.into()))
    }
}

impl From<String> for DocumentText<'_> {
    fn from(text: String) -> Self {
        DocumentText(SourceText::Text(text.into()))
    }
}

impl<'a> From<&'a [u8]> for DocumentText<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        DocumentText(SourceText::Bytes(bytes.into()))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for DocumentText<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        DocumentText(SourceText::Bytes(bytes.as_slice().into()))
    }
}

impl From<Vec<u8>> for DocumentText<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        DocumentText(SourceText::Bytes(bytes.into()))
    }
}
