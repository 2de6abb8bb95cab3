//! Bombs at the command line: every command that evaluates ends with an error, and not with the process.

use std::path::Path;
use std::process::Stdio;

use crate::table::Bomb;
use crate::{Result, confined};

/// The commands, each with its arguments behind the file.
const COMMANDS: &[(&str, &[&str])] = &[
    ("deploy", &["--state", "state"]),
    ("validate", &[]),
    ("what-if", &["--state", "state"]),
    ("snapshot", &[]),
];

/// Gives each bomb to one command, or to all of them.
pub fn run(program: &Path, folder: &Path, bombs: &[Bomb], all: bool, tell: &dyn Fn(&str)) -> Result {
    let mut wrong = Vec::new();
    for (number, bomb) in bombs.iter().enumerate() {
        let file = folder.join("bomb.json");
        std::fs::write(&file, &bomb.template).map_err(|error| error.to_string())?;
        for (at, (command, more)) in COMMANDS.iter().enumerate() {
            if !all && number % COMMANDS.len() != at {
                continue;
            }
            let name = format!("{command} {}", bomb.name);
            tell(&name);
            let output = confined(program)
                .arg(command)
                .arg(&file)
                .args(*more)
                .current_dir(folder)
                .stdin(Stdio::null())
                .output()
                .map_err(|error| format!("{name}: {error}"))?;
            let said = String::from_utf8_lossy(&output.stderr);
            let first: String = said.chars().take(300).collect();
            match output.status.code() {
                Some(1) => {}
                // A snapshot may leave an expression as it is that nobody can know.
                Some(0) if *command == "snapshot" || *command == "validate" => {}
                Some(code) => wrong.push(format!("{name}: exit code {code}: {first}")),
                None => wrong.push(format!("{name}: {}: {first}", output.status)),
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
