//! What other files can use of a file: parameters, outputs and exports, with their types.

use std::collections::BTreeMap;
use std::sync::Arc;

use bicep_types::TypeStore;
use document::SourceValue;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, Expr, ObjectProperty, Statement, TypeExpr};

use super::Checker;
use super::template_types::Reader;
use crate::symbols::{ExportKind, SymbolId, TemplateModel};
use crate::types::{
    EvaluationPhase, FunctionFlags, Parameter, PropertyFlags, Scopes, Signature, Ty, TyKind, without_null,
};

/// What other files can use of a file.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    /// The scope that it is deployed to.
    pub target: Scopes,
    /// Its parameters, by name.
    pub parameters: BTreeMap<SmolStr, ModuleParameter>,
    /// Its outputs, in source order.
    pub outputs: Vec<ModuleOutput>,
    /// What it exports, by name.
    pub exports: BTreeMap<SmolStr, ExportedItem>,
    /// The extensions that it declares, in source order.
    pub extensions: Vec<ModuleExtension>,
    /// Whether anything is wrong with the file.
    pub has_errors: bool,
    /// The resource types that parameters and outputs of a template come from and that no type data has.
    pub unknown_types: Vec<SmolStr>,
    /// The same for what it exports, by name.
    pub unknown_exports: BTreeMap<SmolStr, Vec<SmolStr>>,
    /// The functions that exported variables and functions call and that need a deployment, by name.
    pub context_functions: BTreeMap<SmolStr, Vec<SmolStr>>,
}

impl Default for Interface {
    fn default() -> Interface {
        Interface {
            target: Scopes::RESOURCE_GROUP,
            parameters: BTreeMap::new(),
            outputs: Vec::new(),
            exports: BTreeMap::new(),
            extensions: Vec::new(),
            has_errors: false,
            unknown_types: Vec::new(),
            unknown_exports: BTreeMap::new(),
            context_functions: BTreeMap::new(),
        }
    }
}

/// A parameter of a module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleParameter {
    pub ty: Ty,
    /// Whether a value must be given.
    pub required: bool,
}

/// An extension of a module, as those who use the module see it.
#[derive(Clone, Debug)]
pub(crate) struct ModuleExtension {
    /// What the module calls it.
    pub alias: SmolStr,
    /// What it is configured with; none when it takes no configuration.
    pub config: Option<Ty>,
    /// Whether a configuration must be given.
    pub required: bool,
}

/// An output of a module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleOutput {
    pub name: SmolStr,
    pub ty: Ty,
}

/// Something that a file exports.
#[derive(Clone, Debug)]
pub(crate) enum ExportedItem {
    Type(Ty),
    Variable(Ty),
    Function(Signature),
}

impl<'m> Checker<'m> {
    /// What the file offers to others.
    pub(super) fn interface(&mut self) -> Interface {
        let model = self.model;
        let mut interface = Interface { target: model.target, ..Interface::default() };
        for symbol in &model.declarations.parameters {
            let Some(Statement::ParameterDeclaration(it)) = model.statement_of(*symbol) else { continue };
            let ty = self.symbol_type(*symbol);
            let has_default =
                it.modifier().and_then(SyntaxElement::node).is_some_and(|node| !node.is_skipped());
            let may_be_null = without_null(&ty).is_some() || matches!(it.ty(), TypeExpr::NullableType(_));
            let parameter = ModuleParameter { ty: passed(ty), required: !has_default && !may_be_null };
            interface.parameters.entry(model.symbol(*symbol).name.clone()).or_insert(parameter);
        }
        let mut given = FxHashSet::default();
        for symbol in &model.declarations.outputs {
            let name = model.symbol(*symbol).name.clone();
            if given.insert(name.clone()) {
                // UPSTREAM: what is wrong with the type of an output is told again, at the same offset, by those who use it.
                let ty = self.symbol_type(*symbol);
                interface.outputs.push(ModuleOutput { name, ty });
            }
        }
        for export in model.exports() {
            let item = match export.kind {
                ExportKind::Type => ExportedItem::Type(offered(self.alias(export.symbol))),
                ExportKind::Variable => ExportedItem::Variable(offered(self.symbol_type(export.symbol))),
                ExportKind::Function => match self.function_signature(export.symbol) {
                    Some(signature) => ExportedItem::Function(signature),
                    None => continue,
                },
            };
            if export.kind != ExportKind::Type {
                let needs = self.context_functions(export.symbol);
                if !needs.is_empty() {
                    interface.context_functions.insert(export.name.clone(), needs);
                }
            }
            interface.exports.entry(export.name).or_insert(item);
        }
        for symbol in &model.declarations.extensions {
            let config = self.extension_config(*symbol).map(|config| self.without_defaults(*symbol, config));
            let required = config.as_ref().is_some_and(|config| match config.as_object() {
                Some(object) => {
                    object.properties.values().any(|it| it.flags.contains(PropertyFlags::REQUIRED))
                }
                None => true,
            });
            let alias = model.symbol(*symbol).name.clone();
            interface.extensions.push(ModuleExtension { alias, config, required });
        }
        interface
    }

