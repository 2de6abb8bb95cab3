//! Rust: an implementation of `Validate` for the types of pilota or of the Apache compiler.
//!
//! The files are a module: `mod.rs` holds the trait, the violation and the helpers that are used, and there is
//! one file for each IDL file with something to check. Nothing but the standard library is used, except that
//! patterns need the `regex` crate: [`Generated::needs`] says whether.

mod body;
mod expr;
mod names;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use thrift::idl::{Header, IdlFile, Requiredness};
use thrift::model::{StructId, StructRole, Type};
use thrift::{Code, Diagnostic, FileId, Severity};

use crate::lines::Lines;
use crate::plan::{Plan, StructPlan};
use crate::{Generated, GeneratedFile, Input};
use body::Body;
use support::Helper;

/// Whose types are validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RustTypes {
    /// Those of pilota 0.13, as volo uses them.
    #[default]
    Pilota,
    /// Those of the Apache compiler and its `thrift` crate.
    Apache,
}

impl RustTypes {
    /// Finds the types by their name on the command line.
    pub fn find(name: &str) -> Option<RustTypes> {
        match name {
            "pilota" => Some(RustTypes::Pilota),
            "apache" => Some(RustTypes::Apache),
            _ => None,
        }
    }
}

/// What the implementations look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustOptions {
    /// Whose types they are for.
    pub types: RustTypes,
    /// The path of the module that holds the types: `crate::gen`.
    pub root: String,
    /// The folder, and so the module, of the files: `validate`.
    pub folder: String,
    /// Rust paths of the functions that the user adds.
    pub functions: BTreeMap<String, String>,
}

impl Default for RustOptions {
    fn default() -> RustOptions {
        RustOptions {
            types: RustTypes::Pilota,
            root: "crate::r#gen".to_owned(),
            folder: "validate".to_owned(),
            functions: BTreeMap::new(),
        }
    }
}

/// Generates Rust for a program.
pub fn generate(input: Input<'_>, options: &RustOptions) -> Generated {
    let mut plan = Plan::of(input);
    let mut diagnostics = std::mem::take(&mut plan.diagnostics);
    let context = Context { input, options };
    let mut helpers = BTreeSet::new();
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for (index, file) in input.program.files.iter().enumerate() {
        let id = FileId(index as u32);
        let place = RustModules::of(&file.path, &file.document, options);
        let text = context.file(id, &place, &plan, &mut helpers, &mut diagnostics);
        let module = unique(&place.module, &modules);
        files.push(GeneratedFile { path: format!("{}/{module}.rs", options.folder), text });
        modules.push(module);
    }
    let text = support::module(&modules, &helpers);
    files.insert(0, GeneratedFile { path: format!("{}/mod.rs", options.folder), text });
    let mut generated = Generated::new(files, diagnostics);
    if helpers.contains(&Helper::Regex) {
        generated.needs.push("regex");
    }
    generated
}

/// A name that no other file has.
fn unique(name: &str, taken: &[String]) -> String {
    let mut unique = name.to_owned();
    while taken.contains(&unique) {
        unique.push('_');
    }
    unique
}

/// Where the types of a file are.
struct RustModules {
    /// The module of the validators.
    module: String,
    /// The path of the module that holds the types.
    types: String,
}

impl RustModules {
    fn of(path: &str, document: &IdlFile, options: &RustOptions) -> RustModules {
        let stem = path.rsplit('/').next().unwrap_or(path);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).replace('.', "_");
        let find = |scope: &str| {
            document.headers.iter().find_map(|header| match header {
                Header::Namespace(it) if it.scope.text == scope => Some(it.name.text.clone()),
                _ => None,
            })
        };
        let namespace = find("rs");
        let types = match options.types {
            RustTypes::Pilota => {
                let path = namespace.unwrap_or_else(|| stem.clone());
                path.split('.').fold(options.root.clone(), |path, part| {
                    format!("{path}::{}", names::escaped(&names::pilota_snake(part), options.types))
                })
            }
            // UPSTREAM: the Apache compiler makes one file for each IDL file, and other files look for it below the
            // modules of its namespace, as they are written.
            RustTypes::Apache => {
                let namespace = namespace.or_else(|| find("*")).unwrap_or_default();
                let parts = namespace.split('.').filter(|part| !part.is_empty());
                let folder = parts.fold(options.root.clone(), |path, part| format!("{path}::{part}"));
                format!("{folder}::{}", names::apache_snake(&stem))
            }
        };
        RustModules { module: names::module(&stem), types }
    }
}

