//! Nested and linked deployments of templates.

use super::{entries, parameters};
use crate::Result;
use crate::crossing::Given;
use crate::room::{Answer, Room, Shot};
use crate::value::quoted;

/// The deployment that is nested, with its parameters and its template.
fn outer(more: &str, parameters: &[u8], template: &str, depends: &str) -> Vec<u8> {
    let head = format!(
        "{{\n  \"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\",\n  \"contentVersion\": \"1.0.0.0\",\n  \"parameters\": {{\"text\": {{\"type\": \"string\", \"defaultValue\": \"\"}}}},\n  \"resources\": [{more}\n    {{\"type\": \"Microsoft.Resources/deployments\", \"apiVersion\": \"2025-04-01\", \"name\": \"nested\", {depends}\"properties\": {{\"mode\": \"Incremental\", \"expressionEvaluationOptions\": {{\"scope\": \"inner\"}},\n      \"parameters\":"
    );
    [head.as_bytes(), b" ", parameters, b",\n      ", template.as_bytes(), b"\n    }}\n  ]\n}\n"].concat()
}

const MARK: &str = "\"mark\": {\"value\": \"[deployment().name]\"}";

/// The resource whose property is known only when it was deployed.
const THING: &str = "\n    {\"type\": \"Test.Things/things\", \"apiVersion\": \"2025-01-01\", \"name\": \"[format('thing-{0}', deployment().name)]\", \"properties\": {\"answer\": \"[json(parameters('text'))]\"}},";
const RUN_TIME: &str = "{\"p\": {\"value\": \"[reference(resourceId('Test.Things/things', format('thing-{0}', deployment().name))).answer]\"}, ";
const DEPENDS: &str =
    "\"dependsOn\": [\"[resourceId('Test.Things/things', format('thing-{0}', deployment().name))]\"], ";

/// A template with a nested deployment that gets a run-time value, made from the parameter `text`.
pub(super) fn run_time(room: &Room<'_>) -> Result<Vec<u8>> {
    let template = format!("\"template\": {}", room.world.text("inner.json")?);
    Ok(outer(THING, format!("{RUN_TIME}{MARK}}}").as_bytes(), &template, DEPENDS))
}

pub(super) fn deployment(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    let inline = |name: &str| room.world.text(name).map(|text| format!("\"template\": {text}"));
    // Entries of the shot with that of the mark before them.
    let marked = |entries: Vec<u8>| {
        let rest = entries.get(1..).unwrap_or_default();
        [b"{", MARK.as_bytes(), b", ", rest].concat()
    };
    let mut text = None;
    let template = match given {
        Given::Literal => outer("", &marked(entries(shot)), &inline("inner.json")?, ""),
        Given::LinkedTemplate => {
            outer("", &marked(entries(shot)), "\"templateLink\": {\"relativePath\": \"inner.json\"}", "")
        }
        Given::LinkedParameters => {
            let name = quoted(shot.name);
            let marked = marked(entries(shot));
            // What is linked is not evaluated, so that the mark is written out.
            let text = String::from_utf8_lossy(MARK.as_bytes()).replace("\"[deployment().name]\"", &name);
            let linked = [b"{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#\", \"contentVersion\": \"1.0.0.0\", \"parameters\": {".as_slice(), text.as_bytes(), marked.get(1 + MARK.len()..).unwrap_or_default(), b"}"].concat();
            room.folder.write("linked.json", linked)?;
            let plain = outer("", b"{}", &inline("inner.json")?, "");
            let plain = String::from_utf8_lossy(&plain).replace(
                "\"parameters\": {},\n      \"template\"",
                "\"parametersLink\": {\"relativePath\": \"linked.json\"},\n      \"template\"",
            );
            plain.into_bytes()
        }
        Given::Expression => {
            text = shot.value.json_text();
            let parameters = format!("{{\"p\": {{\"value\": \"[json(parameters('text'))]\"}}, {MARK}}}");
            outer("", parameters.as_bytes(), &inline("inner.json")?, "")
        }
        Given::RunTime => {
            text = shot.value.json_text();
            run_time(room)?
        }
        Given::Output => {
            text = shot.value.json_text();
            outer("", b"{\"text\": {\"value\": \"[parameters('text')]\"}}", &inline("giving.json")?, "")
        }
        Given::Any | Given::Loop | Given::Mock => return Err("a template has none of these".to_owned()),
    };
    room.folder.write("outer.json", template)?;
    let mut more = Vec::new();
    if let Some(text) = text {
        room.folder.write("text.json", format!("{{\"text\": {}}}", quoted(&text)))?;
        more = vec!["--parameters".into(), "text.json".into()];
    }
    parameters::deploy(room, shot, "outer.json", &more)
}
