//! How Go code reaches a field, and when there is something to reach.

use thrift::idl::Requiredness;
use thrift::model::{Field, Model, Type};

/// A field as Go code sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// A value that is always there; an absent field is its zero value or its default.
    Always,
    /// A pointer to a scalar; nil if the field is not set.
    Pointer,
    /// A slice, map or pointer to a struct; nil if the field is not set.
    Nil,
    /// A slice or map whose nil counts as empty.
    EmptyNil,
}

impl Presence {
    // UPSTREAM: thriftgo makes pointers of structs and of optional scalars that have no default.
    pub(super) fn of(model: &Model, field: &Field, absent: bool) -> Presence {
        let optional = field.requiredness == Requiredness::Optional;
        match model.real(field.ty) {
            Type::Struct(_) => Presence::Nil,
            Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Binary => {
                // What stands for an absent container is an empty one, or its default.
                match (optional, absent && field.default.is_none()) {
                    (true, false) => Presence::Nil,
                    _ => Presence::EmptyNil,
                }
            }
            _ if optional && field.default.is_none() => Presence::Pointer,
            _ => Presence::Always,
        }
    }

    /// Whether nil can be told from a value.
    pub(super) fn can_be_nil(self) -> bool {
        self != Presence::Always
    }
}
