//! What a server keeps: listed, found, deleted.

use arm::Value;
use hyper::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Remote, TargetError};

/// What is escaped in an id that is a path.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

/// The version that is asked for: answers are those of Tendon itself, which has one.
const VERSION: &str = "api-version=2025-04-01";

/// A deployment or a resource.
pub(crate) struct StoredItem {
    pub(crate) id: String,
    /// Whether it is a deployment.
    pub(crate) is_deployment: bool,
    /// Whether it is a deployment that is under way.
    pub(crate) is_active: bool,
    /// The whole of it.
    pub(crate) body: Value,
}

impl StoredItem {
    /// The last part of its id.
    pub(crate) fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }
}

impl Remote {
    /// The deployments or the resources below an id.
    pub(crate) fn kept(&self, what: &str, below: &str) -> Result<Vec<Value>, TargetError> {
        let below = utf8_percent_encode(below, NON_ALPHANUMERIC);
        self.runtime.block_on(self.list(&format!("/tendon/state/{what}?{VERSION}&below={below}")))
    }

    /// What an id or a name stands for.
    pub(crate) fn kept_item(&self, id: &str) -> Result<StoredItem, TargetError> {
        let id = utf8_percent_encode(id, NON_ALPHANUMERIC);
        let path = format!("/tendon/state/item?{VERSION}&id={id}");
        let found = self.value(&self.runtime.block_on(self.ask(Method::GET, &path, String::new()))?)?;
        let member = |name: &str| found.as_object().and_then(|found| found.get(name));
        let (Some(id), Some(body)) = (member("id").and_then(Value::as_str), member("body")) else {
            return Err(self.failed(&"its answer is not a deployment or a resource").into());
        };
        Ok(StoredItem {
            id: id.to_owned(),
            is_deployment: member("isDeployment") == Some(&Value::Bool(true)),
            is_active: member("isActive") == Some(&Value::Bool(true)),
            body: body.clone(),
        })
    }

    /// The template of a deployment, as text.
    pub(crate) fn template(&self, id: &str) -> Result<String, TargetError> {
        let path = format!("{}/exportTemplate?{VERSION}", utf8_percent_encode(id, IN_PATH));
        let found = self.value(&self.runtime.block_on(self.ask(Method::POST, &path, String::new()))?)?;
        let template = found.as_object().and_then(|found| found.get("template")).map(Value::to_json);
        template.ok_or_else(|| self.failed(&"its answer is not a template").into())
    }

    /// Deletes what has an id.
    pub(crate) fn delete_kept(&self, id: &str) -> Result<(), TargetError> {
        let path = format!("{}?{VERSION}", utf8_percent_encode(id, IN_PATH));
        self.runtime.block_on(self.ask(Method::DELETE, &path, String::new())).map(drop)
    }
}
