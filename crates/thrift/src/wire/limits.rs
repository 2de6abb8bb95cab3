//! How much a reader puts up with.

/// Bounds that hold before anything is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep structs and containers may nest.
    pub depth: u8,
    /// How long a string may be, in bytes.
    pub string: u32,
    /// How many elements or entries a container may have.
    pub container: u32,
    /// How long the name of a function may be, with the service before it, in bytes.
    pub name: u32,
    /// Whether truth values in containers of the compact protocol must be written as nearly all writers do: 1 and 2, and 1 for
    /// their type.
    ///
    /// UPSTREAM: by the book the type is 2, and false is 0 from some writers; Apache's reader in Rust takes neither.
    pub exact_bools: bool,
}

/// No function has a longer name; also used to tell an old envelope from other bytes.
pub(super) const MAX_NAME: u32 = 1024;

impl Default for Limits {
    /// 64 levels; names as long as any compiler makes them; other lengths as far as the wire formats go, since they are held against the bytes anyway.
    fn default() -> Self {
        Limits {
            depth: 64,
            string: i32::MAX as u32,
            container: i32::MAX as u32,
            name: MAX_NAME,
            exact_bools: false,
        }
    }
}
