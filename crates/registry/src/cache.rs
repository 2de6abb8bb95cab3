//! The cache of restored artifacts, in the layout of the public command, so that both tools use one.
//!
//! An artifact has a folder with the file that programs use (`main.json` or `types.tgz`), the `manifest` as it was published, its digest in
//! `metadata`, and perhaps `source.tgz` or `extension.bin`. Nobody waits for a lock: files are written elsewhere and put in their places by renaming, the one that programs
//! use last. Whoever sees it sees all of the others. While a folder is written, its writer has a lock on a file in it, which tells folders of those who were killed
//! from others.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Pulled;

/// Puts an artifact into its folder of the cache.
pub fn store(folder: &Path, artifact: &Pulled) -> io::Result<()> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let staged = Staged::new(folder, parent)?;
    let metadata = format!("{{\n  \"manifestDigest\": \"{}\"\n}}", artifact.digest);
    let mut names = Vec::new();
    let first = [("manifest", artifact.manifest.as_slice()), ("metadata", metadata.as_bytes())];
    let files = artifact.files.iter().map(|(name, bytes)| (*name, bytes.as_slice()));
    for (name, bytes) in first.into_iter().chain(files) {
        write(&staged.folder.join(name), bytes, name == "extension.bin")?;
        names.push(name);
    }
    // A folder takes its place in one step, unless something is there already: then its files do, one by one.
    fs::remove_file(staged.folder.join(MARK))?;
    if fs::rename(&staged.folder, folder).is_ok() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    names.into_iter().try_for_each(|name| fs::rename(staged.folder.join(name), folder.join(name)))
}

/// Removes what was left beside artifacts by those who were killed while they wrote there. What cannot be removed stays; nobody reads it.
pub(crate) fn sweep(beside: &Path) {
    let Ok(entries) = fs::read_dir(beside) else { return };
    for entry in entries.flatten() {
        if is_staged(&entry.file_name().to_string_lossy()) {
            remove_if_left(&entry.path());
        }
    }
}

/// Tells whether a name is one that [`Staged`] gives: `.NAME.PROCESS.COUNT`.
fn is_staged(name: &str) -> bool {
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u64>().is_ok());
    let mut parts = name.rsplitn(3, '.');
    is_number(parts.next()) && is_number(parts.next()) && name.starts_with('.')
}

/// Removes a folder that nobody writes to any more: its lock is free, or it has none and is old.
fn remove_if_left(folder: &Path) {
    let age = || fs::metadata(folder).and_then(|it| it.modified()).ok().and_then(|it| it.elapsed().ok());
    // The lock is kept until the folder is gone, so that nobody begins to write there.
    let mark = fs::File::open(folder.join(MARK));
    let is_left = match &mark {
        Ok(mark) => mark.try_lock().is_ok(),
        Err(_) => age().is_some_and(|age| age > OLD),
    };
    if is_left {
        let _ = fs::remove_dir_all(folder);
    }
}

/// The file whose lock says that a folder is being written.
const MARK: &str = "lock";

/// The age at which a folder without such a file is left: between the moments at which the file is there, nothing takes long.
const OLD: std::time::Duration = std::time::Duration::from_secs(3600);

/// A folder for what is not complete yet, which is gone in the end.
struct Staged {
    folder: PathBuf,
    /// The file that is locked; where the file system has no locks, it only lies there.
    _mark: fs::File,
}

impl Staged {
    fn new(folder: &Path, parent: &Path) -> io::Result<Staged> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!(".{name}.{}.{count}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {}
                // A process of the same number was ended before it could finish.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            // Until the lock is there, others may take the folder for one that was left.
            if let Some(mark) = marked(&path)? {
                return Ok(Staged { folder: path, _mark: mark });
            }
        }
    }
}

/// The locked file of a folder; none if somebody removes the folder.
fn marked(folder: &Path) -> io::Result<Option<fs::File>> {
    let mark = match fs::File::create_new(folder.join(MARK)) {
        Ok(mark) => mark,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match mark.try_lock() {
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        Ok(()) | Err(fs::TryLockError::Error(_)) => {}
    }
    Ok(folder.join(MARK).exists().then_some(mark))
}

impl Drop for Staged {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn write(path: &Path, bytes: &[u8], is_program: bool) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    file.write_all(bytes)?;
    #[cfg(unix)]
    if is_program {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = is_program;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_writes_any_more_is_swept() {
        let beside = std::env::temp_dir().join(format!("tendon-sweep-{}", std::process::id()));
        fs::create_dir_all(&beside).unwrap();
        let make = |name: &str| {
            let folder = beside.join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("manifest"), "x").unwrap();
            folder
        };
        // A process that was killed leaves the file, and no lock on it.
        let killed = make(".1.0$.7.0");
        fs::write(killed.join(MARK), "").unwrap();
        let old = make(".1.0$.8.0");
        let long_ago = std::time::SystemTime::now() - OLD * 2;
        fs::File::open(&old).unwrap().set_modified(long_ago).unwrap();
        let young = make(".1.0$.9.0");
        let (artifact, other) = (make("1.0$"), make(".git"));
        let written = Staged::new(&beside.join("2.0$"), &beside).unwrap();
        sweep(&beside);
        assert!(!killed.exists() && !old.exists());
        for kept in [&young, &artifact, &other, &written.folder] {
            assert!(kept.exists(), "{kept:?}");
        }
        let folder = written.folder.clone();
        drop(written);
        assert!(!folder.exists());
        fs::remove_dir_all(&beside).unwrap();
    }
}
