//! The order of resolving: declare every name, then types, members, services, constants and defaults.

use super::Config;
use super::data::{
    Const, ConstId, Enum, EnumId, Model, Service, ServiceId, Struct, StructId, StructRole, Type, TypeNode,
    Typedef, TypedefId,
};
use super::load::ThriftProgram;
use super::names::{FileNames, Scope, Symbol};
use crate::idl::{self, Definition, IdlName, StructKind, judge};
use crate::{Code, Diagnostic, FileId, Span};

/// Resolves all names of a program. What cannot be resolved is reported, and is an error in the model.
pub fn resolve(program: &ThriftProgram, config: &Config) -> (Model, Vec<Diagnostic>) {
    let mut resolver = Resolver {
        program,
        config,
        model: Model::default(),
        names: FileNames::default(),
        declared: DeclarationIndex::default(),
        diagnostics: Vec::new(),
    };
    resolver.declare();
    resolver.enums();
    resolver.typedefs();
    resolver.structs();
    resolver.services();
    resolver.constants();
    resolver.defaults();
    resolver.bound_defaults();
    resolver.endless_structs();
    let Resolver { model, mut diagnostics, .. } = resolver;
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary);
    (model, diagnostics)
}

pub(super) struct Resolver<'p> {
    pub(super) program: &'p ThriftProgram,
    pub(super) config: &'p Config,
    pub(super) model: Model,
    pub(super) names: FileNames,
    pub(super) declared: DeclarationIndex<'p>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Each definition's tree beside its id.
#[derive(Default)]
pub(super) struct DeclarationIndex<'p> {
    pub(super) typedefs: Vec<(TypedefId, &'p idl::Typedef)>,
    pub(super) enums: Vec<(EnumId, &'p idl::Enum)>,
    pub(super) structs: Vec<(StructId, &'p idl::StructLike)>,
    pub(super) services: Vec<(ServiceId, &'p idl::Service)>,
    pub(super) consts: Vec<(ConstId, &'p idl::Const)>,
    /// Field defaults to work out when constants are known: struct, position, tree.
    pub(super) defaults: Vec<(StructId, usize, &'p idl::ConstValue)>,
}

impl<'p> Resolver<'p> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        // Loading has reported the missing file; each use of it says nothing new.
        if diagnostic.code != Code::IncludeNotFound.name() {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports a construct that not every compiler accepts.
    pub(super) fn disagree(&mut self, code: Code, span: Span, message: String) {
        if let Some((severity, who)) = judge(code, self.config.strict) {
            self.report(code.at(span, format!("{message}; {who}")).with_severity(severity));
        }
    }

    fn declare(&mut self) {
        let program = self.program;
        for (index, file) in program.files.iter().enumerate() {
            let id = FileId(index as u32);
            self.names.scopes.push(Scope::default());
            for definition in &file.document.definitions {
                self.declare_one(id, definition);
            }
        }
    }

    fn declare_one(&mut self, file: FileId, definition: &'p Definition) {
        let name = definition.name().clone();
        let symbol = match definition {
            Definition::Const(it) => {
                let ty = self.placeholder(it.ty.span);
                let id = self.model.add_const(Const {
                    file,
                    name,
                    ty,
                    value: None,
                    annotations: it.annotations.clone(),
                    comments: it.comments.clone(),
                });
                self.declared.consts.push((id, it));
                self.name_const(file, &it.name, id);
                return;
            }
            Definition::Typedef(it) => {
                let target = self.placeholder(it.ty.span);
                let id = self.model.add_typedef(Typedef {
                    file,
                    name,
                    target,
                    real: target,
                    annotations: it.annotations.clone(),
                    comments: it.comments.clone(),
                });
                self.declared.typedefs.push((id, it));
                Symbol::Typedef(id)
            }
            Definition::Enum(it) => {
                let id = self.model.add_enum(Enum {
                    file,
                    name,
                    members: Vec::new(),
                    numbers: Vec::new(),
                    annotations: it.annotations.clone(),
                    comments: it.comments.clone(),
                });
                self.declared.enums.push((id, it));
                Symbol::Enum(id)
            }
            Definition::Struct(it) => {
                let role = match it.kind {
                    StructKind::Struct => StructRole::Struct,
                    StructKind::Union => StructRole::Union,
                    StructKind::Exception => StructRole::Exception,
                };
                let id = self.model.add_struct(Struct {
                    file,
                    role,
                    name,
                    fields: Vec::new(),
                    annotations: it.annotations.clone(),
                    comments: it.comments.clone(),
                });
                self.declared.structs.push((id, it));
                Symbol::Struct(id)
            }
            Definition::Service(it) => {
                let id = self.model.add_service(Service {
                    file,
                    name,
                    extends: None,
                    functions: Vec::new(),
                    annotations: it.annotations.clone(),
                    comments: it.comments.clone(),
                });
                self.declared.services.push((id, it));
                Symbol::Service(id)
            }
        };
        self.name_symbol(file, definition.name(), symbol);
    }

    /// A type node to stand where the type will be known later.
    fn placeholder(&mut self, span: Span) -> super::TypeId {
        let node = TypeNode { ty: Type::Error, annotations: Default::default(), cpp_type: None, span };
        self.model.add_type(node)
    }

    fn name_symbol(&mut self, file: FileId, name: &IdlName, symbol: Symbol) {
        let Some(scope) = self.names.scopes.get_mut(file.0 as usize) else { return };
        let constant = scope.consts.get(&name.text).map(|(_, span)| *span);
        let before = scope.symbols.get(&name.text).map(|(_, span)| *span);
        if before.is_none() {
            scope.symbols.insert(name.text.clone(), (symbol, name.span));
            scope.in_order.push(name.text.clone());
        }
        self.report_taken(name, before, constant);
    }

    fn name_const(&mut self, file: FileId, name: &IdlName, id: ConstId) {
        let Some(scope) = self.names.scopes.get_mut(file.0 as usize) else { return };
        let symbol = scope.symbols.get(&name.text).map(|(_, span)| *span);
        let before = scope.consts.get(&name.text).map(|(_, span)| *span);
        if before.is_none() {
            scope.consts.insert(name.text.clone(), (id, name.span));
            scope.in_order.push(name.text.clone());
        }
        self.report_taken(name, before, symbol);
    }

    fn report_taken(&mut self, name: &IdlName, same_kind: Option<Span>, other_kind: Option<Span>) {
        if let Some(before) = same_kind {
            let message = format!("`{}` is already defined", name.text);
            let diagnostic = Code::DuplicateDefinition.at(name.span, message);
            self.report(diagnostic.label(before, "first defined here").help("rename one of the two"));
        } else if other_kind.is_some() {
            let message = format!("`{}` names a constant and a type or service", name.text);
            self.disagree(Code::SharedName, name.span, message);
        }
    }
}
