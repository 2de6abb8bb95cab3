//! Facts about types and about the properties of objects, one bit each.

/// Declares a set of bits with the usual questions.
macro_rules! bit_set {
    ($(#[$doc:meta])* $name:ident($repr:ty) { $($(#[$flag_doc:meta])* $flag:ident = $bit:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub(crate) struct $name($repr);

        impl $name {
            /// Nothing.
            pub(crate) const NONE: $name = $name(0);
            $($(#[$flag_doc])* pub(crate) const $flag: $name = $name(1 << $bit);)*

            /// Adds bits.
            #[must_use]
            pub(crate) const fn with(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }

            /// Tells whether all of `other` are set.
            #[must_use]
            pub(crate) const fn has(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }
        }
    };
}

bit_set! {
    /// How values of a type are checked.
    TypeFlags(u16) {
        /// A value of another type is a warning and no error: the type comes from data that may be wrong.
        WARN = 0;
        /// A value of the wider type may stand where one of its literals is asked for.
        LOOSE = 1;
        /// Nothing can be assigned to or from it.
        PREVENT = 2;
        /// The value is a secret.
        SECURE = 3;
        /// What is wrong with the properties is a warning and no error.
        WARN_PROPERTY = 4;
    }
}

bit_set! {
    /// What may be done with a property.
    PropertyFlags(u16) {
        /// It must be given.
        REQUIRED = 0;
        /// Its value must be known when the program is compiled.
        CONSTANT = 1;
        /// It can be read and not written.
        READ_ONLY = 2;
        /// It can be written and not read.
        WRITE_ONLY = 3;
        /// Its value must be known when the deployment starts.
        DEPLOY_TIME_CONSTANT = 4;
        /// A value of type `any` is not good enough.
        DISALLOW_ANY = 5;
        /// It can be read when the deployment starts.
        READABLE_AT_DEPLOY_TIME = 6;
        /// It has to differ between the resources of a loop.
        LOOP_VARIANT = 7;
        /// `null` stands for a value that is not given.
        IMPLICIT_NULL = 8;
        /// The type does not have it, although it may be valid.
        FALLBACK = 9;
        /// The language itself defines it, and no type data.
        SYSTEM = 10;
    }
}

impl PropertyFlags {
    /// Everything.
    pub(crate) const ALL: PropertyFlags = PropertyFlags(u16::MAX);

    /// Takes bits away.
    #[must_use]
    pub(crate) const fn without(self, other: PropertyFlags) -> PropertyFlags {
        PropertyFlags(self.0 & !other.0)
    }

    /// The bits that are in both.
    #[must_use]
    pub(crate) const fn and(self, other: PropertyFlags) -> PropertyFlags {
        PropertyFlags(self.0 & other.0)
    }
}
