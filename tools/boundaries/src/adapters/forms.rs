//! Forms of the server's pages.

use super::{entries, resources};
use crate::Result;
use crate::crossing::Form;
use crate::room::{Answer, Outcome, Room, Shot};
use crate::world::{ENVIRONMENT, GROUP};

/// Sends a value with a form, as a browser does.
pub(super) fn send(room: &mut Room<'_>, shot: &Shot<'_>, form: Form) -> Result<Answer> {
    let (page, fields) = match form {
        Form::Check => {
            let text = resources::body(shot.value, ENVIRONMENT);
            let fields: Vec<(&str, Vec<u8>)> = vec![
                ("type", b"Test.Gate/widgets".to_vec()),
                ("version", b"2025-01-01".to_vec()),
                ("text", text),
            ];
            ("check", fields)
        }
        Form::Playground => {
            let template = room.world.text("main.json")?.into_bytes();
            let parameters = wrapped_entries(shot);
            let fields = vec![("scope", GROUP.into()), ("template", template), ("parameters", parameters)];
            ("playground", fields)
        }
    };
    let token = token(room)?;
    let mut body = format!("form-token={token}").into_bytes();
    for (name, value) in &fields {
        body.extend(format!("&{name}=").as_bytes());
        value.iter().for_each(|byte| body.extend(format!("%{byte:02x}").as_bytes()));
    }
    let reply = room.ask("POST", &format!("/ui/{page}?"), &body)?;
    let is_page = reply.status == 200;
    let mut answer = Answer::from(reply);
    if is_page {
        // The form has what was typed; what is said about it stands behind it.
        let text = String::from_utf8_lossy(&answer.text);
        let mark = if form == Form::Check { "id=\"check-result\"" } else { "id=\"result\"" };
        let result = text.split_once(mark).map_or("", |(_, result)| result);
        let (is_good, is_bad) = (result.contains("\"verdict good\""), result.contains("\"verdict bad\""));
        answer.outcome = match (is_good, is_bad) {
            (true, false) => Outcome::Accepted,
            (false, true) => Outcome::Refused,
            _ => Outcome::Broken("a page without a verdict".to_owned()),
        };
        let result = unescaped(result);
        // A page also has what was typed.
        answer.length = result.len();
        answer.text = result.into_bytes();
    }
    Ok(answer)
}

fn wrapped_entries(shot: &Shot<'_>) -> Vec<u8> {
    [b"{\"parameters\": ".to_vec(), entries(shot), b"}".to_vec()].concat()
}

/// The token that pages of the same session have in their forms.
fn token(room: &mut Room<'_>) -> Result<String> {
    let reply = room.ask("GET", "/ui/playground?", b"")?;
    let page = String::from_utf8_lossy(&reply.body);
    let token = page.split_once("name=\"form-token\" value=\"").and_then(|(_, rest)| rest.split_once('"'));
    token.map(|(token, _)| token.to_owned()).ok_or_else(|| "a page without a token".to_owned())
}

/// Text of a page as people see it.
fn unescaped(html: &str) -> String {
    html.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
