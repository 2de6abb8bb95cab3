//! What programs load while they are compiled: text, bytes, JSON, YAML and lists of files.
//!
//! Everything is read through the [`World`] and comes back as a value or as a [`UnlocatedFinding`], so that checks and templates
//! never disagree about what a file holds.

mod encoding;
mod file_pattern;
mod json;
mod json_path;
mod number;
mod yaml;

use std::sync::Arc;

use arm::Value;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(crate) use encoding::{Encoding, source_text};
pub(crate) use json::read as read_json;

use crate::codes;
use crate::finding::UnlocatedFinding;
use crate::world::{FilePath, FolderEntry, ReadError, World, capitals_hint, check_path};

/// The longest text that becomes a part of a template, in UTF-16 units.
const MAX_TEXT: usize = 131_072;
/// The longest text that is read as JSON or YAML, in UTF-16 units.
const MAX_DATA: usize = 1_048_576;
/// The most bytes that become a part of a template: four digits stand for three bytes.
const MAX_BYTES: usize = MAX_TEXT / 4 * 3;

/// The languages that data is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataFormat {
    /// As the public tools read it: comments, trailing commas and other liberties are fine.
    Json,
    /// The first document of a stream.
    Yaml,
}

/// A text, and the encoding that the file itself claims.
pub(crate) struct LoadedText {
    pub(crate) text: String,
    pub(crate) marked: Option<Encoding>,
    /// Where the file is no text of its encoding: another character stands there.
    fault: Option<String>,
}

/// Files as seen from the folder of one of them.
#[derive(Clone, Copy)]
pub(crate) struct Loader<'w> {
    world: &'w dyn World,
    from: &'w FilePath,
}

impl<'w> Loader<'w> {
    /// Loads files by their way from the file `from`.
    pub(crate) fn new(world: &'w dyn World, from: &'w FilePath) -> Loader<'w> {
        Loader { world, from }
    }

    /// The text of a file that becomes a part of a template.
    pub(crate) fn text(self, path: &str, encoding: Encoding) -> Result<LoadedText, UnlocatedFinding> {
        self.bounded(path, encoding, MAX_TEXT)
    }

    /// The text of a file that holds data; of any length where `unbounded` says so.
    pub(crate) fn data_text(
        self,
        path: &str,
        encoding: Encoding,
        unbounded: bool,
    ) -> Result<LoadedText, UnlocatedFinding> {
        self.bounded(path, encoding, if unbounded { usize::MAX } else { MAX_DATA })
    }

    /// The bytes of a file in base 64.
    pub(crate) fn base64(self, path: &str) -> Result<String, UnlocatedFinding> {
        let (target, bytes) = self.bytes(path)?;
        if bytes.len() > MAX_BYTES {
            return Err(too_large(&target, MAX_BYTES, "bytes"));
        }
        Ok(STANDARD.encode(&bytes))
    }

    /// The files of a folder that fit a pattern, by the way to them, without regard to case.
    pub(crate) fn folder(self, path: &str, pattern: &str) -> Result<Value, UnlocatedFinding> {
        check_path(path)?;
        let folder = self.from.folder().join(path);
        let entries = self.world.list(&folder).map_err(|error| match error {
            _ if self.world.exists(&folder) => codes::FILE_AS_FOLDER.fault(&[&folder]),
            ReadError::NotFound => codes::FOLDER_NOT_FOUND.fault(&[&path]),
            ReadError::Failed(why) => codes::UNREADABLE_FOLDER.fault(&[&folder, &why]),
        })?;
        let fits = |entry: &FolderEntry| !entry.is_folder && file_pattern::matches(&entry.name, pattern);
        let mut files: Vec<(String, FilePath)> = entries
            .into_iter()
            .filter(fits)
            .map(|entry| {
                let file = folder.join(&entry.name);
                (file.relative_to(self.from), file)
            })
            .collect();
        files.sort_by_key(|(way, _)| way.to_uppercase());
        let describe = |(way, file): &(String, FilePath)| {
            Value::object([
                ("relativePath", Value::text(way.as_str())),
                ("baseName", Value::text(file.name())),
                ("extension", Value::text(file.extension())),
            ])
        };
        Ok(Value::array(files.iter().map(describe).collect()))
    }

    fn bounded(self, path: &str, encoding: Encoding, limit: usize) -> Result<LoadedText, UnlocatedFinding> {
        let (target, bytes) = self.bytes(path)?;
        let (text, marked) = encoding.decode(&bytes);
        // A text has no more units than bytes, so that most need no counting.
        if text.len() > limit && text.encode_utf16().count() > limit {
            return Err(too_large(&target, limit, "characters"));
        }
        let fault = if text.contains(char::REPLACEMENT_CHARACTER) { encoding.fault(&bytes) } else { None };
        Ok(LoadedText { text: text.into_owned(), marked, fault })
    }

    fn bytes(self, path: &str) -> Result<(FilePath, Arc<[u8]>), UnlocatedFinding> {
        check_path(path)?;
        let target = self.from.folder().join(path);
        match self.world.read(&target) {
            Ok(bytes) => Ok((target, bytes)),
            Err(_) if self.world.list(&target).is_ok() => Err(codes::FOLDER_AS_FILE.fault(&[&target])),
            Err(ReadError::NotFound) => {
                let hint = capitals_hint(self.world, &target);
                Err(codes::FILE_NOT_FOUND.fault(&[&target, &hint]))
            }
            Err(ReadError::Failed(why)) => Err(codes::UNREADABLE_FILE.fault(&[&target, &why])),
        }
    }
}

/// The value that a text describes. In a value, no character stands for bytes that are none: it would be another value.
pub(crate) fn parse(format: DataFormat, loaded: &LoadedText) -> Result<Value, UnlocatedFinding> {
    let LoadedText { text, fault, .. } = loaded;
    let read = |read: fn(&str) -> Result<Value, String>| match fault {
        Some(why) => Err(why.clone()),
        None => read(text),
    };
    match format {
        DataFormat::Json => read(json::read).map_err(|why| codes::BAD_JSON.fault(&[&why])),
        DataFormat::Yaml => read(yaml::read).map_err(|why| codes::BAD_YAML.fault(&[&why])),
    }
}

/// The value at a path; several values are an array.
pub(crate) fn select(value: &Value, path: &str) -> Result<Value, UnlocatedFinding> {
    let found = json_path::select(value, path).map_err(|why| codes::BAD_JSON_PATH.fault(&[&path, &why]))?;
    match found.as_slice() {
        [] => Err(codes::NOTHING_AT_JSON_PATH.fault(&[&path])),
        [one] => Ok((*one).clone()),
        many => Ok(Value::array(many.iter().map(|value| (*value).clone()).collect())),
    }
}

fn too_large(target: &FilePath, limit: usize, unit: &str) -> UnlocatedFinding {
    codes::FILE_TOO_LARGE.fault(&[target, &limit, &unit])
}
