//! The certificate of the server while it runs: read again when its files change, when the process hears SIGHUP, and when the one that the server made
//! itself is about to run out. Connections that are open keep theirs.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use server::{CertificateSlot, Identity, TlsError};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How often a certificate of our own is looked at: it is made anew weeks before it runs out.
const LOOK_OWN: Duration = Duration::from_secs(6 * 3600);

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
        let mark = |file: &PathBuf| {
            let about = std::fs::metadata(file).ok()?;
            Some((about.modified().ok()?, about.len()))
        };
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
