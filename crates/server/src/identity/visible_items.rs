//! Lists show only what their reader may see.

use arm::Value;

use super::grant::Caller;
use crate::api_error::ApiError;
use crate::response::HttpResponse;

/// The answer without what the caller may not see. What is not a list, and has no id that they may see, is not shown at all.
pub(super) fn filtered(answer: HttpResponse, caller: &Caller) -> Result<HttpResponse, ApiError> {
    let Some(body) = answer.body().filter(|_| answer.status().is_success()) else { return Ok(answer) };
    let body = engine::records::parse(body)?;
    let members = body.as_object();
    if let Some(items) = members.and_then(|members| members.get("value")).and_then(Value::as_array) {
        let seen: Vec<Value> = items.iter().filter(|item| is_seen(item, caller)).cloned().collect();
        let Some(members) = members else { return Ok(answer) };
        let members = members.iter().map(|(name, value)| {
            (name.clone(), if name == "value" { Value::array(seen.clone()) } else { value.clone() })
        });
        let body = Value::object(members).to_json();
        return Ok(answer.with_body(body));
    }
    if is_seen(&body, caller) {
        return Ok(answer);
    }
    Err(super::forbidden(caller))
}

fn is_seen(item: &Value, caller: &Caller) -> bool {
    let id = item.as_object().and_then(|item| item.get("id")).and_then(Value::as_str);
    id.is_some_and(|id| caller.sees(id))
}
