//! What the rules about locations share.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::ast::{
    AstNode as _, Expr, NameOrString, Object, ParameterDefaultValue, PropertyAccess, Statement,
};
use syntax::{SyntaxElement, SyntaxNode};

use super::Linter;
use crate::symbols::{CallSyntax, Model, Module, ModuleTarget, SymbolKind};

/// `resourceGroup().location` or `deployment().location`, as it is said in a message.
pub(super) fn of_deployment(node: SyntaxNode<'_>) -> Option<String> {
    let access = PropertyAccess::cast(node).filter(|it| it.name().text() == "location")?;
    let name = CallSyntax::of(access.base())?.name();
    matches!(name, "resourceGroup" | "deployment").then(|| format!("{name}().location"))
}

/// A parameter of a module that says where its resources are, with the value that is given to it.
pub(super) struct Location<'m> {
    pub(super) parameter: SmolStr,
    pub(super) value: Option<Expr<'m>>,
}

/// The parameters for locations of the modules that a file uses: each module is looked at once.
#[derive(Default)]
pub(super) struct Locations {
    known: FxHashMap<usize, Arc<[SmolStr]>>,
}

impl Locations {
    /// The parameters of a module that say where its resources are and that have a default value.
    pub(super) fn of<'m>(&mut self, linter: &Linter<'_, 'm>, module: &'m Module) -> Vec<Location<'m>> {
        let model = linter.model;
        if model.body_object(&module.body).is_none() {
            return Vec::new();
        }
        let (Some(source), Some(ModuleTarget::Bicep(target))) = (module.source, model.module_target(module))
        else {
            return Vec::new();
        };
        let names = Arc::clone(self.known.entry(source).or_insert_with(|| parameters(target).into()));
        let given = match model.body_property(&module.body, "params") {
            Some(Expr::Object(given)) => Some(given),
            _ => None,
        };
        let location = |name: &SmolStr| Location {
            parameter: name.clone(),
            value: given.and_then(|given| plain(given, name)),
        };
        names.iter().map(location).collect()
    }
}

/// The value of a property whose name stands without quotes.
pub(super) fn plain<'m>(object: Object<'m>, name: &str) -> Option<Expr<'m>> {
    let mut properties = object.properties();
    let found = properties.find(|it| matches!(it.key(), NameOrString::Name(key) if key.text() == name));
    found.map(|property| property.value())
}

/// The parameters that have a default value and say where resources are, by that value or by their use.
fn parameters(model: &Model) -> Vec<SmolStr> {
    let mut found: Vec<SmolStr> = Vec::new();
    let defaults: FxHashMap<_, _> = model
        .declarations
        .parameters
        .iter()
        .filter_map(|symbol| match model.statement_of(*symbol)? {
            Statement::ParameterDeclaration(it) => {
                let modifier = it.modifier().and_then(SyntaxElement::node);
                Some((*symbol, modifier.and_then(ParameterDefaultValue::cast)?))
            }
            _ => None,
        })
        .collect();
    for symbol in &model.declarations.parameters {
        let default = defaults.get(symbol);
        if default.is_some_and(|it| it.value().node().descendants().any(|node| of_deployment(node).is_some()))
        {
            found.push(model.symbol(*symbol).name.clone());
        }
    }
    for resource in &model.resources {
        let Some(location) = model.body_property(&resource.body, "location") else { continue };
        for symbol in model.mentions(location.node()) {
            let known = model.symbol(symbol);
            if known.kind == SymbolKind::Parameter
                && defaults.contains_key(&symbol)
                && !found.contains(&known.name)
            {
                found.push(known.name.clone());
            }
        }
    }
    found
}
