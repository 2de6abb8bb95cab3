//! The sources of a module: the files that a program consists of, with paths that say nothing of the machine.

use std::collections::BTreeMap;

use bicep::files::{BicepFile, Reference, SourceFile};
use bicep::{Compiler, FilePath};
use diagnostics::{Columns, LineIndex};
use registry::{SourceKind, SourceLink, Sources};

use crate::compile::LANGUAGE_VERSION;

/// The sources of a program that was compiled.
pub(super) fn of(compiler: &Compiler, entry: &FilePath) -> Sources {
    let files = compiler.program_files(entry);
    let sources: Vec<_> = files.iter().filter_map(|path| Some((path, compiler.file(path).ok()?))).collect();
    let cache = sources.iter().find_map(|(path, file)| match &**file {
        SourceFile::Bicep(file) if *path == entry => Some(file.config.cache_root(compiler.world())),
        _ => None,
    });
    let names = names(entry, cache.as_ref(), sources.iter().map(|(path, _)| *path));
    let name = |path: &FilePath| names.get(path).cloned();
    let mut artifacts: BTreeMap<FilePath, String> = BTreeMap::new();
    let mut found = Vec::new();
    for (path, file) in &sources {
        let Some(own) = name(path) else { continue };
        let (kind, text, links) = match &**file {
            SourceFile::Bicep(file) => {
                note_artifacts(compiler, file, &mut artifacts);
                (SourceKind::Bicep, file.tree.shared_text().to_string(), links(file, &name))
            }
            SourceFile::Template(_) => {
                let Ok(bytes) = compiler.world().read(path) else { continue };
                (SourceKind::ArmTemplate, String::from_utf8_lossy(&bytes).into_owned(), Vec::new())
            }
        };
        found.push((
            (*path).clone(),
            registry::PublishedFile { path: own, kind, text, artifact: None, links },
        ));
    }
    let files = found
        .into_iter()
        .map(|(path, file)| registry::PublishedFile { artifact: artifacts.get(&path).cloned(), ..file });
    Sources {
        version: LANGUAGE_VERSION.to_owned(),
        entry: name(entry).unwrap_or_else(|| entry.name().to_owned()),
        files: files.collect(),
    }
}

/// Notes which files are artifacts that were published with their sources.
fn note_artifacts(compiler: &Compiler, file: &BicepFile, artifacts: &mut BTreeMap<FilePath, String>) {
    for target in file.references.iter().filter_map(|reference| reference.target.as_ref().ok()) {
        let beside = target.path.folder().join("source.tgz");
        if matches!(target.reference, Reference::Registry(_)) && compiler.world().exists(&beside) {
            artifacts.insert(target.path.clone(), target.reference.full_name());
        }
    }
}

/// Where a file names others that are in the sources.
fn links(file: &BicepFile, name: &dyn Fn(&FilePath) -> Option<String>) -> Vec<SourceLink> {
    let lines = LineIndex::new(file.tree.shared_text());
    let place = |offset: u32| {
        let position = lines.position(offset, Columns::Utf16);
        // Here they are counted from one.
        (position.line.saturating_sub(1) as usize, position.column.saturating_sub(1) as usize)
    };
    let targets =
        file.references.iter().filter_map(|it| Some((it.span, name(&it.target.as_ref().ok()?.path)?)));
    targets
        .map(|(span, target)| SourceLink { start: place(span.start), end: place(span.end), target })
        .collect()
}

/// The paths of files as they are seen from the folder of the program; files elsewhere are below numbered roots.
fn names<'p>(
    entry: &FilePath,
    cache: Option<&FilePath>,
    files: impl Iterator<Item = &'p FilePath>,
) -> BTreeMap<FilePath, String> {
    let folder = entry.folder();
    let mut names = BTreeMap::new();
    let mut elsewhere: Vec<&FilePath> = Vec::new();
    for path in files {
        if let Some(below) = below(path, &folder) {
            names.insert(path.clone(), below.to_owned());
        } else if let Some(below) = cache.and_then(|cache| below(path, cache)) {
            names.insert(path.clone(), format!("<cache>/{below}"));
        } else {
            elsewhere.push(path);
        }
    }
    // In order, a folder comes before those below it.
    elsewhere.sort_by_key(|path| path.folder());
    let mut roots: Vec<FilePath> = Vec::new();
    for path in elsewhere {
        let folder = path.folder();
        let is_below = |root: &FilePath| *root == folder || below(&folder, root).is_some();
        if !roots.last().is_some_and(is_below) {
            roots.push(folder);
        }
        if let Some(below) = roots.last().and_then(|root| below(path, root)) {
            names.insert(path.clone(), format!("<root{}>/{below}", roots.len()));
        }
    }
    names
}

/// The path of a file from a folder that it is in.
fn below<'p>(path: &'p FilePath, folder: &FilePath) -> Option<&'p str> {
    let rest = path.as_str().strip_prefix(folder.as_str().trim_end_matches('/'))?;
    rest.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_say_nothing_of_the_machine() {
        let paths = [
            "/projects/me/app/main.bicep",
            "/projects/me/app/mod/a.bicep",
            "/projects/me/.bicep/br/x/main.json",
            "/projects/me/lib/deep/c.bicep",
            "/projects/me/lib/b.bicep",
            "/srv/d.bicep",
        ];
        let paths: Vec<FilePath> = paths.iter().map(|path| FilePath::new(path)).collect();
        let named = names(&paths[0], Some(&FilePath::new("/projects/me/.bicep")), paths.iter());
        let named: Vec<&str> = paths.iter().map(|path| named[path].as_str()).collect();
        assert_eq!(
            named,
            [
                "main.bicep",
                "mod/a.bicep",
                "<cache>/br/x/main.json",
                "<root1>/deep/c.bicep",
                "<root1>/b.bicep",
                "<root2>/d.bicep"
            ]
        );
    }
}
