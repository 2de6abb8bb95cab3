//! How Java writes what checks are made of.
//!
//! Every name is written with its package, since a type of the program may have any other.

use contract::Constant;
use thrift::FileId;
use thrift::model::{StructId, StructRole, Type, TypeId};

use super::{Classes, JavaOptions, quoted};
use crate::Input;
use crate::braces::{ConstantKind, Syntax, Taken, absent_constant};
use crate::lines::Lines;
use crate::operand::Sort;

/// A class with validators, and what it is written from.
#[derive(Clone, Copy)]
pub(super) struct JavaFile<'a> {
    pub(super) input: Input<'a>,
    pub(super) options: &'a JavaOptions,
    pub(super) classes: &'a Classes,
    /// The names that the program has.
    pub(super) taken: &'a Taken,
    /// The package of what all classes share.
    pub(super) shared: &'a str,
    /// The file whose types it is for.
    pub(super) file: FileId,
}

/// Java for one struct.
pub(super) struct Java<'a> {
    class: JavaFile<'a>,
    /// Constants: name, type and value.
    pub(super) constants: Vec<(String, String, String)>,
    /// The fields that operands look at.
    members: Vec<(StructId, usize)>,
}

impl<'a> Java<'a> {
    pub(super) fn new(class: JavaFile<'a>) -> Java<'a> {
        Java { class, constants: Vec::new(), members: Vec::new() }
    }

    /// The class of a struct.
    pub(super) fn structure(&self, id: StructId) -> String {
        self.class.classes.structure(self.class.input, id, self.class.file)
    }

    /// The type of an element.
    // INVARIANT: types nest no deeper than their parser allows.
    fn boxed(&self, ty: TypeId) -> String {
        match self.class.input.model.real(ty) {
            Type::Bool => "java.lang.Boolean".to_owned(),
            Type::I8 => "java.lang.Byte".to_owned(),
            Type::I16 => "java.lang.Short".to_owned(),
            Type::I32 => "java.lang.Integer".to_owned(),
            Type::I64 => "java.lang.Long".to_owned(),
            Type::Double => "java.lang.Double".to_owned(),
            Type::String => "java.lang.String".to_owned(),
            Type::Binary => "java.nio.ByteBuffer".to_owned(),
            Type::Uuid => "java.util.UUID".to_owned(),
            Type::Enum(id) => self.class.classes.enumeration(self.class.input, id, self.class.file),
            Type::Struct(id) => self.structure(id),
            Type::List(element) => format!("java.util.List<{}>", self.boxed(element)),
            Type::Set(element) => format!("java.util.Set<{}>", self.boxed(element)),
            Type::Map(key, value) => format!("java.util.Map<{}, {}>", self.boxed(key), self.boxed(value)),
            Type::Typedef(_) | Type::Error => "java.lang.Object".to_owned(),
        }
    }

    /// The type of a value as rules look at it.
    fn viewed(&self, ty: TypeId) -> String {
        match self.class.input.model.real(ty) {
            Type::Bool => "boolean".to_owned(),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_) => "long".to_owned(),
            Type::Double => "double".to_owned(),
            Type::Uuid => "java.nio.ByteBuffer".to_owned(),
            _ => self.boxed(ty),
        }
    }

