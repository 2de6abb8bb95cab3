//! The rules, by name.

use super::{
    Category, Level, LintRule, max_asserts, max_outputs, max_params, max_resources, max_variables,
    nested_deployment_template_scoping,
};

const fn rule(name: &'static str, category: Category, summary: &'static str) -> LintRule {
    LintRule { name, category, override_level: None, summary, documentation: "", examples: &[], check: None }
}

const fn off(name: &'static str, category: Category, summary: &'static str) -> LintRule {
    LintRule {
        name,
        category,
        override_level: Some(Level::Off),
        summary,
        documentation: "",
        examples: &[],
        check: None,
    }
}

use Category::{BestPractice, DeploymentStacks, Location, PotentialMistake, Security, Style};

/// All rules, sorted by name.
pub const RULES: &[LintRule] = &[
    rule(
        "adminusername-should-not-be-literal",
        Security,
        "The name of an administrator is a parameter and not written into the file.",
    ),
    rule(
        "artifacts-parameters",
        BestPractice,
        "Parameters for the place of artifacts have the names and types that tools expect.",
    ),
    rule("decompiler-cleanup", BestPractice, "What a decompiler could not translate well is cleaned up."),
    off(
        "explicit-values-for-loc-params",
        Location,
        "A module is given its location rather than left with its default.",
    ),
    max_asserts::RULE,
    max_outputs::RULE,
    max_params::RULE,
    max_resources::RULE,
    max_variables::RULE,
    nested_deployment_template_scoping::RULE,
    rule(
        "no-conflicting-metadata",
        PotentialMistake,
        "Metadata is not given twice, by `@metadata()` and by a decorator of its own.",
    ),
    rule("no-deployments-resources", BestPractice, "Modules are used rather than deployment resources."),
    rule("no-explicit-any", BestPractice, "The type `any` is not written where another type is possible."),
    rule(
        "no-hardcoded-env-urls",
        BestPractice,
        "Addresses of a cloud come from `environment()`, so that the file works in other clouds.",
    ),
    off(
        "no-hardcoded-location",
        Location,
        "A location is a parameter or `global`, and not written into a resource.",
    ),
    off("no-hardcoded-outputs", BestPractice, "Constants are exported variables rather than outputs."),
    off(
        "no-loc-expr-outside-params",
        Location,
        "The location of a resource group or deployment is only the default value of a parameter.",
    ),
    off("no-module-name", BestPractice, "Modules are not named, so that names cannot clash."),
    rule(
        "no-unnecessary-dependson",
        BestPractice,
        "Dependencies that follow from references are not listed once more.",
    ),
    rule("no-unused-existing-resources", BestPractice, "Every existing resource is used."),
    rule("no-unused-imports", BestPractice, "Every import is used."),
    rule("no-unused-params", BestPractice, "Every parameter is used."),
    rule("no-unused-types", BestPractice, "Every type is used."),
    rule("no-unused-vars", BestPractice, "Every variable is used."),
    rule(
        "outputs-should-not-contain-secrets",
        Security,
        "Outputs hold no secrets, because anyone can read them.",
    ),
    rule("prefer-interpolation", Style, "Texts are put together by interpolation rather than by `concat`."),
    rule(
        "prefer-unquoted-property-names",
        Style,
        "Property names stand without quotes, and are reached with a dot, where they are names.",
    ),
    rule(
        "protect-commandtoexecute-secrets",
        Security,
        "A command with secrets is in the protected settings of an extension.",
    ),
    rule("secure-parameter-default", Security, "A secret has no default value but an empty or a new one."),
    rule(
        "secure-params-in-nested-deploy",
        Security,
        "A deployment that is evaluated outside itself takes no secrets.",
    ),
    rule(
        "secure-params-in-parameters-file",
        Security,
        "A parameters file gives secrets only to parameters that keep them.",
    ),
    rule(
        "secure-secrets-in-params",
        Security,
        "A parameter whose name says that it is a secret is `@secure()`.",
    ),
    rule("simplify-interpolation", Style, "A text that is only one value is written as that value."),
    rule("simplify-json-null", BestPractice, "`json('null')` is written as `null`."),
    rule(
        "stacks-extensibility-compat",
        DeploymentStacks,
        "Configurations of extensions are such that a deployment stack can keep them.",
    ),
    off("use-description-outputs", BestPractice, "Every output has a description."),
    off("use-description-params", BestPractice, "Every parameter has a description."),
    off("use-description-type-properties", BestPractice, "Every property of a type has a description."),
    off("use-description-types", BestPractice, "Every type has a description."),
    off("use-description-vars", BestPractice, "Every variable has a description."),
    rule(
        "use-parent-property",
        BestPractice,
        "A child resource names its parent rather than the path to itself.",
    ),
    off("use-recent-api-versions", BestPractice, "Resources use recent versions of their types."),
    rule(
        "use-recent-az-powershell-version",
        BestPractice,
        "Deployment scripts use a version of Azure PowerShell that is still supported.",
    ),
    off("use-recent-module-versions", BestPractice, "Modules of the public registry are recent."),
    rule(
        "use-recognized-resource-type",
        PotentialMistake,
        "`reference` and `list` functions name resource types that exist.",
    ),
    off(
        "use-resource-id-functions",
        BestPractice,
        "Ids of resources come from functions or from the resources.",
    ),
    rule(
        "use-resource-symbol-reference",
        BestPractice,
        "A resource of the file is reached by its name rather than by `reference` and `list` functions.",
    ),
    rule("use-safe-access", BestPractice, "What may be absent is read with `.?`."),
    rule(
        "use-secure-value-for-secure-inputs",
        Security,
        "Properties that hold secrets are given values that are secrets.",
    ),
    rule(
        "use-stable-resource-identifiers",
        PotentialMistake,
        "Names of resources are the same in every deployment.",
    ),
    rule("use-stable-vm-image", BestPractice, "Virtual machines use released images."),
    off("use-user-defined-types", BestPractice, "Types say more than `object` and `array`."),
    off(
        "what-if-short-circuiting",
        PotentialMistake,
        "Names and conditions are known before the deployment, so that a preview can tell what will change.",
    ),
];
