//! Credentials of clouds that people register. Nothing here uses one, so their secrets are looked at and not kept.

use contract::{Admitted, Constant};
use document::{Document, FileId, ReadLimits, SourceValue};
use store::{Condition, Page, ResourceId, Write};

use super::resources::named;
use super::stored::{document_of, has_only};
use super::{Registry, RegistryError, Result, quoted, record};

/// A cloud whose credentials can be registered.
#[derive(Debug, PartialEq, Eq)]
pub struct Cloud {
    /// The kind of its planes.
    pub plane: &'static str,
    /// The name of its one plane.
    pub name: &'static str,
    /// The namespace of its credentials.
    pub namespace: &'static str,
    kinds: &'static [(&'static str, &'static [CredentialProperty])],
}

/// A property of a credential: its name, and whether it is a secret.
type CredentialProperty = (&'static str, bool);

/// All of them, one row for each.
pub const CLOUDS: &[Cloud] = &[
    Cloud {
        plane: "azure",
        name: "azurecloud",
        namespace: "System.Azure",
        kinds: &[
            ("ServicePrincipal", &[("clientId", false), ("clientSecret", true), ("tenantId", false)]),
            ("WorkloadIdentity", &[("clientId", false), ("tenantId", false)]),
        ],
    },
    Cloud {
        plane: "aws",
        name: "aws",
        namespace: "System.AWS",
        kinds: &[
            ("AccessKey", &[("accessKeyId", false), ("secretAccessKey", true)]),
            ("IRSA", &[("roleARN", false)]),
        ],
    },
];

impl Cloud {
    fn ids(&self) -> String {
        format!("/planes/{}/{}/providers/{}/credentials/", self.plane, self.name, self.namespace)
    }
}

impl Registry {
    /// Puts a credential; what is shown of it, and whether it is new.
    pub fn put_credential(
        &self,
        cloud: &Cloud,
        name: &str,
        body: &Admitted<SourceValue<'_>>,
    ) -> Result<(String, bool)> {
        named("credential", name)?;
        let refuse = |message: String| Err(RegistryError::Name(message));
        let given = |name: &str| body.get().member("properties")?.member(name);
        let kind = given("kind").and_then(|kind| kind.as_str()).unwrap_or_default();
        let Some((kind, rows)) = cloud.kinds.iter().find(|row| row.0.eq_ignore_ascii_case(kind)) else {
            let known: Vec<String> = cloud.kinds.iter().map(|row| format!("`{}`", row.0)).collect();
            return refuse(format!("the `kind` of the credential is one of {}", known.join(", ")));
        };
        let mut shown = vec![format!("\"kind\":{}", quoted(kind))];
        for (name, is_secret) in *rows {
            let text = given(name).and_then(|it| it.as_str()).filter(|it| !it.is_empty());
            let Some(text) = text else {
                return refuse(format!("the credential has no `{name}`, which is a string"));
            };
            if !is_secret {
                shown.push(format!("\"{name}\":{}", quoted(text)));
            }
        }
        shown.push("\"storage\":{\"kind\":\"Internal\"},\"provisioningState\":\"Succeeded\"".to_owned());
        let id = format!("{}{name}", cloud.ids());
        let body = format!(
            "{{\"id\":{},\"name\":{},\"type\":\"{}/credentials\",\"location\":\"global\",\"properties\":{{{}}}}}",
            quoted(&id),
            quoted(name),
            cloud.namespace,
            shown.join(",")
        );
        self.until_settled(|| {
            let key = ResourceId::new(&id);
            let before = self.store.resource(&key)?.map(|it| it.version);
            let write = Write::Resource(record(&id, &body, "{}", None));
            Ok(((body.clone(), before.is_none()), vec![Condition::ResourceVersion(key, before)], vec![write]))
        })
    }

    /// What is shown of a credential.
    pub fn credential(&self, cloud: &Cloud, name: &str) -> Result<Option<String>> {
        let found = self.store.resource(&ResourceId::new(&format!("{}{name}", cloud.ids())))?;
        found.as_ref().map(shown).transpose()
    }

    /// What is shown of all credentials of a cloud.
    pub fn credentials(&self, cloud: &Cloud) -> Result<Vec<String>> {
        self.store.resources(&cloud.ids(), Page::ALL)?.iter().map(shown).collect()
    }

    /// Forgets a credential; whether there was one.
    pub fn delete_credential(&self, cloud: &Cloud, name: &str) -> Result<bool> {
        self.until_settled(|| {
            let key = ResourceId::new(&format!("{}{name}", cloud.ids()));
            let Some(before) = self.store.resource(&key)? else {
                return Ok((false, Vec::new(), Vec::new()));
            };
            let condition = Condition::ResourceVersion(key.clone(), Some(before.version));
            Ok((true, vec![condition], vec![Write::DeleteResource(key)]))
        })
    }
}

/// The cloud and the name of a credential, by its id.
pub(super) fn of_id(id: &str) -> Option<(&'static Cloud, &str)> {
    CLOUDS.iter().find_map(|cloud| {
        let (start, name) = id.split_at_checked(cloud.ids().len())?;
        start.eq_ignore_ascii_case(&cloud.ids()).then_some((cloud, name))
    })
}

/// Whether a record is that of a credential, as it is written here.
pub(super) fn is_record(record: &store::Resource) -> bool {
    let Some((cloud, name)) = of_id(&record.id) else { return false };
    let Some(document) = document_of(record) else { return false };
    let Some(body) = document.root().member("body") else { return false };
    let text = |object: SourceValue<'_>, name: &str| object.member(name)?.as_str().map(str::to_owned);
    let Some(properties) = body.member("properties") else { return false };
    let kind = text(properties, "kind").unwrap_or_default();
    let Some((_, rows)) = cloud.kinds.iter().find(|(known, _)| *known == kind) else { return false };
    let shown = rows.iter().filter(|(_, is_secret)| !is_secret).map(|(name, _)| *name);
    let members: Vec<&str> = shown.clone().chain(["kind", "storage", arm::PROVISIONING_STATE]).collect();
    has_only(body, &["id", "name", "type", "location", "properties"])
        && text(body, "id").is_some_and(|id| id.eq_ignore_ascii_case(&record.id))
        && text(body, "name").is_some_and(|it| it.eq_ignore_ascii_case(name))
        && named("credential", name).is_ok()
        && has_only(properties, &members)
        && shown.into_iter().all(|name| text(properties, name).is_some_and(|it| !it.is_empty()))
}

fn shown(record: &store::Resource) -> Result<String> {
    let document = Document::from_json(&record.body, FileId::FIRST, &ReadLimits::DEFAULT).ok();
    let body = document.as_ref().and_then(|document| document.root().member("body"));
    body.map(|body| body.to_string())
        .ok_or_else(|| RegistryError::Damaged(Constant::text(&record.id).to_string()))
}
