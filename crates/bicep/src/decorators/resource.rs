//! Decorators of resources and modules.

use syntax::ast::{AstNode as _, Expr, Statement};
use syntax::{NodeKind, SyntaxNode};

use super::row::{Decorator, Refines, Requires, Use, Writes};
use crate::check::{Checker, constant_integer};
use crate::codes;
use crate::compiler::Dialect;
use crate::config::Feature;
use crate::functions::{FunctionFlags as F, Parameter as P, When};
use crate::types::{Known, Range, Ty, TypeFlags, assignable};

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
.check(check_batch_size);

static NULL_IF_NOT_FOUND: Decorator = Decorator::resource(
    "nullIfNotFound",
    "Makes an existing resource null if it is not there, in place of an error.",
    &[],
    Writes::Options,
)
.demands(Requires::ExperimentalEngine)
.refines(Refines::Missing)
.check(check_null_if_not_found);

static DEPLOY_IF_NOT_EXISTS: Decorator = Decorator::resource(
    "deployIfNotExists",
    "Deploys a resource or module only if it is not there yet; another name for `onlyIfNotExists`.",
    &[],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.when(When::Proposed(None))
.demands(Requires::SymbolicNames)
.check(check_deployed);

static ONLY_IF_NOT_EXISTS: Decorator = Decorator::resource(
    "onlyIfNotExists",
    "Deploys a resource or module only if it is not there yet.",
    &[],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.demands(Requires::SymbolicNames)
.check(check_deployed);

static PATCH: Decorator = Decorator::resource(
    "patch",
    "Changes the properties of a resource that is there and leaves the others as they are.",
    &[],
    Writes::Method("PATCH"),
)
.when(When::With(Feature::Patch));

static RETRY_ON: Decorator = Decorator::resource(
    "retryOn",
    "Deploys a resource or module again when it fails with one of these error codes, so often at most; 3 times without a count.",
    &[
        P::new("errorCodes", texts).known(Known::Compiling),
        P::new("count", positive).optional().known(Known::Compiling),
    ],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.demands(Requires::SymbolicNames)
.check(check_deployed);

static WAIT_UNTIL: Decorator = Decorator::resource(
    "waitUntil",
    "Waits after the deployment of a resource or module until a lambda is true of its state, for an ISO 8601 duration at most.",
    &[P::new("predicate", predicate), P::new("duration", Ty::string).known(Known::Compiling)],
    Writes::Options,
)
.on(RESOURCE_OR_MODULE)
.when(When::Proposed(Some(Feature::WaitUntil)))
.demands(Requires::SymbolicNames)
.check(check_wait_until);

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

fn check_batch_size<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    if !assignable(&used.ty, &Ty::array()) {
        checker.push(codes::BATCH_TARGET.at(used.at, &[&used.decorator.name]));
    }
    if let Some(argument) = used.call.argument(0)
        && let Some(size) = constant_integer(argument)
        && size < 1
    {
        checker.push(codes::BATCH_SIZE.at(argument.span(), &[&1, &size]));
    }
}

fn check_null_if_not_found<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    if !is_existing(used.target) && used.target.kind() == NodeKind::ResourceDeclaration {
        checker.push(codes::NULL_IF_NOT_FOUND.at(used.at, &[]));
    }
}

/// What is not deployed has no options of a deployment.
fn check_deployed<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    if checker.model.dialect == Dialect::Tendon && is_existing(used.target) {
        checker.push(codes::OPTION_ON_EXISTING.at(used.at, &[&used.decorator.name]));
    }
}

fn check_wait_until<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    check_deployed(checker, used);
    if checker.model.dialect == Dialect::Tendon
        && let Some(Expr::String(duration)) = used.call.argument(1)
        && let Some(text) = duration.constant()
        && arm::functions::duration_in_milliseconds(&text).is_none()
    {
        checker.push(codes::INVALID_DURATION.at(duration.span(), &[&text]));
    }
}

/// Tells whether a declaration is that of an existing resource.
pub(crate) fn is_existing(target: SyntaxNode<'_>) -> bool {
    matches!(Statement::cast(target), Some(Statement::ResourceDeclaration(it)) if it.existing().is_some())
}
