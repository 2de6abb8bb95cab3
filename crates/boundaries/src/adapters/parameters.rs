//! Parameters of a deployment, from arguments and files.

use std::ffi::OsString;

use super::{entries, wrapped};
use crate::Result;
use crate::boundary::{Assigned, Program};
use crate::process;
use crate::room::{Answer, Room, Shot};

fn file_of(program: Program) -> &'static str {
    match program {
        Program::Template => "main.json",
        Program::Bicep => "main.bicep",
    }
}

/// Deploys with more arguments.
pub(super) fn deploy(room: &Room<'_>, shot: &Shot<'_>, file: &str, more: &[OsString]) -> Result<Answer> {
    let mut arguments: Vec<OsString> =
        ["deploy", file, "--name", shot.name, "--state", Room::state(shot.is_attack)]
            .map(OsString::from)
            .to_vec();
    arguments.extend_from_slice(more);
    room.run(&arguments)
}

pub(super) fn param(room: &Room<'_>, shot: &Shot<'_>, program: Program) -> Result<Answer> {
    let text = wrapped("p=", shot.value, "");
    deploy(room, shot, file_of(program), &["--param".into(), os(text)])
}

/// Bytes as an argument, whatever they are.
fn os(bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    return String::from_utf8_lossy(&bytes).into_owned().into();
}

pub(super) fn param_file(room: &Room<'_>, shot: &Shot<'_>, program: Program) -> Result<Answer> {
    room.folder.write("value.json", shot.value.json())?;
    deploy(room, shot, file_of(program), &["--param".into(), "p=@value.json".into()])
}

pub(super) fn file(room: &Room<'_>, shot: &Shot<'_>, program: Program, is_yaml: bool) -> Result<Answer> {
    let name = if is_yaml { "p.yaml" } else { "p.json" };
    write_file(room, shot, is_yaml)?;
    deploy(room, shot, file_of(program), &["--parameters".into(), name.into()])
}

/// Writes a parameters file.
fn write_file(room: &Room<'_>, shot: &Shot<'_>, is_yaml: bool) -> Result {
    if is_yaml {
        let text =
            [b"contentVersion: 1.0.0.0\nparameters:\n    ".to_vec(), entries(shot), b"\n".to_vec()].concat();
        return room.folder.write("p.yaml", text);
    }
    let head = "{\n  \"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#\",\n  \"contentVersion\": \"1.0.0.0\",\n  \"parameters\": ";
    room.folder.write("p.json", [head.as_bytes(), &entries(shot), b"\n}\n"].concat())
}

pub(super) fn plain(room: &Room<'_>, shot: &Shot<'_>, program: Program) -> Result<Answer> {
    room.folder.write("plain.json", wrapped("{\"p\": ", shot.value, "}"))?;
    deploy(room, shot, file_of(program), &["--parameters".into(), "plain.json".into()])
}

pub(super) fn assignment(
    room: &Room<'_>,
    shot: &Shot<'_>,
    assigned: Assigned,
    program: Program,
) -> Result<Answer> {
    let literal = || shot.value.bicep().ok_or("no literal");
    let mut variable = None;
    let assigned = match assigned {
        Assigned::Literal => literal()?,
        Assigned::Any => format!("any({})", literal()?),
        Assigned::Text => {
            room.folder.write("value.json", shot.value.json())?;
            "json(loadTextContent('value.json'))".to_owned()
        }
        Assigned::Json => {
            room.folder.write("value.json", shot.value.json())?;
            "loadJsonContent('value.json')".to_owned()
        }
        Assigned::Environment => {
            variable = Some(os(shot.value.json()));
            "json(readEnvironmentVariable('VALUE'))".to_owned()
        }
        Assigned::ExternalInput => {
            room.folder.write("value.json", shot.value.json())?;
            "externalInput('sys.file', { path: 'value.json', format: 'json' })".to_owned()
        }
    };
    let text = format!("using '{}'\n\nparam p = {assigned}\n", file_of(program));
    room.folder.write("p.bicepparam", text)?;
    let mut command =
        room.tendon(&["deploy", "p.bicepparam", "--name", shot.name, "--state", Room::state(shot.is_attack)]);
    if let Some(value) = variable {
        command.env("VALUE", value);
    }
    process::run(command, None).map(Answer::from)
}

/// A command that only looks.
pub(super) fn predicted(room: &Room<'_>, shot: &Shot<'_>, command: &str) -> Result<Answer> {
    write_file(room, shot, false)?;
    let mut arguments = vec![command, "main.json", "--parameters", "p.json"];
    match command {
        "what-if" => arguments.extend(["--name", shot.name, "--state", Room::state(shot.is_attack)]),
        "validate" => arguments.extend(["--name", shot.name]),
        _ => {}
    }
    room.run(&arguments)
}

pub(super) fn to_server(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    write_file(room, shot, false)?;
    let url = room.url()?;
    let scope = crate::world::GROUP;
    room.run(&[
        "deploy",
        "main.bicep",
        "--name",
        shot.name,
        "--parameters",
        "p.json",
        "--server",
        &url,
        "--scope",
        scope,
    ])
}
