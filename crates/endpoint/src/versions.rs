//! Versions of APIs that nobody named: of resources that are deleted because the template does not have them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use arm::Caseless as _;
use arm::Value;
use engine::Failure;
use engine::provider::LazyTypes;

use crate::address::kind_of;
use crate::error_body;
use crate::send::{ArmRequest, RequestError, Wire};

/// The version of the API that tells of resource providers, groups and lists of resources.
pub(crate) const RESOURCES: &str = "2021-04-01";
/// The version of the API of subscriptions.
pub(crate) const SUBSCRIPTIONS: &str = "2022-12-01";

/// Types of the resource manager itself.
const OWN: &[(&str, &str)] = &[
    ("microsoft.resources/resourcegroups", RESOURCES),
    ("microsoft.resources/subscriptions", SUBSCRIPTIONS),
    ("microsoft.resources/deployments", "2025-04-01"),
];

/// Knows versions by types.
pub(crate) struct Versions {
    types: Arc<LazyTypes>,
    told: Mutex<BTreeMap<String, String>>,
}

impl Versions {
    pub(crate) fn new(types: Arc<LazyTypes>) -> Versions {
        Versions { types, told: Mutex::default() }
    }

    fn remembered(&self, kind: &str) -> Option<String> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).get(kind).cloned()
    }

    /// Remembers a version that a template has for a type.
    pub(crate) fn note(&self, kind: &str, version: &str) {
        if !version.is_empty() {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            told.insert(kind.caseless(), version.to_owned());
        }
    }

    /// The version to ask for a resource: what is said, what was said for its type before, the newest that is known, or what the endpoint says.
    pub(crate) async fn of(
        &self,
        wire: &Wire,
        id: &str,
        said: &str,
        until: Instant,
    ) -> Result<String, RequestError> {
        if !said.is_empty() {
            return Ok(said.to_owned());
        }
        let kind = kind_of(id).caseless();
        if let Some((_, version)) = OWN.iter().find(|(own, _)| *own == kind) {
            return Ok((*version).to_owned());
        }
        if let Some(told) = self.remembered(&kind) {
            return Ok(told);
        }
        if let Some(newest) = newest(self.types.versions(&kind)) {
            return Ok(newest.to_owned());
        }
        let version = self.ask(wire, id, &kind, until).await?;
        self.note(&kind, &version);
        Ok(version)
    }

    async fn ask(&self, wire: &Wire, id: &str, kind: &str, until: Instant) -> Result<String, RequestError> {
        let (namespace, type_name) = kind.split_once('/').unwrap_or((kind, ""));
        let mut parts = id.split('/').skip(1);
        let scope = match (parts.next(), parts.next()) {
            (Some(word), Some(subscription)) if word.eq_ignore_ascii_case("subscriptions") => {
                format!("/subscriptions/{subscription}")
            }
            _ => String::new(),
        };
        let url = wire.base.of(&format!("{scope}/providers/{namespace}"), RESOURCES)?;
        let reply = wire.exchange(&ArmRequest::get(url, id), until).await?;
        if !reply.status.is_success() {
            return Err(error_body::failure(&reply, "GET", id).into());
        }
        let body = error_body::body_of(&reply).unwrap_or(Value::Null);
        let member =
            |value: &Value, name: &str| value.as_object().and_then(|object| object.get(name)).cloned();
        let types = member(&body, "resourceTypes").unwrap_or(Value::Null);
        let is_it = |row: &&Value| {
            member(row, "resourceType")
                .is_some_and(|name| name.as_str().is_some_and(|name| name.eq_ignore_ascii_case(type_name)))
        };
        let row = types.as_array().unwrap_or_default().iter().find(is_it);
        let versions = row.and_then(|row| member(row, "apiVersions")).unwrap_or(Value::Null);
        let mut versions: Vec<&str> =
            versions.as_array().unwrap_or_default().iter().filter_map(Value::as_str).collect();
        versions.sort_unstable();
        newest(versions).map(str::to_owned).ok_or_else(|| {
            let message = format!("no version of the API of `{kind}` is known, and the endpoint names none");
            Failure::new("NoRegisteredProviderFound", message).target(id).into()
        })
    }
}

/// The newest version that is not a preview, or else the newest. They come with the oldest first.
fn newest(versions: Vec<&str>) -> Option<&str> {
    let is_stable = |version: &&&str| !version.contains('-') || version.split('-').count() == 3;
    versions.iter().rev().find(is_stable).or(versions.last()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_taken_only_if_there_is_nothing_else() {
        assert_eq!(newest(vec!["2023-01-01", "2024-01-01", "2025-01-01-preview"]), Some("2024-01-01"));
        assert_eq!(newest(vec!["2023-01-01-preview", "2025-01-01-preview"]), Some("2025-01-01-preview"));
        assert_eq!(newest(vec![]), None);
    }
}
