//! Who did what: a line of JSON for each request that changed something or was not allowed, in a file that is put aside when it is large.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use arm::Value;
use http::StatusCode;

use super::RequestInfo;

/// The file, in the folder of the state.
const FILE: &str = "audit.jsonl";
/// How large it becomes before another one is begun.
const LARGE: u64 = 64 * 1024 * 1024;
/// How many older files are kept.
const KEPT: u32 = 5;

/// The audit log: a line for each request that changes something or is denied, in a file of its own.
pub struct Audit {
    path: PathBuf,
    large: u64,
    open: Mutex<AuditFile>,
    /// Whether nothing may be done that it does not take.
    pub(super) is_required: bool,
}

struct AuditFile {
    file: File,
    size: u64,
}

/// Why there is no audit log.
#[derive(Debug, thiserror::Error)]
#[error("the audit log `{path}` cannot be written: {error}")]
pub struct AuditError {
    path: PathBuf,
    error: io::Error,
}

impl Audit {
    /// The log in a folder; what is there already stays.
    pub fn open(folder: &Path) -> Result<Audit, AuditError> {
        Audit::with_size(folder, LARGE)
    }

    fn with_size(folder: &Path, large: u64) -> Result<Audit, AuditError> {
        let path = folder.join(FILE);
        let open = open(&path).map_err(|error| AuditError { path: path.clone(), error })?;
        Ok(Audit { path, large, open: Mutex::new(open), is_required: false })
    }

    /// The same that has to take a line before anything is done: a request that it cannot take is refused.
    #[must_use]
    pub fn required(self) -> Audit {
        Audit { is_required: true, ..self }
    }

    /// Writes down that something was done without a request: by a command that works with the state itself.
    pub fn note(&self, who: &str, action: &str, path: &str) -> Result<(), AuditError> {
        let (address, status, request) = (Value::Null, Value::Null, Value::text(""));
        let line = line(who, address, action, path, status, request);
        self.append(&line).map_err(|error| AuditError { path: self.path.clone(), error })
    }

    /// Writes a line: what was answered, or that it will be done, which has no status yet.
    pub(super) fn write(
        &self,
        seen: &RequestInfo,
        status: Option<StatusCode>,
        request: &str,
    ) -> Result<(), AuditError> {
        let address = seen.peer.map_or(Value::Null, |peer| Value::text(peer.to_string()));
        let status = status.map_or(Value::Null, |status| Value::Int(i64::from(status.as_u16())));
        let line = line(&seen.who, address, seen.method.as_str(), &seen.path, status, Value::text(request));
        self.append(&line).map_err(|error| AuditError { path: self.path.clone(), error })
    }

    fn append(&self, line: &str) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let size = line.len() as u64 + 1;
        if open.size > 0 && open.size + size > self.large {
            self.put_aside()?;
            *open = self::open(&self.path)?;
        }
        // One write, so that lines of several processes do not mix.
        open.file.write_all(format!("{line}\n").as_bytes())?;
        open.size += size;
        Ok(())
    }

    /// Moves each file one further; the last one is forgotten.
    fn put_aside(&self) -> io::Result<()> {
        let name = |number: u32| self.path.with_extension(format!("jsonl.{number}"));
        for number in (1..KEPT).rev() {
            if name(number).exists() {
                fs::rename(name(number), name(number + 1))?;
            }
        }
        fs::rename(&self.path, name(1))
    }
}

fn line(who: &str, address: Value, method: &str, path: &str, status: Value, request: Value) -> String {
    let milliseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let time = arm::rest_time::moment_text(i64::try_from(milliseconds).unwrap_or(i64::MAX));
    let members = [
        ("time", Value::text(time)),
        ("who", Value::text(who)),
        ("address", address),
        ("method", Value::text(method)),
        ("path", Value::text(path)),
        ("status", status),
        ("request", request),
    ];
    Value::object(members).to_json()
}

fn open(path: &Path) -> io::Result<AuditFile> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let size = file.metadata()?.len();
    Ok(AuditFile { file, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_put_aside_and_only_so_many_are_kept() {
        let folder = std::env::temp_dir().join(format!("tendon-audit-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let audit = Audit::with_size(&folder, 20).unwrap();
        for number in 0..20 {
            audit.append(&format!("{number:019}")).unwrap();
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1 + KEPT as usize);
        assert_eq!(fs::read_to_string(folder.join(FILE)).unwrap(), "0000000000000000019\n");
        assert_eq!(fs::read_to_string(folder.join("audit.jsonl.1")).unwrap(), "0000000000000000018\n");
        drop(audit);
        // What is there stays.
        Audit::with_size(&folder, 100).unwrap().append("next").unwrap();
        assert!(fs::read_to_string(folder.join(FILE)).unwrap().ends_with("19\nnext\n"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
