//! Secrets that have to survive a crash: sealed with a key that is not in the database.
//!
//! A file may have a ring of keys. The first one seals, and all of them open, so that one key can follow another while what was sealed before is sealed
//! again. What is derived, such as digests of tokens, is derived from the key that the state began with, and stays the same.

use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

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

/// What the lines of keys in a file begin with that do not seal: one that will, and the one that everything is derived from.
const NEXT: &str = "next ";
const ROOT: &str = "root ";

/// The bytes of a key.
type Bytes = [u8; KEY];

/// What seals and opens secrets. Clones are the same ring: one that is read again is new for all of them.
#[derive(Clone)]
pub struct Key(Arc<RwLock<Arc<Ring>>>);

/// Keys that follow each other.
#[derive(Clone, PartialEq, Eq)]
struct Ring {
    /// The one that seals.
    seals: Bytes,
    /// The one that will seal; it opens already.
    next: Option<Bytes>,
    /// Those that sealed before, the newest first.
    older: Vec<Bytes>,
    /// The one that everything is derived from.
    root: Bytes,
}

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
    #[error(
        "the key `{0}` must have 64 hexadecimal digits and nothing else, or a ring that `tendon seal rotate` wrote"
    )]
    Malformed(String),
    /// Another process has written another key.
    #[error("the key `{0}` was written by another process at the same moment; run the command again")]
    Taken(String),
    /// Another state has that key.
    #[error("the key `{0}` is that of another state")]
    Foreign(String),
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

impl Ring {
    fn one(key: Bytes) -> Ring {
        Ring { seals: key, next: None, older: Vec::new(), root: key }
    }

    /// All keys that open, the most likely one first.
    fn all(&self) -> impl Iterator<Item = &Bytes> {
        [&self.seals].into_iter().chain(&self.older).chain(&self.next)
    }

    fn parse(text: &str) -> Option<Ring> {
        let mut lines = text.trim_end().lines();
        let mut ring = Ring::one(key_of(lines.next()?)?);
        let mut root = None;
        for line in lines {
            if let Some(key) = line.strip_prefix(NEXT) {
                ring.next = Some(key_of(key)?);
            } else if let Some(key) = line.strip_prefix(ROOT) {
                root = Some(key_of(key)?);
            } else {
                ring.older.push(key_of(line)?);
            }
        }
        // One key alone is its own root; of several it has to be said.
        let is_alone = ring.older.is_empty() && ring.next.is_none();
        ring.root = root.or(is_alone.then_some(ring.seals))?;
        Some(ring)
    }

    fn text(&self) -> String {
        if *self == Ring::one(self.seals) {
            return hex(&self.seals);
        }
        let mut lines = vec![hex(&self.seals)];
        lines.extend(self.next.iter().map(|key| format!("{NEXT}{}", hex(key))));
        lines.extend(self.older.iter().map(hex));
        lines.push(format!("{ROOT}{}\n", hex(&self.root)));
        lines.join("\n")
    }
}

fn hex(key: &Bytes) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn random_bytes() -> Result<Bytes, SealError> {
    let mut bytes = [0; KEY];
    getrandom::fill(&mut bytes).map_err(SealError::Random)?;
    Ok(bytes)
}

impl Key {
    fn of(ring: Ring) -> Key {
        Key(Arc::new(RwLock::new(Arc::new(ring))))
    }

    fn ring(&self) -> Arc<Ring> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A key that nobody has had before.
    pub fn random() -> Result<Key, SealError> {
        random_bytes().map(|key| Key::of(Ring::one(key)))
    }

