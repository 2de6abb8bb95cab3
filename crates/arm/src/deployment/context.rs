//! What a deployment knows of its surroundings: where it goes, when, and what functions such as `resourceGroup` say.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::{Address, Groups, Links, Mocks, ScopeReach, cloud};
use crate::budget::Budget;
use crate::evaluate::{EnvironmentValue, EvaluateError, ExtraFunctions, Moment, Scope};
use crate::value::{ObjectBuilder, folded};
use crate::{Expression, ProvisioningState, Value};

/// The subscription that is deployed to if nobody names one.
pub const LOCAL_SUBSCRIPTION: &str = "00000000-0000-0000-0000-000000000001";
/// The resource group and the management group that are deployed to if nobody names one.
pub const LOCAL_GROUP: &str = "local";
/// The tenant of everything, if nobody names one.
pub const LOCAL_TENANT: &str = "00000000-0000-0000-0000-000000000002";
/// Who deploys, if nobody says it.
pub const LOCAL_DEPLOYER: &str = "00000000-0000-0000-0000-000000000003";
/// The location of deployments and resource groups, if nobody names one.
pub const LOCAL_LOCATION: &str = "eastus";

/// The version of every API that the local engine names.
const LOCAL_API_VERSION: &str = "2025-01-01";

/// The surroundings of a deployment.
#[derive(Clone, Debug)]
pub struct DeploymentContext {
    /// Where ids of its resources start.
    pub scope: Scope,
    /// Where resources of Azure go that a deployment to a plane of Radius has; none if it may not have any.
    pub azure: Option<Scope>,
    /// The name of the deployment; none if it is not known.
    pub name: Option<SmolStr>,
    /// The location of the deployment, and of resource groups of which nothing else is known; none if it is not known.
    pub location: Option<SmolStr>,
    /// The tenant; none if it is not known.
    pub tenant: Option<SmolStr>,
    /// When the deployment was accepted: what `utcNow` gives.
    pub now: Moment,
    /// What `newGuid` is made from. The same seed gives the same values again.
    pub seed: u128,
    /// What becomes of resources that the template does not name.
    pub mode: DeploymentMode,
    /// What becomes of a value that only the run time, or nobody, knows.
    pub unresolved: Unresolved,
    /// Who deploys; none if it is not known.
    pub deployer: Option<Value>,
    /// Answers of functions that replace or complete those of the engine.
    pub mocks: Arc<Mocks>,
    /// Members of resource groups that are known, by id: what `resourceGroup()` says there beyond the id.
    pub resource_groups: Arc<HashMap<SmolStr, Value>>,
    /// Where other resource groups are looked up.
    pub groups: Groups,
    /// The tags of the deployment, which its record shows; null if it has none.
    pub tags: Value,
    /// How extensions are configured: an object by alias.
    pub extension_configs: Value,
    /// The definitions of external inputs by the sections that they were given in, without values.
    pub external_inputs: Value,
    /// Where linked templates come from.
    pub links: Links,
    /// The address that the template came from, which relative links start from.
    pub template_link: Option<Address>,
    /// How many deployments are around this one.
    pub depth: usize,
    /// What all evaluations of this deployment and those inside it may still use.
    pub budget: Budget,
    /// Where it may read and write.
    pub reach: ScopeReach,
    /// The endpoint that has the resources; none if the engine has them. What an endpoint does not say of itself has no local default.
    pub endpoint: Option<SmolStr>,
    /// Functions that expressions have besides those of templates.
    pub extra_functions: ExtraFunctions,
}

/// What a deployment does with resources that it does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeploymentMode {
    /// It leaves them alone.
    #[default]
    Incremental,
    /// It deletes them when everything else is done.
    Complete,
}

/// What becomes of a value that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unresolved {
    /// It is an error.
    #[default]
    Error,
    /// It stays the expression that it is.
    Keep,
}

