//! What a parameters file gets from outside: the environment, the command line, vaults.

use super::row::{Becomes, Files, When};
use super::{Family, Function, FunctionFlags, Overload as O, Parameter as P, Purity};
use crate::config::Feature;
use crate::types::{Known, Ty};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "externalInput",
        "Asks the tool that deploys for a value, by a kind of input and what that kind needs to know.",
        &[O::always(
            &[
                P::new("kind", Ty::string).known(Known::Compiling),
                P::new("config", Ty::any).optional().known(Known::Compiling),
            ],
            Ty::any,
        )],
    )
    .flags(FunctionFlags::EXTERNAL_INPUT),
    Function::az(
        Family::Input,
        "getSecret",
        "Refers to a secret of a key vault, which the deployment reads.",
        &[O::always(
            &[
                P::new("subscriptionId", Ty::string),
                P::new("resourceGroup", Ty::string),
                P::new("vault", Ty::string),
                P::new("secret", Ty::string),
                P::new("version", Ty::string).optional(),
            ],
            Ty::secure_string,
        )],
    )
    .only_in(Files::Parameters)
    .flags(FunctionFlags::DIRECT_ASSIGNMENT)
    .becomes(Becomes::SecretReference),
    row(
        "readCliArg",
        "Asks the tool that deploys for an argument of its command line.",
        &[O::always(&[P::new("name", Ty::string).known(Known::Compiling)], Ty::string)],
    )
    .flags(FunctionFlags::EXTERNAL_INPUT)
    .when(When::With(Feature::DeployCommands))
    .becomes(Becomes::Input("sys.cliArg")),
    row(
        "readEnvVar",
        "Asks the tool that deploys for an environment variable.",
        &[O::always(&[P::new("name", Ty::string).known(Known::Compiling)], Ty::string)],
    )
    .flags(FunctionFlags::EXTERNAL_INPUT)
    .when(When::With(Feature::DeployCommands))
    .becomes(Becomes::Input("sys.envVar")),
    row(
        "readEnvironmentVariable",
        "Reads an environment variable while compiling; the default stands for one that is not set.",
        &[O::call(
            &[P::new("name", Ty::string), P::new("default", Ty::string).optional()],
            |checker, call, arguments| checker.environment_variable(call, arguments),
            Ty::string,
        )],
    )
    .flags(FunctionFlags::HOIST_ALWAYS)
    .when(When::Without(Feature::DeployCommands))
    .becomes(Becomes::Loaded),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Input, name, doc, overloads).only_in(Files::Parameters).purity(Purity::Impure)
}
