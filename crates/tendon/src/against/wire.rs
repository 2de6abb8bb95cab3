//! Two Thrift types compared as the wire has them: fields by number, what has another type apart, other numbers skipped.
//!
//! The members of a value that is compared have the names of the old type; its fields that the old type lacks have those of the new one.
//! What cannot have the type of the other side stands in an object with one member that says whose type it has.

use std::collections::{HashMap, HashSet};

use contract::{Constant, Definitions, Form, Object, Property, Shape, Test, Unit};
use thrift::model::{ConstantValue, Field, Model, StructId, StructRole, Type, TypeId};
use thrift::rules::Functions;
use thrift::validate::{ValidateConfig, Validator, Want};
use thrift::wire::{BinaryWriter, MessageForm, Protocol, WireType, Writer};

use super::thrift::{ThriftValueReader, UnknownMembers};
use super::{Against, LoadedContract};

/// How deep values are written.
const DEEPEST: usize = 64;
/// The number of a field that neither side has.
const UNKNOWN_FIELD: i16 = 30_000;

/// Two Thrift types, and their validators of bytes.
pub(crate) struct WireComparison<'c> {
    old: WireSide<'c>,
    new: WireSide<'c>,
    /// What fields of new types are called in the comparison, by struct and number.
    names: HashMap<(StructId, i32), String>,
}

struct WireSide<'c> {
    reader: &'c ThriftValueReader,
    validator: Validator,
    definitions: Definitions,
}

/// How a value that proves a difference is told.
pub(crate) struct ValueSpelling {
    /// The members of a JSON object.
    pub(crate) members: String,
    pub(crate) text: String,
}

impl<'c> WireSide<'c> {
    fn of(against: &'c Against) -> Option<WireSide<'c>> {
        let LoadedContract::Contract(contract, Some(reader)) = &against.held else { return None };
        if reader.is_result() {
            return None;
        }
        let config = ValidateConfig::default();
        let model = reader.reader.model();
        let (validator, _) = Validator::new(model, &reader.rules, config, &reader.functions);
        Some(WireSide { reader, validator: validator?, definitions: reader.placed(contract) })
    }

    fn model(&self) -> &'c Model {
        self.reader.reader.model()
    }

    fn functions(&self) -> &'c Functions {
        &self.reader.functions
    }

    fn property(&mut self, id: StructId, field: &Field) -> Option<&mut Property> {
        let name = self.validator.name(id)?.to_owned();
        let Form::Object(object) = &mut self.definitions.get_mut(&*name)?.form else { return None };
        object.properties.iter_mut().find(|it| it.tag == Some(field.id.into()))
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::new(Form::Ref(self.validator.name(self.reader.root)?.into())))
    }
}

