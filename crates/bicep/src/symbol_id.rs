//! The number of a symbol: types and decorators refer to symbols by it, without knowing what a symbol is.

/// Names a symbol of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SymbolId(pub(crate) u32);

impl SymbolId {
    /// The symbol's place among all symbols of its model.
    #[must_use]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}
