//! Facts about types and about the properties of objects, one bit each.

use bitflags::bitflags;

bitflags! {
    /// How values of a type are checked.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub(crate) struct TypeFlags: u16 {
        /// A value of another type is a warning and no error: the type comes from data that may be wrong.
        const WARN = 1 << 0;
        /// A value of the wider type may stand where one of its literals is asked for.
        const LOOSE = 1 << 1;
        /// Nothing can be assigned to or from it.
        const PREVENT = 1 << 2;
        /// The value is a secret.
        const SECURE = 1 << 3;
        /// What is wrong with the properties is a warning and no error.
        const WARN_PROPERTY = 1 << 4;
    }
}

bitflags! {
    /// What may be done with a property.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub(crate) struct PropertyFlags: u16 {
        /// It must be given.
        const REQUIRED = 1 << 0;
        /// Its value must be known when the program is compiled.
        const CONSTANT = 1 << 1;
        /// It can be read and not written.
        const READ_ONLY = 1 << 2;
        /// It can be written and not read.
        const WRITE_ONLY = 1 << 3;
        /// Its value must be known when the deployment starts.
        const DEPLOY_TIME_CONSTANT = 1 << 4;
        /// A value of type `any` is not good enough.
        const DISALLOW_ANY = 1 << 5;
        /// It can be read when the deployment starts.
        const READABLE_AT_DEPLOY_TIME = 1 << 6;
        /// It has to differ between the resources of a loop.
        const LOOP_VARIANT = 1 << 7;
        /// `null` stands for a value that is not given.
        const IMPLICIT_NULL = 1 << 8;
        /// The type does not have it, although it may be valid.
        const FALLBACK = 1 << 9;
        /// The language itself defines it, and no type data.
        const SYSTEM = 1 << 10;
    }
}
