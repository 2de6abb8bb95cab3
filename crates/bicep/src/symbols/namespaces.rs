//! The names by which a file reaches the built-in namespaces: their own, unless `extension az as name` gives another.

use rustc_hash::FxHashMap;
use syntax::ast::{AstNode as _, NameOrString, Statement};

use super::declare::Tables;
use super::{SymbolId, SymbolKind};
use crate::files::BicepFile;
use crate::types::BuiltIn;

/// The built-in namespaces of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Namespaces {
    /// Those that are there under their own names.
    implicit: Vec<BuiltIn>,
    /// Those that are declared, under the names of the declarations.
    declared: FxHashMap<SymbolId, BuiltIn>,
}

impl Namespaces {
    pub(super) fn of(file: &BicepFile, tables: &Tables) -> Namespaces {
        let extensions = (0u32..).map(SymbolId).zip(&tables.symbols);
        let extensions = extensions.filter(|(_, symbol)| symbol.kind == SymbolKind::Extension);
        let declared: FxHashMap<SymbolId, BuiltIn> = extensions
            .filter_map(|(id, symbol)| {
                let statement = file.tree.node(symbol.node).and_then(Statement::cast);
                let Some(Statement::ExtensionDeclaration(it)) = statement else { return None };
                let NameOrString::Name(name) = it.specification() else { return None };
                let namespace = match name.text() {
                    "sys" => BuiltIn::Sys,
                    "az" => BuiltIn::Az,
                    _ => return None,
                };
                Some((id, namespace))
            })
            .collect();
        let configured = file
            .config
            .get(&["implicitExtensions"])
            .is_none_or(|list| list.items().any(|item| item.as_str() == Some("az")));
        let mut implicit = vec![BuiltIn::Sys];
        implicit.extend(configured.then_some(BuiltIn::Az));
        implicit.extend(file.is_test().then_some(BuiltIn::Testing));
        implicit.retain(|namespace| !declared.values().any(|it| it == namespace));
        Namespaces { implicit, declared }
    }

    /// The namespace that a name means without being declared.
    #[must_use]
    pub(crate) fn named(&self, name: &str) -> Option<BuiltIn> {
        self.implicit.iter().copied().find(|namespace| namespace.name() == name)
    }

    /// The namespace that an extension declaration names.
    #[must_use]
    pub(crate) fn declared(&self, symbol: SymbolId) -> Option<BuiltIn> {
        self.declared.get(&symbol).copied()
    }

    /// Tells whether a namespace is there at all.
    #[must_use]
    pub(crate) fn has(&self, namespace: BuiltIn) -> bool {
        self.implicit.contains(&namespace) || self.declared.values().any(|it| *it == namespace)
    }

    /// The names of those that are not declared, in order.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.implicit.iter().map(|namespace| namespace.name()).collect();
        names.sort_unstable();
        names
    }
}
