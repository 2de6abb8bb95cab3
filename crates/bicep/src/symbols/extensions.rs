//! Extensions: where their types come from, what templates call them, and the functions that they bring.

use std::collections::BTreeSet;
use std::sync::Arc;

use arm::Expression;
use bicep_types::TypeStore;
use document::{Document, FileId, ReadLimits};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, NameOrString, Program, Statement};
use syntax::{NodeId, SourceKind};

use super::{Binding, CallSyntax, Model, SymbolId, SymbolKind};
use crate::codes;
use crate::decorators::CustomDecorator;
use crate::files::{BicepFile, FileTarget, ReferenceKind};
use crate::finding::UnlocatedFinding;
use crate::types::TypeReference;
use crate::types::extension::visible_functions;

/// An extension that a file declares.
#[derive(Clone, Debug)]
pub(crate) struct Extension {
    pub symbol: SymbolId,
    /// What templates call it.
    pub name: String,
    pub version: String,
    /// Its types, where they are known; or why they cannot be had.
    pub types: Types,
}

/// A function that an extension brings.
#[derive(Clone, Debug)]
pub(crate) struct ExtensionFunction {
    pub name: SmolStr,
    /// The names of its parameters.
    pub parameters: Vec<SmolStr>,
    /// What a call of it stands for; none means that the extension itself works it out.
    pub expression: Option<Expression>,
}

/// What templates call the extension with Azure's own resources.
pub(crate) const AZURE: &str = "AzureResourceManager";

/// Extensions that are there without being fetched: name in the program, name in templates, version.
const BUILT_IN: [(&str, &str, &str); 3] =
    [("az", AZURE, "0.2.896"), ("kubernetes", "Kubernetes", "1.0.0"), ("sys", "System", "1.0.0")];

/// The types of an extension, where they are known; or why they cannot be had.
type Types = Result<Option<Arc<TypeStore>>, UnlocatedFinding>;

/// Gives the types of an extension.
pub(crate) type LoadTypes<'l> = dyn Fn(&FileTarget) -> Result<Arc<TypeStore>, UnlocatedFinding> + 'l;

/// The types of the extensions that a file fetches, by declaration: known before any name is.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    stores: FxHashMap<NodeId, Result<Arc<TypeStore>, UnlocatedFinding>>,
    /// The extensions that need no declaration and have none, with their types.
    implicit: Vec<(SmolStr, Types)>,
    /// The names of the functions that the extensions bring, with the number of extensions that bring each.
    pub(super) functions: FxHashMap<SmolStr, usize>,
}

impl Fetched {
    /// Loads the types of all extensions that a file fetches.
    pub(super) fn load(file: &BicepFile, load: &LoadTypes<'_>) -> Fetched {
        let mut fetched = Fetched::default();
        for reference in file.references.iter().filter(|it| it.kind == ReferenceKind::Extension) {
            let store = reference.target.clone().and_then(|target| load(&target));
            if let Ok(store) = &store {
                fetched.count_functions(store, file.tree.source_kind());
            }
            fetched.stores.insert(reference.declaration, store);
        }
        fetched.load_implicit(file, load);
        fetched
    }

    fn load_implicit(&mut self, file: &BicepFile, load: &LoadTypes<'_>) {
        let statements = Program::cast(file.tree.root()).into_iter().flat_map(Program::statements);
        let declared: Vec<String> = statements
            .filter_map(|statement| match statement {
                Statement::ExtensionDeclaration(it) => it.specification().constant().map(Into::into),
                _ => None,
            })
            .collect();
        for extension in file.implicit.iter().filter(|it| !declared.contains(&it.name)) {
            let target = extension.target.clone();
            let types = target.and_then(|target| target.map(|target| load(&target)).transpose());
            if let Ok(Some(store)) = &types {
                self.count_functions(store, file.tree.source_kind());
            }
            self.implicit.push((extension.name.as_str().into(), types));
        }
    }

    /// Counts an extension for each function that it brings, however many ways there are to call it.
    fn count_functions(&mut self, store: &TypeStore, kind: SourceKind) {
        let names: BTreeSet<SmolStr> =
            functions(store, kind).into_iter().map(|function| function.name).collect();
        for name in names {
            *self.functions.entry(name).or_default() += 1;
        }
    }

    /// The decorators that the extension of a declaration brings; or what is wrong with how it declares them.
    pub(super) fn decorators(&self, declaration: NodeId) -> Vec<(SmolStr, Result<CustomDecorator, String>)> {
        let Some(Ok(store)) = self.stores.get(&declaration) else { return Vec::new() };
        let namespace = store.namespace().unwrap_or_default();
        let read = |text: &str| Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT);
        let declared = namespace.decorators.into_iter().map(|(name, text)| {
            let read = read(&text).map_err(|error| error.to_string());
            let row = read.and_then(|document| CustomDecorator::read(&name, document.root()));
            (name, row)
        });
        declared.collect()
    }

    /// The names of the extensions that need no declaration and have none.
    pub(super) fn implicit(&self) -> impl Iterator<Item = &SmolStr> {
        self.implicit.iter().map(|(name, _)| name)
    }

    /// The name that the extension of a declaration gives itself.
    pub(super) fn name(&self, declaration: NodeId) -> Option<SmolStr> {
        let store = self.stores.get(&declaration)?.as_ref().ok()?;
        store.namespace().ok()?.settings.map(|settings| settings.name)
    }
}

