//! The namespaces that need no declaration.

/// A namespace that every file has, or that resource bodies have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BuiltIn {
    Sys,
    Az,
    /// The resource whose body this is.
    This,
    /// The functions of test files.
    Testing,
}

impl BuiltIn {
    pub(crate) const ALL: [BuiltIn; 4] = [BuiltIn::Sys, BuiltIn::Az, BuiltIn::This, BuiltIn::Testing];

    /// The name of the namespace.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            BuiltIn::Sys => "sys",
            BuiltIn::Az => "az",
            BuiltIn::This => "this",
            BuiltIn::Testing => "testing",
        }
    }
}
