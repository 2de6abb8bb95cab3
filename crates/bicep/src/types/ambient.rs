//! The types that have names in the language.

/// A type of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ambient {
    Any,
    Array,
    Bool,
    Int,
    Object,
    String,
    ResourceInput,
    ResourceOutput,
}

impl Ambient {
    /// All built-in types, by name.
    pub(crate) const ALL: [Ambient; 8] = [
        Ambient::Any,
        Ambient::Array,
        Ambient::Bool,
        Ambient::Int,
        Ambient::Object,
        Ambient::ResourceInput,
        Ambient::ResourceOutput,
        Ambient::String,
    ];

    /// The name of the type.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Ambient::Any => "any",
            Ambient::Array => "array",
            Ambient::Bool => "bool",
            Ambient::Int => "int",
            Ambient::Object => "object",
            Ambient::String => "string",
            Ambient::ResourceInput => "resourceInput",
            Ambient::ResourceOutput => "resourceOutput",
        }
    }

    /// The type with a name.
    #[must_use]
    pub(crate) fn from_name(name: &str) -> Option<Ambient> {
        Ambient::ALL.into_iter().find(|ambient| ambient.name() == name)
    }

    /// Tells whether the type is made from another by arguments in chevrons.
    #[must_use]
    pub(crate) const fn is_parameterized(self) -> bool {
        matches!(self, Ambient::ResourceInput | Ambient::ResourceOutput)
    }
}
