//! Where a deployment goes, when, and what it is told of its surroundings.

use std::path::Path;
use std::sync::Arc;

use arm::Value;
use arm::binding::{Inputs, SecretReference};
use arm::budget::BudgetLimits;
use arm::deployment::{Address, DeploymentContext, Mocks, PartialContext, Unresolved};
use arm::evaluate::Scope;
use arm::template::{ErrorLocation, Message, ScopeKind, Template, TemplateError, code};

use super::links::TemplateFile;
use super::load::Loader;
use super::target::Target;
use crate::exit::CommandError;
use crate::input::{self, Format};
use crate::process_memory;

/// How much is known of the surroundings.
#[derive(Clone, Copy)]
pub(crate) enum ContextKind<'t> {
    /// Those of an expression that stands alone: any scope will do.
    Expression(Unresolved),
    /// Those of the local engine: everything has a default.
    Local(Unresolved),
    /// Those of a target.
    At(&'t dyn Target, Unresolved),
    /// Only what is said: what a prediction for somewhere else can know.
    Predicted,
}

impl ContextKind<'_> {
    /// Whether what only services know is made up, and templates are read where they lie.
    pub(super) fn is_simulated(self) -> bool {
        match self {
            ContextKind::Local(_) => true,
            ContextKind::At(target, _) => target.is_simulated(),
            ContextKind::Expression(_) | ContextKind::Predicted => false,
        }
    }
}

/// The name of a deployment whose file has none, as standard input.
pub(super) const UNNAMED: &str = "main";

impl Loader<'_> {
    /// The surroundings of a template.
    pub(super) fn context(
        &self,
        template: &Template,
        file: Option<&Path>,
        surroundings: ContextKind<'_>,
    ) -> Result<DeploymentContext, Vec<TemplateError>> {
        if let (ContextKind::Predicted, Some(known)) = (surroundings, &self.known) {
            return stated(template.scope, known.clone()).map_err(|error| vec![error]);
        }
        let scope = self.scope.clone().unwrap_or_else(|| DeploymentContext::local_scope(template.scope));
        if !matches!(surroundings, ContextKind::Expression(_)) {
            let written = file.is_some_and(|file| Format::of_name(file.as_os_str()) == Some(Format::Json));
            fits(template, &scope, written).map_err(|error| vec![error])?;
        }
        let name = self.options.name.clone().or_else(|| self.placement.name.clone());
        let name = name.unwrap_or_else(|| named_after(file));
        let mut context = match surroundings {
            ContextKind::Expression(unresolved)
            | ContextKind::Local(unresolved)
            | ContextKind::At(_, unresolved) => DeploymentContext {
                unresolved,
                now: self.now,
                seed: self.seed,
                ..DeploymentContext::local(scope, name)
            },
            ContextKind::Predicted => predicted(template.scope, scope, name),
        };
        context.budget = process_memory::budgets(BudgetLimits::DEFAULT).account();
        context.mocks = Arc::clone(&self.mocks);
        let template = file.and_then(TemplateFile::new);
        if surroundings.is_simulated() {
            let address = template.as_ref().and_then(TemplateFile::address);
            context.template_link = address.map(|address| Address::new(address, false));
        }
        if let ContextKind::At(target, _) = surroundings {
            context = target.within(context);
        }
        if let Some(location) = self.options.location.as_ref().or(self.placement.location.as_ref()) {
            context.location = Some(location.into());
        }
        if let Some(tenant) = member(&self.mocks, "tenant", "tenantId") {
            context.tenant = Some(tenant.into());
        }
        context.links = self.roots.links(template.as_ref());
        Ok(context)
    }
}

/// The surroundings of a prediction that is told the parts of its scope one by one.
fn stated(kind: ScopeKind, mut known: PartialContext) -> Result<DeploymentContext, TemplateError> {
    let (in_group, in_subscription) = (ScopeKind::ResourceGroup, ScopeKind::Subscription);
    let parts = [
        (known.subscription.is_some() && ![in_group, in_subscription].contains(&kind), "subscription"),
        (known.resource_group.is_some() && kind != in_group, "resource group"),
        (known.management_group.is_some() && kind != ScopeKind::ManagementGroup, "management group"),
    ];
    if let Some((_, part)) = parts.iter().find(|(wrong, _)| *wrong) {
        let message = Message::sentence(format!(
            "The template is for a {}, so that a {part} cannot be given",
            kind.name()
        ));
        return Err(TemplateError::new(code::INVALID_TEMPLATE, message));
    }
    // In a resource group, the location is that of the group.
    if kind == in_group && known.resource_group.is_none() {
        known.location = None;
    }
    Ok(DeploymentContext::predicted(kind, known))
}

