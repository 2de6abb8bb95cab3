//! `tendon check`, with every kind of contract, and contracts themselves.

use super::wrapped;
use crate::Result;
use crate::crossing::{Against, Source};
use crate::room::{Answer, Room, Shot};
use crate::world::ENVIRONMENT;

pub(super) fn value(room: &Room<'_>, shot: &Shot<'_>, against: Against, source: Source) -> Result<Answer> {
    let (contract, text) = match against {
        Against::Template => ("main.json", wrapped("{\"p\": ", shot.value, "}")),
        Against::Program => ("main.bicep", wrapped("{\"p\": ", shot.value, "}")),
        Against::Parameter => ("main.bicep#p", shot.value.json()),
        Against::Radius => {
            ("types.yaml#Test.Gate/widgets@2025-01-01", super::resources::body(shot.value, ENVIRONMENT))
        }
        Against::Thrift => ("widget.thrift#Widget", shot.value.json()),
        Against::Contract => ("widget.contract.json", shot.value.json()),
    };
    let arguments = |file| ["check", file, "--against", contract];
    match source {
        Source::Json => {
            room.folder.write("value.json", text)?;
            room.run(&arguments("value.json"))
        }
        Source::Yaml => {
            room.folder.write("value.yaml", text)?;
            room.run(&arguments("value.yaml"))
        }
        Source::Input => room.feed(&arguments("-"), &text),
    }
}

pub(super) fn contract(room: &Room<'_>, shot: &Shot<'_>, source: Source) -> Result<Answer> {
    let name = if source == Source::Yaml { "contract.yaml" } else { "contract.json" };
    room.folder.write(name, shot.value.json())?;
    room.folder.write("text.json", "\"abc\"")?;
    room.run(&["check", "text.json", "--against", name])
}
