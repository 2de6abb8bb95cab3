//! How TypeScript writes what checks are made of.
//!
//! A module of ours declares no name that the interface file chose but behind a verb of its own, and reaches the types through
//! one name, so no name can be taken.

use std::collections::BTreeSet;

use contract::Constant;
use thrift::FileId;
use thrift::model::{StructId, Type, TypeId};

use super::{FunctionNames, TypeScriptOptions, quoted};
use crate::Input;
use crate::braces::{ConstantKind, Syntax, absent_constant};
use crate::operand::Sort;

/// TypeScript for one module.
pub(super) struct TypeScript<'a> {
    input: Input<'a>,
    options: &'a TypeScriptOptions,
    names: &'a FunctionNames,
    file: FileId,
    /// Constants of the module.
    pub(super) constants: Vec<(ConstantKind, String)>,
    /// Modules of other files that it calls.
    pub(super) others: BTreeSet<FileId>,
    /// Functions that the user adds, by module and name.
    pub(super) imports: Vec<(String, String)>,
}

/// The largest whole number that a double tells from its neighbours.
const SAFE: u64 = (1 << 53) - 1;

impl<'a> TypeScript<'a> {
    pub(super) fn new(
        input: Input<'a>,
        options: &'a TypeScriptOptions,
        names: &'a FunctionNames,
        file: FileId,
    ) -> TypeScript<'a> {
        TypeScript {
            input,
            options,
            names,
            file,
            constants: Vec::new(),
            others: BTreeSet::new(),
            imports: Vec::new(),
        }
    }

    fn name(&self, owner: StructId, position: usize) -> &'a str {
        self.input.model[owner].fields.get(position).map_or("", |field| field.name.text.as_str())
    }

    fn bytes(&mut self, bytes: &[u8]) -> String {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.constant(ConstantKind::Bytes, format!("rules.bytes(\"{digits}\")"))
    }

    /// What may be `null` as an operand, from what an element is.
    fn operand_of(&self, ty: TypeId, raw: String) -> String {
        match self.input.model.real(ty) {
            Type::I64 => format!("rules.int({raw})"),
            _ => raw,
        }
    }
}

