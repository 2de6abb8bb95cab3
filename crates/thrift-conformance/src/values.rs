//! Values of cases: by the types of their IDL, as messages in each protocol, and as plain JSON.

use contract::Constant;
use serde_json::{Map, Value, json};
use thrift::model::{
    Config, LoadConfig, MemoryLoader, Model, StructId, ThriftProgram, Type, TypeId, load, resolve,
};
use thrift::rules::{Functions, Lowered, lower};
use thrift::validate::wire_type;
use thrift::wire::{BinaryWriter, CompactWriter, JsonWriter, MessageForm, Protocol, Writer};
use thrift::{Diagnostic, FileId, base64};

use crate::cases::Case;

/// A case that was read.
#[derive(Debug)]
pub struct ParsedCase {
    /// The files of the case, parsed.
    pub program: ThriftProgram,
    /// What the file means.
    pub model: Model,
    /// The rules of its types.
    pub lowered: Lowered,
    /// What there is to say about it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Case {
    /// Loads, resolves and lowers the case under the name of a file, with a namespace for a language that is
    /// called like the file.
    pub fn read_as(&self, file: &str, language: &str, functions: &Functions) -> Result<ParsedCase, String> {
        let name = file.trim_end_matches(".thrift");
        let text = format!("namespace {language} {name}\n{}", self.idl);
        let mut loader = MemoryLoader::default().file(file, &text);
        let (program, mut diagnostics) = load(file, &mut loader, &LoadConfig::default())?;
        let (model, more) = resolve(&program, &Config::default());
        diagnostics.extend(more);
        let (lowered, more) = lower(&model, &self.config, functions);
        diagnostics.extend(more);
        Ok(ParsedCase { program, model, lowered, diagnostics })
    }
}

impl ParsedCase {
    /// A struct of the case, also one that carries arguments.
    pub fn structure(&self, name: &str) -> Result<StructId, String> {
        let mut structs = self.model.structs.iter().zip((0u32..).map(StructId));
        let found = structs.find(|(it, _)| it.file == FileId(0) && it.name.text == name);
        found.map(|(_, id)| id).ok_or_else(|| format!("there is no struct `{name}`"))
    }

    /// A value as a reader of the wire has it: fields by number.
    pub fn value(&self, id: StructId, json: &Constant) -> Result<Constant, String> {
        let Constant::Object(members) = json else { return Err(format!("a struct is an object: {json}")) };
        let member = |(name, value): &(Constant, Constant)| {
            let field = match name {
                Constant::Text(name) => self.model[id].field(name),
                _ => None,
            };
            let field = field.ok_or_else(|| format!("there is no field `{name}`"))?;
            Ok((Constant::Int(field.wire_id().into()), self.typed(field.ty, value)?))
        };
        members.iter().map(member).collect::<Result<_, String>>().map(Constant::Object)
    }

    fn typed(&self, ty: TypeId, json: &Constant) -> Result<Constant, String> {
        if let Some(special) = special(json) {
            return special;
        }
        Ok(match (self.model.real(ty), json) {
            (Type::Bool, Constant::Bool(_)) | (Type::String | Type::Binary, Constant::Text(_)) => {
                json.clone()
            }
            (Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_), Constant::Int(_)) => json.clone(),
            (Type::Double, Constant::Float(_)) => json.clone(),
            (Type::Double, Constant::Int(it)) => Constant::Float(*it as f64),
            (Type::Double, Constant::Decimal(text)) => {
                Constant::Float(text.parse().map_err(|_| format!("{text} is not a double"))?)
            }
            (Type::List(element) | Type::Set(element), Constant::List(items)) => Constant::List(
                items.iter().map(|item| self.typed(element, item)).collect::<Result<_, String>>()?,
            ),
            (Type::Map(key, value), Constant::Object(members)) => Constant::Object(
                members
                    .iter()
                    .map(|(name, member)| Ok((self.key(key, name)?, self.typed(value, member)?)))
                    .collect::<Result<_, String>>()?,
            ),
            (Type::Struct(id), value) => self.value(id, value)?,
            (other, value) => return Err(format!("{value} is no {other:?}")),
        })
    }

    fn key(&self, ty: TypeId, name: &Constant) -> Result<Constant, String> {
        let Constant::Text(text) = name else { return Err(format!("{name} is not a key")) };
        let wrong = |_| format!("`{text}` is not a key");
        Ok(match self.model.real(ty) {
            Type::String | Type::Binary => name.clone(),
            Type::Double => Constant::Float(text.parse().map_err(|_| wrong(()))?),
            Type::Bool => Constant::Bool(text.parse().map_err(|_| wrong(()))?),
            _ => Constant::Int(text.parse().map_err(|_| wrong(()))?),
        })
    }
}

/// What JSON itself cannot write.
fn special(json: &Constant) -> Option<Result<Constant, String>> {
    let Constant::Object(members) = json else { return None };
    let [(Constant::Text(key), Constant::Text(text))] = members.as_slice() else { return None };
    match &**key {
        "$double" => Some(text.parse().map(Constant::Float).map_err(|_| format!("`{text}` is not a double"))),
        "$hex" => {
            let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
            let bytes =
                digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8));
            Some(Ok(Constant::Bytes(bytes.collect())))
        }
        _ => None,
    }
}

/// Writes a struct as a message, bare; members are given by number.
pub fn encode(model: &Model, id: StructId, value: &Constant, protocol: Protocol) -> Result<Vec<u8>, String> {
    match protocol {
        Protocol::Binary => message(model, id, value, BinaryWriter::new(MessageForm::Versioned)),
        Protocol::Compact => message(model, id, value, CompactWriter::new()),
        Protocol::Json => message(model, id, value, JsonWriter::new()),
    }
}

