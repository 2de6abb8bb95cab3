//! Parameters of a deployment, from arguments and files.

use std::ffi::OsString;

use super::{entries, wrapped};
use crate::Result;
use crate::crossing::{Assigned, Program};
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

/// A parameter that is a secret of a key vault, which a mock answers.
pub(super) fn vault_secret(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let vault = format!("{}/providers/Microsoft.KeyVault/vaults/vault", crate::world::GROUP);
    room.folder.write(
        "p.json",
        format!("{{\"parameters\": {{\"p\": {{\"reference\": {{\"keyVault\": {{\"id\": \"{vault}\"}}, \"secretName\": \"s\"}}}}}}}}"),
    )?;
    room.folder.write("mocks.json", wrapped("{\"secrets\": {\"vault\": {\"s\": ", shot.value, "}}}"))?;
    let more = ["--parameters", "p.json", "--mocks", "mocks.json"].map(OsString::from);
    deploy(room, shot, "vaulted.json", &more)
}

/// Writes a parameters file.
pub(super) fn write_file(room: &Room<'_>, shot: &Shot<'_>, is_yaml: bool) -> Result {
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
        Assigned::Yaml => {
            room.folder.write("value.yaml", shot.value.json())?;
            "loadYamlContent('value.yaml')".to_owned()
        }
        Assigned::Environment => {
            variable = Some(os(shot.value.json()));
            "json(readEnvironmentVariable('VALUE'))".to_owned()
        }
        Assigned::ExternalInput => {
            room.folder.write("value.json", shot.value.json())?;
            "externalInput('sys.file', { path: 'value.json', format: 'json' })".to_owned()
        }
        Assigned::Command => {
            room.folder.write("answer.json", wrapped("{\"value\": ", shot.value, "}"))?;
            "externalInput('test.answer')".to_owned()
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

/// A template whose parameter has the value as its default, and which is deployed without another one.
pub(super) fn default(room: &Room<'_>, shot: &Shot<'_>, program: Program) -> Result<Answer> {
    match program {
        Program::Bicep => {
            let literal = shot.value.bicep().ok_or("no literal")?;
            let text = room.world.text("main.bicep")?;
            room.folder.write(
                "default.bicep",
                text.replace("param p widget\n", &format!("param p widget = {literal}\n")),
            )?;
            deploy(room, shot, "default.bicep", &[])
        }
        Program::Template => {
            let text = room.world.text("main.json")?;
            let at = text.find("\"p\": {").ok_or("the template has no parameter")? + "\"p\": {".len();
            let (before, behind) = text.split_at_checked(at).ok_or("the template has no parameter")?;
            room.folder.write(
                "default.json",
                wrapped(&format!("{before}\"defaultValue\":\n"), shot.value, &format!(",\n{behind}")),
            )?;
            deploy(room, shot, "default.json", &[])
        }
    }
}

/// Values that replace those of a parameters file.
pub(super) fn overrides(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let honest = crate::attacks::widget().bicep().ok_or("no literal")?;
    room.folder.write("p.bicepparam", format!("using 'main.bicep'\n\nparam p = {honest}\n"))?;
    let mut command = room.tendon(&["build-params", "p.bicepparam", "--outfile", "p.json"]);
    command.env("BICEP_PARAMETERS_OVERRIDES", os(wrapped("{\"p\": ", shot.value, "}")));
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