/// What is known when a deployment is only predicted; everything else stays an expression.
#[derive(Clone, Debug, Default)]
pub struct PartialContext {
    /// The id of the tenant.
    pub tenant: Option<SmolStr>,
    /// The name of the management group.
    pub management_group: Option<SmolStr>,
    /// The id of the subscription.
    pub subscription: Option<SmolStr>,
    /// The name of the resource group.
    pub resource_group: Option<SmolStr>,
    /// The name of the deployment.
    pub deployment: Option<SmolStr>,
    /// The location of the deployment or of its resource group.
    pub location: Option<SmolStr>,
}

impl DeploymentMode {
    /// The mode of a name, by whatever case.
    pub fn parse(text: &str) -> Option<DeploymentMode> {
        [DeploymentMode::Incremental, DeploymentMode::Complete]
            .into_iter()
            .find(|mode| mode.name().eq_ignore_ascii_case(text))
    }

    /// The name as the REST API writes it.
    pub fn name(self) -> &'static str {
        match self {
            DeploymentMode::Incremental => "Incremental",
            DeploymentMode::Complete => "Complete",
        }
    }
}

impl DeploymentContext {
    /// A deployment to the local engine: everything is known.
    pub fn local(scope: Scope, name: impl Into<SmolStr>) -> DeploymentContext {
        DeploymentContext {
            scope,
            azure: None,
            name: Some(name.into()),
            location: Some(LOCAL_LOCATION.into()),
            tenant: Some(LOCAL_TENANT.into()),
            now: Moment { seconds: 0, ticks: 0 },
            seed: 0,
            mode: DeploymentMode::default(),
            unresolved: Unresolved::Error,
            deployer: Some(Value::object(
                [
                    ("objectId", LOCAL_DEPLOYER),
                    ("tenantId", LOCAL_TENANT),
                    ("userPrincipalName", "local@localhost"),
                ]
                .map(|(name, text)| (name, Value::from(text))),
            )),
            mocks: Arc::default(),
            resource_groups: Arc::default(),
            groups: Groups::default(),
            tags: Value::Null,
            extension_configs: Value::object::<SmolStr>([]),
            external_inputs: Value::object::<SmolStr>([]),
            links: Links::default(),
            template_link: None,
            depth: 0,
            budget: Budget::default(),
            reach: ScopeReach::everything(),
            endpoint: None,
            extra_functions: ExtraFunctions::default(),
        }
    }

    /// A deployment that is only predicted, of which some things are known.
    pub fn predicted(scope: crate::template::ScopeKind, known: PartialContext) -> DeploymentContext {
        use crate::template::ScopeKind;
        let scope = match (scope, known.subscription, known.resource_group, known.management_group) {
            (ScopeKind::Tenant, ..) => Scope::Tenant,
            (ScopeKind::ManagementGroup, _, _, Some(name)) => Scope::ManagementGroup(name),
            (ScopeKind::Subscription, Some(id), ..) => Scope::Subscription(id),
            (ScopeKind::ResourceGroup, Some(subscription), Some(name), _) => {
                Scope::ResourceGroup { subscription, name }
            }
            (ScopeKind::ManagementGroup | ScopeKind::Subscription | ScopeKind::ResourceGroup, ..) => {
                Scope::Unknown
            }
        };
        DeploymentContext {
            name: known.deployment,
            location: known.location,
            tenant: known.tenant,
            unresolved: Unresolved::Keep,
            deployer: None,
            ..DeploymentContext::local(scope, "")
        }
    }

    /// The local scope for a template that wants one of this kind.
    pub fn local_scope(kind: crate::template::ScopeKind) -> Scope {
        use crate::template::ScopeKind;
        match kind {
            ScopeKind::ResourceGroup => {
                Scope::ResourceGroup { subscription: LOCAL_SUBSCRIPTION.into(), name: LOCAL_GROUP.into() }
            }
            ScopeKind::Subscription => Scope::Subscription(LOCAL_SUBSCRIPTION.into()),
            ScopeKind::ManagementGroup => Scope::ManagementGroup(LOCAL_GROUP.into()),
            ScopeKind::Tenant => Scope::Tenant,
        }
    }

    /// Says what is known of a resource group, beyond its id, name and type.
    pub fn set_resource_group(&mut self, id: &str, members: Value) {
        Arc::make_mut(&mut self.resource_groups).insert(folded(id), members);
    }