fn predicted(kind: ScopeKind, scope: Scope, name: String) -> DeploymentContext {
    let mut known = PartialContext { deployment: Some(name.into()), ..PartialContext::default() };
    match scope {
        Scope::Unknown | Scope::Tenant | Scope::Plane { .. } => {}
        Scope::ManagementGroup(name) => known.management_group = Some(name),
        Scope::Subscription(id) => known.subscription = Some(id),
        Scope::ResourceGroup { subscription, name } => {
            known.subscription = Some(subscription);
            known.resource_group = Some(name);
        }
    }
    DeploymentContext::predicted(kind, known)
}

/// The name of the deployment of a file, if nobody gives it another one.
pub(crate) fn deployment_name(file: &Path) -> String {
    named_after(Some(file))
}

fn named_after(file: Option<&Path>) -> String {
    let file = file.filter(|file| file.as_os_str() != input::STANDARD_INPUT);
    let stem = file.and_then(Path::file_stem).map(|stem| {
        let stem = stem.to_string_lossy();
        // A file may have signs in its name that a deployment may not.
        stem.replace(|letter: char| !letter.is_alphanumeric() && !"-._()".contains(letter), "-")
    });
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| UNNAMED.to_owned())
}

/// A template is deployed to the kind of scope that its schema names; `written` says that people wrote the schema.
pub(crate) fn fits(template: &Template, scope: &Scope, written: bool) -> Result<(), TemplateError> {
    let kind = match scope {
        Scope::Unknown => return Ok(()),
        Scope::Tenant => ScopeKind::Tenant,
        Scope::ManagementGroup(_) => ScopeKind::ManagementGroup,
        Scope::Subscription(_) => ScopeKind::Subscription,
        Scope::ResourceGroup { .. } | Scope::Plane { .. } => ScopeKind::ResourceGroup,
    };
    if kind == template.scope {
        return Ok(());
    }
    let message = Message::sentence(format!(
        "The template is for a {}, and the scope '{}' is a {}",
        template.scope.name(),
        if kind == ScopeKind::Tenant { "/".into() } else { scope.id() },
        kind.name()
    ));
    let error = TemplateError::new(code::INVALID_TEMPLATE, message).hint(
        "use another `--scope`, or say what the template is for: `targetScope` in Bicep, `$schema` in JSON",
    );
    Err(match schema_place(template).filter(|_| written) {
        Some(location) => error.at(location),
        None => error,
    })
}

fn schema_place(template: &Template) -> Option<ErrorLocation> {
    let place = template.source().member("$schema")?.place();
    Some(template.location(place.into()))
}

/// A text that a mock gives for a member of an object.
fn member(mocks: &Mocks, function: &str, name: &str) -> Option<String> {
    mocks.get(function)?.as_object()?.get(name)?.as_str().map(str::to_owned)
}

/// The secret that mocks give: `secrets` by vault, which is an id or a name, and by name.
pub(super) fn secret(mocks: &Mocks, reference: &SecretReference) -> Option<Value> {
    mocks.secret(&reference.vault, &reference.secret).cloned()
}

/// Gives external inputs the values that mocks have for them: `externalInputs` by key.
pub(super) fn supply(mocks: &Mocks, inputs: &mut Inputs) {
    let Some(values) = mocks.get("externalInputs").and_then(Value::as_object) else { return };
    for missing in inputs.all_missing_externals() {
        if let Some(value) = values.get(&missing.input.key) {
            inputs.supply(&missing.input, value.clone());
        }
    }
}

/// What new ids are made from.
pub(super) fn seed() -> Result<u128, CommandError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| CommandError::Environment(format!("the system gives no random numbers: {error}")))?;
    Ok(u128::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_is_named_after_its_file() {
        assert_eq!(named_after(Some(Path::new("a/shop.bicep"))), "shop");
        assert_eq!(named_after(Some(Path::new("shop.test.json"))), "shop.test");
        assert_eq!(named_after(Some(Path::new("-"))), "main");
        assert_eq!(named_after(None), "main");
    }
}
