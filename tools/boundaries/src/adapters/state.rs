//! `tendon state import`: an export in which one resource was changed.

use super::resources::placed;
use crate::Result;
use crate::room::{Answer, Room, Shot};
use crate::value::quoted;
use crate::world::ENVIRONMENT;

/// What the export has of the honest resource, as text in a text.
fn properties(text: &str) -> String {
    let quoted = quoted(&format!("\"properties\":{text}"));
    quoted.trim_matches('"').trim_end_matches('\\').to_owned()
}

/// Writes `import.jsonl`, in which one resource has the value.
pub(super) fn write_export(room: &mut Room<'_>, shot: &Shot<'_>) -> Result {
    let honest = format!(
        "{{\"environment\":\"{ENVIRONMENT}\",\"name\":\"abc\",\"count\":3,\"provisioningState\":\"Succeeded\"}}"
    );
    if room.exported.is_none() {
        room.must(&["resource-type", "create", "-f", "types.yaml", "--state", "source"])?;
        let body =
            format!("{{\"properties\": {{\"environment\":\"{ENVIRONMENT}\",\"name\":\"abc\",\"count\":3}}}}");
        room.folder.write("resource.json", body)?;
        room.must(&[
            "resource",
            "create",
            "Test.Gate/widgets",
            "w",
            "-f",
            "resource.json",
            "--state",
            "source",
        ])?;
        room.must(&["state", "export", "exported.jsonl", "--state", "source"])?;
        let text = std::fs::read_to_string(room.folder.join("exported.jsonl")).map_err(crate::said)?;
        if !text.contains(&properties(&honest)) {
            return Err("an export does not have the resource as it was written".to_owned());
        }
        room.exported = Some(text);
    }
    // Secrets are not among the properties that are kept.
    let value = placed(&shot.value.without("sec"), ENVIRONMENT);
    let value = if shot.value.members().is_empty() {
        shot.value.clone()
    } else {
        value.after("provisioningState", "Succeeded")
    };
    let value = value.json_text().ok_or("no text")?;
    let exported = room.exported.as_deref().unwrap_or_default();
    room.folder.write("import.jsonl", exported.replace(&properties(&honest), &properties(&value)))
}

pub(super) fn import(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    write_export(room, shot)?;
    let state = format!("imported-{}", shot.name);
    let answer = room.run(&["state", "import", "import.jsonl", "--state", &state])?;
    if matches!(answer.outcome, crate::room::Outcome::Accepted) && !shot.is_attack {
        room.must(&["resource", "show", "Test.Gate/widgets", "w", "--state", &state])?;
    }
    Ok(answer)
}