    /// The type of a value as an operand, which may be `null`.
    fn operand_type(&self, ty: TypeId) -> String {
        match self.class.input.model.real(ty) {
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_) => "java.lang.Long".to_owned(),
            Type::Uuid => "java.nio.ByteBuffer".to_owned(),
            _ => self.boxed(ty),
        }
    }

    /// What may be `null` as an operand, from what an element is.
    fn operand_of(&self, ty: TypeId, raw: String) -> String {
        match self.class.input.model.real(ty) {
            Type::I8 | Type::I16 | Type::I32 => format!("{}({raw})", self.helper("integer")),
            Type::Enum(_) => format!("{}({raw})", self.helper("number")),
            _ => raw,
        }
    }

    fn is_primitive(&self, owner: StructId, position: usize) -> bool {
        let field = self.class.input.model[owner].fields.get(position);
        field.is_some_and(|field| {
            matches!(
                self.class.input.model.real(field.ty),
                Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Double
            )
        })
    }

    /// The constant of a field in the enum that the compiler makes of them.
    fn id(&self, owner: StructId, position: usize) -> String {
        let field = self.class.input.model[owner].fields.get(position);
        let id = field.map_or(0, |field| field.wire_id());
        format!("{}._Fields.findByThriftId({id})", self.structure(owner))
    }

    fn constant_of(&mut self, ty: &str, value: String) -> String {
        if let Some((name, ..)) = self.constants.iter().find(|(_, _, known)| *known == value) {
            return name.clone();
        }
        let name = self.class.taken.free(&format!("CONSTANT_{}", self.constants.len() + 1));
        self.constants.push((name.clone(), ty.to_owned(), value));
        name
    }

    /// The methods that look at fields for operands.
    pub(super) fn accessors(&mut self) -> Vec<String> {
        let it = self.class.taken.free("it");
        let mut methods = Vec::new();
        for (number, (owner, position)) in (1..).zip(self.members.clone()) {
            let Some(field) = self.class.input.model[owner].fields.get(position) else { continue };
            let mut out = Lines::new("  ");
            let (result, of) = (self.operand_type(field.ty), self.structure(owner));
            out.open(format!("private static {result} get{number}({of} {it}) {{"));
            let mut absent = vec![format!("{it} == null")];
            let stand_in = self.stand_in(owner, position);
            let presence = self.presence(owner, position, &it);
            if let (Some(presence), None) = (&presence, &stand_in) {
                absent.push(format!("!({presence})"));
            }
            out.open(format!("if ({}) {{", absent.join(" || ")));
            out.line("return null;");
            out.close("}");
            let view = self.view(field.ty, &self.field(owner, position, &it));
            // A cast, since nothing is both widened and boxed.
            let view = match self.viewed(field.ty).as_str() {
                "long" => format!("(long) ({view})"),
                _ => view,
            };
            if let (Some(presence), Some(stand_in)) = (presence, stand_in) {
                out.open(format!("if (!({presence})) {{"));
                out.line(format!("return {stand_in};"));
                out.close("}");
            }
            out.line(format!("return {view};"));
            out.close("}");
            methods.push(out.finish());
        }
        methods
    }
}

