//! The scope that a template is made for.

/// What a template is deployed to, as its `$schema` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "ARM's own names for them")]
pub enum ScopeKind {
    #[default]
    ResourceGroup,
    Subscription,
    ManagementGroup,
    Tenant,
}

/// The scopes, with the name of the schema's file and the words for people.
const SCOPES: &[(ScopeKind, &str, &str)] = &[
    (ScopeKind::ResourceGroup, "deploymentTemplate.json", "resource group"),
    (ScopeKind::Subscription, "subscriptionDeploymentTemplate.json", "subscription"),
    (ScopeKind::ManagementGroup, "managementGroupDeploymentTemplate.json", "management group"),
    (ScopeKind::Tenant, "tenantDeploymentTemplate.json", "tenant"),
];

/// The versions of the schemas.
pub(super) const VERSIONS: [&str; 6] =
    ["2014-04-01-preview", "2015-01-01-preview", "2015-01-01", "2018-05-01", "2019-04-01", "2019-08-01"];

impl ScopeKind {
    /// The scope that a schema's URI stands for; none if it is not one of a template, or of a version that is not known.
    pub fn from_schema(uri: &str) -> Option<ScopeKind> {
        let uri = uri.trim();
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let mut segments = uri.rsplit('/');
        let last = segments.next()?;
        let (file, version) = match last.split_once("?api-version=") {
            // The form of the first templates.
            Some((name, version)) => (&*format!("{name}.json"), version.trim_end_matches('#')),
            None => (last, segments.next()?),
        };
        if !VERSIONS.iter().any(|known| known.eq_ignore_ascii_case(version)) {
            return None;
        }
        SCOPES.iter().find(|(_, name, _)| name.eq_ignore_ascii_case(file)).map(|(scope, ..)| *scope)
    }

    /// The scope in words.
    pub fn name(self) -> &'static str {
        SCOPES.iter().find(|(scope, ..)| *scope == self).map_or("", |(.., words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_schema_decides() {
        let of = ScopeKind::from_schema;
        let base = "https://schema.management.azure.com/schemas";
        assert_eq!(
            of(&format!("{base}/2019-04-01/deploymentTemplate.json#")),
            Some(ScopeKind::ResourceGroup)
        );
        assert_eq!(
            of(&format!("{base}/2018-05-01/SubscriptionDeploymentTemplate.json")),
            Some(ScopeKind::Subscription)
        );
        assert_eq!(
            of(&format!("{base}/2019-08-01/managementGroupDeploymentTemplate.json#")),
            Some(ScopeKind::ManagementGroup)
        );
        assert_eq!(
            of(" http://schema.management.azure.com/schemas/2015-01-01-preview/deploymentTemplate.json# "),
            Some(ScopeKind::ResourceGroup)
        );
        assert_eq!(
            of("http://schemas.microsoft.org/azure/deploymentTemplate?api-version=2015-01-01-preview#"),
            Some(ScopeKind::ResourceGroup)
        );
        assert_eq!(of("http://x/2019-08-01/tenantDeploymentTemplate.json#"), Some(ScopeKind::Tenant));
        assert_eq!(of(&format!("{base}/2019-04-01/deploymentParameters.json#")), None);
        assert_eq!(of(&format!("{base}/2015-01-02/deploymentTemplate.json#")), None);
    }
}