impl<'c> WireComparison<'c> {
    /// Sets the types side by side; none unless both are Thrift types.
    pub(crate) fn new(old: &'c Against, new: &'c Against) -> Option<WireComparison<'c>> {
        let (old, new) = (WireSide::of(old)?, WireSide::of(new)?);
        let roots = (old.reader.root, new.reader.root);
        let mut all = WireComparison { old, new, names: HashMap::new() };
        let mut todo = vec![roots];
        let mut seen = HashSet::new();
        while let Some((a, b)) = todo.pop() {
            if seen.insert(b) {
                all.align(a, b, &mut todo);
            }
        }
        all.old.reader.limit(&mut all.old.definitions, UnknownMembers::Ignore);
        all.new.reader.limit(&mut all.new.definitions, UnknownMembers::Ignore);
        Some(all)
    }

    /// The shapes to compare, of the old type and the new one.
    pub(crate) fn shapes(&self) -> Option<[(Shape, &Definitions); 2]> {
        Some([(self.old.shape()?, &self.old.definitions), (self.new.shape()?, &self.new.definitions)])
    }

    /// Names the fields of a new struct as those of the old one with the same numbers.
    fn align(&mut self, a: StructId, b: StructId, todo: &mut Vec<(StructId, StructId)>) {
        let (old_model, new_model) = (self.old.model(), self.new.model());
        let old_fields = &old_model[a].fields;
        for field in &new_model[b].fields {
            let before = old_fields.iter().find(|it| it.id == field.id);
            let taken = old_fields.iter().any(|it| it.name.text == field.name.text);
            let name = match before {
                Some(before) => before.name.text.clone(),
                None if taken => format!("{}#{}", field.name.text, field.id),
                None => field.name.text.clone(),
            };
            if let Some(property) = self.new.property(b, field) {
                property.name = name.as_str().into();
                if before.is_some() && name != field.name.text {
                    property.shape.title = Some(field.name.text.as_str().into());
                }
            }
            self.names.insert((b, field.id), name);
            let Some(before) = before else { continue };
            note_default(self.old.property(a, before), before);
            note_default(self.new.property(b, field), field);
            if is_apart(old_model, before.ty, new_model, field.ty) {
                let same = wire_of(old_model.real(before.ty)) == wire_of(new_model.real(field.ty));
                for (property, key, ty) in [
                    (self.old.property(a, before), OLD, type_name(old_model, before.ty)),
                    (self.new.property(b, field), NEW, type_name(new_model, field.ty)),
                ] {
                    if let Some(property) = property {
                        set_apart(property, key, &ty, same);
                    }
                }
            } else {
                structs(old_model, before.ty, new_model, field.ty, todo);
            }
        }
    }

    /// What the validator of one side says of a value as bytes.
    pub(crate) fn accepts(&self, is_old: bool, value: &Constant) -> bool {
        let side = if is_old { &self.old } else { &self.new };
        let bytes = self.bytes(value);
        let protocol = Protocol::Binary;
        let found =
            side.validator.validate(side.reader.root, protocol, &bytes, side.functions(), Want::First);
        found.is_ok_and(|taken| taken == bytes.len())
    }

    /// How a value is told that one side accepts and the other refuses, given what their checkers of plain values say.
    pub(crate) fn spelling(
        &self,
        value: &Constant,
        of_old: bool,
        plain: &dyn Fn(bool, &Constant) -> bool,
    ) -> ValueSpelling {
        let (old, new) = (self.spelled(value, true), self.spelled(value, false));
        let proves = plain(of_old, if of_old { &old } else { &new })
            && !plain(!of_old, if of_old { &new } else { &old });
        let same = old.to_string() == new.to_string();
        if proves && same {
            return ValueSpelling { members: format!("\"value\":{old}"), text: old.to_string() };
        }
        let hex = self.hex(value);
        let mut members = format!("\"hex\":\"{hex}\"");
        let mut text = format!("hex {hex}");
        if proves {
            members.push_str(&format!(",\"oldValue\":{old},\"newValue\":{new}"));
            text = format!("{old} (as it was called), {new} (as it is called)");
        }
        ValueSpelling { members, text }
    }

    /// The bytes of a value, as a bare struct of the binary protocol.
    pub(crate) fn hex(&self, value: &Constant) -> String {
        self.bytes(value).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn field(&self, is_old: bool, id: Option<StructId>, name: &str) -> Option<&'c Field> {
        let id = id?;
        match is_old {
            true => self.old.model()[id].fields.iter().find(|it| it.name.text == name),
            false => {
                let is_it = |it: &&Field| self.names.get(&(id, it.id)).is_some_and(|known| known == name);
                self.new.model()[id].fields.iter().find(is_it)
            }
        }
    }

    /// A value as people of one side write it.
    fn spelled(&self, value: &Constant, as_old: bool) -> Constant {
        let roots = [Some(Type::Struct(self.old.reader.root)), Some(Type::Struct(self.new.reader.root))];
        self.spelled_as(value, roots, as_old, 0)
    }

    fn spelled_as(
        &self,
        value: &Constant,
        [a, b]: [Option<Type>; 2],
        as_old: bool,
        depth: usize,
    ) -> Constant {
        let (value, a, b) = match apart(value) {
            Some((true, inner)) => (inner, a, None),
            Some((false, inner)) => (inner, None, b),
            None => (value, a, b),
        };
        let parts = |of: fn(Type) -> Option<TypeId>| {
            [
                a.and_then(of).map(|id| self.old.model().real(id)),
                b.and_then(of).map(|id| self.new.model().real(id)),
            ]
        };
        match value {
            Constant::List(items) if depth < DEEPEST => {
                let of = parts(element);
                Constant::List(
                    items.iter().map(|item| self.spelled_as(item, of, as_old, depth + 1)).collect(),
                )
            }
            Constant::Object(members) if depth < DEEPEST => {
                let of = parts(entry);
                let (sa, sb) = (a.and_then(structure), b.and_then(structure));
                let spelled = members.iter().map(|(key, inner)| {
                    let name = text_of(key);
                    let (fa, fb) = (self.field(true, sa, &name), self.field(false, sb, &name));
                    if fa.is_none() && fb.is_none() {
                        return (key.clone(), self.spelled_as(inner, of, as_old, depth + 1));
                    }
                    let own = if as_old { fa.or(fb) } else { fb.or(fa) };
                    let own = own.map_or(name.as_str(), |field| field.name.text.as_str());
                    let types = [
                        fa.map(|field| self.old.model().real(field.ty)),
                        fb.map(|field| self.new.model().real(field.ty)),
                    ];
                    (Constant::text(own), self.spelled_as(inner, types, as_old, depth + 1))
                });
                Constant::Object(spelled.collect())
            }
            other => other.clone(),
        }
    }

    fn bytes(&self, value: &Constant) -> Vec<u8> {
        let mut writer = BinaryWriter::new(MessageForm::Versioned);
        self.write_struct(&mut writer, value, [Some(self.old.reader.root), Some(self.new.reader.root)], 0);
        writer.into_bytes()
    }

    fn write_struct(
        &self,
        out: &mut BinaryWriter,
        value: &Constant,
        [a, b]: [Option<StructId>; 2],
        depth: usize,
    ) {
        out.struct_begin();
        if let (Constant::Object(members), true) = (value, depth < DEEPEST) {
            for (key, inner) in members {
                let name = text_of(key);
                self.write_field(
                    out,
                    inner,
                    [self.field(true, a, &name), self.field(false, b, &name)],
                    depth,
                );
            }
        }
        out.struct_end();
    }

    fn write_field(
        &self,
        out: &mut BinaryWriter,
        value: &Constant,
        [a, b]: [Option<&Field>; 2],
        depth: usize,
    ) {
        let (value, a, b) = match apart(value) {
            Some((true, inner)) => (inner, a, None),
            Some((false, inner)) => (inner, None, b),
            None => (value, a, b),
        };
        let id = a.or(b).map_or(UNKNOWN_FIELD, Field::wire_id);
        let types = [a.map(|it| self.old.model().real(it.ty)), b.map(|it| self.new.model().real(it.ty))];
        let fits = |is_old: bool, ty: Option<Type>| {
            let model = if is_old { self.old.model() } else { self.new.model() };
            ty.is_some_and(|ty| fits(model, ty, value, 0))
        };
        let [ta, tb] = types;
        let chosen = if fits(true, ta) { ta } else { tb.filter(|_| fits(false, tb)) };
        if let Some(chosen) = chosen {
            out.field_begin(wire_of(chosen), id);
            self.write(out, value, types, depth + 1);
            out.field_end();
            return;
        }
        // Null is an absent field of those who declare it; of one who does not, it stands for any other type.
        if matches!(value, Constant::Null) && ta.is_some() && tb.is_some() {
            return;
        }
        let declared = ta.or(tb).map(wire_of);
        let value = match (value, declared) {
            (Constant::Null, Some(WireType::Bool)) => &Constant::Int(0),
            (Constant::Null, _) => &Constant::Bool(true),
            (other, _) => other,
        };
        out.field_begin(natural(value), id);
        write_natural(out, value);
        out.field_end();
    }

    /// Writes a value that fits one of the types at least.
    fn write(&self, out: &mut BinaryWriter, value: &Constant, [a, b]: [Option<Type>; 2], depth: usize) {
        let fits_old = a.is_some_and(|ty| fits(self.old.model(), ty, value, 0));
        let (ty, model) = match (fits_old, a, b) {
            (true, Some(ty), _) | (_, Some(ty), None) => (ty, self.old.model()),
            (_, _, Some(ty)) => (ty, self.new.model()),
            (_, None, None) => return write_natural(out, value),
        };
        let parts = |of: fn(Type) -> Option<TypeId>| {
            [
                a.and_then(of).map(|id| self.old.model().real(id)),
                b.and_then(of).map(|id| self.new.model().real(id)),
            ]
        };
        let whole = whole(value).unwrap_or_default();
        match ty {
            Type::Bool => out.bool(matches!(value, Constant::Bool(true))),
            Type::I8 => out.i8(i8::try_from(whole).unwrap_or_default()),
            Type::I16 => out.i16(i16::try_from(whole).unwrap_or_default()),
            Type::I32 => out.i32(i32::try_from(whole).unwrap_or_default()),
            Type::I64 => out.i64(whole),
            Type::Double => out.double(double(value)),
            Type::Enum(id) => {
                let member = model[id]
                    .members
                    .iter()
                    .find(|it| matches!(value, Constant::Text(name) if **name == *it.name.text));
                let number = member.map_or(whole, |it| i64::from(it.number));
                out.i32(i32::try_from(number).unwrap_or_default());
            }
            Type::Uuid => out.uuid(uuid(value).unwrap_or_default()),
            Type::String | Type::Binary => match value {
                Constant::Bytes(bytes) => out.string(bytes),
                other => out.string(text_of(other).as_bytes()),
            },
            Type::List(item) | Type::Set(item) => {
                let items = if let Constant::List(items) = value { items.as_slice() } else { &[] };
                out.list_begin(wire_of(model.real(item)), items.len());
                items.iter().for_each(|item| self.write(out, item, parts(element), depth + 1));
                out.list_end();
            }
            Type::Map(key, inner) => {
                let members = if let Constant::Object(members) = value { members.as_slice() } else { &[] };
                out.map_begin(wire_of(model.real(key)), wire_of(model.real(inner)), members.len());
                for (name, value) in members {
                    let scalar = key_value(model.real(key), name);
                    self.write(out, &scalar, parts(map_key), depth + 1);
                    self.write(out, value, parts(entry), depth + 1);
                }
                out.map_end();
            }
            Type::Struct(_) => {
                self.write_struct(out, value, [a.and_then(structure), b.and_then(structure)], depth);
            }
            Type::Typedef(_) | Type::Error => {}
        }
    }
}

