//! Pieces that both readers share: references, and maps whose order counts.

use std::fmt;
use std::marker::PhantomData;

use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use smol_str::SmolStr;

use crate::model::TypeId;
use crate::reference::{FileRef, parse_cross_file, parse_local};

/// `{"$ref": "..."}`, read into `T` by [`ReferenceReader`].
pub(super) struct Ref<T>(pub(super) T);

/// What the text of a reference is read into.
pub(super) trait ReferenceReader: Sized {
    const EXPECTED: &'static str;

    fn parse(text: &str) -> Option<Self>;
}

impl ReferenceReader for TypeId {
    const EXPECTED: &'static str = "a reference such as `#/12` to a type of the same file";

    fn parse(text: &str) -> Option<TypeId> {
        parse_local(text)
    }
}

impl ReferenceReader for FileRef {
    const EXPECTED: &'static str = "a reference such as `folder/types.json#/12`";

    fn parse(text: &str) -> Option<FileRef> {
        parse_cross_file(text).map(|(path, id)| FileRef::new(path, id))
    }
}

impl<'de, T: ReferenceReader> Deserialize<'de> for Ref<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ref<T>, D::Error> {
        deserializer.deserialize_map(RefVisitor(PhantomData))
    }
}

struct RefVisitor<T>(PhantomData<T>);

impl<'de, T: ReferenceReader> Visitor<'de> for RefVisitor<T> {
    type Value = Ref<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a `$ref`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ref<T>, A::Error> {
        let mut target = None;
        while let Some(key) = map.next_key::<InlineText>()? {
            if key.0 != "$ref" {
                return Err(A::Error::custom(format_args!("unexpected `{}` beside a `$ref`", key.0)));
            }
            let text = map.next_value::<InlineText>()?.0;
            let parsed = T::parse(&text)
                .ok_or_else(|| A::Error::custom(format_args!("`{text}` is not {}", T::EXPECTED)))?;
            target = Some(parsed);
        }
        target.map(Ref).ok_or_else(|| A::Error::missing_field("$ref"))
    }
}

/// Text that is copied inline where it is short, which names are.
pub(super) struct InlineText(pub(super) SmolStr);

impl<'de> Deserialize<'de> for InlineText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<InlineText, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = InlineText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<InlineText, E> {
        Ok(InlineText(text.into()))
    }
}

/// A JSON object as a list of its members in order. A name given twice keeps its first place and its last value.
pub(super) struct JsonMembers<V>(pub(super) Vec<(SmolStr, V)>);

impl<V> Default for JsonMembers<V> {
    fn default() -> JsonMembers<V> {
        JsonMembers(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for JsonMembers<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonMembers<V>, D::Error> {
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

struct MembersVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for MembersVisitor<V> {
    type Value = JsonMembers<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JsonMembers<V>, A::Error> {
        read_members(map)
    }
}

fn read_members<'de, V: Deserialize<'de>, A: MapAccess<'de>>(mut map: A) -> Result<JsonMembers<V>, A::Error> {
    let mut members: Vec<(SmolStr, V)> = Vec::new();
    // Most objects have few members: look through those, and keep a table only beyond that.
    let mut table: FxHashMap<SmolStr, usize> = FxHashMap::default();
    const FEW: usize = 16;
    while let Some((InlineText(name), value)) = map.next_entry::<InlineText, V>()? {
        let known = if members.len() <= FEW {
            members.iter().position(|(other, _)| *other == name)
        } else {
            if table.is_empty() {
                table.extend(members.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)));
            }
            table.get(&name).copied()
        };
        match known.and_then(|at| members.get_mut(at)) {
            Some((_, old)) => *old = value,
            None => {
                if members.len() > FEW {
                    table.insert(name.clone(), members.len());
                }
                members.push((name, value));
            }
        }
    }
    Ok(JsonMembers(members))
}

/// A list or an object: two kinds of type, and two generations of the index, differ in this.
pub(super) enum ListOrMembers<V> {
    List(Vec<V>),
    Members(JsonMembers<V>),
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for ListOrMembers<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ListOrMembers<V>, D::Error> {
        deserializer.deserialize_any(ListOrMembersVisitor(PhantomData))
    }
}

struct ListOrMembersVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for ListOrMembersVisitor<V> {
    type Value = ListOrMembers<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ListOrMembers<V>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element()? {
            list.push(value);
        }
        Ok(ListOrMembers::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ListOrMembers<V>, A::Error> {
        read_members(map).map(ListOrMembers::Members)
    }
}
