//! Where something is used, in a file or in all files of a workspace.

use syntax::Span;

use super::cursor::Cursor;
use super::name_at::NameTarget;
use super::uses::{Access, uses, uses_of};
use crate::files::SourceFile;
use crate::{Compiler, FilePath};

/// A place that names something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file that the place is in.
    pub path: FilePath,
    /// The name in it.
    pub span: Span,
}

/// A place in a file that names something, with what happens there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The bytes of the name.
    pub span: Span,
    /// Whether it is declared, read or written there.
    pub access: Access,
}

/// The places that name what is named at an offset, in the file and in `workspace`; the file itself can be one of it. A
/// file is looked at when the iterator gives it, so that one that ends early ends the search.
#[must_use]
pub fn references<'w>(
    compiler: &Compiler,
    path: &FilePath,
    offset: u32,
    workspace: impl IntoIterator<Item = &'w FilePath>,
    with_declaration: bool,
) -> Vec<Location> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let Some(named) = Cursor::at(&model, offset).and_then(|cursor| cursor.named()) else { return Vec::new() };
    let mut found: Vec<Location> = Vec::new();
    let mut add = |path: &FilePath, uses: Vec<super::uses::Use>| {
        let wanted = uses.into_iter().filter(|it| with_declaration || it.access != Access::Declaration);
        found.extend(wanted.map(|it| Location { path: path.clone(), span: it.span }));
    };
    match named.target.entity(&model) {
        Some(entity) => {
            for file in files_that_name(compiler, &entity.model.file.path, path, workspace) {
                if let Ok(model) = compiler.model(file) {
                    add(file, uses(&model, &entity));
                }
            }
        }
        None => add(path, uses_of(&model, &named.target)),
    }
    found
}

/// The places of a file that name what is named at an offset.
#[must_use]
pub fn highlight(compiler: &Compiler, path: &FilePath, offset: u32) -> Vec<Highlight> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let Some(named) = Cursor::at(&model, offset).and_then(|cursor| cursor.named()) else { return Vec::new() };
    let shown = |named: &NameTarget| {
        let uses = uses_of(&model, named).into_iter();
        uses.map(|it| Highlight { span: it.span, access: it.access }).collect()
    };
    shown(&named.target)
}

/// The files that can name what a file declares: that file first, the one that was asked about, and those of the
/// workspace that refer to it. A parameters file can do so through one that it extends.
pub(super) fn files_that_name<'f, 'w: 'f>(
    compiler: &'f Compiler,
    declaring: &'f FilePath,
    asked: &'f FilePath,
    workspace: impl IntoIterator<Item = &'w FilePath>,
) -> impl Iterator<Item = &'f FilePath> {
    let others = workspace
        .into_iter()
        .map(|path| -> &'f FilePath { path })
        .filter(move |path| *path != declaring && *path != asked && refers_to(compiler, path, declaring));
    std::iter::once(declaring).chain(Some(asked).filter(|asked| *asked != declaring)).chain(others)
}

fn refers_to(compiler: &Compiler, path: &FilePath, declaring: &FilePath) -> bool {
    const MAX_DEPTH: usize = 64;
    let mut at = path.clone();
    for _ in 0..MAX_DEPTH {
        let Ok(source) = compiler.file(&at) else { return false };
        let SourceFile::Bicep(file) = &*source else { return false };
        let targets = file.references.iter().filter_map(|it| Some((it.kind, &it.target.as_ref().ok()?.path)));
        let mut extended = None;
        for (kind, target) in targets {
            if target == declaring {
                return true;
            }
            if kind == crate::files::ReferenceKind::Extends {
                extended = Some(target.clone());
            }
        }
        match extended {
            Some(next) => at = next,
            None => return false,
        }
    }
    false
}
