//! Decorators of resources and modules.

use syntax::ast::{AstNode as _, Statement};

use super::row::{Decorator, Refines, Requires, Use, Writes};
use crate::check::{Checker, constant_integer};
use crate::codes;
use crate::config::Feature;
use crate::functions::{FunctionFlags as F, Parameter as P, When};
use crate::types::{Known, Range, Ty, TypeFlags, assignable};

pub(super) static DECORATORS: &[&Decorator] =
    &[&BATCH_SIZE, &NULL_IF_NOT_FOUND, &ONLY_IF_NOT_EXISTS, &PATCH, &RETRY_ON, &WAIT_UNTIL];

pub(crate) static BATCH_SIZE: Decorator = Decorator::resource(
    "batchSize",
    "Deploys the resources or modules of a loop in batches of this size, one batch after the other.",
    &[P::new("size", Ty::int)],
    Writes::Elsewhere("the `copy` of the loop gets `mode` and `batchSize`"),
)
.on(F::RESOURCE_DECORATOR.with(F::MODULE_DECORATOR))
.check(check_batch_size);

static NULL_IF_NOT_FOUND: Decorator = Decorator::resource(
    "nullIfNotFound",
    "Makes an existing resource null if it is not there, in place of an error.",
    &[],
    Writes::Options,
)
.requires(Requires::ExperimentalEngine)
.refines(Refines::Missing)
.check(check_null_if_not_found);

static ONLY_IF_NOT_EXISTS: Decorator = Decorator::resource(
    "onlyIfNotExists",
    "Deploys a resource only if it is not there yet.",
    &[],
    Writes::Options,
)
.requires(Requires::SymbolicNames);

static PATCH: Decorator = Decorator::resource(
    "patch",
    "Changes the properties of a resource that is there and leaves the others as they are.",
    &[],
    Writes::Method("PATCH"),
)
.when(When::With(Feature::Patch));

static RETRY_ON: Decorator = Decorator::resource(
    "retryOn",
    "Deploys a resource again when it fails with one of these error codes, so often at most.",
    &[
        P::new("errorCodes", texts).known(Known::Compiling),
        P::new("count", positive).optional().known(Known::Compiling),
    ],
    Writes::Options,
)
.requires(Requires::SymbolicNames);

static WAIT_UNTIL: Decorator = Decorator::resource(
    "waitUntil",
    "Waits after the deployment of a resource until a lambda is true, for an ISO 8601 duration at most.",
    &[P::new("predicate", predicate), P::new("duration", Ty::string).known(Known::Compiling)],
    Writes::Options,
)
.when(When::With(Feature::WaitUntil));

fn texts() -> Ty {
    Ty::array_of(Ty::string(), Range::default())
}

fn positive() -> Ty {
    Ty::int_within(Range { min: Some(1), max: None }, TypeFlags::NONE)
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
    let existing = match Statement::cast(used.target) {
        Some(Statement::ResourceDeclaration(it)) => it.existing().is_some(),
        _ => true,
    };
    if !existing {
        checker.push(codes::NULL_IF_NOT_FOUND.at(used.at, &[]));
    }
}
