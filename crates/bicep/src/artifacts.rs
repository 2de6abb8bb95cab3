//! The artifacts of registries that a program needs: what a restore has to fetch before it is compiled.

use rustc_hash::FxHashSet;

use crate::Compiler;
use crate::files::{BicepFile, FileTarget, ReferenceKind, SourceFile};
use crate::world::{FilePath, Reference};

/// An artifact of a registry, or a template spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The reference by which files name it.
    pub reference: Reference,
    /// Whether it is an extension, and not a module.
    pub is_extension: bool,
    /// The folder of the cache that it belongs to.
    pub folder: FilePath,
    /// Whether it is in the cache, in a mirror, or nowhere.
    pub state: ArtifactState,
}

/// Where an artifact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactState {
    /// In the cache of restored artifacts.
    Cached,
    /// In a folder that stands in for its registry.
    Mirrored,
    /// Neither here nor there.
    Missing,
}

impl Compiler {
    /// The artifacts that a file, and the files that it needs, refer to, each once, in the order in which they are met.
    #[must_use]
    pub fn artifacts(&self, entry: &FilePath) -> Vec<Artifact> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for path in &self.closure(entry).order {
            let Ok(source) = self.file(path) else { continue };
            let SourceFile::Bicep(file) = &*source else { continue };
            let cache = file.config.cache_root(self.world());
            for (reference, is_extension, target) in named(file) {
                let Some(folder) = reference.cache_folder(&cache) else { continue };
                if !seen.insert((reference.clone(), is_extension)) {
                    continue;
                }
                let state = match target {
                    Some(target) if target.path.folder() == folder => ArtifactState::Cached,
                    Some(_) => ArtifactState::Mirrored,
                    None => ArtifactState::Missing,
                };
                found.push(Artifact { reference: reference.clone(), is_extension, folder, state });
            }
        }
        found
    }

    /// All files that a program consists of, itself included: Bicep files and templates.
    #[must_use]
    pub fn program_files(&self, entry: &FilePath) -> Vec<FilePath> {
        self.closure(entry).order.clone()
    }

    /// The artifacts that are neither in a mirror nor in the cache.
    #[must_use]
    pub fn unrestored(&self, entry: &FilePath) -> Vec<Artifact> {
        let mut artifacts = self.artifacts(entry);
        artifacts.retain(|artifact| artifact.state == ArtifactState::Missing);
        artifacts
    }
}

/// What a file refers to, with where that is.
fn named(file: &BicepFile) -> impl Iterator<Item = (&Reference, bool, Option<&FileTarget>)> {
    let written = file.references.iter().filter_map(|it| {
        let is_extension = match it.kind {
            ReferenceKind::Extension => true,
            ReferenceKind::Module
            | ReferenceKind::Test
            | ReferenceKind::Import
            | ReferenceKind::Using
            | ReferenceKind::Extends => false,
        };
        Some((it.reference.as_ref()?, is_extension, it.target.as_ref().ok()))
    });
    let implicit = file.implicit.iter().filter_map(|it| {
        let target = it.target.as_ref().ok().and_then(Option::as_ref);
        Some((it.reference.as_ref()?, true, target))
    });
    written.chain(implicit)
}
