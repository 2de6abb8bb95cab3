//! The certificate that the server makes for itself: kept in a folder, made anew before it expires.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::{ServerName, UnixTime};

use super::{CERTIFICATE_FILE, Identity, KEY_FILE, TlsError, provider};

/// How long a new certificate is good for: as long as every client accepts.
const LIFE: Duration = Duration::from_secs(365 * 24 * 3600);
/// A certificate that expires within this time is made anew.
const MARGIN: Duration = Duration::from_secs(30 * 24 * 3600);
/// Clocks that are a little behind accept it, too.
const SKEW: Duration = Duration::from_secs(24 * 3600);
/// What every certificate is for.
const LOCAL: &[&str] = &["localhost", "127.0.0.1", "::1"];

/// The certificate in a folder, or a new one.
pub(super) fn keep(folder: &Path, names: &[String], now: SystemTime) -> Result<Identity, TlsError> {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let names: Vec<&str> = LOCAL.iter().copied().chain(names.iter().map(String::as_str)).collect();
    let (certificate, key) = (folder.join(CERTIFICATE_FILE), folder.join(KEY_FILE));
    match Identity::from_files(&certificate, &key) {
        Ok(found) if is_good(&found, &names, now + MARGIN) => return Ok(found),
        // It expires, lacks a name, or the files do not go together: they are ours, so others take their place.
        Ok(_) | Err(TlsError::Malformed { .. }) => {
            remove(&certificate)?;
            remove(&key)?;
        }
        Err(TlsError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
        Err(other) => return Err(other),
    }
    fs::create_dir_all(folder).map_err(|error| TlsError::File { path: folder.to_owned(), error })?;
    // Whoever writes the key first decides, and a certificate without its key is not taken.
    let pair =
        KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| TlsError::Make(error.to_string()))?;
    create(&key, pair.serialize_pem().as_bytes(), 0o600)?;
    let text = fs::read_to_string(&key).map_err(|error| TlsError::File { path: key.clone(), error })?;
    let pair = KeyPair::from_pem(&text)
        .map_err(|_| TlsError::Malformed { path: key.clone(), expected: "private key" })?;
    create(&certificate, make(&pair, &names, now)?.as_bytes(), 0o644)?;
    Identity::from_files(&certificate, &key)
}

/// A certificate that signs itself.
fn make(pair: &KeyPair, names: &[&str], now: Duration) -> Result<String, TlsError> {
    let failed = |error: rcgen::Error| TlsError::Make(error.to_string());
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).map_err(failed)?;
    params.distinguished_name.remove(DnType::CommonName);
    params.distinguished_name.push(DnType::CommonName, "Tendon");
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    params.not_before = epoch + now.saturating_sub(SKEW);
    params.not_after = epoch + now + LIFE;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok(params.self_signed(pair).map_err(failed)?.pem())
}

/// Whether a client that trusts the certificate would accept it at that time, under each of the names.
fn is_good(identity: &Identity, names: &[&str], at: Duration) -> bool {
    let Some((first, rest)) = identity.chain.split_first() else { return false };
    let mut roots = RootCertStore::empty();
    if roots.add(first.clone()).is_err() || identity.server_config().is_err() {
        return false;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()).build();
    let Ok(verifier) = verifier else { return false };
    let at = UnixTime::since_unix_epoch(at);
    names.iter().all(|&name| {
        ServerName::try_from(name)
            .is_ok_and(|name| verifier.verify_server_cert(first, rest, &name, &[], at).is_ok())
    })
}

fn remove(path: &Path) -> Result<(), TlsError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(TlsError::File { path: path.to_owned(), error })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a file as a whole, unless another process was faster.
fn create(path: &Path, content: &[u8], mode: u32) -> Result<(), TlsError> {
    let failed = |error| TlsError::File { path: path.to_owned(), error };
    let draft = draft(path);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(&draft).map_err(failed)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    // A link is made only where nothing is, unlike a move.
    let linked = written.and_then(|()| fs::hard_link(&draft, path));
    let _ = fs::remove_file(&draft);
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn draft(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tendon-tls-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn at(days: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs((20_000 + days) * 24 * 3600)
    }

    #[test]
    fn a_certificate_is_kept_and_renewed_before_it_expires() {
        let folder = folder("kept");
        let text = || fs::read_to_string(folder.join(CERTIFICATE_FILE)).unwrap();
        let made = Identity::own(&folder, &[], at(0)).unwrap();
        let first = text();
        assert!(made.server_config().is_ok());
        Identity::own(&folder, &[], at(300)).unwrap();
        assert_eq!(text(), first);
        Identity::own(&folder, &[], at(340)).unwrap();
        assert_ne!(text(), first);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_certificate_that_lacks_a_name_is_made_anew() {
        let folder = folder("names");
        let names = ["tendon.example".to_owned()];
        Identity::own(&folder, &[], at(0)).unwrap();
        let with = Identity::own(&folder, &names, at(0)).unwrap();
        let now = at(0).duration_since(UNIX_EPOCH).unwrap();
        assert!(is_good(&with, &["tendon.example", "localhost", "127.0.0.1", "::1"], now));
        assert!(!is_good(&with, &["other.example"], now));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn files_that_do_not_go_together_are_made_anew_and_keys_that_others_can_read_are_refused() {
        let (folder, other) = (folder("pair"), folder("other"));
        Identity::own(&folder, &[], at(0)).unwrap();
        Identity::own(&other, &[], at(0)).unwrap();
        fs::remove_file(folder.join(CERTIFICATE_FILE)).unwrap();
        fs::copy(other.join(CERTIFICATE_FILE), folder.join(CERTIFICATE_FILE)).unwrap();
        assert!(Identity::own(&folder, &[], at(0)).unwrap().server_config().is_ok());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let key = folder.join(KEY_FILE);
            assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
            assert!(matches!(Identity::own(&folder, &[], at(0)), Err(TlsError::Open(_))));
        }
        fs::remove_dir_all(&folder).unwrap();
        fs::remove_dir_all(&other).unwrap();
    }
}