impl Syntax for Java<'_> {
    fn language(&self) -> &'static str {
        "Java"
    }

    fn helper(&self, name: &str) -> String {
        format!("{}.Rules.{name}", self.class.shared)
    }

    fn text(&self, text: &str) -> String {
        quoted(text)
    }

    fn literal(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Bool(value) => value.to_string(),
            Constant::Int(value) => format!("{value}L"),
            Constant::Float(value) if value.is_nan() => "java.lang.Double.NaN".to_owned(),
            Constant::Float(value) if value.is_infinite() => {
                let sign = if *value > 0.0 { "POSITIVE" } else { "NEGATIVE" };
                format!("java.lang.Double.{sign}_INFINITY")
            }
            Constant::Float(value) => format!("{value:?}"),
            Constant::Text(text) => quoted(text),
            // INVARIANT: rules compare scalars, and bytes are constants of their own.
            _ => "null".to_owned(),
        }
    }

    fn constant(&mut self, kind: ConstantKind, value: String) -> String {
        let ty = match kind {
            ConstantKind::Bytes => "java.nio.ByteBuffer".to_owned(),
            ConstantKind::Pattern => format!("{}.Program", self.class.shared),
            ConstantKind::Set => format!("{}.Members", self.class.shared),
        };
        self.constant_of(&ty, value)
    }

    fn declare(&self, name: &str, ty: TypeId, code: &str) -> String {
        format!("{} {name} = {code};", self.viewed(ty))
    }

    fn declare_operand(&self, name: &str, sort: Sort, code: &str) -> String {
        let ty = match sort {
            Sort::Bool => "java.lang.Boolean",
            Sort::Int => "java.lang.Long",
            Sort::Double => "java.lang.Double",
            Sort::List => "java.util.Collection<?>",
            Sort::Map => "java.util.Map<?, ?>",
            // Texts and bytes that are put together may be either.
            Sort::Text | Sort::Bytes | Sort::Struct | Sort::Unknown => "java.lang.Object",
        };
        format!("{ty} {name} = {code};")
    }

    fn declare_flag(&self, name: &str) -> String {
        format!("boolean {name} = false;")
    }

    fn declare_index(&self, name: &str) -> String {
        format!("int {name} = -1;")
    }

    fn declare_mark(&self, name: &str, code: &str) -> String {
        format!("int {name} = {code};")
    }

    fn each(&self, element: TypeId, item: &str, list: &str) -> String {
        format!("for ({} {item} : {list}) {{", self.boxed(element))
    }

    fn each_entry(&self, key: TypeId, value: TypeId, entry: &str, map: &str) -> String {
        let ty = format!("java.util.Map.Entry<{}, {}>", self.boxed(key), self.boxed(value));
        format!("for ({ty} {entry} : {map}.entrySet()) {{")
    }

    fn entry(&self, entry: &str) -> (String, String) {
        (format!("{entry}.getKey()"), format!("{entry}.getValue()"))
    }

    fn view(&self, ty: TypeId, raw: &str) -> String {
        match self.class.input.model.real(ty) {
            Type::Enum(_) => format!("{raw}.getValue()"),
            Type::Uuid => format!("{}({raw})", self.helper("buffer")),
            _ => raw.to_owned(),
        }
    }

    fn field(&self, owner: StructId, position: usize, of: &str) -> String {
        let it = &self.class.input.model[owner];
        let Some(field) = it.fields.get(position) else { return "null".to_owned() };
        let found = match (it.role, self.class.options.private_members) {
            (StructRole::Union, _) => format!("{of}.getFieldValue()"),
            (_, false) => return format!("{of}.{}", field.name.text),
            (_, true) => format!("{of}.getFieldValue({})", self.id(owner, position)),
        };
        match self.class.input.model.real(field.ty) {
            Type::Binary => format!("{}({found})", self.helper("buffer")),
            _ => format!("{}.Rules.<{}>cast({found})", self.class.shared, self.boxed(field.ty)),
        }
    }

    fn presence(&self, owner: StructId, position: usize, of: &str) -> Option<String> {
        let it = &self.class.input.model[owner];
        let field = it.fields.get(position)?;
        if it.role == StructRole::Union {
            let id = field.wire_id();
            return Some(format!("{of}.isSet() && {of}.getSetField().getThriftFieldId() == {id}"));
        }
        let optional = field.requiredness == thrift::idl::Requiredness::Optional;
        match self.is_primitive(owner, position) {
            // A field with a default has it until it is set, and one that may not be missing was assigned.
            true if absent_constant(self.class.input, owner, position).is_some() || !optional => None,
            true => self.is_set(owner, position, of),
            false if self.class.options.private_members => self.is_set(owner, position, of),
            false => Some(format!("{of}.{} != null", field.name.text)),
        }
    }

    fn missing(&self, owner: StructId, position: usize, of: &str) -> Option<String> {
        let field = self.class.input.model[owner].fields.get(position)?;
        let required = field.requiredness == thrift::idl::Requiredness::Required;
        // A field that is assigned, not set, does not know it; the reader sees to that of messages.
        if required && self.is_primitive(owner, position) {
            return None;
        }
        Some(format!("!{}", self.is_set(owner, position, of)?))
    }

    fn stand_in(&mut self, owner: StructId, position: usize) -> Option<String> {
        let constant = absent_constant(self.class.input, owner, position)?;
        let ty = self.class.input.model[owner].fields.get(position)?.ty;
        Some(match (self.class.input.model.real(ty), &constant) {
            (Type::List(element), Constant::List(items)) if items.is_empty() => {
                format!("java.util.Collections.<{}>emptyList()", self.boxed(element))
            }
            (Type::Set(element), Constant::List(items)) if items.is_empty() => {
                format!("java.util.Collections.<{}>emptySet()", self.boxed(element))
            }
            (Type::Map(key, value), Constant::List(items)) if items.is_empty() => {
                format!("java.util.Collections.<{}, {}>emptyMap()", self.boxed(key), self.boxed(value))
            }
            (Type::Map(key, value), Constant::Object(members)) if members.is_empty() => {
                format!("java.util.Collections.<{}, {}>emptyMap()", self.boxed(key), self.boxed(value))
            }
            // The constructor has set such a default; nothing stands for one that was taken away.
            (Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_), _) => return None,
            (Type::Binary | Type::Uuid, Constant::Text(text)) => self.bytes(text.as_bytes()),
            (Type::Binary | Type::Uuid, Constant::Bytes(bytes)) => self.bytes(bytes),
            (Type::Double, Constant::Int(value)) => format!("{value}.0"),
            (_, constant) => self.literal(constant),
        })
    }

    fn member(&mut self, owner: StructId, position: usize, of: &str) -> String {
        let known = self.members.iter().position(|known| *known == (owner, position));
        let index = known.unwrap_or_else(|| {
            self.members.push((owner, position));
            self.members.len() - 1
        });
        format!("get{}({of})", index + 1)
    }

    fn item(&self, element: TypeId, index: usize, of: &str) -> String {
        self.operand_of(element, format!("{}({of}, {index})", self.helper("item")))
    }

    fn lookup(&mut self, key_type: TypeId, value: TypeId, key: &Constant, of: &str) -> String {
        let key = match (self.class.input.model.real(key_type), key) {
            (Type::I8, Constant::Int(key)) => format!("(byte) {key}"),
            (Type::I16, Constant::Int(key)) => format!("(short) {key}"),
            (Type::I32, Constant::Int(key)) => match i32::try_from(*key) {
                Ok(key) => key.to_string(),
                // No key of the map is that one.
                Err(_) => format!("{key}L"),
            },
            (Type::Enum(id), Constant::Int(key)) => {
                let class = self.class.classes.enumeration(self.class.input, id, self.class.file);
                match i32::try_from(*key) {
                    Ok(key) => format!("{class}.findByValue({key})"),
                    Err(_) => "null".to_owned(),
                }
            }
            (Type::Binary, Constant::Text(text)) => self.bytes(text.as_bytes()),
            (_, key) => self.literal(key),
        };
        self.operand_of(value, format!("{}({of}, {key})", self.helper("entry")))
    }

    fn check(&mut self, id: StructId, value: &str, found: &str) -> String {
        let file = self.class.input.model[id].file;
        format!("{}.check({value}, {found})", self.class.classes.validator(file, self.class.file))
    }

    fn catch(&self, why: &str) -> String {
        format!("}} catch ({}.Broken {why}) {{", self.class.shared)
    }

    fn reason(&self, why: &str) -> String {
        format!("{why}.getMessage()")
    }

    fn symbol(&mut self, function: &str) -> Option<String> {
        self.class.options.functions.get(function).cloned()
    }

    fn argument(&self, sort: Sort, name: &str) -> String {
        match sort {
            Sort::Text => format!("{}({name})", self.helper("subject")),
            Sort::Bytes => format!("{}({name})", self.helper("buffer")),
            _ => name.to_owned(),
        }
    }

    fn result(&self, sort: Sort, code: &str) -> String {
        match sort {
            Sort::Int => format!("{}({code})", self.helper("integer")),
            Sort::Double => format!("{}({code})", self.helper("real")),
            _ => code.to_owned(),
        }
    }
}

impl Java<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> String {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let value = format!("{}(\"{digits}\")", self.helper("bytes"));
        self.constant(ConstantKind::Bytes, value)
    }

    fn is_set(&self, owner: StructId, position: usize, of: &str) -> Option<String> {
        let field = self.class.input.model[owner].fields.get(position)?;
        match self.is_primitive(owner, position) || self.class.options.private_members {
            true => Some(format!("{of}.isSet({})", self.id(owner, position))),
            false => Some(format!("({of}.{} != null)", field.name.text)),
        }
    }
}