    /// The key that everybody can make of a text: for state that ends with the process, in which what a key makes is to be the same each time.
    pub fn public(text: &str) -> Key {
        Key::of(Ring::one(Sha256::digest(text).into()))
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
            // A group may read it, as tools that hand out secrets have it; others may not.
            if mode & 0o037 != 0 {
                return Err(SealError::Open(path.display().to_string()));
            }
        }
        let ring = Ring::parse(&text).ok_or_else(|| SealError::Malformed(path.display().to_string()))?;
        Ok(Key::of(ring))
    }

    /// Reads the file of this ring again; whether it has another one now. That of another state is refused, and this one stays as it is.
    pub fn reload(&self, path: &Path) -> Result<bool, SealError> {
        let read = Key::read(path)?.ring();
        let own = self.ring();
        if read.root != own.root {
            return Err(SealError::Foreign(path.display().to_string()));
        }
        if *read == *own {
            return Ok(false);
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(true)
    }

    /// The ring with a key that will seal, and opens from now on: for nodes that do not get a new file at the
    /// same moment. One that has such a key already keeps it.
    pub fn prepared(&self) -> Result<Key, SealError> {
        let mut ring = Ring::clone(&self.ring());
        if ring.next.is_none() {
            ring.next = Some(random_bytes()?);
        }
        Ok(Key::of(ring))
    }

    /// The ring in which the key that was prepared seals, or a new one.
    pub fn rotated(&self) -> Result<Key, SealError> {
        let mut ring = Ring::clone(&self.ring());
        let seals = ring.next.take().map_or_else(random_bytes, Ok)?;
        ring.older.insert(0, ring.seals);
        ring.seals = seals;
        Ok(Key::of(ring))
    }

    /// The ring without the keys that sealed before.
    #[must_use]
    pub fn retired(&self) -> Key {
        Key::of(Ring { older: Vec::new(), ..Ring::clone(&self.ring()) })
    }

    /// How many keys open and do not seal: those that sealed before, and whether one will.
    pub fn others(&self) -> (usize, bool) {
        let ring = self.ring();
        (ring.older.len(), ring.next.is_some())
    }

    /// Waits until nobody else changes the file of a ring; whoever holds this is alone. It is given back when it is dropped.
    pub fn lock(path: &Path) -> Result<fs::File, SealError> {
        let failed = |error| SealError::File { path: path.display().to_string(), error };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path.with_file_name(name)).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    /// Puts this ring in the place of what a file has. Whoever reads it meanwhile sees one of both.
    pub fn replace(&self, path: &Path) -> Result<(), SealError> {
        let failed = |error| SealError::File { path: path.display().to_string(), error };
        let draft = self.draft(path)?;
        fs::rename(&draft, path).map_err(failed)?;
        // The name is durable as well.
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }

    /// Seals again what another key of the ring sealed; none if it need not be.
    pub fn renew(&self, purpose: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, SealError> {
        if open_with(&self.ring().seals, purpose, sealed).is_ok() {
            return Ok(None);
        }
        let plain = self.open(purpose, sealed)?;
        self.seal(purpose, &plain).map(Some)
    }

    /// Writes a new key. A process that does the same at the same time wins or loses as a whole.
    fn create(path: &Path) -> Result<Key, SealError> {
        let key = Key::random()?;
        if key.link(path)? { Ok(key) } else { Key::read(path) }
    }

    /// Writes this key to a file that is not there, or has this key already.
    pub fn keep(&self, path: &Path) -> Result<(), SealError> {
        match self.link(path)? || Key::read(path)?.ring() == self.ring() {
            true => Ok(()),
            false => Err(SealError::Taken(path.display().to_string())),
        }
    }

    /// Writes this key, unless the file is there; whether it was written. The file has the whole key or is not there.
    fn link(&self, path: &Path) -> Result<bool, SealError> {
        let failed = |error| SealError::File { path: path.display().to_string(), error };
        let draft = self.draft(path)?;
        // A link is made only where nothing is, unlike a move.
        let linked = fs::hard_link(&draft, path);
        let _ = fs::remove_file(&draft);
        match linked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// Writes this key to a file beside another one, which only its owner can read.
    fn draft(&self, path: &Path) -> Result<PathBuf, SealError> {
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
        let written = file.write_all(self.ring().text().as_bytes()).and_then(|()| file.sync_all());
        if let Err(error) = written {
            let _ = fs::remove_file(&draft);
            return Err(failed(error));
        }
        Ok(draft)
    }

    /// Seals a secret for a purpose; it can be opened only for the same one.
    pub fn seal(&self, purpose: &str, secret: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(SealError::Random)?;
        let payload = Payload { msg: secret, aad: purpose.as_bytes() };
        let sealed = cipher(&self.ring().seals)
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| SealError::Refused)?;
        let mut bytes = Vec::with_capacity(1 + NONCE + sealed.len());
        bytes.push(FORMAT);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        Ok(bytes)
    }

    /// Opens what was sealed for a purpose.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let ring = self.ring();
        let mut opened = ring.all().map(|key| open_with(key, purpose, sealed));
        opened.find(Result::is_ok).unwrap_or(Err(SealError::Refused))
    }

    /// Bytes that only the owner of the key can compute from a text: keys of local resources, digests of
    /// secrets. They are the same for all keys that follow each other.
    pub fn derive(&self, purpose: &str, of: &[u8]) -> Result<[u8; 32], SealError> {
        let mut digest = Hmac::<Sha256>::new_from_slice(&self.ring().root).map_err(|_| SealError::Refused)?;
        digest.update(&(purpose.len() as u64).to_le_bytes());
        digest.update(purpose.as_bytes());
        digest.update(of);
        Ok(digest.finalize().into_bytes().into())
    }
}

fn open_with(key: &Bytes, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
    let (format, rest) = sealed.split_first().ok_or(SealError::Refused)?;
    let (nonce, msg) = rest.split_first_chunk::<NONCE>().ok_or(SealError::Refused)?;
    if *format != FORMAT {
        return Err(SealError::Refused);
    }
    let payload = Payload { msg, aad: purpose.as_bytes() };
    cipher(key).decrypt(&XNonce::from(*nonce), payload).map_err(|_| SealError::Refused)
}

fn cipher(key: &Bytes) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&(*key).into())
}

fn key_of(text: &str) -> Option<Bytes> {
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
    Some(key)
}
