//! The folder of a server, and who owns it.

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Who runs the server in place of root.
const UNPRIVILEGED: &str = "nobody";

/// How much of the log is shown.
const LOG_LINES: usize = 10;

/// A folder that is gone with its server.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Whose it is, if it is not ours.
    owner: Option<(u32, u32)>,
}

impl Folder {
    pub(crate) fn new() -> io::Result<Folder> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tendon-pg-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path)?;
        let is_root = std::fs::metadata(&path)?.uid() == 0;
        let folder = Folder { path, owner: is_root.then(unprivileged).transpose()? };
        // Clients that are not the owner connect over the socket in it.
        std::fs::set_permissions(&folder.path, std::fs::Permissions::from_mode(0o755))?;
        folder.chown_to_server_user(&folder.path)?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the databases are.
    pub(crate) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// Writes a file that only the server can read.
    pub(crate) fn file(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let file = self.path.join(name);
        std::fs::write(&file, text)?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
        self.chown_to_server_user(&file)?;
        Ok(file)
    }

    /// A program that runs as the owner of the folder.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.path).env("LC_ALL", "C.UTF-8").env_remove("PGOPTIONS");
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }

    /// Where the server writes its log.
    pub(crate) fn log_file(&self) -> io::Result<std::fs::File> {
        std::fs::OpenOptions::new().create(true).append(true).open(self.path.join("log"))
    }

    /// The end of the log.
    pub(crate) fn log(&self) -> String {
        let text = std::fs::read_to_string(self.path.join("log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(LOG_LINES).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    fn chown_to_server_user(&self, path: &Path) -> io::Result<()> {
        self.owner.map_or(Ok(()), |(user, group)| std::os::unix::fs::chown(path, Some(user), Some(group)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The numbers of the user and its group.
fn unprivileged() -> io::Result<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd")?;
    let of = |line: &str| {
        let mut fields = line.split(':');
        (fields.next()? == UNPRIVILEGED).then_some(())?;
        Some((fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    let missing = || {
        io::Error::other(format!("PostgreSQL does not run as root, and there is no user `{UNPRIVILEGED}`"))
    };
    users.lines().find_map(of).ok_or_else(missing)
}
