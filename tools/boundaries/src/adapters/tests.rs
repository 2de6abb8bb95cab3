//! `tendon test`: what a test says of its program, and of what is there before it runs.

use super::resources::placed;
use super::{parameters, state};
use crate::Result;
use crate::crossing::Tested;
use crate::room::{Answer, Room, Shot};
use crate::world::{ENVIRONMENT, PLANE};

pub(super) fn run(room: &mut Room<'_>, shot: &Shot<'_>, tested: Tested) -> Result<Answer> {
    room.folder.write("nothing.bicep", "output o int = 1\n")?;
    let text = match tested {
        Tested::Parameters => {
            parameters::write_file(room, shot, false)?;
            "test t 'main.bicep' = {\n  params: 'p.json'\n}\n".to_owned()
        }
        Tested::State => {
            state::write_export(room, shot)?;
            "test t 'nothing.bicep' = {\n  given: 'import.jsonl'\n}\n".to_owned()
        }
        Tested::Resource => {
            if room.exported.is_none() {
                room.must(&["resource-type", "create", "-f", "types.yaml", "--state", "source"])?;
                room.must(&["state", "export", "types.jsonl", "--state", "source"])?;
                room.exported = Some(String::new());
            }
            room.folder.write("value.json", placed(shot.value, ENVIRONMENT).json())?;
            format!(
                "test types 'nothing.bicep' = {{\n  given: 'types.jsonl'\n}}\n\ntest t 'nothing.bicep' = {{\n  after: types\n  given: [\n    {{\n      id: '{PLANE}/providers/Test.Gate/widgets/w'\n      properties: json(loadTextContent('value.json'))\n    }}\n  ]\n}}\n"
            )
        }
    };
    room.folder.write("gate.biceptest", text)?;
    room.run(&["test", "gate.biceptest"])
}
