//! Resources whose type nobody describes.

use super::{modules, parameters, wrapped};
use crate::Result;
use crate::crossing::Given;
use crate::room::{Answer, Room, Shot};
use crate::world::GROUP;

pub(super) fn deployed(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    match given {
        Given::Literal => {
            let before = format!(
                "{{\n\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\",\n\"contentVersion\": \"1.0.0.0\",\n\"resources\": [\n{{\"type\": \"Test.Things/things\", \"apiVersion\": \"2025-01-01\", \"name\": \"kept-{}\",\n\"properties\":\n",
                shot.name
            );
            room.folder.write("open.json", wrapped(&before, shot.value, "\n}\n]\n}\n"))?;
            parameters::deploy(room, shot, "open.json", &[])
        }
        Given::RunTime => modules::text(room, shot, "open-runtime"),
        _ => modules::text(room, shot, "open"),
    }
}

pub(super) fn put(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let path = format!("{GROUP}/providers/Test.Things/things/kept-{}?api-version=2025-01-01", shot.name);
    let body = wrapped("{\"location\": \"eastus\", \"properties\": ", shot.value, "}");
    let reply = room.ask("PUT", &path, &body)?;
    Ok(reply.into())
}
