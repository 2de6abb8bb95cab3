//! A value in a message, looked at where it stands.

use std::marker::PhantomData;

use contract::{Node, View};

use crate::wire::{InPlace, Result, WireType};

/// A bookmark before a value of a known type, or the number of a field.
///
/// The message has been walked before, so that reading it again cannot fail; if it does, there is nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct WireView<'b, R> {
    reader: R,
    what: What,
    bytes: PhantomData<&'b ()>,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Value(WireType),
    FieldId(i16),
}

impl<'b, R: InPlace<'b>> WireView<'b, R> {
    /// A struct at which a reader stands.
    pub(super) fn structure(reader: R) -> WireView<'b, R> {
        WireView::new(reader, WireType::Struct)
    }

    fn new(reader: R, ty: WireType) -> WireView<'b, R> {
        WireView { reader, what: What::Value(ty), bytes: PhantomData }
    }

    fn read(self, ty: WireType) -> Result<Node<'b>> {
        let mut reader = self.reader;
        Ok(match ty {
            WireType::Stop => Node::Null,
            WireType::Bool => Node::Bool(reader.bool()?),
            WireType::I8 => Node::Int(reader.i8()?.into()),
            WireType::I16 => Node::Int(reader.i16()?.into()),
            WireType::I32 => Node::Int(reader.i32()?.into()),
            WireType::I64 => Node::Int(reader.i64()?),
            WireType::Double => Node::Float(reader.double()?),
            WireType::String => {
                let bytes = reader.string_in_place()?;
                // Rules look at bytes; messages and paths want to show text.
                std::str::from_utf8(bytes).map_or(Node::Bytes(bytes), Node::Text)
            }
            WireType::Uuid => Node::Bytes(reader.uuid_in_place()?),
            WireType::Struct => Node::Object(self.members().count()),
            WireType::List | WireType::Set => Node::List(reader.list_begin()?.len),
            WireType::Map => Node::Object(reader.map_begin()?.len),
        })
    }
}

impl<'b, R: InPlace<'b>> View<'b> for WireView<'b, R> {
    type Key = WireView<'b, R>;
    type Items = Items<'b, R>;
    type Members = Members<'b, R>;

    fn node(self) -> Node<'b> {
        match self.what {
            What::FieldId(id) => Node::Int(id.into()),
            What::Value(ty) => self.read(ty).unwrap_or(Node::Null),
        }
    }

    fn items(self) -> Self::Items {
        let mut reader = self.reader;
        let head = match self.what {
            What::Value(WireType::List | WireType::Set) => reader.list_begin().ok(),
            _ => None,
        };
        let (ty, left) = head.map_or((WireType::Stop, 0), |head| (head.element, head.len));
        Items { reader, ty, left, bytes: PhantomData }
    }

    fn members(self) -> Self::Members {
        let mut reader = self.reader;
        let kind = match self.what {
            What::Value(WireType::Struct) => reader.struct_begin().ok().map(|_| MemberKind::Fields),
            What::Value(WireType::Map) => reader.map_begin().ok().map(|head| MemberKind::Entries {
                key: head.key,
                value: head.value,
                left: head.len,
            }),
            _ => None,
        };
        Members { reader, kind: kind.unwrap_or(MemberKind::None), bytes: PhantomData }
    }
}

/// The elements of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items<'b, R> {
    reader: R,
    ty: WireType,
    left: usize,
    bytes: PhantomData<&'b ()>,
}

impl<'b, R: InPlace<'b>> Iterator for Items<'b, R> {
    type Item = WireView<'b, R>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let item = WireView::new(self.reader, self.ty);
        if self.reader.skip(self.ty).is_err() {
            self.left = 0;
        }
        Some(item)
    }
}

/// The fields of a struct, by number, or the entries of a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Members<'b, R> {
    reader: R,
    kind: MemberKind,
    bytes: PhantomData<&'b ()>,
}

#[derive(Clone, Copy, Debug)]
enum MemberKind {
    Fields,
    Entries { key: WireType, value: WireType, left: usize },
    None,
}

impl<'b, R: InPlace<'b>> Iterator for Members<'b, R> {
    type Item = (WireView<'b, R>, WireView<'b, R>);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.kind {
            MemberKind::None => None,
            MemberKind::Fields => {
                let field = self.reader.field_begin().ok()??;
                let value = WireView::new(self.reader, field.ty);
                self.reader.skip(field.ty).ok()?;
                self.reader.field_end().ok()?;
                let id = WireView { what: What::FieldId(field.id), ..value };
                Some((id, value))
            }
            MemberKind::Entries { key, value, left } => {
                *left = left.checked_sub(1)?;
                let found = WireView::new(self.reader, *key);
                self.reader.skip(*key).ok()?;
                let entry = WireView::new(self.reader, *value);
                self.reader.skip(*value).ok()?;
                Some((found, entry))
            }
        }
    }
}
