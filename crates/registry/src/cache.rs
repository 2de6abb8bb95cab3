//! The cache of restored artifacts, in the layout of the public command, so that both tools use one.
//!
//! An artifact has a folder with the file that programs use (`main.json` or `types.tgz`), the `manifest` as it was published, its digest in
//! `metadata`, and perhaps `source.tgz` or `extension.bin`. There are no locks: files are written elsewhere and put in their places by renaming, the one that programs
//! use last. Whoever sees it sees all of the others.

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
        write(&staged.0.join(name), bytes, name == "extension.bin")?;
        names.push(name);
    }
    // A folder takes its place in one step, unless something is there already: then its files do, one by one.
    if fs::rename(&staged.0, folder).is_ok() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    names.into_iter().try_for_each(|name| fs::rename(staged.0.join(name), folder.join(name)))
}

/// A folder for what is not complete yet, which is gone in the end.
struct Staged(PathBuf);

impl Staged {
    fn new(folder: &Path, parent: &Path) -> io::Result<Staged> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!(".{name}.{}.{count}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Staged(path)),
                // A process of the same number was ended before it could finish.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
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
