//! `stacks-extensibility-compat`: configurations of extensions that a deployment stack cannot keep.

use syntax::ast::{AstNode as _, Expr, ExtensionConfigAssignment, ExtensionWithClause, Object};
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::language::Feature;
use crate::symbols::{Binding, SymbolKind};
use crate::types::{BuiltIn, Ty, TypeFlags, non_null};

pub(super) const RULE: LintRule = LintRule::new(
    "stacks-extensibility-compat",
    Category::DeploymentStacks,
    "Configurations of extensions are such that a deployment stack can keep them.",
    "A stack keeps the configuration of an extension, and must not keep secrets. A secure property is given as a reference to \
        a secret of a key vault (`vault.getSecret('name')`) or as a secure property of another configuration; other \
        properties are given otherwise. Only looked for where `moduleExtensionConfigs` is on.",
    &[
        Example::breaks(
            "extension kubernetes with {\n  namespace: 'default'\n  kubeConfig: 'abc'\n}\n",
            "'abc'",
        ),
        Example::keeps(
            "resource vault 'Microsoft.KeyVault/vaults@2023-07-01' existing = {
  name: 'vault'
}

extension kubernetes with {
  namespace: 'default'
  kubeConfig: vault.getSecret('config')
}
",
        ),
    ],
    LintCheck::Nodes(&[NodeKind::ExtensionWithClause, NodeKind::ModuleDeclaration], check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let model = linter.model;
    if !model.features().has(Feature::ModuleExtensionConfigs) {
        return;
    }
    if let Some(with) = ExtensionWithClause::cast(node) {
        let Expr::Object(config) = with.config() else { return };
        if let Some(ty) = config_type(linter, node) {
            configuration(linter, config, &ty);
        }
        return;
    }
    let Some(symbol) = model.symbol_at(node) else { return };
    let Some(module) = model.module_of(symbol) else { return };
    let Some(Expr::Object(configs)) = model.body_property(&module.body, "extensionConfigs") else { return };
    let ty = linter.checker.quietly(|checker| checker.declared_module(symbol)).body();
    let Some(ty) = property_of(&ty, "extensionConfigs") else { return };
    for property in configs.properties() {
        let Some(name) = property.key().constant() else { continue };
        if let (Expr::Object(config), Some(ty)) = (property.value(), property_of(&ty, &name)) {
            configuration(linter, config, &ty);
        }
    }
}

/// What the extension of a `with` clause is configured with.
fn config_type<'m>(linter: &mut Linter<'_, 'm>, with: SyntaxNode<'m>) -> Option<Ty> {
    let declaration = linter.model.parent(with)?;
    if let Some(it) = ExtensionConfigAssignment::cast(declaration) {
        let interface = linter.checker.using_interface()?;
        let found = interface.extensions.iter().find(|known| known.alias == it.alias().text());
        return found.and_then(|found| found.config.clone());
    }
    let symbol = linter.model.symbol_at(declaration)?;
    linter.checker.quietly(|checker| checker.extension_config(symbol))
}

fn property_of(ty: &Ty, name: &str) -> Option<Ty> {
    let object = non_null(ty);
    let property = object.as_object()?.properties.get(name)?;
    Some(non_null(&property.ty.get()))
}

/// Looks at the properties of one configuration.
fn configuration<'m>(linter: &mut Linter<'_, 'm>, config: Object<'m>, ty: &Ty) {
    for property in config.properties() {
        let Some(asked) = property.key().constant().and_then(|name| property_of(ty, &name)) else { continue };
        let value = property.value();
        let is_reference = is_vault_secret(linter, value) || is_inherited(linter, value);
        let is_secure = asked.flags().contains(TypeFlags::SECURE);
        if is_secure && !is_reference {
            linter.report(
                value.span(),
                "a deployment stack keeps a secure property only as a reference to a secret",
            );
        } else if !is_secure && is_reference {
            linter.report(
                value.span(),
                "a deployment stack keeps references to secrets only in secure properties",
            );
        }
    }
}

/// `vault.getSecret('name')` or `az.getSecret(...)`
fn is_vault_secret<'m>(linter: &Linter<'_, 'm>, value: Expr<'m>) -> bool {
    let Expr::InstanceFunctionCall(call) = value else { return false };
    if call.name().text() != "getSecret" {
        return false;
    }
    match linter.model.binding(call.base().node().id()) {
        Binding::Namespace(BuiltIn::Az) => true,
        Binding::Symbol(symbol) => linter
            .model
            .resource_of(symbol)
            .and_then(|resource| resource.ty.as_ref())
            .is_some_and(|ty| ty.is("Microsoft.KeyVault/vaults")),
        _ => false,
    }
}

/// `extension.config.property` of a secure text, or a choice between such.
fn is_inherited<'m>(linter: &mut Linter<'_, 'm>, value: Expr<'m>) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let base = match value {
            Expr::ParenthesizedExpression(it) => {
                open.push(it.expression());
                continue;
            }
            Expr::TernaryOperation(it) => {
                open.extend([it.true_expression(), it.false_expression()]);
                continue;
            }
            Expr::PropertyAccess(it) => it.base(),
            Expr::ArrayAccess(it) => it.base(),
            _ => return false,
        };
        let Expr::PropertyAccess(config) = base else { return false };
        let extension = linter.model.symbol_in(config.base()).map(|symbol| linter.model.symbol(symbol).kind);
        let is_config = config.name().text() == "config" && extension == Some(SymbolKind::Extension);
        if !is_config || !linter.ty(value).flags().contains(TypeFlags::SECURE) {
            return false;
        }
    }
    true
}
