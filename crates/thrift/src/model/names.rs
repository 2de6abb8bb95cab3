//! Which name means what in which file.
//!
//! A plain name is looked up in its own file. A dotted name is looked up in the files included there under
//! that prefix, and only there: includes of includes are out of reach.

use std::collections::HashMap;

use super::data::{ConstId, EnumId, Model, ServiceId, StructId, TypedefId};
use super::load::ThriftProgram;
use crate::idl::Header;
use crate::suggest::did_you_mean;
use crate::{Code, Diagnostic, FileId, Span};

/// What a name of the type namespace stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Struct(StructId),
    Enum(EnumId),
    Typedef(TypedefId),
    Service(ServiceId),
}

/// What an identifier in a value stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    Const(ConstId),
    /// An enum and the position of its member.
    Member(EnumId, usize),
}

/// The names that one file defines.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) symbols: HashMap<String, (Symbol, Span)>,
    pub(super) consts: HashMap<String, (ConstId, Span)>,
    /// The names in source order, for suggestions that are the same every time.
    pub(super) in_order: Vec<String>,
    /// Members of enums by enum and name.
    pub(super) members: HashMap<(EnumId, String), usize>,
}

/// The names of every file.
#[derive(Debug, Default)]
pub(super) struct FileNames {
    pub(super) scopes: Vec<Scope>,
}

/// The built-in type somebody may have meant by a name from another language.
fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" | "f64" | "float64" | "f32" | "float32" => "double",
        "int" | "integer" | "int32" | "uint32" | "u32" | "uint" => "i32",
        "long" | "int64" | "uint64" | "u64" => "i64",
        "short" | "int16" | "uint16" | "u16" => "i16",
        "int8" | "uint8" | "u8" | "char" => "i8",
        "boolean" => "bool",
        "str" | "text" | "String" => "string",
        "bytes" | "blob" | "slist" => "binary",
        "array" | "vector" => "list",
        "dict" | "object" => "map",
        _ => return None,
    })
}

impl FileNames {
    pub(super) fn scope(&self, file: FileId) -> Option<&Scope> {
        self.scopes.get(file.0 as usize)
    }