impl Syntax for TypeScript<'_> {
    fn language(&self) -> &'static str {
        "TypeScript"
    }

    fn helper(&self, name: &str) -> String {
        format!("rules.{name}")
    }

    fn arithmetic(&self, name: &str, sort: Sort) -> String {
        match (name, sort) {
            ("add" | "sub" | "mul" | "div" | "mod", Sort::Int) => format!("rules.{name}Int"),
            _ => format!("rules.{name}"),
        }
    }

    fn shown(&self, sort: Sort, code: &str) -> String {
        match sort {
            Sort::Double => format!("rules.shownReal({code})"),
            _ => format!("rules.shown({code})"),
        }
    }

    fn key(&self, ty: TypeId, code: &str) -> String {
        match self.input.model.real(ty) {
            Type::Double => format!("rules.keyReal({code})"),
            Type::Struct(_) | Type::List(_) | Type::Set(_) | Type::Map(..) => {
                format!("rules.keyOther({code})")
            }
            _ => format!("rules.key({code})"),
        }
    }

    fn text(&self, text: &str) -> String {
        quoted(text)
    }

    fn literal(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Bool(value) => value.to_string(),
            Constant::Int(value) if value.unsigned_abs() <= SAFE => value.to_string(),
            Constant::Int(value) => self.constant(ConstantKind::Bytes, format!("rules.int(\"{value}\")")),
            Constant::Float(value) if value.is_nan() => "NaN".to_owned(),
            Constant::Float(value) if value.is_infinite() => {
                if *value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
            }
            Constant::Float(value) => format!("{value:?}"),
            Constant::Text(text) => quoted(text),
            // INVARIANT: rules compare scalars, and bytes are constants of their own.
            _ => "null".to_owned(),
        }
    }

    fn constant(&mut self, kind: ConstantKind, value: String) -> String {
        let known = self.constants.iter().position(|(_, known)| *known == value);
        let index = known.unwrap_or_else(|| {
            self.constants.push((kind, value));
            self.constants.len() - 1
        });
        format!("CONSTANT_{}", index + 1)
    }

    fn declare(&self, name: &str, _: TypeId, code: &str) -> String {
        format!("const {name}: any = {code};")
    }

    fn declare_operand(&self, name: &str, _: Sort, code: &str) -> String {
        format!("let {name}: any = {code};")
    }

    fn declare_flag(&self, name: &str) -> String {
        format!("let {name} = false as boolean;")
    }

    fn declare_index(&self, name: &str) -> String {
        format!("let {name} = -1;")
    }

    fn declare_mark(&self, name: &str, code: &str) -> String {
        format!("const {name} = {code};")
    }

    fn each(&self, _: TypeId, item: &str, list: &str) -> String {
        format!("for (const {item} of {list}) {{")
    }

    fn each_entry(&self, key: TypeId, _: TypeId, entry: &str, map: &str) -> String {
        let kind = match self.input.model.real(key) {
            Type::I8 | Type::I16 | Type::I32 | Type::Double | Type::Enum(_) => "n",
            Type::I64 => "l",
            Type::Bool => "b",
            _ => "t",
        };
        format!("for (const {entry} of rules.entriesOf({map}, \"{kind}\")) {{")
    }

    fn entry(&self, entry: &str) -> (String, String) {
        (format!("{entry}[0]"), format!("{entry}[1]"))
    }

    fn view(&self, ty: TypeId, raw: &str) -> String {
        self.operand_of(ty, raw.to_owned())
    }

    fn field(&self, owner: StructId, position: usize, of: &str) -> String {
        format!("{of}.{}", self.name(owner, position))
    }

    fn presence(&self, owner: StructId, position: usize, of: &str) -> Option<String> {
        Some(format!("{} != null", self.field(owner, position, of)))
    }

    fn missing(&self, owner: StructId, position: usize, of: &str) -> Option<String> {
        Some(format!("{} == null", self.field(owner, position, of)))
    }

    fn stand_in(&mut self, owner: StructId, position: usize) -> Option<String> {
        let constant = absent_constant(self.input, owner, position)?;
        let ty = self.input.model[owner].fields.get(position)?.ty;
        Some(match (self.input.model.real(ty), &constant) {
            (Type::List(_) | Type::Set(_), Constant::List(items)) if items.is_empty() => "[]".to_owned(),
            (Type::Map(..), Constant::List(items)) if items.is_empty() => "{}".to_owned(),
            (Type::Map(..), Constant::Object(members)) if members.is_empty() => "{}".to_owned(),
            // The constructor has set such a default; nothing stands for one that was taken away.
            (Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_), _) => return None,
            (Type::Binary | Type::Uuid, Constant::Text(text)) => self.bytes(text.as_bytes()),
            (Type::Binary | Type::Uuid, Constant::Bytes(bytes)) => self.bytes(bytes),
            (_, constant) => self.literal(constant),
        })
    }

    fn member(&mut self, owner: StructId, position: usize, of: &str) -> String {
        let absent = self.stand_in(owner, position).unwrap_or_else(|| "null".to_owned());
        let name = self.name(owner, position);
        let code = format!("rules.field({of}, {}, {absent})", quoted(name));
        match self.input.model[owner].fields.get(position) {
            Some(field) => self.operand_of(field.ty, code),
            None => code,
        }
    }

    fn item(&self, element: TypeId, index: usize, of: &str) -> String {
        self.operand_of(element, format!("rules.item({of}, {index})"))
    }

    fn lookup(&mut self, _: TypeId, value: TypeId, key: &Constant, of: &str) -> String {
        // Keys of objects are texts.
        let key = match key {
            Constant::Int(key) => key.to_string(),
            key => self.literal(key),
        };
        self.operand_of(value, format!("rules.entry({of}, {key})"))
    }

    fn check(&mut self, id: StructId, value: &str, found: &str) -> String {
        let file = self.input.model[id].file;
        let name = self.names.name(id);
        if file == self.file {
            return format!("check{name}({value}, {found})");
        }
        self.others.insert(file);
        format!("validate{}.check{name}({value}, {found})", file.0)
    }

    fn catch(&self, why: &str) -> String {
        format!("}} catch ({why}) {{")
    }

    fn reason(&self, why: &str) -> String {
        format!("rules.reason({why})")
    }

    fn symbol(&mut self, function: &str) -> Option<String> {
        let symbol = self.options.functions.get(function)?;
        let (module, name) = symbol.rsplit_once('.')?;
        let it = (module.to_owned(), name.to_owned());
        let known = self.imports.iter().position(|known| *known == it);
        let index = known.unwrap_or_else(|| {
            self.imports.push(it);
            self.imports.len() - 1
        });
        Some(format!("function{}", index + 1))
    }

    fn argument(&self, _: Sort, name: &str) -> String {
        name.to_owned()
    }

    fn result(&self, sort: Sort, code: &str) -> String {
        match sort {
            Sort::Int => format!("rules.int({code})"),
            _ => code.to_owned(),
        }
    }
}
