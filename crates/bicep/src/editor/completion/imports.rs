//! What an `import` can name.

use rustc_hash::FxHashSet;
use syntax::ast::{AstNode as _, CompileTimeImportDeclaration};

use super::Completer;
use super::item::{Completion, CompletionKind, Priority};
use crate::symbols::SymbolKind;
use crate::types::quoted;

impl<'m> Completer<'_, 'm> {
    /// The two forms of an import.
    pub(super) fn import_forms(&mut self) {
        let forms = [
            ("{}", "Import symbols individually from another template"),
            ("* as", "Import all symbols from another template under a new namespace"),
        ];
        for (text, detail) in forms {
            let item = Completion::plain(CompletionKind::Value, text, Priority::High, self.span, text);
            self.out.push(item.detail(detail));
        }
    }

    /// The names that a file exports.
    pub(super) fn imported_names(&mut self, import: CompileTimeImportDeclaration<'m>) {
        let Some(Ok((_, interface))) = self.checker.referred(import.node().id()) else { return };
        let model = self.model;
        let taken: FxHashSet<&str> = model
            .symbols()
            .filter(|(_, symbol)| !symbol.kind.is_local() && symbol.kind != SymbolKind::FailedImport)
            .map(|(_, symbol)| symbol.name.as_str())
            .collect();
        for name in interface.exports.keys() {
            let is_taken = taken.contains(name.as_str());
            let text = if !syntax::spelling::is_name(name) {
                format!("{} as ", quoted(name))
            } else if is_taken {
                format!("{name} as ")
            } else {
                name.to_string()
            };
            self.out.push(Completion::plain(
                CompletionKind::Variable,
                name.clone(),
                Priority::High,
                self.span,
                text,
            ));
        }
    }
}
