//! A value in a message, looked at where it stands.

use std::marker::PhantomData;

use contract::{Node, View};

use super::types::{ProgramTypes, StructType, Ty, TypeForm};
use super::work::WorkBudget;
use crate::model::StructId;
use crate::wire::{InPlace, Result, WireType};

/// What all views of a message share.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewContext<'s> {
    pub(super) types: &'s ProgramTypes,
    pub(super) work: &'s WorkBudget,
}

/// A field of a struct that was met on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<R> {
    pub(super) id: i16,
    pub(super) ty: Ty,
    pub(super) at: ValueSource<R>,
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueSource<R> {
    /// Where a reader stands.
    Reader(R),
    /// In the head of its field.
    Bool(bool),
}

/// A bookmark before a value of a known type, the number of a field, or the fields of a struct that rules look at.
///
/// The message has been walked before, so that reading it again cannot fail; if it does, there is nothing.
#[derive(Debug)]
pub(super) struct WireView<'s, 'b, R> {
    what: ViewKind<'s, R>,
    around: ViewContext<'s>,
    bytes: PhantomData<&'b ()>,
}

impl<R: Copy> Clone for WireView<'_, '_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Copy> Copy for WireView<'_, '_, R> {}

#[derive(Clone, Copy, Debug)]
enum ViewKind<'s, R> {
    /// A value of the type that it should have.
    Value(Ty, ValueSource<R>),
    FieldId(i16),
    /// A struct that is not part of another.
    Struct(StructId, R),
    /// A struct of which only these fields are of interest.
    Fields(&'s [Option<Slot<R>>]),
}

impl<'s, 'b, R: InPlace<'b> + 's> WireView<'s, 'b, R> {
    /// A value at which a reader stands.
    pub(super) fn value(reader: R, ty: Ty, around: ViewContext<'s>) -> WireView<'s, 'b, R> {
        WireView::new(ViewKind::Value(ty, ValueSource::Reader(reader)), around)
    }

    /// A struct at which a reader stands.
    pub(super) fn structure(reader: R, id: StructId, around: ViewContext<'s>) -> WireView<'s, 'b, R> {
        WireView::new(ViewKind::Struct(id, reader), around)
    }

    /// A struct with these fields.
    pub(super) fn fields(fields: &'s [Option<Slot<R>>], around: ViewContext<'s>) -> WireView<'s, 'b, R> {
        WireView::new(ViewKind::Fields(fields), around)
    }

    fn new(what: ViewKind<'s, R>, around: ViewContext<'s>) -> WireView<'s, 'b, R> {
        WireView { what, around, bytes: PhantomData }
    }

    fn read(self, ty: Ty, mut reader: R) -> Result<Node<'b>> {
        let kind = self.around.types.kind(ty);
        Ok(match kind {
            TypeForm::Text | TypeForm::Bytes => {
                let bytes = reader.string_in_place()?;
                self.around.work.steps(bytes.len() as u64 / 64);
                // Rules look at bytes; messages and paths want to show text.
                std::str::from_utf8(bytes).map_or(Node::Bytes(bytes), Node::Text)
            }
            TypeForm::Struct(id) => self.declared(id),
            TypeForm::List(_) | TypeForm::Set(_) => Node::List(reader.list_begin()?.len),
            TypeForm::Map(..) => Node::Object(reader.map_begin()?.len),
            TypeForm::Unknown => Node::Null,
            TypeForm::Scalar(wire) => match wire {
                WireType::Bool => Node::Bool(reader.bool()?),
                WireType::I8 => Node::Int(reader.i8()?.into()),
                WireType::I16 => Node::Int(reader.i16()?.into()),
                WireType::I32 => Node::Int(reader.i32()?.into()),
                WireType::I64 => Node::Int(reader.i64()?),
                WireType::Double => Node::Float(reader.double()?),
                WireType::Uuid => Node::Bytes(reader.uuid_in_place()?),
                WireType::Stop
                | WireType::String
                | WireType::Struct
                | WireType::Map
                | WireType::Set
                | WireType::List => Node::Null,
            },
        })
    }

    /// A struct, with as many members as it can have: to count those that it has would be to read it twice.
    fn declared(self, id: StructId) -> Node<'b> {
        Node::Object(self.around.types.structure(id).map_or(0, StructType::len))
    }

    /// What the value is and where, if it has parts.
    fn opened(self) -> Option<(TypeForm, R)> {
        match self.what {
            ViewKind::Value(ty, ValueSource::Reader(reader)) => Some((self.around.types.kind(ty), reader)),
            ViewKind::Struct(id, reader) => Some((TypeForm::Struct(id), reader)),
            ViewKind::Value(_, ValueSource::Bool(_)) | ViewKind::FieldId(_) | ViewKind::Fields(_) => None,
        }
    }
}

