//! The certificate and the keys of the server while it runs: read again when its files change, when the process hears SIGHUP, and when the one that the server made
//! itself is about to run out. Connections that are open keep theirs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use server::{CertificateSlot, ClientAuthorities, Identity, TlsError};
use store::{Key, Store};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How often a certificate of our own is looked at: it is made anew weeks before it runs out.
const LOOK_OWN: Duration = Duration::from_secs(6 * 3600);

/// How long it takes until a server has read a file again.
pub(crate) const KEY_READ_WITHIN: Duration = Duration::from_millis(LOOK.as_millis() as u64 + 1_000);

/// The ring of keys that seal secrets, in a file.
#[derive(Clone, Debug)]
pub(super) struct KeySource {
    pub(super) key: Key,
    pub(super) file: PathBuf,
}

impl KeySource {
    /// Reads the ring each time the file changes, or the process is asked to, and seals again what other keys of it sealed, as long as the server runs.
    pub(super) async fn keep_reading(self, store: Arc<dyn Store>) {
        let mut seen = None;
        loop {
            let is_asked = tokio::time::timeout(LOOK, asked()).await.is_ok();
            let now = mark(&self.file);
            if !is_asked && now == seen {
                continue;
            }
            // Also once at the beginning: a ring may have been changed while no server ran.
            seen = now;
            match self.key.reload(&self.file) {
                Ok(is_new) => {
                    if is_new {
                        tracing::info!("secrets are sealed with the key that was read again");
                    }
                    self.seal_again(&store).await;
                }
                Err(error) => {
                    tracing::error!(%error, "the key was not read again, and the one before stays");
                }
            }
        }
    }

    async fn seal_again(&self, store: &Arc<dyn Store>) {
        if self.key.others().0 == 0 {
            return;
        }
        let (key, store) = (self.key.clone(), Arc::clone(store));
        let work = tokio::task::spawn_blocking(move || engine::reseal(&*store, &key, true));
        match work.await {
            Ok(Ok(found)) if found.changed + found.left > 0 => {
                tracing::info!(changed = found.changed, left = found.left, "secrets were sealed again");
            }
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "secrets were not sealed again"),
            Err(error) => tracing::warn!(%error, "secrets were not sealed again"),
        }
    }
}

/// Reads the authorities of clients again each time their file changes, or the process is asked to, as long as the server runs.
pub(super) async fn keep_reading_authorities(authorities: ClientAuthorities, file: PathBuf) {
    let mut seen = mark(&file);
    loop {
        let is_asked = tokio::time::timeout(LOOK, asked()).await.is_ok();
        let now = mark(&file);
        if !is_asked && now == seen {
            continue;
        }
        seen = now;
        match authorities.reload(&file) {
            Ok(()) => tracing::info!("new connections are held against the authorities that were read again"),
            Err(error) => {
                tracing::error!(%error, "the authorities of clients were not read again, and those before stay");
            }
        }
    }
}

/// What tells a file from what it was.
fn mark(file: &Path) -> Option<(SystemTime, u64)> {
    let about = std::fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Where the certificate comes from.
#[derive(Clone, Debug)]
pub(super) enum CertificateSource {
    /// Files that somebody else writes.
    Files { certificate: PathBuf, key: PathBuf },
    /// Ours, in the folder of the state, for these names.
    Own { folder: PathBuf, names: Vec<String> },
}

impl CertificateSource {
    /// The certificate as it is now.
    pub(super) fn read(&self) -> Result<Identity, TlsError> {
        match self {
            CertificateSource::Files { certificate, key } => Identity::from_files(certificate, key),
            CertificateSource::Own { folder, names } => Identity::own(folder, names, SystemTime::now()),
        }
    }

    /// What tells the files from what they were.
    fn mark(&self) -> Vec<Option<(SystemTime, u64)>> {
        let CertificateSource::Files { certificate, key } = self else { return Vec::new() };
        vec![mark(certificate), mark(key)]
    }

    fn pause(&self) -> Duration {
        match self {
            CertificateSource::Files { .. } => LOOK,
            CertificateSource::Own { .. } => LOOK_OWN,
        }
    }

    /// Puts each new certificate into the slot, as long as the server runs. One that cannot be used is reported, and the one before stays.
    pub(super) async fn keep_reading(self, slot: CertificateSlot) {
        let mut seen = self.mark();
        loop {
            let is_asked = tokio::time::timeout(self.pause(), asked()).await.is_ok();
            let now = self.mark();
            let is_own = matches!(self, CertificateSource::Own { .. });
            if !is_asked && !is_own && now == seen {
                continue;
            }
            seen = now;
            let source = self.clone();
            let read = tokio::task::spawn_blocking(move || source.read()).await;
            match read.map(|read| read.and_then(|identity| slot.replace(&identity))) {
                Ok(Ok(true)) => tracing::info!("new connections get the certificate that was read again"),
                Ok(Ok(false)) => {}
                Ok(Err(error)) => {
                    tracing::error!(%error, "the certificate was not read again, and the one before stays");
                }
                Err(error) => tracing::error!(%error, "the certificate was not read again"),
            }
        }
    }
}

/// Waits until the process is asked to read its files again.
async fn asked() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut hangup) = signal(SignalKind::hangup()) {
            hangup.recv().await;
            return;
        }
    }
    std::future::pending::<()>().await;
}
