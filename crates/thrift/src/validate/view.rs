//! A value in a message, looked at where it stands.

use std::marker::PhantomData;

use contract::{Node, View};

use super::types::{Kind, StructType, Ty, Types};
use super::work::Work;
use crate::model::StructId;
use crate::wire::{InPlace, Result, WireType};

/// What all views of a message share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'s> {
    pub(super) types: &'s Types,
    pub(super) work: &'s Work,
}

/// A field of a struct that was met on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<R> {
    pub(super) id: i16,
    pub(super) ty: Ty,
    pub(super) at: At<R>,
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub(super) enum At<R> {
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
    what: What<'s, R>,
    around: Around<'s>,
    bytes: PhantomData<&'b ()>,
}

impl<R: Copy> Clone for WireView<'_, '_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Copy> Copy for WireView<'_, '_, R> {}

#[derive(Clone, Copy, Debug)]
enum What<'s, R> {
    /// A value of the type that it should have.
    Value(Ty, At<R>),
    FieldId(i16),
    /// A struct that is not part of another.
    Struct(StructId, R),
    /// A struct of which only these fields are of interest.
    Fields(&'s [Option<Slot<R>>]),
}

impl<'s, 'b, R: InPlace<'b> + 's> WireView<'s, 'b, R> {
    /// A value at which a reader stands.
    pub(super) fn value(reader: R, ty: Ty, around: Around<'s>) -> WireView<'s, 'b, R> {
        WireView::new(What::Value(ty, At::Reader(reader)), around)
    }

    /// A struct at which a reader stands.
    pub(super) fn structure(reader: R, id: StructId, around: Around<'s>) -> WireView<'s, 'b, R> {
        WireView::new(What::Struct(id, reader), around)
    }

    /// A struct with these fields.
    pub(super) fn fields(fields: &'s [Option<Slot<R>>], around: Around<'s>) -> WireView<'s, 'b, R> {
        WireView::new(What::Fields(fields), around)
    }

    fn new(what: What<'s, R>, around: Around<'s>) -> WireView<'s, 'b, R> {
        WireView { what, around, bytes: PhantomData }
    }

    fn read(self, ty: Ty, mut reader: R) -> Result<Node<'b>> {
        let kind = self.around.types.kind(ty);
        Ok(match kind {
            Kind::Text | Kind::Bytes => {
                let bytes = reader.string_in_place()?;
                self.around.work.steps(bytes.len() as u64 / 64);
                // Rules look at bytes; messages and paths want to show text.
                std::str::from_utf8(bytes).map_or(Node::Bytes(bytes), Node::Text)
            }
            Kind::Struct(id) => self.declared(id),
            Kind::List(_) | Kind::Set(_) => Node::List(reader.list_begin()?.len),
            Kind::Map(..) => Node::Object(reader.map_begin()?.len),
            Kind::Unknown => Node::Null,
            Kind::Scalar(wire) => match wire {
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
    fn opened(self) -> Option<(Kind, R)> {
        match self.what {
            What::Value(ty, At::Reader(reader)) => Some((self.around.types.kind(ty), reader)),
            What::Struct(id, reader) => Some((Kind::Struct(id), reader)),
            What::Value(_, At::Bool(_)) | What::FieldId(_) | What::Fields(_) => None,
        }
    }
}

impl<'s, 'b, R: InPlace<'b> + 's> View<'b> for WireView<'s, 'b, R> {
    type Key = WireView<'s, 'b, R>;
    type Items = Items<'s, 'b, R>;
    type Members = Members<'s, 'b, R>;

    fn node(self) -> Node<'b> {
        match self.what {
            What::FieldId(id) => Node::Int(id.into()),
            What::Struct(id, _) => self.declared(id),
            What::Fields(fields) => Node::Object(fields.iter().flatten().count()),
            What::Value(_, At::Bool(value)) => Node::Bool(value),
            What::Value(ty, At::Reader(reader)) => self.read(ty, reader).unwrap_or(Node::Null),
        }
    }

    fn items(self) -> Self::Items {
        let opened = match self.opened() {
            Some((Kind::List(element) | Kind::Set(element), mut reader)) => {
                reader.list_begin().ok().map(|head| (reader, element, head.len))
            }
            _ => None,
        };
        Items { opened, around: self.around, bytes: PhantomData }
    }

    fn members(self) -> Self::Members {
        let kind = match (self.what, self.opened()) {
            (What::Fields(fields), _) => MemberKind::Slots(fields),
            (_, Some((Kind::Struct(id), mut reader))) => match reader.struct_begin() {
                Ok(_) => MemberKind::Fields(reader, id),
                Err(_) => MemberKind::None,
            },
            (_, Some((Kind::Map(key, value), mut reader))) => match reader.map_begin() {
                Ok(head) => MemberKind::Entries { reader, key, value, left: head.len },
                Err(_) => MemberKind::None,
            },
            _ => MemberKind::None,
        };
        Members { kind, around: self.around, bytes: PhantomData }
    }

    fn member(self, name: &str) -> Option<Self> {
        // Readers of maps keep the last of several.
        let named = |key: &Self| matches!(key.node(), Node::Text(text) if text == name);
        self.members().filter(|(key, _)| named(key)).last().map(|(_, value)| value)
    }
}

/// The elements of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items<'s, 'b, R> {
    opened: Option<(R, Ty, usize)>,
    around: Around<'s>,
    bytes: PhantomData<&'b ()>,
}

impl<'s, 'b, R: InPlace<'b> + 's> Iterator for Items<'s, 'b, R> {
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
pub(super) struct Members<'s, 'b, R> {
    kind: MemberKind<'s, R>,
    around: Around<'s>,
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

impl<'s, 'b, R: InPlace<'b> + 's> Iterator for Members<'s, 'b, R> {
    type Item = (WireView<'s, 'b, R>, WireView<'s, 'b, R>);

    fn next(&mut self) -> Option<Self::Item> {
        let Around { types, work } = self.around;
        let pair = |id: i16, ty: Ty, at: At<R>| {
            let key = WireView::new(What::FieldId(id), self.around);
            (key, WireView::new(What::Value(ty, at), self.around))
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
                    return Some(pair(head.id, field.ty, At::Reader(at)));
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
