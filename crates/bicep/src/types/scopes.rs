//! The scopes that files are deployed to and resources live in.

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Scopes(u8);

impl Scopes {
    /// No scope.
    pub(crate) const NONE: Scopes = Scopes(0);
    /// The tenant.
    pub(crate) const TENANT: Scopes = Scopes(1);
    /// A management group.
    pub(crate) const MANAGEMENT_GROUP: Scopes = Scopes(2);
    /// A subscription.
    pub(crate) const SUBSCRIPTION: Scopes = Scopes(4);
    /// A resource group.
    pub(crate) const RESOURCE_GROUP: Scopes = Scopes(8);
    /// Another resource, which this one extends.
    pub(crate) const RESOURCE: Scopes = Scopes(16);
    /// The machine that deploys.
    pub(crate) const LOCAL: Scopes = Scopes(32);
    /// Another module; no file can be deployed there.
    pub(crate) const MODULE: Scopes = Scopes(64);
    /// Every scope.
    pub(crate) const ANY: Scopes = Scopes(127);

    /// The words of `targetScope`.
    const NAMES: [(&'static str, Scopes); 5] = [
        ("tenant", Scopes::TENANT),
        ("managementGroup", Scopes::MANAGEMENT_GROUP),
        ("subscription", Scopes::SUBSCRIPTION),
        ("resourceGroup", Scopes::RESOURCE_GROUP),
        ("local", Scopes::LOCAL),
    ];

    /// Adds scopes.
    #[must_use]
    pub(crate) const fn with(self, other: Scopes) -> Scopes {
        Scopes(self.0 | other.0)
    }

    /// Takes scopes away.
    #[must_use]
    pub(crate) const fn without(self, other: Scopes) -> Scopes {
        Scopes(self.0 & !other.0)
    }

    /// The scopes that are in both sets.
    #[must_use]
    pub(crate) const fn and(self, other: Scopes) -> Scopes {
        Scopes(self.0 & other.0)
    }

    /// Tells whether all of `other` are in the set.
    #[must_use]
    pub(crate) const fn has(self, other: Scopes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Tells whether the set has no scope.
    #[must_use]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scope that a word of `targetScope` means.
    #[must_use]
    pub(crate) fn from_name(name: &str) -> Option<Scopes> {
        Scopes::NAMES.iter().find(|(known, _)| *known == name).map(|(_, scope)| *scope)
    }

    /// The words for the scopes in the set.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let words =
            Scopes::NAMES.into_iter().chain([("resource", Scopes::RESOURCE), ("module", Scopes::MODULE)]);
        words.filter(move |(_, scope)| self.has(*scope)).map(|(name, _)| name)
    }

    /// The address of the schema of templates that are deployed here.
    #[must_use]
    pub(crate) const fn schema(self) -> &'static str {
        if self.has(Scopes::TENANT) {
            "https://schema.management.azure.com/schemas/2019-08-01/tenantDeploymentTemplate.json#"
        } else if self.has(Scopes::MANAGEMENT_GROUP) {
            "https://schema.management.azure.com/schemas/2019-08-01/managementGroupDeploymentTemplate.json#"
        } else if self.has(Scopes::SUBSCRIPTION) {
            "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#"
        } else {
            "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
        }
    }

    /// The scope that a template with this schema is deployed to.
    #[must_use]
    pub(crate) fn from_schema(schema: &str) -> Option<Scopes> {
        let file = schema.trim_end_matches('#').rsplit('/').next()?;
        match file.to_ascii_lowercase().as_str() {
            "tenantdeploymenttemplate.json" => Some(Scopes::TENANT),
            "managementgroupdeploymenttemplate.json" => Some(Scopes::MANAGEMENT_GROUP),
            "subscriptiondeploymenttemplate.json" => Some(Scopes::SUBSCRIPTION),
            "deploymenttemplate.json" => Some(Scopes::RESOURCE_GROUP),
            _ => None,
        }
    }
}

impl From<bicep_types::Scopes> for Scopes {
    fn from(scopes: bicep_types::Scopes) -> Scopes {
        // The type data numbers the first five scopes alike.
        Scopes(u8::try_from(scopes.0 & 31).unwrap_or(31))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_names_the_scope_it_was_made_for() {
        for scope in [Scopes::TENANT, Scopes::MANAGEMENT_GROUP, Scopes::SUBSCRIPTION, Scopes::RESOURCE_GROUP]
        {
            assert_eq!(Scopes::from_schema(scope.schema()), Some(scope));
        }
        assert_eq!(Scopes::from_name("subscription"), Some(Scopes::SUBSCRIPTION));
        assert_eq!(Scopes::TENANT.with(Scopes::LOCAL).names().collect::<Vec<_>>(), ["tenant", "local"]);
    }
}
