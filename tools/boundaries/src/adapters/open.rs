//! Resources whose type nobody describes.

use super::{modules, options, parameters, wrapped};
use crate::Result;
use crate::attack::Dialect;
use crate::crossing::Given;
use crate::room::{Answer, Outcome, Room, Shot};
use crate::world::GROUP;

pub(super) fn deployed(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    if shot.dialect == Dialect::Envelope {
        let members = match given {
            Given::Literal => inside(shot),
            _ => options::by_expression(given, shot.value),
        };
        return options::resource(room, shot, given, &members);
    }
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

/// A deployment inside another one, with the members of the value but its properties.
pub(super) fn nested(room: &Room<'_>, shot: &Shot<'_>, given: Given) -> Result<Answer> {
    let value = shot.value.without("properties");
    let shot = &Shot { value: &value, ..*shot };
    let members = match given {
        Given::Literal => inside(shot),
        _ => options::by_expression(given, &value),
    };
    options::deployment(room, shot, given, &members)
}

/// The members of the value as JSON, without the braces around them.
fn inside(shot: &Shot<'_>) -> Vec<u8> {
    let json = shot.value.json();
    json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_vec()
}

pub(super) fn put(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let path = format!("{GROUP}/providers/Test.Things/things/kept-{}?api-version=2025-01-01", shot.name);
    let body = match shot.dialect {
        Dialect::Envelope => shot.value.json(),
        _ => wrapped("{\"location\": \"eastus\", \"properties\": ", shot.value, "}"),
    };
    let reply = room.ask("PUT", &path, &body)?;
    Ok(reply.into())
}

/// Changes a resource, which must be as it was if the change is refused.
pub(super) fn patch(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let path = format!("{GROUP}/providers/Test.Things/things/changed?api-version=2025-01-01");
    let honest =
        br#"{"location": "eastus", "properties": {"name": "abc", "count": 2, "inner": {"leaf": "x"}}}"#;
    let put = room.ask("PUT", &path, honest)?;
    if put.status >= 300 {
        return Err(format!("PUT {path}: {} {}", put.status, String::from_utf8_lossy(&put.body)));
    }
    let before = room.ask("GET", &path, b"")?.body;
    let body = match shot.dialect {
        Dialect::Envelope => shot.value.json(),
        _ => wrapped("{\"properties\": ", shot.value, "}"),
    };
    let reply = room.ask("PATCH", &path, &body)?;
    let mut answer = Answer::from(reply);
    let after = room.ask("GET", &path, b"")?.body;
    match answer.outcome {
        Outcome::Refused if after != before => {
            answer.outcome = Outcome::Broken("refused, and changed".to_owned());
        }
        Outcome::Accepted if after == before => {
            answer.outcome = Outcome::Broken("accepted, and not changed".to_owned());
        }
        _ => {}
    }
    Ok(answer)
}
