//! Where the programs of PostgreSQL are.

use std::io;
use std::path::{Path, PathBuf};

/// Where Debian has them, a folder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The folder with the programs of the newest version.
pub(crate) fn find() -> io::Result<PathBuf> {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&on_path).filter(|folder| has_server(folder));
    // A folder of the path may hold links to some of the programs.
    let on_path = on_path
        .filter_map(|folder| folder.join("postgres").canonicalize().ok()?.parent().map(Path::to_owned));
    let missing = || {
        let message = "PostgreSQL is not installed; install it with `apt-get install postgresql`, or put the folder with `initdb` and `postgres` on the path";
        io::Error::new(io::ErrorKind::NotFound, message)
    };
    debian().or_else(|| on_path.into_iter().next()).ok_or_else(missing)
}

fn debian() -> Option<PathBuf> {
    let version = |folder: &PathBuf| folder.file_name()?.to_str()?.parse::<u32>().ok();
    let versions = std::fs::read_dir(DEBIAN).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let newest = versions.filter(|folder| has_server(&folder.join("bin"))).max_by_key(version)?;
    Some(newest.join("bin"))
}

fn has_server(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file())
}
