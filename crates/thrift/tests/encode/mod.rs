//! Values as messages: writes a constant in any protocol, guided by the types of the IDL.

use contract::Constant;
use thrift::model::{Model, StructId, Type, TypeId};
use thrift::wire::{BinaryWriter, CompactWriter, JsonWriter, MessageForm, Protocol, WireType, Writer};

/// Writes a struct; members are given by number.
pub(crate) fn encode(model: &Model, id: StructId, value: &Constant, protocol: Protocol) -> Vec<u8> {
    match protocol {
        Protocol::Binary => run(model, id, value, BinaryWriter::new(MessageForm::Versioned)),
        Protocol::Compact => run(model, id, value, CompactWriter::new()),
        Protocol::Json => run(model, id, value, JsonWriter::new()),
    }
}

fn run<W: Writer>(model: &Model, id: StructId, value: &Constant, mut writer: W) -> Vec<u8> {
    structure(model, id, value, &mut writer);
    writer.into_bytes()
}

fn structure<W: Writer>(model: &Model, id: StructId, value: &Constant, out: &mut W) {
    let Constant::Object(members) = value else { panic!("{value} is no struct") };
    out.struct_begin();
    for (tag, member) in members {
        let field = model[id].fields.iter().find(|field| Constant::Int(field.id.into()) == *tag).unwrap();
        out.field_begin(wire_type(model, field.ty), field.wire_id());
        write(model, field.ty, member, out);
        out.field_end();
    }
    out.struct_end();
}

fn write<W: Writer>(model: &Model, ty: TypeId, value: &Constant, out: &mut W) {
    match (model.real(ty), value) {
        (Type::Bool, Constant::Bool(it)) => out.bool(*it),
        (Type::I8, Constant::Int(it)) => out.i8(i8::try_from(*it).unwrap()),
        (Type::I16, Constant::Int(it)) => out.i16(i16::try_from(*it).unwrap()),
        (Type::I32 | Type::Enum(_), Constant::Int(it)) => out.i32(i32::try_from(*it).unwrap()),
        (Type::I64, Constant::Int(it)) => out.i64(*it),
        (Type::Double, Constant::Float(it)) => out.double(*it),
        (Type::Double, Constant::Int(it)) => out.double(*it as f64),
        (Type::String, Constant::Text(it)) => out.string(it.as_bytes()),
        (Type::String, Constant::Bytes(it)) => out.string(it),
        (Type::Binary, Constant::Text(it)) => out.binary(it.as_bytes()),
        (Type::Binary, Constant::Bytes(it)) => out.binary(it),
        (Type::List(element) | Type::Set(element), Constant::List(items)) => {
            out.list_begin(wire_type(model, element), items.len());
            items.iter().for_each(|item| write(model, element, item, out));
            out.list_end();
        }
        (Type::Map(key, entry), Constant::Object(entries)) => {
            out.map_begin(wire_type(model, key), wire_type(model, entry), entries.len());
            for (found, value) in entries {
                write(model, key, found, out);
                write(model, entry, value, out);
            }
            out.map_end();
        }
        (Type::Struct(id), value) => structure(model, id, value, out),
        (ty, value) => panic!("{value} is no {ty:?}"),
    }
}

fn wire_type(model: &Model, ty: TypeId) -> WireType {
    match model.real(ty) {
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
        Type::Struct(_) => WireType::Struct,
        Type::Typedef(_) | Type::Error => WireType::Stop,
    }
}
