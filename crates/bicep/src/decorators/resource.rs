//! Decorators of resources and modules.

use syntax::SyntaxNode;
use syntax::ast::{AstNode as _, Statement};

use super::row::{Decorator, Refines, Requires, UseRule, Writes};
use crate::functions::Availability;
use crate::language::Feature;
use crate::types::{EvaluationPhase, FunctionFlags as F, ParameterRow as P, Range, Ty, TypeFlags};

pub(super) static DECORATORS: &[&Decorator] = &[
    &BATCH_SIZE,
    &DEPLOY_IF_NOT_EXISTS,
    &NULL_IF_NOT_FOUND,
    &ONLY_IF_NOT_EXISTS,
    &PATCH,
    &RETRY_ON,
    &WAIT_UNTIL,
];

pub(crate) static BATCH_SIZE: Decorator = Decorator::resource(
    "batchSize",
    "Deploys the resources or modules of a loop in batches of this size, one batch after the other.",
    &[P::new("size", Ty::int)],
    Writes::Elsewhere("the `copy` of the loop gets `mode` and `batchSize`"),
)
.on(RESOURCE_OR_MODULE)
.check(UseRule::BatchSize);

static NULL_IF_NOT_FOUND: Decorator = Decorator::resource(
    "nullIfNotFound",
    "Makes an existing resource null if it is not there, in place of an error.",
    &[],
    Writes::Options,
)
.demands(Requires::ExperimentalEngine)
.refines(Refines::Missing)
.check(UseRule::NullIfNotFound);

static DEPLOY_IF_NOT_EXISTS: Decorator = Decorator::resource(
    "deployIfNotExists",
    "Deploys a resource or module only if it is not there yet; another name for `onlyIfNotExists`.",
    &[],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.when(Availability::Proposed(None))
.demands(Requires::SymbolicNames)
.check(UseRule::Deployed);

static ONLY_IF_NOT_EXISTS: Decorator = Decorator::resource(
    "onlyIfNotExists",
    "Deploys a resource or module only if it is not there yet.",
    &[],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.demands(Requires::SymbolicNames)
.check(UseRule::Deployed);

static PATCH: Decorator = Decorator::resource(
    "patch",
    "Changes the properties of a resource that is there and leaves the others as they are.",
    &[],
    Writes::Method("PATCH"),
)
.when(Availability::With(Feature::Patch));

static RETRY_ON: Decorator = Decorator::resource(
    "retryOn",
    "Deploys a resource or module again when it fails with one of these error codes, so often at most; 3 times without a count.",
    &[
        P::new("errorCodes", texts).known(EvaluationPhase::Compiling),
        P::new("count", positive).optional().known(EvaluationPhase::Compiling),
    ],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.demands(Requires::SymbolicNames)
.check(UseRule::Deployed);

static WAIT_UNTIL: Decorator = Decorator::resource(
    "waitUntil",
    "Waits after the deployment of a resource or module until a lambda is true of its state, for an ISO 8601 duration at most.",
    &[P::new("predicate", predicate), P::new("duration", Ty::string).known(EvaluationPhase::Compiling)],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.when(Availability::Proposed(Some(Feature::WaitUntil)))
.demands(Requires::SymbolicNames)
.check(UseRule::WaitUntil);

const RESOURCE_OR_MODULE: F = F::RESOURCE_DECORATOR.union(F::MODULE_DECORATOR);

fn texts() -> Ty {
    Ty::array_of(Ty::string(), Range::default())
}

fn positive() -> Ty {
    Ty::int_within(Range { min: Some(1), max: None }, TypeFlags::empty())
}

fn predicate() -> Ty {
    Ty::lambda(vec![Ty::object()], Vec::new(), Ty::bool())
}

/// Tells whether a declaration is that of an existing resource.
pub(crate) fn is_existing(target: SyntaxNode<'_>) -> bool {
    matches!(Statement::cast(target), Some(Statement::ResourceDeclaration(it)) if it.existing().is_some())
}
