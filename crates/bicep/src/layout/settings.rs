//! Which form a template takes.

use syntax::ast::{AstNode as _, InstanceFunctionCall, Statement};
use syntax::{NodeKind, SyntaxNode};

use crate::CompilerOptions;
use crate::decorators::Requires;
use crate::language::Feature;
use crate::symbols::{Model, SymbolKind};
use crate::types::BuiltIn;

/// The form of a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TemplateForm {
    /// Resources are an object whose keys are their names in the program.
    pub(crate) symbolic: bool,
    /// The template needs an experimental engine.
    pub(crate) experimental: bool,
}

impl TemplateForm {
    /// The form that the program asks for.
    pub(crate) fn of(model: &Model, options: &CompilerOptions) -> TemplateForm {
        let experimental = is_experimental(model);
        TemplateForm {
            symbolic: experimental || model.file.is_test() || options.symbolic_names || needs_symbols(model),
            experimental,
        }
    }
}

/// Tells whether the template of a program uses symbolic names, whatever the options say.
pub(crate) fn uses_symbolic_names(model: &Model) -> bool {
    is_experimental(model) || needs_symbols(model)
}

fn is_experimental(model: &Model) -> bool {
    model.features().iter().any(Feature::needs_engine)
        || has_decorator(model, Requires::ExperimentalEngine)
        || model.file.tree.root().subtree().any(|node| is_this_call(model, node))
}

fn has_decorator(model: &Model, requires: Requires) -> bool {
    deployed(model).any(|node| model.decorators(node).any(|(row, _)| row.requires(model.dialect) == requires))
}

/// Tells whether a resource or module has an option that the language does not know.
fn has_declared_option(model: &Model) -> bool {
    !model.declared.is_empty() && deployed(model).any(|node| model.options(node).next().is_some())
}

/// The declarations of resources and modules.
pub(crate) fn deployed(model: &Model) -> impl Iterator<Item = SyntaxNode<'_>> {
    let resources = model.resources.iter().map(|resource| resource.symbol);
    resources.chain(model.modules.iter().map(|module| module.symbol)).map(|symbol| model.node_of(symbol))
}

fn is_this_call(model: &Model, node: SyntaxNode<'_>) -> bool {
    node.kind() == NodeKind::InstanceFunctionCall
        && model.binding(node.id()).function().is_some_and(|function| function.namespace == BuiltIn::This)
        && InstanceFunctionCall::cast(node).is_some()
}

fn needs_symbols(model: &Model) -> bool {
    let declarations = &model.declarations;
    let features = model.features();
    features.has(Feature::SymbolicNameCodegen)
        || features.has(Feature::ResourceInfoCodegen)
        || !declarations.extensions.is_empty()
        || model.resources.iter().any(|resource| resource.extension.is_some())
        || declarations.variables.iter().any(|variable| {
            matches!(model.statement_of(*variable), Some(Statement::VariableDeclaration(it)) if it.ty().is_some())
        })
        || !declarations.types.is_empty()
        || !declarations.functions.is_empty()
        || !declarations.imported.is_empty()
        || !declarations.wildcards.is_empty()
        || model.has_secure_outputs()
        || model.modules.iter().any(|module| model.module_target(module).is_some_and(|it| it.has_secure_outputs()))
        || model.modules.iter().any(|module| model.body_property(&module.body, "name").is_none())
        || model.resources.iter().any(|resource| {
            resource.is_existing && model.body_property(&resource.body, "dependsOn").is_some()
        })
        || has_decorator(model, Requires::SymbolicNames)
        || has_declared_option(model)
        || model.file.tree.root().subtree().any(|node| {
            matches!(
                node.kind(),
                NodeKind::ObjectType
                    | NodeKind::ArrayType
                    | NodeKind::TupleType
                    | NodeKind::UnionType
                    | NodeKind::NullableType
            )
        })
        || mentions_whole_collection(model)
}

/// Tells whether a collection of resources or modules is used as a value.
fn mentions_whole_collection(model: &Model) -> bool {
    let depends_on: Vec<_> = model
        .resources
        .iter()
        .map(|resource| &resource.body)
        .chain(model.modules.iter().map(|module| &module.body))
        .filter_map(|body| model.body_property(body, "dependsOn"))
        .map(|value| value.span())
        .collect();
    model.file.tree.root().subtree().filter(|node| node.kind() == NodeKind::VariableAccess).any(|node| {
        let Some(symbol) = model.symbol_at(node) else { return false };
        let is_collection = match model.symbol(symbol).kind {
            SymbolKind::Resource => model.resource_of(symbol).is_some_and(|it| it.body.is_collection()),
            SymbolKind::Module => model.module_of(symbol).is_some_and(|it| it.body.is_collection()),
            _ => false,
        };
        is_collection
            && !depends_on.iter().any(|span| span.encloses(node.span()))
            && !matches!(outer_kind(model, node), Some(NodeKind::PropertyAccess | NodeKind::ArrayAccess))
    })
}

/// The kind of the node around a node, parentheses aside.
fn outer_kind(model: &Model, node: SyntaxNode<'_>) -> Option<NodeKind> {
    let mut at = model.file.parent(node)?;
    while at.kind() == NodeKind::ParenthesizedExpression {
        at = model.file.parent(at)?;
    }
    Some(at.kind())
}