fn message<W: Writer>(model: &Model, id: StructId, value: &Constant, mut out: W) -> Result<Vec<u8>, String> {
    structure(model, id, value, &mut out)?;
    Ok(out.into_bytes())
}

fn structure<W: Writer>(model: &Model, id: StructId, value: &Constant, out: &mut W) -> Result<(), String> {
    out.struct_begin();
    for (ty, tag, member) in fields(model, id, value)? {
        out.field_begin(wire_type(model, ty), tag);
        write(model, ty, member, out)?;
        out.field_end();
    }
    out.struct_end();
    Ok(())
}

/// The members of a struct with their types and numbers.
fn fields<'v>(
    model: &Model,
    id: StructId,
    value: &'v Constant,
) -> Result<Vec<(TypeId, i16, &'v Constant)>, String> {
    let Constant::Object(members) = value else { return Err(format!("{value} is not a struct")) };
    let member = |(tag, member): &'v (Constant, Constant)| {
        let mut fields = model[id].fields.iter();
        let field = fields.find(|field| Constant::Int(field.wire_id().into()) == *tag);
        let field = field.ok_or_else(|| format!("there is no field {tag}"))?;
        Ok((field.ty, field.wire_id(), member))
    };
    members.iter().map(member).collect()
}

fn write<W: Writer>(model: &Model, ty: TypeId, value: &Constant, out: &mut W) -> Result<(), String> {
    let small = |_| format!("{value} does not fit its type");
    match (model.real(ty), value) {
        (Type::Bool, Constant::Bool(it)) => out.bool(*it),
        (Type::I8, Constant::Int(it)) => out.i8(i8::try_from(*it).map_err(small)?),
        (Type::I16, Constant::Int(it)) => out.i16(i16::try_from(*it).map_err(small)?),
        (Type::I32 | Type::Enum(_), Constant::Int(it)) => out.i32(i32::try_from(*it).map_err(small)?),
        (Type::I64, Constant::Int(it)) => out.i64(*it),
        (Type::Double, Constant::Float(it)) => out.double(*it),
        (Type::String, Constant::Text(it)) => out.string(it.as_bytes()),
        (Type::String, Constant::Bytes(it)) => out.string(it),
        (Type::Binary, Constant::Text(it)) => out.binary(it.as_bytes()),
        (Type::Binary, Constant::Bytes(it)) => out.binary(it),
        (Type::List(element) | Type::Set(element), Constant::List(items)) => {
            out.list_begin(wire_type(model, element), items.len());
            items.iter().try_for_each(|item| write(model, element, item, out))?;
            out.list_end();
        }
        (Type::Map(key, entry), Constant::Object(entries)) => {
            out.map_begin(wire_type(model, key), wire_type(model, entry), entries.len());
            for (found, value) in entries {
                write(model, key, found, out)?;
                write(model, entry, value, out)?;
            }
            out.map_end();
        }
        (Type::Struct(id), value) => structure(model, id, value, out)?,
        (ty, value) => return Err(format!("{value} is no {ty:?}")),
    }
    Ok(())
}

/// Writes a struct as plain JSON: fields by name, binary as base64, doubles that are no numbers as text.
///
/// A string that is not text has no JSON; it is `{"$hex": ".."}`.
pub(crate) fn plain(model: &Model, id: StructId, value: &Constant) -> Result<Value, String> {
    let mut members = Map::new();
    for (ty, tag, member) in fields(model, id, value)? {
        let named = model[id].fields.iter().find(|field| field.wire_id() == tag);
        let name = named.map(|field| field.name.text.clone()).unwrap_or_default();
        members.insert(name, plain_value(model, ty, member)?);
    }
    Ok(Value::Object(members))
}

fn plain_value(model: &Model, ty: TypeId, value: &Constant) -> Result<Value, String> {
    Ok(match (model.real(ty), value) {
        (_, Constant::Bool(it)) => json!(it),
        (_, Constant::Int(it)) => json!(it),
        (_, Constant::Float(it)) if it.is_finite() => json!(it),
        (_, Constant::Float(it)) if it.is_nan() => json!("NaN"),
        (_, Constant::Float(it)) => json!(if *it > 0.0 { "Infinity" } else { "-Infinity" }),
        (Type::Binary, Constant::Text(it)) => json!(base64::encode(it.as_bytes())),
        (Type::Binary, Constant::Bytes(it)) => json!(base64::encode(it)),
        (_, Constant::Text(it)) => json!(**it),
        (_, Constant::Bytes(it)) => match std::str::from_utf8(it) {
            Ok(text) => json!(text),
            Err(_) => json!({ "$hex": it.iter().map(|byte| format!("{byte:02x}")).collect::<String>() }),
        },
        (Type::List(element) | Type::Set(element), Constant::List(items)) => Value::Array(
            items.iter().map(|item| plain_value(model, element, item)).collect::<Result<_, String>>()?,
        ),
        (Type::Map(key, entry), Constant::Object(entries)) => {
            let mut members = Map::new();
            for (found, value) in entries {
                let name = match plain_value(model, key, found)? {
                    Value::String(text) => text,
                    Value::Object(_) | Value::Array(_) => {
                        return Err(format!("{found} is not a key of an object"));
                    }
                    other => other.to_string(),
                };
                members.insert(name, plain_value(model, entry, value)?);
            }
            Value::Object(members)
        }
        (Type::Struct(id), value) => plain(model, id, value)?,
        (ty, value) => return Err(format!("{value} is no {ty:?}")),
    })
}
