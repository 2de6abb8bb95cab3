//! Types of Radius: every way to register one.

use super::wrapped;
use crate::Result;
use crate::crossing::Source;
use crate::room::{Answer, Outcome, Room, Shot};

/// Writes a manifest with one type.
fn write(room: &Room<'_>, shot: &Shot<'_>, ty: &str, source: Source) -> Result<&'static str> {
    let before = format!(
        "{{\"namespace\": \"Test.Made\", \"types\": {{\"{ty}\": {{\"apiVersions\": {{\"2025-01-01\": {{\"schema\": "
    );
    let name = if source == Source::Yaml { "made.yaml" } else { "made.json" };
    room.folder.write(name, wrapped(&before, shot.value, "}}}}}"))?;
    Ok(name)
}

fn kept(shot: &Shot<'_>) -> String {
    format!("kept{}", shot.name)
}

pub(super) fn validate(room: &Room<'_>, shot: &Shot<'_>, source: Source) -> Result<Answer> {
    let file = write(room, shot, "made", source)?;
    room.run(&["resource-type", "validate", "-f", file])
}

pub(super) fn create(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    room.with_types(shot.is_attack)?;
    let file = write(room, shot, &kept(shot), Source::Yaml)?;
    room.run(&["resource-type", "create", "-f", file, "--state", Room::state(shot.is_attack)])
}

pub(super) fn update(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let state = Room::state(shot.is_attack);
    let first =
        "namespace: Test.Made\ntypes: {made: {apiVersions: {'2025-01-01': {schema: {type: object}}}}}\n";
    if !room.has_state(shot.is_attack) {
        room.folder.write("first.yaml", first)?;
        room.must(&["resource-type", "create", "-f", "first.yaml", "--state", state])?;
    }
    let file = write(room, shot, "made", Source::Json)?;
    room.run(&["resource-type", "update", "-f", file, "--state", state])
}

pub(super) fn create_on_server(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let file = write(room, shot, &kept(shot), Source::Json)?;
    let url = room.url()?;
    room.run(&["resource-type", "create", "-f", file, "--server", &url])
}

pub(super) fn put(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let provider = "/planes/radius/local/providers/System.Resources/resourceProviders/Test.Made";
    let (version, ty) = ("?api-version=2023-10-01-preview", kept(shot));
    let mut prepare = |path: String| -> Result {
        let reply = room.ask("PUT", &path, b"{\"location\": \"global\", \"properties\": {}}")?;
        let said = String::from_utf8_lossy(&reply.body).into_owned();
        if reply.status < 300 { Ok(()) } else { Err(format!("PUT {path}: {} {said}", reply.status)) }
    };
    prepare(format!("{provider}{version}"))?;
    prepare(format!("{provider}/resourceTypes/{ty}{version}"))?;
    let path = format!("{provider}/resourceTypes/{ty}/apiVersions/2025-01-01{version}");
    let mut answer =
        Answer::from(room.ask("PUT", &path, &wrapped("{\"properties\": {\"schema\": ", shot.value, "}}"))?);
    let kept = room.ask("GET", &path, b"")?.status;
    match answer.outcome {
        Outcome::Accepted if kept != 200 => {
            answer.outcome = Outcome::Broken(format!("accepted, then {kept}"))
        }
        Outcome::Refused if kept != 404 => answer.outcome = Outcome::Broken(format!("refused, then {kept}")),
        _ => {}
    }
    Ok(answer)
}
