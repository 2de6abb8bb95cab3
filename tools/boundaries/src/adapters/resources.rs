//! Resources of Radius: alone, in deployments, and what providers answer for them.

use super::{modules, parameters, rest, wrapped};
use crate::Result;
use crate::crossing::{Given, Level, Source};
use crate::room::{Answer, Room, Shot};
use crate::value::{Value, quoted};
use crate::world::{ENVIRONMENT, PLANE};

/// The properties with the environment that every resource has, also where they are no JSON.
pub(super) fn placed(value: &Value, environment: &str) -> Value {
    match value {
        Value::Object(_) => value.before("environment", environment),
        Value::Raw(bytes) => match bytes.strip_prefix(b"{") {
            Some(rest) => {
                let head = format!("{{\"environment\": {}, ", quoted(environment));
                Value::Raw([head.as_bytes(), rest].concat())
            }
            None => value.clone(),
        },
        other => other.clone(),
    }
}

/// A resource with these properties.
pub(super) fn body(value: &Value, environment: &str) -> Vec<u8> {
    wrapped("{\"properties\": ", &placed(value, environment), "}")
}

fn write(room: &Room<'_>, shot: &Shot<'_>, source: Source) -> Result<&'static str> {
    let name = if source == Source::Yaml { "resource.yaml" } else { "resource.json" };
    room.folder.write(name, body(shot.value, ENVIRONMENT))?;
    Ok(name)
}

fn kept(shot: &Shot<'_>) -> String {
    format!("kept-{}", shot.name)
}

pub(super) fn create(room: &Room<'_>, shot: &Shot<'_>, source: Source) -> Result<Answer> {
    room.with_types(shot.is_attack)?;
    let file = write(room, shot, source)?;
    room.run(&[
        "resource",
        "create",
        "Test.Gate/widgets",
        &kept(shot),
        "-f",
        file,
        "--state",
        Room::state(shot.is_attack),
    ])
}

pub(super) fn create_on_server(room: &mut Room<'_>, shot: &Shot<'_>, source: Source) -> Result<Answer> {
    let file = write(room, shot, source)?;
    let url = room.url()?;
    room.run(&["resource", "create", "Test.Gate/widgets", &kept(shot), "-f", file, "--server", &url])
}

pub(super) fn put(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let path = format!("{PLANE}/providers/Test.Gate/widgets/{}?api-version=2025-01-01", kept(shot));
    let reply = room.ask("PUT", &path, &body(shot.value, ENVIRONMENT))?;
    Ok(reply.into())
}

pub(super) fn deployed(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    room.with_types(shot.is_attack)?;
    let value = placed(shot.value, ENVIRONMENT);
    let shot = &Shot { value: &value, ..*shot };
    match given {
        Given::Literal => {
            let literal = value.bicep().ok_or("no literal")?;
            let text = format!(
                "extension gate\n\nresource w 'Test.Gate/widgets@2025-01-01' = {{\n  name: 'kept-{}'\n  properties: {literal}\n}}\n",
                shot.name
            );
            room.folder.write("literal.bicep", text)?;
            parameters::deploy(room, shot, "literal.bicep", &[])
        }
        Given::RunTime => modules::text(room, shot, "deployed-runtime"),
        _ => modules::text(room, shot, "deployed"),
    }
}

pub(super) fn deployed_over_rest(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let template = room.world.text("deployed-rest.json")?;
    let before = format!(
        "{{\"properties\": {{\"mode\": \"Incremental\", \"template\": {template},\n\"parameters\": {{\"v\": {{\"value\": "
    );
    let body = wrapped(&before, &placed(shot.value, ENVIRONMENT), "}}}}");
    rest::put(room, shot, Level::Plane, &body)
}

pub(super) fn answered(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    room.with_types(shot.is_attack)?;
    let before = "{\"provider\": [{\"resource\": \"Test.Gate/widgets\", \"on\": \"put\", \"answers\": [{\"merge\": {\"properties\": ";
    room.folder.write("mocks.json", wrapped(before, shot.value, "}}]}]}"))?;
    let environment = format!("environment={ENVIRONMENT}");
    parameters::deploy(
        room,
        shot,
        "answered.bicep",
        &["--mocks".into(), "mocks.json".into(), "--param".into(), environment.into()],
    )
}

pub(super) fn unregistered(room: &Room<'_>, shot: &Shot<'_>, with_scope: bool) -> Result<Answer> {
    room.with_types(shot.is_attack)?;
    let member = |name: &str| {
        shot.value.members().iter().find(|(known, _)| known == name).map(|(_, value)| value.json())
    };
    let (ty, properties) = (member("type").unwrap_or_default(), member("properties").unwrap_or_default());
    let text = [
        b"{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\", \"languageVersion\": \"2.0\", \"contentVersion\": \"1.0.0.0\", \"imports\": {\"gate\": {\"provider\": \"radiustestgate\", \"version\": \"0.0.1\"}}, \"resources\": {\"w\": {\"import\": \"gate\", \"type\": ".as_slice(),
        &ty,
        format!(", \"properties\": {{\"name\": \"kept-{}\", \"properties\": ", shot.name).as_bytes(),
        &properties,
        b"}}}}",
    ]
    .concat();
    room.folder.write("unregistered.json", text)?;
    let scope = if with_scope { vec!["--scope".into(), PLANE.into()] } else { Vec::new() };
    parameters::deploy(room, shot, "unregistered.json", &scope)
}

/// A resource of a template that says nothing of extensions.
pub(super) fn plain(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    room.with_types(shot.is_attack)?;
    let resource =
        shot.value.after("name", format!("kept-{}", shot.name).as_str()).after("apiVersion", "2025-01-01");
    let head = "{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\", \"contentVersion\": \"1.0.0.0\", \"resources\": [";
    room.folder.write("plain.json", wrapped(head, &resource, "]}"))?;
    parameters::deploy(room, shot, "plain.json", &[])
}