/// The member that says that a value has the type of the old side, and that of the new one.
const OLD: &str = "\u{1}old";
const NEW: &str = "\u{1}new";

/// Puts what a property may be into an object that nothing of the other side fits.
fn set_apart(property: &mut Property, key: &str, ty: &str, same: bool) {
    let mut inner = std::mem::replace(&mut property.shape, Shape::any());
    let place = inner.place;
    if same {
        // Two containers without elements are the same bytes to most readers.
        let unit = if matches!(inner.form, Form::Map(..)) { Unit::Properties } else { Unit::Items };
        inner = inner.must(Test::MinLength(unit, 1.into()));
    }
    let member = Property::required(key, inner);
    property.shape = Shape::from(Object::open([member]).closed()).at(place);
    property.shape.title = Some(ty.into());
    property.absent = None;
}

/// Says what stands in for an absent field.
fn note_default(property: Option<&mut Property>, field: &Field) {
    let default = match &field.default {
        Some(ConstantValue::Bool(value)) => Constant::Bool(*value),
        Some(ConstantValue::Int(value)) => Constant::Int(*value),
        Some(ConstantValue::Double(value)) => Constant::Float(*value),
        Some(ConstantValue::Enum(_, number)) => Constant::Int((*number).into()),
        Some(ConstantValue::Bytes(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => Constant::text(text),
            Err(_) => Constant::Bytes(bytes.to_vec().into()),
        },
        _ => return,
    };
    if let Some(property) = property {
        property.shape.notes.get_or_insert_default().default = Some(default);
    }
}

/// What is inside of a value that was set apart, and whether it is of the old side.
fn apart(value: &Constant) -> Option<(bool, &Constant)> {
    let Constant::Object(members) = value else { return None };
    let [(Constant::Text(key), inner)] = members.as_slice() else { return None };
    match key.as_str() {
        OLD => Some((true, inner)),
        NEW => Some((false, inner)),
        _ => None,
    }
}

/// Whether no value of one type can be read as the other.
fn is_apart(old: &Model, a: TypeId, new: &Model, b: TypeId) -> bool {
    let (a, b) = (old.real(a), new.real(b));
    match (a, b) {
        (Type::List(x), Type::List(y)) | (Type::Set(x), Type::Set(y)) => is_apart(old, x, new, y),
        (Type::Map(k, x), Type::Map(l, y)) => is_apart(old, k, new, l) || is_apart(old, x, new, y),
        _ => wire_of(a) != wire_of(b),
    }
}

/// The structs that stand at the same places of two types.
fn structs(old: &Model, a: TypeId, new: &Model, b: TypeId, found: &mut Vec<(StructId, StructId)>) {
    match (old.real(a), new.real(b)) {
        (Type::Struct(a), Type::Struct(b)) => found.push((a, b)),
        (Type::List(x), Type::List(y)) | (Type::Set(x), Type::Set(y)) => structs(old, x, new, y, found),
        (Type::Map(k, x), Type::Map(l, y)) => {
            structs(old, k, new, l, found);
            structs(old, x, new, y, found);
        }
        _ => {}
    }
}

/// What stands for a type on the wire.
fn wire_of(ty: Type) -> WireType {
    match ty {
        Type::Bool => WireType::Bool,
        Type::I8 => WireType::I8,
        Type::I16 => WireType::I16,
        Type::I32 | Type::Enum(_) => WireType::I32,
        Type::I64 => WireType::I64,
        Type::Double => WireType::Double,
        Type::String | Type::Binary => WireType::String,
        Type::Uuid => WireType::Uuid,
        Type::List(_) => WireType::List,
        Type::Set(_) => WireType::Set,
        Type::Map(..) => WireType::Map,
        Type::Struct(_) | Type::Typedef(_) | Type::Error => WireType::Struct,
    }
}

fn type_name(model: &Model, id: TypeId) -> String {
    let of = |id: TypeId| type_name(model, id);
    match model.real(id) {
        Type::Bool => "bool".to_owned(),
        Type::I8 => "i8".to_owned(),
        Type::I16 => "i16".to_owned(),
        Type::I32 => "i32".to_owned(),
        Type::I64 => "i64".to_owned(),
        Type::Double => "double".to_owned(),
        Type::String => "string".to_owned(),
        Type::Binary => "binary".to_owned(),
        Type::Uuid => "uuid".to_owned(),
        Type::List(item) => format!("list<{}>", of(item)),
        Type::Set(item) => format!("set<{}>", of(item)),
        Type::Map(key, value) => format!("map<{}, {}>", of(key), of(value)),
        Type::Enum(_) => "i32".to_owned(),
        Type::Struct(id) => match model[id].role {
            StructRole::Union => "a union".to_owned(),
            _ => "a struct".to_owned(),
        },
        Type::Typedef(_) | Type::Error => String::new(),
    }
}

fn element(ty: Type) -> Option<TypeId> {
    match ty {
        Type::List(item) | Type::Set(item) => Some(item),
        _ => None,
    }
}

fn entry(ty: Type) -> Option<TypeId> {
    if let Type::Map(_, value) = ty { Some(value) } else { None }
}

fn map_key(ty: Type) -> Option<TypeId> {
    if let Type::Map(key, _) = ty { Some(key) } else { None }
}

fn structure(ty: Type) -> Option<StructId> {
    if let Type::Struct(id) = ty { Some(id) } else { None }
}

fn text_of(value: &Constant) -> String {
    match value {
        Constant::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// A key of a map, which JSON writes as text.
fn key_value(ty: Type, key: &Constant) -> Constant {
    let text = text_of(key);
    match ty {
        Type::Bool => Constant::Bool(text == "true"),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_) => {
            text.parse().map_or_else(|_| key.clone(), Constant::Int)
        }
        Type::Double => text.parse().map_or_else(|_| key.clone(), Constant::Float),
        _ => key.clone(),
    }
}

fn whole(value: &Constant) -> Option<i64> {
    match value {
        Constant::Int(value) => Some(*value),
        Constant::UInt(value) => i64::try_from(*value).ok(),
        Constant::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(*value as i64),
        _ => None,
    }
}

fn double(value: &Constant) -> f64 {
    match value {
        Constant::Float(value) => *value,
        other => other.to_string().parse().unwrap_or_default(),
    }
}

fn uuid(value: &Constant) -> Option<[u8; 16]> {
    let text: String = text_of(value).chars().filter(|c| *c != '-').collect();
    Some(u128::from_str_radix(&text, 16).ok().filter(|_| text.len() == 32)?.to_be_bytes())
}

/// Whether a value can be written as a type.
fn fits(model: &Model, ty: Type, value: &Constant, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let within = |least: i64, most: i64| whole(value).is_some_and(|it| least <= it && it <= most);
    match (ty, value) {
        (Type::Bool, value) => matches!(value, Constant::Bool(_)),
        (Type::I8, _) => within(i8::MIN.into(), i8::MAX.into()),
        (Type::I16, _) => within(i16::MIN.into(), i16::MAX.into()),
        (Type::Enum(_), Constant::Text(_)) => true,
        (Type::I32 | Type::Enum(_), _) => within(i32::MIN.into(), i32::MAX.into()),
        (Type::I64, _) => whole(value).is_some(),
        (Type::Double, _) => {
            matches!(value, Constant::Int(_) | Constant::UInt(_) | Constant::Float(_) | Constant::Decimal(_))
        }
        (Type::Uuid, _) => uuid(value).is_some(),
        (Type::String | Type::Binary, _) => matches!(value, Constant::Text(_) | Constant::Bytes(_)),
        (Type::List(item) | Type::Set(item), Constant::List(items)) => {
            items.iter().all(|it| fits(model, model.real(item), it, depth + 1))
        }
        (Type::Map(key, inner), Constant::Object(members)) => members.iter().all(|(name, it)| {
            let key = model.real(key);
            fits(model, key, &key_value(key, name), depth + 1)
                && fits(model, model.real(inner), it, depth + 1)
        }),
        (Type::Struct(_), Constant::Object(_)) => true,
        _ => false,
    }
}

/// The type of the wire that is nearest to a value that fits none which is declared.
fn natural(value: &Constant) -> WireType {
    match value {
        Constant::Null | Constant::Bool(_) => WireType::Bool,
        Constant::Int(_) => WireType::I64,
        Constant::UInt(_) | Constant::Float(_) | Constant::Decimal(_) => WireType::Double,
        Constant::Text(_) | Constant::Bytes(_) => WireType::String,
        Constant::List(_) => WireType::List,
        Constant::Object(_) => WireType::Struct,
    }
}

fn write_natural(out: &mut BinaryWriter, value: &Constant) {
    match value {
        Constant::Null => out.bool(false),
        Constant::Bool(value) => out.bool(*value),
        Constant::Int(value) => out.i64(*value),
        Constant::UInt(_) | Constant::Float(_) | Constant::Decimal(_) => out.double(double(value)),
        Constant::Text(text) => out.string(text.as_bytes()),
        Constant::Bytes(bytes) => out.string(bytes),
        Constant::List(items) => {
            let first = items.first().map_or(WireType::Bool, natural);
            let same: Vec<&Constant> = items.iter().filter(|it| natural(it) == first).collect();
            out.list_begin(first, same.len());
            same.into_iter().for_each(|item| write_natural(out, item));
            out.list_end();
        }
        Constant::Object(_) => {
            out.struct_begin();
            out.struct_end();
        }
    }
}
