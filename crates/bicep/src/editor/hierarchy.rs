//! Which files use a file as a module, and which modules a file uses.

use syntax::Span;

use super::cursor::Cursor;
use super::name_at::NameTarget;
use crate::files::{BicepFile, ReferenceKind, SourceFile};
use crate::symbols::SymbolKind;
use crate::{Compiler, FilePath};

/// A file that uses another one as a module, or is used by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleCall {
    /// The file on the other side of the use.
    pub path: FilePath,
    /// The paths in the file that has the declarations.
    pub spans: Vec<Span>,
}

/// The file that the hierarchy at an offset is about: that of the module that is named there, and else the file itself.
#[must_use]
pub fn prepare_call_hierarchy(compiler: &Compiler, path: &FilePath, offset: u32) -> Option<FilePath> {
    let model = compiler.model(path).ok()?;
    let named = Cursor::at(&model, offset)?.named();
    let of_symbol = |symbol| {
        let declared = model.symbol(symbol);
        let source = model.source_of(declared.node).filter(|_| declared.kind == SymbolKind::Module)?;
        Some(source.target.as_ref().ok()?.path().clone())
    };
    let found = match named.map(|named| named.target) {
        Some(NameTarget::File(file)) => Some(file).filter(|file| is_module(compiler, path, file)),
        Some(NameTarget::Symbol(symbol)) => of_symbol(symbol),
        Some(NameTarget::Member(_) | NameTarget::Function(_)) | None => None,
    };
    Some(found.unwrap_or_else(|| path.clone()))
}

fn is_module(compiler: &Compiler, path: &FilePath, file: &FilePath) -> bool {
    outgoing_calls(compiler, path).iter().any(|call| call.path == *file)
}

/// The modules that a file uses, in source order.
#[must_use]
pub fn outgoing_calls(compiler: &Compiler, path: &FilePath) -> Vec<ModuleCall> {
    let mut calls: Vec<ModuleCall> = Vec::new();
    let Ok(source) = compiler.file(path) else { return calls };
    let SourceFile::Bicep(file) = &*source else { return calls };
    let mut places = rustc_hash::FxHashMap::default();
    for (target, span) in modules(file) {
        let place = *places.entry(target.clone()).or_insert(calls.len());
        match calls.get_mut(place) {
            Some(call) => call.spans.push(span),
            None => calls.push(ModuleCall { path: target.clone(), spans: vec![span] }),
        }
    }
    calls
}

/// The files of a workspace that use a file as a module.
#[must_use]
pub fn incoming_calls<'w>(
    compiler: &Compiler,
    path: &FilePath,
    workspace: impl IntoIterator<Item = &'w FilePath>,
) -> Vec<ModuleCall> {
    let mut calls = Vec::new();
    for user in workspace {
        let Ok(source) = compiler.file(user) else { continue };
        let SourceFile::Bicep(file) = &*source else { continue };
        let spans: Vec<Span> =
            modules(file).filter(|(target, _)| *target == path).map(|(_, span)| span).collect();
        if !spans.is_empty() {
            calls.push(ModuleCall { path: user.clone(), spans });
        }
    }
    calls
}

fn modules(file: &BicepFile) -> impl Iterator<Item = (&FilePath, Span)> {
    let modules = file.references.iter().filter(|reference| reference.kind == ReferenceKind::Module);
    modules.filter_map(|reference| Some((&reference.target.as_ref().ok()?.path, reference.span)))
}