/// What the code of every struct needs to know.
struct Context<'a> {
    input: Input<'a>,
    options: &'a RustOptions,
}

impl<'a> Context<'a> {
    fn file(
        &self,
        id: FileId,
        place: &RustModules,
        plan: &Plan<'a>,
        helpers: &mut BTreeSet<Helper>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> String {
        let mut patterns: Vec<String> = Vec::new();
        let mut out = Lines::new("    ");
        for it in plan.structs.iter().filter(|plan| plan.it.file == id) {
            self.reader_defaults(it, diagnostics);
            for name in self.type_names(it, diagnostics) {
                let mut body = Body::new(self, it, helpers, &mut patterns, diagnostics);
                out.line("");
                out.raw(&body.implementation(&format!("{}::{name}", place.types)));
            }
        }
        let mut text = String::from(support::HEADER);
        text.push_str("\nuse super::*;\n");
        for (index, pattern) in patterns.iter().enumerate() {
            text.push_str(&support::pattern(index + 1, pattern));
        }
        text.push_str(&out.finish());
        text
    }

    /// Says where the reader of the types sees something else than others in a field that was not sent.
    // UPSTREAM: the reader of the Apache compiler's Rust knows no defaults, and gives a plain field that is absent a zero or an
    // empty value, as if it had been sent.
    fn reader_defaults(&self, plan: &StructPlan<'_>, diagnostics: &mut Vec<Diagnostic>) {
        if self.options.types != RustTypes::Apache || !plan.it.role.is_declared() {
            return;
        }
        for field in &plan.fields {
            let name = &field.field.name.text;
            let plain = field.field.requiredness == Requiredness::Default
                && !matches!(self.input.model.real(field.field.ty), Type::Struct(_));
            let message = match (field.field.default.is_some(), plain) {
                (true, true) => format!(
                    "the reader of these types does not know the default of `{name}`: it is zero or empty where it was not sent"
                ),
                (true, false) => format!(
                    "the reader of these types does not know the default of `{name}`: it is not there where it was not sent"
                ),
                (false, true) if field.requires() => {
                    format!("the reader of these types gives `{name}` a value where it was not sent")
                }
                (false, _) => continue,
            };
            diagnostics.push(
                field.reader_default(
                    message,
                    "other readers see something else there; rules see it on the wire",
                ),
            );
        }
    }

    /// The Rust types that a struct becomes and that need an implementation.
    fn type_names(&self, plan: &StructPlan<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<String> {
        let it = plan.it;
        let types = self.options.types;
        match (it.role, types) {
            (StructRole::Struct | StructRole::Union | StructRole::Exception, _) => {
                vec![names::structure(&it.name.text, types)]
            }
            (StructRole::Arguments, RustTypes::Pilota) if plan.busy => {
                let Some((service, function)) = self.owner(plan.id) else { return Vec::new() };
                let stem = format!("{}{}", names::upper_camel(&service), names::upper_camel(&function));
                vec![format!("{stem}ArgsSend"), format!("{stem}ArgsRecv")]
            }
            (StructRole::Arguments, RustTypes::Apache) if plan.busy => {
                let message = format!("the rules of `{}` cannot be generated", it.name.text);
                let help =
                    "the Apache compiler keeps the structs of arguments to itself; validate them on the wire";
                diagnostics.push(
                    Code::UnseenField.at(it.name.span, message).with_severity(Severity::Warning).help(help),
                );
                Vec::new()
            }
            // Results are enums that own what was declared elsewhere.
            (StructRole::Arguments | StructRole::Result, _) => Vec::new(),
        }
    }

    /// The service and the function that a struct holds the arguments of.
    fn owner(&self, id: StructId) -> Option<(String, String)> {
        self.input.model.services.iter().find_map(|service| {
            let function = service.functions.iter().find(|function| function.arguments == id)?;
            Some((service.name.text.clone(), function.name.text.clone()))
        })
    }
}

/// A Rust string literal.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A Rust byte string literal.
fn byte_quoted(bytes: &[u8]) -> String {
    format!("b\"{}\"", bytes.escape_ascii())
}
