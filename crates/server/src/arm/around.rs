//! What a request for a deployment says beside its template and its parameters.

use arm::Value;
use arm::template::OpenType;
use contract::{Node, Terms as _};
use document::SourceValue;

use super::deployment::invalid;
use crate::api_error::ApiError;

/// The tags: an object of strings, in which no two names differ by case only.
pub(super) fn tags(written: SourceValue<'_>) -> Result<Value, ApiError> {
    let wrong = || invalid("`tags` is an object of strings");
    if !matches!(written.node(), Node::Object(_)) {
        return Err(wrong());
    }
    if let Some((name, _)) = written.members().find(|(_, tag)| tag.as_str().is_none()) {
        let name = contract::short_name(name.as_str().unwrap_or_default());
        return Err(invalid(format!("the tag `{name}` is not a string; `tags` is an object of strings")));
    }
    let tags = Value::from_view(written).map_err(|error| invalid(error.to_string()))?;
    OpenType.admit(tags).map_err(|breaches| {
        let breach = breaches.first();
        breach.map_or_else(wrong, |breach| {
            invalid(format!("`{}` is not valid: {}", breach.target("tags"), breach.message))
        })
    })
}

/// Where the deployment is.
pub(super) fn location(written: Option<SourceValue<'_>>) -> Result<Option<&str>, ApiError> {
    let Some(written) = written else { return Ok(None) };
    written.as_str().map(Some).ok_or_else(|| invalid("`location` is not a string"))
}

/// What is logged of requests and answers: nothing here, whatever is asked for, and it must be something that can be asked for.
pub(super) fn check_debug(written: Option<SourceValue<'_>>) -> Result<(), ApiError> {
    const LEVELS: &[&str] = &["none", "requestContent", "responseContent"];
    let Some(written) = written else { return Ok(()) };
    let expected = || {
        let message = "`debugSetting` is an object with `detailLevel`: `none`, or `requestContent` and `responseContent` with a comma between them";
        invalid(message)
    };
    if !matches!(written.node(), Node::Object(_)) {
        return Err(expected());
    }
    for (name, level) in written.members() {
        let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word.trim()));
        let is_known = name.as_str().is_some_and(|name| name.eq_ignore_ascii_case("detailLevel"));
        let is_fine = level.node() == Node::Null
            || level.as_str().is_some_and(|levels| levels.split(',').all(is_level));
        if !is_known || !is_fine {
            return Err(expected());
        }
    }
    Ok(())
}
