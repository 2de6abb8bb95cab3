//! How deep values may nest, in one place: what the gate accepts, the reader of the store can read twice over.

use document::ReadLimits;

/// How many objects and lists of a whole resource may stand inside of each other.
pub(crate) const RESOURCE_DEPTH: usize = 128;

/// How deep schemas may nest; reading and everything after it recurse as deep.
pub(crate) const SCHEMA_DEPTH: usize = 64;

/// How deep a value in a schema may nest.
pub(crate) const VALUE_DEPTH: usize = 64;

/// What the text of a manifest or of a resource may cost before reading it is given up.
pub const LIMITS: ReadLimits =
    ReadLimits { bytes: 32 << 20, depth: 256, nodes: 4 << 20, alias_nodes: 1 << 16 };

/// What a record may cost that the registry wrote, or the answer of a server with what its registry has.
pub const STORED: ReadLimits = ReadLimits { depth: 512, ..ReadLimits::DEFAULT };

/// How many objects stand around the resource or the schema of a record, and of an answer.
const AROUND: usize = 8;

/// How many objects a record of a type may have inside of each other: a level of a schema is a node and its `properties`.
const TYPE_DEPTH: usize = AROUND + 2 * SCHEMA_DEPTH + VALUE_DEPTH;

const _: () = assert!(STORED.depth >= 2 * TYPE_DEPTH && STORED.depth >= 2 * (AROUND + RESOURCE_DEPTH));
const _: () = assert!(LIMITS.depth >= TYPE_DEPTH && LIMITS.depth > RESOURCE_DEPTH);
