//! Files and standard input: read within a size limit, then as JSON or YAML.

use std::ffi::OsStr;
use std::path::Path;

use clap::ValueEnum;
use diagnostics::{Diagnostic, FileId, SourceMap};
use document::findings::Notation;
use document::{Document, ReadLimits};

use crate::exit::CommandError;
use crate::{files, finding};

/// What stands for standard input among file names.
pub(crate) const STANDARD_INPUT: &str = "-";

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // JSON as RFC 8259 has it.
    Json,
    // YAML 1.2, one or several documents.
    Yaml,
}

impl Format {
    /// The same for who reads it.
    const fn notation(self) -> Notation {
        match self {
            Format::Json => Notation::Json,
            Format::Yaml => Notation::Yaml,
        }
    }

    /// The format that a file's name tells.
    pub(crate) fn of_name(path: &OsStr) -> Option<Format> {
        match extension(path)?.as_str() {
            "json" => Some(Format::Json),
            "yaml" | "yml" => Some(Format::Yaml),
            _ => None,
        }
    }
}

/// The extension of a path in lower case, without the dot.
pub(crate) fn extension(path: &OsStr) -> Option<String> {
    Path::new(path).extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase())
}

/// A text that was read, and the name people know it by.
pub(crate) struct Input {
    /// The path as it was given.
    pub(crate) name: String,
    /// The content, without a byte order mark.
    bytes: Vec<u8>,
}

/// Why an input is not there to be looked at.
pub(crate) enum Unread {
    /// It could not be opened or read.
    Failed(CommandError),
    /// There is more of it than the limit allows.
    TooLarge(Box<Diagnostic>),
}

/// Reads a file, or standard input for `-`, and never more of it than the limit.
pub(crate) fn read(path: &OsStr, limits: &ReadLimits) -> Result<Input, Unread> {
    let name = display_name(path);
    let limit = limits.bytes.min(u32::MAX as usize - 1);
    let bytes = if path == STANDARD_INPUT {
        files::read_standard_input(limit)
    } else {
        files::read_any(Path::new(path), limit)
    };
    match bytes {
        Ok(bytes) => Ok(Input { name, bytes: without_mark(bytes) }),
        Err(files::Unread::TooLarge { size, limit }) => {
            Err(Unread::TooLarge(Box::new(finding::too_large(size, limit))))
        }
        Err(files::Unread::Folder) => {
            let message = format!("cannot read `{name}`: it is a folder, name the files in it");
            Err(Unread::Failed(CommandError::Environment(message)))
        }
        Err(unread @ (files::Unread::Failed(_) | files::Unread::Special)) => {
            Err(Unread::Failed(CommandError::unread(&format!("`{name}`"), &unread)))
        }
    }
}

/// The name of a file as people see it.
pub(crate) fn display_name(path: &OsStr) -> String {
    if path == STANDARD_INPUT { "<stdin>".to_owned() } else { path.to_string_lossy().into_owned() }
}

fn without_mark(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    bytes
}

impl Input {
    /// Reads the documents, one for JSON, any number for YAML; without a format it is told from the content.
    ///
    /// The option is the one that says how deep a text may nest, if the command has one.
    pub(crate) fn documents(
        &self,
        format: Option<Format>,
        file: FileId,
        limits: &ReadLimits,
        depth_option: Option<&str>,
    ) -> Result<Vec<Document>, Box<Diagnostic>> {
        let Ok(text) = str::from_utf8(&self.bytes) else {
            // The reader says which byte is wrong.
            let notation = format.map_or(Notation::Json, Format::notation);
            return notation.read(self.bytes.as_slice().into(), file, limits, depth_option);
        };
        match format {
            Some(format) => format.notation().read(text.into(), file, limits, depth_option),
            None => Notation::read_either(text, file, limits, depth_option),
        }
    }

    /// The text; none if it is not UTF-8.
    pub(crate) fn text(&self) -> Option<&str> {
        str::from_utf8(&self.bytes).ok()
    }

    /// The content as it is.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The text that spans point into; where it is not UTF-8, as much of it as can be shown.
    pub(crate) fn into_text(self) -> String {
        String::from_utf8(self.bytes)
            .unwrap_or_else(|error| shown_part(error.as_bytes(), error.utf8_error().valid_up_to()))
    }
}

/// The text up to the end of the line where it stops to be UTF-8.
fn shown_part(bytes: &[u8], valid: usize) -> String {
    let rest = bytes.get(valid..).unwrap_or_default();
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let shown = bytes.get(..valid + line.len()).unwrap_or_default();
    String::from_utf8_lossy(shown).into_owned()
}

/// The id that the next file of a map gets.
pub(crate) fn next_id(sources: &SourceMap) -> FileId {
    FileId(u32::try_from(sources.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: Option<Format>) {
        assert_eq!(Format::of_name(OsStr::new(name)), expect);
    }

    #[test]
    fn the_format_is_told_by_the_extension_in_any_case() {
        check("a.json", Some(Format::Json));
        check("a.b.YAML", Some(Format::Yaml));
        check("dir.json/a.yml", Some(Format::Yaml));
        check("a.txt", None);
        check("json", None);
        check("-", None);
    }

    #[test]
    fn what_is_not_text_is_shown_up_to_its_line() {
        assert_eq!(shown_part(b"a\nb\xffc\nd", 3), "a\nb\u{fffd}c");
        assert_eq!(shown_part(b"\xff", 0), "\u{fffd}");
    }
}
