//! Where resources and modules are deployed to: what `scope:` means.

use syntax::NodeId;
use syntax::ast::{AstNode as _, Expr, Statement};

use crate::functions::ScopeFunction;
use crate::symbols::{CallSyntax, Model, Module, ResourceId, SymbolKind};
use crate::types::Scopes;

const RESOURCE_GROUP: &str = "Microsoft.Resources/resourceGroups";
const MANAGEMENT_GROUP: &str = "Microsoft.Management/managementGroups";

/// The scope of a resource or module; expressions are nodes of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScopeData {
    /// What kind of scope it is.
    pub(crate) kind: Scopes,
    pub(crate) management_group: Option<NodeId>,
    pub(crate) subscription: Option<NodeId>,
    pub(crate) resource_group: Option<NodeId>,
    /// The resource that is extended.
    pub(crate) resource: Option<ResourceId>,
    /// Which element of a collection is meant.
    pub(crate) index: Option<NodeId>,
}

/// The scopes of all resources, by their ids. Children have the scope of their outermost parent.
pub(crate) fn resource_scopes(model: &Model) -> Vec<ScopeData> {
    let own = |id: ResourceId| {
        let resource = model.resource(id);
        let scope =
            resource.extension.is_none().then(|| model.body_property(&resource.body, "scope")).flatten();
        scope
            .and_then(|scope| read(model, scope, 0))
            .unwrap_or(ScopeData { kind: model.target, ..ScopeData::default() })
    };
    model
        .all_resources()
        .map(|(id, _)| match model.ancestors(id).first() {
            Some(root) => own(root.resource),
            None => own(id),
        })
        .collect()
}

/// The scope of a module.
pub(crate) fn module_scope(model: &Model, module: &Module) -> ScopeData {
    let scope = model.body_property(&module.body, "scope");
    scope
        .and_then(|scope| read(model, scope, 0))
        .unwrap_or(ScopeData { kind: model.target, ..ScopeData::default() })
}

/// What an expression means as a scope.
fn read(model: &Model, scope: Expr<'_>, depth: usize) -> Option<ScopeData> {
    const MAX_NAMES: usize = 64;
    if depth > MAX_NAMES {
        return None;
    }
    match scope {
        Expr::ParenthesizedExpression(it) => read(model, it.expression(), depth + 1),
        Expr::NonNullAssertion(it) => read(model, it.base(), depth + 1),
        Expr::FunctionCall(_) | Expr::InstanceFunctionCall(_) => call(model, CallSyntax::of(scope)?),
        Expr::ArrayAccess(access) => {
            let base = access.base();
            matches!(base, Expr::VariableAccess(_) | Expr::ResourceAccess(_))
                .then(|| resource(model, base, Some(access.index().node().id()), depth))
                .flatten()
        }
        Expr::VariableAccess(_) | Expr::ResourceAccess(_) => {
            let symbol = model.symbol_in(scope)?;
            match model.statement_of(symbol)? {
                Statement::VariableDeclaration(variable) => read(model, variable.value(), depth + 1),
                _ => resource(model, scope, None, depth),
            }
        }
        _ => None,
    }
}

fn call(model: &Model, call: CallSyntax<'_>) -> Option<ScopeData> {
    let scope = model.binding(call.node().id()).function()?.scope?;
    let arguments: Vec<NodeId> = call.arguments().map(|argument| argument.node().id()).collect();
    Some(called(scope, &arguments))
}

/// What a call of a scope function with these arguments means as a scope.
fn called(function: ScopeFunction, arguments: &[NodeId]) -> ScopeData {
    let first = arguments.first().copied();
    match function {
        ScopeFunction::Tenant => ScopeData { kind: Scopes::TENANT, ..ScopeData::default() },
        ScopeFunction::ManagementGroup => {
            ScopeData { kind: Scopes::MANAGEMENT_GROUP, management_group: first, ..ScopeData::default() }
        }
        ScopeFunction::Subscription => {
            ScopeData { kind: Scopes::SUBSCRIPTION, subscription: first, ..ScopeData::default() }
        }
        ScopeFunction::ResourceGroup => {
            let (subscription, resource_group) = match arguments {
                [] => (None, None),
                [group] => (None, Some(*group)),
                [subscription, group, ..] => (Some(*subscription), Some(*group)),
            };
            ScopeData { kind: Scopes::RESOURCE_GROUP, subscription, resource_group, ..ScopeData::default() }
        }
    }
}

/// What a resource means as a scope; `depth` is how many names led to it, because groups can name each other.
fn resource(model: &Model, expression: Expr<'_>, index: Option<NodeId>, depth: usize) -> Option<ScopeData> {
    let symbol = model.symbol_in(expression)?;
    if model.symbol(symbol).kind != SymbolKind::Resource {
        return None;
    }
    let id = model.resource_id(symbol)?;
    let target = model.resource(id);
    let ty = target.ty.as_ref()?;
    let name = || model.body_property(&target.body, "name").map(|name| name.node().id());
    if ty.is(RESOURCE_GROUP) {
        let scope =
            model.body_property(&target.body, "scope").and_then(|scope| read(model, scope, depth + 1));
        let subscription = scope.and_then(|scope| scope.subscription);
        return Some(ScopeData {
            kind: Scopes::RESOURCE_GROUP,
            subscription,
            resource_group: name(),
            index,
            ..ScopeData::default()
        });
    }
    if ty.is(MANAGEMENT_GROUP) {
        return Some(ScopeData {
            kind: Scopes::MANAGEMENT_GROUP,
            management_group: name(),
            index,
            ..ScopeData::default()
        });
    }
    Some(ScopeData { kind: Scopes::RESOURCE, resource: Some(id), index, ..ScopeData::default() })
}
