//! The numbers of the format that stand for sets and choices.

use std::fmt;

/// Declares a set of flags kept as the format's own number, so that bits unknown today survive a round trip.
macro_rules! flag_set {
    ($(#[$doc:meta])* $name:ident { $($(#[$flag_doc:meta])* $flag:ident = $value:expr, $label:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The empty set of flags.
            pub const NONE: $name = $name(0);
            $($(#[$flag_doc])* pub const $flag: $name = $name($value);)*

            /// Whether every flag of `other` is set.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            /// Whether any flag of `other` is set.
            pub const fn intersects(self, other: $name) -> bool {
                self.0 & other.0 != 0
            }

            /// The names of the flags that are set, in ascending order of their bits.
            pub fn labels(self) -> impl Iterator<Item = &'static str> {
                [$(($name::$flag, $label)),*]
                    .into_iter()
                    .filter(move |(flag, _)| self.contains(*flag))
                    .map(|(_, label)| label)
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;

            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({}", stringify!($name), self.0)?;
                self.labels().try_for_each(|label| write!(f, " {label}"))?;
                f.write_str(")")
            }
        }
    };
}

flag_set! {
    /// What may be done with a property.
    PropertyFlags {
        /// It must be given.
        REQUIRED = 1, "Required";
        /// It can be read but not given.
        READ_ONLY = 2, "ReadOnly";
        /// It can be given but not read.
        WRITE_ONLY = 4, "WriteOnly";
        /// Its value must be known before the deployment starts.
        DEPLOY_TIME_CONSTANT = 8, "DeployTimeConstant";
        /// It is part of what identifies the resource.
        IDENTIFIER = 16, "Identifier";
    }
}

flag_set! {
    /// What the argument of a namespace function must be.
    ParameterFlags {
        /// It must be given.
        REQUIRED = 1, "Required";
        /// It must be a constant in the source.
        COMPILE_TIME_CONSTANT = 2, "CompileTimeConstant";
        /// It must be known before the deployment starts.
        DEPLOY_TIME_CONSTANT = 4, "DeployTimeConstant";
    }
}

flag_set! {
    /// The scopes at which a resource exists.
    Scopes {
        /// The tenant, above everything else.
        TENANT = 1, "Tenant";
        /// A management group of the tenant.
        MANAGEMENT_GROUP = 2, "ManagementGroup";
        /// A subscription of the tenant.
        SUBSCRIPTION = 4, "Subscription";
        /// A resource group of a subscription.
        RESOURCE_GROUP = 8, "ResourceGroup";
        /// Another resource, which this one extends.
        EXTENSION = 16, "Extension";
    }
}

impl Scopes {
    /// Every scope that is not another resource.
    pub const ALL_EXCEPT_EXTENSION: Scopes = Scopes(15);
    /// Every scope that the format knows.
    pub const ALL: Scopes = Scopes(31);
}

/// Declares an enum whose values are the format's own numbers.
macro_rules! number_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$variant_doc])* $variant = $value,)*
        }

        impl $name {
            /// The choice that the number stands for.
            pub const fn from_number(number: u64) -> Option<$name> {
                match number {
                    $($value => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The number in the file.
            pub const fn number(self) -> u8 {
                self as u8
            }
        }
    };
}

number_enum! {
    /// The simple types in their older spelling, `BuiltInType` with a number.
    #[expect(missing_docs, reason = "the others are the simple types of the same names")]
    BuiltInKind {
        Any = 1,
        Null = 2,
        Bool = 3,
        Int = 4,
        String = 5,
        Object = 6,
        Array = 7,
        /// A reference to a resource; no longer in use.
        ResourceRef = 8,
    }
}

number_enum! {
    /// The kinds of source file that a namespace function can be limited to.
    FileKind {
        /// A template, with the extension `.bicep`.
        Bicep = 1,
        /// A parameters file, with the extension `.bicepparam`.
        Params = 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_name_what_is_set_and_keep_unknown_bits() {
        let flags = PropertyFlags(1 | 8 | 64);
        assert_eq!(flags.labels().collect::<Vec<_>>(), ["Required", "DeployTimeConstant"]);
        assert_eq!(format!("{flags:?}"), "PropertyFlags(73 Required DeployTimeConstant)");
        assert!(flags.contains(PropertyFlags::REQUIRED));
        assert!(!flags.contains(PropertyFlags::REQUIRED | PropertyFlags::READ_ONLY));
        assert!(flags.intersects(PropertyFlags::REQUIRED | PropertyFlags::READ_ONLY));
    }

    #[test]
    fn a_number_outside_the_list_is_no_choice() {
        assert_eq!(BuiltInKind::from_number(5), Some(BuiltInKind::String));
        assert_eq!(BuiltInKind::from_number(9), None);
        assert_eq!(FileKind::from_number(2).map(FileKind::number), Some(2));
    }
}
