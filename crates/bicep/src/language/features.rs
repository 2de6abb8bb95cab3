//! The experimental features that a configuration can switch on.

/// Declares the features: variant, name in the configuration, title in templates, and whether the deployment engine has
/// to know of it.
macro_rules! features {
    ($($(#[$doc:meta])* $variant:ident $name:literal $title:literal $engine:literal;)*) => {
        /// An experimental feature, off unless the configuration switches it on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Feature { $($(#[$doc])* $variant,)* }

        impl Feature {
            /// All features, in the order in which templates list them.
            pub const ALL: &'static [Feature] = &[$(Feature::$variant,)*];

            /// The name in `experimentalFeaturesEnabled`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name,)* }
            }

            /// The name that templates and warnings show.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Feature::$variant => $title,)* }
            }

            /// Tells whether templates that use it need an experimental deployment engine.
            #[must_use]
            pub const fn needs_engine(self) -> bool {
                match self { $(Feature::$variant => $engine,)* }
            }
        }
    };
}

impl Feature {
    /// Tells whether people are warned that it is on: not where it is finished, or changes no template.
    #[must_use]
    pub const fn warrants_warning(self) -> bool {
        use Feature::{LegacyFormatter, Patch, SymbolicNameCodegen, TestFramework};
        !matches!(self, LegacyFormatter | Patch | SymbolicNameCodegen | TestFramework)
    }
}

features! {
    /// More kinds of registries.
    OciEnabled "ociEnabled" "OCI registry support" false;
    /// Symbolic names in every template.
    SymbolicNameCodegen "symbolicNameCodegen" "Symbolic name code generation" false;
    /// `resourceInfo()` in place of resource ids.
    ResourceInfoCodegen "resourceInfoCodegen" "Resource info code generation" true;
    /// `resource` as the type of parameters and outputs.
    ResourceTypedParamsAndOutputs "resourceTypedParamsAndOutputs" "Resource-typed parameters and outputs" false;
    /// A map from template lines to source lines.
    SourceMapping "sourceMapping" "Source mapping" false;
    /// Files of tests, with `test` declarations.
    TestFramework "testFramework" "Test framework" false;
    /// Conditions on a template, with `assert` declarations.
    Assertions "assertions" "Asserts" true;
    /// Waiting for a state of a resource, with `@waitUntil()`.
    WaitUntil "waitUntil" "Enable waitUntil feature on resource bicep types" true;
    /// Deployments to the own machine.
    LocalDeploy "localDeploy" "Enable local deploy" true;
    /// Extension configuration for modules.
    ModuleExtensionConfigs "moduleExtensionConfigs" "Enable defining extension configs for modules" true;
    /// Validators of parameters and types, with `@validate()`.
    UserDefinedConstraints "userDefinedConstraints" "Enable @validate() decorator" true;
    /// `using ... with` and the commands for it.
    DeployCommands "deployCommands" "Enable deploy commands" true;
    /// Runtime values in tags and SKUs.
    RuntimeValuesInTagsAndSku "runtimeValuesInTagsAndSku" "Enable runtime values in tags and SKU" true;
    /// Configuration of the built-in extension.
    AzExtensionConfig "azExtensionConfig" "Enable configuration for the built-in 'az' extension" true;
    /// The formatter of before version 0.27.
    LegacyFormatter "legacyFormatter" "Legacy formatter" false;
    /// Changing a resource that is there, with `@patch()`.
    Patch "patch" "Enable the patch decorator" false;
}

/// The features that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u32);

impl Features {
    /// The same set with one feature more.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Features {
        Features(self.0 | 1 << feature as u32)
    }

    /// Tells whether a feature is on.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & 1 << feature as u32 != 0
    }

    /// Those that are on in either.
    #[must_use]
    pub const fn or(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// The features that are on, in the order in which templates list them.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |feature| self.has(*feature))
    }
}
