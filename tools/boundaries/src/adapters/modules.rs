//! Modules, functions and outputs of programs.

use super::parameters::deploy;
use crate::Result;
use crate::crossing::Given;
use crate::room::{Answer, Room, Shot};
use crate::value::quoted;

pub(super) fn module(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    match given {
        Given::Literal | Given::Any => {
            let literal = shot.value.bicep().ok_or("no literal")?;
            let literal = if given == Given::Any { format!("any({literal})") } else { literal };
            let text = format!(
                "module m 'inner.bicep' = {{\n  name: 'm'\n  params: {{\n    mark: deployment().name\n    p: {literal}\n  }}\n}}\n"
            );
            room.folder.write("outer.bicep", text)?;
            deploy(room, shot, "outer.bicep", &[])
        }
        Given::Expression => text(room, shot, "expression"),
        Given::Loop => text(room, shot, "loop"),
        Given::RunTime => text(room, shot, "runtime"),
        Given::Output => text(room, shot, "output"),
        Given::Mock => {
            write_mocks(room, "thing", "answer", shot)?;
            deploy(room, shot, "mock.bicep", &["--mocks".into(), "mocks.json".into()])
        }
        Given::LinkedTemplate | Given::LinkedParameters => Err("modules have no links".to_owned()),
    }
}

/// Writes a script in which a resource answers with a value in one of its properties.
pub(super) fn write_mocks(room: &Room<'_>, resource: &str, property: &str, shot: &Shot<'_>) -> Result {
    let before = format!(
        "{{\"provider\": [{{\"resource\": \"{resource}\", \"on\": \"put\", \"answers\": [{{\"merge\": {{\"properties\": {{\"{property}\": "
    );
    room.folder.write("mocks.json", super::wrapped(&before, shot.value, "}}}]}]}"))
}

/// Deploys a program that makes the value from a text.
pub(super) fn text(room: &Room<'_>, shot: &Shot<'_>, program: &str) -> Result<Answer> {
    let text = shot.value.json_text().ok_or("no text")?;
    room.folder.write("text.json", format!("{{\"text\": {}}}", quoted(&text)))?;
    let file = if program.contains('.') { program.to_owned() } else { format!("{program}.bicep") };
    deploy(room, shot, &file, &["--parameters".into(), "text.json".into()])
}
