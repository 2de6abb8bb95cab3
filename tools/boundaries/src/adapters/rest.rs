//! Deployments over REST.

use std::time::{Duration, Instant};

use super::{entries, nested};
use crate::Result;
use crate::crossing::{Level, Registered};
use crate::room::{Answer, Outcome, Room, Shot};
use crate::value::{Value, object, quoted};
use crate::world::{GROUP, PLANE, SUBSCRIPTION, bare};

/// How long a deployment may take.
const PATIENCE: Duration = Duration::from_secs(30);

fn scope(level: Level) -> &'static str {
    match level {
        Level::Group => GROUP,
        Level::Subscription => SUBSCRIPTION,
        Level::ManagementGroup => "/providers/Microsoft.Management/managementGroups/gate",
        Level::Tenant => "",
        Level::Plane => PLANE,
    }
}

fn path(level: Level, name: &str, rest: &str) -> String {
    format!("{}/providers/Microsoft.Resources/deployments/{name}{rest}?api-version=2025-04-01", scope(level))
}

fn body(location: &str, template: &[u8], rest: &[u8]) -> Vec<u8> {
    [
        format!("{{{location}\"properties\": {{\"mode\": \"Incremental\", \"template\": ").as_bytes(),
        template,
        b",\n\"parameters\": ",
        rest,
        b"}}",
    ]
    .concat()
}

pub(super) fn predicted(room: &mut Room<'_>, shot: &Shot<'_>, action: &str) -> Result<Answer> {
    let template = room.world.text("main.json")?;
    let body = body("", template.as_bytes(), &entries(shot));
    let reply = room.ask("POST", &path(Level::Group, shot.name, &format!("/{action}")), &body)?;
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    let mut answer = Answer::from(reply);
    // What-if answers with 200 and the error inside where it is the prediction that failed.
    if matches!(answer.outcome, Outcome::Accepted) && text.contains("\"status\":\"Failed\"") {
        answer.outcome = Outcome::Refused;
    }
    Ok(answer)
}

pub(super) fn deployment(room: &mut Room<'_>, shot: &Shot<'_>, level: Level) -> Result<Answer> {
    let location = match level {
        Level::Group | Level::Plane => "",
        Level::Subscription | Level::ManagementGroup | Level::Tenant => "\"location\": \"eastus\", ",
    };
    let name = if level == Level::Group { "main" } else { bare(level) };
    let template = room.world.text(&format!("{name}.json"))?;
    put(room, shot, level, &body(location, template.as_bytes(), &entries(shot)))
}

/// Puts a deployment, and waits for its end.
pub(super) fn put(room: &mut Room<'_>, shot: &Shot<'_>, level: Level, body: &[u8]) -> Result<Answer> {
    let path = path(level, shot.name, "");
    let reply = room.ask("PUT", &path, body)?;
    let mut text = String::from_utf8_lossy(&reply.body).into_owned();
    let mut answer = Answer::from(reply);
    match answer.outcome {
        Outcome::Accepted => {
            let start = Instant::now();
            while !["Succeeded", "Failed", "Canceled"].iter().any(|state| has_ended(&text, state)) {
                if start.elapsed() > PATIENCE {
                    answer.outcome = Outcome::Broken("the deployment does not end".to_owned());
                    return Ok(answer);
                }
                std::thread::sleep(Duration::from_millis(5));
                text = String::from_utf8_lossy(&room.ask("GET", &path, b"")?.body).into_owned();
            }
            if !has_ended(&text, "Succeeded") {
                answer.outcome = Outcome::Refused;
                // The record also shows the parameters as they were given.
                let error = text.split_once("\"error\":").map_or("", |(_, error)| error);
                answer.length = error.len();
                answer.text = error.as_bytes().to_vec();
            }
        }
        Outcome::Refused => {
            // Whatever is refused at once leaves no record; one that failed has one, and says so.
            let reply = room.ask("GET", &path, b"")?;
            let text = String::from_utf8_lossy(&reply.body);
            if reply.status != 404 && !has_ended(&text, "Failed") {
                answer.outcome =
                    Outcome::Broken(format!("refused, and there is a deployment: {}", reply.status));
            }
        }
        Outcome::Broken(_) => {}
    }
    Ok(answer)
}

fn has_ended(text: &str, state: &str) -> bool {
    text.contains(&format!("\"provisioningState\":\"{state}\""))
}

pub(super) fn external_input(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let template = room.world.text("main.json")?;
    let rest = super::wrapped(
        "{\"p\": {\"expression\": \"[externalInputs('0')]\"}}, \"externalInputs\": {\"0\": {\"type\": \"sys.envVar\", \"config\": \"VALUE\"}}, \"externalInputValues\": {\"0\": ",
        shot.value,
        "}",
    );
    put(room, shot, Level::Group, &body("", template.as_bytes(), &rest))
}

pub(super) fn run_time(room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    let template = nested::run_time(room)?;
    let text = shot.value.json_text().ok_or("no text")?;
    let rest = format!("{{\"text\": {{\"value\": {}}}}}", quoted(&text));
    put(room, shot, Level::Group, &body("", &template, rest.as_bytes()))
}

/// Puts something that the registry has, with the properties that it needs.
pub(super) fn registry(room: &mut Room<'_>, shot: &Shot<'_>, registered: Registered) -> Result<Answer> {
    const PROVIDER: &str = "/planes/radius/local/providers/System.Resources/resourceProviders/Test.Gate";
    let (path, properties) = match registered {
        Registered::Group => ("/planes/radius/local/resourceGroups/gate".to_owned(), object([])),
        Registered::Plane => ("/planes/radius/local".to_owned(), object([])),
        Registered::Provider => (PROVIDER.to_owned(), object([])),
        Registered::Location => (format!("{PROVIDER}/locations/global"), object([])),
        Registered::Type => (format!("{PROVIDER}/resourceTypes/gadgets"), object([])),
        Registered::Version => {
            let schema = object([("type", "object".into()), ("properties", object([]))]);
            let versions = format!("{PROVIDER}/resourceTypes/gadgets");
            room.ask("PUT", &format!("{versions}?api-version=2023-10-01-preview"), b"{\"properties\": {}}")?;
            (format!("{versions}/apiVersions/2025-01-01"), object([("schema", schema)]))
        }
        Registered::Credential => (
            "/planes/aws/aws/providers/System.AWS/credentials/default".to_owned(),
            object([
                ("kind", "AccessKey".into()),
                ("accessKeyId", "id".into()),
                ("secretAccessKey", crate::attack::SECRET.into()),
            ]),
        ),
    };
    let has_own = shot.value.members().iter().any(|(name, _)| name == "properties");
    let body = match shot.value {
        Value::Object(_) if !has_own => shot.value.after("properties", properties),
        other => other.clone(),
    };
    let reply = room.ask("PUT", &format!("{path}?api-version=2023-10-01-preview"), &body.json())?;
    Ok(reply.into())
}
