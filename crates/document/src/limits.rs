//! What a text may cost before reading it is given up.

/// Bounds on one document; the defaults fit any file a person or a tool writes in earnest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Largest input in bytes. Offsets are 32-bit, so more than `u32::MAX` has no effect.
    pub bytes: usize,
    /// Most containers that may be open at once. Nothing here recurses: any depth is safe to read and drop.
    pub depth: usize,
    /// Most nodes in one document: values and keys, those that YAML aliases stand for included.
    pub nodes: usize,
    /// Most nodes that the YAML aliases and merge keys of one text may add together.
    pub alias_nodes: usize,
}

impl ReadLimits {
    /// The defaults: 256 MiB, 128 levels, 16 Mi nodes, 1 Mi nodes by alias.
    pub const DEFAULT: ReadLimits =
        ReadLimits { bytes: 256 << 20, depth: 128, nodes: 16 << 20, alias_nodes: 1 << 20 };
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits::DEFAULT
    }
}
