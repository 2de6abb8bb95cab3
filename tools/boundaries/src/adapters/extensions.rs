//! Configurations of extensions.

use super::{parameters, rest, wrapped};
use crate::Result;
use crate::crossing::Level;
use crate::room::{Answer, Room, Shot};

pub(super) fn file(room: &Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    room.folder
        .write("config.json", wrapped("{\"parameters\": {}, \"extensionConfigs\": ", shot.value, "}"))?;
    parameters::deploy(room, shot, "cluster.json", &["--parameters".into(), "config.json".into()])
}

pub(super) fn rest(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let template = room.world.text("cluster.json")?;
    let before = format!(
        "{{\"properties\": {{\"mode\": \"Incremental\", \"template\": {template},\n\"parameters\": {{}}, \"extensionConfigs\": "
    );
    rest::put(room, shot, Level::Group, &wrapped(&before, shot.value, "}}"))
}
