//! In which order the service's model of a template writes its members.
//!
//! Parts that the model types have an order; all other JSON is free and keeps the order it has. A member that
//! the model does not know stands last.

/// Members that follow each other, and how their values are written.
type MemberRun = &'static [(&'static str, MemberForm)];

/// How an object is written.
pub(super) struct ObjectLayout {
    /// Its members in order, and how their values are written.
    pub(super) members: &'static [MemberRun],
    /// Whether the members are put in that order, or stay where they are.
    pub(super) ordered: bool,
    /// Whether members without a value are left out.
    pub(super) drops_nulls: bool,
}

/// How a member's value is written.
#[derive(Clone, Copy)]
pub(super) enum MemberForm {
    /// As it is written.
    Free,
    /// Left out of what is hashed.
    Left,
    /// As an object of a kind.
    Node(&'static ObjectLayout),
    /// As an object whose members are all of a kind.
    Map(&'static ObjectLayout),
    /// As a list whose elements are all of a kind.
    List(&'static ObjectLayout),
    /// As resources: a list, or an object, of which an empty one is written as an empty list.
    Resources,
}

impl PartialEq for MemberForm {
    fn eq(&self, other: &MemberForm) -> bool {
        match (self, other) {
            (MemberForm::Node(a), MemberForm::Node(b))
            | (MemberForm::Map(a), MemberForm::Map(b))
            | (MemberForm::List(a), MemberForm::List(b)) => std::ptr::eq(*a, *b),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

const fn typed(members: &'static [MemberRun]) -> ObjectLayout {
    ObjectLayout { members, ordered: true, drops_nulls: true }
}

const fn free(members: &'static [MemberRun]) -> ObjectLayout {
    ObjectLayout { members, ordered: false, drops_nulls: false }
}

use MemberForm::{Free, Left, List, Map, Node, Resources};

pub(super) static TEMPLATE: ObjectLayout = typed(&[&[
    ("$schema", Free),
    ("languageVersion", Free),
    ("contentVersion", Free),
    ("apiProfile", Free),
    ("imports", Free),
    ("extensions", Free),
    ("definitions", Map(&TYPE)),
    ("parameters", Map(&PARAMETER)),
    ("variables", Free),
    ("functions", List(&NAMESPACE)),
    ("resources", Resources),
    ("asserts", Free),
    ("outputs", Map(&OUTPUT)),
    ("metadata", Node(&METADATA)),
]]);

static METADATA: ObjectLayout = free(&[&[("_generator", Node(&GENERATOR))]]);

static GENERATOR: ObjectLayout = free(&[&[("templateHash", Left)]]);

pub(super) static RESOURCE: ObjectLayout = typed(&[&[
    ("extension", Free),
    ("import", Free),
    ("type", Free),
    ("apiVersion", Free),
    ("name", Free),
    ("existing", Free),
    ("comments", Free),
    ("location", Free),
    ("extendedLocation", Free),
    ("dependsOn", Free),
    ("tags", Free),
    ("sku", Free),
    ("kind", Free),
    ("zones", Free),
    ("scale", Free),
    ("identity", Free),
    ("plan", Free),
    ("properties", Free),
    ("resources", List(&RESOURCE)),
    ("scope", Free),
    ("managedBy", Free),
    ("managedByExtended", Free),
    ("metadata", Free),
    ("id", Free),
    ("subscriptionId", Free),
    ("resourceGroup", Free),
    ("copy", Free),
    ("condition", Free),
    ("asserts", Free),
    ("placement", Free),
]]);

/// A definition, and every type inside a definition, a parameter or an output.
static TYPE: ObjectLayout = typed(&[
    &[("$ref", Free), ("type", Free), ("metadata", Free)],
    LIMITS,
    &PARTS,
    &[("discriminator", Node(&DISCRIMINATOR))],
]);

static PARAMETER: ObjectLayout =
    typed(&[&[("$ref", Free), ("defaultValue", Free)], LIMITS_OF_PARAMETER, &PARTS, &END_OF_PARAMETER]);

static FUNCTION_PARAMETER: ObjectLayout =
    typed(&[&[("name", Free), ("$ref", Free)], LIMITS_OF_PARAMETER, &PARTS, &END_OF_PARAMETER]);

static OUTPUT: ObjectLayout = typed(&[
    &[("$ref", Free), ("copy", Free), ("condition", Free)],
    LIMITS,
    &PARTS,
    &[("discriminator", Node(&DISCRIMINATOR)), ("type", Free), ("value", Free), ("metadata", Free)],
]);

const LIMITS: MemberRun = &[
    ("allowedValues", Free),
    ("nullable", Free),
    ("minLength", Free),
    ("maxLength", Free),
    ("minValue", Free),
    ("maxValue", Free),
];

/// Those of a parameter have another order.
const LIMITS_OF_PARAMETER: MemberRun = &[
    ("allowedValues", Free),
    ("minValue", Free),
    ("maxValue", Free),
    ("minLength", Free),
    ("maxLength", Free),
];

static PARTS: [(&str, MemberForm); 4] = [
    ("prefixItems", List(&TYPE)),
    ("items", Node(&TYPE)),
    ("properties", Map(&TYPE)),
    ("additionalProperties", Node(&TYPE)),
];

static END_OF_PARAMETER: [(&str, MemberForm); 4] =
    [("nullable", Free), ("discriminator", Node(&DISCRIMINATOR)), ("type", Free), ("metadata", Free)];

static DISCRIMINATOR: ObjectLayout = typed(&[&[("propertyName", Free), ("mapping", Map(&TYPE))]]);

static NAMESPACE: ObjectLayout = typed(&[&[("namespace", Free), ("members", Map(&FUNCTION))]]);

static FUNCTION: ObjectLayout =
    typed(&[&[("parameters", List(&FUNCTION_PARAMETER)), ("output", Node(&OUTPUT)), ("metadata", Free)]]);
