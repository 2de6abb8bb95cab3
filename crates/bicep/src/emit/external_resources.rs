//! Resources that are not declared in the file: those that a parameter or the output of a module gives.

use syntax::ast::{
    AstNode as _, Expr, OutputDeclaration, ParameterDeclaration, PropertyAccess, Statement, TypeExpr,
};

use super::arena::ExprId;
use super::emitter::Emitter;
use super::references::Reference;
use crate::layout::resource_type;
use crate::symbols::{Model, ModuleTarget, SymbolId, SymbolKind};
use crate::types::TypeReference;

/// A resource of which only the id and the type are known.
#[derive(Clone, Debug)]
pub(crate) struct ExternalResource {
    source: Source,
    ty: TypeReference,
}

#[derive(Clone, Debug)]
enum Source {
    Parameter(SymbolId),
    Output { module: SymbolId, name: String, safe: bool },
}

/// Tells whether a parameter of a module takes a resource.
pub(super) fn takes_resource(target: &ModuleTarget, name: &str) -> bool {
    let ModuleTarget::Bicep(model) = target else { return false };
    let parameters = model.declarations.parameters.iter();
    let found = parameters.into_iter().find(|symbol| model.symbol(**symbol).name == name);
    found.is_some_and(|symbol| match model.statement_of(*symbol) {
        Some(Statement::ParameterDeclaration(parameter)) => resource_type(parameter.ty()).is_some(),
        _ => false,
    })
}

fn output_type(model: &Model, name: &str) -> Option<TypeReference> {
    let found = model.declarations.outputs.iter().find(|symbol| model.symbol(**symbol).name == name)?;
    match model.statement_of(*found)? {
        Statement::OutputDeclaration(output) => {
            resource_type(output.ty()).or_else(|| inferred_type(model, output))
        }
        _ => None,
    }
}

/// The type of a resource that an output without one gives.
pub(super) fn inferred_type(model: &Model, output: OutputDeclaration<'_>) -> Option<TypeReference> {
    if !matches!(output.ty(), TypeExpr::ResourceType(_)) {
        return None;
    }
    let symbol = model.symbol_in(output.value())?;
    match model.symbol(symbol).kind {
        SymbolKind::Resource => model.resource_of(symbol)?.ty.clone(),
        SymbolKind::Parameter => match model.statement_of(symbol)? {
            Statement::ParameterDeclaration(parameter) => resource_type(parameter.ty()),
            _ => None,
        },
        _ => None,
    }
}

impl<'u> Emitter<'u> {
    /// The resource that a parameter gives.
    pub(super) fn given_parameter(&self, symbol: SymbolId) -> Option<ExternalResource> {
        let parameter = ParameterDeclaration::cast(self.unit.model.node_of(symbol))?;
        let ty = self.spelled(resource_type(parameter.ty())?);
        Some(ExternalResource { source: Source::Parameter(symbol), ty })
    }

    /// The resource that an output of a module gives.
    pub(super) fn given_output(&self, access: PropertyAccess<'u>) -> Option<ExternalResource> {
        let Expr::PropertyAccess(outputs) = access.base() else { return None };
        if outputs.name().text() != "outputs" {
            return None;
        }
        let model = self.unit.model;
        let base = match outputs.base() {
            Expr::ArrayAccess(element) => element.base(),
            base => base,
        };
        let module =
            model.symbol_in(base).filter(|symbol| model.symbol(*symbol).kind == SymbolKind::Module)?;
        let Some(ModuleTarget::Bicep(target)) = model.module_target(model.module_of(module)?) else {
            return None;
        };
        let name = access.name().text();
        let ty = self.spelled(output_type(target, name)?);
        let safe = access.safe_access().is_some();
        Some(ExternalResource { source: Source::Output { module, name: name.to_owned(), safe }, ty })
    }

    /// The id of the resource.
    pub(super) fn given_id(&mut self, given: &ExternalResource) -> ExprId {
        match &given.source {
            Source::Parameter(symbol) => {
                let name = self.arena.text(&self.unit.model.symbol(*symbol).name);
                self.arena.call("parameters", &[name])
            }
            Source::Output { module, name, .. } => {
                let outputs = self.given_outputs(*module);
                let output = self.arena.property(outputs, name);
                self.arena.property(output, "value")
            }
        }
    }

    fn given_outputs(&mut self, module: SymbolId) -> ExprId {
        let name = &self.unit.model.symbol(module).name;
        let reference = if self.unit.settings.symbolic {
            let name = self.arena.text(name);
            self.arena.call("reference", &[name])
        } else {
            self.module_reference_call(module, None)
        };
        self.arena.property(reference, "outputs")
    }

    /// The resource as a value.
    pub(super) fn given_reference(&mut self, given: &ExternalResource, full: bool) -> ExprId {
        let mut arguments = vec![self.given_id(given)];
        if full || !self.unit.settings.symbolic {
            arguments.push(self.arena.text(given.ty.version.as_deref().unwrap_or_default()));
        }
        if full {
            arguments.push(self.arena.text("full"));
        }
        self.arena.call("reference", &arguments)
    }

    /// A property of the resource.
    pub(super) fn given_property(&mut self, given: &ExternalResource, name: &str, safe: bool) -> ExprId {
        match (name, &given.source) {
            ("type", _) => self.arena.text(&given.ty.name),
            ("apiVersion", _) => self.arena.text(given.ty.version.as_deref().unwrap_or_default()),
            ("id", Source::Output { module, name, safe: true }) => {
                let outputs = self.given_outputs(*module);
                let (name, value) = (self.arena.text(name), self.arena.text("value"));
                self.arena.call("tryGet", &[outputs, name, value])
            }
            ("id", _) => self.given_id(given),
            ("name", source) => {
                let id = self.given_id(given);
                let slash = self.arena.text("/");
                let parts = self.arena.call("split", &[id, slash]);
                let last = self.arena.call("last", &[parts]);
                let Source::Output { module, name, safe: true } = source else { return last };
                let outputs = self.given_outputs(*module);
                let name = self.arena.text(name);
                let exists = self.arena.call("contains", &[outputs, name]);
                let null = self.arena.call("null", &[]);
                self.arena.call("if", &[exists, last, null])
            }
            ("properties", _) if !safe => self.given_reference(given, false),
            _ => {
                let reference = self.given_reference(given, true);
                let name = self.arena.text(name);
                if safe {
                    self.arena.call("tryGet", &[reference, name])
                } else {
                    self.arena.step(reference, name)
                }
            }
        }
    }

    /// The id of whatever resource an expression stands for.
    pub(super) fn id_of(&mut self, expression: Expr<'u>) -> Option<ExprId> {
        match self.reference(expression)? {
            Reference::Resource { id, index } => {
                let outer = self.locals.len();
                self.locals.extend(index.into_iter().flat_map(|index| index.locals));
                let id = self.resource_id_expression(id);
                self.locals.truncate(outer);
                Some(id)
            }
            Reference::Given(given) => Some(self.given_id(&given)),
            Reference::Module { .. } => None,
        }
    }

    /// `given.listKeys(...)`
    pub(super) fn given_call(
        &mut self,
        given: &ExternalResource,
        name: &str,
        arguments: &[ExprId],
    ) -> ExprId {
        let mut all = vec![self.given_id(given)];
        if arguments.is_empty() {
            all.push(self.arena.text(given.ty.version.as_deref().unwrap_or_default()));
        }
        all.extend_from_slice(arguments);
        self.arena.call_named(name, &all)
    }
}
