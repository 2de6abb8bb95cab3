//! Services: what they extend, their functions, and the structs that carry arguments and results.

use std::collections::HashMap;

use super::data::{Field, Function, ServiceId, Struct, StructId, StructRole, Type};
use super::graph;
use super::names::Symbol;
use super::resolve::Resolver;
use crate::idl::{self, Annotations, Comments, IdlName, MAX_DEPTH, Requiredness};
use crate::{Code, FileId, Span};

impl<'p> Resolver<'p> {
    pub(super) fn services(&mut self) {
        let declared = std::mem::take(&mut self.declared.services);
        for (id, tree) in &declared {
            let file = self.model[*id].file;
            let extends = tree.extends.as_ref().and_then(|name| self.extended(file, name));
            let functions = self.functions(file, tree);
            if let Some(slot) = self.model.services.get_mut(id.0 as usize) {
                slot.extends = extends;
                slot.functions = functions;
            }
        }
        self.break_cycles(&declared);
        self.inherited_functions();
        self.declared.services = declared;
    }

    fn extended(&mut self, file: FileId, name: &IdlName) -> Option<ServiceId> {
        match self.names.symbol(self.program, file, &name.text, name.span, Code::UnknownService) {
            Ok((Symbol::Service(id), defined)) => {
                if defined.file == file && defined.start > name.span.start {
                    let message = format!("the service `{}` is defined below", name.text);
                    self.disagree(Code::UseBeforeDefinition, name.span, message);
                }
                Some(id)
            }
            Ok((_, defined)) => {
                let message = format!("`{}` is a type, not a service", name.text);
                let diagnostic = Code::UnknownService.at(name.span, message);
                self.report(diagnostic.label(defined, "defined here"));
                None
            }
            Err(diagnostic) => {
                self.report(*diagnostic);
                None
            }
        }
    }

