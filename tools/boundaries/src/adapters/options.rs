//! Options of resources in templates, and decorators of programs.

use super::{modules, parameters};
use crate::Result;
use crate::crossing::Given;
use crate::room::{Answer, Room, Shot};
use crate::value::{Value, quoted};

const HEAD: &str = "{\n\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\",\n\"contentVersion\": \"1.0.0.0\",\n\"parameters\": {\"text\": {\"type\": \"string\", \"defaultValue\": \"\"}},\n\"resources\": [\n";

/// A resource that answers with the value that a text describes; it comes before all others.
const THING: &str = "{\"type\": \"Test.Things/things\", \"apiVersion\": \"2025-01-01\", \"name\": \"[format('thing-{0}', deployment().name)]\", \"properties\": {\"answer\": \"[json(parameters('text'))]\"}},\n";

/// How a template names a member of the value that it is given.
fn member(given: Given, name: &str) -> String {
    let value = match given {
        Given::RunTime => {
            "reference(resourceId('Test.Things/things', format('thing-{0}', deployment().name))).answer"
        }
        _ => "json(parameters('text'))",
    };
    quoted(&format!("[{value}['{name}']]"))
}

/// Deploys a template with a resource that has more members.
pub(super) fn resource(room: &Room<'_>, shot: &Shot<'_>, given: Given, members: &[u8]) -> Result<Answer> {
    deploy(room, shot, given, "Test.Things/things", members)
}

/// Deploys a template with a deployment inside that has more members.
pub(super) fn deployment(room: &Room<'_>, shot: &Shot<'_>, given: Given, members: &[u8]) -> Result<Answer> {
    const PROPERTIES: &[u8] = b",\n\"properties\": {\"mode\": \"Incremental\", \"template\": {\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\", \"contentVersion\": \"1.0.0.0\", \"resources\": []}}";
    deploy(room, shot, given, "Microsoft.Resources/deployments", &[members, PROPERTIES].concat())
}

fn deploy(room: &Room<'_>, shot: &Shot<'_>, given: Given, ty: &str, members: &[u8]) -> Result<Answer> {
    let thing = if given == Given::RunTime { THING } else { "" };
    let kept =
        format!("{{\"type\": \"{ty}\", \"apiVersion\": \"2025-01-01\", \"name\": \"kept-{}\",\n", shot.name);
    let text = [HEAD.as_bytes(), thing.as_bytes(), kept.as_bytes(), members, b"\n}\n]\n}\n"].concat();
    room.folder.write("resource.json", text)?;
    if given == Given::Literal {
        return parameters::deploy(room, shot, "resource.json", &[]);
    }
    modules::text(room, shot, "resource.json")
}

/// Arguments of the options that the engine knows.
pub(super) fn arguments(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    let argument = |name: &str| match given {
        Given::Literal => {
            let found = shot.value.members().iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.json()).unwrap_or_default()
        }
        _ => member(given, name).into_bytes(),
    };
    let members = [
        b"\"@options\": {\n\"retryOn\": [\n".as_slice(),
        &argument("codes"),
        b",\n",
        &argument("count"),
        b"\n],\n\"waitUntil\": [\"[lambda('x', true())]\",\n",
        &argument("duration"),
        b"\n]}",
    ];
    resource(room, shot, given, &members.concat())
}

/// All options of a resource.
pub(super) fn whole(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    resource(room, shot, Given::Literal, &super::wrapped("\"@options\":\n", shot.value, ""))
}

/// The argument of a decorator with a type.
pub(super) fn declared(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    let literal = || shot.value.bicep().ok_or("no literal");
    let argument = match given {
        Given::Literal => literal()?,
        Given::Any => format!("any({})", literal()?),
        Given::RunTime => "thing.properties.answer".to_owned(),
        _ => "any(json(text))".to_owned(),
    };
    let thing = match given {
        Given::RunTime => {
            "resource thing 'Test.Things/things@2025-01-01' = {\n  name: 'thing-${deployment().name}'\n  properties: { answer: json(text) }\n}\n"
        }
        _ => "",
    };
    let text = format!(
        "param text string = ''\n{thing}@notify({argument})\nresource kept 'Test.Things/things@2025-01-01' = {{\n  name: 'kept-{}'\n}}\n",
        shot.name
    );
    room.folder.write("decorated.bicep", text)?;
    match given {
        Given::Literal | Given::Any => parameters::deploy(room, shot, "decorated.bicep", &[]),
        _ => modules::text(room, shot, "decorated.bicep"),
    }
}

/// The members of a resource, each by an expression that gives it.
pub(super) fn by_expression(given: Given, value: &Value) -> Vec<u8> {
    let members = value.members().iter();
    let members = members.map(|(name, _)| format!("{}: {}", quoted(name), member(given, name)));
    members.collect::<Vec<_>>().join(",\n").into_bytes()
}
