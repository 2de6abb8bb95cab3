//! How much of a document a checker looks at before it gives up.

/// The order in which violations are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// What a value is missing first, then its parts in the order of the document.
    #[default]
    Document,
    /// The properties of an object in the order of their declaration, wherever the document has them.
    Declared,
}

/// Bounds on checking one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// How deep values and definitions may nest.
    pub depth: u32,
    /// How many times a value may meet a shape.
    pub work: u64,
    /// How many violations are collected before the rest is left out.
    pub violations: usize,
}

impl Default for CheckLimits {
    /// Deep enough for every document a person wrote, low enough for every stack.
    fn default() -> CheckLimits {
        CheckLimits { depth: 128, work: 100_000_000, violations: 1000 }
    }
}

impl CheckLimits {
    /// The greatest depth that fits the stack of a thread with the usual two megabytes, twice over and without optimisation.
    pub const DEEPEST: u32 = 512;

    /// The depth in force.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.min(CheckLimits::DEEPEST)
    }
}