impl Extension {
    /// Tells whether a resource type is one of the extension's, as far as its types are known.
    pub(super) fn has(&self, ty: &TypeReference) -> bool {
        let Ok(Some(types)) = &self.types else { return false };
        matches!(types.resource_type(&ty.name, ty.version.as_deref()), Ok(Some(_)))
    }

    /// Tells whether any resource type may be one of the extension's.
    pub(super) fn may_have_any(&self) -> bool {
        match &self.types {
            Ok(Some(types)) => {
                types.namespace().is_ok_and(|namespace| namespace.fallback_resource_type.is_some())
            }
            Ok(None) => self.name != AZURE && self.name != "System",
            Err(_) => true,
        }
    }
}

impl Model {
    /// The extension that a symbol declares.
    #[must_use]
    pub(crate) fn extension_of(&self, symbol: SymbolId) -> Option<&Extension> {
        // They are in the order of their declarations, and so are symbols.
        let place = self.extensions.binary_search_by_key(&symbol, |extension| extension.symbol).ok()?;
        self.extensions.get(place)
    }

    /// The function of an extension that a call means.
    #[must_use]
    pub(crate) fn extension_function(&self, call: CallSyntax<'_>) -> Option<ExtensionFunction> {
        let owner = match call {
            CallSyntax::Instance(instance) => {
                let symbol = self.symbol_in(instance.base())?;
                (self.symbol(symbol).kind == SymbolKind::Extension).then_some(symbol)?
            }
            CallSyntax::Plain(_) if self.binding(call.node().id()) == Binding::ExtensionFunction => {
                return self.extensions.iter().find_map(|extension| self.function_of(extension, call.name()));
            }
            CallSyntax::Plain(_) => return None,
        };
        let extension = self.extension_of(owner)?;
        self.function_of(extension, call.name())
    }

    fn function_of(&self, extension: &Extension, name: &str) -> Option<ExtensionFunction> {
        let store = extension.types.as_ref().ok()?.as_ref()?;
        functions(store, self.file.tree.source_kind()).into_iter().find(|function| function.name == name)
    }
}

impl ExtensionFunction {
    /// Tells whether a call asks for an external input.
    #[must_use]
    pub(crate) fn needs_input(&self) -> bool {
        let mut found = false;
        if let Some(expression) = &self.expression {
            expression.for_each(&mut |part| {
                found |= part.as_call().is_some_and(|call| call.is_call_to("externalInput"));
            });
        }
        found
    }
}

/// The functions that the types of an extension bring to files of a kind.
fn functions(store: &TypeStore, kind: SourceKind) -> Vec<ExtensionFunction> {
    visible_functions(store, kind, |_, function| {
        let text = function.evaluated_language_expression.as_deref().filter(|text| !text.trim().is_empty());
        let expression = text.and_then(|text| {
            let inside = text.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            arm::expression::parse(inside.unwrap_or(text)).ok()
        });
        let parameters = function.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        ExtensionFunction { name: function.name.clone(), parameters, expression }
    })
}

/// The extensions that a file declares.
pub(super) fn extensions(model: &Model, fetched: &Fetched) -> Vec<Extension> {
    let declared = model.declarations.extensions.iter().filter_map(|symbol| {
        let Some(Statement::ExtensionDeclaration(declaration)) = model.statement_of(*symbol) else {
            return None;
        };
        let written = declaration.specification().constant().unwrap_or_default();
        let named = matches!(declaration.specification(), NameOrString::Name(_));
        let types = match fetched.stores.get(&model.symbol(*symbol).node) {
            Some(store) => store.clone().map(Some),
            None if named && !BUILT_IN.iter().any(|(name, ..)| *name == written) => {
                Err(codes::UNKNOWN_EXTENSION.fault(&[&written]))
            }
            None => Ok(None),
        };
        let settings = match &types {
            Ok(Some(types)) => types.namespace().ok().and_then(|namespace| namespace.settings),
            _ => None,
        };
        let built_in = BUILT_IN.iter().find(|(name, ..)| *name == written);
        let (name, version) = match (settings, built_in) {
            (Some(settings), _) => (template_name(&settings.name).to_owned(), settings.version.to_string()),
            (None, Some((_, name, version))) => ((*name).to_owned(), (*version).to_owned()),
            (None, None) => (written.clone().into_owned(), String::new()),
        };
        Some(Extension { symbol: *symbol, name, version, types })
    });
    let implicit = model.declarations.implicit.iter().zip(&fetched.implicit);
    let implicit = implicit.map(|(symbol, (name, types))| {
        let settings = match types {
            Ok(Some(types)) => types.namespace().ok().and_then(|namespace| namespace.settings),
            _ => None,
        };
        let built_in = BUILT_IN.iter().find(|(known, ..)| known == name);
        let (name, version) = match (settings, built_in) {
            (Some(settings), _) => (template_name(&settings.name).to_owned(), settings.version.to_string()),
            (None, Some((_, name, version))) => ((*name).to_owned(), (*version).to_owned()),
            (None, None) => (name.to_string(), String::new()),
        };
        Extension { symbol: *symbol, name, version, types: types.clone() }
    });
    declared.chain(implicit).collect()
}

/// What templates call an extension that has another name in programs.
fn template_name(name: &str) -> &str {
    if name == "MicrosoftGraphBeta" { "MicrosoftGraph" } else { name }
}