    fn break_cycles(&mut self, declared: &[(ServiceId, &'p idl::Service)]) {
        let edges: Vec<Vec<usize>> = self
            .model
            .services
            .iter()
            .map(|it| it.extends.iter().map(|id| id.0 as usize).collect())
            .collect();
        let order = graph::order(&edges);
        for cycle in &order.cycles {
            let name = |at: usize| self.model.services.get(at).map_or("", |it| it.name.text.as_str());
            let message = format!("services extend each other: {}", graph::describe(cycle, name));
            let last =
                cycle.last().and_then(|at| declared.get(*at)).and_then(|(_, tree)| tree.extends.as_ref());
            if let Some(extends) = last {
                let span = extends.span;
                self.report(Code::ServiceCycle.at(span, message));
            }
        }
        for (service, closes) in self.model.services.iter_mut().zip(order.closes_cycle) {
            if closes {
                service.extends = None;
            }
        }
        self.bound_chains(&order.finished);
    }

    /// Breaks chains of services that are so long that to list the functions of each would be.
    fn bound_chains(&mut self, finished: &[usize]) {
        let mut lengths = vec![0; self.model.services.len()];
        for at in finished {
            let Some(service) = self.model.services.get_mut(*at) else { continue };
            let Some(below) = service.extends.and_then(|id| lengths.get(id.0 as usize)).copied() else {
                continue;
            };
            if below >= MAX_DEPTH {
                service.extends = None;
                let message = format!("more than {MAX_DEPTH} services extend each other in a row");
                let span = service.name.span;
                self.report(Code::TooDeep.at(span, message));
            } else if let Some(length) = lengths.get_mut(*at) {
                *length = below + 1;
            }
        }
    }

    /// Reports functions that hide an inherited one. Each service looks only as far up as its own names
    /// allow, so a long chain stays cheap: the walk is bounded.
    fn inherited_functions(&mut self) {
        const MAX_STEPS: usize = 100_000;
        let mut steps = 0;
        let mut found = Vec::new();
        for service in &self.model.services {
            let own: HashMap<&str, Span> =
                service.functions.iter().map(|it| (it.name.text.as_str(), it.name.span)).collect();
            let mut base = service.extends;
            while let Some(id) = base {
                let above = &self.model[id];
                steps += above.functions.len() + 1;
                if steps > MAX_STEPS {
                    break;
                }
                for function in &above.functions {
                    if let Some(span) = own.get(function.name.text.as_str()) {
                        found.push((*span, function.name.text.clone(), above.name.text.clone()));
                    }
                }
                base = above.extends;
            }
        }
        for (span, function, service) in found {
            let message = format!("`{function}` is inherited from `{service}` already");
            self.disagree(Code::InheritedFunction, span, message);
        }
    }

    fn functions(&mut self, file: FileId, tree: &'p idl::Service) -> Vec<Function> {
        let mut functions = Vec::with_capacity(tree.functions.len());
        let mut names: HashMap<&str, Span> = HashMap::new();
        for function in &tree.functions {
            if let Some(first) = names.insert(&function.name.text, function.name.span) {
                let message = format!("the function `{}` is already defined", function.name.text);
                let diagnostic = Code::DuplicateFunction.at(function.name.span, message);
                self.report(
                    diagnostic.label(first, "first defined here").help("functions cannot be overloaded"),
                );
                continue;
            }
            functions.push(self.function(file, function));
        }
        functions
    }

    fn function(&mut self, file: FileId, tree: &'p idl::Function) -> Function {
        let result_type = tree.result.as_ref().map(|ty| self.type_node(file, ty));
        if let (Some(oneway), Some(ty)) = (tree.oneway, &tree.result) {
            let message = format!("the oneway function `{}` has a result", tree.name.text);
            self.disagree(Code::OnewayResult, oneway.to(ty.span), message);
        }
        let arguments = self.implied_struct(file, StructRole::Arguments, tree, "args");
        let fields = self.fields(file, StructRole::Arguments, &tree.arguments, arguments, 0);
        self.set_fields(arguments, fields);
        let result = match tree.oneway {
            None => Some(self.result_struct(file, tree, result_type)),
            Some(_) => {
                if let Some(throws) = tree.throws.as_ref().filter(|throws| !throws.fields.is_empty()) {
                    let message = format!("the oneway function `{}` throws", tree.name.text);
                    self.disagree(Code::OnewayThrows, throws.span, message);
                }
                None
            }
        };
        Function {
            name: tree.name.clone(),
            oneway: tree.oneway.is_some(),
            result_type,
            arguments,
            result,
            annotations: tree.annotations.clone(),
            comments: tree.comments.clone(),
            span: tree.span,
        }
    }

    fn implied_struct(
        &mut self,
        file: FileId,
        role: StructRole,
        tree: &idl::Function,
        suffix: &str,
    ) -> StructId {
        self.model.add_struct(Struct {
            file,
            role,
            name: IdlName { text: format!("{}_{suffix}", tree.name.text), span: tree.name.span },
            fields: Vec::new(),
            annotations: Annotations::default(),
            comments: Comments::default(),
        })
    }

    fn set_fields(&mut self, id: StructId, fields: Vec<Field>) {
        if let Some(slot) = self.model.structs.get_mut(id.0 as usize) {
            slot.fields = fields;
        }
    }

    fn result_struct(
        &mut self,
        file: FileId,
        tree: &'p idl::Function,
        result_type: Option<super::TypeId>,
    ) -> StructId {
        let result = self.implied_struct(file, StructRole::Result, tree, "result");
        let mut fields: Vec<Field> = Vec::new();
        if let Some(ty) = result_type {
            let span = self.model[ty].span;
            fields.push(Field {
                id: 0,
                implicit_id: true,
                requiredness: Requiredness::Optional,
                ty,
                name: IdlName { text: "success".to_owned(), span },
                default: None,
                annotations: Annotations::default(),
                comments: Comments::default(),
                span,
            });
        }
        if let Some(throws) = &tree.throws {
            let thrown = self.fields(file, StructRole::Result, &throws.fields, result, fields.len());
            for field in &thrown {
                self.check_thrown(field);
            }
            fields.extend(thrown);
        }
        self.set_fields(result, fields);
        result
    }

    fn check_thrown(&mut self, field: &Field) {
        let is_exception = match self.model.real(field.ty) {
            Type::Struct(id) => self.model[id].role == StructRole::Exception,
            Type::Error => true,
            _ => false,
        };
        if !is_exception {
            let node = &self.model[field.ty];
            let (span, name) = (node.span, self.model.type_name(field.ty));
            self.disagree(Code::ThrowsNotException, span, format!("`{name}` is not an exception"));
        }
    }
}
