//! What other files give to this one.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::NodeId;

use super::{ExportKind, Model, SymbolId};
use crate::files::BicepFile;
use crate::finding::UnlocatedFinding;
use crate::symbols::TemplateModel;
use crate::world::{FilePath, Reference};

/// A file that a module or import refers to, with its meaning.
#[derive(Clone, Debug)]
pub(crate) enum ModuleTarget {
    Bicep(Arc<Model>),
    /// A template in JSON.
    Template(Arc<TemplateModel>),
}

impl ModuleTarget {
    /// The path of the file.
    #[must_use]
    pub(crate) fn path(&self) -> &FilePath {
        match self {
            ModuleTarget::Bicep(model) => &model.file.path,
            ModuleTarget::Template(template) => &template.path,
        }
    }

    /// What the file exports under a name.
    #[must_use]
    pub(crate) fn export(&self, name: &str) -> Option<ExportKind> {
        match self {
            ModuleTarget::Bicep(model) => model.export(name).map(|export| export.kind),
            ModuleTarget::Template(template) => template.export(name),
        }
    }

    /// Tells whether any output is a secret.
    #[must_use]
    pub(crate) fn has_secure_outputs(&self) -> bool {
        match self {
            ModuleTarget::Bicep(model) => model.has_secure_outputs(),
            ModuleTarget::Template(template) => template.outputs.iter().any(|output| output.secure),
        }
    }

    /// Tells whether the output with a name is a secret.
    #[must_use]
    pub(crate) fn is_secure_output(&self, name: &str) -> bool {
        match self {
            ModuleTarget::Bicep(model) => model.is_secure_output(name),
            ModuleTarget::Template(template) => {
                template.outputs.iter().any(|output| output.secure && output.name == name)
            }
        }
    }
}

/// A file that is imported from, or why it cannot be.
#[derive(Clone, Debug)]
pub(crate) struct Imported {
    pub declaration: NodeId,
    /// What the declaration refers to.
    pub reference: Option<Reference>,
    pub target: Result<ModuleTarget, UnlocatedFinding>,
}

/// An item of an import list.
#[derive(Clone, Debug)]
pub(crate) struct ImportedItem {
    /// The place of the file in [`Model::sources`].
    pub source: usize,
    /// The name in that file.
    pub original: SmolStr,
    /// What it is there.
    pub kind: ExportKind,
}

/// The files that a file refers to, by declaration, and what was taken from them.
#[derive(Debug, Default)]
pub(super) struct ImportTable {
    pub(super) sources: Vec<Imported>,
    by_declaration: FxHashMap<NodeId, usize>,
    pub(super) items: Vec<ImportedItem>,
    pub(super) wildcards: FxHashMap<SymbolId, usize>,
}

impl ImportTable {
    pub(super) fn new(
        file: &BicepFile,
        mut resolve: impl FnMut(&FilePath) -> Result<ModuleTarget, UnlocatedFinding>,
    ) -> ImportTable {
        let mut table = ImportTable::default();
        for reference in &file.references {
            if reference.kind == crate::files::ReferenceKind::Extension {
                continue;
            }
            table.by_declaration.insert(reference.declaration, table.sources.len());
            table.sources.push(Imported {
                declaration: reference.declaration,
                reference: reference.target.as_ref().ok().map(|target| target.reference.clone()),
                target: reference.target.clone().and_then(|target| resolve(&target.path)),
            });
        }
        table
    }

    /// The file that a declaration refers to, if it can be had.
    pub(super) fn source(&self, declaration: NodeId) -> Option<&ModuleTarget> {
        self.sources.get(*self.by_declaration.get(&declaration)?)?.target.as_ref().ok()
    }

    pub(super) fn wildcard(&mut self, symbol: SymbolId, declaration: NodeId) {
        if let Some(source) = self.by_declaration.get(&declaration) {
            self.wildcards.insert(symbol, *source);
        }
    }

    /// Takes an item from the file that a declaration refers to.
    pub(super) fn item(&mut self, declaration: NodeId, original: &str) -> Option<u32> {
        let kind = self.source(declaration)?.export(original)?;
        let source = *self.by_declaration.get(&declaration)?;
        let place = u32::try_from(self.items.len()).ok()?;
        self.items.push(ImportedItem { source, original: original.into(), kind });
        Some(place)
    }

    /// The place of the file that a declaration refers to.
    pub(super) fn place(&self, declaration: NodeId) -> Option<usize> {
        self.by_declaration.get(&declaration).copied()
    }
}
