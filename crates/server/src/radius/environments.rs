//! What recipes of an environment are made from.

use ::radius::registry::API_VERSION;
use contract::Constant;
use http::{Method, StatusCode};

use super::request_scope::{group, quoted, version_is};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

const KIND: &str = "Applications.Core/environments";

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[HttpRoute {
    method: Method::POST,
    pattern: "/planes/radius/{plane}/resourceGroups/{group}/providers/Applications.Core/environments/{name}/getMetadata",
    access: Access::Read,
    about: "Shows a recipe of an environment.",
    handler: |call| Box::pin(async move { metadata(&call) }),
}];

fn metadata(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    version_is(call, API_VERSION)?;
    let group = group(call)?;
    let name = call.path.get("name");
    let found = call.app.registry.named_resource(&group.name, KIND, name)?;
    let found =
        found.ok_or_else(|| ApiError::new("NotFound", format!("the environment `{name}` was not found")))?;
    let document = body::read(&call.body)?;
    let text = |member: &str| {
        let given = document.root().member(member).and_then(|it| it.as_str());
        given.ok_or_else(|| {
            ApiError::new("BadRequest", format!("the request has no `{member}`, which is a string"))
        })
    };
    let (recipe, kind) = (text("name")?, text("resourceType")?);
    let of = ["properties", "recipes"].iter().try_fold(&found.body, |value, name| member(value, name));
    let Some(it) = of.and_then(|of| member(of, kind)).and_then(|of| member(of, recipe)) else {
        let message = format!("the environment `{name}` has no recipe `{recipe}` for `{kind}`");
        return Err(ApiError::new("NotFound", message));
    };
    let mut members = Vec::new();
    for name in ["templateKind", "templatePath", "templateVersion", "plainHttp"] {
        members.extend(member(it, name).map(|value| format!("{}:{value}", quoted(name))));
    }
    members.push(format!("\"parameters\":{{{}}}", parameters(it)));
    Ok(HttpResponse::text(StatusCode::OK, format!("{{{}}}", members.join(","))))
}

/// The parameters that the environment gives to the recipe. The template itself is not fetched: what else it takes is not known.
fn parameters(recipe: &Constant) -> String {
    let Some(Constant::Object(given)) = member(recipe, "parameters") else { return String::new() };
    let shown = given.iter().map(|(name, value)| {
        let kind = match value {
            Constant::Text(_) | Constant::Bytes(_) => "string",
            Constant::Bool(_) => "bool",
            Constant::Int(_) | Constant::UInt(_) | Constant::Float(_) | Constant::Decimal(_) => "int",
            Constant::List(_) => "array",
            Constant::Object(_) | Constant::Null => "object",
        };
        format!("{name}:{{\"type\":\"{kind}\",\"defaultValue\":{value}}}")
    });
    shown.collect::<Vec<_>>().join(",")
}

/// A member of an object, by whatever case.
pub(super) fn member<'c>(value: &'c Constant, name: &str) -> Option<&'c Constant> {
    let Constant::Object(members) = value else { return None };
    let is_it = |key: &Constant| matches!(key, Constant::Text(text) if text.eq_ignore_ascii_case(name));
    members.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value)
}
