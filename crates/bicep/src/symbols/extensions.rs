//! Extensions: where their types come from, and what templates call them.

use std::sync::Arc;

use bicep_types::TypeStore;
use syntax::ast::{NameOrString, Statement};

use super::{Model, SymbolId, TypeReference};
use crate::files::FileTarget;
use crate::finding::Fault;

/// An extension that a file declares.
#[derive(Clone, Debug)]
pub struct Extension {
    /// Its symbol.
    pub symbol: SymbolId,
    /// What templates call it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its types, where they are known; or why they cannot be had.
    pub types: Result<Option<Arc<TypeStore>>, Fault>,
}

/// Extensions that are there without being fetched: name in the program, name in templates, version.
const BUILT_IN: [(&str, &str, &str); 2] =
    [("az", "AzureResourceManager", "0.2.896"), ("kubernetes", "Kubernetes", "1.0.0")];

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
            Ok(None) => self.name != "AzureResourceManager",
            Err(_) => true,
        }
    }
}

/// The extensions that a file declares; `load` gives the types in an archive.
pub(super) fn extensions(
    model: &Model,
    load: &dyn Fn(&FileTarget) -> Result<Arc<TypeStore>, Fault>,
) -> Vec<Extension> {
    let declared = model.declarations.extensions.iter().filter_map(|symbol| {
        let Some(Statement::ExtensionDeclaration(declaration)) = model.statement_of(*symbol) else {
            return None;
        };
        let written = declaration.specification().constant().unwrap_or_default();
        let named = matches!(declaration.specification(), NameOrString::Name(_));
        let reference = model.file.reference_of(model.symbol(*symbol).node);
        let target = reference.map(|reference| reference.target.clone());
        let types = match target {
            Some(target) => target.and_then(|target| load(&target)).map(Some),
            None if named && !BUILT_IN.iter().any(|(name, ..)| *name == written) && written != "sys" => {
                Err(Fault::new("BCP204", format!("no extension `{written}` is configured")))
            }
            None => Ok(None),
        };
        let settings = match &types {
            Ok(Some(types)) => types.namespace().ok().and_then(|namespace| namespace.settings),
            _ => None,
        };
        let built_in = BUILT_IN.iter().find(|(name, ..)| *name == written);
        let (name, version) = match (settings, built_in) {
            (Some(settings), _) => (settings.name.to_string(), settings.version.to_string()),
            (None, Some((_, name, version))) => ((*name).to_owned(), (*version).to_owned()),
            (None, None) => (written.clone().into_owned(), String::new()),
        };
        Some(Extension { symbol: *symbol, name, version, types })
    });
    declared.collect()
}
