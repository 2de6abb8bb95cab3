//! Credential helpers: programs of the name `docker-credential-NAME` that keep credentials for Docker.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::{Credential, Secret};

/// How long a helper may take; it may have to ask a person.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it is waited for the rest of what a helper printed that has ended.
const REST: Duration = Duration::from_millis(500);
/// The most that a helper may print.
const MOST_OUTPUT: u64 = 64 << 10;
/// How often it is looked whether a helper has ended.
const PAUSE: Duration = Duration::from_millis(10);
/// The name that stands for a token instead of a password.
const TOKEN: &str = "<token>";

/// What a helper prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperOutput {
    #[serde(default)]
    username: String,
    #[serde(default)]
    secret: String,
}

/// Asks a helper for the credential under a key; none if it has none.
pub(crate) fn ask(name: &str, key: &str) -> Result<Option<Credential>, String> {
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
        return Err(format!("`{name}` is not the name of a credential helper"));
    }
    let program = format!("docker-credential-{name}");
    let failed = |why: &str| format!("the credential helper `{program}` {why}");
    let mut child = Command::new(&program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&format!("cannot be started: {error}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that does not read is none of our business.
        let _ = stdin.write_all(key.as_bytes());
    }
    let (sender, output) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut stdout = stdout.take(MOST_OUTPUT);
            let mut part = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut part) {
                let Some(part) = part.get(..length) else { break };
                if sender.send(part.to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    let succeeded = wait(&mut child).ok_or_else(|| failed("did not end in time"))?;
    // Helpers end with an error if they do not know the host. What they print then is not shown, since nobody knows what it is.
    if !succeeded {
        return Ok(None);
    }
    // What it printed is there when it has ended. A program that it left behind, such as an agent, can keep the pipe open for ever.
    let mut bytes = Vec::new();
    while let Ok(part) = output.recv_timeout(REST) {
        bytes.extend(part);
    }
    let Ok(answer) = serde_json::from_slice::<HelperOutput>(&bytes) else {
        return Err(failed("printed something else than a credential"));
    };
    Ok(match (answer.username.as_str(), answer.secret.as_str()) {
        ("", _) | (_, "") => None,
        (TOKEN, token) => Some(Credential::Identity(Secret::new(token))),
        (user, password) => {
            Some(Credential::Basic { user: user.to_owned(), password: Secret::new(password) })
        }
    })
}

/// Waits for a helper, and says whether it succeeded; none if it took too long and was ended.
fn wait(child: &mut Child) -> Option<bool> {
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < end => thread::sleep(PAUSE),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_lead_to_another_program() {
        for name in ["", "../x", "a b", "a/b", "x;y"] {
            assert!(ask(name, "a.example").unwrap_err().contains("is not the name"), "{name}");
        }
        assert!(ask("this-helper-is-nowhere", "a.example").unwrap_err().contains("cannot be started"));
    }
}
