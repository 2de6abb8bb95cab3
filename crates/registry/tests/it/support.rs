//! What the tests share: an artifact, a folder, and registries that are asked without pauses.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use registry::{
    About, ArtifactKind, Keychain, OciError, OciReference, Package, Registries, RestoreRequest, RetryPolicy,
};

/// A folder that is gone when the test is over.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tendon-registry-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// All files below, by their paths from here.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else {
                    found.push(entry.path().strip_prefix(&self.0).unwrap().display().to_string());
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a test.
pub(crate) fn run<R>(future: impl Future<Output = R>) -> R {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Registries that try things again at once.
pub(crate) fn registries(keychain: Keychain) -> Registries {
    let pace =
        RetryPolicy { attempts: 4, pause: Duration::from_millis(1), longest: Duration::from_millis(5) };
    Registries::new(keychain, pace).unwrap()
}

pub(crate) fn module(text: &str) -> Package {
    Package::module(text.as_bytes().to_vec(), None, About::default())
}

pub(crate) fn place(host: &str, version: &str) -> OciReference {
    OciReference::new(host, "team/thing", version).unwrap()
}

/// Restores one artifact to a folder.
pub(crate) async fn restore_one(
    registries: &Registries,
    place: OciReference,
    folder: &Path,
) -> Result<(), OciError> {
    let wanted = [RestoreRequest { place, kind: ArtifactKind::Module, folder: folder.join("thing") }];
    let mut outcome = None;
    registry::restore(registries, &wanted, |_, result| outcome = Some(result)).await;
    outcome.unwrap()
}