    /// Finds a type or service.
    pub(super) fn symbol(
        &self,
        program: &ThriftProgram,
        file: FileId,
        name: &str,
        span: Span,
        unknown: Code,
    ) -> Result<(Symbol, Span), Box<Diagnostic>> {
        let what = if unknown == Code::UnknownService { "service" } else { "type" };
        let Some((prefix, last)) = name.rsplit_once('.') else {
            let scope = self.scope(file);
            return scope.and_then(|scope| scope.symbols.get(name)).copied().ok_or_else(|| {
                let message = format!("the {what} `{name}` is not defined");
                let candidates = scope.iter().flat_map(|scope| scope.in_order.iter()).map(String::as_str);
                let help = match foreign_type(name).filter(|_| what == "type") {
                    Some(builtin) => Some(format!("Thrift has the type `{builtin}`")),
                    None => self.elsewhere(program, file, name).or_else(|| did_you_mean(name, candidates)),
                };
                unknown.at(span, message).maybe_help(help).into()
            });
        };
        // A file may define a name with a dot; only thriftgo lets it.
        if let Some(found) = self.scope(file).and_then(|scope| scope.symbols.get(name)) {
            return Ok(*found);
        }
        let scopes = self.included(program, file, prefix, span)?;
        let mut found = scopes.iter().filter_map(|scope| scope.symbols.get(last)).copied();
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            (Some(one), Some(two)) => Err(ambiguous(name, span, one.1, two.1).into()),
            (None, _) => {
                let message = format!("`{prefix}` does not define the {what} `{last}`");
                let candidates = scopes.iter().flat_map(|scope| scope.in_order.iter()).map(String::as_str);
                Err(unknown.at(span, message).maybe_help(did_you_mean(last, candidates)).into())
            }
        }
    }

    /// Finds a constant or a member of an enum.
    pub(super) fn constant(
        &self,
        program: &ThriftProgram,
        model: &Model,
        file: FileId,
        name: &str,
        span: Span,
    ) -> Result<Constant, Box<Diagnostic>> {
        let own = self.scope(file);
        if let Some((id, _)) = own.and_then(|scope| scope.consts.get(name)) {
            return Ok(Constant::Const(*id));
        }
        let Some((left, last)) = name.rsplit_once('.') else {
            return Err(self.unknown_plain(model, own, name, span).into());
        };
        // `Enum.MEMBER` of this file.
        if let Some(found) = own.and_then(|scope| enum_of(scope, model, left)) {
            return self.member(model, found, last, span);
        }
        // `file.Enum.MEMBER`.
        if let Some((prefix, enum_name)) = left.rsplit_once('.')
            && let Ok(scopes) = self.included(program, file, prefix, span)
        {
            let found = scopes.iter().find_map(|scope| enum_of(scope, model, enum_name));
            return match found {
                Some(found) => self.member(model, found, last, span),
                None => {
                    let message = format!("`{prefix}` does not define the enum `{enum_name}`");
                    Err(Code::UnknownConstant.at(span, message).into())
                }
            };
        }
        // `file.CONST`.
        let scopes = self.included(program, file, left, span)?;
        let mut found = scopes.iter().filter_map(|scope| scope.consts.get(last)).copied();
        match (found.next(), found.next()) {
            (Some((id, _)), None) => Ok(Constant::Const(id)),
            (Some((_, one)), Some((_, two))) => Err(ambiguous(name, span, one, two).into()),
            (None, _) => {
                let message = format!("`{left}` does not define the constant `{last}`");
                let candidates = scopes.iter().flat_map(|scope| scope.in_order.iter()).map(String::as_str);
                let help = did_you_mean(last, candidates);
                Err(Code::UnknownConstant.at(span, message).maybe_help(help).into())
            }
        }
    }

    fn unknown_plain(&self, model: &Model, own: Option<&Scope>, name: &str, span: Span) -> Diagnostic {
        let message = format!("the constant `{name}` is not defined");
        // A bare member name is the commonest mistake: name its enum.
        let mut owners = own.iter().flat_map(|scope| scope.in_order.iter().map(move |it| (scope, it)));
        let owner = owners.find_map(|(scope, it)| match scope.symbols.get(it) {
            Some((Symbol::Enum(id), _)) if scope.members.contains_key(&(*id, name.to_owned())) => {
                Some(model[*id].name.text.as_str())
            }
            _ => None,
        });
        let help = match (owner, name) {
            (Some(owner), _) => Some(format!("write `{owner}.{name}`")),
            (None, "True" | "TRUE") => Some("write `true`".to_owned()),
            (None, "False" | "FALSE") => Some("write `false`".to_owned()),
            (None, _) => {
                let names = own.iter().flat_map(|scope| scope.in_order.iter()).map(String::as_str);
                did_you_mean(name, names)
            }
        };
        Code::UnknownConstant.at(span, message).maybe_help(help)
    }

    fn member(&self, model: &Model, id: EnumId, name: &str, span: Span) -> Result<Constant, Box<Diagnostic>> {
        let scope = self.scope(model[id].file);
        match scope.and_then(|scope| scope.members.get(&(id, name.to_owned()))) {
            Some(at) => Ok(Constant::Member(id, *at)),
            None => {
                let owner = &model[id];
                let message = format!("the enum `{}` has no member `{name}`", owner.name.text);
                let names = owner.members.iter().map(|member| member.name.text.as_str());
                let help = did_you_mean(name, names);
                let label = format!("`{}` is defined here", owner.name.text);
                let diagnostic = Code::UnknownConstant.at(span, message).maybe_help(help);
                Err(diagnostic.label(owner.name.span, label).into())
            }
        }
    }

    /// The files included under a prefix; an error when there is none.
    fn included(
        &self,
        program: &ThriftProgram,
        file: FileId,
        prefix: &str,
        span: Span,
    ) -> Result<Vec<&Scope>, Box<Diagnostic>> {
        let includes = program.file(file).map_or(&[][..], |file| file.includes.as_slice());
        let found: Vec<&Scope> = includes
            .iter()
            .filter(|include| include.prefix == prefix)
            .filter_map(|include| self.scope(include.file))
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
        if is_missing(program, file, prefix) {
            return Err(Code::IncludeNotFound.at(span, format!("`{prefix}` was not found")).into());
        }
        let message = format!("no included file has the prefix `{prefix}`");
        let near = did_you_mean(prefix, includes.iter().map(|include| include.prefix.as_str()));
        let indirect = program.files.iter().any(|file| super::paths::prefix(&file.path) == prefix);
        let help = match near {
            None if indirect => {
                Some(format!("includes are not passed on; include `{prefix}.thrift` here too"))
            }
            near => near,
        };
        Err(Code::UnknownInclude.at(span, message).maybe_help(help).into())
    }

    /// Says which included file defines a name that was written without its prefix.
    fn elsewhere(&self, program: &ThriftProgram, file: FileId, name: &str) -> Option<String> {
        let includes = &program.file(file)?.includes;
        let found = includes
            .iter()
            .find(|include| self.scope(include.file).is_some_and(|scope| scope.symbols.contains_key(name)))?;
        Some(format!("write `{}.{name}`", found.prefix))
    }
}

/// Whether the file has an include with that prefix that could not be loaded.
fn is_missing(program: &ThriftProgram, file: FileId, prefix: &str) -> bool {
    let headers = program.file(file).map_or(&[][..], |file| file.document.headers.as_slice());
    headers.iter().any(|header| match header {
        Header::Include(include) => super::paths::prefix(&include.path.text()) == prefix,
        Header::CppInclude(_) | Header::Namespace(_) => false,
    })
}

/// The enum a name stands for in a scope, also through typedefs.
fn enum_of(scope: &Scope, model: &Model, name: &str) -> Option<EnumId> {
    match scope.symbols.get(name)?.0 {
        Symbol::Enum(id) => Some(id),
        Symbol::Typedef(id) => match model.real(model[id].real) {
            super::Type::Enum(id) => Some(id),
            _ => None,
        },
        Symbol::Struct(_) | Symbol::Service(_) => None,
    }
}

fn ambiguous(name: &str, span: Span, one: Span, two: Span) -> Diagnostic {
    Code::AmbiguousName
        .at(span, format!("`{name}` is defined by two included files"))
        .label(one, "here")
        .label(two, "and here")
        .help("rename one of the files, so that their prefixes differ")
}