    /// What is left to be given of a configuration: a property that the file itself sets has a default.
    fn without_defaults(&self, symbol: SymbolId, config: Ty) -> Ty {
        let Some(Statement::ExtensionDeclaration(it)) = self.model.statement_of(symbol) else {
            return config;
        };
        let Some(Expr::Object(given)) = it.with_clause().map(|with| with.config()) else { return config };
        let given = given.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast);
        let given: Vec<_> = given.filter_map(|it| Some((it.key().constant()?, it.value()))).collect();
        let chosen = match config.kind() {
            TyKind::Discriminated(union) => {
                let value =
                    given.iter().find(|(name, _)| *name == union.key.as_str()).map(|(_, value)| *value);
                let Some(Expr::String(value)) = value else { return config };
                let Some(value) = value.constant() else { return config };
                let member = union.members.iter().find(|(key, _)| *key == value.as_ref());
                let Some((_, member)) = member else { return config };
                Some((member.get(), union.key.clone()))
            }
            _ => None,
        };
        let (ty, key) = chosen.map_or((config, None), |(ty, key)| (ty, Some(key)));
        let TyKind::Object(object) = ty.kind() else { return ty };
        let mut object = object.clone();
        if let Some(key) = key {
            object.properties.remove(&key);
        }
        for (name, property) in &mut object.properties {
            if given.iter().any(|(given, _)| *given == name.as_str()) {
                property.flags = property.flags.difference(PropertyFlags::REQUIRED);
            }
        }
        Ty::flagged(TyKind::Object(object), ty.flags())
    }
}

/// The type of a parameter as a module's caller sees it.
fn passed(ty: Ty) -> Ty {
    match ty.kind() {
        TyKind::Resource(resource) => Ty::new(TyKind::ResourceParameter(resource.reference.clone())),
        _ => offered(ty),
    }
}

/// A type as other files see it: what is wrong with it is said here, at places that mean nothing there.
fn offered(ty: Ty) -> Ty {
    if ty.is_error() { Ty::failed() } else { ty }
}

impl Interface {
    /// What a template in JSON offers.
    #[must_use]
    pub(crate) fn of_template(template: &TemplateModel, az_types: Option<Arc<TypeStore>>) -> Interface {
        let mut interface = Interface {
            target: template.target.unwrap_or(Scopes::RESOURCE_GROUP),
            has_errors: template.target.is_none(),
            ..Interface::default()
        };
        let Some(root) = template.root() else { return interface };
        let typed = |value: SourceValue<'_>| value.member("type").or_else(|| value.member("$ref")).is_some();
        let mut declared = ["parameters", "outputs"].into_iter().filter_map(|name| root.member(name));
        if !declared.all(|part| part.members().all(|(_, value)| typed(value))) {
            return Interface { has_errors: true, ..interface };
        }
        let members = |name| root.member(name).into_iter().flat_map(SourceValue::members);
        let mut reader = Reader::new(root, az_types);
        for (name, value) in members("parameters") {
            let Some(name) = name.as_str() else { continue };
            let ty = reader.read(value, true);
            let required = value.member("defaultValue").is_none() && without_null(&ty).is_none();
            interface.parameters.insert(name.into(), ModuleParameter { ty, required });
        }
        for (name, value) in members("outputs") {
            let Some(name) = name.as_str() else { continue };
            let ty = reader.read(value, false);
            interface.outputs.push(ModuleOutput { name: name.into(), ty });
        }
        let own = ["parameters", "outputs"].into_iter().filter_map(|name| root.member(name));
        interface.unknown_types = own.flat_map(|part| reader.unknown_types(part)).collect();
        interface.unknown_types.sort();
        interface.unknown_types.dedup();
        let exports: Vec<(SmolStr, ExportKind)> =
            template.exports().map(|(name, kind)| (name.into(), kind)).collect();
        for (name, kind) in exports {
            let item = match kind {
                ExportKind::Type => {
                    let definition = root.member("definitions").and_then(|it| it.member(&name));
                    if let Some(definition) = definition {
                        let unknown = reader.unknown_types(definition);
                        interface.unknown_exports.insert(name.clone(), unknown);
                    }
                    ExportedItem::Type(definition.map_or_else(Ty::any, |it| reader.read(it, false)))
                }
                ExportKind::Variable => ExportedItem::Variable(Ty::any()),
                ExportKind::Function => ExportedItem::Function(template_function(root, &mut reader, &name)),
            };
            interface.exports.insert(name, item);
        }
        interface
    }
}

fn template_function<'t>(root: SourceValue<'t>, reader: &mut Reader<'t>, name: &str) -> Signature {
    let spaces = root.member("functions").into_iter().flat_map(SourceValue::items);
    let found = spaces.into_iter().find_map(|space| {
        let prefix = space.member("namespace").and_then(SourceValue::as_str).unwrap_or_default();
        let own = if prefix == "__bicep" { name } else { name.strip_prefix(prefix)?.strip_prefix('.')? };
        space.member("members")?.member(own)
    });
    let parameters = found.and_then(|it| it.member("parameters")).into_iter().flat_map(SourceValue::items);
    let parameters: Vec<Parameter> = parameters
        .map(|parameter| Parameter {
            name: parameter.member("name").and_then(SourceValue::as_str).unwrap_or_default().into(),
            ty: reader.read(parameter, false),
            required: true,
            known: EvaluationPhase::Late,
            depends: None,
        })
        .collect();
    let output = found.and_then(|it| it.member("output"));
    Signature {
        name: name.into(),
        parameters,
        rest: None,
        result: output.map_or_else(Ty::any, |it| reader.read(it, false)),
        flags: FunctionFlags::empty(),
        built_in: None,
    }
}