impl<'s, 'b, R: InPlace<'b> + 's> View<'b> for WireView<'s, 'b, R> {
    type Key = WireView<'s, 'b, R>;
    type Items = MessageElements<'s, 'b, R>;
    type Members = MessageMembers<'s, 'b, R>;

    fn node(self) -> Node<'b> {
        match self.what {
            ViewKind::FieldId(id) => Node::Int(id.into()),
            ViewKind::Struct(id, _) => self.declared(id),
            ViewKind::Fields(fields) => Node::Object(fields.iter().flatten().count()),
            ViewKind::Value(_, ValueSource::Bool(value)) => Node::Bool(value),
            ViewKind::Value(ty, ValueSource::Reader(reader)) => self.read(ty, reader).unwrap_or(Node::Null),
        }
    }

    fn items(self) -> Self::Items {
        let opened = match self.opened() {
            Some((TypeForm::List(element) | TypeForm::Set(element), mut reader)) => {
                reader.list_begin().ok().map(|head| (reader, element, head.len))
            }
            _ => None,
        };
        MessageElements { opened, around: self.around, bytes: PhantomData }
    }

    fn members(self) -> Self::Members {
        let kind = match (self.what, self.opened()) {
            (ViewKind::Fields(fields), _) => MemberKind::Slots(fields),
            (_, Some((TypeForm::Struct(id), mut reader))) => match reader.struct_begin() {
                Ok(_) => MemberKind::Fields(reader, id),
                Err(_) => MemberKind::None,
            },
            (_, Some((TypeForm::Map(key, value), mut reader))) => match reader.map_begin() {
                Ok(head) => MemberKind::Entries { reader, key, value, left: head.len },
                Err(_) => MemberKind::None,
            },
            _ => MemberKind::None,
        };
        MessageMembers { kind, around: self.around, bytes: PhantomData }
    }

    fn member(self, name: &str) -> Option<Self> {
        // Readers of maps keep the last of several.
        let named = |key: &Self| matches!(key.node(), Node::Text(text) if text == name);
        self.members().filter(|(key, _)| named(key)).last().map(|(_, value)| value)
    }
}

/// The elements of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageElements<'s, 'b, R> {
    opened: Option<(R, Ty, usize)>,
    around: ViewContext<'s>,
    bytes: PhantomData<&'b ()>,
}

impl<'s, 'b, R: InPlace<'b> + 's> Iterator for MessageElements<'s, 'b, R> {
    type Item = WireView<'s, 'b, R>;

    fn next(&mut self) -> Option<Self::Item> {
        let (reader, ty, left) = self.opened.as_mut()?;
        *left = left.checked_sub(1)?;
        let item = WireView::value(*reader, *ty, self.around);
        if self.around.work.skip(reader, self.around.types.wire(*ty)).is_err() {
            *left = 0;
        }
        Some(item)
    }
}

/// The fields of a struct, by number, or the entries of a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageMembers<'s, 'b, R> {
    kind: MemberKind<'s, R>,
    around: ViewContext<'s>,
    bytes: PhantomData<&'b ()>,
}

#[derive(Clone, Copy, Debug)]
enum MemberKind<'s, R> {
    Slots(&'s [Option<Slot<R>>]),
    /// Known fields that have their type; others are nobody's business.
    Fields(R, StructId),
    Entries {
        reader: R,
        key: Ty,
        value: Ty,
        left: usize,
    },
    None,
}

impl<'s, 'b, R: InPlace<'b> + 's> Iterator for MessageMembers<'s, 'b, R> {
    type Item = (WireView<'s, 'b, R>, WireView<'s, 'b, R>);

    fn next(&mut self) -> Option<Self::Item> {
        let ViewContext { types, work } = self.around;
        let pair = |id: i16, ty: Ty, at: ValueSource<R>| {
            let key = WireView::new(ViewKind::FieldId(id), self.around);
            (key, WireView::new(ViewKind::Value(ty, at), self.around))
        };
        match &mut self.kind {
            MemberKind::None => None,
            MemberKind::Slots(slots) => loop {
                let (first, rest) = slots.split_first()?;
                *slots = rest;
                if let Some(slot) = first {
                    return Some(pair(slot.id, slot.ty, slot.at));
                }
            },
            MemberKind::Fields(reader, id) => loop {
                let head = reader.field_begin().ok()??;
                let at = *reader;
                work.skip(reader, head.ty).ok()?;
                reader.field_end().ok()?;
                let known = types.structure(*id).and_then(|it| it.field(head.id));
                if let Some((_, field)) = known
                    && types.wire(field.ty) == head.ty
                {
                    return Some(pair(head.id, field.ty, ValueSource::Reader(at)));
                }
            },
            MemberKind::Entries { reader, key, value, left } => {
                *left = left.checked_sub(1)?;
                let found = WireView::value(*reader, *key, self.around);
                work.skip(reader, types.wire(*key)).ok()?;
                let entry = WireView::value(*reader, *value, self.around);
                work.skip(reader, types.wire(*value)).ok()?;
                Some((found, entry))
            }
        }
    }
}