    /// The surroundings of a deployment inside this one.
    #[must_use]
    pub(super) fn nested(&self, scope: Scope, name: SmolStr, location: Option<SmolStr>) -> DeploymentContext {
        // Each deployment has its own ids, which do not depend on when it runs.
        let bytes = crate::hash::guid_bytes([format!("{:032x}", self.seed).as_str(), &scope.id(), &name]);
        DeploymentContext {
            scope,
            seed: u128::from_be_bytes(bytes),
            // A name that is not known is an expression.
            name: Some(name).filter(|name| !name.starts_with('[')),
            location: location.or_else(|| self.location.clone()),
            // What the deployment around it was given is its own.
            tags: Value::Null,
            external_inputs: Value::object::<SmolStr>([]),
            depth: self.depth + 1,
            ..self.clone()
        }
    }

    /// The answer of a function without arguments that says where the deployment goes; none if there is no
    /// such thing at this scope.
    pub(super) fn metadata(&self, function: &'static str) -> Result<Option<EnvironmentValue>, EvaluateError> {
        let members = match function {
            "tenant" => Some(self.tenant_members()),
            "subscription" => self.subscription_members()?,
            "managementGroup" => self.management_group_members(),
            "resourceGroup" => self.resource_group_members()?,
            "environment" => return Ok(Some(self.laid_over(function, cloud::environment()))),
            "deployer" => {
                let deployer = self.deployer.clone();
                let known = deployer.map(|deployer| self.laid_over(function, deployer));
                return Ok(Some(known.unwrap_or(EnvironmentValue::Unknown)));
            }
            _ => None,
        };
        Ok(members.map(|members| self.object(function, members)))
    }

    fn tenant_members(&self) -> Vec<(&'static str, PartialMember)> {
        let id = self.tenant.clone();
        let local = self.is_local();
        vec![
            ("countryCode", PartialMember::when(local, "US")),
            ("displayName", PartialMember::when(local, "Local")),
            (
                "id",
                id.as_ref().map_or(PartialMember::Unknown, |id| {
                    PartialMember::text(format_smolstr!("/tenants/{id}"))
                }),
            ),
            ("tenantId", id.map_or(PartialMember::Unknown, PartialMember::text)),
        ]
    }

    fn subscription_members(&self) -> Result<Option<Vec<(&'static str, PartialMember)>>, EvaluateError> {
        let id = match &self.scope {
            Scope::Subscription(id) | Scope::ResourceGroup { subscription: id, .. } => id,
            Scope::Unknown => return Ok(Some(vec![])),
            Scope::Tenant | Scope::ManagementGroup(_) | Scope::Plane { .. } => return Ok(None),
        };
        Ok(Some(vec![
            ("id", PartialMember::text(format_smolstr!("/subscriptions/{id}"))),
            ("subscriptionId", PartialMember::text(id.clone())),
            (
                "tenantId",
                self.tenant
                    .clone()
                    .map_or_else(|| PartialMember::Of("tenant", "tenantId"), PartialMember::text),
            ),
            ("displayName", self.subscription_name(id)?),
        ]))
    }

    /// What people call a subscription: an endpoint says it where it says what groups there are.
    fn subscription_name(&self, id: &str) -> Result<PartialMember, EvaluateError> {
        if self.endpoint.is_none() {
            return Ok(PartialMember::when(self.is_local(), "Local"));
        }
        let said = self.groups.read(&format!("/subscriptions/{id}"))?;
        let name = said.as_ref().and_then(|said| said.as_object()?.get("displayName"));
        Ok(name.cloned().map_or(PartialMember::Unknown, PartialMember::Known))
    }

