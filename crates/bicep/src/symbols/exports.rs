//! What a file gives to others.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::SyntaxNode;
use syntax::ast::{AstNode as _, Statement};

use super::{Model, SymbolId, secrets};
use crate::decorators::{EXPORT, SECURE};

/// The kinds of things that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExportKind {
    Type,
    Variable,
    Function,
}

/// Something that other files can import.
#[derive(Clone, Debug)]
pub(crate) struct Export {
    pub name: SmolStr,
    /// Whether it is a type, a variable or a function.
    pub kind: ExportKind,
    pub symbol: SymbolId,
}

/// What a file exports, in order and by name.
#[derive(Debug, Default)]
pub(super) struct ExportTable {
    all: Vec<Export>,
    by_name: FxHashMap<SmolStr, usize>,
}

impl ExportTable {
    fn of(model: &Model) -> ExportTable {
        let groups = [
            (ExportKind::Type, &model.declarations.types),
            (ExportKind::Variable, &model.declarations.variables),
            (ExportKind::Function, &model.declarations.functions),
        ];
        let mut table = ExportTable::default();
        for (kind, symbols) in groups {
            for symbol in symbols.iter().filter(|symbol| model.is_exported(**symbol)) {
                let name = model.symbol(*symbol).name.clone();
                table.by_name.entry(name.clone()).or_insert(table.all.len());
                table.all.push(Export { name, kind, symbol: *symbol });
            }
        }
        table
    }
}

impl Model {
    /// What the file exports: types, then variables, then functions.
    pub(crate) fn exports(&self) -> impl Iterator<Item = Export> {
        self.export_table().all.iter().cloned()
    }

    /// What the file exports under a name.
    #[must_use]
    pub(crate) fn export(&self, name: &str) -> Option<Export> {
        let table = self.export_table();
        table.all.get(*table.by_name.get(name)?).cloned()
    }

    fn export_table(&self) -> &ExportTable {
        self.exported.get_or_init(|| ExportTable::of(self))
    }

    /// Tells whether a declaration carries `@export()`.
    #[must_use]
    pub(crate) fn is_exported(&self, symbol: SymbolId) -> bool {
        self.decorator(self.node_of(symbol), &EXPORT).is_some()
    }

    /// Tells whether any output is a secret.
    #[must_use]
    pub(crate) fn has_secure_outputs(&self) -> bool {
        !self.secure_outputs().is_empty()
    }

    /// The outputs that are secrets.
    fn secure_outputs(&self) -> &FxHashSet<SmolStr> {
        self.secure_outputs.get_or_init(|| {
            let outputs = self.declarations.outputs.iter();
            let secret = outputs.filter(|output| self.is_secret_output(**output));
            secret.map(|output| self.symbol(*output).name.clone()).collect()
        })
    }

    /// Tells whether the output with a name is a secret.
    #[must_use]
    pub(crate) fn is_secure_output(&self, name: &str) -> bool {
        self.secure_outputs().contains(name)
    }

    /// Tells whether an output is a secret, or a part of it is.
    fn is_secret_output(&self, output: SymbolId) -> bool {
        match self.statement_of(output) {
            Some(Statement::OutputDeclaration(it)) => {
                self.is_secure(it.node()) || secrets::has_secret(self, it.ty())
            }
            _ => false,
        }
    }

    /// Tells whether a statement is a parameter that is a secret, or has some inside.
    #[must_use]
    pub(crate) fn is_secret_parameter(&self, statement: Statement<'_>) -> bool {
        match statement {
            Statement::ParameterDeclaration(it) => {
                self.is_secure(it.node()) || secrets::has_secret(self, it.ty())
            }
            _ => false,
        }
    }

    /// Tells whether a declaration carries `@secure()`.
    #[must_use]
    pub(crate) fn is_secure(&self, declaration: SyntaxNode<'_>) -> bool {
        self.decorator(declaration, &SECURE).is_some()
    }
}
