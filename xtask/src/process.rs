//! Starting other programs.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::Result;

/// The cargo that started us, or the one on the path.
///
/// On a machine that builds once, what the compiler writes down to build parts again later only costs time.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    if std::env::var_os("CI").is_some() && std::env::var_os("CARGO_INCREMENTAL").is_none() {
        cargo.env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

/// A command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_name().unwrap_or_default();
    let environment = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut words: Vec<String> = environment
        .map(|(name, value)| format!("{}={}", name.display(), quoted(value)))
        .chain([quoted(program)])
        .collect();
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}

/// Runs a command whose output goes straight to the terminal.
pub(crate) fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| format!("cannot start `{}`: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// Runs a command, shows each line of its standard output as it comes, and hands it to `see`.
pub(crate) fn run_seeing(command: &mut Command, mut see: impl FnMut(&str)) -> Result {
    let failed = |error: std::io::Error| format!("cannot run `{}`: {error}", shown(command));
    let mut child = Command::new(command.get_program())
        .args(command.get_args())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.map_err(failed)?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            see(&line);
        }
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// Runs a command and returns what it wrote to standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("cannot start `{}`: {error}", shown(command)))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{}` failed ({})\n{said}", shown(command), output.status))
    }
}

/// Tells whether a program can be started.
pub(crate) fn exists(program: &str) -> bool {
    succeeds(program, &["--version"])
}

/// Tells whether a program can be started and does what it is asked, in silence.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.contains(' ') { format!("'{word}'") } else { word.into_owned() }
}