    fn management_group_members(&self) -> Option<Vec<(&'static str, PartialMember)>> {
        let name = match &self.scope {
            Scope::ManagementGroup(name) => name,
            Scope::Unknown => return Some(vec![]),
            Scope::Tenant | Scope::Subscription(_) | Scope::ResourceGroup { .. } | Scope::Plane { .. } => {
                return None;
            }
        };
        let properties = Value::object([
            ("tenantId", self.tenant.clone().map_or(Value::Null, Value::Text)),
            ("displayName", Value::Text(name.clone())),
            ("details", Value::object([("version", Value::Int(1))])),
        ]);
        Some(vec![
            ("id", PartialMember::text(self.scope.id())),
            ("name", PartialMember::text(name.clone())),
            ("type", PartialMember::text("Microsoft.Management/managementGroups")),
            (
                "properties",
                if self.is_local() { PartialMember::Known(properties) } else { PartialMember::Unknown },
            ),
        ])
    }

    fn resource_group_members(&self) -> Result<Option<Vec<(&'static str, PartialMember)>>, EvaluateError> {
        let name = match &self.scope {
            Scope::ResourceGroup { name, .. } | Scope::Plane { group: name, .. } => name,
            Scope::Unknown => return Ok(Some(vec![])),
            Scope::Tenant | Scope::Subscription(_) | Scope::ManagementGroup(_) => return Ok(None),
        };
        let id = self.scope.id();
        let known = match self.resource_groups.get(&folded(&id)) {
            Some(known) => Some(known.clone()),
            None => self.groups.read(&id)?,
        };
        let known = known.as_ref().and_then(Value::as_object);
        let said =
            |member: &str| known.and_then(|known| known.get(member)).cloned().map(PartialMember::Known);
        let local =
            |value: Value| if self.is_local() { PartialMember::Known(value) } else { PartialMember::Unknown };
        let mut members = vec![
            ("id", PartialMember::text(id)),
            ("name", PartialMember::text(name.clone())),
            ("type", PartialMember::text("Microsoft.Resources/resourceGroups")),
            (
                "location",
                said("location").unwrap_or_else(|| {
                    self.location.clone().map_or(PartialMember::Unknown, PartialMember::text)
                }),
            ),
            (
                "tags",
                match known {
                    // A group of an endpoint that has none is shown without.
                    Some(_) => {
                        said("tags").unwrap_or_else(|| PartialMember::Known(Value::object::<SmolStr>([])))
                    }
                    None => local(Value::object::<SmolStr>([])),
                },
            ),
        ];
        match said("managedBy") {
            Some(value) => members.push(("managedBy", value)),
            // A group that nobody manages has no such member.
            None if self.is_local() || known.is_some() => {}
            None => members.push(("managedBy", PartialMember::Unknown)),
        }
        let properties = ProvisioningState::Succeeded.properties();
        members.push(("properties", said("properties").unwrap_or_else(|| local(properties))));
        Ok(Some(members))
    }

    /// Whether everything that is not said has a local default.
    /// What `providers` says of a resource type if nobody says more: the local engine has one location and takes every version.
    pub(super) fn resource_type(&self, kind: &str) -> Option<Value> {
        let location = self.location.clone().filter(|_| self.is_local())?;
        Some(Value::object([
            ("resourceType", Value::from(kind)),
            ("locations", Value::array(vec![Value::Text(location)])),
            ("apiVersions", Value::array(vec![LOCAL_API_VERSION.into()])),
        ]))
    }

    fn is_local(&self) -> bool {
        self.endpoint.is_none() && !self.is_predicted()
    }

    /// Whether it is only predicted, for a time that nobody knows.
    pub(super) fn is_predicted(&self) -> bool {
        self.unresolved != Unresolved::Error && self.deployer.is_none()
    }

