//! The scopes that files are deployed to and resources live in.

use bitflags::bitflags;

bitflags! {
    /// A set of scopes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub(crate) struct Scopes: u8 {
        const TENANT = 1;
        const MANAGEMENT_GROUP = 1 << 1;
        const SUBSCRIPTION = 1 << 2;
        const RESOURCE_GROUP = 1 << 3;
        /// Another resource, which this one extends.
        const RESOURCE = 1 << 4;
        /// The machine that deploys.
        const LOCAL = 1 << 5;
        /// Another module; no file can be deployed there.
        const MODULE = 1 << 6;
    }
}

impl Scopes {
    /// The words of `targetScope`.
    const NAMES: [(&'static str, Scopes); 5] = [
        ("tenant", Scopes::TENANT),
        ("managementGroup", Scopes::MANAGEMENT_GROUP),
        ("subscription", Scopes::SUBSCRIPTION),
        ("resourceGroup", Scopes::RESOURCE_GROUP),
        ("local", Scopes::LOCAL),
    ];

    /// The scope that a word of `targetScope` means.
    #[must_use]
    pub(crate) fn of_word(name: &str) -> Option<Scopes> {
        Scopes::NAMES.iter().find(|(known, _)| *known == name).map(|(_, scope)| *scope)
    }

    /// The words for the scopes in the set.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let words =
            Scopes::NAMES.into_iter().chain([("resource", Scopes::RESOURCE), ("module", Scopes::MODULE)]);
        words.filter(move |(_, scope)| self.contains(*scope)).map(|(name, _)| name)
    }

    /// The address of the schema of templates that are deployed here.
    #[must_use]
    pub(crate) const fn schema(self) -> &'static str {
        if self.contains(Scopes::TENANT) {
            "https://schema.management.azure.com/schemas/2019-08-01/tenantDeploymentTemplate.json#"
        } else if self.contains(Scopes::MANAGEMENT_GROUP) {
            "https://schema.management.azure.com/schemas/2019-08-01/managementGroupDeploymentTemplate.json#"
        } else if self.contains(Scopes::SUBSCRIPTION) {
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
        Scopes::from_bits_truncate(u8::try_from(scopes.0 & 31).unwrap_or(31))
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
        assert_eq!(Scopes::of_word("subscription"), Some(Scopes::SUBSCRIPTION));
        assert_eq!(Scopes::TENANT.union(Scopes::LOCAL).names().collect::<Vec<_>>(), ["tenant", "local"]);
    }
}
