//! The packed form: all type files of a set in one block of bytes that is ready when it is mapped.
//!
//! Opening checks a header of fixed size and nothing else. A lookup is a binary search in a sorted table; the
//! types of a file are decoded when they are asked for, a few at a time. Three things keep the pack small: every
//! text is stored once; a run of types that occurs in several files (most of a type set is the same thing in
//! many versions) is stored once; and descriptions, which a compiler never needs, are compressed and kept apart.
//!
//! ```text
//! header       magic, version, length, one (offset, length, checksum) per section, checksum of the header
//! strings      varint length and bytes; a text is named by its offset, frequent ones first
//! chunks       encoded types; a chunk is named by its offset
//! blocks       per file: its chunks and how many types each of them holds
//! files        rows (path, block, description block, number of types), sorted by path
//! resources    rows (name, version, file, type), sorted without regard to case
//! functions    rows (name, version, file, type), sorted likewise
//! namespace    settings, fallback type, functions of the namespace
//! text lists   per chunk: the descriptions of its members
//! text blocks  per file: the text list of each of its chunks
//! text table   rows (offset, compressed length, length, -) of the description groups
//! texts        description groups, each deflated
//! ```
//!
//! Numbers in rows are 32-bit little-endian; all others are varints of seven bits per byte, low bits first.

mod build;
mod bytes;
mod chunk;
mod layout;
mod open;
mod record;
mod source;
mod texts;

pub use build::{PackBuilder, pack};
pub use open::Pack;
pub use source::{PackBytes, PackFile};

pub(crate) use chunk::PackedFile;
