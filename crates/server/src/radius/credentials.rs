//! Credentials of clouds. No answer has a secret: none is kept.

use ::radius::registry::{API_VERSION, CLOUDS, Cloud};
use axum::http::{Method, StatusCode};

use super::elsewhere;
use super::list::Wanted;
use super::place::version_is;
use crate::access::Access;
use crate::answer::Answer;
use crate::body;
use crate::call::Call;
use crate::refusal::Refusal;
use crate::route::Row;

const ALL: &str = "/planes/{kind}/{plane}/providers/{namespace}/credentials";
const ONE: &str = "/planes/{kind}/{plane}/providers/{namespace}/credentials/{name}";

/// The requests, one row for each.
pub(super) const ROWS: &[Row] = &[
    Row {
        method: Method::GET,
        pattern: ALL,
        access: Access::Read,
        about: "Lists the credentials of a cloud.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    Row {
        method: Method::GET,
        pattern: ONE,
        access: Access::Read,
        about: "Shows a credential of a cloud, without its secret.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    Row {
        method: Method::PUT,
        pattern: ONE,
        access: Access::Own,
        about: "Registers a credential of a cloud.",
        handler: |call| elsewhere(call, put),
    },
    Row {
        method: Method::DELETE,
        pattern: ONE,
        access: Access::Own,
        about: "Deletes a credential of a cloud.",
        handler: |call| elsewhere(call, delete),
    },
];

fn cloud(call: &Call) -> Result<&'static Cloud, Refusal> {
    version_is(call, API_VERSION)?;
    let is = |part: &str, word: &str| call.path.get(part).eq_ignore_ascii_case(word);
    let found = CLOUDS
        .iter()
        .find(|row| is("kind", row.plane) && is("plane", row.name) && is("namespace", row.namespace));
    found.ok_or_else(|| Refusal::new("NotFound", "there is no such plane with credentials"))
}

fn list(call: &Call) -> Result<Answer, Refusal> {
    let cloud = cloud(call)?;
    let wanted = Wanted::of(call)?;
    let items = wanted.of_all(call.app.registry.credentials(cloud)?, String::clone, String::clone);
    let path = format!("/planes/{}/{}/providers/{}/credentials", cloud.plane, cloud.name, cloud.namespace);
    wanted.answer(call, &path, items)
}

fn get(call: &Call) -> Result<Answer, Refusal> {
    let name = call.path.get("name");
    match call.app.registry.credential(cloud(call)?, name)? {
        Some(shown) => Ok(Answer::text(StatusCode::OK, shown)),
        None => Err(Refusal::new("NotFound", format!("the credential `{name}` was not found"))),
    }
}

fn put(call: &Call) -> Result<Answer, Refusal> {
    let cloud = cloud(call)?;
    let document = body::read(&call.body)?;
    let (shown, is_new) = call.app.registry.put_credential(cloud, call.path.get("name"), document.root())?;
    Ok(Answer::text(if is_new { StatusCode::CREATED } else { StatusCode::OK }, shown))
}

fn delete(call: &Call) -> Result<Answer, Refusal> {
    let deleted = call.app.registry.delete_credential(cloud(call)?, call.path.get("name"))?;
    Ok(Answer::empty(if deleted { StatusCode::OK } else { StatusCode::NO_CONTENT }))
}
