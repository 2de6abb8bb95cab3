//! Where functions may be called and what calling them implies.

use bitflags::bitflags;

bitflags! {
    /// Facts about a function or decorator, one bit each.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct FunctionFlags: u32 {
        /// Only in the default value of a parameter.
        const PARAM_DEFAULTS_ONLY = 1;
        /// Needs the deployment: only in bodies, variables, outputs and functions, and variables that call it are inlined.
        const REQUIRES_INLINING = 1 << 1;
        const PARAMETER_DECORATOR = 1 << 2;
        const VARIABLE_DECORATOR = 1 << 3;
        const RESOURCE_DECORATOR = 1 << 4;
        const MODULE_DECORATOR = 1 << 5;
        const OUTPUT_DECORATOR = 1 << 6;
        const EXTENSION_DECORATOR = 1 << 7;
        /// Only as the value of a secure parameter of a module.
        const MODULE_SECURE_PARAMETER_ONLY = 1 << 8;
        const METADATA_DECORATOR = 1 << 9;
        /// Decorates types and their members.
        const TYPE_DECORATOR = 1 << 10;
        /// The result becomes a variable of its own, always.
        const HOIST_ALWAYS = 1 << 11;
        /// The result becomes a variable of its own unless it is the value of one.
        const HOIST_INDIRECT = 1 << 12;
        const FUNCTION_DECORATOR = 1 << 13;
        /// Only as a whole value.
        const DIRECT_ASSIGNMENT = 1 << 14;
        /// The values of the arguments do not matter.
        const IGNORES_VALUES = 1 << 15;
        /// The result comes from a tool at deployment.
        const EXTERNAL_INPUT = 1 << 16;
    }
}

impl FunctionFlags {
    /// Decorates parameters, outputs and types.
    pub(crate) const DATA_DECORATOR: FunctionFlags = FunctionFlags::PARAMETER_DECORATOR
        .union(FunctionFlags::OUTPUT_DECORATOR)
        .union(FunctionFlags::TYPE_DECORATOR);
    pub(crate) const ANY_DECORATOR: FunctionFlags = FunctionFlags::DATA_DECORATOR
        .union(FunctionFlags::VARIABLE_DECORATOR)
        .union(FunctionFlags::FUNCTION_DECORATOR)
        .union(FunctionFlags::RESOURCE_DECORATOR)
        .union(FunctionFlags::MODULE_DECORATOR)
        .union(FunctionFlags::EXTENSION_DECORATOR)
        .union(FunctionFlags::METADATA_DECORATOR);

    /// Tells whether this is a decorator's, or a place for one.
    #[must_use]
    pub(crate) const fn is_decorator(self) -> bool {
        self.intersects(FunctionFlags::ANY_DECORATOR)
    }
}
