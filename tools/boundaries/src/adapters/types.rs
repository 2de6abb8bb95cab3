//! Types of Radius: every way to register one.

use super::wrapped;
use crate::Result;
use crate::crossing::{Changed, Source};
use crate::room::{Answer, Outcome, Room, Shot};
use crate::world::{ENVIRONMENT, PLANE};

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

/// The schema that the type has before it is changed, and the properties of its resource.
const FIRST: &str = r#"{"type": "object", "required": ["size"], "properties": {"environment": {"type": "string"}, "size": {"type": "string"}, "count": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}, "inner": {"type": "object", "properties": {"leaf": {"type": "string"}}}, "key": {"type": "string"}}}"#;

/// Changes a type that has a resource.
///
/// An attack and a twin have types of their own, so that one never follows from the other.
pub(super) fn change(room: &mut Room<'_>, shot: &Shot<'_>, changed: Changed) -> Result<Answer> {
    let ty = if shot.is_attack { "attacked" } else { "honest" };
    let state = Room::state(shot.is_attack);
    let place = match changed {
        Changed::State => vec!["--state".to_owned(), state.to_owned()],
        Changed::Server | Changed::Rest => vec!["--server".to_owned(), room.url()?],
    };
    let run = |room: &Room<'_>, arguments: &[&str]| -> Result<Answer> {
        let all = arguments.iter().map(|it| (*it).to_owned()).chain(place.clone());
        room.run(&all.collect::<Vec<_>>())
    };
    let mark = room.folder.join(format!("{ty}.prepared"));
    if !mark.exists() {
        let first = format!(
            "{{\"namespace\": \"Test.Kept\", \"types\": {{\"{ty}\": {{\"apiVersions\": {{\"2025-01-01\": {{\"schema\": {FIRST}}}}}}}}}}}"
        );
        room.folder.write("first.json", first)?;
        let body = format!(
            "{{\"properties\": {{\"environment\": \"{ENVIRONMENT}\", \"size\": \"abc\", \"count\": 3, \"tags\": [\"a\", \"b\"], \"inner\": {{\"leaf\": \"x\"}}, \"key\": \"k\"}}}}"
        );
        room.folder.write("kept.json", body)?;
        for arguments in [
            &["resource-type", "create", "-f", "first.json"][..],
            &["resource", "create", &format!("Test.Kept/{ty}"), "present", "-f", "kept.json"],
        ] {
            let answer = run(room, arguments)?;
            if !matches!(answer.outcome, Outcome::Accepted) {
                return Err(String::from_utf8_lossy(&answer.text).into_owned());
            }
        }
        std::fs::write(mark, "").map_err(crate::said)?;
    }
    let before = format!(
        "{{\"namespace\": \"Test.Kept\", \"types\": {{\"{ty}\": {{\"apiVersions\": {{\"2025-01-01\": {{\"schema\": "
    );
    let mut answer = match changed {
        Changed::State | Changed::Server => {
            room.folder.write("changed.json", wrapped(&before, shot.value, "}}}}}"))?;
            run(room, &["resource-type", "update", "-f", "changed.json"])?
        }
        Changed::Rest => {
            let path = format!(
                "/planes/radius/local/providers/System.Resources/resourceProviders/Test.Kept/resourceTypes/{ty}/apiVersions/2025-01-01?api-version=2023-10-01-preview"
            );
            let reply =
                room.ask("PUT", &path, &wrapped("{\"properties\": {\"schema\": ", shot.value, "}}"))?;
            let is_conflict = reply.status == 409;
            let answer = Answer::from(reply);
            // The change is fine, and what is there stands against it.
            if is_conflict { Answer { outcome: Outcome::Refused, ..answer } } else { answer }
        }
    };
    // Whatever was said, the resource is there and can be put again as it is.
    let path = format!("{PLANE}/providers/Test.Kept/{ty}/present?api-version=2025-01-01");
    if changed != Changed::State {
        let shown = room.ask("GET", &path, b"")?;
        if shown.status != 200 {
            answer.outcome = Outcome::Broken(format!("then the resource answers {}", shown.status));
        }
    }
    let put = run(room, &["resource", "create", &format!("Test.Kept/{ty}"), "present", "-f", "kept.json"])?;
    if !matches!(put.outcome, Outcome::Accepted) {
        answer.outcome = Outcome::Broken("then the resource cannot be put as it is".to_owned());
        answer.text.extend(put.text);
    }
    Ok(answer)
}
