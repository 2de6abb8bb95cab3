//! What can go wrong with type data, and where.

use crate::model::TypeId;

/// The result of anything that reads type data.
pub type Result<T> = std::result::Result<T, Error>;

/// A fault in type data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A JSON file does not follow the format.
    #[error("`{file}` is not valid type data at line {line}, column {column}: {message}")]
    Json {
        /// The path of the file, as the index spells it.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// What was found and what was expected.
        message: String,
    },
    /// A file that is referred to is not there.
    #[error("type data refers to the file `{file}`, which does not exist")]
    MissingFile {
        /// The path of the file, as the index spells it.
        file: String,
    },
    /// A file could not be read.
    #[error("cannot read the type data file `{file}`: {message}")]
    Unreadable {
        /// The path of the file, as the index spells it.
        file: String,
        /// Why, in the words of whoever reads files.
        message: String,
    },
    /// A type refers to a position past the end of its file.
    #[error("`{file}#/{}` refers to `#/{}`, but the number of types in the file is {count}", from.0, to.0)]
    Dangling {
        /// The path of the file.
        file: String,
        /// The type that refers.
        from: TypeId,
        /// The position that it refers to.
        to: TypeId,
        /// How many types the file has.
        count: usize,
    },
    /// A file has no type at the position asked for.
    #[error("`{file}#/{}` does not exist: the number of types in the file is {count}", id.0)]
    NoSuchType {
        /// The path of the file.
        file: String,
        /// The position that was asked for.
        id: TypeId,
        /// How many types the file has.
        count: usize,
    },
    /// A reference points at a type of another kind than its place asks for.
    #[error("`{file}#/{}` is of kind `{found}`, expected `{expected}`", id.0)]
    WrongKind {
        /// The path of the file.
        file: String,
        /// The position of the type.
        id: TypeId,
        /// The `$type` that the place asks for.
        expected: &'static str,
        /// The `$type` that is there.
        found: &'static str,
    },
    /// An archive cannot be read or goes beyond a limit.
    #[error("cannot read the extension archive: {message}")]
    Archive {
        /// What is wrong with it, as a fragment of a sentence.
        message: String,
    },
    /// Packed type data is damaged or of another version.
    #[error(transparent)]
    Pack(#[from] PackError),
}

impl Error {
    /// A fault that `serde_json` found in the file at `path`.
    pub(crate) fn json(path: &str, error: &serde_json::Error) -> Error {
        let text = error.to_string();
        // The place is given in fields of its own.
        let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned();
        Error::Json { file: path.to_owned(), line: error.line(), column: error.column(), message }
    }
}

/// Why bytes are not a usable pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The bytes do not start as a pack does.
    #[error("this is not packed type data")]
    NotAPack,
    /// The pack has another layout.
    #[error("the packed type data has version {found}, expected {expected}; pack the types again")]
    Version {
        /// The version in the header.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// The pack is shorter or longer than its header says.
    #[error("the packed type data has {found} bytes, expected {expected}; pack the types again")]
    Length {
        /// The length in the header.
        expected: usize,
        /// The length of the bytes.
        found: usize,
    },
    /// A part of the pack does not make sense or does not match its checksum.
    #[error("the packed type data is damaged in its {section}; pack the types again")]
    Damaged {
        /// The part of the pack, as messages call it.
        section: &'static str,
    },
    /// There is more to pack than the layout can name.
    #[error("the type data is too large to pack: its {section} would pass 4 GiB")]
    TooLarge {
        /// The part of the pack, as messages call it.
        section: &'static str,
    },
}
