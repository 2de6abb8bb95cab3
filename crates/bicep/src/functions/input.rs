//! What a parameters file gets from outside: the environment, the command line, vaults.

use super::row::{Availability, Becomes, Files};
use super::{Family, Function, Purity};
use crate::language::Feature;
use crate::types::{CallRule, EvaluationPhase, FunctionFlags, Overload as O, ParameterRow as P, Ty};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "externalInput",
        "Asks the tool that deploys for a value, by a kind of input and what that kind needs to know.",
        &[O::always(
            &[
                P::new("kind", Ty::string).known(EvaluationPhase::Compiling),
                P::new("config", Ty::any).optional().known(EvaluationPhase::Compiling),
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
        &[O::always(&[P::new("name", Ty::string).known(EvaluationPhase::Compiling)], Ty::string)],
    )
    .flags(FunctionFlags::EXTERNAL_INPUT)
    .when(Availability::With(Feature::DeployCommands))
    .becomes(Becomes::Input("sys.cliArg")),
    row(
        "readEnvVar",
        "Asks the tool that deploys for an environment variable.",
        &[O::always(&[P::new("name", Ty::string).known(EvaluationPhase::Compiling)], Ty::string)],
    )
    .flags(FunctionFlags::EXTERNAL_INPUT)
    .when(Availability::With(Feature::DeployCommands))
    .becomes(Becomes::Input("sys.envVar")),
    row(
        "readEnvironmentVariable",
        "Reads an environment variable while compiling; the default stands for one that is not set.",
        &[O::call(
            &[P::new("name", Ty::string), P::new("default", Ty::string).optional()],
            CallRule::EnvironmentVariable,
            Ty::string,
        )],
    )
    .flags(FunctionFlags::HOIST_ALWAYS)
    .when(Availability::Without(Feature::DeployCommands))
    .becomes(Becomes::Loaded),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Input, name, doc, overloads).only_in(Files::Parameters).purity(Purity::Impure)
}
