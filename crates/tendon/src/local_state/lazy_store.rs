//! A state in a folder that is made when something is first written: until then it is empty, and nothing is there.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::output_file::OutputFile;
use crate::state_files::has_state;
use store::{
    Backup, Claim, Claimed, Commit, CommitOutcome, Deployment, DeploymentKey, Key, Lease, MemoryStore,
    Operation, Page, PageAfter, Resource, ResourceId, Result, Rows, RunId, SqliteStore, StepRecord, Store,
    StoreError, Take,
};

/// What keeps version control from the folder, in a file inside.
const IGNORED: (&str, &str) = (".gitignore", "# What was deployed, with sealed secrets and their key.\n*\n");

/// Makes a folder that only its owner can look into; that of a project is left alone by version control.
pub(crate) fn make_folder(folder: &Path, is_ignored: bool) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let (name, text) = IGNORED;
    let file = folder.join(name);
    if is_ignored && !file.exists() {
        OutputFile::at(&file).write(text.as_bytes())?;
    }
    Ok(())
}

/// A state whose folder may not be there yet.
pub(super) struct LazyStore {
    folder: PathBuf,
    is_ignored: bool,
    /// The key that belongs to it, and its file, if there is none yet.
    key: Option<(Key, PathBuf)>,
    /// There once the key is in its file.
    kept: OnceLock<()>,
    /// Why nothing may be written, if that is so.
    locked: Option<String>,
    opened: OnceLock<SqliteStore>,
    /// Held while the folder is made.
    opening: Mutex<()>,
    empty: MemoryStore,
}

impl LazyStore {
    /// The state of a folder, which is opened now if it is there. A key that was not there is written with the first thing that is.
    pub(super) fn new(
        folder: &Path,
        is_ignored: bool,
        key: Option<(Key, PathBuf)>,
        locked: Option<String>,
    ) -> Result<Arc<LazyStore>> {
        let store = LazyStore {
            folder: folder.to_owned(),
            is_ignored,
            key,
            kept: OnceLock::new(),
            locked,
            opened: OnceLock::new(),
            opening: Mutex::new(()),
            empty: MemoryStore::new(),
        };
        if has_state(folder) {
            store.opened()?;
        }
        Ok(Arc::new(store))
    }

    /// What is read: nothing, as long as nobody has written anything.
    fn read(&self) -> Result<&dyn Backup> {
        match self.opened.get() {
            Some(store) => Ok(store),
            // Another process may have written.
            None if has_state(&self.folder) => Ok(self.opened()?),
            None => Ok(&self.empty),
        }
    }

    /// What is written to, which is made if it is not there, with its key.
    fn written(&self) -> Result<&SqliteStore> {
        if let Some(why) = &self.locked {
            return Err(StoreError::Folder(std::io::Error::other(why.clone())));
        }
        if self.key.is_none() || self.kept.get().is_some() {
            return self.opened();
        }
        let _turn = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        self.make_folder()?;
        if let Some((key, file)) = self.key.as_ref().filter(|_| self.kept.get().is_none()) {
            key.keep(file).map_err(|error| StoreError::Folder(std::io::Error::other(error)))?;
            // Whoever finds the state without its key later is told so, instead of going on with another one.
            let store = self.open_in_turn()?;
            if !store::is_key_of(store, key)? {
                let about = format!("the key `{}` is not the one of this state", file.display());
                return Err(StoreError::Folder(std::io::Error::other(about)));
            }
            self.kept.get_or_init(|| ());
        }
        self.open_in_turn()
    }

    /// The state in the folder, which is made if it is not there.
    fn opened(&self) -> Result<&SqliteStore> {
        if let Some(store) = self.opened.get() {
            return Ok(store);
        }
        let _turn = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        self.make_folder()?;
        self.open_in_turn()
    }

    /// The state, for the one whose turn it is to open it.
    fn open_in_turn(&self) -> Result<&SqliteStore> {
        if let Some(store) = self.opened.get() {
            return Ok(store);
        }
        let store = SqliteStore::open(&self.folder)?;
        Ok(self.opened.get_or_init(|| store))
    }

    fn make_folder(&self) -> Result<()> {
        make_folder(&self.folder, self.is_ignored).map_err(|error| {
            let about = format!("`{}`: {error}", self.folder.display());
            StoreError::Folder(std::io::Error::new(error.kind(), about))
        })
    }
}

impl Store for LazyStore {
    fn probe(&self) -> Result<()> {
        self.written()?.probe()
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        match self.written() {
            Ok(store) => store.commit(batches),
            Err(error) => {
                let message = error.to_string();
                batches.iter().map(|_| CommitOutcome::Unknown(message.clone())).collect()
            }
        }
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        self.read()?.claim(run, owner, milliseconds)
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        self.read()?.claim_abandoned(owner, milliseconds, limit)
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        self.read()?.renew(leases, milliseconds)
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        self.read()?.release(leases)
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        self.read()?.cancel(run)
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        self.read()?.abandoned(limit)
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        self.read()?.are_over(runs)
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        self.read()?.deployment(key)
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        self.read()?.run(run)
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        self.read()?.runs(root)
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        self.read()?.deployments(scope, page)
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        self.read()?.steps(run)
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        self.read()?.operations(run, page)
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        self.read()?.blob(run, name)
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        self.read()?.replace_blob(run, name, was, bytes)
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        self.read()?.resource(id)
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        self.read()?.resources(below, page)
    }

    fn deployments_after(&self, scope: Option<&str>, page: PageAfter) -> Result<Vec<Deployment>> {
        self.read()?.deployments_after(scope, page)
    }

    fn resources_after(&self, below: &str, after: &ResourceId, take: usize) -> Result<Vec<Resource>> {
        self.read()?.resources_after(below, after, take)
    }
}

impl Backup for LazyStore {
    fn export(&self, take: Take<'_>) -> Result<()> {
        self.read()?.export(take)
    }

    fn import(&self, rows: Rows<'_>, replace: bool) -> Result<u64> {
        self.written()?.import(rows, replace)
    }
}
