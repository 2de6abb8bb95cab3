//! Decorators of parameters, outputs and types. They write into the template in the order of [`DECORATORS`].

use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr, Statement, TypeExpr};

use super::row::{Decorator, On, Refines, Use, Writes};
use crate::check::{Checker, bare_type, constant_integer, declared_name, written_type};
use crate::codes;
use crate::config::Feature;
use crate::emit::{Emitter, Members, Tree, merge};
use crate::functions::{FunctionFlags as F, Parameter as P, When};
use crate::symbols::{Ambient, Call, SymbolKind};
use crate::types::{
    Kind, Known, Object, Property, PropertyFlags, Range, Ty, assignable, is_literal, primitive, union_of,
};

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
    &[P::new("values", Ty::array).known(Known::Compiling)],
    Writes::Member("allowedValues", write_allowed),
)
.on(F::PARAMETER_DECORATOR)
.refines(Refines::Values)
.check(check_allowed);

static DISCRIMINATOR: Decorator = Decorator::data(
    "discriminator",
    "Names the property that tells which member of a union of objects a value is.",
    &[P::new("property", Ty::string).known(Known::Compiling)],
    Writes::Elsewhere("the type gets a `discriminator` in place of its `properties`"),
)
.attaches(Ty::object)
.refines(Refines::Discriminator)
.check(check_discriminator);

pub(crate) static SECURE: Decorator = Decorator::data(
    "secure",
    "Marks a string or object as a secret, which is neither logged nor kept.",
    &[],
    Writes::Part("`type` becomes `securestring` or `secureObject`", write_secure),
)
.attaches(text_or_object)
.refines(Refines::Secret)
.check(check_secure);

static SEALED: Decorator = Decorator::data(
    "sealed",
    "Forbids properties that the type does not have; otherwise they are a warning.",
    &[],
    Writes::Member("additionalProperties", write_sealed),
)
.attaches(Ty::object)
.refines(Refines::Sealed)
.check(check_sealed);

pub(crate) static EXPORT: Decorator = Decorator::data(
    "export",
    "Lets other files import a type, variable or function.",
    &[],
    Writes::Part(
        "the `metadata` of a type gets `__bicep_export!`, that of the template lists variables",
        write_export,
    ),
)
.on(F::TYPE_DECORATOR.union(F::VARIABLE_DECORATOR).union(F::FUNCTION_DECORATOR))
.check(check_export);

static METADATA: Decorator = Decorator::data(
    "metadata",
    "Adds an object of anything that tools may want to know.",
    &[P::new("values", Ty::object).known(Known::Compiling)],
    Writes::Member("metadata", write_metadata),
)
.check(check_metadata);

pub(crate) static MIN_LENGTH: Decorator =
    length("minLength", "Sets the least length of a string or array.", write_min_length);

pub(crate) static MAX_LENGTH: Decorator =
    length("maxLength", "Sets the greatest length of a string or array.", write_max_length);

pub(crate) static MIN_VALUE: Decorator =
    value("minValue", "Sets the least value of an integer.", write_min_value);

pub(crate) static MAX_VALUE: Decorator =
    value("maxValue", "Sets the greatest value of an integer.", write_max_value);

static VALIDATE: Decorator = Decorator::data(
    "validate",
    "Refuses values for which a lambda is not true, with a message of your own.",
    &[
        P::new("predicate", predicate).known(Known::AtStart).depends(predicate_of),
        P::new("message", Ty::string).optional().known(Known::Compiling),
    ],
    Writes::Member("validate", write_validate),
)
.when(When::With(Feature::UserDefinedConstraints));

pub(crate) static DESCRIPTION: Decorator = Decorator::data(
    "description",
    "Says what a declaration or a part of a type is for. Markdown is understood.",
    &[P::new("text", Ty::string).known(Known::Compiling)],
    Writes::Part("`metadata` gets a `description`", write_description),
)
.on(F::ANY_DECORATOR)
.also_in_parameters();

type Write = super::row::WriteMembers;

const fn length(name: &'static str, doc: &'static str, write: Write) -> Decorator {
    const LENGTH: &[P] = &[P::new("length", Ty::int).known(Known::Compiling)];
    Decorator::data(name, doc, LENGTH, Writes::Member(name, write))
        .attaches(text_or_array)
        .refines(Refines::Bound)
        .check(check_length)
}

