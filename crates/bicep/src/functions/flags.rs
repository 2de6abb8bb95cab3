//! Where functions may be called and what calling them implies.

use std::ops::BitOr;

/// Facts about a function or decorator, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FunctionFlags(u32);

impl FunctionFlags {
    /// No restriction.
    pub(crate) const NONE: FunctionFlags = FunctionFlags(0);
    /// Only in the default value of a parameter.
    pub(crate) const PARAM_DEFAULTS_ONLY: FunctionFlags = FunctionFlags(1);
    /// Needs the deployment: only in bodies, variables, outputs and functions, and variables that call it are inlined.
    pub(crate) const REQUIRES_INLINING: FunctionFlags = FunctionFlags(1 << 1);
    /// Decorates parameters.
    pub(crate) const PARAMETER_DECORATOR: FunctionFlags = FunctionFlags(1 << 2);
    /// Decorates variables.
    pub(crate) const VARIABLE_DECORATOR: FunctionFlags = FunctionFlags(1 << 3);
    /// Decorates resources.
    pub(crate) const RESOURCE_DECORATOR: FunctionFlags = FunctionFlags(1 << 4);
    /// Decorates modules.
    pub(crate) const MODULE_DECORATOR: FunctionFlags = FunctionFlags(1 << 5);
    /// Decorates outputs.
    pub(crate) const OUTPUT_DECORATOR: FunctionFlags = FunctionFlags(1 << 6);
    /// Decorates extensions.
    pub(crate) const EXTENSION_DECORATOR: FunctionFlags = FunctionFlags(1 << 7);
    /// Only as the value of a secure parameter of a module.
    pub(crate) const MODULE_SECURE_PARAMETER_ONLY: FunctionFlags = FunctionFlags(1 << 8);
    /// Decorates metadata.
    pub(crate) const METADATA_DECORATOR: FunctionFlags = FunctionFlags(1 << 9);
    /// Decorates types and their members.
    pub(crate) const TYPE_DECORATOR: FunctionFlags = FunctionFlags(1 << 10);
    /// The result becomes a variable of its own, always.
    pub(crate) const HOIST_ALWAYS: FunctionFlags = FunctionFlags(1 << 11);
    /// The result becomes a variable of its own unless it is the value of one.
    pub(crate) const HOIST_INDIRECT: FunctionFlags = FunctionFlags(1 << 12);
    /// Decorates functions.
    pub(crate) const FUNCTION_DECORATOR: FunctionFlags = FunctionFlags(1 << 13);
    /// Only as a whole value.
    pub(crate) const DIRECT_ASSIGNMENT: FunctionFlags = FunctionFlags(1 << 14);
    /// The values of the arguments do not matter.
    pub(crate) const IGNORES_VALUES: FunctionFlags = FunctionFlags(1 << 15);
    /// The result comes from a tool at deployment.
    pub(crate) const EXTERNAL_INPUT: FunctionFlags = FunctionFlags(1 << 16);

    /// Decorates parameters, outputs and types.
    pub(crate) const DATA_DECORATOR: FunctionFlags = FunctionFlags::PARAMETER_DECORATOR
        .with(FunctionFlags::OUTPUT_DECORATOR)
        .with(FunctionFlags::TYPE_DECORATOR);
    /// Decorates anything.
    pub(crate) const ANY_DECORATOR: FunctionFlags = FunctionFlags::DATA_DECORATOR
        .with(FunctionFlags::VARIABLE_DECORATOR)
        .with(FunctionFlags::FUNCTION_DECORATOR)
        .with(FunctionFlags::RESOURCE_DECORATOR)
        .with(FunctionFlags::MODULE_DECORATOR)
        .with(FunctionFlags::EXTENSION_DECORATOR)
        .with(FunctionFlags::METADATA_DECORATOR);

    /// Adds flags.
    #[must_use]
    pub(crate) const fn with(self, other: FunctionFlags) -> FunctionFlags {
        FunctionFlags(self.0 | other.0)
    }

    /// Takes flags away.
    #[must_use]
    pub(crate) const fn without(self, other: FunctionFlags) -> FunctionFlags {
        FunctionFlags(self.0 & !other.0)
    }

    /// Tells whether all of `other` are set.
    #[must_use]
    pub(crate) const fn has(self, other: FunctionFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Tells whether any of `other` is set.
    #[must_use]
    pub(crate) const fn intersects(self, other: FunctionFlags) -> bool {
        self.0 & other.0 != 0
    }

    /// Tells whether this is a decorator's, or a place for one.
    #[must_use]
    pub(crate) const fn is_decorator(self) -> bool {
        self.intersects(FunctionFlags::ANY_DECORATOR)
    }
}

impl BitOr for FunctionFlags {
    type Output = FunctionFlags;

    fn bitor(self, other: FunctionFlags) -> FunctionFlags {
        self.with(other)
    }
}
