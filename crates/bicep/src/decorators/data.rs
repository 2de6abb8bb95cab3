//! Decorators of parameters, outputs and types. They write into the template in the order of [`DECORATORS`].

use super::row::{Decorator, MemberRule, PartRule, Refines, UseRule, Writes};
use crate::functions::Availability;
use crate::language::Feature;
use crate::types::{ArgumentRule, EvaluationPhase, FunctionFlags as F, ParameterRow as P, Ty, union_of};

pub(super) static DECORATORS: &[&Decorator] = &[
    &ALLOWED,
    &DISCRIMINATOR,
    &SECURE,
    &SEALED,
    &EXPORT,
    &METADATA,
    &MIN_LENGTH,
    &MAX_LENGTH,
    &MIN_VALUE,
    &MAX_VALUE,
    &VALIDATE,
    &DESCRIPTION,
];

static ALLOWED: Decorator = Decorator::data(
    "allowed",
    "Lists the values that a parameter can have, or the elements if it is an array.",
    &[P::new("values", Ty::array).known(EvaluationPhase::Compiling)],
    Writes::Member("allowedValues", MemberRule::AllowedValues),
)
.on(F::PARAMETER_DECORATOR)
.refines(Refines::Values)
.check(UseRule::Allowed);

static DISCRIMINATOR: Decorator = Decorator::data(
    "discriminator",
    "Names the property that tells which member of a union of objects a value is.",
    &[P::new("property", Ty::string).known(EvaluationPhase::Compiling)],
    Writes::Elsewhere("the type gets a `discriminator` in place of its `properties`"),
)
.attaches(Ty::object)
.refines(Refines::Discriminator)
.check(UseRule::Discriminator);

pub(crate) static SECURE: Decorator = Decorator::data(
    "secure",
    "Marks a string or object as a secret, which is neither logged nor kept.",
    &[],
    Writes::Part("`type` becomes `securestring` or `secureObject`", PartRule::SecureType),
)
.attaches(text_or_object)
.refines(Refines::Secret)
.check(UseRule::Secure);

static SEALED: Decorator = Decorator::data(
    "sealed",
    "Forbids properties that the type does not have; otherwise they are a warning.",
    &[],
    Writes::Member("additionalProperties", MemberRule::Sealed),
)
.attaches(Ty::object)
.refines(Refines::Sealed)
.check(UseRule::Sealed);

pub(crate) static EXPORT: Decorator = Decorator::data(
    "export",
    "Lets other files import a type, variable or function.",
    &[],
    Writes::Part(
        "the `metadata` of a type gets `__bicep_export!`, that of the template lists variables",
        PartRule::Export,
    ),
)
.on(F::TYPE_DECORATOR.union(F::VARIABLE_DECORATOR).union(F::FUNCTION_DECORATOR))
.check(UseRule::Export);

static METADATA: Decorator = Decorator::data(
    "metadata",
    "Adds an object of anything that tools may want to know.",
    &[P::new("values", Ty::object).known(EvaluationPhase::Compiling)],
    Writes::Member("metadata", MemberRule::Metadata),
)
.check(UseRule::Metadata);

pub(crate) static MIN_LENGTH: Decorator = length("minLength", "Sets the least length of a string or array.");

pub(crate) static MAX_LENGTH: Decorator =
    length("maxLength", "Sets the greatest length of a string or array.");

pub(crate) static MIN_VALUE: Decorator = value("minValue", "Sets the least value of an integer.");

pub(crate) static MAX_VALUE: Decorator = value("maxValue", "Sets the greatest value of an integer.");

static VALIDATE: Decorator = Decorator::data(
    "validate",
    "Refuses values for which a lambda is not true, with a message of your own.",
    &[
        P::new("predicate", predicate)
            .known(EvaluationPhase::AtStart)
            .depends(ArgumentRule::DecoratedPredicate),
        P::new("message", Ty::string).optional().known(EvaluationPhase::Compiling),
    ],
    Writes::Member("validate", MemberRule::Arguments),
)
.when(Availability::With(Feature::UserDefinedConstraints));

pub(crate) static DESCRIPTION: Decorator = Decorator::data(
    "description",
    "Says what a declaration or a part of a type is for. Markdown is understood.",
    &[P::new("text", Ty::string).known(EvaluationPhase::Compiling)],
    Writes::Part("`metadata` gets a `description`", PartRule::Description),
)
.on(F::ANY_DECORATOR)
.also_in_parameters();

const fn length(name: &'static str, doc: &'static str) -> Decorator {
    const LENGTH: &[P] = &[P::new("length", Ty::int).known(EvaluationPhase::Compiling)];
    Decorator::data(name, doc, LENGTH, Writes::Member(name, MemberRule::FirstArgument))
        .attaches(text_or_array)
        .refines(Refines::Bound)
        .check(UseRule::Length)
}

const fn value(name: &'static str, doc: &'static str) -> Decorator {
    const VALUE: &[P] = &[P::new("value", Ty::int).known(EvaluationPhase::Compiling)];
    Decorator::data(name, doc, VALUE, Writes::Member(name, MemberRule::FirstArgument))
        .attaches(Ty::int)
        .refines(Refines::Bound)
        .check(UseRule::NoAlias)
}

fn text_or_object() -> Ty {
    union_of([Ty::string(), Ty::object()])
}

fn text_or_array() -> Ty {
    union_of([Ty::string(), Ty::array()])
}

fn predicate() -> Ty {
    Ty::lambda(vec![Ty::any()], Vec::new(), Ty::bool())
}
