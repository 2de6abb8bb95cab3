//! The boundaries: every place where a value that somebody else wrote becomes one that the product acts on, stores or hands on.
//!
//! One row each. `tendon-boundaries` knows the ways to each of them, and sends each kind of bad value across.

/// Where a value crosses.
macro_rules! boundaries {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal $contract:literal;)*) => {
        /// A place where a value crosses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Boundary {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Boundary {
            /// All boundaries, in the order in which they are declared.
            pub const ALL: &[Boundary] = &[$(Boundary::$variant,)*];

            /// The name, for tests and logs.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Boundary::$variant => $name,)*
                }
            }

            /// What the contract of its values is.
            pub const fn contract(self) -> &'static str {
                match self {
                    $(Boundary::$variant => $contract,)*
                }
            }
        }
    };
}

boundaries! {
    /// A parameter of a deployment, from wherever it is given.
    Parameter "parameter" "the type of the parameter, with its validators";
    /// The default value of a parameter.
    Default "default" "the type of the parameter, with its validators";
    /// A setting of an extension.
    ExtensionSetting "extension-setting" "the type that the extension declares for it";
    /// A parameter of a nested or linked deployment, or of a module.
    NestedParameter "nested-parameter" "the type of the parameter in the nested template";
    /// An argument of a function of a template.
    Argument "argument" "the type of the function's parameter";
    /// The result of a function of a template.
    FunctionResult "function-result" "the type of the function's output";
    /// An output of a deployment.
    Output "output" "the type of the output";
    /// A value that is checked against a contract on request.
    Check "check" "the contract that is named";
    /// A resource of a registered type that somebody puts.
    Resource "resource" "the schema of the type";
    /// What a provider answers for a resource of a registered type.
    ProviderAnswer "provider-answer" "the schema of the type, read-only members included";
    /// A resource whose type nobody describes.
    OpenResource "open-resource" "the envelope of resources; the type is open";
    /// A resource type that somebody registers.
    ResourceType "resource-type" "the rules of schemas, and the resources that are there";
    /// What a client sends to change the registry, besides resources: groups, providers, locations, types and their versions, credentials.
    RegistryRequest "registry-request" "the form of what is put";
    /// A Thrift message that a proxy may forward.
    Message "message" "the struct and its rules";
    /// A reply to a Thrift message that a proxy may forward.
    Reply "reply" "the result of the function and its rules";
    /// A record of a state that is imported.
    ImportedRecord "imported-record" "what the record is: the schema of a resource, the form of a deployment";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_boundaries_apart() {
        let mut names: Vec<&str> = Boundary::ALL.iter().map(|it| it.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Boundary::ALL.len());
    }
}
