//! What clients send to change the registry, besides resources: each body has the form of what it is put as.

use std::sync::LazyLock;

use contract::{Admitted, Boundary, CheckLimits, Contract, Terms, Violation, admit};
use document::{Document, FileId, ReadLimits, SourceValue};

use super::{RegistryError, Result};
use crate::limits::RESOURCE_DEPTH;
use crate::well_formed::{SchemaGuide, faults};

/// What a request to the registry puts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum RequestForm {
    Group,
    Plane,
    Provider,
    Location,
    Type,
    Version,
    Credential,
}

/// The contracts of all forms. One that could not be read would let nothing through.
static CONTRACT: LazyLock<Option<Contract>> = LazyLock::new(|| {
    let text = include_str!("../../resources/requests.json");
    let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).ok()?;
    let (shape, definitions) = contract::json::read(document.root()).ok()?;
    Contract::compile(&shape, &definitions).ok()
});

impl RequestForm {
    /// Its name among the definitions of the contracts.
    fn name(self) -> &'static str {
        match self {
            RequestForm::Group => "group",
            RequestForm::Plane => "plane",
            RequestForm::Provider => "provider",
            RequestForm::Location => "location",
            RequestForm::Type => "type",
            RequestForm::Version => "version",
            RequestForm::Credential => "credential",
        }
    }

    /// Lets the body of a request in if it has the form, and every reader sees the same in it.
    pub fn admit<'d>(self, body: SourceValue<'d>) -> Result<Admitted<SourceValue<'d>>> {
        admit(Boundary::RegistryRequest, &self, body).map_err(RegistryError::Request)
    }
}

impl<'d> Terms<SourceValue<'d>> for RequestForm {
    type Refusal = Vec<Violation>;

    fn admit(&self, body: SourceValue<'d>) -> std::result::Result<SourceValue<'d>, Vec<Violation>> {
        let checker = CONTRACT.as_ref().and_then(|contract| contract.definition(self.name()));
        let bounds = CheckLimits { depth: CheckLimits::DEEPEST, ..CheckLimits::default() };
        // What is a secret is known by the form alone, so that it is asked first.
        let wrong = checker.map(|checker| checker.limits(bounds).violations(body));
        match wrong {
            Some(wrong) if wrong.is_empty() => {}
            Some(wrong) => return Err(wrong),
            None => return Err(Vec::new()),
        }
        // A schema has rules and limits of its own, and nothing that stands beside it is kept.
        if *self == RequestForm::Version {
            return Ok(body);
        }
        let wrong = faults(body, SchemaGuide::Nothing, RESOURCE_DEPTH);
        if wrong.is_empty() { Ok(body) } else { Err(wrong) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [RequestForm; 7] = [
        RequestForm::Group,
        RequestForm::Plane,
        RequestForm::Provider,
        RequestForm::Location,
        RequestForm::Type,
        RequestForm::Version,
        RequestForm::Credential,
    ];

    fn found(form: RequestForm, text: &str) -> Vec<String> {
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        match form.admit(document.root()) {
            Ok(_) => Vec::new(),
            Err(RegistryError::Request(wrong)) => wrong.iter().map(ToString::to_string).collect(),
            Err(other) => panic!("{other}"),
        }
    }

    /// The honest body of each form, around a member more.
    fn body(form: RequestForm, more: &str) -> String {
        let properties = match form {
            RequestForm::Version => r#"{"schema": {"type": "object"}}"#,
            RequestForm::Credential => r#"{"kind": "AccessKey", "secretAccessKey": "hush"}"#,
            RequestForm::Group
            | RequestForm::Plane
            | RequestForm::Provider
            | RequestForm::Location
            | RequestForm::Type => "{}",
        };
        format!(r#"{{"location": "global", "tags": {{"a": "1"}}, "properties": {properties}{more}}}"#)
    }

    #[test]
    fn every_form_has_a_contract() {
        for form in ALL {
            assert_eq!(found(form, &body(form, "")), [""; 0], "{form:?}");
        }
    }

    #[test]
    fn what_clients_were_shown_may_be_sent_back() {
        for form in ALL {
            let more = r#", "id": "/a", "name": "a", "type": "t", "systemData": {"createdBy": {"x": 1}}"#;
            assert_eq!(found(form, &body(form, more)), [""; 0], "{form:?}");
        }
        let state = r#"{"properties": {"provisioningState": "Succeeded", "address": null, "resourceTypes": {"a": {"apiVersions": {"v": {}}}}}}"#;
        assert_eq!(found(RequestForm::Location, state), [""; 0]);
    }

    #[test]
    fn what_readers_disagree_on_is_refused_with_its_path() {
        for form in ALL {
            for (more, path) in [
                (r#", "Properties": {}"#, "$.Properties"),
                (r#", "extra": 1"#, "$.extra"),
                (r#", "LOCATION": "x""#, "$.LOCATION"),
            ] {
                let found = found(form, &body(form, more));
                assert!(found.iter().any(|it| it.starts_with(path)), "{form:?} {more}: {found:?}");
            }
            for text in ["[]", "null", "5", r#""x""#, r#"{"location": 5}"#, r#"{"properties": []}"#] {
                assert!(!found(form, text).is_empty(), "{form:?} {text}");
            }
            let tags = body(form, "").replace(r#""a": "1""#, r#""a": "1", "A": "2""#);
            let wrong = found(form, &tags);
            let is_version = form == RequestForm::Version;
            assert!(is_version || wrong.iter().any(|it| it.starts_with("$.tags.A")), "{form:?}: {wrong:?}");
        }
    }

    #[test]
    fn a_secret_is_in_no_message() {
        let text = r#"{"properties": {"kind": "AccessKey", "secretAccessKey": ["hush"], "SecretAccessKey": "hush"}}"#;
        let wrong = found(RequestForm::Credential, text);
        assert!(wrong.len() >= 2 && wrong.iter().all(|it| !it.contains("hush")), "{wrong:?}");
    }
}
