//! Secrets that have to survive a crash: sealed with a key that is not in the database.

use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};

/// The bytes of a key.
const KEY: usize = 32;
/// The bytes of a nonce: long enough to be chosen at random.
const NONCE: usize = 24;
/// The first byte of what is sealed: which cipher, and in which order its parts stand.
const FORMAT: u8 = 1;

/// What seals and opens secrets.
#[derive(Clone)]
pub struct Key([u8; KEY]);

/// Why a secret cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The key cannot be read or written.
    #[error("the key `{path}` cannot be used: {error}")]
    File {
        /// The path of the file of the key.
        path: String,
        /// What the operating system says.
        error: io::Error,
    },
    /// The key can be read by others.
    #[error("the key `{0}` can be read by other users; allow only its owner to (chmod 600)")]
    Open(String),
    /// The file is not a key.
    #[error("the key `{0}` must have 64 hexadecimal digits and nothing else")]
    Malformed(String),
    /// Another process has written another key.
    #[error("the key `{0}` was written by another process at the same moment; run the command again")]
    Taken(String),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(getrandom::Error),
    /// The bytes were sealed with another key, for something else, or changed since.
    #[error("the secret was sealed with another key, or it is damaged")]
    Refused,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(***)")
    }
}

impl Key {
    /// A key that nobody has had before.
    pub fn random() -> Result<Key, SealError> {
        let mut bytes = [0; KEY];
        getrandom::fill(&mut bytes).map_err(SealError::Random)?;
        Ok(Key(bytes))
    }

    /// The key that everybody can make of a text: for state that ends with the process, in which what a key makes is to be the same each time.
    pub fn public(text: &str) -> Key {
        Key(Sha256::digest(text).into())
    }

    /// The key in a file; without one, a new key is written, which only its owner can read.
    pub fn in_file(path: &Path) -> Result<Key, SealError> {
        match Key::read(path) {
            Err(SealError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                Key::create(path)
            }
            other => other,
        }
    }

    /// The key in a file that must be there.
    pub fn read(path: &Path) -> Result<Key, SealError> {
        let failed = |error| SealError::File { path: path.display().to_string(), error };
        let text = fs::read_to_string(path).map_err(failed)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(path).map_err(failed)?.permissions().mode();
            if mode & 0o077 != 0 {
                return Err(SealError::Open(path.display().to_string()));
            }
        }
        key_of(text.trim_end()).ok_or_else(|| SealError::Malformed(path.display().to_string()))
    }

    /// Writes a new key. A process that does the same at the same time wins or loses as a whole.
    fn create(path: &Path) -> Result<Key, SealError> {
        let key = Key::random()?;
        if key.link(path)? { Ok(key) } else { Key::read(path) }
    }

    /// Writes this key to a file that is not there, or has this key already.
    pub fn keep(&self, path: &Path) -> Result<(), SealError> {
        match self.link(path)? || Key::read(path)?.0 == self.0 {
            true => Ok(()),
            false => Err(SealError::Taken(path.display().to_string())),
        }
    }

    /// Writes this key, unless the file is there; whether it was written. The file has the whole key or is not there.
    fn link(&self, path: &Path) -> Result<bool, SealError> {
        let failed = |error| SealError::File { path: path.display().to_string(), error };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        // Threads of one process write drafts of their own, too.
        static DRAFTS: AtomicU64 = AtomicU64::new(0);
        name.push(format!(".{}.{}", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed)));
        let draft = path.with_file_name(name);
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&draft).map_err(failed)?;
        let text: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        // A link is made only where nothing is, unlike a move.
        let linked = written.and_then(|()| fs::hard_link(&draft, path));
        let _ = fs::remove_file(&draft);
        match linked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// Seals a secret for a purpose; it can be opened only for the same one.
    pub fn seal(&self, purpose: &str, secret: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(SealError::Random)?;
        let payload = Payload { msg: secret, aad: purpose.as_bytes() };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload).map_err(|_| SealError::Refused)?;
        let mut bytes = Vec::with_capacity(1 + NONCE + sealed.len());
        bytes.push(FORMAT);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        Ok(bytes)
    }

    /// Opens what was sealed for a purpose.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (format, rest) = sealed.split_first().ok_or(SealError::Refused)?;
        let (nonce, msg) = rest.split_first_chunk::<NONCE>().ok_or(SealError::Refused)?;
        if *format != FORMAT {
            return Err(SealError::Refused);
        }
        let payload = Payload { msg, aad: purpose.as_bytes() };
        self.cipher().decrypt(&XNonce::from(*nonce), payload).map_err(|_| SealError::Refused)
    }

    /// Bytes that only the owner of the key can compute from a text: keys of local resources, digests of secrets.
    pub fn derive(&self, purpose: &str, of: &[u8]) -> Result<[u8; 32], SealError> {
        let mut digest = Hmac::<Sha256>::new_from_slice(&self.0).map_err(|_| SealError::Refused)?;
        digest.update(&(purpose.len() as u64).to_le_bytes());
        digest.update(purpose.as_bytes());
        digest.update(of);
        Ok(digest.finalize().into_bytes().into())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.0.into())
    }
}

fn key_of(text: &str) -> Option<Key> {
    let digits = text.as_bytes();
    if digits.len() != 2 * KEY {
        return None;
    }
    let mut key = [0; KEY];
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        *byte = u8::from_str_radix(pair, 16)
            .ok()
            .filter(|_| pair.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    }
    Some(Key(key))
}
