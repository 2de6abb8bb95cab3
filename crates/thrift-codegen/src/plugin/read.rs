//! thriftgo's syntax trees, from their bytes to ours.
//!
//! Included trees repeat at every edge, whole, so a file that is known already is skipped over. Literals come
//! as they were written, with only the quote that ends them unescaped; our decoder does the rest. Places are
//! lost: everything points at the start of its file.

use std::collections::HashMap;

use thrift::idl::{
    Annotation, Annotations, BaseType, Comments, Const, ConstKind, ConstValue, Definition, Enum, EnumValue,
    Field, Function, Header, IdlFile, IdlName, Integer, Literal, Namespace, Requiredness, Service,
    StructKind, StructLike, Throws, TypeKind, TypeRef, Typedef, decode,
};
use thrift::model::{Include, ThriftFile, ThriftProgram};
use thrift::wire::{BinaryReader, Limits, Reader, Result, WireType};
use thrift::{FileId, Span};

/// A request, as far as it matters.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) generator: Vec<String>,
    pub(super) plugin: Vec<String>,
    pub(super) language: String,
    pub(super) output: String,
    pub(super) recursive: bool,
    pub(super) program: ThriftProgram,
}

type Bytes<'b> = BinaryReader<'b>;

impl Request {
    /// Reads a request; what stands behind it is none of ours.
    pub(super) fn read(bytes: &[u8]) -> Result<Request> {
        let limits = Limits { depth: u8::MAX, ..Limits::default() };
        let mut reader = BinaryReader::new(bytes, limits);
        let mut request = Request::default();
        let mut trees = Trees::default();
        fields(&mut reader, |reader, id, ty| {
            match (id, ty) {
                (2, WireType::List) => request.generator = list(reader, string)?,
                (3, WireType::List) => request.plugin = list(reader, string)?,
                (4, WireType::String) => request.language = string(reader)?,
                (5, WireType::String) => request.output = string(reader)?,
                (6, WireType::Bool) => request.recursive = reader.bool()?,
                (7, WireType::Struct) => {
                    trees.file(reader)?;
                }
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        request.program = ThriftProgram { files: trees.files };
        Ok(request)
    }
}

/// Reads the fields of a struct.
fn fields<'b>(
    reader: &mut Bytes<'b>,
    mut field: impl FnMut(&mut Bytes<'b>, i16, WireType) -> Result<()>,
) -> Result<()> {
    let scope = reader.struct_begin()?;
    while let Some(head) = reader.field_begin()? {
        field(reader, head.id, head.ty)?;
        reader.field_end()?;
    }
    reader.struct_end(scope)
}

fn list<'b, T>(reader: &mut Bytes<'b>, mut item: impl FnMut(&mut Bytes<'b>) -> Result<T>) -> Result<Vec<T>> {
    let head = reader.list_begin()?;
    let items = (0..head.len).map(|_| item(reader)).collect::<Result<_>>()?;
    reader.list_end(head.scope)?;
    Ok(items)
}

fn string(reader: &mut Bytes<'_>) -> Result<String> {
    Ok(String::from_utf8_lossy(reader.slice()?).into_owned())
}

/// The files so far.
#[derive(Default)]
struct Trees {
    files: Vec<ThriftFile>,
    known: HashMap<String, FileId>,
}

impl Trees {
    // INVARIANT: the reader bounds how deep trees nest.
    fn file(&mut self, reader: &mut Bytes<'_>) -> Result<FileId> {
        let mut id = FileId(self.files.len() as u32);
        let mut tree = PluginTree { at: Span::new(id, 0, 0), headers: Vec::new(), kinds: Default::default() };
        let mut includes = Vec::new();
        let mut known = false;
        fields(reader, |reader, field, ty| {
            match (field, ty) {
                _ if known => return reader.skip(ty),
                (1, WireType::String) => {
                    let path = string(reader)?;
                    match self.known.get(&path) {
                        Some(first) => (id, known) = (*first, true),
                        None => {
                            self.known.insert(path.clone(), id);
                            // Holds the place while its includes are read.
                            let document =
                                IdlFile { headers: Vec::new(), definitions: Vec::new(), span: tree.at };
                            self.files.push(ThriftFile {
                                path,
                                text: String::new(),
                                document,
                                includes: Vec::new(),
                            });
                        }
                    }
                }
                (2, WireType::List) => includes = list(reader, |reader| self.include(reader, tree.at))?,
                _ => tree.part(reader, field, ty)?,
            }
            Ok(())
        })?;
        if !known && let Some(file) = self.files.get_mut(id.0 as usize) {
            file.includes = includes.into_iter().flatten().collect();
            file.document = tree.finish();
        }
        Ok(id)
    }

    fn include(&mut self, reader: &mut Bytes<'_>, at: Span) -> Result<Option<Include>> {
        let mut path = String::new();
        let mut target = None;
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => path = string(reader)?,
                (2, WireType::Struct) => target = Some(self.file(reader)?),
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        let name = path.rsplit(['/', '\\']).next().unwrap_or(&path);
        let prefix = name.strip_suffix(".thrift").unwrap_or(name).to_owned();
        Ok(target.map(|file| Include { prefix, file, span: at }))
    }
}

/// One file that is being read.
struct PluginTree {
    at: Span,
    headers: Vec<Header>,
    /// Definitions by their field: thriftgo keeps each kind apart.
    kinds: [Vec<Definition>; 7],
}

impl PluginTree {
    fn finish(self) -> IdlFile {
        IdlFile {
            headers: self.headers,
            definitions: self.kinds.into_iter().flatten().collect(),
            span: self.at,
        }
    }

    fn part(&mut self, reader: &mut Bytes<'_>, field: i16, ty: WireType) -> Result<()> {
        let kind = match (field, ty) {
            (4, WireType::List) => {
                self.headers = list(reader, |reader| self.namespace(reader))?;
                return Ok(());
            }
            (5, WireType::List) => list(reader, |reader| self.typedef(reader))?,
            (6, WireType::List) => list(reader, |reader| self.constant(reader))?,
            (7, WireType::List) => list(reader, |reader| self.enumeration(reader))?,
            (8, WireType::List) => list(reader, |reader| self.structure(reader, StructKind::Struct))?,
            (9, WireType::List) => list(reader, |reader| self.structure(reader, StructKind::Union))?,
            (10, WireType::List) => list(reader, |reader| self.structure(reader, StructKind::Exception))?,
            (11, WireType::List) => list(reader, |reader| self.service(reader))?,
            _ => return reader.skip(ty),
        };
        if let Some(slot) = usize::try_from(field - 5).ok().and_then(|index| self.kinds.get_mut(index)) {
            *slot = kind;
        }
        Ok(())
    }

    fn name(&self, text: String) -> IdlName {
        IdlName { text, span: self.at }
    }

    fn literal(&self, raw: String) -> Literal {
        Literal { value: decode(&raw), raw, quote: '"', span: self.at }
    }

    fn annotations(&self, reader: &mut Bytes<'_>) -> Result<Annotations> {
        let groups = list(reader, |reader| {
            let (mut key, mut values) = (String::new(), Vec::new());
            fields(reader, |reader, id, ty| {
                match (id, ty) {
                    (1, WireType::String) => key = string(reader)?,
                    (2, WireType::List) => values = list(reader, string)?,
                    _ => reader.skip(ty)?,
                }
                Ok(())
            })?;
            Ok((key, values))
        })?;
        let annotation = |key: &str, value: String| Annotation {
            key: self.name(key.to_owned()),
            value: Some(self.literal(value)),
            span: self.at,
        };
        Ok(groups
            .into_iter()
            .flat_map(|(key, values)| values.into_iter().map(move |value| (key.clone(), value)))
            .map(|(key, value)| annotation(&key, value))
            .collect())
    }

    fn namespace(&self, reader: &mut Bytes<'_>) -> Result<Header> {
        let (mut scope, mut name) = (String::new(), String::new());
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => scope = string(reader)?,
                (2, WireType::String) => name = string(reader)?,
                (3, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(Header::Namespace(Namespace {
            scope: self.name(scope),
            name: self.name(name),
            annotations,
            span: self.at,
        }))
    }

    fn typedef(&self, reader: &mut Bytes<'_>) -> Result<Definition> {
        let (mut ty_ref, mut name) = (self.unknown(), String::new());
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::Struct) => ty_ref = self.ty(reader)?,
                (2, WireType::String) => name = string(reader)?,
                (3, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(Definition::Typedef(Typedef {
            ty: ty_ref,
            name: self.name(name),
            annotations,
            comments: Comments::default(),
            span: self.at,
        }))
    }

    fn constant(&self, reader: &mut Bytes<'_>) -> Result<Definition> {
        let (mut ty_ref, mut name) = (self.unknown(), String::new());
        let mut value = self.value_of(ConstKind::Error);
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => name = string(reader)?,
                (2, WireType::Struct) => ty_ref = self.ty(reader)?,
                (3, WireType::Struct) => value = self.value(reader)?,
                (4, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(Definition::Const(Const {
            ty: ty_ref,
            name: self.name(name),
            value,
            annotations,
            comments: Comments::default(),
            span: self.at,
        }))
    }

    fn enumeration(&self, reader: &mut Bytes<'_>) -> Result<Definition> {
        let (mut name, mut values) = (String::new(), Vec::new());
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => name = string(reader)?,
                (2, WireType::List) => values = list(reader, |reader| self.member(reader))?,
                (3, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(Definition::Enum(Enum {
            name: self.name(name),
            values,
            annotations,
            comments: Comments::default(),
            span: self.at,
        }))
    }

    fn member(&self, reader: &mut Bytes<'_>) -> Result<EnumValue> {
        let (mut name, mut number) = (String::new(), None);
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => name = string(reader)?,
                (2, WireType::I64) => number = Some(Integer { value: reader.i64()?, span: self.at }),
                (3, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(EnumValue {
            name: self.name(name),
            number,
            annotations,
            comments: Comments::default(),
            span: self.at,
        })
    }

    fn structure(&self, reader: &mut Bytes<'_>, kind: StructKind) -> Result<Definition> {
        let (mut name, mut members) = (String::new(), Vec::new());
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (2, WireType::String) => name = string(reader)?,
                (3, WireType::List) => members = list(reader, |reader| self.field(reader))?,
                (4, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(Definition::Struct(StructLike {
            kind,
            name: self.name(name),
            fields: members,
            annotations,
            comments: Comments::default(),
            span: self.at,
        }))
    }

    fn field(&self, reader: &mut Bytes<'_>) -> Result<Field> {
        let mut field = Field {
            id: None,
            requiredness: Requiredness::Default,
            ty: self.unknown(),
            reference: false,
            name: self.name(String::new()),
            default: None,
            xsd: None,
            annotations: Annotations::default(),
            comments: Comments::default(),
            span: self.at,
        };
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::I32) => {
                    field.id = Some(Integer { value: reader.i32()?.into(), span: self.at });
                }
                (2, WireType::String) => field.name.text = string(reader)?,
                (3, WireType::I32) => {
                    field.requiredness = match reader.i32()? {
                        1 => Requiredness::Required,
                        2 => Requiredness::Optional,
                        _ => Requiredness::Default,
                    };
                }
                (4, WireType::Struct) => field.ty = self.ty(reader)?,
                (5, WireType::Struct) => field.default = Some(self.value(reader)?),
                (6, WireType::List) => field.annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(field)
    }

    fn service(&self, reader: &mut Bytes<'_>) -> Result<Definition> {
        let (mut name, mut extends, mut functions) = (String::new(), None, Vec::new());
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => name = string(reader)?,
                (2, WireType::String) => {
                    extends = Some(string(reader)?).filter(|name| !name.is_empty());
                }
                (3, WireType::List) => functions = list(reader, |reader| self.function(reader))?,
                (4, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(Definition::Service(Service {
            name: self.name(name),
            extends: extends.map(|name| self.name(name)),
            functions,
            annotations,
            comments: Comments::default(),
            span: self.at,
        }))
    }

    fn function(&self, reader: &mut Bytes<'_>) -> Result<Function> {
        let mut function = Function {
            oneway: None,
            result: None,
            name: self.name(String::new()),
            arguments: Vec::new(),
            throws: None,
            annotations: Annotations::default(),
            comments: Comments::default(),
            span: self.at,
        };
        let mut void = false;
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => function.name.text = string(reader)?,
                (2, WireType::Bool) => function.oneway = reader.bool()?.then_some(self.at),
                (3, WireType::Bool) => void = reader.bool()?,
                (4, WireType::Struct) => function.result = Some(self.ty(reader)?),
                (5, WireType::List) => function.arguments = list(reader, |reader| self.field(reader))?,
                (6, WireType::List) => {
                    let fields = list(reader, |reader| self.field(reader))?;
                    function.throws = (!fields.is_empty()).then_some(Throws { fields, span: self.at });
                }
                (7, WireType::List) => function.annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        if void {
            function.result = None;
        }
        Ok(function)
    }

    fn unknown(&self) -> TypeRef {
        self.type_of(TypeKind::Error, Annotations::default())
    }

    fn type_of(&self, kind: TypeKind, annotations: Annotations) -> TypeRef {
        TypeRef { kind, cpp_type: None, annotations, span: self.at }
    }

    fn ty(&self, reader: &mut Bytes<'_>) -> Result<TypeRef> {
        let (mut name, mut key, mut value) = (String::new(), None, None);
        let mut annotations = Annotations::default();
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::String) => name = string(reader)?,
                (2, WireType::Struct) => key = Some(Box::new(self.ty(reader)?)),
                (3, WireType::Struct) => value = Some(Box::new(self.ty(reader)?)),
                (5, WireType::List) => annotations = self.annotations(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        let kind = match (name.as_str(), key, value) {
            ("map", Some(key), Some(value)) => TypeKind::Map(key, value),
            ("list", _, Some(value)) => TypeKind::List(value),
            ("set", _, Some(value)) => TypeKind::Set(value),
            _ => match base(&name) {
                Some(base) => TypeKind::Base(base),
                None => TypeKind::Named(name),
            },
        };
        Ok(self.type_of(kind, annotations))
    }

    fn value_of(&self, kind: ConstKind) -> ConstValue {
        ConstValue { kind, span: self.at }
    }

    fn value(&self, reader: &mut Bytes<'_>) -> Result<ConstValue> {
        let mut kind = ConstKind::Error;
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (2, WireType::Struct) => kind = self.typed_value(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(self.value_of(kind))
    }

    fn typed_value(&self, reader: &mut Bytes<'_>) -> Result<ConstKind> {
        let mut kind = ConstKind::Error;
        fields(reader, |reader, id, ty| {
            kind = match (id, ty) {
                (1, WireType::Double) => ConstKind::Double(reader.double()?),
                (2, WireType::I64) => ConstKind::Int(reader.i64()?),
                (3, WireType::String) => ConstKind::Literal(self.literal(string(reader)?)),
                (4, WireType::String) => match string(reader)?.as_str() {
                    "true" => ConstKind::Bool(true),
                    "false" => ConstKind::Bool(false),
                    name => ConstKind::Identifier(name.to_owned()),
                },
                (5, WireType::List) => ConstKind::List(list(reader, |reader| self.value(reader))?),
                (6, WireType::List) => ConstKind::Map(list(reader, |reader| self.entry(reader))?),
                _ => return reader.skip(ty),
            };
            Ok(())
        })?;
        Ok(kind)
    }

    fn entry(&self, reader: &mut Bytes<'_>) -> Result<(ConstValue, ConstValue)> {
        let mut entry = (self.value_of(ConstKind::Error), self.value_of(ConstKind::Error));
        fields(reader, |reader, id, ty| {
            match (id, ty) {
                (1, WireType::Struct) => entry.0 = self.value(reader)?,
                (2, WireType::Struct) => entry.1 = self.value(reader)?,
                _ => reader.skip(ty)?,
            }
            Ok(())
        })?;
        Ok(entry)
    }
}

fn base(name: &str) -> Option<BaseType> {
    Some(match name {
        "bool" => BaseType::Bool,
        "byte" | "i8" => BaseType::I8,
        "i16" => BaseType::I16,
        "i32" => BaseType::I32,
        "i64" => BaseType::I64,
        "double" => BaseType::Double,
        "string" => BaseType::String,
        "binary" => BaseType::Binary,
        "uuid" => BaseType::Uuid,
        _ => return None,
    })
}
