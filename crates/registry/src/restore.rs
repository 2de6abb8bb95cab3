//! Restores many artifacts at once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use futures_util::{StreamExt as _, stream};

use crate::{ArtifactKind, OciError, OciReference, Registries, cache};

/// How many artifacts are pulled at a time.
const AT_ONCE: usize = 16;

/// An artifact, and the folder of the cache that it belongs to.
#[derive(Clone, Debug)]
pub struct RestoreRequest {
    /// The registry, the repository and the tag or digest.
    pub place: OciReference,
    /// What it must be.
    pub kind: ArtifactKind,
    /// The folder that it is written to.
    pub folder: PathBuf,
}

/// Pulls artifacts and puts them into the cache. `done` is told the position of each one as it is there, or why it is not.
///
/// An artifact that fails leaves nothing in the cache, and the others as they are. What a restore that was killed left beside them is removed.
pub async fn restore(
    registries: &Registries,
    wanted: &[RestoreRequest],
    mut done: impl FnMut(usize, Result<(), OciError>),
) {
    let beside: BTreeSet<&Path> = wanted.iter().filter_map(|wanted| wanted.folder.parent()).collect();
    beside.into_iter().for_each(cache::sweep);
    let pulls = wanted.iter().enumerate().map(|(position, wanted)| async move {
        let pulled = registries.pull(&wanted.place, wanted.kind).await;
        let stored = pulled.and_then(|pulled| {
            cache::store(&wanted.folder, &pulled)
                .map_err(|error| OciError::Cache(format!("`{}`: {error}", wanted.folder.display())))
        });
        (position, stored)
    });
    let mut pulls = stream::iter(pulls).buffer_unordered(AT_ONCE);
    while let Some((position, outcome)) = pulls.next().await {
        done(position, outcome);
    }
}
