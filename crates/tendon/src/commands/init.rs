//! `tendon init`: write a small project.

use std::fs;
use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use diagnostics::printable;

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Write a small project: a program with a validator, its parameters, a test, mocks and settings
///
/// The files can be deployed as they are. Nothing is overwritten: if one of them is there, nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder to write to, which is made if it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,

    /// Write without asking
    #[arg(short, long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  tendon init
  tendon init shop --yes
  tendon deploy shop/main.bicepparam";

/// The files of a new project.
const FILES: [(&str, &str); 5] = [
    ("bicepconfig.json", include_str!("../../resources/init/bicepconfig.json")),
    ("main.bicep", include_str!("../../resources/init/main.bicep")),
    ("main.bicepparam", include_str!("../../resources/init/main.bicepparam")),
    ("main.biceptest", include_str!("../../resources/init/main.biceptest")),
    ("mocks.yaml", include_str!("../../resources/init/mocks.yaml")),
];

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let folder = &arguments.folder;
    let there: Vec<String> = FILES
        .iter()
        .filter(|(name, _)| folder.join(name).symlink_metadata().is_ok())
        .map(|(name, _)| format!("`{}`", folder.join(name).display()))
        .collect();
    if !there.is_empty() {
        let are = if there.len() == 1 { "is" } else { "are" };
        return Err(CommandError::Environment(format!(
            "{} {are} there already; nothing was written. Name another folder: `tendon init DIR`",
            there.join(", ")
        )));
    }
    if !arguments.yes && !is_wanted(folder, streams)? {
        streams.print_error("nothing was written\n")?;
        return Ok(Exit::Input);
    }
    write(folder)?;
    if common.form() == Form::Json {
        let names = FILES.map(|(name, _)| arm::Value::text(folder.join(name).display().to_string()));
        let files = arm::Value::object([("files", arm::Value::array(names.into()))]);
        streams.print_result(&crate::report::value_text(&files))?;
    } else if !common.quiet {
        let mut text = String::new();
        for (name, _) in FILES {
            text.push_str(&format!("wrote {}\n", printable(&folder.join(name).display().to_string())));
        }
        let program = folder.join("main.bicepparam");
        text.push_str(&format!("next: tendon deploy {}\n", printable(&program.display().to_string())));
        streams.print(&text)?;
    }
    Ok(Exit::Fine)
}

fn names() -> String {
    FILES.map(|(name, _)| name).join(", ")
}

/// Asks whether to go on.
fn is_wanted(folder: &Path, streams: &mut Streams) -> Result<bool, CommandError> {
    if !std::io::stdin().is_terminal() {
        let message = "there is no terminal to ask at: `--yes` writes without asking";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let question = format!("write {} to `{}`? [Y/n] ", names(), folder.display());
    streams.print_error(&printable(&question))?;
    let mut answer = String::new();
    let mut input = std::io::Read::take(std::io::stdin().lock(), 1 << 10);
    input.read_line(&mut answer).map_err(|error| CommandError::reading("the answer", &error))?;
    Ok(!answer.is_empty() && ["", "y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

/// Writes all files or none.
fn write(folder: &Path) -> Result<(), CommandError> {
    let failed =
        |path: &Path, error: &std::io::Error| CommandError::writing(&format!("`{}`", path.display()), error);
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut written: Vec<PathBuf> = Vec::new();
    for (name, text) in FILES {
        let path = folder.join(name);
        // What somebody else wrote meanwhile is theirs.
        if let Err(error) = OutputFile::at(&path).new_only().write(text.as_bytes()) {
            for path in written {
                // It may be gone by now.
                let _ = fs::remove_file(path);
            }
            return Err(failed(&path, &error));
        }
        written.push(path);
    }
    Ok(())
}
