//! Records in a database that servers share, as somebody else could have written them.

use super::resources::placed;
use crate::crossing::Stored;
use crate::room::{Answer, DATABASE, Outcome, Room, Shot};
use crate::value::{Value, object};
use crate::world::{ENVIRONMENT, GROUP, PLANE};
use crate::{Result, said};

/// The properties that the record has before it is changed.
fn honest() -> Value {
    object([("name", "abc".into()), ("count", 3.into()), ("free", object([("mark", "here".into())]))])
}

/// Writes the value into the record of a resource, and asks for the resource.
pub(super) fn shared(room: &mut Room<'_>, shot: &Shot<'_>, stored: Stored) -> Result<Answer> {
    room.database()?;
    let (folder, version) = match stored {
        Stored::Radius => (format!("{PLANE}/providers/Test.Gate/widgets"), "2025-01-01"),
        Stored::Open => (format!("{GROUP}/providers/Test.Things/things"), "2025-01-01"),
    };
    let path = format!("{folder}/stored?api-version={version}");
    let body = [b"{\"properties\": ".to_vec(), placed(&honest(), ENVIRONMENT).json(), b"}".to_vec()].concat();
    let put = room.ask("PUT", &path, &body)?;
    if put.status >= 300 {
        return Err(format!("PUT {path}: {} {}", put.status, String::from_utf8_lossy(&put.body)));
    }
    let row = format!("WHERE lower(id) = lower('{folder}/stored')");
    let kept =
        room.database()?.sql(DATABASE, &format!("SELECT body FROM tendon.resources {row}")).map_err(said)?;
    let mark = "\"free\":{\"mark\":\"here\"}";
    if !kept.contains(mark) {
        return Err(format!("the record is written in another way: {kept}"));
    }
    // The members of the value are added; what is no object stands in the place of one.
    let value = shot.value.json_text().ok_or("no text")?;
    let inside = value.strip_prefix('{').and_then(|value| value.strip_suffix('}'));
    let changed = match inside {
        Some(members) if !members.trim().is_empty() => {
            kept.replace("\"name\":\"abc\",", "").replace("\"count\":3,", "").replace(mark, members)
        }
        _ => kept.replace("{\"mark\":\"here\"}", &value),
    };
    let set = format!("UPDATE tendon.resources SET body = $record${}$record$ {row}", changed.trim_end());
    room.database()?.sql(DATABASE, &set).map_err(said)?;
    let reply = room.ask("GET", &path, b"")?;
    let is_damaged = reply.status == 500;
    let mut answer = Answer::from(reply);
    if is_damaged {
        answer.outcome = Outcome::Refused;
    }
    // One record that cannot be read keeps no other from being listed.
    let list = room.ask("GET", &format!("{folder}?api-version={version}"), b"")?;
    if list.status != 200 {
        answer.outcome = Outcome::Broken(format!("then the list answers {}", list.status));
    }
    room.database()?.sql(DATABASE, &format!("DELETE FROM tendon.resources {row}")).map_err(said)?;
    Ok(answer)
}