const fn value(name: &'static str, doc: &'static str, write: Write) -> Decorator {
    const VALUE: &[P] = &[P::new("value", Ty::int).known(Known::Compiling)];
    Decorator::data(name, doc, VALUE, Writes::Member(name, write))
        .attaches(Ty::int)
        .refines(Refines::Bound)
        .check(check_value)
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

/// The lambda gets what is decorated.
fn predicate_of<'m>(checker: &mut Checker<'m>, call: Call<'m>, _: usize) -> Option<Ty> {
    let attached = checker.attached(call.node()).unwrap_or_else(Ty::failed);
    Some(Ty::lambda(vec![attached], Vec::new(), Ty::bool()))
}

/// What `@metadata()` takes.
fn metadata_type() -> Ty {
    let constant = PropertyFlags::CONSTANT;
    Ty::object_of(Object {
        name: "ParameterModifierMetadata".into(),
        properties: [("description".into(), Property::new(Ty::string(), constant))].into(),
        additional: Some(Property::new(Ty::any(), constant)),
        ..Object::default()
    })
}

fn check_secure<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    if !used.fits {
        return;
    }
    if primitive(&used.ty).is_none() {
        checker.push(codes::SECURE_TARGET.at(used.at, &[]));
    }
    check_value(checker, used);
}

/// Limits belong to the type itself, not to a name for it.
fn check_value<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    if written_type(used.target).is_some_and(|ty| is_alias(checker, ty)) {
        checker.push(codes::DECORATOR_ON_ALIAS.at(used.at, &[&used.decorator.name]));
    }
}

fn check_length<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    check_value(checker, used);
    if matches!(used.ty.kind(), Kind::Union(_)) || is_literal(&used.ty) {
        checker.push(codes::DECORATOR_ON_LITERAL.at(used.at, &[&used.decorator.name]));
    }
    if let Some(length) = used.call.argument(0)
        && constant_integer(length).is_some_and(|value| value < 0)
    {
        checker.push(codes::NEGATIVE_LENGTH.at(length.span(), &[]));
    }
}

fn check_allowed<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    check_value(checker, used);
    if let Some(written) = written_type(used.target)
        && is_literal_syntax(checker, written)
    {
        checker.push(codes::DECORATOR_ON_LITERAL.at(used.at, &[&used.decorator.name]));
    }
    let Some(values) = used.call.argument(0) else { return };
    if assignable(&used.ty, &Ty::array())
        && let Expr::Array(array) = values
        && crate::check::array_items(array).all(|item| !matches!(item, Expr::Array(_)))
    {
        return;
    }
    checker.narrow(values, &Ty::array_of(used.ty.clone(), Range::default()));
}

fn is_literal_syntax<'m>(checker: &mut Checker<'m>, ty: TypeExpr<'m>) -> bool {
    match ty {
        TypeExpr::IntegerTypeLiteral(_)
        | TypeExpr::BooleanTypeLiteral(_)
        | TypeExpr::UnaryTypeOperation(_)
        | TypeExpr::StringTypeLiteral(_)
        | TypeExpr::UnionType(_) => true,
        TypeExpr::ObjectType(_) | TypeExpr::TupleType(_) => is_literal(&checker.type_node(ty.node()).get()),
        _ => false,
    }
}

fn check_metadata<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    if let Some(value) = used.call.argument(0) {
        checker.narrow(value, &metadata_type());
    }
}

fn check_sealed<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    match written_type(used.target) {
        Some(TypeExpr::ParameterizedTypeInstantiation(it))
            if Ambient::from_name(it.name().text()).is_some() =>
        {
            checker.push(codes::DECORATOR_ON_DERIVED.at(used.at, &[&used.decorator.name]));
        }
        Some(TypeExpr::ObjectType(it)) if it.additional_properties().next().is_some() => {
            checker.push(codes::SEALED_WITH_ADDITIONAL.at(used.at, &[]));
        }
        _ => {}
    }
}

fn check_discriminator<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    let Kind::Discriminated(union) = used.ty.kind() else {
        return checker.push(codes::DISCRIMINATOR_TARGET.at(used.at, &[]));
    };
    let given = match used.call.argument(0) {
        Some(Expr::String(text)) => text.constant(),
        _ => None,
    };
    if given.is_some_and(|given| given != union.key.as_str()) {
        checker.push(codes::OTHER_DISCRIMINATOR.at(used.at, &[&union.key]));
    }
}