    /// An object, with the members that a mock gives; members that are not known stay calls of the function.
    fn object(
        &self,
        function: &'static str,
        members: Vec<(&'static str, PartialMember)>,
    ) -> EnvironmentValue {
        if members.is_empty() {
            return self.mocks.object(function).map_or(EnvironmentValue::Unknown, EnvironmentValue::Value);
        }
        let mock = self.mocks.object(function);
        let mut known = ObjectBuilder::default();
        let mut unknown = Vec::new();
        for (name, member) in members {
            match member {
                PartialMember::Known(value) => known.set(name.into(), value),
                PartialMember::Of(function, member) => unknown.push((name, function, member)),
                PartialMember::Unknown => unknown.push((name, function, name)),
            }
        }
        let mut object = known.finish();
        if let Some(mock) = &mock {
            unknown.retain(|(name, ..)| mock.as_object().is_none_or(|mock| mock.get(name).is_none()));
            object = object.merged_with(mock);
        }
        if unknown.is_empty() {
            return EnvironmentValue::Value(object);
        }
        let known = object.as_object().into_iter().flatten();
        let known =
            known.flat_map(|(name, value)| [Expression::Text(name.clone()), Expression::from_value(value)]);
        let unknown = unknown.into_iter().flat_map(|(name, function, member)| {
            [Expression::text(name), Expression::call(function, []).property(member)]
        });
        EnvironmentValue::Expression(Expression::call(
            "createObject",
            known.chain(unknown).collect::<Vec<_>>(),
        ))
    }

    /// A whole object, with what a mock says over it.
    pub(super) fn laid_over(&self, function: &str, value: Value) -> EnvironmentValue {
        EnvironmentValue::Value(match self.mocks.object(function) {
            Some(mock) => value.merged_with(&mock),
            None => value,
        })
    }
}

/// A member of an object that may be known in part.
enum PartialMember {
    Known(Value),
    /// What a member of another function's object will be.
    Of(&'static str, &'static str),
    Unknown,
}

impl PartialMember {
    fn text(text: impl Into<SmolStr>) -> PartialMember {
        PartialMember::Known(Value::Text(text.into()))
    }

    fn when(known: bool, text: &'static str) -> PartialMember {
        if known { PartialMember::text(text) } else { PartialMember::Unknown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Cause;

    #[test]
    fn an_endpoint_has_no_local_defaults() {
        let scope = Scope::ResourceGroup { subscription: "s".into(), name: "g".into() };
        let said = |id: &str| match id {
            "/subscriptions/s" => Ok(Some(Value::object([("displayName", Value::text("Ours"))]))),
            "/subscriptions/s/resourceGroups/g" => {
                Ok(Some(Value::object([("location", Value::text("north"))])))
            }
            _ => Ok(None),
        };
        let endpoint = Some("https://management.example".into());
        let silent =
            DeploymentContext { endpoint, location: None, ..DeploymentContext::local(scope.clone(), "main") };
        let known = DeploymentContext { groups: Groups::new(said), ..silent.clone() };
        let shown =
            |context: &DeploymentContext, function: &'static str| match context.metadata(function).unwrap() {
                Some(EnvironmentValue::Value(value)) => value.to_json(),
                Some(EnvironmentValue::Expression(expression)) => expression.to_string(),
                Some(EnvironmentValue::Unknown) | None => "unknown".to_owned(),
            };
        assert!(shown(&known, "subscription").contains(r#""displayName":"Ours""#));
        let group = shown(&known, "resourceGroup");
        assert!(
            group.contains("'location', 'north'") && group.contains("resourceGroup().properties"),
            "{group}"
        );
        for function in ["subscription", "resourceGroup", "tenant"] {
            let silent = shown(&silent, function);
            assert!(!silent.contains("Local") && !silent.contains(LOCAL_LOCATION), "{silent}");
        }
        let local = DeploymentContext::local(scope, "main");
        assert!(shown(&local, "subscription").contains(r#""displayName":"Local""#));
        assert!(!silent.is_predicted() && !known.is_predicted(), "the time is known");
    }

    #[test]
    fn a_group_that_cannot_be_read_is_an_error_and_not_another_group() {
        let scope = Scope::ResourceGroup { subscription: "s".into(), name: "g".into() };
        let away = Groups::new(|_: &str| Err("the database is away".to_owned()));
        let context = DeploymentContext { groups: away, ..DeploymentContext::local(scope, "main") };
        let error = context.metadata("resourceGroup").unwrap_err();
        assert_eq!(*error.cause(), Cause::Unreadable);
        assert!(error.message().contains("the database is away"), "{error:?}");
        assert!(context.metadata("subscription").unwrap().is_some(), "nobody has to be asked for it");
    }
}