fn is_alias(checker: &Checker<'_>, ty: TypeExpr<'_>) -> bool {
    match bare_type(ty) {
        TypeExpr::TypeVariableAccess(access) => {
            checker.model.symbol_at(access.node()).is_some_and(|symbol| {
                matches!(
                    checker.model.symbol(symbol).kind,
                    SymbolKind::Type | SymbolKind::WildcardImport | SymbolKind::Imported(_)
                )
            })
        }
        TypeExpr::TypePropertyAccess(it) => is_alias(checker, it.base()),
        TypeExpr::TypeAdditionalPropertiesAccess(it) => is_alias(checker, it.base()),
        TypeExpr::TypeArrayAccess(it) => is_alias(checker, it.base()),
        TypeExpr::TypeItemsAccess(it) => is_alias(checker, it.base()),
        _ => false,
    }
}

fn check_export<'m>(checker: &mut Checker<'m>, used: &Use<'m>) {
    if Statement::cast(used.target).and_then(declared_name).is_none() {
        checker.push(codes::EXPORT_TARGET.at(used.at, &[]));
    }
    let Some(symbol) = checker.model.symbol_at(used.target) else { return };
    let mut wrong: Vec<String> = Vec::new();
    for symbol in checker.closure(symbol) {
        let known = checker.model.symbol(symbol);
        let exportable = matches!(
            known.kind,
            SymbolKind::Variable
                | SymbolKind::Type
                | SymbolKind::Function
                | SymbolKind::Imported(_)
                | SymbolKind::WildcardImport
        ) || known.kind.is_local();
        if !exportable {
            wrong.push(known.name.to_string());
        }
    }
    if !wrong.is_empty() {
        wrong.sort();
        checker.push(codes::NOT_EXPORTABLE.at(used.at, &[&codes::list(wrong)]));
    }
}

/// Values are listed for parameters only, although the qualified name can stand elsewhere.
fn write_allowed<'u>(_: &mut Emitter<'u>, on: On<'u>, call: Call<'u>, members: &mut Members<'u>) {
    if on.node.kind() == NodeKind::ParameterDeclaration {
        first_argument(members, "allowedValues", call);
    }
}

fn write_secure<'u>(_: &mut Emitter<'u>, _: On<'u>, _: Call<'u>, members: &mut Members<'u>) {
    if let Some((_, Tree::Text(kind))) = members.iter_mut().find(|(name, _)| name == "type") {
        match &**kind {
            "string" => *kind = "securestring".into(),
            "object" => *kind = "secureObject".into(),
            _ => {}
        }
    }
}

fn write_sealed<'u>(_: &mut Emitter<'u>, _: On<'u>, _: Call<'u>, members: &mut Members<'u>) {
    merge(members, "additionalProperties", Tree::Bool(false));
}

fn write_export<'u>(_: &mut Emitter<'u>, on: On<'u>, _: Call<'u>, members: &mut Members<'u>) {
    if on.can_export {
        merge(members, "metadata", Tree::Object(vec![("__bicep_export!".into(), Tree::Bool(true))]));
    }
}

fn write_metadata<'u>(emitter: &mut Emitter<'u>, _: On<'u>, call: Call<'u>, members: &mut Members<'u>) {
    if let Some(metadata) = call.argument(0) {
        let tree = emitter.tree_of(metadata);
        merge(members, "metadata", tree);
    }
}

fn write_min_length<'u>(_: &mut Emitter<'u>, _: On<'u>, call: Call<'u>, members: &mut Members<'u>) {
    first_argument(members, "minLength", call);
}

fn write_max_length<'u>(_: &mut Emitter<'u>, _: On<'u>, call: Call<'u>, members: &mut Members<'u>) {
    first_argument(members, "maxLength", call);
}

fn write_min_value<'u>(_: &mut Emitter<'u>, _: On<'u>, call: Call<'u>, members: &mut Members<'u>) {
    first_argument(members, "minValue", call);
}

fn write_max_value<'u>(_: &mut Emitter<'u>, _: On<'u>, call: Call<'u>, members: &mut Members<'u>) {
    first_argument(members, "maxValue", call);
}

fn write_validate<'u>(_: &mut Emitter<'u>, _: On<'u>, call: Call<'u>, members: &mut Members<'u>) {
    merge(members, "validate", Tree::Array(call.arguments().map(Tree::Expression).collect()));
}

fn write_description<'u>(emitter: &mut Emitter<'u>, on: On<'u>, _: Call<'u>, members: &mut Members<'u>) {
    if let Some(description) = emitter.description(on.node) {
        merge(members, "metadata", Tree::Object(vec![("description".into(), description)]));
    }
}

fn first_argument<'u>(members: &mut Members<'u>, name: &str, call: Call<'u>) {
    if let Some(value) = call.argument(0) {
        merge(members, name, Tree::Expression(value));
    }
}
